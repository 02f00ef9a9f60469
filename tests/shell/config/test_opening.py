"""The store, opened as the configuration says."""

from pathlib import Path

import pytest

from mailbot.shell.config.load import ConfigError, parse
from mailbot.shell.config.opening import opened
from mailbot.store import pulse

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


def test_no_new_store_beside_one_that_has_been_backed_up(tmp_path: Path) -> None:
    """A slip of the pen in [store] path."""
    opened(parse("", "f"), tmp_path / "mailbot.sqlite", NOW).close()
    (tmp_path / "mailbot.sqlite.backup").touch()
    with pytest.raises(ConfigError, match=r"backups of another one in this folder: mailbot\.sqlite; is it that\?"):
        opened(parse("", "f"), tmp_path / "mailbots.sqlite", NOW)
    assert not (tmp_path / "mailbots.sqlite").exists()
    opened(parse("", "f"), tmp_path / "mailbot.sqlite", NOW).close()


def test_settings_with_another_address_or_none_open_no_store_of_a_server_that_had_one(tmp_path: Path) -> None:
    """An empty file of settings, the package installed anew, or a slip of the pen: mail would be dropped."""

    def opens(*lines: str) -> None:
        opened(parse("\n".join(["[mail]", *lines]), "f"), tmp_path / "db", NOW).close()

    here, there, slip = 'domain = "play.example"', 'domain = "other.example"', 'domain = "paly.example"'
    opens()
    opens(here)
    said = r'has served mailbot@play\.example; if that is right, add .* former_address = "mailbot@play\.example"'
    for wrong in ([slip], [here, 'name = "games"'], [slip, 'former_address = "mailbot@third.example"']):
        with pytest.raises(ConfigError, match=said):
            opens(*wrong)
    opens(here, 'former_address = "mailbot@third.example"')
    for _ in range(2):
        opens(there, 'former_address = "mailbot@play.example"')
    opens(there, 'name = "games"', 'former_address = "mailbot@other.example"')
    with pytest.raises(ConfigError, match=r"belongs to the server of other\.example"):
        opens()
    opens(there, 'name = "games"')


def test_a_store_that_remembers_the_domain_alone(tmp_path: Path) -> None:
    settings = parse('[mail]\nname = "games"\ndomain = "play.example"', "f")
    for served in ("play.example", "games@play.example"):
        store = opened(settings, tmp_path / "db", NOW)
        assert pulse.served(store.db) == "games@play.example"
        store.begin()
        pulse.serves(store.db, served)
        store.commit()
        store.close()
    store = opened(settings, tmp_path / "db", NOW)
    store.begin()
    pulse.serves(store.db, "other.example")
    store.commit()
    store.close()
    with pytest.raises(ConfigError, match=r'former_address = "games@other\.example"'):
        opened(settings, tmp_path / "db", NOW)
