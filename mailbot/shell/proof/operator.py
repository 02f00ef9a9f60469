"""The operator by mail: the address and the password of the operator. Off unless both are configured.

Anybody can forge a From, so the password alone is the proof; the address only narrows who may try. We make the password
(64 bits) and store its argon2id hash. Tries are limited like a player's, and an order that is sent again is not carried
out again.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from errno import EEXIST
from pathlib import Path
from secrets import token_bytes

from mailbot.core.mail.addresses import key
from mailbot.core.mail.incoming import Mail
from mailbot.shell.config.load import ConfigError
from mailbot.shell.config.settings import OperatorSection
from mailbot.shell.proof import passwords
from mailbot.shell.proof.auth import Credential

ACCOUNT = "the operator"
"""The name under which tries are counted. It is not a userid, because it has a blank."""

CREDENTIAL = "operator-password"
HASH = "$argon2id$"


@dataclass(frozen=True, slots=True, repr=False)
class Operator:
    """Who may give orders by mail."""

    address: str
    password_hash: str

    def credential(self, mail: Mail) -> Credential | None:
        """The credential for an order's password; None if the mail does not even claim to be the operator's."""
        return Credential(0, self.password_hash, 1) if key(mail.sender) == key(self.address) else None


def configured(section: OperatorSection, environ: Mapping[str, str]) -> Operator | None:
    """From `password_file`, else from systemd's credential `operator-password`, else None. Raises ConfigError."""
    credentials = environ.get("CREDENTIALS_DIRECTORY")
    handed = Path(credentials, CREDENTIAL) if credentials else None
    path = section.password_file or (handed if handed and handed.is_file() else None)
    if path is None:
        return None
    if section.address is None:
        raise ConfigError("[operator] a password is set, but no address from which it may be used")
    try:
        found = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise ConfigError(f"[operator] the hash of the password cannot be read from {path}") from None
    if not found.startswith(HASH):
        raise ConfigError(f"[operator] {path} holds no hash of a password; make one with: mailbot admin password FILE")
    return Operator(section.address, found)


_OURS = re.compile(rb"(?:%s[^\s]{1,200}\n?)?" % re.escape(HASH.encode()))
"""The contents of a file that a new hash may replace."""


def new_password(file: Path) -> str:
    """A new password; writes its hash to the file, readable by its owner only. Raises OSError: FileExistsError if the
    file holds anything but such a hash, because a slip must not destroy another one."""
    made = passwords.generated(token_bytes(32), "")
    if file.exists() and not (file.is_file() and _OURS.fullmatch(file.read_bytes())):
        raise FileExistsError(EEXIST, "it exists and holds something else than such a hash")
    number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(number, "w") as out:
        os.fchmod(number, 0o600)
        out.write(passwords.hashed(made) + "\n")
    return made
