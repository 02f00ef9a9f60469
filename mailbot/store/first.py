"""The tables of the first version, as SQL. What has changed since is in schema.py; nobody edits them any more."""

FIRST = """
CREATE TABLE secret (id INTEGER PRIMARY KEY, key BLOB NOT NULL, created INTEGER NOT NULL) STRICT;
CREATE TABLE player (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    userid TEXT NOT NULL COLLATE NOCASE,
    state TEXT NOT NULL CHECK (state IN ('pending', 'active', 'off', 'locked', 'gone')),
    password_hash TEXT NOT NULL,
    password_version INTEGER NOT NULL,
    token_epoch INTEGER NOT NULL,
    created INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX player_userid ON player (userid) WHERE state <> 'pending';
CREATE TABLE preference (
    player INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (player, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX preference_value ON preference (name, value);
CREATE INDEX preference_digest ON preference (CAST(value AS INTEGER)) WHERE name = 'digest due';
CREATE TABLE tally (
    player INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE,
    what TEXT NOT NULL,
    since INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (player, what)
) STRICT, WITHOUT ROWID;
CREATE INDEX tally_since ON tally (since);
CREATE TABLE seek (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    player INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE,
    rules TEXT NOT NULL,
    keep INTEGER NOT NULL,
    created INTEGER NOT NULL,
    first TEXT NOT NULL
) STRICT;
CREATE INDEX seek_player ON seek (player);
CREATE INDEX seek_created ON seek (created);
CREATE TABLE analysis (
    game INTEGER NOT NULL REFERENCES game (id),
    player INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE,
    asked INTEGER NOT NULL,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX player_pending ON player (created) WHERE state = 'pending';
CREATE TABLE address_change (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    player INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE,
    approved INTEGER NOT NULL,
    created INTEGER NOT NULL
) STRICT;
CREATE TABLE address (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    player INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE,
    addr TEXT NOT NULL COLLATE NOCASE,
    state TEXT NOT NULL CHECK (state IN ('pending', 'ready', 'current', 'suspended', 'old')),
    change INTEGER NOT NULL,
    created INTEGER NOT NULL
) STRICT;
CREATE INDEX address_player ON address (player);
CREATE INDEX address_addr ON address (addr) WHERE state IN ('current', 'suspended');
CREATE TABLE failing (
    address INTEGER PRIMARY KEY REFERENCES address (id) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    last INTEGER NOT NULL,
    hards TEXT NOT NULL
) STRICT;
CREATE TABLE contact (addr TEXT PRIMARY KEY COLLATE NOCASE, signups INTEGER NOT NULL) STRICT;
CREATE TABLE game (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    rules TEXT NOT NULL,
    player1 INTEGER NOT NULL REFERENCES player (id),
    player2 INTEGER NOT NULL REFERENCES player (id),
    state TEXT NOT NULL CHECK (state IN ('offered', 'running', 'over', 'declined', 'lapsed')),
    agreed INTEGER NOT NULL,
    ply INTEGER NOT NULL,
    to_move INTEGER NOT NULL,
    winner INTEGER,
    reason TEXT NOT NULL,
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    asks TEXT NOT NULL CHECK (asks IN ('', 'draw', 'undo')),
    asks_by INTEGER NOT NULL,
    started INTEGER NOT NULL,
    seek INTEGER NOT NULL
) STRICT;
CREATE INDEX game_player1 ON game (player1, state);
CREATE INDEX game_player2 ON game (player2, state);
CREATE INDEX game_running ON game (changed) WHERE state = 'running';
CREATE INDEX game_bots ON game (changed) WHERE state = 'running' AND (player1 < 0 OR player2 < 0);
CREATE INDEX game_over ON game (rules, player1, player2, winner) WHERE state = 'over';
CREATE INDEX game_offered ON game (created) WHERE state = 'offered';
CREATE TABLE move (
    game INTEGER NOT NULL REFERENCES game (id),
    ply INTEGER NOT NULL,
    player INTEGER NOT NULL,
    text TEXT NOT NULL,
    comment TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;
CREATE TABLE plan (
    game INTEGER NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    player INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE,
    ply INTEGER NOT NULL,
    text TEXT NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
CREATE TABLE submitted (
    game INTEGER NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    player INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE,
    ply INTEGER NOT NULL,
    text TEXT NOT NULL,
    comment TEXT NOT NULL,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
CREATE TABLE seen (key BLOB PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX seen_at ON seen (at);
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    player INTEGER NOT NULL,
    address TEXT NOT NULL COLLATE NOCASE,
    box TEXT NOT NULL,
    kind TEXT NOT NULL,
    template TEXT NOT NULL,
    subject TEXT NOT NULL,
    facts TEXT NOT NULL,
    token TEXT NOT NULL,
    thread TEXT NOT NULL,
    answers TEXT NOT NULL,
    news INTEGER NOT NULL,
    same TEXT NOT NULL,
    created INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed', 'stuck', 'held')),
    due INTEGER NOT NULL,
    lease INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    why TEXT NOT NULL
) STRICT;
CREATE INDEX outbox_due ON outbox (due) WHERE state = 'waiting';
CREATE INDEX outbox_order ON outbox (address, id) WHERE state = 'waiting';
CREATE INDEX outbox_caps ON outbox (box, kind, created) WHERE kind <> 'game';
CREATE INDEX outbox_strangers ON outbox (created) WHERE kind IN ('signup', 'newcomer');
CREATE INDEX outbox_created ON outbox (created) WHERE state <> 'waiting';
CREATE TABLE shunt (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    request TEXT NOT NULL,
    error TEXT NOT NULL,
    at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    done INTEGER NOT NULL
) STRICT;
CREATE TABLE poison (key BLOB PRIMARY KEY, crashes INTEGER NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE attempts (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_at ON attempts (at);
CREATE TABLE operator_mail (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
"""
