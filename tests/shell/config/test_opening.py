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


def test_settings_with_another_domain_or_none_open_no_store_of_a_server_that_had_one(tmp_path: Path) -> None:
    """An empty file of settings, the package installed anew, or a slip of the pen: mail would be dropped."""

    def opens(*lines: str) -> None:
        opened(parse("\n".join(lines), "f"), tmp_path / "db", NOW).close()

    opens()
    opens('[mail]\ndomain = "play.example"')
    with pytest.raises(ConfigError, match=r'has served play\.example; if that is right, add .* former_domain = "play'):
        opens('[mail]\ndomain = "other.example"')
    with pytest.raises(ConfigError, match=r"has served play\.example"):
        opens('[mail]\ndomain = "other.example"\nformer_domain = "third.example"')
    opens('[mail]\ndomain = "play.example"\nformer_domain = "third.example"')
    opens('[mail]\ndomain = "other.example"\nformer_domain = "play.example"')
    opens('[mail]\ndomain = "other.example"\nformer_domain = "play.example"')
    with pytest.raises(ConfigError, match=r"belongs to the server of other\.example"):
        opens()
    opens('[mail]\ndomain = "other.example"')
