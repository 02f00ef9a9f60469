"""Playing by mail through Postfix both ways, and mail that nobody wrote."""

import json
import smtplib
from datetime import UTC, datetime

from mailbot.shell.console import postman
from tests.prove.operating import programs
from tests.prove.operating.games import SEED, begin_game, sign_up, turn
from tests.prove.operating.internet import GAMES, MX
from tests.prove.operating.machines import until
from tests.prove.operating.trial import HOME, OFFICE, Trial, expect, journal, waiting, well


def help_letter(trial: Trial) -> str:
    """`help` from another provider: SPF, DKIM and DMARC."""
    eve = trial.person("eve@example.net", OFFICE)
    eve.write("help")
    letter = eve.next("help|Help")
    told = " ".join(str(one) for one in letter.get_all("Authentication-Results", []))
    expect(told, r"dkim=pass", r"dmarc=pass")
    expect(str(letter["Received-SPF"]), "^Pass")
    expect(" ".join(letter.get_all("Received")), r"TLS|ESMTPS")
    return "spf=pass, dkim=pass, dmarc=pass at the receiver; TLS on the way"


def sign_up_to_win(trial: Trial) -> str:
    """From sign-up to a win through Postfix both ways, each move by another kind of mail program."""
    ann, bob = trial.person("ann@example.com"), trial.person("bob@example.net", OFFICE)
    for one in (ann, bob):
        sign_up(one)
    game = begin_game(trial, ann, bob, SEED)
    for ply, way in enumerate(programs.WAYS):
        turn(trial, ply, way)
    words = "".join(postman.text(letter) for one in (ann, bob) for letter in one.letters())
    expect(
        words,
        r"looked\s+(?:\| )?even\s+(?:\| )?worse\s+(?:\| )?to\s+(?:\| )?me",
        "Grüße aus Köln",
        "π ≈ 3.14",
        r"is\s+(?:\| )?mine!",
    )
    for one in (ann, bob):
        one.next("won|lost|wins")
        numbers = [str(letter["Message-ID"]) for letter in one.letters()]
        assert len(numbers) == len({*numbers}), "a letter came twice"
    expect(trial.ours.run(f"sudo -u mailbot mailbot admin show {game.board}"), "won|wins|over")
    said = ", ".join(way.__name__.replace("_", " ") for way in programs.WAYS)
    return f"{len(game.moves)} plies: {said}; every letter comes once"


def smtputf8(trial: Trial) -> str:
    """SMTPUTF8: a sender whose address is not ASCII."""
    jurgen, before = trial.person("jürgen@example.net"), journal(trial).count("taken: help")
    mail = postman.write("jurgen@example.net", GAMES, "help", "", datetime.now(UTC))
    raw = mail.as_bytes().replace(b"From: jurgen@", "From: jürgen@".encode())

    with smtplib.SMTP(MX, 25, local_hostname="laptop.example.com", source_address=(HOME, 0), timeout=60) as smtp:
        smtp.ehlo()
        smtp.command_encoding = "utf-8"
        code, said = smtp.docmd("MAIL", f"FROM:<{jurgen.address}> SMTPUTF8 BODY=8BITMIME")
        assert code == 250, said
        assert smtp.rcpt(GAMES)[0] == 250
        assert smtp.data(raw)[0] == 250
    until(lambda: journal(trial).count("taken: help") > before, "the mail to be done")
    until(lambda: not waiting(trial.internet.machine) and not waiting(trial.ours), "the queues to be empty")
    log = trial.ours.run("journalctl -u 'postfix*' -o cat --no-pager")
    expect(log, r"from=<j.*example\.net>", r"status=sent \(250")
    assert not jurgen.letters(), "a bounce or an answer went to an address that is not ASCII"
    return "taken and judged; no bounce (such an address cannot be a player's)"


def vacation(trial: Trial) -> str:
    """Automatic replies: RFC 3834 to the return path, and a rude one to Reply-To with a move in it."""
    ann, bob = trial.people["ann"], trial.people["bob"]
    begin_game(trial, ann, bob, SEED)
    letter = turn(trial, 0)
    move = trial.plays[-1].moves[1]
    back = str(letter["Return-Path"]).strip("<>")
    expect(back, r"bounce\+")
    count, before = len(bob.letters()), journal(trial).count("dropped: precedence")
    polite = {"Auto-Submitted": "auto-replied", "Content-Type": "text/plain"}
    head = "".join(f"{name}: {value}\r\n" for name, value in [*programs.reply(bob, letter), *polite.items()])
    bob.post(head.encode() + f"\r\n{move}\r\n\r\nI am away.\r\n".encode(), sender="", to=back)
    programs.send(bob, letter, {"Precedence": "bulk", "X-Autoreply": "yes"}, f"{move}\r\n\r\nI am away.\r\n".encode())
    until(lambda: "reported on: no code" in journal(trial), "the polite one to be taken for no failure")
    until(lambda: journal(trial).count("dropped: precedence") > before, "the rude one to be dropped")
    turn(trial, 1)
    assert len(bob.letters()) <= count + 1, "an automatic reply was answered"
    return "nothing is played, nobody is answered, no address counts as dead; the game goes on"


def delay_notice(trial: Trial) -> str:
    """A notice from our Postfix that a letter is late."""
    ann, bob = trial.people["ann"], trial.people["bob"]
    trial.ours.run("postconf -e 'delay_warning_time = 1s'; postfix reload 2>&1")
    bob.write("games")
    until(
        lambda: "games" in journal(trial).splitlines()[-1] or not waiting(trial.internet.machine),
        "the mail to be taken",
    )
    trial.internet.machine.run("systemctl stop postfix")
    bob_asks = postman.write(bob.address, GAMES, f"show {trial.plays[-1].board}", "", datetime.now(UTC))
    (trial.ours.root / "var/tmp/mail").write_bytes(bob_asks.as_bytes())
    trial.ours.run(f"sendmail -f {bob.address} {GAMES} < /var/tmp/mail")

    def told() -> bool:
        trial.ours.run("postqueue -f")
        return "sender delay notification" in trial.ours.run("journalctl -u 'postfix*' -o cat --no-pager")

    until(told, "a delay notice")
    until(
        lambda: not [one for one in waiting(trial.ours) if "bounce+" in json.loads(one)["recipients"][0]["address"]],
        "mailbot to take it",
    )
    trial.internet.machine.run("systemctl start postfix")
    trial.ours.run("postconf -e 'delay_warning_time = 0h'; postfix reload 2>&1; postqueue -f")
    bob.next(f"Lambo {trial.plays[-1].board}|ply")
    bob.up_to_date()
    assert "suspended" not in trial.ours.run("sudo -u mailbot mailbot admin players"), (
        "a late letter counted as a failure"
    )
    well(trial)
    assert ann.letters()
    return "taken, and not counted as a failure; the letter arrives later"


def dead_mailbox(trial: Trial) -> str:
    """A mailbox that is no more: three bounces, a probe, suspension, and the way back."""
    ann, dora, you = (
        trial.person(f"{name}@{domain}")
        for name, domain in (("ann", "example.com"), ("dora", "example.com"), ("you", "example.org"))
    )
    sign_up(dora)
    trial.internet.without(dora.address)
    ann.up_to_date()
    for _ in range(3):
        ann.write(f"lambo challenge {ann.playing} {dora.playing} {ann.password}")
    told = you.next("dora")
    expect(journal(trial), "came back: 5.1.1")
    trial.internet.mailbox(dora.address)
    dora.up_to_date()
    dora.write(f"set {dora.playing} {dora.password}")
    dora.next("digest")
    log = trial.ours.run("journalctl -u 'postfix*' -o cat --no-pager")
    count = log.count("sender non-delivery notification")
    return f"{count} reports by Postfix; the operator reads: {told['Subject']}; a mail with the password ends it"
