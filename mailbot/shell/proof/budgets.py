"""The limits for mails that prove nothing, because anybody could have sent them: one command, within a budget.

There are three budgets an hour: help, letters of consent to a sign-up, and letters about a forgotten password. One
network, and one domain of addresses, can use only a share of each, and the budgets are independent. A mail beyond a
budget gets 451: nothing is done, and it can come again later. It makes no difference whether the sender is a player,
so the answer reveals nothing.

Keys of the store hold no address and no network, only their HMAC.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from engine.errors import Unreadable
from mailbot.core.caps import HOUR, Caps
from mailbot.core.commands import BY_NAME
from mailbot.core.commands.account import to_ask
from mailbot.core.mail.addresses import Own, owner
from mailbot.core.players.attempts import WIDER, Limit, after_failure, allowed
from mailbot.core.world import UNPROVED, Asked, Proofs
from mailbot.shell.proof.auth import AttemptStore, hidden, networks
from mailbot.shell.smtp.wire import Status

BUDGETS: Mapping[str, str] = {"help": "help", "forgot": "forgot"}
"""Commands that use up a budget when they have been read, by name."""

ALL = ("help", "signup", "forgot", "login")
"""The names of the budgets."""

OUR_OWN = "No letters can go to an address of this server itself."
"""Why such an address is not asked."""

ASKED_ENOUGH = "So many new addresses have been asked in this hour that I ask no more. Try again in an hour."
"""What a player who has shown a password hears beyond the budget: such a mail must not wait for days elsewhere."""

ASKING = ("signup", "change address", "add")
"""Commands that ask addresses for their consent. They use up their budget before a password is hashed."""


LOCAL = ("127.0.0.0/24", "::/64")
"""The networks of this machine itself."""


def unaskable(addresses: Sequence[str], own: Own) -> str:
    """Why these addresses cannot be asked for their consent, as one sentence; "" if they can."""
    try:
        to_ask(addresses)
    except Unreadable as wrong:
        return str(wrong)
    return OUR_OWN if own.among(addresses) else ""


def too_many(command: str) -> str:
    """What a player hears whose mail has proved other commands, but not this one."""
    again = "Send it again later, in a mail of its own."
    return f"'{command}' was not done: too many mails without a password have come. {again}"


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
        left = ""
        admitted: list[Asked] = []
        for one in known:
            row = BY_NAME.get(one.name)
            # the answer to an unreadable command says how to write it, which is help; a sign-up is already counted
            budget = "help" if one.trouble else BUDGETS.get(one.name)
            try:
                if row and row.needs == "anyone" and budget and not one.proved:
                    self.spend(budget, source, [address], now)
            except Spent:
                if not any(other.proved for other in known):
                    raise
                left = too_many(one.name)
            else:
                admitted.append(one)
        return admitted, undone, left

    def spend(self, budget: str, source: str, addresses: Iterable[str], now: int) -> None:
        """Counts one letter to each address. Raises Spent, and counts nothing, if that would be too many.

        `source`: where the mail comes from. Anything but an IP address means unknown, and only then no network counts.
        An address "" means one that is not known yet, and only then no domain counts.
        """
        limits = [self._limits(budget, source, address) for address in addresses]
        rows = {key: self._store.get(key) for one in limits for key in one}
        for one in limits:
            if any(limit.failures < 1 or not allowed(rows[key], now, limit) for key, limit in one.items()):
                raise Spent(budget)
            rows |= {key: after_failure(rows[key], now, limit) for key, limit in one.items()}
        for key, row in rows.items():
            if row is not None:
                self._store.put(key, row)

    def spent(self, now: int) -> list[str]:
        """The budgets that are used up for everybody."""

        def is_spent(budget: str) -> bool:
            whole = self._limits(budget, "", "")
            return any(not allowed(self._store.get(key), now, limit) for key, limit in whole.items())

        return [budget for budget in ALL if is_spent(budget)]

    def site(self, source: str) -> str:
        """A mark of the network that a mail comes from, the /24 or the /48, which reveals nothing about it; "" if that
        is unknown, and for this machine itself."""
        lies_in = networks(source)
        if lies_in.get("", LOCAL[0]) in LOCAL:
            return ""
        return hidden(self._key, "site", list(lies_in.values())[-1])

    def _limits(self, budget: str, source: str, address: str) -> dict[str, Limit]:
        return {
            hidden(self._key, "budget", f"{budget}|{subject}"): Limit(most, window=HOUR, lock=HOUR, longest=HOUR)
            for subject, most in self._shares(source, address)
        }

    def _shares(self, source: str, address: str) -> Iterator[tuple[str, int]]:
        """The names that count this letter, and up to how many each."""
        whole = self._caps.stranger_letters_per_hour
        yield "all", whole
        lies_in = networks(source)
        if lies_in.get("") in LOCAL:
            return  # this machine itself has no share
        if domain := owner(address):
            yield f"domain {domain}", _share(whole, self._caps.domain_percent)
        for wide, network in lies_in.items():
            percent = self._caps.source_percent
            if wide:  # no single network may use up the share of a domain
                percent = max(percent, min(self._caps.domain_percent * 3 // 4, percent * WIDER[int(wide[1:])]))
            yield f"network {network}", _share(whole, percent)


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


def _share(whole: int, percent: int) -> int:
    return max(1, whole * percent // 100) if whole else 0
