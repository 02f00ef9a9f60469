"""From an envelope to an SMTP answer: who asks is proved here, and what is proved is done before the 250.

What the answer may depend on. A sender whose address is registered, and one whose address is not, get the same code
for the same mail after the same time, so that nobody can find out who plays here (P5). So commands
that prove nothing are only kept before the answer and done later (mailbot.store.unproved), and nothing here looks up
whose their From is. A wrong password, an unknown userid and a locked account are one code as well, and one time. Only
words that are proved are answered by letter (B3); `help` and `signup` may be asked by anyone, under the caps of the
outbox.
"""

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256

from mailbot.core import tokens
from mailbot.core.commands import BY_NAME, ROWS
from mailbot.core.commands.account import password_trouble
from mailbot.core.handle import ME, NAMED, WANTING, asked_by, parted, with_name
from mailbot.core.language.courtesy import passed_on
from mailbot.core.language.grammar import Row
from mailbot.core.language.script import Command, read, without_passwords
from mailbot.core.mail import incoming as mails
from mailbot.core.mail.addresses import Own, key
from mailbot.core.model import DAY, Player
from mailbot.core.operator import orders
from mailbot.core.players import bounces
from mailbot.core.tokens import Token
from mailbot.core.world import Asked, Request
from mailbot.shell.proof import passwords
from mailbot.shell.proof.auth import Auth, Busy, Credential, Verdict
from mailbot.shell.proof.operator import ACCOUNT, Operator
from mailbot.shell.smtp.wire import Envelope, Status
from mailbot.shell.unproved import Unproved
from mailbot.shell.writer import Unwritten, Writer, told_of
from mailbot.store import unproved
from mailbot.store.admin import by_mail
from mailbot.store.reads import Reads
from mailbot.store.returned import reported
from mailbot.store.store import Store

_CODES = re.compile(r"\b[45]\.\d{1,3}\.\d{1,3}\b")
STALE = 7 * DAY
"""A mail with a password that was written longer ago is not believed (P3)."""

FROM_ANYWHERE = (tokens.CONFIRM, tokens.UNSUBSCRIBE)
"""Kinds of token that need no registered From: a new address has none yet, and mail programs that unsubscribe for their
owner write what they like. Nothing worse comes of either than a letter that says how to undo it."""

TRIES = 2
"""Passwords that are compared for `me`, at least: as many for a stranger as for somebody with one or two userids."""

_NO_ROOM = {unproved.Put.FULL: Status.BUSY, unproved.Put.TOO_LONG: Status.NOT_ACCEPTED}

log = logging.getLogger("mailbot.reception")


class Refused(Exception):
    """The mail gets this SMTP answer and has no effect."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.name)
        self.status = status


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sent a mail. `holder`: of the token it came to; `theirs`: whether the From is the holder's."""

    addr: str
    source: str
    token: Token | None = None
    holder: Player | None = None
    theirs: bool = False


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
        self._front_mta = front_mta
        self._operator = operator
        self._notices: set[asyncio.Task[None]] = set()
        self.unproved = Unproved(reads, writer, now)

    def mailbox_exists(self, address: str) -> bool:
        """Whether mail for this address is taken at all; every well-formed token address is."""
        return self.own.classify(address) is not None

    async def accept(self, envelope: Envelope) -> Status:
        """Does what the mail asks; the answer is durable when this returns 250."""
        mail = mails.read(envelope.content, mail_from=envelope.mail_from, recipients=envelope.rcpt_tos, own=self.own)
        now = self._now()
        if isinstance(mail, mails.Malformed):
            log.info("malformed mail: %s", mail.reason)
            return Status.MALFORMED
        try:
            if isinstance(mail, mails.Ignore):
                return await self._ignored(mail, envelope, now)
            return await self._commands(mail, envelope, now)
        except Refused as refused:
            return refused.status
        except Unwritten:
            return Status.TEMPORARY
        except Busy:
            return Status.BUSY

    async def _ignored(self, mail: mails.Ignore, envelope: Envelope, now: int) -> Status:
        log.info("not answered: %s", mail.reason)
        if mail.kind == "operator":
            await self._for_operator(envelope, mail.dedupe, now)
        elif mail.kind == "bounce":
            await self._bounced(envelope, mail.dedupe, now)
        return Status.LOOP if mail.reason == "hops" else Status.ACCEPTED

    async def _for_operator(self, envelope: Envelope, dedupe: str, now: int) -> None:
        content = mails.redact(envelope.content, ()).decode()
        masked = orders.masked(without_passwords(content, ROWS, self._games))
        await self._keep("operator", masked, dedupe, now)

    async def _keep(self, kind: str, content: str, dedupe: str, now: int) -> None:
        await self._writer.do(lambda store: store.keep_for_operator(kind, content, _key(dedupe, kind), now))

    async def _bounced(self, envelope: Envelope, dedupe: str, now: int) -> None:
        """Notes a report on one of our letters: which letter, and the codes; never the letter that may lie in it."""
        for box in map(self.own.classify, envelope.rcpt_tos):
            unverified = tokens.read(box.token) if box and box.kind == "bounce" else None
            if unverified and tokens.verify(unverified, self._keys, tokens.BOUNCE_EPOCH):
                kind = bounces.read(envelope.content)
                codes = sorted(set(_CODES.findall(envelope.content[:100_000].decode("ascii", "replace"))))[:10]
                said = f"letter {unverified.token.ref} came back: {', '.join(codes) or 'no code'}"
                key_, letter = _key(dedupe, "bounce"), unverified.token.ref
                await self._writer.do(partial(reported, letter=letter, kind=kind, said=said, dedupe=key_, now=now))

    async def _commands(self, mail: mails.Mail, envelope: Envelope, now: int) -> Status:
        """Does the commands; a copy for the operator is kept where the mail went to postmaster or abuse as well."""
        copied = any(box and box.kind in ("postmaster", "abuse") for box in map(self.own.classify, mail.recipients))
        if copied:
            await self._for_operator(envelope, mail.dedupe, now)
        status = await self._done(mail, envelope, now)
        return Status.ACCEPTED if copied and status.permanent else status

    async def _done(self, mail: mails.Mail, envelope: Envelope, now: int) -> Status:
        sender = self._sender(mail, envelope)
        dedupe = _key(mail.dedupe, sender.token)
        if self._operator and not sender.token and (order := orders.read(mail.text)):
            return await self._ordered(order, self._operator, mail, sender.source, now)
        script = read(mail.subject, mail.text, sender.token.kind if sender.token else "", ROWS, self._games)
        if any(command.password for command in script.commands) and not _fresh(mail.date, now):
            return Status.REFUSED
        if sum(bool(command.secret or command.name == "signup") for command in script.commands) > 1:
            return Status.REFUSED  # each costs a hash, and nobody honest needs two
        asked = self._from_knower(sender, [await self._asked(command, sender, now) for command in script.commands])
        secrets = [word for command in script.commands for word in (command.password, command.secret) if word]
        request = Request(
            now=now,
            asked=tuple(asked),
            sender=sender.addr,
            text=passed_on(_without(without_passwords(script.text, ROWS, self._games), secrets)),
            unread=script.unread,
            message_id=mail.message_id or "",
            dedupe=dedupe,
            token=(sender.token.kind, sender.token.ref, sender.token.stamp) if sender.token else None,
        )
        if wanting := tuple(one for one in asked if one.proof == WANTING):
            await self._take(None, replace(request, asked=wanting, text="", unread=""))
            return Status.NOT_ACCEPTED
        await self._take(*parted(request, _key(dedupe, "unproved")))
        return Status.ACCEPTED

    async def _ordered(
        self, order: orders.Order, operator: Operator, mail: mails.Mail, source: str, now: int
    ) -> Status:
        """Carries out what the operator orders, if it is the operator; else it ends as any wrong password does, and
        takes as long, whether the mail has the operator's address or not."""
        if not _fresh(mail.date, now):
            return Status.REFUSED
        account = f"{ACCOUNT} {key(mail.sender)}"
        credential = operator.credential(mail)
        verdict = await self._auth.verify(credential, account, order.password, source, now)
        if verdict is Verdict.BUSY:
            raise Busy
        if verdict is not Verdict.OK or credential is None:
            log.warning("an order had a wrong password, or was not from the operator's address")
            return Status.NOT_ACCEPTED
        to, answers = operator.address, mail.message_id or ""
        about = await self._writer.do(lambda store: by_mail(store, order, to, mail.dedupe, answers, now))
        log.info("the operator, by mail: %s, %s", order.name or "unreadable", about)
        return Status.ACCEPTED

    async def _take(self, request: Request | None, later: Request | None) -> None:
        """The transaction: does what was proved and keeps what was not. A mail that breaks the code is set aside, for
        it is ours to mend. Raises Refused where there is no room, and then nothing has happened."""

        def take(store: Store, told: str = "") -> unproved.Put:
            put = unproved.put(store, later) if later else unproved.Put.KEPT
            if request is None or put in _NO_ROOM:
                return put
            if told or store.poisonous(request.dedupe):
                store.set_aside(request, told or "the process died three times over this mail")
                return put
            return unproved.Put.KEPT if store.take(request) else unproved.Put.KNOWN

        names = " ".join(one.name for part in (request, later) if part for one in part.asked)
        try:
            put = await self._writer.do(take, request.dedupe if request else "")
        except Unwritten:
            raise
        except Exception as error:
            told = told_of(error)
            put = await self._writer.do(lambda store: take(store, told))
            log.error("mail set aside: %s", type(error).__name__)
        if put in _NO_ROOM:
            raise Refused(_NO_ROOM[put])
        if later:
            self.unproved.wake.set()
        log.info("%s: %s", "seen before" if put is unproved.Put.KNOWN else "taken" if request else "kept", names)

    # -- who asks -------------------------------------------------------------------------------------------------

    def _sender(self, mail: mails.Mail, envelope: Envelope) -> Sender:
        boxes = {box for box in map(self.own.classify, mail.recipients) if box}
        texts = {box.token for box in boxes if box.kind == "token"}
        source = mail.origin or "front" if self._front_mta else envelope.peer
        if not texts:
            return Sender(mail.sender, source)
        if len(texts) > 1:
            raise Refused(Status.NOT_ACCEPTED)
        unverified = tokens.read(texts.pop())
        holder, theirs = self._reads.holder(unverified.token.player if unverified else 0, mail.sender)
        if not unverified or not _verified(unverified, self._keys, holder) or not holder:
            self._notice(None, "strange")
            raise Refused(Status.NOT_ACCEPTED)
        if not theirs and unverified.token.kind not in FROM_ANYWHERE:
            self._notice(holder, "strange")
            raise Refused(Status.NOT_ACCEPTED)
        return Sender(mail.sender, source, unverified.token, holder, theirs)

    async def _asked(self, command: Command, sender: Sender, now: int) -> Asked:
        """The command with its asker, as far as one is proved."""
        row = BY_NAME.get(command.name)
        by, proof = await self._who(command, row, sender, now)
        player = self._reads.player(by) if not command.args.keys().isdisjoint(NAMED) else None
        args = with_name(command.args, player.userid) if player else command.args
        needs = row.needs if row and (not command.trouble or row.needs == "anyone") else "proof"
        trouble = command.trouble
        if needs == "proof" and proof in ("", "from"):
            if sender.token and row:
                trouble, proof = f"The letter you answered is not one that '{row.name}' can answer.", "token"
            else:
                proof = WANTING
        asked = Asked(command.name, command.game, args, by, proof, line=command.line, trouble=trouble)
        if proof == WANTING or command.trouble or not row or not row.sets_password:
            return asked
        return await self._with_password(asked, command, sender)

    def _from_knower(self, sender: Sender, asked: list[Asked]) -> list[Asked]:
        """Commands without a password are asked by a player of the From whose password stands in the same mail."""
        proved = {one.by for one in asked if one.proof == "password"}
        players = [player for player in self._reads.players_at(sender.addr) if player.id in proved] if proved else []
        return [asked_by(one, players) or one if players and not one.proof else one for one in asked]

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
        return 0, ""

    async def _by_password(self, command: Command, sender: Sender, now: int) -> int:
        """The player whose password this is; of two named, the one the sender's address speaks for is tried first."""
        players = [sender.holder] if sender.holder and sender.theirs else self._reads.players_at(sender.addr)
        own = {key(player.userid) for player in players}
        mine = [player.userid for player in players]
        mine += [f"{ME} {number} {sender.addr}" for number in range(len(mine), TRIES)]  # no userid has a blank
        named = [name for said in command.userids for name in (mine if key(said) == ME else [said])]
        tried: list[Player | None] = []
        for userid in sorted(dict.fromkeys(named), key=lambda name: key(name) not in own):
            player = self._reads.player_named(userid)
            usable = player if player and player.state in ("active", "off") else None
            credential = Credential(usable.id, usable.password_hash, usable.password_version) if usable else None
            verdict = await self._auth.verify(credential, userid.lower(), command.password, sender.source, now)
            if verdict is Verdict.OK and player:
                if self._auth.outdated(player.password_hash):
                    self._renew(player, command.password)
                return player.id
            if verdict is Verdict.BUSY:
                raise Busy
            tried.append(usable)
        for nobody_or_player in tried:
            self._notice(nobody_or_player, "logins")
        raise Refused(Status.NOT_ACCEPTED)

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
            raise Refused(Status.TRY_LATER)
        if command.secret:
            if trouble := password_trouble(userid, command.secret):
                return replace(asked, trouble=trouble)
            return replace(asked, secret=(await self._auth.hash(command.secret), ""))
        nonce = self._nonce()
        made = passwords.generated(self._keys[max(self._keys)], nonce)
        return replace(asked, secret=(await self._auth.hash(made), nonce))

    def _notice(self, player: Player | None, template: str) -> None:
        """The owner of an account is to be told what somebody tried. Kept behind the answer's back, and for nobody as
        well: neither this answer nor the next may take longer when there is somebody to tell."""

        async def tell() -> None:
            try:
                await self._writer.do(lambda store: unproved.put_notice(store, template, player.id if player else 0))
                self.unproved.wake.set()
            except Exception as error:
                log.warning("a notice could not be kept: %s", type(error).__name__)

        self._later(tell())

    def _later(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._notices.add(task)
        task.add_done_callback(self._notices.discard)

    async def settled(self) -> None:
        """Waits for the notices under way."""
        while self._notices:
            await asyncio.gather(*self._notices)


def _verified(unverified: tokens.Unverified, keys: dict[int, bytes], holder: Player | None) -> bool:
    """Without a holder as much is computed, and in vain."""
    epoch = tokens.epoch_of(unverified.token.kind, holder.token_epoch if holder else 0)
    right = tokens.verify(unverified, keys, epoch)
    return right and holder is not None and holder.state not in ("locked", "gone")


def _fresh(date: int | None, now: int) -> bool:
    """Whether a mail with a password was written lately, by its own clock: an old one may be a replay."""
    return date is not None and -DAY < now - date <= STALE


def _key(dedupe: str, role: object) -> str:
    """One mail to two letters of ours is two mails, for a mail server may deliver them one by one; and so on."""
    return sha256(f"{dedupe}|{role}".encode()).hexdigest() if role else dedupe


def _without(text: str, secrets: list[str]) -> str:
    for word in secrets:
        text = text.replace(word, "********")
    return text
