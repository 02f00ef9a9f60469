"""From an envelope to an SMTP answer: proved commands are done before the 250, others are stored and done later.

What the answer may depend on. Registered and unregistered senders get the same code for the same mail after the same
time, so that nobody can find out who plays here (P5). So commands that prove nothing are only stored before the answer
and done later (mailbot.store.unproved). Nothing here looks up whose their From is, and they are masked as for somebody
we do not know. proof/asker.py finds out who asks. Only proved commands are answered by letter (B3); anyone may ask for
`help` and `signup`, within budgets (proof/budgets.py) and under the caps of the outbox (core/caps.py).
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from mailbot.core.caps import HOUR
from mailbot.core.commands import ROWS
from mailbot.core.handle import parted
from mailbot.core.language.courtesy import passed_on
from mailbot.core.language.passed import without_passwords
from mailbot.core.language.script import is_for_players, is_new, read
from mailbot.core.mail import incoming as mails
from mailbot.core.mail.addresses import Own
from mailbot.core.model import DAY, Player
from mailbot.core.operator import orders
from mailbot.core.world import Asked, Proofs, Request
from mailbot.shell.aside import poison, unanswered
from mailbot.shell.aside.unanswered import key_of
from mailbot.shell.aside.unproved import Unproved
from mailbot.shell.log import outcomes
from mailbot.shell.log.outcomes import Refused
from mailbot.shell.metrics.counts import Counts
from mailbot.shell.proof import answers, passwords
from mailbot.shell.proof.asker import Asker, Sender
from mailbot.shell.proof.auth import Auth, Busy
from mailbot.shell.proof.budgets import Budgets, Spent, too_many
from mailbot.shell.proof.operator import Operator
from mailbot.shell.smtp.fronts import Front
from mailbot.shell.smtp.wire import Envelope, Pace, Status, sources_of
from mailbot.shell.writer import Unwritten, Writer, told_of
from mailbot.store import seen, unproved
from mailbot.store.admin import by_mail
from mailbot.store.posting import Caused
from mailbot.store.reads import Reads
from mailbot.store.store import Store

PATIENCE = 2 * HOUR
"""Seconds for which a server in front waits at most until a mail that proves nothing has a budget. After days it would
send the mail back to a sender who may be forged, and a note about the delay before."""
OPERATORS = DAY
"""The same for a mail to the operator, whose mails are counted for a day."""
WAITING, NETWORKS = 2_000_000, 10
"""Octets of such mails that one network may leave in the queue of a server in front within an hour, and how many times
as much all of them may: that queue fills our disk. Each try counts."""

_NO_ROOM = (unproved.Put.FULL, unproved.Put.TOO_LONG)

Incoming = mails.Mail | mails.Ignore | mails.Malformed

log = logging.getLogger("mailbot.reception")


CROWDED = "its network sends too many mails"


class Reception:
    """Takes whole mails. `now` gives unix seconds, `nonce` a fresh random text for a generated password."""

    def __init__(
        self,
        own: Own,
        reads: Reads,
        writer: Writer,
        auth: Auth,
        budgets: Budgets,
        keys: dict[int, bytes],
        *,
        now: Callable[[], int],
        nonce: Callable[[], str],
        front: Front | None = None,
        front_mta: bool = False,
        operator: Operator | None = None,
        counts: Counts | None = None,
        mails_per_minute: int = 30,
    ) -> None:
        self.own = own
        self._mails = (counts or Counts()).mails
        self._reads = reads
        self._games = reads.catalogue.words()
        self._writer = writer
        self._auth = auth
        self._budgets = budgets
        self._keys = keys
        self._now = now
        self._front = front or Front()
        self._front_mta = front_mta
        self._operator = operator
        self._waiting = Pace(WAITING, HOUR)
        self._guarded = Pace(mails_per_minute * 10, 600)
        self._answers = Pace(mails_per_minute * 100, 600)
        self.unproved = Unproved(reads, writer, now, keys[max(keys)])
        self.asker = Asker(own, reads, writer, auth, budgets, keys, self.unproved, now=now, nonce=nonce)

    def mailbox_exists(self, address: str) -> bool:
        """Whether we take mail for this address; we do for every well-formed token address."""
        return self.own.classify(address) is not None

    async def accept(self, envelope: Envelope) -> Status:
        """Does what the mail asks for; its effect is durable when this returns 250."""
        now = self._now()
        if await poison.refused(self._writer, envelope, now):
            self._mails["refused"] += 1
            return Status.MALFORMED

        def in_pace(mail: mails.Mail) -> bool:
            return not self._front_mta or self._guarded.spend(self._paced(self._front.source(envelope, mail)), now)

        mail = self._read(envelope, in_pace)
        status = await self._answer(mail, envelope, now)
        if status.passing and isinstance(mail, mails.Mail):
            self._front.put_off(envelope, mail, now)
        return status

    async def _answer(self, mail: Incoming, envelope: Envelope, now: int) -> Status:
        try:
            if isinstance(mail, mails.Malformed):
                raise Refused(Status.MALFORMED, f"malformed: {mail.reason}")
            if isinstance(mail, mails.Ignore):
                return await self._ignored(mail, envelope, now)
            return await self._commands(mail, envelope, now)
        except Spent as spent:
            assert isinstance(mail, mails.Mail)
            patient = self._front.waited(mail, now) < PATIENCE
            drops = self._drops(mail, envelope, patient, f"the budget for {spent} is used up", now)
            return Status.ACCEPTED if drops else spent.status
        except Refused as refused:
            how = outcomes.unheard(refused.status, front_mta=self._front_mta)
            how = "seen before" if refused.why is outcomes.KNOWN else how
            self._mails[how.replace(" ", "_")] += 1
            log.log(refused.level, "mail %s: %s: %s", envelope.mark, how, refused.why)
            return refused.status
        except Unwritten:
            self._mails["put_off"] += 1
            log.warning("mail %s: put off: the database cannot be written", envelope.mark)
            return Status.TEMPORARY
        except Busy as busy:
            assert isinstance(mail, mails.Mail)
            # It may have waited for days because we were not there, and be a move.
            patient = self._front.put_off_for(mail, now) < PATIENCE
            drops = self._drops(mail, envelope, patient, str(busy) or "too many passwords are being checked", now)
            if drops:
                self.asker.crowded(mail, self._front.source(envelope, mail), envelope.mark)
            return Status.ACCEPTED if drops else Status.BUSY

    def _read(self, envelope: Envelope, *in_full: Callable[[mails.Mail], bool]) -> Incoming:
        octets = (envelope.content, envelope.mail_from, envelope.rcpt_tos)
        return self._writer.reading(envelope.digest, mails.read, *octets, self.own, *in_full)

    def _unpaced(self, mail: mails.Mail, envelope: Envelope, source: str) -> mails.Mail:
        """The whole mail. It answers one of our letters, so its count is taken back, and it counts as an answer; there
        can be many more of those. Raises Busy."""
        if not self._answers.spend(self._paced(source), self._now()):
            raise Busy(CROWDED)
        if mail.whole:
            self._guarded.add(self._paced(source), -1)
            return mail
        whole = self._read(envelope)
        assert isinstance(whole, mails.Mail)
        return whole

    def _paced(self, source: str) -> Mapping[str, int]:
        """The networks for which a mail counts. A server in front brings everybody's mail over a few connections, in
        order of arrival, so we count here. Without one, the listener counts, and nothing is counted here."""
        return sources_of(source) if self._front_mta and self._budgets.site(source) else {}

    async def _ignored(self, mail: mails.Ignore, envelope: Envelope, now: int) -> Status:
        status = Status.LOOP if mail.reason == "hops" else Status.ACCEPTED
        said = f"{outcomes.unheard(status, front_mta=self._front_mta)}: {mail.reason}"
        how = "ignored"
        if mail.kind == "operator":
            kept = await self._for_operator(mail, envelope, now)
            said = outcomes.for_operator(kept)
            how = "for_operator" if kept else "dropped"
        elif mail.kind == "bounce":
            said = await unanswered.count(self._writer, self.own, self._keys, envelope, mail.dedupe, now)
            how = "bounce"
        self._mails[how] += 1
        log.info("mail %s: %s", envelope.mark, said)
        return status

    async def _for_operator(self, mail: mails.Mail | mails.Ignore, envelope: Envelope, now: int) -> bool:
        """Keeps a mail to postmaster or abuse. If there have been too many, raises Refused, so that the sender comes
        later; False if a server in front has done that for long enough."""
        source = self._budgets.site(self._front.source(envelope, mail))
        kept = await unanswered.keep(self._writer, self._games, envelope, source, mail.dedupe, now)
        if not kept and self._may_wait(mail, envelope, self._front.waited(mail, now) < OPERATORS, now):
            raise Refused(Status.MAILBOX_FULL, outcomes.for_operator(kept))
        return kept

    def _may_wait(self, mail: mails.Mail | mails.Ignore, envelope: Envelope, patient: bool, now: int) -> bool:
        """Whether the mail may come again. A server in front must not wait for ever (`patient`: it has not waited for
        too long), because it would bounce the mail, nor keep too much."""
        if not self._front_mta:
            return True
        ip = self._front.source(envelope, mail)
        sources = {**(sources_of(ip) if ip else {}), "everybody": NETWORKS}
        if not patient or self._waiting.over(sources, now):
            return False
        self._waiting.add(sources, len(envelope.content))
        return True

    def _drops(self, mail: mails.Mail, envelope: Envelope, patient: bool, why: str, now: int) -> bool:
        """Whether a mail that cannot be done now is dropped, because it may not wait. Counts and logs it."""
        drops = not self._may_wait(mail, envelope, patient, now)
        how = "dropped" if drops else "put off"
        self._mails[how.replace(" ", "_")] += 1
        log.warning("mail %s: %s: %s", envelope.mark, how, why)
        return drops

    async def _commands(self, mail: mails.Mail, envelope: Envelope, now: int) -> Status:
        """Does the commands; keeps a copy for the operator if the mail also went to postmaster or abuse."""
        copied = any(box and box.kind in ("postmaster", "abuse") for box in map(self.own.classify, mail.recipients))
        if copied:
            kept = False
            with suppress(Refused):  # no room for the copy, which must not hold up a move
                kept = await self._for_operator(mail, envelope, now)
            log.info("mail %s: %s", envelope.mark, outcomes.for_operator(kept))
        try:
            return await self._carry_out(mail, envelope, now)
        except Refused as refused:
            if not copied or not refused.status.permanent:
                raise
            self._mails["for_operator"] += 1
            log.log(refused.level, "mail %s: not done: %s", envelope.mark, refused.why)
            return Status.ACCEPTED

    def _writes_from(self, address: str, asked: list[Asked]) -> bool:
        """Whether this is an address of a player whom these commands prove; a From may be anybody's."""
        return not {player.id for player in self._reads.players_at(address)}.isdisjoint(
            one.by for one in asked if one.proved
        )

    async def _carry_out(self, mail: mails.Mail, envelope: Envelope, now: int) -> Status:
        source = self._front.source(envelope, mail)
        if self._operator and (token := answers.operators(self._operator, mail, self.own, self._keys)):
            post = answers.lifted(self._auth, self._operator, token, source, now)
            await self._writer.do(lambda store: store.answer(post, key_of(mail.dedupe, token), now))
            self._mails["taken"] += 1
            log.info("mail %s: the operator answered a letter about a lock", envelope.mark)
            return Status.ACCEPTED

        def is_anew() -> bool:
            return self._writer.reading(envelope.digest, is_new, mail.subject, mail.text, ROWS, self._games)

        sender = self.asker.sender(mail, source, envelope.mark, is_anew)
        if sender.token:
            mail = self._unpaced(mail, envelope, source)
        elif not mail.whole:
            raise Busy(CROWDED)
        dedupe = key_of(mail.dedupe, sender.token)
        if self._operator and not sender.token and (order := orders.read(mail.text)):
            players = self._writer.reading(envelope.digest, is_for_players, mail.subject, ROWS, self._games)
            try:
                if not players:
                    return await self._ordered(order, self._operator, mail, sender, now)
                mail = mail._replace(text=orders.hidden(mail.text))
            except Refused as unheard:
                if not self._front_mta:
                    raise
                how = outcomes.unheard(unheard.status, front_mta=True)
                log.log(unheard.level, "mail %s: %s: %s", envelope.mark, how, unheard.why)
                mail = mail._replace(text="")  # no refusal gets through, so a player hears that there was no command
        kind = sender.token.kind if sender.token else ""
        names = self._reads.names([sender.holder] if sender.holder else [])
        script = self._writer.reading(envelope.digest, read, mail.subject, mail.text, kind, ROWS, self._games, names)
        stale = [command for command in script.commands if command.password and not passwords.fresh(mail.date, now)]
        if stale and not self._front_mta:
            raise Refused(Status.STALE, outcomes.STALE)
        new = [command for command in script.commands if command.secret or command.name == "signup"]
        if new and seen.of(self._reads.db, dedupe):
            raise Refused(Status.ACCEPTED, outcomes.KNOWN)
        if stale or len(new) > 1:  # each new password costs a hash
            asked, theirs = [passwords.untimely(stale[0]) if stale else passwords.one_at_a_time(new[0])], list[Player]()
        else:
            asked, theirs = await self.asker.asked(script.commands, sender, now)
        asked, undone, left = self._budgets.admitted(asked, sender.source, sender.addr, now)
        names = self._reads.names(theirs, unproved=not theirs or not asked[-1].proof)
        secrets = [word for command in script.commands for word in (command.password, command.secret) if word]
        proves = any(one.proved for one in asked)
        text = ""
        if proves:  # nobody else gets a text, and it takes long
            if sender.theirs or self._writes_from(sender.addr, asked):
                self._budgets.reads_at(sender.addr, now)
            text = self._writer.reading(
                envelope.digest,
                lambda: passed_on(without_passwords(script.text, ROWS, self._games, names, secrets)),
            )
        request = Request(
            now=now,
            asked=tuple(asked),
            player=next((one.by for one in asked if one.by), 0),
            sender=sender.addr,
            text=text,
            unread=f"{script.unread} {left}".strip(),
            undone=undone,
            message_id=mail.message_id or "",
            dedupe=dedupe,
            token=(sender.token.kind, sender.token.ref, sender.token.stamp) if sender.token else None,
            mark=sender.mark,
            came=self._front.arrived(envelope, mail, now),
        )
        wanting = [one for one in asked if one.proof == Proofs.WANTING]
        if wanting and not proves:
            refused = replace(request, asked=(wanting[0],), player=0, text="", unread="", undone="")
            return await self._wanting(refused, sender.source, outcomes.STALE if stale else outcomes.WANTING)
        every = all(one.proof for one in asked)
        proved, other = (request, None) if every else parted(request, key_of(dedupe, "unproved"))
        came = await self._take(proved, other, sender.source)
        if other:
            how = "seen before" if came is unproved.Put.KNOWN else "kept"
            self._mails[how.replace(" ", "_")] += proved is None
            log.info("mail %s: %s: %s", other.mark, how, outcomes.named(other))
        return Status.ACCEPTED

    async def _wanting(self, request: Request, source: str, why: str) -> Status:
        """The answer to a mail whose command needs a proof and has none. There is one answer, never two: a command gets
        a letter, later and only if the sender is a player; a mail without a command gets a refusal that names `help`.
        Behind an MTA, which passes no refusal on, both get a letter. Only the words decide, not the From (P5)."""
        named = bool(request.asked[0].name)
        if named or self._front_mta:
            await self._take(None, request, source)
        why = f"{why}: {outcomes.named(request)}"
        if not named:
            raise Refused(Status.NO_COMMAND, why)
        self._mails["kept"] += 1
        log.info("mail %s: kept: %s", request.mark, why)
        return Status.ACCEPTED

    async def _ordered(
        self, order: orders.Order, operator: Operator, mail: mails.Mail, sender: Sender, now: int
    ) -> Status:
        """Carries out the operator's order, if it is from the operator (any From may try)."""
        if not passwords.fresh(mail.date, now):
            raise Refused(Status.STALE, outcomes.STALE)
        await self.asker.check_order(order, operator, mail, sender, now)
        to, answers = operator.address, mail.message_id or ""
        about = await self._writer.do(lambda store: by_mail(store, order, to, mail.dedupe, answers, now, sender.mark))
        self._mails["taken"] += 1
        log.info("mail %s: the operator: %s, %s", sender.mark, order.name or "unreadable", about)
        return Status.ACCEPTED

    async def _take(self, request: Request | None, later: Request | None, source: str) -> unproved.Put:
        """The transaction: does the proved commands, stores the others, and returns whether those were stored.
        `source`: the IP address that the mail comes from. A mail that breaks the code is set aside, because the bug is
        ours. Raises Spent if there is no room, Refused for what is too long; then nothing has happened."""

        def take(store: Store, told: str = "") -> tuple[unproved.Put, Caused | int | None]:
            put = unproved.put(store, later, self._budgets.site(source)) if later else unproved.Put.KEPT
            mine = request
            if put is unproved.Put.FULL and request and later:  # a move in the same mail must not wait with it
                left = f"{request.unread} {too_many(later.asked[0].name)}".strip()
                put, mine = unproved.Put.KEPT, replace(request, unread=left)
            if mine is None or put in _NO_ROOM:
                return put, None
            if told or store.poisonous(mine.dedupe):
                return put, store.set_aside(mine, told or "the process died three times over this mail")
            caused = store.enter(mine)
            all_refused = caused and caused.refused == len(mine.asked)
            if caused and all_refused and caused.held and not (caused.letters or caused.digested):
                store.forget(mine.dedupe)  # nothing has been done or said, so nothing need be known
            return put, caused

        broke: Exception | None = None
        try:
            put, came = await self._writer.do(take, request.dedupe if request else "")
        except Unwritten:
            raise
        except Exception as error:
            broke, told = error, told_of(error)
            put, came = await self._writer.do(lambda store: take(store, told))
        if put is unproved.Put.FULL:
            raise Spent("mails that prove nothing")
        if put is unproved.Put.TOO_LONG:
            raise Refused(Status.NOT_ACCEPTED, "too long for a mail that proves nothing")
        if later:
            self.unproved.wake.set()
        if request:
            self._mails[outcomes.short(request, came)] += 1
        if request and broke and isinstance(came, int):
            log.error("mail %s: %s", request.mark, outcomes.broken(request, came, broke))
        elif request and log.isEnabledFor(logging.INFO):
            log.info("mail %s: %s", request.mark, outcomes.done(request, came))
        return put

    async def settled(self) -> None:
        """Waits for the work that goes on after the answers."""
        await self.asker.settled()
