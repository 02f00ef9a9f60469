"""From an envelope to an SMTP answer: who asks is proved here, and everything that is asked is done before the 250.

What the answer may depend on. A sender whose address is registered, and one whose address is not, get the same code
for the same mail, so that nobody can find out who plays here (P5). A wrong password, an unknown
userid and a locked account are one code as well. Only words that are proved are answered by letter (B3); `help` and
`signup` may be asked by anyone, under the caps of the outbox.
"""

import asyncio
import logging
import traceback
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace

from mailbot.core import tokens
from mailbot.core.commands import BY_NAME, ROWS
from mailbot.core.commands.account import password_trouble
from mailbot.core.effects import Post
from mailbot.core.language import me
from mailbot.core.language.courtesy import passed_on
from mailbot.core.language.grammar import Row
from mailbot.core.language.script import Command, read, without_passwords
from mailbot.core.mail import incoming as mails
from mailbot.core.mail.addresses import Own, key
from mailbot.core.model import DAY, Player
from mailbot.core.operator import orders
from mailbot.core.tokens import Token
from mailbot.core.world import Asked, Request
from mailbot.shell import poison, unanswered
from mailbot.shell.log import outcomes
from mailbot.shell.log.outcomes import Refused
from mailbot.shell.proof import answers, passwords
from mailbot.shell.proof.auth import Auth, Busy, Credential, Verdict
from mailbot.shell.proof.operator import ACCOUNT, Operator
from mailbot.shell.smtp.fronts import Front
from mailbot.shell.smtp.wire import Envelope, Status
from mailbot.shell.unanswered import key_of
from mailbot.shell.writer import Unwritten, Writer
from mailbot.store.admin import by_mail
from mailbot.store.reads import Reads
from mailbot.store.store import Caused, Store

STALE = 7 * DAY
"""A mail with a password that was written longer ago is not believed (P3)."""

WANTING = "wanting"
"""The proof of a command that needs one and came without: it is refused, and a registered sender is told why."""

log = logging.getLogger("mailbot.reception")


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sent a mail. `players`: whose From address it is (just the `holder` of a token, if theirs). `mark`: of the
    mail, for the log."""

    addr: str
    source: str
    players: tuple[Player, ...]
    token: Token | None
    holder: Player | None
    mark: str


class Reception:
    """Takes whole mails. `now` gives unix seconds, `nonce` a fresh random text for a generated password."""

    def __init__(
        self,
        own: Own,
        reads: Reads,
        writer: Writer,
        auth: Auth,
        keys: dict[int, bytes],
        *,
        now: Callable[[], int],
        nonce: Callable[[], str],
        front: Front | None = None,
        front_mta: bool = False,
        operator: Operator | None = None,
    ) -> None:
        self.own = own
        self._reads = reads
        self._games = reads.catalogue.words()
        self._writer = writer
        self._auth = auth
        self._keys = keys
        self._now = now
        self._nonce = nonce
        self._front = front or Front()
        self._front_mta = front_mta
        self._operator = operator
        self._notices: set[asyncio.Task[None]] = set()

    def mailbox_exists(self, address: str) -> bool:
        """Whether mail for this address is taken at all; every well-formed token address is."""
        return self.own.classify(address) is not None

    async def accept(self, envelope: Envelope) -> Status:
        """Does what the mail asks; the answer is durable when this returns 250."""
        now = self._now()
        if await poison.refused(self._writer, envelope, now):
            return Status.MALFORMED
        octets = (envelope.content, envelope.mail_from, envelope.rcpt_tos)
        mail = self._writer.reading(envelope.digest, mails.read, *octets, self.own)
        try:
            if isinstance(mail, mails.Malformed):
                raise Refused(Status.MALFORMED, f"malformed: {mail.reason}")
            if isinstance(mail, mails.Ignore):
                return await self._ignored(mail, envelope, now)
            return await self._commands(mail, envelope, now)
        except Refused as refused:
            how = outcomes.unheard(refused.status, front_mta=self._front_mta)
            log.log(refused.level, "mail %s: %s: %s", envelope.mark, how, refused.why)
            return refused.status
        except Unwritten:
            log.warning("mail %s: put off: the database cannot be written", envelope.mark)
            return Status.TEMPORARY
        except Busy:
            log.warning("mail %s: put off: too many passwords are being checked", envelope.mark)
            return Status.BUSY

    async def _ignored(self, mail: mails.Ignore, envelope: Envelope, now: int) -> Status:
        status = Status.LOOP if mail.reason == "hops" else Status.ACCEPTED
        said = f"{outcomes.unheard(status, front_mta=self._front_mta)}: {mail.reason}"
        if mail.kind == "operator":
            status = await self._for_operator(envelope, mail.dedupe, now)
            said = "kept for the operator" if status is Status.ACCEPTED else "put off: too many for the operator today"
        elif mail.kind == "bounce":
            said = await unanswered.count(self._writer, self.own, self._keys, envelope, mail.dedupe, now)
        log.info("mail %s: %s", envelope.mark, said)
        return status

    async def _for_operator(self, envelope: Envelope, dedupe: str, now: int) -> Status:
        """Keeps a mail to postmaster or abuse; a later time is asked for where there have been too many."""
        source = self._auth.network(envelope.peer)
        kept = await unanswered.keep(self._writer, self._games, envelope, source, dedupe, now)
        return Status.ACCEPTED if kept else Status.MAILBOX_FULL

    async def _commands(self, mail: mails.Mail, envelope: Envelope, now: int) -> Status:
        """Does the commands; a copy for the operator is kept where the mail went to postmaster or abuse as well."""
        copied = any(box and box.kind in ("postmaster", "abuse") for box in map(self.own.classify, mail.recipients))
        if copied:
            if (full := await self._for_operator(envelope, mail.dedupe, now)) is not Status.ACCEPTED:
                raise Refused(full, "too many for the operator today")
            log.info("mail %s: kept for the operator", envelope.mark)
        try:
            return await self._done(mail, envelope, now)
        except Refused as refused:
            if not copied or not refused.status.permanent:
                raise
            log.log(refused.level, "mail %s: not done: %s", envelope.mark, refused.why)
            return Status.ACCEPTED

    async def _done(self, mail: mails.Mail, envelope: Envelope, now: int) -> Status:
        source = self._front.source(envelope, mail)
        if self._operator and (token := answers.operators(self._operator, mail, self.own, self._keys)):
            post = answers.lifted(self._auth, self._operator, token, source, now)
            await self._writer.do(lambda store: store.answer(post, key_of(mail.dedupe, token), now))
            log.info("mail %s: the operator answered a letter about a lock", envelope.mark)
            return Status.ACCEPTED
        sender = self._sender(mail, source, envelope.mark)
        dedupe = key_of(mail.dedupe, sender.token)
        if self._operator and not sender.token and (order := self._operator.order(mail)):
            return await self._ordered(order, self._operator, mail, sender, now)
        names = self._reads.names([*sender.players, *([sender.holder] if sender.holder else [])])
        kind = sender.token.kind if sender.token else ""
        script = self._writer.reading(envelope.digest, read, mail.subject, mail.text, kind, ROWS, self._games, names)
        if any(command.password for command in script.commands) and not _fresh(mail.date, now):
            raise Refused(Status.REFUSED, outcomes.STALE)
        if sum(bool(command.secret or command.name == "signup") for command in script.commands) > 1:
            raise Refused(Status.REFUSED, "two new passwords")  # each costs a hash, and nobody honest needs two
        asked = [await self._asked(command, sender, now) for command in script.commands]
        known = [one for one in asked if one is not None]
        if not known:
            # As long as it takes to answer somebody known: the time must not tell either.
            await self._writer.do(lambda store: store.remember(dedupe, now, sender.mark, "a stranger's, not answered"))
            log.info("mail %s: dropped: of no player, and nothing that a stranger may ask", sender.mark)
            return Status.ACCEPTED
        secrets = [word for command in script.commands for word in (command.password, command.secret) if word]
        request = Request(
            now=now,
            asked=tuple(known),
            player=next((one.by for one in known if one.by), 0),
            sender=sender.addr,
            text=self._writer.reading(
                envelope.digest,
                lambda: passed_on(without_passwords(script.text, ROWS, self._games, names, secrets)),
            ),
            unread=script.unread,
            message_id=mail.message_id or "",
            dedupe=dedupe,
            token=(sender.token.kind, sender.token.ref, sender.token.stamp) if sender.token else None,
            mark=sender.mark,
        )
        wanting = tuple(one for one in known if one.proof == WANTING)
        if not wanting:
            return await self._take(request)
        if sender.players:
            self._behind(lambda store: store.take(replace(request, asked=wanting, text="", unread="")), sender.mark)
        raise Refused(Status.NOT_ACCEPTED, f"neither password nor reply token: {outcomes.named(request)}")

    async def _ordered(
        self, order: orders.Order, operator: Operator, mail: mails.Mail, sender: Sender, now: int
    ) -> Status:
        """Carries out what the operator orders, if it is the operator; else it ends as any wrong password does."""
        if not _fresh(mail.date, now):
            raise Refused(Status.REFUSED, outcomes.STALE)
        source = sender.source
        verdict = await self._auth.verify(operator.credential, ACCOUNT, order.password, source, now, own=True)
        if verdict is Verdict.BUSY:
            raise Busy
        self._tell_of_lock(verdict, 0, ACCOUNT, operator.address, sender)
        if verdict is not Verdict.OK:
            why = f"{outcomes.guessed(verdict, source)}, in the operator's name"
            raise Refused(Status.NOT_ACCEPTED, why, logging.WARNING)
        to, answers = operator.address, mail.message_id or ""
        about = await self._writer.do(lambda store: by_mail(store, order, to, mail.dedupe, answers, now, sender.mark))
        log.info("mail %s: the operator: %s, %s", sender.mark, order.name or "unreadable", about)
        return Status.ACCEPTED

    async def _take(self, request: Request) -> Status:
        """The transaction; a mail that breaks the code is set aside with a 250, for it is ours to mend."""

        def take(store: Store) -> Caused | int | None:
            if store.poisonous(request.dedupe):
                return store.set_aside(request, "the process died three times over this mail")
            return store.take(request)

        try:
            came = await self._writer.do(take, request.dedupe)
            if log.isEnabledFor(logging.INFO):
                log.info("mail %s: %s", request.mark, outcomes.done(request, came))
        except Unwritten:
            raise
        except Exception as error:
            where = "".join(traceback.format_tb(error.__traceback__))
            told = f"{type(error).__name__}\n{where}"  # never the message: it may quote the mail
            number = await self._writer.do(lambda store: store.set_aside(request, told))
            log.error(
                "mail %s: set aside as %d: %s, %s", request.mark, number, outcomes.named(request), type(error).__name__
            )
        return Status.ACCEPTED

    # -- who asks -------------------------------------------------------------------------------------------------

    def _sender(self, mail: mails.Mail, source: str, mark: str) -> Sender:
        boxes = {box for box in map(self.own.classify, mail.recipients) if box}
        texts = {box.token for box in boxes if box.kind == "token"}
        if not texts:
            return Sender(mail.sender, source, tuple(self._reads.players_at(mail.sender)), None, None, mark)
        if len(texts) > 1:
            raise Refused(Status.NOT_ACCEPTED, "two reply tokens")
        unverified = tokens.read(texts.pop())
        holder, theirs = self._reads.holder(unverified.token.player if unverified else 0, mail.sender)
        if not unverified or not holder or not answers.verified(unverified, self._keys, holder):
            raise Refused(Status.NOT_ACCEPTED, "a reply token that is damaged or no longer good")
        if not theirs and unverified.token.kind not in answers.FROM_ANYWHERE:
            self._notice(holder, "strange", "A letter that was not yours", mark)
            board = f", board {unverified.token.ref}" if unverified.token.kind in tokens.OF_BOARD else ""
            raise Refused(Status.NOT_ACCEPTED, f"a reply token of another player{board}")
        players = (holder,) if theirs else tuple(self._reads.players_at(mail.sender))
        return Sender(mail.sender, source, players, unverified.token, holder, mark)

    async def _asked(self, command: Command, sender: Sender, now: int) -> Asked | None:
        """The command with its asker; None for words that a stranger may say without being heard."""
        row = BY_NAME.get(command.name)
        by, proof = await self._who(command, row, sender, now)
        args = me.named(command.args, lambda: self._reads.player(by))
        needs = row.needs if row and (not command.trouble or row.needs == "anyone") else "proof"
        if needs == "known" and not by:
            return None
        trouble = command.trouble
        if needs == "proof" and proof in ("", "from"):
            if sender.token and row:
                trouble, proof = f"The letter you answered is not one that '{row.name}' can answer.", "token"
            else:
                proof = WANTING
        asked = Asked(command.name, command.game, args, by, proof, line=command.line, trouble=trouble)
        if asked.name == "unlock" and sender.token and sender.holder:
            token, userid = sender.token, sender.holder.userid
            return replace(asked, args={"lifted": self._auth.lift(userid, sender.source, token.stamp, token.ref, now)})
        if proof == WANTING or command.trouble or not row or not row.sets_password:
            return asked
        return await self._with_password(asked, command, sender)

    async def _who(self, command: Command, row: Row | None, sender: Sender, now: int) -> tuple[int, str]:
        if command.password:
            return await self._by_password(command, sender, now), "password"
        token, holder = sender.token, sender.holder
        if token and holder:
            # What could not be read was still said by whoever holds the letter.
            if holder.state == "pending":
                return 0, "token"
            if not row or command.trouble or token.kind in row.tokens or token.kind in row.whole:
                return holder.id, "token"
            return holder.id, "from"
        named = {key(str(command.args.get(slot, ""))) for slot in me.NAMED}
        players = sorted(sender.players, key=lambda player: key(player.userid) not in named)
        return (players[0].id, "from") if players else (0, "")

    async def _by_password(self, command: Command, sender: Sender, now: int) -> int:
        """The player whose password this is; of two named, the one the sender's address speaks for is tried first."""
        own = {key(player.userid) for player in sender.players}
        mine = [player.userid for player in sender.players]
        named = [name for said in command.userids for name in (mine if key(said) == me.ME and mine else [said])]
        tried, verdict = [], Verdict.WRONG
        for userid in sorted(dict.fromkeys(named), key=lambda name: key(name) not in own):
            player = self._reads.player_named(userid)
            usable = player if player and player.state in ("active", "off") else None
            credential = Credential(usable.id, usable.password_hash, usable.password_version) if usable else None
            verdict = await self._auth.verify(
                credential, userid.lower(), command.password, sender.source, now, own=key(userid) in own
            )
            if verdict is Verdict.OK and player:
                if self._auth.outdated(player.password_hash):
                    self._renew(player, command.password)
                return player.id
            if verdict is Verdict.BUSY:
                raise Busy
            tried.append((usable, verdict))
        for player, verdict in tried:
            if player and not self._tell_of_lock(verdict, player.id, player.userid, "", sender):
                self._notice(player, "logins", "Somebody tried your userid", sender.mark)
        raise Refused(Status.NOT_ACCEPTED, outcomes.guessed(verdict, sender.source), logging.WARNING)

    def _renew(self, player: Player, password: str) -> None:
        """Hashes a right password anew when the hash was made with weaker parameters (P8)."""

        async def renew() -> None:
            try:
                fresh = await self._auth.hash(password)
                await self._writer.do(lambda store: store.rehash(player.id, player.password_hash, fresh))
            except (Busy, Unwritten):
                pass  # the next right password will do

        self._later(renew())

    async def _with_password(self, asked: Asked, command: Command, sender: Sender) -> Asked:
        """The command with the hash of the password it sets; a generated one is known by its nonce only."""
        if asked.proof == "token":
            userid = sender.holder.userid if sender.holder else ""
        else:
            userid = str(command.args.get("userid", ""))
        if asked.name == "signup" and not self._auth.newcomer(sender.source, self._now()):
            raise Refused(Status.TRY_LATER, "too many sign-ups from one network", logging.WARNING)
        if command.secret:
            if trouble := password_trouble(userid, command.secret):
                return replace(asked, args={}, trouble=trouble)
            return replace(asked, secret=(await self._auth.hash(command.secret), ""))
        nonce = self._nonce()
        made = passwords.generated(self._keys[max(self._keys)], nonce)
        return replace(asked, secret=(await self._auth.hash(made), nonce))

    def _notice(self, player: Player, template: str, subject: str, mark: str) -> None:
        """Tells the owner of an account what somebody tried."""
        now = self._now()
        self._behind(lambda store: store.notice(player.id, template, subject, now, mark, userid=player.userid), mark)

    def _tell_of_lock(self, verdict: Verdict, player: int, userid: str, address: str, sender: Sender) -> bool:
        """Tells the owner of an account (0: the operator, at this address) if a lock has begun; False if none has."""
        now = self._now()
        letter = answers.about_lock(self._auth, verdict, player, userid, sender.source, now)
        if letter:
            where = letter.facts["where"]
            log.warning("mail %s: player %d takes no password for a while: %s", sender.mark, player, where)
            post = Post(player, letter, "account", address)
            self._behind(lambda store: store.queue(post, Request(now, (), mark=sender.mark)), sender.mark)
        return letter is not None

    def _behind(self, job: Callable[[Store], Caused | None], mark: str) -> None:
        """Queues a letter behind the answer's back: how long the answer takes must not tell that there is one."""

        async def tell() -> None:
            try:
                caused = await self._writer.do(job)
                if caused and caused.letters:
                    log.info("mail %s: told of it: %s", mark, outcomes.numbers("letter", caused.letters))
            except Exception as error:
                log.warning("mail %s: a notice could not be kept: %s", mark, type(error).__name__)

        self._later(tell())

    def _later(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._notices.add(task)
        task.add_done_callback(self._notices.discard)

    async def settled(self) -> None:
        """Waits for the notices under way."""
        while self._notices:
            await asyncio.gather(*self._notices)


def _fresh(date: int | None, now: int) -> bool:
    """Whether a mail with a password was written lately, by its own clock: an old one may be a replay."""
    return date is not None and -DAY < now - date <= STALE
