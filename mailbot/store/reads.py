"""What handlers and the shell may ask of the database (mailbot.core.world.World)."""

from sqlite_utils import Database

from engine.variants import CATALOGUE, Catalogue
from mailbot.core.model import Address, AddressChange, Contact, Game, Move, Player
from mailbot.store.rows import one, some


class Reads:
    """The reads over one connection. `fresh` counts on from the table's last id, over ids handed out and unused."""

    def __init__(self, db: Database, catalogue: Catalogue = CATALOGUE, strangers: int = 0) -> None:
        self._db = db
        self._strangers = strangers
        self.catalogue = catalogue
        self._given: dict[str, int] = {}

    def player(self, player: int) -> Player | None:
        return one(self._db, Player, "id = ?", player)

    def player_named(self, userid: str) -> Player | None:
        return one(self._db, Player, "userid = ? AND state <> 'pending'", userid)

    def players_at(self, addr: str) -> list[Player]:
        return some(
            self._db,
            Player,
            "state = 'active' AND id IN (SELECT player FROM address WHERE addr = ? AND state = 'current') ORDER BY id",
            addr,
        )

    def addresses(self, player: int) -> list[Address]:
        return some(self._db, Address, "player = ? ORDER BY id", player)

    def address(self, address: int) -> Address | None:
        return one(self._db, Address, "id = ?", address)

    def change(self, change: int) -> AddressChange | None:
        return one(self._db, AddressChange, "id = ?", change)

    def contact(self, addr: str) -> Contact | None:
        return one(self._db, Contact, "addr = ?", addr)

    def strangers(self, now: int) -> int:
        sql = "SELECT count(*) FROM outbox WHERE kind IN ('signup', 'newcomer') AND created > ? AND state <> 'held'"
        return self._strangers - int(self._db.execute(sql, (now - 3600,)).fetchone()[0])

    def game(self, game: int) -> Game | None:
        return one(self._db, Game, "id = ?", game) if game < 1 << 62 else None

    def moves(self, game: int) -> list[Move]:
        return some(self._db, Move, "game = ? ORDER BY ply", game)

    def games_of(self, player: int, states: tuple[str, ...]) -> list[Game]:
        marks = ", ".join("?" * len(states))
        found = {
            game.id: game
            for column in ("player1", "player2")
            for game in some(self._db, Game, f"{column} = ? AND state IN ({marks})", player, *states)
        }
        return [found[number] for number in sorted(found)]

    def fresh(self, kind: str) -> int:
        row = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", [kind]).fetchone()
        self._given[kind] = max(self._given.get(kind, 0), row[0] if row else 0) + 1
        return self._given[kind]
