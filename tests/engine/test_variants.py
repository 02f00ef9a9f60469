"""Rules as text, both ways; what is refused; and the operator's own variants."""

import random
from dataclasses import replace

import pytest

from engine.errors import EngineError, Forbidden, Unreadable
from engine.hex.rules import Rules, options
from engine.hex.variants import (
    CATALOGUE,
    GAMES,
    VARIANTS,
    Variant,
    parse,
    with_variants,
    write,
)

LAMBO, PALAGO, MAMBO = (GAMES[name].rules for name in ("lambo", "palago", "mambo"))
MAMBA = replace(MAMBO, auto="full", kill=False, loops=4, largest="loses")
MAMBOGO = replace(MAMBO, auto="full", kill=False, territory=True)

READ: list[tuple[str, Rules, str]] = [
    ("lambo", LAMBO, "lambo"),
    ("  LAMBO  -Size=40   -ANYWHERE ", replace(LAMBO, size=40, anywhere=True), "lambo -size=40 -anywhere"),
    ("lambo -size=48 -adjacent -no_contain", LAMBO, "lambo"),
    ("lambo -size=040", replace(LAMBO, size=40), "lambo -size=40"),
    ("lambo -size=4", replace(LAMBO, size=4), "lambo -size=4"),
    ("lambo -size=200", replace(LAMBO, size=200), "lambo -size=200"),
    ("lambo -eat_enemy", replace(LAMBO, eat_enemy=2), "lambo -eat_enemy=2"),
    ("lambo -eat-enemy=3", replace(LAMBO, eat_enemy=3), "lambo -eat_enemy=3"),
    ("lambo -eat_size=3", replace(LAMBO, eat_enemy=2, eat_size=3), "lambo -eat_enemy=2 -eat_size=3"),
    ("lambo -eat_size=3 -eat_enemy=1", replace(LAMBO, eat_enemy=1, eat_size=3), "lambo -eat_enemy=1 -eat_size=3"),
    ("lambo -eat_enemy=1 -eat_size=3", replace(LAMBO, eat_enemy=1, eat_size=3), "lambo -eat_enemy=1 -eat_size=3"),
    ("lambo -must_contain -swap", replace(LAMBO, must_contain=True, swap=True), "lambo -must_contain -swap"),
    ("lambo -anywhere -anywhere", replace(LAMBO, anywhere=True), "lambo -anywhere"),
    ("palago", PALAGO, "palago"),
    ("mambo -auto=limited -kill -largest=wins -loops=0", MAMBO, "mambo"),
    ("mambo -mamba", MAMBA, "mambo -mamba"),
    ("mambo -mamboa", replace(MAMBO, loops=2), "mambo -mamboa"),
    ("mambo -mambogo", MAMBOGO, "mambo -mambogo"),
    ("mambo -mamba -loops=2", replace(MAMBA, loops=2), "mambo -mamba -loops=2"),
    ("mambo -loops=2 -mamba", MAMBA, "mambo -mamba"),
    ("mambo -size=30 -mamba", replace(MAMBA, size=30), "mambo -mamba -size=30"),
    ("mambo -auto=full -no_kill -loops=4 -largest=loses", MAMBA, "mambo -mamba"),
    ("mambo -loops=2", replace(MAMBO, loops=2), "mambo -mamboa"),
    ("mambo -loops=3", replace(MAMBO, loops=3), "mambo -loops=3"),
    ("mambo -mambogo -no_territory -kill", replace(MAMBO, auto="full"), "mambo -auto=full"),
]


@pytest.mark.parametrize(("text", "rules", "canonical"), READ)
def test_read_and_write(text: str, rules: Rules, canonical: str) -> None:
    assert parse(text) == rules
    assert write(rules) == canonical
    assert parse(canonical) == rules


REFUSED: list[tuple[str, type[EngineError], str]] = [
    ("", Unreadable, "name a game"),
    ("lambda", Unreadable, "did you mean lambo?"),
    ("chess", Unreadable, "lambo, palago and mambo"),
    ("mamba", Unreadable, "write mambo -mamba"),
    ("lambo -sise=40", Unreadable, "did you mean -size?"),
    ("lambo -size", Unreadable, "4 to 200"),
    ("lambo -size=", Unreadable, "whole number"),
    ("lambo -size=4.5", Unreadable, "whole number"),
    ("lambo -size=-5", Unreadable, "whole number"),
    ("lambo -size=٤٨", Unreadable, "whole number"),
    ("lambo -size=3", Forbidden, "4 to 200"),
    ("lambo -size=201", Forbidden, "4 to 200"),
    ("lambo -size=" + "9" * 5000, Forbidden, "4 to 200"),
    ("lambo -size=40 -size=41", Forbidden, "contradict"),
    ("lambo -anywhere -adjacent", Forbidden, "-anywhere and -adjacent contradict"),
    ("lambo -must_contain -no_contain", Forbidden, "contradict"),
    ("lambo -anywhere=3", Unreadable, "takes no value"),
    ("lambo size=30", Unreadable, "like -size=30"),
    ("lambo bob", Unreadable, "begin with a dash"),
    ("lambo -", Unreadable, "no option"),
    ("lambo -eat_enemy=0", Forbidden, "1 to 200"),
    ("lambo -eat_size", Unreadable, "whole number"),
    ("lambo -must_contain -eat_enemy", Forbidden, "exclude each other"),
    ("lambo -eat_size=1 -must_contain", Forbidden, "exclude each other"),
    ("lambo -loops=2", Unreadable, "belongs to Mambo"),
    ("lambo -mamba", Unreadable, "belongs to Mambo"),
    ("mambo -anywhere", Unreadable, "belongs to Lambo and Palago"),
    ("mambo -auto", Unreadable, "none, limited, full"),
    ("mambo -auto=some", Unreadable, "none, limited, full"),
    ("mambo -largest=draws", Unreadable, "wins, loses"),
    ("mambo -kill -no_kill", Forbidden, "contradict"),
    ("mambo -loops=1 -loops=2", Forbidden, "contradict"),
    ("mambo -mamba -mambogo", Forbidden, "different variants"),
    ("mambo -mamba=3", Unreadable, "takes no value"),
]


@pytest.mark.parametrize(("text", "kind", "says"), REFUSED)
def test_refused(text: str, kind: type[EngineError], says: str) -> None:
    with pytest.raises(kind) as refused:
        parse(text)
    assert says in str(refused.value)
    assert len(str(refused.value)) < 160


@pytest.mark.parametrize("game", GAMES)
def test_any_mixture_round_trips(game: str) -> None:
    rng = random.Random(f"mixtures of {game}")
    seen = 0
    for _ in range(300):
        words = [game]
        for row in rng.sample(options(game), rng.randrange(5)):
            if row.value is not None:
                words.append(row.spelling)
            else:
                value = rng.choice(row.choices) if row.choices else rng.choice([row.low, row.high, row.low + 3])
                words.append(f"-{row.word}={value}")
        if rng.random() < 0.5 and (named := CATALOGUE.named(game)):
            words.insert(1, f"-{rng.choice(named).name}")
        try:
            rules = parse(" ".join(words))
        except Forbidden:
            continue
        seen += 1
        assert parse(write(rules)) == rules
        assert len(write(rules).split()) <= len(words) + 1  # one more where -eat_size says -eat_enemy
    assert seen > 150


def test_help_rows_are_the_rows_the_parser_reads() -> None:
    assert CATALOGUE.named("mambo") == VARIANTS
    assert CATALOGUE.named("lambo") == ()


def test_an_operators_variant() -> None:
    rows = [
        Variant("quick", "lambo", "-size=20 -anywhere", "a short game"),
        Variant("tiny", "mambo", "-mamba -size=10", "a very short Mamba"),
        Variant("killing", "mambo", "-tiny -kill", "the same, with kills"),
    ]
    catalogue = with_variants(rows)
    assert parse("lambo -quick", catalogue) == replace(LAMBO, size=20, anywhere=True)
    assert parse("lambo -quick -size=24", catalogue) == replace(LAMBO, size=24, anywhere=True)
    assert parse("mambo -killing", catalogue) == replace(MAMBA, size=10, kill=True)
    assert write(replace(LAMBO, size=20, anywhere=True), catalogue) == "lambo -quick"
    assert write(replace(MAMBA, size=10, loops=3), catalogue) == "mambo -tiny -loops=3"
    assert rows[0] in catalogue.named("lambo")
    with pytest.raises(Unreadable):
        parse("lambo -quick")


def test_a_variant_says_defaults_aloud() -> None:
    catalogue = with_variants([Variant("deadly", "mambo", "-kill", "kills count")])
    assert parse("mambo -no_kill -deadly", catalogue) == MAMBO


BROKEN: list[tuple[Variant, type[EngineError], str]] = [
    (Variant("Big One", "lambo", "-size=90", "big"), Unreadable, "cannot name a variant"),
    (Variant("b", "lambo", "-size=90", "big"), Unreadable, "cannot name a variant"),
    (Variant("big", "rambo", "-size=90", "big"), Unreadable, "no game"),
    (Variant("mamba", "mambo", "-size=90", "big"), Forbidden, "already"),
    (Variant("lambo", "lambo", "-size=90", "big"), Forbidden, "already"),
    (Variant("size", "lambo", "-size=90", "big"), Forbidden, "is an option"),
    (Variant("big", "lambo", "-size=900", "big"), Forbidden, "4 to 200"),
    (Variant("big", "lambo", "-huge", "big"), Unreadable, "no option"),
    (Variant("big", "lambo", "-big", "big"), Unreadable, "no option"),
    (Variant("big", "lambo", "-must_contain -eat_enemy", "big"), Forbidden, "exclude"),
    (Variant("big", "lambo", "-size=90", " "), Unreadable, "description"),
    (Variant("big", "lambo", "-size=90", "big\nbigger"), Unreadable, "description"),
]


@pytest.mark.parametrize(("row", "kind", "says"), BROKEN, ids=lambda value: str(value)[:30])
def test_a_broken_row(row: Variant, kind: type[EngineError], says: str) -> None:
    with pytest.raises(kind, match=says):
        with_variants([row])


def test_a_name_twice() -> None:
    row = Variant("big", "lambo", "-size=90", "big")
    with pytest.raises(Forbidden, match="already"):
        with_variants([row, row])
