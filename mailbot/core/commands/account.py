"""Being a player: signing up, passwords, addresses. Who owns an address is proved by answering a letter sent to it."""

from collections.abc import Mapping, Sequence
from typing import Any

from mailbot.core import tokens
from mailbot.core.caps import Last, noted
from mailbot.core.effects import (
    Drop,
    Effect,
    Forbidden,
    Kinds,
    Letter,
    NotAllowed,
    Post,
    Put,
    Say,
    Unreadable,
    Waiting,
)
from mailbot.core.language.grammar import SHORTEST, Row
from mailbot.core.language.typed import agrees
from mailbot.core.mail.addresses import consent_key, mailbox_key, parse_addr
from mailbot.core.model import DAY, USERID, Address, AddressChange, Contact, Player
from mailbot.core.players import limits, names
from mailbot.core.tokens import Token
from mailbot.core.world import Asked, Proofs, Request, World

MAX_ADDRESSES = 3
FORGOT_HOURS = 24
PENDING_DAYS = 7
CHANGE_DAYS = 14
UNREACHED = "forgot at a suspended address"
LAPSED = (
    f"That sign-up is not waiting any more: nobody has answered it for {PENDING_DAYS} days, or somebody has refused it."
    " To sign up again, send: signup NAME PASSWORD"
)


def _consents(asked: Asked) -> bool:
    """Whether the answer to a letter that asks for consent is yes. Raises Unreadable if it cannot be told."""
    agreed = agrees(asked.line)
    if agreed is None:
        raise Unreadable("Answer this letter with yes or no, on the first line; nothing else works here.")
    return agreed


def signup(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Keeps the wish to be a player and asks each address whether it agrees."""
    userid = asked.args["userid"]
    if not USERID.match(userid):
        said = f"'{userid}'" if len(userid) < SHORTEST else "That"  # a long one may be a password (masking.py)
        raise Unreadable(
            f"{said} cannot be a name. A name has 2 to 20 letters, digits, '_', '-' or '.'; it begins with a letter and"
            " ends with a letter or a digit."
        )
    wanted = to_ask(asked.args["address"] or (request.sender,))
    if world.player_named(userid) or names.reserved(userid) or world.retired(userid, request.now):
        raise Forbidden(f"The name '{userid}' is taken; choose another one.")
    if names.like_site(userid):
        raise Forbidden(names.SITE)
    hash_, nonce = asked.secret or ("", "")
    player = Player(world.fresh("player"), userid, "pending", hash_, 1, tokens.FIRST_EPOCH, request.now)
    return [Put(player), *_ask(wanted, player, 0, request, world, nonce)]


def to_ask(words: Sequence[str]) -> list[str]:
    """The addresses of a line, each once. Raises Unreadable."""
    if len(words) > MAX_ADDRESSES:
        raise Unreadable(f"A player has at most {MAX_ADDRESSES} addresses; you named {len(words)}.")
    found: list[str] = []
    for word in words:
        addr = parse_addr(word)
        if addr is None:
            raise Unreadable(f"The address number {len(found) + 1} of your line is not one that mail can be sent to.")
        found.append(addr)
    return list({addr.lower(): addr for addr in reversed(found)}.values())[::-1]


def _ask(
    wanted: list[str], player: Player, change: int, request: Request, world: World, nonce: str = ""
) -> list[Effect]:
    """The letters that ask these addresses for their consent, but for those that have been asked too often lately (P1
    to P7 rule 6)."""
    most, lasts = world.caps.consent_letters, world.caps.consent_days * DAY
    counted: dict[str, Contact] = {}
    effects: list[Effect] = []
    for addr in wanted:
        by = consent_key(addr)
        contact = counted.get(by) or world.contact(by) or Contact(by, 0)
        count = contact.signups + 1 if 0 <= request.now - contact.last < lasts else 1
        address = Address(world.fresh("address"), player.id, addr, "pending", change, request.now)
        facts = {"userid": player.userid, "nonce": nonce, "change": bool(change), "others": len(wanted) - 1}
        facts["days"] = CHANGE_DAYS if change else PENDING_DAYS
        letter = Letter("confirm", f"Confirm {player.userid}", facts, Token(tokens.CONFIRM, player.id, address.id, 0))
        full = Last("signup", most, lasts, request.now + lasts) if count == most else None
        effects.append(Post(player.id, noted(letter, full), Kinds.SIGNUP, addr, held=count > most))
        # The number is used up in any case: a stranger's own next letter shows whether it was.
        effects.append(Put(address))
        if count <= most:
            counted[by] = contact._replace(signups=count, last=request.now)
        else:
            effects.append(Drop(address))
    return [*map(Put, counted.values()), *effects]


def prove(request: Request, asked: Asked, world: World) -> list[Effect]:
    """An address has answered. Yes: its player lives, or its part of an address change is done. No: the sign-up, or the
    change, is dropped. Raises Unreadable when it is neither."""
    address = world.address(request.token[1]) if request.token else None
    player = world.player(address.player) if address else None
    if address is None or player is None:
        late = "This answer came too late, or the request was withdrawn."
        raise NotAllowed(late if asked.proof == Proofs.TOKEN else LAPSED)  # without a proof: the player is not there
    if address.state != "pending" or request.now > address.created + CHANGE_DAYS * DAY:
        raise NotAllowed("This letter has been answered already, or is too old.")
    if not _consents(asked):
        return [*_uncounted(address, world), *_declined(address, player, world)]
    limits.require_room_beside(address.addr, world)
    if address.change:
        change = world.change(address.change)
        address = address._replace(state="ready")
        return [Put(address), *_settle(change, address, player, world, request.now)] if change else []
    effects: list[Effect] = []
    if player.state == "pending":
        there = world.player_named(player.userid)
        if there and any(mailbox_key(other.addr) == mailbox_key(address.addr) for other in world.addresses(there.id)):
            raise Forbidden(f"You are {there.userid} already: you have answered another such letter.")
        if there or world.retired(player.userid, request.now):
            raise Forbidden(f"The name '{player.userid}' was taken in the meantime; please sign up with another one.")
        if len(world.asked(player.userid)) > 1:
            return _one_of_several(player, address, request, world)
        effects = [Put(player._replace(state="active", created=request.now))]
    letter = Letter("welcome", f"Welcome, {player.userid}", {"userid": player.userid})
    address = address._replace(state="current")
    return [*effects, Put(address), Post(player.id, letter, Kinds.ACCOUNT)]


def _uncounted(address: Address, world: World) -> list[Effect]:
    """A letter that an address has refused does not count, so that strangers do not use up its letters. What it has
    agreed to does: a mailbox makes only so many players."""
    contact = world.contact(consent_key(address.addr))
    return [Put(contact._replace(signups=contact.signups - 1))] if contact and contact.signups else []


def _one_of_several(player: Player, address: Address, request: Request, world: World) -> list[Effect]:
    """Anybody can send a second sign-up for the same name and mailbox, and the letters look alike. The server cannot
    know which addresses lead to one mailbox. So the player lives without the password and the further addresses of the
    sign-up that was answered, and gets a letter to set a password."""
    others = [other for other in world.addresses(player.id) if other.id != address.id]
    player = player._replace(state="active", created=request.now, password_hash="")
    facts = {"userid": player.userid, "several": True}
    letters = (Letter("welcome", f"Welcome, {player.userid}", facts), _forgot(player, request.now, several=True))
    posts = (Post(player.id, letter, Kinds.ACCOUNT, address.addr) for letter in letters)
    return [*map(Drop, others), Put(player), Put(address._replace(state="current")), *posts]


_UNUSED = Letter("notice", "Not confirmed", {"said": "This address is not used; no letters of that player go to it."})
_STOPPED = Letter("notice", "Your addresses", {"said": "The change of address was stopped; nothing has changed."})


def _declined(address: Address, player: Player, world: World) -> list[Effect]:
    """The address refuses: its part of a sign-up is dropped, and the player with it if no other address is left; or the
    change of address is stopped, and the player hears of it."""
    change = world.change(address.change) if address.change else None
    if change:
        return [*_stopped(change, player, world), Post(player.id, _STOPPED, Kinds.ACCOUNT), Say(_UNUSED)]
    others = [a for a in world.addresses(player.id) if a.id != address.id]
    nobody = player.state == "pending" and not others
    return [Drop(player if nobody else address), Say(_UNUSED)]


def _stopped(change: AddressChange, player: Player, world: World) -> list[Effect]:
    """A change of address that somebody has refused."""
    changed = [a for a in world.addresses(player.id) if a.change == change.id and a.state != "current"]
    return [*map(Drop, changed), Drop(change)]


def _settle(
    change: AddressChange | None, fresh: Address | None, player: Player, world: World, now: int
) -> list[Effect]:
    """Carries out an address change as soon as an old and a new address have agreed; `fresh`: just confirmed.

    The old addresses are told, and every letter they hold stops being a proof: the token epoch rises, and boards that
    wait for the player are sent anew.
    """
    if change is None:
        return []
    own = {address.id: address for address in world.addresses(player.id)}
    if fresh:
        own[fresh.id] = fresh
    ready = [a for a in own.values() if a.change == change.id and a.state == "ready"]
    kept = {a.addr.lower() for a in own.values() if a.state == "current" and a.change != change.id}
    asked = any(a.change == change.id and a.state == "pending" for a in own.values())
    agreed = [a for a in ready if not asked or a.addr.lower() not in kept]
    if not change.approved or not agreed:
        said = "Noted. Now the new address has to be answered as well."
        if not change.approved:
            said = "Noted. Now a letter to your old address has to be answered as well."
            said += " If no letters reach you there any more: help change address"
        return [Say(Letter("notice", "Your addresses", {"said": said}))]
    effects: list[Effect] = [Put(address._replace(state="current")) for address in ready]
    old = [a for a in own.values() if a.state in ("current", "suspended") and a.change != change.id]
    if any(a.change == change.id and a.state == "current" for a in own.values()):
        old = []  # a further new address of a change that is done
    said = f"The addresses of {player.userid} have been changed: letters go to the new ones from now on."
    stay = {a.addr.lower() for a in ready}
    for address in old:
        effects.append(Put(address._replace(state="old")))
        if address.state == "current" and address.addr.lower() not in stay:
            effects.append(
                Post(player.id, Letter("notice", "Your addresses", {"said": said}), Kinds.ACCOUNT, address.addr)
            )
    told = Post(player.id, Letter("notice", "Your addresses", {"said": said}), Kinds.ACCOUNT)
    return [*effects, *revoked(player), told]


def revoked(player: Player) -> list[Effect]:
    """Every reply token of the player dies; a letter tells the boards where the player is to move."""
    return [Put(player._replace(token_epoch=player.token_epoch + 1)), Waiting(player.id)]


def set_password(request: Request, asked: Asked, world: World) -> list[Effect]:
    """A new password, proved by the old one or a `forgot` letter. All addresses of the player are told."""
    player = world.player(asked.by)
    if player is None or asked.secret is None:
        raise NotAllowed("This password cannot be changed.")
    if asked.args.get("version", player.password_version) != player.password_version:
        raise NotAllowed("Your password has been changed since your mail came, and the new one stays.")
    hash_, nonce = asked.secret
    player = player._replace(password_hash=hash_, password_version=player.password_version + 1)
    return [
        *revoked(player),
        Say(Letter("password", "Your password", {"userid": player.userid, "nonce": nonce})),
    ]


def add(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Further addresses beside those there are: a change to all of them together."""
    own = [a.addr for a in world.addresses(asked.by) if a.state == "current"]
    return _change(request, asked, (*own, *asked.args["address"]), world)


def change_address(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Other addresses in the place of those there are."""
    return _change(request, asked, asked.args["address"], world)


def _change(request: Request, asked: Asked, words: tuple[str, ...], world: World) -> list[Effect]:
    """Asks the new addresses and the old ones; nothing moves until one of each has agreed (P7)."""
    player = world.player(asked.by)
    if player is None:
        raise NotAllowed("These addresses cannot be changed.")
    wanted = to_ask(words)
    caps = world.caps
    facts = {"most": caps.consent_letters, "days": caps.consent_days}
    effects, told = changing(player, wanted, request, world, facts)
    return [*effects, Say(told)]


def changing(
    player: Player,
    wanted: list[str],
    request: Request,
    world: World,
    facts: Mapping[str, Any],
    *,
    approved: bool = False,
) -> tuple[list[Effect], Letter]:
    """Asks these addresses whether they become the player's; and the letter, with these facts, for the old ones, which
    can stop it. `approved`: they need not agree. Raises Forbidden."""
    current = [a for a in world.addresses(player.id) if a.state == "current"]
    if {a.addr.lower() for a in current} == {addr.lower() for addr in wanted}:
        raise Forbidden("These are your addresses already.")
    change = AddressChange(world.fresh("address_change"), player.id, request.now if approved else 0, request.now)
    effects: list[Effect] = [Drop(older) for older in world.changes(player.id)]  # a newer wish replaces an older one
    effects.append(Put(change))
    for address in world.addresses(player.id):
        if address.change and address.state in ("pending", "ready"):
            effects.append(Drop(address))
    theirs = {a.addr.lower() for a in current}
    kept = [addr for addr in wanted if addr.lower() in theirs]
    fresh = [addr for addr in wanted if addr.lower() not in theirs]
    effects += [Put(Address(world.fresh("address"), player.id, a, "ready", change.id, request.now)) for a in kept]
    effects += _ask(fresh, player, change.id, request, world)
    token = Token(tokens.OLD_ADDRESS, player.id, change.id, 0)
    return effects, Letter("approve", "Your addresses", {"userid": player.userid, "wanted": wanted, **facts}, token)


def approve(request: Request, asked: Asked, world: World) -> list[Effect]:
    """An old address agrees to an address change, or (`no`) stops it. Raises Unreadable when it is neither."""
    change = world.change(request.token[1]) if request.token else None
    player = world.player(change.player) if change else None
    if change is None or player is None:
        raise NotAllowed("This change of address is not waiting any more.")
    if request.now > change.created + CHANGE_DAYS * DAY:
        raise NotAllowed("This letter is too old. Ask for the change again.")
    if not _consents(asked):
        return [*_stopped(change, player, world), Say(_STOPPED)]
    change = change._replace(approved=request.now)
    return [Put(change), *_settle(change, None, player, world, request.now)]


def forgot(request: Request, asked: Asked, world: World) -> list[Effect]:
    """A letter to the registered addresses with which a new password can be set; the sender is told nothing. Once a day
    it goes to suspended addresses, too: the mailbox may be well again, and its owner has no other way back."""
    player = world.player_named(asked.args["userid"])
    if player is None or player.state not in ("active", "off"):
        return []
    letter = _forgot(player, request.now)
    dead = [address for address in world.addresses(player.id) if address.state == "suspended"]
    told = world.tally(player.id, UNREACHED)
    effects: list[Effect] = [Post(player.id, letter, Kinds.NOTICE)]
    if dead and (count := limits.one_more(told, player.id, UNREACHED, 1, DAY, request.now)):
        effects += [Put(count), *(Post(player.id, letter, Kinds.NOTICE, address.addr) for address in dead)]
    return effects


def _forgot(player: Player, now: int, *, several: bool = False) -> Letter:
    """The letter whose answer sets a password. `several`: because of several sign-ups, not because it was asked for."""
    token = Token(tokens.FORGOT, player.id, now // 3600, player.password_version)
    return Letter("forgot", "Your password", {"userid": player.userid, "several": several}, token)


def may_reset(player: Player, hour: int, version: int, now: int) -> bool:
    """Whether a `forgot` letter, written in this hour (since 1970) for this version of the password, can be used."""
    return now // 3600 - hour <= FORGOT_HOURS and version == player.password_version


def reset(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The answer to a `forgot` letter: sets a new password, once, within a day."""
    player = world.player(asked.by)
    _, hour, version = request.token or ("", 0, 0)
    if player is None or not may_reset(player, hour, version, request.now):
        raise NotAllowed("This letter has been used, or is older than a day. To get a new one, send: forgot NAME")
    return set_password(request, asked, world)


def unlock(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The answer to a letter about a lock, whatever it says. Which network it came from is no matter of a command, so
    the shell has done what it asks (`lifted`)."""
    if not asked.args.get("lifted"):
        raise NotAllowed("This letter has been used, or is older than two days")
    said = "Your password works again in mails from your own address that come through the same network as your answer"
    said += ", whatever others try."
    return [Say(Letter("notice", "Your password", {"said": said}))]


def expire(player: Player, now: int) -> list[Effect]:
    """What becomes due of a signup nobody confirmed for PENDING_DAYS."""
    return [Drop(player)] if player.state == "pending" and now >= player.created + PENDING_DAYS * DAY else []


ROWS = (
    Row(
        "signup",
        ("userid password address*", "userid address*"),
        signup,
        "become a player",
        needs="anyone",
        sets_password=True,
        aliases=("register", "sign up"),
    ),
    Row("prove", ("",), prove, "an address agrees", needs="anyone", takes_over=tokens.CONFIRM),
    Row("change password", ("userid old new",), set_password, "set a new password", sets_password=True),
    Row("change address", ("userid password address+",), change_address, "have letters sent elsewhere"),
    Row("add", ("userid password address+",), add, "have letters sent to a further address as well"),
    Row(
        "approve",
        ("",),
        approve,
        "agree to a change of address",
        tokens=tokens.OLD_ADDRESS,
        takes_over=tokens.OLD_ADDRESS,
    ),
    Row("forgot", ("userid",), forgot, "get a letter that sets a new password", needs="anyone"),
    Row(
        "reset",
        ("",),
        reset,
        "set a new password by answering that letter",
        tokens=tokens.FORGOT,
        takes_over=tokens.FORGOT,
        sets_password=True,
    ),
    Row(
        "unlock",
        ("",),
        unlock,
        "use your password again after others have locked it",
        tokens=tokens.LIFT,
        takes_over=tokens.LIFT,
    ),
)
