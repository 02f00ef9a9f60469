"""The files attached to a letter, computed from its facts when it is sent; the same facts give the same bytes."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from engine.catalogue import Catalogue
from engine.families import CATALOGUE
from mailbot.core.letters import formats, pictures
from mailbot.core.letters.outgoing import Attachment

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every file in an archive: the earliest that zip knows."""


def attached(
    template: str,
    facts: Mapping[str, Any],
    site: str,
    made: Mapping[str, bytes | None],
    catalogue: Catalogue = CATALOGUE,
) -> tuple[Attachment, ...]:
    """The attachments of a letter, each once. `site`: the server's name in records; `made`: the letter's pictures."""
    if template == "record":
        game = formats.played(facts, catalogue)
        found = formats.files(game, site, formats.BESIDE_TEXT)
        for one in pictures.wanted(template, facts, catalogue):
            if png := made.get(one.key):
                found[pictures.file(game.name, one.form)] = (pictures.MEDIA_TYPE, png)
        return tuple(Attachment(name, *kind_and_bytes) for name, kind_and_bytes in found.items())
    if "archive" in facts:
        found = {}
        for game in facts["records"]:
            found |= formats.files(formats.played(game, catalogue), site)
        more = {name: content.encode() for name, content in facts.get("files", {}).items()}
        archive = zipped({**more, **{name: content for name, (_, content) in found.items()}})
        return (Attachment(facts["archive"], "application/zip", archive),)
    parts = (attached(part["template"], part["facts"], site, made, catalogue) for part in facts.get("parts", ()))
    return tuple(dict.fromkeys(one for part in parts for one in part))


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip archive of the files, by name; nothing in it shows when or where it was made."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = ZipInfo(name, EPOCH)
            entry.compress_type = ZIP_DEFLATED
            entry.create_system = 3  # Unix, wherever this runs, so that the rights below are read as Unix rights
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
