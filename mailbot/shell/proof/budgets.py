"""The limits for mails that prove nothing, because anybody could have sent them: one command, within a budget.

There are budgets an hour for help, letters of consent to a sign-up, letters about a forgotten password, log-in links of
the page, and challenges, each of which uses up the number of a board. One network, and one domain of addresses, can use
only a share of each, and the budgets are independent; forms of the page have some of their own. When a budget or the
share of a domain is used up, as much again is kept for networks that have used little of it. A mail beyond a budget
gets 451: nothing is done, and it can come again later. It makes no difference whether the sender is a player, so the
answer reveals nothing.

Keys of the store hold no address and no network, only their HMAC.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from engine.errors import Unreadable
from mailbot.core.caps import HOUR, Caps
from mailbot.core.commands import BY_NAME
from mailbot.core.commands.account import to_ask
from mailbot.core.mail.addresses import Own, key, owner
from mailbot.core.model import DAY
from mailbot.core.players.attempts import WIDER, Attempts, Limit, after_failure, allowed
from mailbot.core.world import UNPROVED, Asked, Proofs
from mailbot.shell.proof.auth import AttemptStore
from mailbot.shell.proof.sources import LOCAL, hidden, networks, widest
from mailbot.shell.smtp.wire import Status

BUDGETS: Mapping[str, str] = {"help": "help", "forgot": "forgot", "challenge": "challenge", "prove": "help"}
"""Commands that use up a budget when they have been read, by name, if nothing proves them: a `yes` that came too late
is told what to do."""

PAGE = "page "
ALL = ("help", "signup", "forgot", "challenge", f"{PAGE}signup", f"{PAGE}forgot", f"{PAGE}login")
"""The names of the budgets."""

OUR_OWN = "No letters can go to an address of this server itself."
"""Why such an address is not asked."""

ASKED_ENOUGH = "So many new addresses have been asked lately that I ask no more for now. Try again in some hours."
"""What a player who has shown a password hears beyond the budget: such a mail must not wait for days elsewhere."""

OF_ONE = 10
"""Letters of a budget an hour that one From can use."""
LITTLE = 3
"""Letters of a budget that a network has used at most in an hour if it has used little."""

BELOW, OF_NETWORK, BELOW_DAYS = 10, 2, 5
"""Domains below a bought one that get letters of all budgets within so many days: as long as a letter waits for a slow
mail server. Whoever has bought a domain has any number of them. Letters to the same one are not counted here, because a
class of students writes from one; nor are those to a domain at which a player reads and writes. OF_NETWORK: how many of
the ten the mails of one network can use up."""

ASKING = ("signup", "change address", "add")
"""Commands that ask addresses for their consent. They use up their budget before a password is hashed."""


def unaskable(addresses: Sequence[str], own: Own) -> str:
    """Why these addresses cannot be asked for their consent, as one sentence; "" if they can."""
    try:
        to_ask(addresses)
    except Unreadable as wrong:
        return str(wrong)
    return OUR_OWN if own.among(addresses) else ""


def too_many(*commands: str) -> str:
    """What a player hears whose mail has proved other commands, but not these."""
    named = " and ".join(f"'{command}'" for command in commands)
    done = "was" if len(commands) == 1 else "were"
    again = f"Send {'it' if len(commands) == 1 else 'them'} again later, in a mail without others."
    return f"{named} {done} not done: too many mails without a password have come. {again}"


class Spent(Exception):
    """The budget with this name is used up for now; nothing has happened."""

    status = Status.TRY_LATER


class Budgets:
    """The counts of this hour. `key` is the server's own."""

    def __init__(self, store: AttemptStore, key: bytes, caps: Caps) -> None:
        self._store = store
        self._key = key
        self._caps = caps

    def admitted(
        self, asked: Iterable[Asked | None], source: str, address: str, now: int
    ) -> tuple[list[Asked], str, str]:
        """The commands to do, and the line left out, as `one_unproved` says, after counting them. Raises Spent if none
        of them is proved; else the command without a budget is left out, and the sentence about it is the last one."""
        known, undone = one_unproved(asked)
        left: list[str] = []
        admitted: list[Asked] = []
        for one in known:
            row = BY_NAME.get(one.name)
            budget = BUDGETS.get(one.name)
            if one.trouble:  # the answer says how to write the command, which is help; a sign-up is already counted
                budget = "help" if row and row.needs == "anyone" else None
            try:
                if budget and not one.proved:
                    self.spend(budget, source, [address], now, address)
            except Spent:
                if not any(other.proved for other in known):
                    raise
                left.append(one.name)
            else:
                admitted.append(one)
        return admitted, undone, too_many(*left) if left else ""

    def spend(
        self, budget: str, source: str, addresses: Iterable[str], now: int, sender: str = "", *, page: bool = False
    ) -> None:
        """Counts one letter to each address. Raises Spent, and counts nothing, if that would be too many.

        `source`: where the mail comes from. Anything but an IP address means unknown, and only then no network counts.
        An address "" means one that is not known yet, and only then no domain counts. `sender`: the From, "" for a form
        of the page. One account at a provider must not use up the share of all who write from there; anybody may forge
        the From, so it counts for its network alone. `page`: a form of the page asks, which has budgets of its own,
        because it can be sent from any number of networks: mails must get through all the same. What `reads_at` has
        noted is nothing to them, or a page would say at which domains somebody plays.
        """
        once, budget = (PAGE, PAGE + budget) if page else ("", budget)
        rows: dict[str, Attempts | None] = {}
        for address in addresses:
            shares = [*self._shares(source, address)]
            # A network that has used little may use what is kept for such when others have used up the rest.
            around = [one.name for one in shares if one.network]
            if around and sender:
                shares.append(_Share(f"from {key(sender)} in {around[0]}", OF_ONE))
            # Whoever has a /48 has any number of networks in it, so it must have used little as well.
            is_new = bool(around) and all(_count(self._row(rows, budget, one), now) < LITTLE for one in around)
            known = {
                one.once for one in shares if one.once and _is_within(self._row(rows, once, one.once), one.window, now)
            }
            for share in shares:
                if share.once in known:
                    continue
                limit, name = _limit(share.most, share.window), share.name
                of = once if share.once else budget
                if share.keeps and is_new and not allowed(self._row(rows, of, name), now, limit):
                    name = f"kept {name}"
                row = self._row(rows, of, name)
                if share.most < 1 or not allowed(row, now, limit):
                    raise Spent(budget)
                rows[self._key_of(of, name)] = after_failure(row, now, limit)
            rows |= {
                self._key_of(once, one.once): Attempts(since=now)
                for one in shares
                if one.once and one.once not in known
            }
        for place, row in rows.items():
            if row is not None:
                self._store.put(place, row)

    def reads_at(self, address: str, now: int) -> None:
        """A player reads and writes at this address. So letters to its domain, if that lies below a bought one, are not
        counted for that for some days."""
        domain = owner(address)
        below = key(address).rpartition("@")[2]
        if domain and below != domain:
            place = self._key_of("", f"to {below}")
            if not _is_within(self._store.get(place), DAY, now):
                self._store.put(place, Attempts(since=now))

    def spent(self, now: int) -> list[str]:
        """The budgets that are used up for everybody."""

        whole = self._caps.stranger_letters_per_hour

        def is_spent(budget: str) -> bool:
            return not allowed(self._store.get(self._key_of(budget, "all")), now, _limit(whole))

        return [budget for budget in ALL if is_spent(budget)]

    def site(self, source: str) -> str:
        """A mark of the network that a mail comes from, the /24 or the /48, which reveals nothing about it; "" if that
        is unknown, and for this machine itself."""
        network = widest(source)
        return hidden(self._key, "site", network) if network else ""

    def _key_of(self, budget: str, name: str) -> str:
        return hidden(self._key, "budget", f"{budget}|{name}")

    def _row(self, rows: dict[str, Attempts | None], budget: str, name: str) -> Attempts | None:
        """The row as it is after what has been counted in `rows`, where it is from then on."""
        place = self._key_of(budget, name)
        if place not in rows:
            rows[place] = self._store.get(place)
        return rows[place]

    def _shares(self, source: str, address: str) -> "Iterator[_Share]":
        """What counts this letter."""
        whole = self._caps.stranger_letters_per_hour
        yield _Share("all", whole, keeps=True)
        lies_in = networks(source)
        if lies_in.get("") in LOCAL:
            return  # this machine itself has no share
        if domain := owner(address):
            yield _Share(f"domain {domain}", _part(whole, self._caps.domain_percent), keeps=True)
            if (below := key(address).rpartition("@")[2]) != domain:
                most, days, wide = min(whole, BELOW), BELOW_DAYS * DAY, widest(source)
                if wide:
                    yield _Share(f"below {domain} of {wide}", OF_NETWORK, window=days, once=f"to {below}")
                yield _Share(f"below {domain}", most, keeps=True, window=days, once=f"to {below}")
        for wide, network in lies_in.items():
            percent = self._caps.source_percent
            if wide:  # no single network may use up the share of a domain
                percent = max(percent, min(self._caps.domain_percent * 3 // 4, percent * WIDER[int(wide[1:])]))
            yield _Share(f"network {network}", _part(whole, percent), network=True)


class _Share(NamedTuple):
    """A name that counts letters, and up to how many within a `window` of seconds. `keeps`: as many again are kept for
    networks that have used little. `network`: it counts a network that the mail comes from, the smallest one first.
    `once`: what it counts only once within the window, for all budgets together."""

    name: str
    most: int
    keeps: bool = False
    network: bool = False
    window: int = HOUR
    once: str = ""


def _limit(most: int, window: int = HOUR) -> Limit:
    return Limit(most, window=window, lock=window, longest=window)


def _is_within(row: Attempts | None, window: int, now: int) -> bool:
    """Whether the row was begun within the last `window` seconds."""
    return row is not None and 0 <= now - row.since < window


def _count(row: Attempts | None, now: int) -> int:
    """The letters of this hour."""
    return row.failures if row and 0 <= now - row.since < HOUR else 0


def one_unproved(asked: Iterable[Asked | None]) -> tuple[list[Asked], str]:
    """The commands to do, and the line of the first one left out. Of the commands that prove nothing, which anybody
    could have sent, only the first is done. A password proves its player for the whole mail."""
    known = [one for one in asked if one is not None]
    if not any(one.proof in UNPROVED for one in known):
        return known, ""
    proved = {one.by for one in known if one.proof == Proofs.PASSWORD}
    known = [
        replace(one, proof=Proofs.LETTER) if one.proof == Proofs.FROM and one.by in proved else one for one in known
    ]
    loose = [at for at, one in enumerate(known) if one.proof in UNPROVED]
    return [one for at, one in enumerate(known) if at not in loose[1:]], known[loose[1]].line if loose[1:] else ""


def _part(whole: int, percent: int) -> int:
    return max(1, whole * percent // 100) if whole else 0
