"""Who asks: checks the reply address that a mail came to, and the passwords in it.

The From is no proof, and we do not look it up unless the same mail has a password. A wrong password, an unknown userid
and a locked account give the same SMTP code after the same work, and so do the reply addresses of a player and of
nobody. Letters about somebody's attempts are stored after the answer, even if they are to nobody (see
mailbot.store.unproved).
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from mailbot.core import tokens
from mailbot.core.commands import BY_NAME
from mailbot.core.commands.account import may_reset
from mailbot.core.effects import Kinds, Letter, Post
from mailbot.core.handle import asked_by
from mailbot.core.language import me
from mailbot.core.language.grammar import Row
from mailbot.core.language.masking import password_trouble
from mailbot.core.language.table import Command
from mailbot.core.mail.addresses import Own, key
from mailbot.core.mail.incoming import Mail
from mailbot.core.model import USERID, Player
from mailbot.core.operator.orders import Order
from mailbot.core.tokens import Token
from mailbot.core.world import UNPROVED, Asked, Proof, Proofs, Request
from mailbot.shell.aside.unanswered import key_of
from mailbot.shell.aside.unproved import Unproved
from mailbot.shell.log import outcomes
from mailbot.shell.log.outcomes import Refused
from mailbot.shell.proof import answers, failures, passwords
from mailbot.shell.proof.auth import NOBODY, Auth, Busy, Credential, Named, Verdict
from mailbot.shell.proof.budgets import ASKED_ENOUGH, ASKING, Budgets, Spent, unaskable
from mailbot.shell.proof.operator import ACCOUNT, Operator
from mailbot.shell.proof.sources import hidden
from mailbot.shell.smtp.wire import Status
from mailbot.shell.writer import Unwritten, Writer
from mailbot.store import seen, unproved
from mailbot.store.reads import Reads

log = logging.getLogger("mailbot.reception")


class Sender(NamedTuple):
    """Who sent a mail. `addr`: its From, or the address whose consent it gives or refuses. `source`: the IP address, ""
    if unknown; `mark`: of the mail, for the log. `holder`: of the token that it came to; `theirs`: whether the From is
    the holder's."""

    addr: str
    source: str
    mark: str
    token: Token | None = None
    holder: Player | None = None
    theirs: bool = False


Home = Mapping[str, Player | None]
"""The players at the From, by userid (as `key` has it). For a page: the userid typed there, without a player."""
Shown = dict[tuple[str, str], Player]
"""The players who have shown a password in a mail, by their userid (as `key` has it) and that password."""


class Asker:
    """Finds out who asks. `keys` sign reply tokens; `now` gives unix seconds, `nonce` a fresh random text for a
    generated password. `waiting` handles the rows to be done later."""

    def __init__(
        self,
        own: Own,
        reads: Reads,
        writer: Writer,
        auth: Auth,
        budgets: Budgets,
        keys: dict[int, bytes],
        waiting: Unproved,
        *,
        now: Callable[[], int],
        nonce: Callable[[], str],
    ) -> None:
        self._own = own
        self._reads = reads
        self._writer = writer
        self._auth = auth
        self._budgets = budgets
        self._keys = keys
        self._waiting = waiting
        self._now = now
        self._nonce = nonce
        self._background: set[asyncio.Task[None]] = set()

    def sender(self, mail: Mail, source: str, mark: str, is_new: Callable[[], bool] = lambda: False) -> Sender:
        """Who sent the mail, as far as its reply address shows. Raises Refused for an invalid reply address, unless the
        mail does not need it: `is_new`."""
        unknown = Sender(mail.sender, source, mark)
        boxes = {box for box in map(self._own.classify, mail.recipients) if box}
        texts = {box.token for box in boxes if box.kind == "token"}
        if not texts:
            return unknown
        if len(texts) > 1:
            self._tell_of_two([one for text in texts if (one := tokens.read(text))], unknown)
            raise Refused(Status.NOT_ACCEPTED, "two reply tokens")
        unverified = tokens.read(texts.pop())
        holder, theirs = self._reads.holder(unverified.token.player if unverified else 0, mail.sender)
        if not unverified or not answers.verified(unverified, self._keys, holder) or not holder:
            if unverified and answers.lapsed(unverified, self._keys, holder):
                return unknown._replace(token=unverified.token)
            if unverified and seen.of(self._reads.db, key_of(mail.dedupe, unverified.token)):
                raise Refused(Status.ACCEPTED, outcomes.KNOWN)
            if is_new():
                return unknown
            answers_us = theirs and unverified is not None and unverified.token.kind != tokens.BOUNCE
            number = unverified.token.player if unverified else 0
            self._notice(holder if answers_us else None, "outdated", unknown, f"{mail.sender} {number}")
            raise Refused(Status.NOT_ACCEPTED, "a reply token that is damaged or no longer good")
        change = unverified.token.ref if unverified.token.kind == tokens.OLD_ADDRESS else 0
        theirs = theirs or self._reads.writes_for(holder.id, mail.sender, change)
        if not theirs and unverified.token.kind not in answers.FROM_ANYWHERE:
            if is_new():
                return unknown
            self._notice(holder, "strange", unknown, f"{holder.id}")
            board = f", board {unverified.token.ref}" if unverified.token.kind in tokens.OF_BOARD else ""
            raise Refused(Status.NOT_ACCEPTED, f"a reply token of another player{board}")
        addr = mail.sender
        if unverified.token.kind == tokens.CONFIRM and (asked := self._reads.address(unverified.token.ref)):
            addr = asked.addr  # what an address is asked, it answers itself, and nobody else hears what it says
        return Sender(addr, source, mark, unverified.token, holder, theirs)

    def _tell_of_two(self, found: Sequence[tokens.Unverified], sender: Sender) -> None:
        """Tells a player who has answered several letters with one mail that nothing was done."""
        holder, theirs = self._reads.holder(found[0].token.player if found else 0, sender.addr)
        good = [answers.verified(one, self._keys, holder) for one in found]  # first, so that it takes the same time
        known = theirs and all(good) and len({one.token.player for one in found}) == 1
        said = "Your mail went to the reply addresses of several letters, so nothing was done. Answer one at a time."
        letter = Letter("notice", "Not done", {"said": said})
        self._put(Post(holder.id if known and holder else 0, letter, Kinds.NOTICE), sender, sender.addr)

    async def asked(self, commands: Sequence[Command], sender: Sender, now: int) -> tuple[list[Asked], list[Player]]:
        """The commands with their askers, as far as they are proved, and the players whose mail it is, as far as that
        is. The asker of a command without a password is the player of the From whose password is elsewhere in the mail.
        Raises Refused and Busy."""
        asked: list[Asked] = []
        spent: Spent | None = None
        shown: Shown = {}
        for command in commands:
            try:
                asked.append(await self._asked(command, sender, shown, now))
            except Spent as error:
                said = Asked(command.name, command.game, {}, line=command.line, trouble=ASKED_ENOUGH)
                asked.append(replace(said, proof=Proofs.WANTING))
                spent = error
        if spent and not any(one.proved for one in asked):
            raise spent
        theirs = {sender.holder.id: sender.holder} if sender.holder else {}
        proved = {one.by for one in asked if one.proof == Proofs.PASSWORD}
        if not proved:
            return asked, [*theirs.values()]
        # Only those who have shown a password: else an answer would show who plays at a forged From.
        here = [player for player in self._reads.players_at(sender.addr) if player.id in proved]
        asked = [asked_by(one, here) or one if here and not one.proof else one for one in asked]
        # The first proved player is told of the commands refused for lack of a proof.
        first = next(one.by for one in asked if one.proof == Proofs.PASSWORD)
        asked = [replace(one, by=first) if one.proof == Proofs.WANTING else one for one in asked]
        theirs |= {player.id: player for player in here}
        others = [player for number in proved - theirs.keys() if (player := self._reads.player(number))]
        return asked, [*theirs.values(), *others]

    async def check_order(self, order: Order, operator: Operator, mail: Mail, sender: Sender, now: int) -> None:
        """Checks that the operator gives this order. Raises Refused as for any wrong password, after as much work,
        whether or not the mail has the operator's address; and Busy."""
        credential = operator.credential(mail)
        account = ACCOUNT if credential else f"{ACCOUNT} {key(mail.sender)}"
        verdict = await self._auth.verify(credential, account, order.password, sender.source, now, own=True)
        if verdict is Verdict.BUSY:
            raise Busy
        to = operator.address if credential else ""
        told = self._tell_of_lock(verdict, None, account, sender, to)
        if verdict is not Verdict.OK:
            if not told:
                letter = Letter("logins", answers.NOTICES["logins"], {"userid": ACCOUNT})
                self._put(Post(0, letter, Kinds.NOTICE, "" if verdict is Verdict.LIMITED else to), sender, account)
            why = f"{outcomes.guessed(verdict, sender.source)}, in the operator's name"
            raise Refused(Status.NOT_ACCEPTED, why, logging.WARNING)

    async def at_page(self, userid: str, password: str, source: str, mark: str, now: int) -> Player:
        """The player with this userid and password, which somebody has typed into a page. Whoever does says that they
        own the userid, so its owner cannot be locked out at home. Raises Refused, as a mail with a wrong password is
        refused, after as much work; and Busy."""
        named = userid if USERID.match(userid) else NOBODY
        return await self._first_right([(named, "")], {key(named): None}, password, Sender("", source, mark), now)

    async def tell(self, post: Post, source: str, mark: str, about: str) -> bool:
        """Stores the letter before the answer to a page, even a letter to nobody; False if there is no room. `about`:
        what was tried, for which the caps count a letter to nobody. Raises Unwritten."""
        site = self._budgets.site(source)
        known = hidden(self._keys[max(self._keys)], "about", f"{post.letter.template}|{key(about)}")
        kept = await self._writer.do(lambda store: unproved.put_letter(store, post, mark, site, known))
        self._waiting.wake.set()
        return kept

    async def later(self, request: Request, source: str) -> unproved.Put:
        """Stores a request that proves nothing until its turn, as that of a mail. Raises Unwritten."""
        put = await self._writer.do(lambda store: unproved.put(store, request, self._budgets.site(source)))
        self._waiting.wake.set()
        return put

    def crowded(self, mail: Mail, source: str, mark: str) -> None:
        """Tells whoever plays at the From that this mail was dropped, because its network has sent too many."""
        player = next(iter(self._reads.players_at(mail.sender)), None)
        self._notice(player, "crowded", Sender(mail.sender, source, mark), mail.sender)

    async def settled(self) -> None:
        """Waits for the work that goes on after the answers."""
        while self._background:
            await asyncio.gather(*self._background)

    async def _asked(self, command: Command, sender: Sender, shown: Shown, now: int) -> Asked:
        """The command with its asker, if that is proved."""
        row = BY_NAME.get(command.name)
        by, proof, version = await self._who(command, row, sender, shown, now)
        player = None if command.args.keys().isdisjoint(me.NAMED) else self._reads.player(by)
        args = me.named(command.args, player) if player else command.args
        needs = row.needs if row and (not command.trouble or row.needs == "anyone") else "proof"
        trouble = command.trouble
        if needs == "proof" and proof in (*UNPROVED, Proofs.LETTER):
            if sender.token and row:
                trouble, proof = f"The letter you answered is not one that '{row.name}' can answer.", Proofs.TOKEN
            else:
                proof = Proofs.WANTING
        asked = Asked(command.name, command.game, args, by, proof, line=command.line, trouble=trouble)
        if asked.name == "unlock" and (token := sender.token) and (holder := sender.holder):
            others = failures.of(holder, self._reads)
            letter = token.stamp, token.ref, now, others, holder.password_version
            return replace(asked, args={"lifted": self._auth.lift(holder.userid, sender.source, *letter)})
        if proof == Proofs.WANTING or command.trouble or not row:
            return asked
        if row.name in ASKING:
            asks = args["address"] or [sender.addr]
            if trouble := unaskable(asks, self._own):
                return replace(asked, args={}, trouble=trouble)
            try:
                self._budgets.spend("signup", sender.source, asks, now, sender.addr)
            except Spent:
                if proof != Proofs.PASSWORD:
                    raise
                return replace(asked, args={}, trouble=ASKED_ENOUGH)
        if not row.sets_password:
            return asked
        asked = await self._with_password(asked, command, sender)
        token, owner = sender.token, sender.holder
        if asked.name != "reset" or not (token and owner and may_reset(owner, token.ref, token.stamp, now)):
            owner = self._reads.player(by) if asked.name == "change password" and version is not None else None
        if asked.secret and owner:  # the new password must work, whatever wrong ones have locked
            self._auth.free(owner.userid, sender.source, now, failures.of(owner, self._reads))
        return asked if version is None else replace(asked, args={**asked.args, "version": version})

    async def _who(
        self, command: Command, row: Row | None, sender: Sender, shown: Shown, now: int
    ) -> tuple[int, Proof, int | None]:
        """The asker, how that is proved, and which version of the password does; None if none does."""
        if command.password:
            player = await self._by_password(command, sender, shown, now)
            return player.id, Proofs.PASSWORD, player.password_version
        token, holder = sender.token, sender.holder
        if token and holder:
            # A line that could not be read still comes from the holder of the letter.
            if holder.state == "pending" or token.kind == tokens.CONFIRM:
                return 0, Proofs.TOKEN, None
            if not row or command.trouble or token.kind in row.tokens or token.kind in row.takes_over:
                return holder.id, Proofs.TOKEN, None
            return holder.id, Proofs.LETTER, None
        return 0, Proofs.NOTHING, None

    async def _by_password(self, command: Command, sender: Sender, shown: Shown, now: int) -> Player:
        """The player with this password, compared once in a mail, as that costs a hash. A wrong one is told to its
        owner and logged, unless it is that of a player at the From. What is done must not show who plays there: anybody
        may forge it."""
        players = [sender.holder] if sender.holder and sender.theirs else self._reads.players_at(sender.addr)
        own: Home = {key(player.userid): player for player in players}
        # A failure of `me` counts for the address, whosever it is: a lock of its userid would show who plays there.
        counts = failures.at(sender.addr, players)
        mine = [*zip([*(player.userid for player in players), *counts[len(players) :]], counts, strict=True)]
        named = [pair for said in command.userids for pair in (mine if key(said) == me.ME else [(said, "")])]
        for name, _ in named:
            player = shown.get((key(name), command.password))
            if player and (key(name) in own or own.keys().isdisjoint(key(other) for other, _ in named)):
                return player
        found = await self._first_right([*dict.fromkeys(named)], own, command.password, sender, now)
        shown[key(found.userid), command.password] = found
        return found

    async def _first_right(
        self, named: Sequence[tuple[str, str]], own: Home, password: str, sender: Sender, now: int
    ) -> Player:
        """The player of these userids with this password; of several the sender's own one. `named`: each userid, and
        what a failure counts for. Raises Refused and Busy."""
        known = {name: self._reads.player_named(name) for name, _ in named}
        usable = {name: one for name, one in known.items() if one and one.state in ("active", "off")}
        tries = [
            Named(_credential(usable.get(name)), name.lower(), key(name) in own, counted.lower())
            for name, counted in named
        ]
        verdicts = await self._auth.verify_each(tries, password, sender.source, now)
        if Verdict.BUSY in verdicts:
            raise Busy
        found = next((usable[name] for (name, _), one in zip(named, verdicts, strict=True) if one is Verdict.OK), None)
        if found and self._auth.outdated(found.password_hash):
            self._renew(found, password)
        wrong = [(*pair, one) for pair, one in zip(named, verdicts, strict=True) if one not in (None, Verdict.OK)]
        for name, counted, one in wrong:
            player = usable.get(name)
            if not self._tell_of_lock(one, player, name, sender):
                # The owner has a letter about a lock that goes on, and can answer it. A letter to nobody takes as long.
                # What strangers try uses up a warning, and never the word about the owner's own mail.
                owned = sender.addr and (counted or key(name) in own) and not found
                told, about = ("mistyped", counted or f"{sender.addr} {name}") if owned else ("logins", name)
                if one is Verdict.LIMITED:
                    self._notice(None, told, sender, f"limited {about}")
                else:
                    self._notice(player, told, sender, about)
        if not found and sender.addr:
            # Behind a mail server, only this letter reports a mistyped userid. A letter to nobody takes as long.
            misnamed = own.keys().isdisjoint(key(name) for name, _ in named)
            self._notice(next(iter(own.values()), None) if misnamed else None, "misnamed", sender, sender.addr)
        guess = outcomes.guessed(wrong[-1][-1] if wrong else Verdict.WRONG, sender.source)
        if not found:
            raise Refused(Status.NOT_ACCEPTED, guess, logging.WARNING)
        if wrong:
            log.warning("mail %s: %s", sender.mark, guess)
        return found

    def _renew(self, player: Player, password: str) -> None:
        """Hashes a correct password again if its hash was made with weaker parameters (P8)."""

        async def renew() -> None:
            try:
                fresh = await self._auth.hash(password)
                await self._writer.do(lambda store: store.rehash(player.id, player.password_hash, fresh))
            except (Busy, Unwritten):
                pass  # the next correct password will do

        self._later(renew())

    async def _with_password(self, asked: Asked, command: Command, sender: Sender) -> Asked:
        """The command with the hash of the password that it sets; of a generated password we keep only the nonce."""
        if asked.proof == Proofs.TOKEN:
            userid = sender.holder.userid if sender.holder else ""
        else:
            userid = str(command.args.get("userid", ""))
        if command.secret:
            if trouble := password_trouble(userid, command.secret):
                return replace(asked, args={}, trouble=trouble)
            return replace(asked, secret=(await self._auth.hash(command.secret), ""))
        nonce = self._nonce()
        made = passwords.generated(self._keys[max(self._keys)], nonce)
        return replace(asked, secret=(await self._auth.hash(made), nonce))

    def _tell_of_lock(
        self, verdict: Verdict, player: Player | None, account: str, sender: Sender, operator: str = ""
    ) -> bool:
        """Tells the owner of an account (a player, the `operator` at this address, or nobody) of a lock that has begun
        or that a password met; False if there is none or the owner has such a letter. The stored letter names no
        account: the name may be a password in the wrong place."""
        number, userid = (player.id, player.userid) if player else (0, ACCOUNT if operator else "")
        letter = answers.about_lock(self._auth, verdict, number, account, userid, sender.source, self._now())
        if letter:
            self._put(Post(number, letter, Kinds.ACCOUNT, operator), sender, account)
        return letter is not None

    def _notice(self, player: Player | None, template: str, sender: Sender, about: str) -> None:
        """Tells the owner of an account what somebody tried. `about`: as in `tell`."""
        number, userid = (player.id, player.userid) if player else (0, "")
        post = Post(number, Letter(template, answers.NOTICES[template], {"userid": userid}), Kinds.NOTICE)
        self._put(post, sender, about)

    def _put(self, post: Post, sender: Sender, about: str) -> None:
        """Stores the letter after the answer, even a letter to nobody: neither this answer nor the next may take longer
        if there is somebody to tell. `about`: as in `tell`."""

        async def put() -> None:
            try:
                await self.tell(post, sender.source, sender.mark, about)
            except Exception as error:
                log.warning("mail %s: a notice could not be kept: %s", sender.mark, type(error).__name__)

        self._later(put())

    def _later(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def _credential(player: Player | None) -> Credential | None:
    return Credential(player.id, player.password_hash, player.password_version) if player else None
