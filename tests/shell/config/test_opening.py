"""The store, opened as the configuration says."""

from pathlib import Path

import pytest

from mailbot.shell.config.load import ConfigError, parse
from mailbot.shell.config.opening import opened

NOW = 1_770_000_000


def test_no_new_store_where_one_has_been_backed_up(tmp_path: Path) -> None:
    """A slip in a restore would leave an empty server that answers, and drops all moves."""
    (tmp_path / "db.backup").touch()
    for _ in range(2):
        with pytest.raises(ConfigError, match="there have been backups of one"):
            opened(parse("", "f"), tmp_path / "db", NOW)
        (tmp_path / "db").touch()
    (tmp_path / "db.backup").unlink()
    opened(parse("", "f"), tmp_path / "db", NOW).close()


def test_settings_without_a_domain_open_no_store_of_a_server_that_had_one(tmp_path: Path) -> None:
    """An empty file of settings, or the package installed anew: letters would go nowhere."""

    def opens(*lines: str) -> None:
        opened(parse("\n".join(lines), "f"), tmp_path / "db", NOW).close()

    opens()
    opens('[mail]\ndomain = "play.example"')
    opens('[mail]\ndomain = "other.example"')
    with pytest.raises(ConfigError, match=r"belongs to the server of other\.example"):
        opens()
    opens('[mail]\ndomain = "other.example"')
