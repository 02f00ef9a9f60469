"""What a mail without proof costs must not depend on whose it is, so it is also done as somebody else would have sent
it, and undone.

Theory of operation. Such mails are done one at a time, at a fixed pace, on the thread that answers everybody
(store/unproved.py). Whoever pings the server meanwhile sees how long each one takes. So a mail from nobody's address is
done in the name of a stand-in. A mail about a board, or one that names players, is done as by one of these players and
as by somebody else; if the From is a player's, one of the two is done in earnest. The rest is rolled back, and the
shell writes the letters and throws them away. The address chooses the stand-in, by the server's key: whoever tries an
address again and again sees the same stand-in, and cannot know that it is one.
"""

from dataclasses import replace
from typing import NamedTuple

from mailbot.core.commands import BY_NAME
from mailbot.core.handle import asked_by
from mailbot.core.language.me import NAMED
from mailbot.core.model import Player
from mailbot.core.world import Request
from mailbot.store import outbox
from mailbot.store.reads import Reads
from mailbot.store.store import Store


class Rehearsed(NamedTuple):
    """A letter that goes to nobody. `size`: characters to tell and to draw, as for any letter in the outbox."""

    row: outbox.Entry
    size: int


def rehearsed(store: Store, request: Request, asker: int, number: int) -> list[Rehearsed]:
    """The letters that the mail would have brought to others. `asker`: the player in whose name it is done, 0 for
    nobody. `number`: chooses the stand-in, the same for the same address."""
    if all((row := BY_NAME.get(one.name)) and row.needs == "anyone" for one in request.asked):
        return []  # it is done for anybody
    reads = Reads(store.db, store.catalogue)
    letters: list[Rehearsed] = []
    for player in _others(request, asker, number, reads):
        asked = tuple(one for said in request.asked if (one := asked_by(said, [player])))
        if asked:
            letters += _undone(store, replace(request, asked=asked, player=player.id, dedupe=""))
    return letters


def _others(request: Request, asker: int, number: int, reads: Reads) -> list[Player]:
    """In whose name the mail is also done."""
    inside = _inside(request, reads)
    here = any(one.id == asker for one in inside)
    outside = reads.stand_in(number, [one.id for one in inside]) if here or not asker else None
    chosen = inside[number % len(inside)] if inside and not here else None
    return [one for one in (chosen, outside) if one]


def _inside(request: Request, reads: Reads) -> list[Player]:
    """The players of the board that the mail is about, or else those whom it names."""
    game = reads.game(min(request.boards)) if request.boards else None
    if game:
        found = [reads.player(one) for one in (game.player1, game.player2)]
    else:
        said = [word for one in request.asked for slot in NAMED for word in _words(one.args.get(slot))]
        found = [reads.player_named(word) for word in said[:2]]
    return [one for one in found if one and one.id > 0]


def _words(said: object) -> list[str]:
    return [str(one) for one in (said if isinstance(said, tuple | list) else [said]) if one]


def _undone(store: Store, request: Request) -> list[Rehearsed]:
    """Does it, keeps its letters, and takes everything back. What breaks here must not break the mail itself."""
    store.db.execute("SAVEPOINT rehearsal")
    try:
        caused = store.enter(request)
        letters = caused.letters if caused else []
        sql = "SELECT size FROM outbox WHERE id = ?"
        return [Rehearsed(outbox.entry(store.db, one), store.db.execute(sql, (one,)).fetchone()[0]) for one in letters]
    except Exception:
        if not store.in_transaction:
            raise  # SQLite has given up the whole batch
        return []
    finally:
        if store.in_transaction:
            store.db.execute("ROLLBACK TO rehearsal")
            store.db.execute("RELEASE rehearsal")
