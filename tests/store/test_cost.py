"""What a move may not cost the database."""

import pytest

from mailbot.core.games import course
from mailbot.core.model import Rated
from mailbot.core.world import Asked, Proofs, Request
from mailbot.store.reads import Reads
from mailbot.store.rows import put
from mailbot.store.store import Store

NOW = 1_770_000_000


def test_what_a_settled_rating_costs_does_not_grow_with_the_games(store: Store) -> None:
    """Whoever loses a hundred games a day to the computer must not make everybody's list of offers slow."""

    def steps() -> int:
        counted = [0]

        def count() -> int:
            counted[0] += 1
            return 0

        store.db.conn.set_progress_handler(count, 10)
        assert Reads(store.db).revocable(1, "lambo", NOW) == []
        store.db.conn.set_progress_handler(None, 0)
        return counted[0]

    before = steps()
    for number in range(1, 300):
        put(store.db, course.offered(number, "lambo", (1, 2), NOW, 3))
        put(store.db, Rated(number, number, "lambo", 1, 2, 1.0, NOW, 0, "", *[1500.0] * 8))
    assert steps() <= before + 5


@pytest.mark.parametrize("clock", ["none", "10d+2d/14d"])
def test_no_statement_of_a_move_fills_a_table_of_its_own(store: Store, clock: str) -> None:
    """SQLite does that for an IN with several values. It takes longer than the rest of such a statement."""
    game = course.begun(course.offered(1, "lambo", (1, 2), NOW, 3, clock=clock), 1, NOW)
    put(store.db, game)
    asked = Asked("move", args={"move": "a1"}, by=1, proof=Proofs.TOKEN)
    mail = Request(NOW + 60, (asked,), 1, "ann@example.org", "Hello!", dedupe="61" * 32, token=("p", 1, game.stamp))
    made: list[str] = []
    store.db.conn.set_trace_callback(made.append)
    Reads(store.db).holder(1, "ann@example.org")
    caused = store.enter(mail)
    store.db.conn.set_trace_callback(None)
    assert caused and len(caused.letters) == 2
    assert sum(sql.startswith("UPDATE game SET ply") for sql in made) == 1
    plans = {sql: [row[1] for row in store.db.execute(f"EXPLAIN {sql}")] for sql in made}
    assert [sql for sql, steps in plans.items() if "OpenEphemeral" in steps] == []
    assert all("Halt" in steps for steps in plans.values())
