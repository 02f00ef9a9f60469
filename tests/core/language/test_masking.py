"""Which words of a line may be repeated, and which of a player's words are hidden from another."""

import re
from difflib import get_close_matches
from itertools import permutations
from pathlib import Path

import pytest

from engine.hex.variants import CATALOGUE
from mailbot.core.commands import ROWS
from mailbot.core.language import typed
from mailbot.core.language.courtesy import passed_on
from mailbot.core.language.masking import Masking, Names, password_trouble
from mailbot.core.language.passed import OPERATOR_LINES, for_operator, without_passwords
from mailbot.core.language.script import read
from mailbot.core.language.table import Command
from mailbot.core.operator import orders

GAMES = CATALOGUE.words()
NAMES = Names(frozenset({"ann", "annabella"}), lambda name: name in ("christopher", "maximilian"), "maximilian".__eq__)

LINES = [
    # a line as typed, and as it may be shown
    ("games ann correct-horse-1", "games ann ********"),
    ("correct-horse-1 games ann", "******** games ann"),
    ("frobnicate 1 ann secret", "******** 1 ann secret"),
    ("games annabella christopher maximilian", "games annabella ******** maximilian"),
    ("challenge ann challange", "challenge ann ********"),
    ("lambo challenge -must_contain -eat_size=3 ann bob", "lambo challenge -must_contain -eat_size=3 ann bob"),
    ("lambo challenge -nagtime=3 ann bob", "lambo challenge -nagtime=3 ann bob"),
    ("lambo challenge --forfeittime=14 ann bob", "lambo challenge -********=14 ann bob"),
    ("lambo challenge -size=correct-horse ann bob", "lambo challenge -size=******** ann bob"),
    ("preview 1 a100,b101 c9,c10#12", "preview 1 a100,b101 c9,c10#12"),
    ("show 12345678", "show ********"),
    ("add ann correct-horse-1 x@example.org", "add ann ******** ********"),
    ("set ann correct-horse-1 board sideways", "set ann ******** board ********"),
    ("correct-horse-1", "********"),
    ("set ann correct-horse-1 timezone Europe/Berlin", "set ann ******** timezone Europe/Berlin"),
    ("set ann correct-horse-1 timezone America/Argentina/Salta", "set ann ******** timezone America/Argentina/Salta"),
    ("set ann correct-horse-1 timezone Nowhere/Berlin", "set ann ******** timezone ********"),
    ("help tutorial, please", "help tutorial, please"),
    ("games ann (correct-horse-1),", "games ann ********"),
]


@pytest.mark.parametrize(("line", "shown"), LINES)
def test_a_line_that_is_repeated(line: str, shown: str) -> None:
    (command,) = read(line, "", "", ROWS, GAMES, NAMES).commands
    assert command.line == shown


ARGS = [
    ("games christopher nobodythere maximilian", {"userid": ("christopher", "********", "maximilian")}),
    ("games christopher Christopher", {"userid": ("christopher",)}),
    ("games nobodythere nobodythere bob bob", {"userid": ("********", "bob", "bob")}),
    ("help challange", {"topic": ("challenge",)}),
    ("help correct-horse-1", {"topic": ("********",)}),
    ("list mamboa palago", {"game": ("mamboa", "palago")}),
    ("mamba list", {"game": ("mambo -mamba",)}),
    ("preview 1 christopher maximilian a1", {"board": "1", "move": ("********", "maximilian", "a1")}),
    ("signup nobodythere", {"userid": "nobodythere", "address": ()}),
]


@pytest.mark.parametrize(("line", "args"), ARGS)
def test_what_a_handler_gets(line: str, args: dict[str, object]) -> None:
    (command,) = read(line, "", "", ROWS, GAMES, NAMES).commands
    assert {slot: said for slot, said in command.args.items() if slot in args} == args


def test_a_long_line_asks_only_for_a_few_userids() -> None:
    asked: list[str] = []
    names = Names(frozenset(), lambda name: bool(asked.append(name)), lambda name: bool(asked.append(name)))
    line = f"games {' '.join(f'userid{number:05}' for number in range(5000))}"
    read(line, "", "", ROWS, GAMES, names)
    assert 0 < len(asked) < 50


OPTIONS = [
    "lambo challenge ann bob --nagtime=3 --forfeittime=14",
    "lambo challenge ann bob -nagtime=3",
    "lambo challenge --must-contain ann bob",
    "lambo challange bob ann --nagtime=3",
    "lambo seek ann --nagtime=3",
    "move 1 ann --nagtime=3 a1",
]


@pytest.mark.parametrize("line", OPTIONS)
def test_an_option_is_no_password(line: str) -> None:
    assert [command.password for command in read(line, "", "", ROWS, GAMES, NAMES).commands] == [""]


MOVES = ["*b14,a33*", "**b14,a33**", "_b14,a33_", "*b14, a33*", "*b14,a33*.", "*b14 , a33*!", "b14,a33"]


@pytest.mark.parametrize("said", MOVES)
def test_a_move_in_bold_is_the_move(said: str) -> None:
    assert read("", said, "p", ROWS, GAMES).commands == (Command("move", args={"move": "b14,a33"}, line="b14,a33"),)


@pytest.mark.parametrize("line", ["*move 1 ann PW b14,a33*", "move 1 ann PW *b14,a33*", "_move 1 ann PW b14, a33_"])
def test_a_command_in_bold_is_the_command(line: str) -> None:
    (command,) = read("", line.replace("PW", "*_odd_*pw1"), "", ROWS, GAMES).commands
    assert (command.args["move"], command.password) == ("b14,a33", "*_odd_*pw1")


TRAVEL = [
    "See you tomorrow",
    "See you https://example.org/a-long-path?q=1",
    "See you <b>soon</b>",
    "Seek happiness elsewhere",
    "Message received yesterday evening",
    "Set everything straight",
    "Block everybody tomorrow",
    "Take care, christopher!",
    "Write to christopher.long@example.org, or see https://example.org/games",
    "*b14,a33* was beautiful",
    "Games are wonderful",
    "Moving on: next wednesday I am away",
    "Delete everything afterwards",
    "show 12345678",
    "please remember: 12 people came yesterday",
    "- Christopher and Maximilian, yesterday, won.",
    "Subject: something else altogether",
    "ann somebody-else, see https://example.org/ann/12345678",
    "They call me wonderful; ann wondered, too",
    "Beautiful move, ann",
    "Beautiful move b4!",
    "Wonderful, b4! ann",
    "ok 12 tomorrow",
    "Ok tomorrow, ann",
    "Yes, perfectly fine by me, ann",
    "no message yesterday from bob",
    "at 12 tomorrow, ann",
    "12 beautiful moves",
    "tell ann https://example.org/12345 or ann.other1@example.org",
    "Rematch tomorrow?",
    "Rematch tomorrow.",
    "Challenge accepted!",
    "Hint appreciated, thanks!",
    "Vacation tomorrow!\nNo move tomorrow.",
    "lambo well-played",
    "Vacation until 24.12.2026",
    "Return on 03.01.2027.",
    "b4 well-played",
    "Lambo is wonderful",
    "a2,a3 beautiful",
    "I will pass tomorrow",
]


@pytest.mark.parametrize("line", TRAVEL)
def test_words_that_travel(line: str) -> None:
    assert without_passwords(f"Hello!\n{line}", ROWS, GAMES, NAMES, ["correct-horse-1"]) == f"Hello!\n{line}"


PLAIN, ODD = "canarystaple", "canary-horse-1"
"""A password that might be a word, and one that can only be a password."""

WITHOUT_THE_OWN_NAME = [
    "lambo challenge bob {}",
    "new game: lambo challenge bob {}",
    "lambo challenge -unrated {}",
    "challenge bob {}",
    "lambo rematch {}",
    "lambo seek {}",
    "mambo challenge uct3 {}",
    "rematch {}",
    "games {}",
    "message bob {}",
    "lambo challenge christopher {}",
    "block bob {}",
    "set quiet on {}",
    "unsubscribe {}",
    "signoff {}",
    "lambo move {} a2,a3",
    "contrasena: {}",
    "пароль: {}",
    "密码：{}",
    "pass: {}",
]


@pytest.mark.parametrize("line", [*WITHOUT_THE_OWN_NAME, "a2,a3 {}", "lambo {}"])
@pytest.mark.parametrize("password", [PLAIN, ODD])
def test_a_command_without_the_writers_name_keeps_its_password(line: str, password: str) -> None:
    """As the answer to a game that is over it is words for the opponent."""
    assert "tomorrow" in without_passwords("Games tomorrow\nNot tomorrow.", ROWS, GAMES, NAMES), "in that line only"
    names = NAMES._replace(exists=("bob", "christopher").__contains__)
    said = passed_on(without_passwords(f"Hello!\n{line.format(password)}", ROWS, GAMES, names))
    assert (password in said) == (password == PLAIN and line not in WITHOUT_THE_OWN_NAME)


FILLED = {
    "board": "12", "n": "12", "userid": "ann", "userid1": "ann", "userid2": "bob", "toUserid": "bob", "choice": "yes",
    "otherUserid": "bob", "address": "x@example.net", "ask": "undo", "none": "none", "plan": "a9", "more": "b10",
    "filter": "all", "move": "b4", "setting": "digest", "old": "PW", "password": "PW", "new": "another-word-7",
    "when": "14", "time": "3d", "act": "start", "create": "create", "replace": "replace", "result": "result",
    "timing": "time", "drawn": "film", "withdrawal": "withdraw", "title": '"Autumn Cup"', "verdict": "draw",
}  # fmt: skip
COMMANDS = sorted(
    f"{row.name}: {form}" for row in ROWS for form in row.forms if {"password", "old"} & set(form.split())
)


@pytest.mark.parametrize("names", [NAMES, Names(unproved=True)], ids=["ann writes", "nobody knows who writes"])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_order_of_the_words_of_a_command_shows_the_password(command: str, names: Names) -> None:
    """The command word in front, at the end and between, too. If the userid, the number or a move is left out, a
    password that might be a word is told from prose only where the command stands in front."""
    name, _, form = command.partition(": ")
    filled = [FILLED[slot.rstrip("*+")] for slot in form.split()]
    for left in ("", "ann", "12", "b4", "a9"):
        if left and left not in filled:
            continue
        orders = list(permutations([name, *(word for word in filled if word != left)]))
        for number, order in enumerate(orders[:: 1 + len(orders) // 500]):
            line = ("{}", "- {}.", "Please {}")[number % 3].format((" ", ", ")[number % 2].join(order))
            for password in (ODD, PLAIN) if not left or (order[0] == name and number % 3 == 0) else (ODD,):
                said = line.replace("PW", password)
                if left == "ann" and ("12" not in filled or order[0] != name):
                    continue
                assert password not in without_passwords(f"Hello!\n{said}", ROWS, GAMES, names), said
                assert password not in for_operator(f"From: x\n\nHello!\n{said}", ROWS, GAMES), said


STAY = [
    ("move 12 ann correct-horse b1", "move 12 ann ******** b1"),
    ("mvoe 12 ann correct-horse b1", "mvoe 12 ann ******** b1"),
    ("lambo move 12 bob correct-horse b1 c2 d3", "lambo move 12 bob ******** b1 c2 d3"),
    ("12 bob correct-horse-1 b1", "12 bob correct-horse-1 b1"),
    ("xyz 12 bob correct-horse-1 b1", "xyz 12 bob ******** b1"),
    ("signoff ann passwordword", "signoff ann ********"),
    ("games ann correct-horse\nresign 3 bob correct-horse", "games ann ********\nresign 3 bob ********"),
    ("change password ann correct-horse other-zebra", "change password ann ******** ********"),
    ("signup carl wonderful", "signup carl ********"),
    ("seek carl wonder-ful-7", "seek carl ********"),
    ("1 ann correct-horse b4", "1 ann ******** b4"),
    ("1 me correct-horse b4", "1 me ******** b4"),
    ("ann correct1horse", "ann ********"),
    ("ann correct-horse b4 c5", "ann ******** b4 c5"),
    ("my login is: ann correct1horse.", "my login is: ann ********"),
    ("games ann correct1horse", "games ann ********"),
    ("games ann wonderful", "games ann ********"),
    ("history 12 wonderful", "history 12 ********"),
    ("move 1 ann p@ssw0rd! b4", "move 1 ann ******** b4"),
    ("move 1 p@ssw0rd! ann b4", "move 1 ******** ann b4"),
    ("move 12, ann, correct-horse, b4", "move 12, ann, ******** b4"),
    ("- move 12 bob correct-horse b4", "- move 12 bob ******** b4"),
    ("1) move 12 bob correct-horse b4", "1) move 12 bob ******** b4"),
    ("please move 12 bob correct-horse b4", "please move 12 bob ******** b4"),
    ("Subject: move 12 bob correct-horse b4", "Subject: move 12 bob ******** b4"),
    ("I meant: move 12 bob correct-horse b4", "I meant: move 12 bob ******** b4"),
    (
        "It is correct-horse-1, see https://example.org/correct-horse-1",
        "It is ********, see https://example.org/********",
    ),
]


@pytest.mark.parametrize(("text", "shown"), STAY)
def test_words_that_are_hidden(text: str, shown: str) -> None:
    used = ["correct-horse-1"] if "It is" in text else []
    assert without_passwords(text, ROWS, GAMES, NAMES, used) == shown


def test_a_mail_for_the_operator() -> None:
    mail = "From: x@example.org\n\ngames ann correct-horse-1\nSomebody cheats wonderfully.\nlist ann correct-horse-1"
    kept = "From: x@example.org\n\ngames ann ********\nSomebody cheats wonderfully.\nlist ann ********"
    assert for_operator(mail, ROWS, GAMES) == kept
    assert for_operator("From: x\n\n", ROWS, GAMES) == "From: x\n\n"


OPERATOR = [
    ("1 ann correct-horse b4", "1 ann ******** b4"),
    ("ann correct1horse", "ann ********"),
    ("games carl (wonderful)", "games carl ********"),
    ("history 2 wonderful", "history 2 ********"),
    ("- move 12 ann correct-horse b4", "- move 12 ann ******** b4"),
    ("Kennwort: correct-horse", "Kennwort: ********"),
    ("it is lusab-babad-gutih-tugad", "it is ********"),
    ("Somebody cheats in board 12, see https://example.org/12345678", None),
]


@pytest.mark.parametrize(("line", "kept"), OPERATOR)
def test_a_line_for_the_operator(line: str, kept: str | None) -> None:
    assert for_operator(f"From: x\n\nHello\n{line}", ROWS, GAMES) == f"From: x\n\nHello\n{kept or line}"


@pytest.mark.parametrize("password", ["a1,b2,c3", "b1234567", "12345678", "swap#1234", "NEWPASSWORD", "password"])
def test_what_an_answer_may_repeat_is_no_password(password: str) -> None:
    assert password_trouble("ann", password)


def test_a_long_mail_to_the_operator_is_cut() -> None:
    """Each line costs a quarter of a millisecond, and anybody can send two thousand."""
    kept = for_operator("From: x\n\n" + "abcdefg1 1\n" * 2000, ROWS, GAMES)
    assert kept.count("\n") <= OPERATOR_LINES + 1


@pytest.mark.parametrize(
    "text",
    [
        "forgot ann correct-horse-1",
        "forgot ann\nmy password was correct-horse-1",
        "games\n\ncorrect-horse-1",
        "correct-horse-1",
    ],
)
def test_a_text_that_no_command_takes_is_left_out(text: str) -> None:
    """It would be stored while the mail waits, and nobody would ever get it."""
    for subject, body in (("", text), text.split("\n", 1) if "\n" in text else (text, "correct-horse-1")):
        script = read(subject, body, "", ROWS, GAMES, NAMES)
        assert "correct-horse-1" not in repr(script)


@pytest.mark.parametrize("page", [*Path("templates/help").glob("*.txt"), *Path("docs").glob("*.md")], ids=str)
def test_every_option_of_the_help_pages_is_read(page: Path) -> None:
    masking = Masking(ROWS, CATALOGUE.words())
    options = [word.rstrip(".,;:") for word in re.findall(r"(?<![\w-])-[a-z_]+=[^\s`|)\"]+", page.read_text())]
    assert [masking.word(word) for word in options] == options


def test_an_order_with_thousands_of_words_is_masked_as_a_whole() -> None:
    """One after the other they would take the square of their number."""
    few = [f"canary{number}x" for number in range(orders.MOST - 1)]
    many = [*few, *(f"canary{number}y" for number in range(5000))]
    for words in (few, many):
        shown = orders.masked(
            f"admin canary-0 show\nadmin x {' '.join(words)}\nI said canary3x, and no more.\n{words[-1]}z"
        )
        assert "canary" not in shown and shown.startswith("admin ******** show\n")
        assert shown.endswith("z" if words is few else "********") and "and no more" in shown


def test_an_unknown_writers_password_beside_any_name_is_hidden() -> None:
    """Until a mail without proof is done, its words lie in the database."""
    unknown = Names(unproved=True)
    assert "canary" not in without_passwords("carl canary-word-1", ROWS, GAMES, unknown)
    assert without_passwords("carl plays well, as ever", ROWS, GAMES, unknown) == "carl plays well, as ever"


def test_slips_are_looked_up_only_so_often_and_no_password_is_shown_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes a tenth of a millisecond on the thread that answers everybody."""
    asked: list[str] = []

    def counted(said: str, *more: object) -> list[str]:
        asked.append(said)
        return get_close_matches(said, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(typed, "get_close_matches", counted)
    lines = [f"tournam{number}nt sign{number} 12" for number in range(90)]
    shown = without_passwords(
        "\n".join([*lines, "resing 12 ann canary-word-1", "See you in 2027, dear ann!"]), ROWS, GAMES
    )
    assert len(asked) <= typed.MAX_SLIPS
    assert "canary" not in shown
    assert "See you in 2027, dear ann!" in shown
