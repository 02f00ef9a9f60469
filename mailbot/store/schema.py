"""The tables, as numbered migrations. The newest are in changes.py. Never edit a released one."""

import json
import re
from typing import Any

from sqlite_utils import Database, Migrations

from mailbot.store.first import FIRST

migrations = Migrations("mailbot")


@migrations(name="0001_first")
def first(db: Database) -> None:
    """Issue 2: players, games, the outbox."""
    for statement in FIRST.split(";\n"):
        if statement.strip():
            db.execute(statement)


@migrations(name="0002_marks")
def marks(db: Database) -> None:
    """Which mail caused a letter, and what a mail that has been done was about (`mailbot admin find`)."""
    for column in ("mark", "about", "boards"):
        db.execute(f"ALTER TABLE seen ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE outbox ADD COLUMN cause TEXT NOT NULL DEFAULT ''")


@migrations(name="0003_names_stamps_sources")
def names_stamps_sources(db: Database) -> None:
    """Marks of userids that nobody may have yet; reply tokens that an undo does not revive; and which network wrote to
    the operator."""
    db.execute("CREATE TABLE retired (mark BLOB PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID")
    db.execute("ALTER TABLE game ADD COLUMN taken_back INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE operator_mail ADD COLUMN source TEXT NOT NULL DEFAULT ''")


@migrations(name="0004_caps")
def caps(db: Database) -> None:
    """A letter over its cap leaves a count and no facts; letters beyond a cap wait for the digest; an address may be
    asked for its consent again after a while."""
    db.execute(
        "CREATE TABLE withheld (day INTEGER NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL,"
        " PRIMARY KEY (day, kind)) STRICT, WITHOUT ROWID"
    )
    db.execute(
        "INSERT INTO withheld (day, kind, count)"
        " SELECT created / 86400, kind, count(*) FROM outbox WHERE state = 'held' GROUP BY 1, 2"
    )
    db.execute("DELETE FROM outbox WHERE state = 'held'")
    db.execute(
        "CREATE TABLE deferred (player INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE,"
        " by INTEGER NOT NULL, since INTEGER NOT NULL, count INTEGER NOT NULL, boards TEXT NOT NULL,"
        " words TEXT NOT NULL, PRIMARY KEY (player, by)) STRICT, WITHOUT ROWID"
    )
    db.execute("ALTER TABLE contact ADD COLUMN last INTEGER NOT NULL DEFAULT 0")
    db.execute("UPDATE contact SET last = unixepoch()")
    db.execute("DROP INDEX outbox_strangers")


@migrations(name="0005_unproved")
def unproved(db: Database) -> None:
    """Mails that prove nothing wait for their turn, and so do letters about what somebody tried (store/unproved.py)."""
    db.execute(
        "CREATE TABLE unproved (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, player INTEGER NOT NULL,"
        " key TEXT NOT NULL, request TEXT NOT NULL) STRICT"
    )


@migrations(name="0006_counted_once")
def counted_once(db: Database) -> None:
    """Which letters have come back, and the network of each mail that waits for its turn."""
    db.execute("ALTER TABLE outbox ADD COLUMN returned INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE unproved ADD COLUMN source TEXT NOT NULL DEFAULT ''")
    db.execute("CREATE INDEX unproved_source ON unproved (source)")


@migrations(name="0007_pictures")
def pictures(db: Database) -> None:
    """Which pictures go along with a letter, decided before its first try (store/hung.py)."""
    db.execute("CREATE TABLE picture (key TEXT PRIMARY KEY, content BLOB NOT NULL, at INTEGER NOT NULL) STRICT")
    db.execute("CREATE INDEX picture_at ON picture (at)")
    db.execute("ALTER TABLE outbox ADD COLUMN pictures TEXT NOT NULL DEFAULT ''")


@migrations(name="0008_sealed")
def sealed(db: Database) -> None:
    """A letter keeps the token epoch of its time, and the seed of a password at one place; and how long it will be.
    And since when a key no longer proves anything."""
    db.execute("ALTER TABLE outbox ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE outbox ADD COLUMN nonce TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE outbox ADD COLUMN size INTEGER NOT NULL DEFAULT 0")
    db.execute("UPDATE outbox SET epoch = coalesce((SELECT token_epoch FROM player WHERE id = outbox.player), 0)")
    db.execute("UPDATE outbox SET size = length(facts)")
    db.execute("ALTER TABLE secret ADD COLUMN ended INTEGER NOT NULL DEFAULT 0")
    sql = "SELECT id, state, facts FROM outbox WHERE facts LIKE '%\"nonce\":%'"
    for letter, state, text in db.execute(sql).fetchall():
        seeds: list[str] = []
        facts = json.dumps(_without_seeds(json.loads(text), seeds))
        nonce = "".join(seeds[:1]) if state == "waiting" else ""
        db.execute("UPDATE outbox SET facts = ?, nonce = ? WHERE id = ?", (facts, nonce, letter))


def _without_seeds(facts: Any, seeds: list[str]) -> Any:
    """The facts with `true` in the place of each seed; the seeds are put into the list."""
    if isinstance(facts, list):
        return [_without_seeds(one, seeds) for one in facts]
    if not isinstance(facts, dict):
        return facts
    if seed := facts.get("nonce"):
        seeds.append(seed)
    return {name: bool(one) if name == "nonce" else _without_seeds(one, seeds) for name, one in facts.items()}


@migrations(name="0009_clocks")
def clocks(db: Database) -> None:
    """The clock of a game, its terms in open offers, and the time that each turn took. Games that run have no clock."""
    for column in (
        "clock TEXT NOT NULL DEFAULT 'none'",
        "left1 INTEGER NOT NULL DEFAULT 0",
        "left2 INTEGER NOT NULL DEFAULT 0",
        "began INTEGER NOT NULL DEFAULT 0",
        "flag_at INTEGER",
        "remind_at INTEGER",
    ):
        db.execute(f"ALTER TABLE game ADD COLUMN {column}")
    db.execute("ALTER TABLE move ADD COLUMN used INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE seek ADD COLUMN clock TEXT NOT NULL DEFAULT 'none'")
    stretch = "begin INTEGER NOT NULL, end INTEGER NOT NULL"
    db.execute(f"CREATE TABLE outage (id INTEGER PRIMARY KEY AUTOINCREMENT, {stretch}) STRICT")
    db.execute("CREATE INDEX outage_end ON outage (end)")
    db.execute("CREATE TABLE pulse (alive INTEGER NOT NULL, stuck INTEGER NOT NULL) STRICT")
    db.execute(
        "CREATE TABLE vacation (id INTEGER PRIMARY KEY AUTOINCREMENT,"
        f" player INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE, {stretch},"
        " days INTEGER NOT NULL, automatic INTEGER NOT NULL, told INTEGER NOT NULL) STRICT"
    )
    db.execute("CREATE INDEX vacation_player ON vacation (player, end)")
    db.execute("CREATE INDEX vacation_begin ON vacation (begin) WHERE told = 0")
    db.execute("CREATE INDEX vacation_over ON vacation (end) WHERE told = 1")
    db.execute("CREATE INDEX game_flag ON game (flag_at) WHERE flag_at IS NOT NULL")
    db.execute("CREATE INDEX game_remind ON game (remind_at) WHERE remind_at IS NOT NULL")


@migrations(name="0010_ratings")
def ratings(db: Database) -> None:
    """Whether a game is rated, and what its end has done to the ratings. The last three tables can be computed from the
    games (store/ratings.py). Games from before are not rated."""
    db.execute("ALTER TABLE game ADD COLUMN category TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE game ADD COLUMN unrated TEXT NOT NULL DEFAULT 'it was offered before there were ratings'")
    db.execute("ALTER TABLE game ADD COLUMN place INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE seek ADD COLUMN unrated INTEGER NOT NULL DEFAULT 0")
    db.execute("CREATE UNIQUE INDEX game_place ON game (place) WHERE place > 0")
    db.execute(
        "CREATE TABLE pool (category TEXT PRIMARY KEY, games INTEGER NOT NULL, score REAL NOT NULL,"
        " week INTEGER NOT NULL, advantage REAL NOT NULL) STRICT, WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE ranking (player INTEGER NOT NULL REFERENCES player (id), category TEXT NOT NULL,"
        " rating REAL NOT NULL, rd REAL NOT NULL, volatility REAL NOT NULL, last INTEGER NOT NULL,"
        " games INTEGER NOT NULL, rated INTEGER NOT NULL, best REAL NOT NULL,"
        " PRIMARY KEY (category, player)) STRICT, WITHOUT ROWID"
    )
    db.execute("CREATE INDEX ranking_player ON ranking (player)")
    numbers = ", ".join(f"{when}{what}{n} REAL NOT NULL" for when in _WHEN for n in (1, 2) for what in ("", "_rd"))
    db.execute(
        "CREATE TABLE rated (game INTEGER PRIMARY KEY REFERENCES game (id), place INTEGER NOT NULL,"
        " category TEXT NOT NULL, player1 INTEGER NOT NULL, player2 INTEGER NOT NULL, score REAL NOT NULL,"
        f" ended INTEGER NOT NULL, flagged INTEGER NOT NULL, unrated TEXT NOT NULL, {numbers}) STRICT"
    )
    db.execute("CREATE INDEX rated_one ON rated (player1, player2, place)")
    db.execute("CREATE INDEX rated_two ON rated (player2, place)")
    db.execute("CREATE INDEX rated_flagged ON rated (flagged, place) WHERE flagged <> 0 AND unrated = ''")


_WHEN = ("before", "after")


@migrations(name="0011_tournaments")
def tournaments(db: Database) -> None:
    """Tournaments, who takes part, the games they have paired, and what was done in them."""
    for column in ("event INTEGER NOT NULL DEFAULT 0", "occasion TEXT NOT NULL DEFAULT ''"):
        db.execute(f"ALTER TABLE game ADD COLUMN {column}")
    db.execute("ALTER TABLE game ADD COLUMN round INTEGER NOT NULL DEFAULT 0")
    db.execute("CREATE INDEX game_event ON game (event) WHERE event > 0")
    db.execute(
        "CREATE TABLE tournament (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, director INTEGER NOT NULL,"
        " stage TEXT NOT NULL, format TEXT NOT NULL, rules TEXT NOT NULL, clock TEXT NOT NULL, least INTEGER NOT NULL,"
        " most INTEGER NOT NULL, until INTEGER NOT NULL, created INTEGER NOT NULL, seed INTEGER NOT NULL,"
        " words TEXT NOT NULL, every TEXT NOT NULL, edition INTEGER NOT NULL, due INTEGER) STRICT"
    )
    db.execute("CREATE INDEX tournament_due ON tournament (due) WHERE due IS NOT NULL")
    db.execute("CREATE INDEX tournament_stage ON tournament (stage)")
    of = "tournament INTEGER NOT NULL REFERENCES tournament (id)"
    db.execute(
        f"CREATE TABLE entry ({of}, player INTEGER NOT NULL REFERENCES player (id), joined INTEGER NOT NULL,"
        " seat INTEGER NOT NULL, stopped INTEGER, left INTEGER NOT NULL, always INTEGER NOT NULL,"
        " PRIMARY KEY (tournament, player)) STRICT"
    )
    db.execute("CREATE INDEX entry_player ON entry (player)")
    db.execute(
        f"CREATE TABLE fixture ({of}, number INTEGER NOT NULL, round INTEGER NOT NULL, first INTEGER NOT NULL,"
        " second INTEGER NOT NULL, game INTEGER NOT NULL, at INTEGER NOT NULL, pool INTEGER NOT NULL,"
        " void INTEGER NOT NULL, PRIMARY KEY (tournament, number)) STRICT"
    )
    db.execute(
        f"CREATE TABLE logged (id INTEGER PRIMARY KEY AUTOINCREMENT, {of}, at INTEGER NOT NULL, what TEXT NOT NULL,"
        " by INTEGER NOT NULL, player INTEGER NOT NULL, board INTEGER NOT NULL, why TEXT NOT NULL) STRICT"
    )
    db.execute("CREATE INDEX logged_tournament ON logged (tournament)")


@migrations(name="0012_more_of_tournaments")
def more_of_tournaments(db: Database) -> None:
    """Idle players of ladders who were told; the edition before; who may enter, rated or not; letters that wait."""
    for column in ("entry ADD COLUMN told", "tournament ADD COLUMN previous", "tournament ADD COLUMN unrated"):
        db.execute(f"ALTER TABLE {column} INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE tournament ADD COLUMN rating TEXT NOT NULL DEFAULT ''")
    db.execute(
        "CREATE TABLE later (id INTEGER PRIMARY KEY AUTOINCREMENT, tournament INTEGER NOT NULL, player INTEGER"
        " NOT NULL, due INTEGER NOT NULL, subject TEXT NOT NULL, facts TEXT NOT NULL, UNIQUE (tournament, id)) STRICT"
    )
    db.execute("CREATE INDEX later_due ON later (due)")


@migrations(name="0013_news")
def news(db: Database) -> None:
    """What was broadcast, for the page; and the games that ended last, found without reading all of them."""
    db.execute(
        "CREATE TABLE news (id INTEGER PRIMARY KEY AUTOINCREMENT, player INTEGER NOT NULL REFERENCES player (id),"
        " at INTEGER NOT NULL, words TEXT NOT NULL) STRICT"
    )
    db.execute("CREATE INDEX news_player ON news (player)")
    db.execute("CREATE INDEX game_ended ON game (changed) WHERE state = 'over'")


@migrations(name="0014_ladders")
def ladders(db: Database) -> None:
    """Where everybody stands on a ladder, and the games of a tournament that run, without reading all its games."""
    db.execute(
        "CREATE TABLE rung (tournament INTEGER NOT NULL REFERENCES tournament (id), seat INTEGER NOT NULL,"
        " place INTEGER NOT NULL, wins INTEGER NOT NULL, played INTEGER NOT NULL, dropped INTEGER NOT NULL,"
        " late INTEGER NOT NULL, PRIMARY KEY (tournament, seat)) STRICT"
    )
    db.execute("CREATE INDEX game_playing ON game (event) WHERE event > 0 AND state = 'running'")
    db.execute("CREATE INDEX fixture_game ON fixture (game) WHERE game > 0")
    db.execute("CREATE INDEX fixture_pair ON fixture (tournament, first, second)")
    climbed(db)


def climbed(db: Database) -> None:
    """The rungs of ladders that have begun without any, from all that has happened on them."""
    begun = "SELECT id FROM tournament WHERE format LIKE 'ladder%' AND stage IN ('running', 'over')"
    for (number,) in db.execute(begun).fetchall():
        seats = "SELECT seat FROM entry WHERE tournament = ? AND seat > 0 ORDER BY seat"
        order: list[int] = [seat for (seat,) in db.execute(seats, (number,)).fetchall()]
        rungs = {seat: {"wins": 0, "played": 0, "dropped": 0, "late": 0} for seat in order}
        for first, second, at, winner, reason in db.execute(
            "SELECT first, second, coalesce(game.changed, at) AS time, winner, coalesce(reason, '')"
            " FROM fixture LEFT JOIN game ON game.id = fixture.game"
            " WHERE tournament = ? AND (game = 0 OR state = 'over') ORDER BY time, number",
            (number,),
        ).fetchall():
            place = order.index(first)
            if not second:  # a place lost for want of games
                order[place : place + 2] = reversed(order[place : place + 2])
                rungs[first]["dropped"] = at
                continue
            rungs[first]["played"] = rungs[second]["played"] = at
            if winner:
                won, lost = (first, second) if winner == 1 else (second, first)
                rungs[won]["wins"] += 1
                rungs[lost]["late"] = at if reason.endswith("ran out of time") else rungs[lost]["late"]
                if order.index(won) > order.index(lost):
                    order.remove(won)
                    order.insert(order.index(lost), won)
        for place, seat in enumerate(order, 1):
            row = (number, seat, place, *rungs[seat].values())
            db.execute("INSERT OR IGNORE INTO rung VALUES (?, ?, ?, ?, ?, ?, ?)", row)


@migrations(name="0015_ratings_in_parts")
def ratings_in_parts(db: Database) -> None:
    """How far the ratings have been computed anew; how games had ended before a director decided otherwise."""
    db.execute(
        "CREATE TABLE refold (one INTEGER PRIMARY KEY CHECK (one = 1), turn INTEGER NOT NULL, place INTEGER NOT NULL)"
        " STRICT"
    )
    db.execute("CREATE INDEX refold_turn ON refold (turn)")
    db.execute(
        "CREATE TABLE overruled (game INTEGER PRIMARY KEY REFERENCES game (id), winner INTEGER, reason TEXT NOT NULL,"
        " unrated TEXT NOT NULL, at INTEGER NOT NULL) STRICT"
    )


@migrations(name="0016_whose_words")
def whose_words(db: Database) -> None:
    """Whose words a letter of a tournament brings that waits."""
    db.execute("ALTER TABLE later ADD COLUMN by INTEGER NOT NULL DEFAULT 0")


@migrations(name="0017_hints")
def hints(db: Database) -> None:
    """The turns that players have asked the computer to propose."""
    db.execute(
        "CREATE TABLE hint (game INTEGER NOT NULL REFERENCES game (id), player INTEGER NOT NULL"
        " REFERENCES player (id) ON DELETE CASCADE, after TEXT NOT NULL, asked INTEGER NOT NULL, move TEXT NOT NULL,"
        " PRIMARY KEY (game, player, after)) STRICT, WITHOUT ROWID"
    )
    db.execute("CREATE INDEX hint_waits ON hint (asked) WHERE move = ''")


@migrations(name="0018_states_of_letters")
def states_of_letters(db: Database) -> None:
    """The states of letters are compared one by one: for a longer `IN`, SQLite fills a table each time a letter is
    stored. The numbers of deleted letters are not given again."""
    ((made,),) = db.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'outbox'").fetchall()
    indexes = db.execute("SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'outbox'").fetchall()
    before, states, after = re.split(r"state IN \(([^)]+)\)", made.partition("(")[2])
    one_of = " OR ".join(f"state = {state}" for state in states.split(", "))
    db.execute(f"CREATE TABLE outbox_anew ({before}{one_of}{after}")
    db.execute("INSERT INTO outbox_anew SELECT * FROM outbox")
    db.execute("DELETE FROM sqlite_sequence WHERE name = 'outbox_anew'")
    db.execute("UPDATE sqlite_sequence SET name = 'outbox_anew' WHERE name = 'outbox'")
    db.execute("DROP TABLE outbox")
    db.execute("ALTER TABLE outbox_anew RENAME TO outbox")
    for (sql,) in indexes:
        db.execute(sql)


@migrations(name="0019_chances")
def chances(db: Database) -> None:
    """How the computer saw a finished game, ply by ply."""
    db.execute(
        "CREATE TABLE judged (game INTEGER PRIMARY KEY REFERENCES game (id) ON DELETE CASCADE, moves TEXT NOT NULL,"
        " chances TEXT NOT NULL) STRICT"
    )


@migrations(name="0020_puzzles")
def puzzles(db: Database) -> None:
    """The tries of players at the puzzles of the last days."""
    db.execute(
        "CREATE TABLE tried (player INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE, day INTEGER NOT NULL,"
        " tries INTEGER NOT NULL, solved INTEGER NOT NULL, PRIMARY KEY (player, day)) STRICT, WITHOUT ROWID"
    )
    db.execute("CREATE INDEX tried_solved ON tried (day) WHERE solved > 0")


@migrations(name="0021_kinds_in_logs")
def kinds_in_logs(db: Database) -> None:
    """A question about one kind of line reads no others."""
    db.execute("CREATE INDEX logged_what ON logged (tournament, what)")


@migrations(name="0022_last_start")
def last_start(db: Database) -> None:
    """When the server began the last time, and since when mails may have waited for that."""
    db.execute("CREATE TABLE last_start (at INTEGER NOT NULL, waiting INTEGER NOT NULL) STRICT")


@migrations(name="0023_excused_losses")
def excused_losses(db: Database) -> None:
    """A question about the losses on time of a player that were not rated reads no others. Marks of the mailboxes that
    players have left (store.retired)."""
    db.execute("CREATE INDEX rated_excused ON rated (flagged, place) WHERE flagged <> 0 AND unrated <> ''")
    db.execute(
        "CREATE TABLE left_box (mark TEXT NOT NULL, player INTEGER NOT NULL, at INTEGER NOT NULL,"
        " PRIMARY KEY (mark, player)) STRICT, WITHOUT ROWID"
    )


@migrations(name="0024_giving_way")
def giving_way(db: Database) -> None:
    """A letter whose text was not taken no longer holds up the later ones."""
    db.execute("ALTER TABLE outbox ADD COLUMN gives_way INTEGER NOT NULL DEFAULT 0")


@migrations(name="0025_served")
def served(db: Database) -> None:
    """The domain of the server that has opened this store."""
    db.execute("CREATE TABLE served (domain TEXT NOT NULL) STRICT")


@migrations(name="0026_served_address")
def served_address(db: Database) -> None:
    """The whole address of that server. Before it was the domain alone."""
    db.execute("ALTER TABLE served RENAME COLUMN domain TO address")


@migrations(name="0027_stakes")
def stakes(db: Database) -> None:
    """Whose place a challenge on a ladder is for. When entry would have ended without an outage. A clock is not called
    `normal`, but written in full."""
    db.execute("ALTER TABLE fixture ADD COLUMN stake INTEGER NOT NULL DEFAULT 0")
    columns = "outage INTEGER NOT NULL, tournament INTEGER NOT NULL, until INTEGER NOT NULL"
    db.execute(f"CREATE TABLE moved_entry ({columns}, PRIMARY KEY (outage, tournament)) STRICT, WITHOUT ROWID")
    db.execute("UPDATE tournament SET clock = '10d+2d/14d' || substr(clock, 7) WHERE clock GLOB 'normal*'")
    db.execute("UPDATE game SET clock = '10d+2d/14d' || substr(clock, 7) WHERE clock GLOB 'normal*'")
