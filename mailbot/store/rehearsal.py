"""What a mail without proof costs must not depend on whose it is, so it is also done as somebody else would have sent
it, and undone.

Theory of operation. Such mails are done one at a time, at a fixed pace, on the thread that answers everybody
(store/unproved.py). Whoever pings the server meanwhile sees how long each one takes. So a mail from nobody's address is
done in the name of a stand-in. A mail about a board, or one that names players, is done as by one of these players and
as by somebody else; if the From is a player's, one of the two is done in earnest. The rest is rolled back, and the
shell writes the letters and throws them away. The address chooses the stand-in, by the server's key: whoever tries an
address again and again sees the same stand-in, and cannot know that it is one.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from mailbot.core.commands import BY_NAME
from mailbot.core.effects import Kind, Post
from mailbot.core.handle import asked_by
from mailbot.core.language.me import NAMED
from mailbot.core.mail.addresses import key
from mailbot.core.model import Player
from mailbot.core.world import Request
from mailbot.store import outbox
from mailbot.store.posting import Caused
from mailbot.store.reads import Reads
from mailbot.store.store import Store


class Rehearsed(NamedTuple):
    """A letter that goes to nobody. `size`, `kind`, `same`: as in the outbox. `whose`: for whom the caps count it."""

    row: outbox.Entry
    size: int
    kind: Kind
    same: str
    whose: str


def rehearsed(store: Store, request: Request, asker: int, number: int, *, held: bool = False) -> list[Rehearsed]:
    """The letters that the mail would have brought to others. `asker`: the player in whose name it is done, 0 for
    nobody. `number`: chooses the stand-in, the same for the same address. `held`: a cap held the answer back."""
    reads = Reads(store.db, store.catalogue)
    if all((row := BY_NAME.get(one.name)) and row.needs == "anyone" for one in request.asked):
        # It is done for anybody, but a stranger gets fewer answers than a player.
        others = {"outside": reads.stand_in(number, ()) if held and not asker else None}
    else:
        others = _others(request, asker, number, reads)
    letters: list[Rehearsed] = []
    for role, player in others.items():
        asked = tuple(one for said in request.asked if (one := asked_by(said, [player]))) if player else ()
        if player and asked:
            meant = replace(request, asked=asked, player=player.id, dedupe="")
            letters += _undone(store, f"{role} {key(request.sender)}", partial(store.enter, meant))
    return letters


def told(store: Store, post: Post, about: str, number: int, now: int, mark: str) -> list[Rehearsed]:
    """The letters of a notice that is for nobody, as somebody would have got them. `about`: for whom the caps count
    it."""
    player = Reads(store.db, store.catalogue).stand_in(number, ())
    if player is None:
        return []
    letter = post.letter._replace(facts={**post.letter.facts, "userid": player.userid})
    return _undone(store, about, lambda: store.tell(post._replace(player=player.id, letter=letter), now, mark))


def _others(request: Request, asker: int, number: int, reads: Reads) -> dict[str, Player | None]:
    """In whose name the mail is also done: one of those whom it is about, and somebody else."""
    inside = _inside(request, reads)
    here = any(one.id == asker for one in inside)
    outside = reads.stand_in(number, [one.id for one in inside]) if here or not asker else None
    chosen = inside[number % len(inside)] if inside and not here else None
    return {"inside": chosen, "outside": outside}


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


def _undone(store: Store, whose: str, do: Callable[[], Caused | None]) -> list[Rehearsed]:
    """Does it, keeps its letters, and takes everything back. What breaks here must not break the mail itself."""
    store.db.execute("SAVEPOINT rehearsal")
    try:
        caused = do()
        letters: list[Rehearsed] = []
        for one in caused.letters if caused else ():
            size, kind, same = store.db.execute("SELECT size, kind, same FROM outbox WHERE id = ?", (one,)).fetchone()
            letters.append(Rehearsed(outbox.entry(store.db, one), size, kind, same, whose))
        return letters
    except Exception:
        if not store.in_transaction:
            raise  # SQLite has given up the whole batch
        return []
    finally:
        if store.in_transaction:
            store.db.execute("ROLLBACK TO rehearsal")
            store.db.execute("RELEASE rehearsal")
