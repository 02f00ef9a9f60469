"""How a player wants it: the settings, and letters switched off altogether."""

from collections.abc import Callable

from mailbot.core import tokens
from mailbot.core.effects import Drop, Effect, Kinds, Letter, NotAllowed, Post, Put, Say, Unreadable, Waiting
from mailbot.core.games import boards
from mailbot.core.language.grammar import Row
from mailbot.core.language.typed import COURTESIES, words_in
from mailbot.core.model import DAY, Player, Preference
from mailbot.core.players import digest, limits, preferences, reminders
from mailbot.core.players.digest import next_due
from mailbot.core.players.preferences import DIGEST_DUE, Setting
from mailbot.core.tokens import UNSUBSCRIBE, Token
from mailbot.core.world import Asked, Request, World
from mailbot.core.zones import Zone

AGAIN, TIMES = "waiting boards told", 3
"""The tally of how often a player's own commands have sent what waits for the player, and how often within a day."""
SHOWN = "What waits for you was sent several times today already. To get your boards again: showas {} PASSWORD"
HERE, ELSEWHERE, ASKING, MONTH = "silenced", "silenced from elsewhere", "asked from elsewhere", 30 * DAY
"""The tallies of how often somebody with the player's own or with a foreign From has switched the letters off, and of
the question; the time of the first two in seconds."""


def set_(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Shows all settings, or one, or changes one."""
    words = list(asked.args["setting"])
    if not words:
        return [_shown(asked.by, world)]
    setting, said = _named(words, asked.game)
    if not said:
        return [_shown(asked.by, world, setting)]
    value = setting.read(said)
    zone = world.zone(asked.by)
    if setting.name == "timezone":
        zone = _zone(value, world)
        value = zone.name
    row, note = Preference(asked.by, setting.name, value), ""
    after: list[Effect] = [Drop(row) if value == setting.default else Put(row)]
    if setting.name == "digest" and value.isdigit():
        after.append(Put(Preference(asked.by, DIGEST_DUE, str(next_due(int(value), request.now, zone)))))
        if not limits.hears(asked.by, world):  # whoever wants one letter a day wants letters
            after += [Drop(Preference(asked.by, "quiet", "")), limits.was_off(asked.by, request.now)]
    elif setting.name == "digest":  # what waits for the next one comes now, for there will be none
        rest, note = _sent_again(_player(asked, world), digest.at_once, request.now, world)
        if not note:  # else what has been held back comes at its time
            after = [*rest, *after, Drop(Preference(asked.by, DIGEST_DUE, ""))]
    elif setting.name == "quiet" and value == "on":
        gone = boards.without_offers(asked.by, request.now, world)
        after, note = [*after, *gone], "Your open offers and challenges are withdrawn." if gone else ""
    elif setting.name == "quiet" and value == "off" != preferences.value(world.preferences(asked.by), "quiet"):
        rest, note = _sent_again(_player(asked, world), _boards, request.now, world)
        after += rest
        after.append(limits.was_off(asked.by, request.now))
    elif setting.name == "timezone" and (hour := preferences.value(world.preferences(asked.by), "digest")).isdigit():
        after.append(Put(Preference(asked.by, DIGEST_DUE, str(next_due(int(hour), request.now, zone)))))
    elif setting.name == "reminders":
        after += reminders.retimed(row, request.now, world)
    told = f"'{setting.name}' is now {value}: {setting.help}."
    if setting.name == "digest" and value.isdigit():
        told = f"You will get one letter a day at {int(value):02}:00 ({zone.name}), with all boards that wait for you."
    elif setting.name == "digest":
        told = "You will get each letter at once."
    elif setting.name == "timezone":
        told = f"Your time zone is now {zone.name}; there it is {zone.local(request.now):%H:%M}."
    return [*after, Say(Letter("notice", "Your settings", {"said": f"{told} {note}".strip()}))]


def _sent_again(
    player: Player, letters: Callable[[Player, int, World], list[Effect]], now: int, world: World
) -> tuple[list[Effect], str]:
    """What waits for the player, sent because of a command of the player's own, and counted. If that was often enough
    today, nothing but a sentence that says so."""
    count = limits.one_more(world.tally(player.id, AGAIN), player.id, AGAIN, TIMES, DAY, now)
    return ([Put(count), *letters(player, now, world)], "") if count else ([], SHOWN.format(player.userid))


def _boards(player: Player, now: int, world: World) -> list[Effect]:
    return [Waiting(player.id)]


def _zone(name: str, world: World) -> Zone:
    """The time zone of this name. Raises Unreadable."""
    if (zone := world.zone_named(name)) is None:
        raise Unreadable(preferences.NO_ZONE.format(name[:40]))
    return zone


def _named(words: list[str], game: str) -> tuple[Setting, str]:
    """The setting that these words begin with, and the value behind it, if one stands there."""
    if len(words) > 1 and words[0].lower() == "accept" and words[1].lower() in ("yes", "no") and game:
        words = [words[0], game, *words[1:]]
    if len(words) == 2 and words[0].lower() == "limit" and words[1].lower().startswith("rating="):
        words = words[1].split("=", 1)
    for size in (2, 1):
        name = " ".join(words[:size]).lower()
        if name in preferences.BY_NAME and size <= len(words) <= size + 1:
            return preferences.BY_NAME[name], " ".join(words[size:])
    if len(words) > 3 or words[0].lower() in preferences.BY_NAME:
        raise Unreadable("Change one setting at a time: write its name and the new value")
    return preferences.find(words[0] if len(words) < 3 else " ".join(words[:2])), ""


def _shown(player: int, world: World, only: Setting | None = None) -> Say:
    now = world.preferences(player)
    rows = [
        {
            "name": setting.name,
            "value": preferences.value(now, setting.name),
            "allowed": setting.allowed,
            "help": setting.help,
        }
        for setting in preferences.PREFERENCES
        if only in (None, setting)
    ]
    me = world.player(player)
    return Say(Letter("settings", "Your settings", {"rows": rows, "userid": me.userid if me else ""}))


def unsubscribe(request: Request, asked: Asked, world: World) -> list[Effect]:
    """No more letters but answers; whoever has not proved to be the player is asked first."""
    player = _player(asked, world)
    if asked.proved:
        return _quiet(player, request.now, world)
    if preferences.value(world.preferences(player.id), "quiet") == "on":
        return [Say(_unsubscribed(player))]  # an answer, which is capped: anybody can cause it again and again
    return [_stop(player)]


_STAY = frozenset(["no", "nope", "nein", "not", "never", "don't", "dont", "didn't", "didnt", "keep", "continue"])
_BESIDE = COURTESIES | {"did", "do", "ask", "asked", "for", "this", "it", "want", "that"}
"""An answer with a word of _STAY and otherwise only words of _BESIDE keeps the letters; `no more letters` does not."""


_STOP = frozenset(["stop", "yes", "unsubscribe", "remove", "quiet", "ok", "okay", "ja", "cancel", "enough"])
_NONE = _BESIDE | {"no", "more", "any", "letters", "mail", "mails", "emails"}
"""An answer to the letter that asks stops the letters with a word of _STOP and none of _STAY, if it is empty, or with
`no` and otherwise only words of _NONE: `no more letters`."""
_ASKED = 1
"""The stamp of the token in that letter. Anybody can cause the letter, and an autoresponder may answer it. The address
in the header of a letter has another stamp, and takes whatever a mail program writes."""


def silence(request: Request, asked: Asked, world: World) -> list[Effect]:
    """What a mail program sends when its owner wants no more letters. The address of this command stands in the header
    of every letter and never ends, and a From can be forged. So it works once a month, from the player's own and from a
    foreign From; then we ask, once a day. An answer that says no changes nothing."""
    player = world.player(asked.by)
    if player is None or player.state == "gone":
        raise NotAllowed("There is no such player.")
    if preferences.value(world.preferences(player.id), "quiet") == "on":
        return []
    own = any(address.addr.lower() == request.sender.lower() for address in world.addresses(player.id))
    if (said := words_in(asked.line)) & _STAY and said <= _STAY | _BESIDE:
        if not own:  # or anybody who has seen a letter could use up the player's answers
            return []
        return [Say(Letter("notice", "Fewer letters", {"said": "Nothing has changed: letters come as before."}))]
    unsure = not (said & _STOP and not said & _STAY) and not ("no" in said and said <= _NONE)
    if request.token and request.token[2] == _ASKED and said and unsure:  # perhaps of an autoresponder
        told = "I cannot tell whether you want no more letters, so they come as before."
        told += " To stop them, answer that letter again with the word: stop"
        return [Say(Letter("notice", "Fewer letters", {"said": told}))]
    if own and request.token and request.token[2] == _ASKED:
        return _quiet(player, request.now, world)
    what = HERE if own else ELSEWHERE
    count = limits.one_more(world.tally(player.id, what), player.id, what, 1, MONTH, request.now)
    if count:
        return [Put(count), *_quiet(player, request.now, world)]
    count = limits.one_more(world.tally(player.id, ASKING), player.id, ASKING, 1, DAY, request.now)
    return [Put(count), _stop(player)] if count else []


def _stop(player: Player) -> Say:
    return Say(Letter("stop", "Fewer letters", {"userid": player.userid}, Token(UNSUBSCRIBE, player.id, 0, _ASKED)))


def _quiet(player: Player, now: int, world: World) -> list[Effect]:
    """The letter about it comes whatever else has been written: it says how to undo this."""
    told = Post(player.id, _unsubscribed(player), Kinds.ACCOUNT)
    return [Put(Preference(player.id, "quiet", "on")), *boards.without_offers(player.id, now, world), told]


def _unsubscribed(player: Player) -> Letter:
    return Letter("unsubscribed", "No more letters", {"userid": player.userid})


def signoff(request: Request, asked: Asked, world: World) -> list[Effect]:
    """No letters at all, until a command comes."""
    player = _player(asked, world)
    told = Say(Letter("signedoff", "Signed off", {"userid": player.userid}))
    return [Put(player._replace(state="off")), *boards.without_offers(player.id, request.now, world), told]


def wake(player: Player, now: int, world: World) -> list[Effect]:
    """A player who had signed off has sent a command: letters go out again, first of what waits."""
    quiet = preferences.value(world.preferences(player.id), "quiet") == "on"
    then = "answers to your own mails again, and no other letters" if quiet else "letters again"
    said = f"Welcome back, {player.userid}: you had signed off. From now on you get {then}."
    rest, note = _sent_again(player, _boards, now, world)
    letter = Letter("notice", "Welcome back", {"said": f"{said} {note}".strip()})
    return [Put(player._replace(state="active")), limits.was_off(player.id, now), Say(letter), *rest]


def _player(asked: Asked, world: World) -> Player:
    player = world.player(asked.by)
    if player is None:
        raise NotAllowed("There is no player of that name.")
    return player


ROWS = (
    Row(
        "set",
        ("userid password setting*",),
        set_,
        "see and change your settings: letters, limits, what you accept",
        game=True,
        aliases=("settings",),
        known=tuple(said for row in preferences.PREFERENCES for said in (row.name, row.default, *row.choices)),
    ),
    Row("signoff", ("userid password",), signoff, "get no letters until you send a command again"),
    Row(
        "unsubscribe",
        ("userid password", ""),
        unsubscribe,
        "get no letters but answers to your own mails",
        needs="known",
        tokens=tokens.MESSAGE + tokens.AFTER,
        aliases=("stop",),
    ),
    Row("silence", ("",), silence, "no more letters", tokens=tokens.UNSUBSCRIBE, takes_over=tokens.UNSUBSCRIBE),
)
