"""What `make operator` types is what the documents say; the program itself needs root and a quarter of an hour."""

import pytest

from tests.prove import operator
from tests.prove.operating.documents import ROOT, Block, blocks
from tests.prove.operating.internet import names

DOCUMENTS = ("docs/install.md", "docs/metrics.md", "docs/web.md", "config/postfix.md")
EXAMPLE = """
## 1. To do

```sh
sudo true
```

```toml /etc/a.toml
[a]
```

### Seen

```
what it prints
```
"""


def test_a_block_is_typed_or_written_or_only_seen() -> None:
    assert blocks(EXAMPLE) == [
        Block("To do", "sh", "", "sudo true\n"),
        Block("To do", "toml", "/etc/a.toml", "[a]\n"),
        Block("Seen", "", "", "what it prints\n"),
    ]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_whatever_an_operator_types_is_tried_or_said_not_to_be(name: str) -> None:
    has = {(name, one.title) for one in blocks((ROOT / name).read_text()) if one.typed or one.path}
    assert has
    assert has <= {*operator.TYPED, *operator.NOT_TRIED}
    assert not {*operator.TYPED} & {*operator.NOT_TRIED}
    assert {one for one in (*operator.TYPED, *operator.NOT_TRIED) if one[0] == name} <= has


def test_the_packages_are_those_that_the_documents_install() -> None:
    assert {"git", "make", "python3-venv", "postfix", "opendkim", "opendkim-tools"} <= {*operator.packages()}


def test_the_names_are_those_of_the_document() -> None:
    told = names(
        (ROOT / "config/dns.zone").read_text(), 'games._domainkey IN TXT ( "v=DKIM1; k=rsa; " "p=abc" )'
    ).splitlines()
    for line in (
        "host-record=mail.example.org,203.0.113.5",
        "host-record=games.example.org,203.0.113.5",
        "mx-host=games.example.org,mail.example.org,10",
        'txt-record=games.example.org,"v=spf1 mx -all"',
        'txt-record=games._domainkey.games.example.org,"v=DKIM1; k=rsa; ","p=abc"',
        'txt-record=_dmarc.games.example.org,"v=DMARC1; p=quarantine; rua=mailto:you@example.org"',
    ):
        assert line in told


def test_it_says_why_it_cannot_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert operator.main([]) == 0
    assert capsys.readouterr().out == "skipped: not root\n"


@pytest.mark.nightly
def test_proved_on_the_real_thing() -> None:
    """In a process of its own, which leaves for namespaces of its own."""
    if reason := operator.cannot():
        pytest.skip(reason)
    assert operator.in_a_process() == ""
