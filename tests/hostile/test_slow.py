"""No mail keeps its parsers busy (C1): bombs from grammars, judged by calls by day, by the CPU clock at night."""

from collections.abc import Iterator
from functools import partial
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from mailbot.core.language import masking, passed, script, table
from tests.core.mail.mailrows import work
from tests.hostile.slow import GAMES, LIMIT, PARSERS, ROWS, Parser, bomb, expressions, patterns, slow

ALL = (*PARSERS, *expressions())


@pytest.mark.nightly
@pytest.mark.parametrize("parser", ALL, ids=[parser.name for parser in ALL])
def test_no_bomb_takes_a_quarter_of_a_second(parser: Parser) -> None:
    took, made = slow(parser, 150, 12)
    assert took <= LIMIT, made


CALLS = 400_000
"""Python's and C's; the worst bombs known take 200,000, and what is quadratic takes millions."""


@pytest.mark.parametrize("parser", PARSERS, ids=[parser.name for parser in PARSERS])
def test_a_bomb_is_bounded_work(parser: Parser) -> None:
    """What a single call may cost is the test below."""
    for seed in range(4):
        made, text = bomb(parser.words, parser.size, seed)
        assert work(partial(parser.run, text)) <= CALLS, made


REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT)
BOUNDED = {
    "mailbot.core.mail.addresses._LOCAL": "64 characters at most, and every part begins with a dot",
    "mailbot.core.mail.addresses._TOKEN": "60 characters at most, and every part begins with a dash",
}


def nested(parsed: Any, repeated: bool = False) -> Iterator[str]:
    """Repeats without an end inside something that repeats: these can try exponentially many ways, or many at least.
    A possessive repeat or an atomic group never goes back, and begins anew."""
    for op, argument in parsed:
        if op in REPEATS:
            least, most, inner = argument
            if repeated and most == ops.MAXREPEAT:
                yield f"{{{least},}}"
            yield from nested(inner, repeated or most > 1)
        elif op in (ops.POSSESSIVE_REPEAT, ops.ATOMIC_GROUP):
            yield from nested(argument[2] if op is ops.POSSESSIVE_REPEAT else argument)
        elif op is ops.SUBPATTERN:
            yield from nested(argument[3], repeated)
        elif op is ops.BRANCH:
            for branch in argument[1]:
                yield from nested(branch, repeated)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            yield from nested(argument[1], repeated)


def test_no_pattern_repeats_a_repeat() -> None:
    found = {name: list(nested(_parser.parse(pattern.pattern, pattern.flags))) for name, pattern, _ in patterns()}
    assert len(found) > 50
    assert {name for name, several in found.items() if several} <= BOUNDED.keys()
    assert list(nested(_parser.parse(r"(?:[^\n]*?\b[a-z]+){4}"))), "the test can fail"
    assert not list(nested(_parser.parse(r"(?:[^\n]*+\b[a-z]++)*")))


def test_a_line_without_end_is_no_command() -> None:
    line = "message " + "b " * 30_000
    assert script.read("", line, "", ROWS, GAMES).commands[0].trouble
    assert script.read("", f"help\n{line}", "", ROWS, GAMES).commands[0].name == "help"


def test_slips_among_many_words_are_looked_for_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    monkeypatch.setattr(masking, "get_close_matches", lambda word, *_: [str(looked.append(word))])
    options = [f"-omcmands{chr(97 + number)}" for number in range(26)]
    for line in (
        f"lambo seek ann passwordx1 {' '.join(options)}",
        f"help {' '.join(options)}",
        "list tutoirall " * 300,
    ):
        script.read("multiple", f"{line}\n" * 10, "", ROWS, GAMES)
        assert len(looked) <= masking.MAX_GUESSED
        looked.clear()
    passed.without_passwords(f"lambo seek ann passwordx1 {' '.join(options)}\n" * 100, ROWS, GAMES)
    assert len(looked) <= masking.MAX_GUESSED


def test_a_line_of_options_is_no_command() -> None:
    line = f"lambo seek ann passwordx1 {'-size=20 ' * (table.MAX_OPTIONS + 1)}"
    assert script.read(line, "", "", ROWS, GAMES).commands[0].trouble
    assert not script.read(line[: -len("-size=20 ")], "", "", ROWS, GAMES).commands[0].trouble
