"""The page behind nginx and behind Caddy."""

import re
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import urlencode

from mailbot.shell.console import postman
from tests.prove.operating.documents import section
from tests.prove.operating.games import SEED, begin_game, turn
from tests.prove.operating.internet import Browser
from tests.prove.operating.machines import until
from tests.prove.operating.trial import GUESSERS, HOME, OFFICE, Play, Trial, journal, listening, well


def nginx(trial: Trial) -> str:
    """The page behind nginx, with the blocks of docs/web.md, the daemon in the sandbox of its unit."""
    trial.ours.run("apt-get install -y nginx 2>&1")
    for block in section("docs/web.md", "Turning it on"):
        trial.switch_on(block)
    trial.ours.run("sudo -u mailbot mailbot check-config; systemctl reset-failed mailbot; systemctl restart mailbot")
    for block in section("docs/web.md", "nginx"):
        trial.type(block)
    trial.ours.run("nginx -t 2>&1; systemctl reload nginx")
    return page(trial, "nginx", trial.place / "authority/cert.pem")


def caddy(trial: Trial) -> str:
    """The page behind Caddy, with the block of docs/web.md (its certificate from its own authority)."""
    trial.ours.run("systemctl disable --now nginx 2>&1; apt-get install -y caddy 2>&1")
    for block in section("docs/web.md", "Caddy"):
        trial.type(block)
    path = trial.ours.root / "etc/caddy/Caddyfile"
    path.write_text(path.read_text().replace("{\n", "{\n    local_certs\n    skip_install_trust\n", 1))
    trial.ours.run("caddy validate --config /etc/caddy/Caddyfile 2>&1; systemctl restart caddy")
    root = trial.ours.root / "var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt"
    until(root.exists, "Caddy's authority")
    return page(trial, "caddy", root)


def page(trial: Trial, front: str, authority: Path) -> str:
    """What is tried behind either server; what came of it."""
    trial.authority = authority
    stranger = Browser(GUESSERS[front], authority)
    until(stranger.reaches, "the page")
    assert stranger.get("/", Accept_Encoding="gzip").header("content-encoding") == "gzip"
    guess(trial, stranger)
    ann, bob = trial.people["ann"], trial.people["bob"]
    game = begin_game(trial, ann, bob, SEED)
    letter = ann.next("YOUR TURN: ply 1")
    ann.read -= 1
    link = turn_link(letter)
    trial.links.append(link.rpartition("/")[2])
    browser = Browser(HOME, authority)
    shown = browser.get(f"{link}?typed={game.moves[0]}")
    assert "NOTHING HAS BEEN PLAYED YET" in shown.words, shown.words[:300]
    done = browser.fill(shown, link)
    trial.ours.run("systemctl kill --kill-whom=main --signal=KILL mailbot")
    assert done.status == 303, done.words
    listening(trial)
    until(stranger.reaches, "the page again")
    bob.next(rf"ann played {re.escape(game.moves[0])}")
    bob.read -= 1
    ann.next(f"You played {re.escape(game.moves[0])}")
    watch(trial, game, stranger)
    me = Browser(OFFICE, authority)
    assert me.fill(me.get("/login"), "/login", name="bob", password=bob.password).status == 303
    assert "bob" in me.get("/me").words
    # While mailbot is down the server in front has something to complain about, but not with the link.
    trial.ours.run("systemctl stop mailbot")
    assert browser.get(link).status in (502, 503)
    trial.ours.run("systemctl reset-failed mailbot; systemctl start mailbot")
    listening(trial)
    well(trial)
    for secret in trial.links:
        search = f"journalctl -o cat --no-pager | grep -c {secret}; grep -rl {secret} /var/log --exclude-dir=journal"
        found = [line for line in trial.ours.run(f"({search}) || true").split() if line != "0"]
        assert not found, f"the link of a letter is in a log: {found}"
    return (
        "pages come packed; guesses count for the browser's network, whatever it claims; a new move reaches who "
        "watches; kill -9 right after the answer to a POST: the move stands, its letters come once; the link of the "
        "letter is in no log"
    )


def guess(trial: Trial, stranger: Browser) -> None:
    """Wrong passwords count for the network of the browser, whatever it says of itself."""
    for lie in ({}, {"X_Forwarded_For": "203.0.113.77"}):
        form = stranger.get("/login").form("/login")
        typed = form.fields | {"name": "ann", "password": "wrong-word-1"}
        own = {"Content_Type": "application/x-www-form-urlencoded", "Origin": f"https://{stranger.host}"}
        assert stranger.ask("POST", "/login", urlencode(typed).encode(), **own, **lie).status != 303
    said = f"wrong password from {stranger.network}"
    until(lambda: journal(trial).count(said) >= 2, "both guesses to be counted for their network", 20)
    assert "203.0.113.77" not in journal(trial)


def turn_link(letter: EmailMessage) -> str:
    """The link by which a letter's turn can be played."""
    found = re.search(r"https://games\.example\.org(/turn/\S+)", postman.text(letter))
    assert found, postman.text(letter)
    return found[1]


def watch(trial: Trial, game: Play, browser: Browser) -> None:
    """A new move reaches somebody who watches, at once."""
    connection, events = browser.open("GET", f"/board/{game.board}/live", Accept="text/event-stream")
    turn(trial, 1, game=game)
    lines = [events.readline() for _ in range(8)]
    assert any(b"data:" in line for line in lines), lines
    connection.close()
