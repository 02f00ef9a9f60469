"""The settings of a player: one table of names, defaults and choices, and which letters they let through.

Theory of operation. The settings of a reader are read in one place, when a letter goes into the outbox (Store). There
we decide whether the reader wants the letter at all, and write the look that the reader wants among its facts
(`wants`). So a letter that is sent again is the same, even if the settings have changed since.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from engine.families import CATALOGUE
from mailbot.core import zones
from mailbot.core.effects import Kinds, Letter, Post, Unreadable
from mailbot.core.games import clocks, vacations
from mailbot.core.language.grammar import looks_like_zone
from mailbot.core.model import Player, States
from mailbot.core.players import bots
from mailbot.core.ratings import terms
from mailbot.core.zones import UTC, Zone


@dataclass(frozen=True, slots=True)
class Setting:
    """One row. `choices`: the words it takes; `numbers`: the whole numbers it also takes, both bounds included.
    `others`: what else it takes, in words, if `parse` reads it; that raises Unreadable."""

    name: str
    default: str
    choices: tuple[str, ...]
    help: str
    numbers: tuple[int, int] | None = None
    others: str = ""
    parse: Callable[[str], object] | None = None

    @property
    def allowed(self) -> str:
        """The values, as a player reads them: `off or 0 to 23`."""
        span = [f"{self.numbers[0]} to {self.numbers[1]}"] if self.numbers else []
        *most, final = [*self.choices, *span, *([self.others] if self.others else [])]
        return f"{', '.join(most)} or {final}" if most else final

    def read(self, word: str) -> str:
        """The value that this word means; Unreadable if there is none. `default` is a value of every setting."""
        said = word.lower()
        if said == "default":
            return self.default
        for meant in (said, *ALIKE.get(said, ())):
            if meant in self.choices:
                return meant
        if self.numbers and said.isascii() and said.isdigit() and len(said) < 9:
            low, high = self.numbers
            if low <= int(said) <= high:
                return str(int(said))
        if self.parse:
            self.parse(said)
            return said
        raise Unreadable(f"'{word[:20]}' cannot be the value of '{self.name}': it takes {self.allowed}")


ALIKE: Mapping[str, tuple[str, ...]] = {
    "yes": ("on",),
    "no": ("off", "none"),
    "on": ("yes", "normal"),
    "off": ("no", "none"),
    "none": ("off",),
}
"""Words that mean another word if only that other word is a choice."""

NO_ZONE = "There is no time zone '{}': write one such as Europe/Berlin or America/New_York, or UTC"


def _zone(said: str) -> None:
    """Raises Unreadable for a word that cannot name a time zone; only the store knows which there are."""
    if said.upper() != UTC.name and not looks_like_zone(said):
        raise Unreadable(NO_ZONE.format(said[:40]))


PREFERENCES: tuple[Setting, ...] = (
    Setting(
        "letters",
        "picture",
        ("picture", "html", "text"),
        "how letters look: with a picture of the board, without pictures, or as plain text only",
    ),
    Setting(
        "board",
        "normal",
        ("normal", "words", "none"),
        "how the board is shown: drawn, told in words for who listens, or not at all in letters with news",
    ),
    Setting("comments", "top", ("top", "bottom"), "whether your opponent's words stand above the board or at the end"),
    Setting(
        "hints",
        "on",
        ("on", "off"),
        "whether letters say how to answer, which letters fit where and, in words, which turns win",
    ),
    Setting("links", "on", ("on", "off"), "whether letters have a link that opens the board, to play your turn there"),
    Setting("echo", "on", ("on", "off"), "whether you get a letter when you have moved yourself"),
    Setting(
        "digest",
        "off",
        ("off",),
        "one letter a day at this hour with the boards that wait for you, in the place of one for each event",
        numbers=(0, 23),
    ),
    Setting(
        "reminders",
        clocks.REMINDERS,
        ("off",),
        "with how much time left on a board you are reminded of it",
        others="times such as 2d,8h",
        parse=clocks.reminders,
    ),
    Setting(
        "autovacation", "on", ("on", "off"), "whether a day of your vacation is taken before you would lose on time"
    ),
    Setting(
        "timezone",
        UTC.name,
        (),
        "the time zone of all dates and times in your letters, of digests and of days of vacation",
        others="a zone such as Europe/Berlin",
        parse=_zone,
    ),
    Setting("quiet", "off", ("on", "off"), "whether you get no letters but answers to your own mails"),
    Setting(
        "limit", "none", ("none",), "how many games you want at once; challenges beyond are refused", numbers=(1, 500)
    ),
    Setting(
        "rating",
        "any",
        ("any",),
        "which rating others need in the category of a game, to challenge you to it or to take your open offer",
        others="a range such as 1400-1800",
        parse=terms.span,
    ),
    *(
        Setting(f"accept {game}", "yes", ("yes", "no"), f"whether you can be challenged to {game}")
        for game in CATALOGUE.names
    ),
    Setting("accept all", "no", ("yes", "no"), "whether challenges to you begin at once, without asking you"),
    Setting(bots.COMMENTS, "off", ("on", "off"), "whether computer players tell you how they see their chances"),
    Setting("news", "off", ("on", "off"), "whether you hear of each tournament for which entry opens"),
    Setting("broadcast", "no", ("yes", "no"), "whether you hear what others say to everybody"),
)
BY_NAME = {setting.name: setting for setting in PREFERENCES}
STYLE_SETTINGS = ("letters", "board", "comments", "hints", "links", "quiet")
"""Settings that change how letters look, and what they say of the next one."""

STYLED_TEMPLATES = ("board", "digest", "several")
"""The templates that they all apply to. Others obey only `letters`, `links`, `quiet`, and whether a board is told in
words."""

DIGEST_DUE = "digest due"
"""When the next digest is due, unix seconds. Stored with the settings, but not one of them."""

NEWS = frozenset({Kinds.GAME, Kinds.OFFER, Kinds.NOTICE, Kinds.EVENT, Kinds.MESSAGE, Kinds.BROADCAST, Kinds.DIGEST})
"""Kinds of letter that nobody asked for, that is, all but answers. They can be switched off, and say how (F1)."""

ALWAYS = frozenset({"forgot", "login", "strange", "mistyped", "misnamed", "outdated", "crowded"})
"""Notices that answer a mail or a page, most likely the reader's own, which proves nothing."""


def find(name: str) -> Setting:
    """The setting with that name; Unreadable, with the nearest one, if there is none."""
    said = name.lower()
    if said in BY_NAME:
        return BY_NAME[said]
    near = get_close_matches(said[:30], BY_NAME, 1, 0.5)
    hint = f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(BY_NAME)}"
    raise Unreadable(f"There is no setting '{name[:30]}'; {hint}")


def value(preferences: Mapping[str, str], name: str) -> str:
    """The player's value of this setting."""
    return preferences.get(name, BY_NAME[name].default)


def wanted(post: Post, reader: Player | None, preferences: Mapping[str, str]) -> bool:
    """Whether a letter that is not an answer may go to this reader. One who is quiet or signed off gets only letters
    that were asked for; one with a digest gets none that the digest replaces."""
    if post.kind not in NEWS or post.letter.template in ALWAYS:
        return True
    if value(preferences, "quiet") == "on" or (reader is not None and reader.state in ("off", "gone")):
        return False
    return value(preferences, "digest") == "off" or not _in_digest(post)


def _in_digest(post: Post) -> bool:
    """Whether the digest will say all that this letter says. The digest has the boards, and the words under the move
    that the reader has to answer, but no others. So a letter with words, or with notes on the queue, goes at once."""
    facts = post.letter.facts
    if facts.get("event") in ("reminder", "returned") or facts.get("reminder") or facts.get("back"):
        return False
    if facts.get("event") == vacations.EVENT:
        return True
    if post.kind == Kinds.OFFER:
        return post.letter.template == "offer" and not facts.get("comment")
    waits = facts.get("state") == States.RUNNING and facts.get("to_move") == facts.get("viewer")
    kept = waits and facts.get("event") == "move" and not facts.get("then")
    return post.kind == Kinds.GAME and (kept or not facts.get("comment")) and not facts.get("notes")


def echoed(letter: Letter, preferences: Mapping[str, str]) -> bool:
    """Whether the reader wants this answer; one that only repeats the reader's own move may be switched off."""
    if letter.template != "board" or value(preferences, "echo") != "off":
        return True
    facts = letter.facts
    own = (
        facts.get("event") == "move" and facts.get("by") == facts.get("viewer") and facts.get("state") == States.RUNNING
    )
    return not own or bool(facts.get("then") or facts.get("notes"))


def for_reader(letter: Letter, preferences: Mapping[str, str], zone: Zone = UTC, now: int = 0) -> Letter:
    """The letter, with its reader's wishes for its look and its reader's time zone among its facts."""
    if zone is not UTC:
        letter = letter._replace(facts={**letter.facts, zones.FACT: zones.kept(zone, now)})
    wants = {name: preferences[name] for name in STYLE_SETTINGS if name in preferences}
    return letter._replace(facts=_styled(letter.template, letter.facts, wants)) if wants else letter


def _styled(template: str, facts: Mapping[str, Any], wants: Mapping[str, str]) -> dict[str, Any]:
    heeded = ["letters", "links", "quiet", *(["board", "hints"] if wants.get("board") == "words" else [])]
    wants = wants if template in STYLED_TEMPLATES else {name: wants[name] for name in heeded if name in wants}
    styled = {**facts, **({"wants": wants} if wants else {})}
    if "parts" in facts:
        styled["parts"] = [
            {**part, "facts": _styled(part["template"], part["facts"], wants)} for part in facts["parts"]
        ]
    return styled


def without_hints(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a letter whose reader wants no hints: which turns win takes long to find."""
    told = {**facts, "wants": {**facts["wants"], "hints": "off"}} if "wants" in facts else {**facts}
    if "parts" in facts:
        told["parts"] = [{**part, "facts": without_hints(part["facts"])} for part in facts["parts"]]
    return told


def looks(facts: Mapping[str, object]) -> dict[str, str]:
    """The look that the reader of a letter with these facts wants, by setting."""
    wants = facts.get("wants")
    return {name: BY_NAME[name].default for name in STYLE_SETTINGS} | (
        dict(wants) if isinstance(wants, Mapping) else {}
    )
