"""List headers of unrequested letters, and the mail that a program sends to stop them (F1)."""

from collections.abc import Awaitable, Callable
from email.message import Message
from pathlib import Path
from urllib.parse import unquote

import pytest

from mailbot.shell.console import postman
from tests.dialogues.play import PASSWORDS, Server, _sign_up, serving

ANN, BOB = "ann@example.org", "bob@example.org"
Steps = Callable[[Server], Awaitable[None]]


def played(folder: Path, steps: Steps) -> None:
    serving(folder, begun, steps)


async def begun(server: Server) -> None:
    for who, password in ((ANN, "correct-horse-1"), (BOB, "battery-staple-2")):
        await server.accept(server.mail(who, f"signup {who[:3]} {password}", ""))
        await server.accept(server.reply(who, newest(server, who), "yes"))
    await server.accept(server.mail(ANN, "lambo challenge ann bob correct-horse-1", ""))
    await server.accept(server.reply(BOB, newest(server, BOB), "accept"))


def newest(server: Server, who: str) -> Message:
    server.new_letters()
    return server.letters[who][-1]


def stop_address(letter: Message) -> str:
    return unquote(str(letter["List-Unsubscribe"]).removeprefix("<mailto:").partition("?")[0])


def test_news_says_how_to_stop_it_and_answers_do_not(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        news, answer = newest(server, ANN), newest(server, BOB)
        assert str(news["List-Id"]) == "<lambo.mailbot.games.example.net>"
        assert str(news["List-Help"]) == "<mailto:mailbot@games.example.net?subject=help>"
        assert stop_address(news).startswith("mailbot+u1-")
        assert not any(name.lower().startswith("list-") for name in answer)

    played(tmp_path, steps)


def test_a_program_stops_the_letters_from_whatever_address_it_uses(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        to = stop_address(newest(server, ANN))
        assert await server.accept(server.mail("robot@mailer.example", "unsubscribe", "", to)) == "250 2.0.0 Accepted"
        said = newest(server, ANN)
        assert "no more letters" in postman.text(said)
        await server.accept(server.mail(ANN, "move 1 ann correct-horse-1 b1", ""))
        before = len(server.letters[ANN])
        await server.accept(server.reply(BOB, newest(server, BOB), "a2,c3"))
        assert len(server.letters[ANN]) - before == 1, "the answer to the own move, not the news"
        await server.accept(server.mail("robot@mailer.example", "unsubscribe", "", to))
        server.new_letters()
        assert len(server.letters[ANN]) - before == 1, "told once"

    played(tmp_path, steps)


def test_the_address_serves_after_a_new_password_and_only_unchanged(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        to = stop_address(newest(server, ANN))
        await server.accept(server.mail(ANN, "change password ann correct-horse-1 another-word-9", ""))
        other = to.replace("u1-", "u1-2", 1) if "u1-1" in to else to.replace("u1-2", "u1-1")
        assert (await server.accept(server.mail("robot@mailer.example", "", "", other))).startswith("550")
        assert (await server.accept(server.mail("robot@mailer.example", "", "", to))).startswith("250")

    played(tmp_path, steps)


def test_a_forged_wish_of_somebody_quiet_is_answered_once_a_day(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await _sign_up(server, ["ann"])
        await server.accept(server.mail("ann@example.org", f"set ann {PASSWORDS['ann']} quiet on", ""))
        server.new_letters()
        for at in range(30):
            server.source = f"198.51.{at}.7"
            await server.accept(server.mail("ann@example.org", "unsubscribe", f"{at}"))
        letters = server.new_letters()
        assert [str(letter["Subject"]) for _, _, letter in letters] == ["No more letters"]

    serving(tmp_path, test)


def test_a_forged_from_silences_a_player_once_a_month(tmp_path: Path) -> None:
    """The address in an old letter never ends. The second time we ask, and the answer serves as often as the player
    wants."""

    async def steps(server: Server) -> None:
        to = stop_address(newest(server, ANN))

        def quiet() -> bool:
            sql = "SELECT value FROM preference WHERE name = 'quiet' AND player = 1"
            return server.db.execute(sql).fetchone() == ("on",)

        for number, expected in enumerate((True, False)):
            await server.accept(server.mail(ANN, "unsubscribe", f"{number}", to))
            assert quiet() == expected, number
            await server.accept(server.mail(ANN, "set ann correct-horse-1 quiet off", f"{number}"))
        server.new_letters()
        asked = next(one for one in reversed(server.letters[ANN]) if "Fewer letters" in str(one["Subject"]))
        await server.accept(server.reply(ANN, asked, "stop"))
        assert quiet()

    played(tmp_path, steps)


def test_nobody_is_silenced_without_a_word(tmp_path: Path) -> None:
    """Whoever has seen a letter knows the address, and could use up the answers of the hour first."""

    async def steps(server: Server) -> None:
        to = stop_address(newest(server, ANN))
        before = len(server.letters[ANN])
        for number in range(24):
            await server.accept(server.mail(f"eve@evil{number}.example", "no", "no", to))
        server.new_letters()
        assert not [postman.text(letter) for letter in server.letters[ANN][before:]]
        for number in range(30):
            await server.accept(server.mail(ANN, "games ann correct-horse-1", f"{number}"))
        await server.accept(server.mail("eve@evil.example", "unsubscribe", "", to))
        assert "No more letters" in str(newest(server, ANN)["Subject"])
        await server.accept(server.mail(ANN, "set ann correct-horse-1 quiet off", ""))
        asked = len(server.letters[ANN])
        for number in range(9):
            await server.accept(server.mail("eve@evil.example", "unsubscribe", f"{number}", to))
        server.new_letters()
        subjects = [str(letter["Subject"]) for letter in server.letters[ANN][asked:]]
        assert subjects.count("Fewer letters") == 1, "once a day"

    played(tmp_path, steps)


@pytest.mark.parametrize("how", ["unsubscribe ann correct-horse-1", "set ann correct-horse-1 quiet on", "program"])
def test_nobody_takes_an_offer_of_whoever_would_not_hear_of_it(how: str, tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        to = stop_address(newest(server, ANN))
        await server.accept(server.mail(ANN, "lambo seek ann correct-horse-1", ""))
        assert len(server.reception._reads.seeks()) == 1
        await server.accept(server.mail(ANN, "unsubscribe", "", to) if how == "program" else server.mail(ANN, how, ""))
        assert server.reception._reads.seeks() == []
        assert "Your letters are off" not in postman.text(newest(server, BOB))
        await server.accept(server.mail(ANN, "lambo seek ann correct-horse-1", ""))
        said = postman.text(newest(server, ANN))
        assert "set ann PASSWORD quiet off" in said and "you would not hear" in said
        assert server.reception._reads.seeks() == []
        await server.accept(server.mail(ANN, "palago challenge ann bob correct-horse-1", ""))
        assert "you would not hear that somebody accepts" in " ".join(postman.text(newest(server, ANN)).split())
        await server.accept(server.mail(ANN, "games ann correct-horse-1", ""))
        assert "Your letters are off" in postman.text(newest(server, ANN))
        await server.accept(server.mail(ANN, "set ann correct-horse-1 accept all yes", ""))
        await server.accept(server.mail(BOB, "lambo challenge bob ann battery-staple-2", ""))
        assert "The game begins when ann accepts" in postman.text(newest(server, BOB))

    played(tmp_path, steps)


@pytest.mark.parametrize(
    "how",
    [
        "unsubscribe ann correct-horse-1",
        "set ann correct-horse-1 quiet on",
        "signoff ann correct-horse-1",
        "delete",
        "program",
    ],
)
def test_nobody_accepts_a_challenge_of_whoever_would_not_hear_of_it(how: str, tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        to = stop_address(newest(server, ANN))
        await server.accept(server.mail(ANN, "lambo challenge ann bob correct-horse-1", ""))
        offered = newest(server, BOB)
        await server.accept(server.mail(BOB, "lambo challenge ann bob battery-staple-2", ""))
        assert "the challenge lapses after 14 days" in " ".join(postman.text(newest(server, ANN)).split())
        if how == "delete":
            await server.accept(server.mail(ANN, "delete ann correct-horse-1", ""))
            await server.accept(server.reply(ANN, newest(server, ANN), "delete"))
        else:
            await server.accept(
                server.mail(ANN, "unsubscribe", "", to) if how == "program" else server.mail(ANN, how, "")
            )
        said = [postman.text(letter) for _, _, letter in server.new_letters() if letter["To"] == BOB]
        assert sum("has taken this challenge back" in one for one in said) == 1
        await server.accept(server.reply(BOB, offered, "accept"))
        assert "make a new one" in postman.text(newest(server, BOB))
        states = [game.state for game in server.reception._reads.games_of(2, ("offered", "declined"))]
        assert sorted(states) == (["declined", "declined"] if how == "delete" else ["declined", "offered"])

    played(tmp_path, steps)


def test_the_challenges_of_others_do_not_count_as_ones_own(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        await server.accept(server.mail(ANN, "lambo challenge ann bob correct-horse-1", ""))
        await server.accept(server.mail(ANN, "lambo challenge ann bob", ""))
        await server.accept(server.mail(BOB, "palago challenge bob ann", ""))
        assert "Palago" in postman.text(newest(server, BOB))
        await server.accept(server.mail(BOB, "mambo challenge bob ann", ""))
        assert "1 challenges waiting" in postman.text(newest(server, BOB))

    played(tmp_path, steps)


def test_who_signs_up_with_a_tag_answers_without_it(tmp_path: Path) -> None:
    """Gmail writes ann@ as the From, whatever the letter was sent to."""
    tagged, bare, other = "carl+games@example.org", "carl@example.org", "eve@example.org"

    async def steps(server: Server) -> None:
        await server.accept(server.mail(bare, f"signup carl canary-horse-3 {tagged}", ""))
        await server.accept(server.reply(bare, newest(server, tagged), "yes"))
        await server.accept(server.mail(ANN, "lambo challenge ann carl correct-horse-1", ""))
        offer = newest(server, tagged)
        assert (await server.accept(server.reply(other, offer, "accept"))).startswith("550 ")
        assert (await server.accept(server.reply(bare, offer, "accept"))).startswith("250 ")
        await server.accept(server.mail(bare, "delete carl canary-horse-3", ""))
        await server.accept(server.reply(bare, newest(server, tagged), "delete"))
        assert "Your account is deleted" in str(newest(server, tagged)["Subject"])

    played(tmp_path, steps)


def test_who_has_signed_off_reads_so_in_every_answer(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        await server.accept(server.mail(ANN, "signoff ann correct-horse-1", ""))
        for asked in ("games", "show 1"):
            await server.accept(server.mail(ANN, asked, ""))
            said = postman.text(newest(server, ANN))
            assert "Your letters are off" in said and "a letter comes" not in said, asked
        await server.accept(server.mail(ANN, "set ann correct-horse-1 quiet off", ""))
        assert "Your letters are off" not in postman.text(newest(server, ANN))

    played(tmp_path, steps)


def test_no_game_begins_with_a_player_whom_no_letters_reach(tmp_path: Path) -> None:
    """All come back from the address, so that it is suspended."""

    async def steps(server: Server) -> None:
        await server.accept(server.mail(ANN, "lambo challenge ann bob correct-horse-1", ""))
        await server.accept(server.mail(ANN, "lambo seek ann correct-horse-1", ""))
        server.new_letters()
        sql = "UPDATE address SET state = 'suspended' WHERE player = 1"
        await server.writer.do(lambda store: store.db.execute(sql))
        await server.accept(server.mail(BOB, "accept 2 bob battery-staple-2", ""))
        assert "no letters reach ann" in postman.text(newest(server, BOB))
        await server.accept(server.mail(BOB, "take 1 bob battery-staple-2", ""))
        assert "There is no open offer 1" in postman.text(newest(server, BOB))

    played(tmp_path, steps)
