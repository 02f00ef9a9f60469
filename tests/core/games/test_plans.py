"""Queued moves as text: what is understood, what is refused, and what is left when a part has been played."""

import pytest

from engine.errors import Forbidden, Unreadable
from mailbot.core.games import plans

PLY = 5
"""The ply the plans of these rows wait for."""

UNDERSTOOD = [
    ("a1,a2", "a1,a2"),
    (" A1 , a2. ", "a1,a2"),
    ("swap", "swap"),
    ("if b1 then a1,a2", "if b1 then a1,a2"),
    ("IF b1, c2 THEN a1,a2;", "if b1,c2 then a1,a2"),
    ("if b1#5 then a1,a2#6 if b2#7 then a3#8", "if b1 then a1,a2 if b2 then a3"),
    ("if b1 then resign", "if b1 then resign"),
    ("if b1 then a1 if b2 then a2\nif b1 then a1", "if b1 then a1 if b2 then a2"),
    ("if b1 then a1\nif b1 then a1", "if b1 then a1"),
    ("if b1,b2 then a1,a3\nif b2,b1 then a3,a1 if c1 then c2", "if b2,b1 then a3,a1 if c1 then c2"),
    ("a1\nif b1 then a2", "a1\nif b1 then a2"),
    ("\n\nif b1 then a1\n\nCheers, Bob", "if b1 then a1"),
    ("if b1 then a1\n\nif b2 then a2\n\nBob\nif b3 then a3", "if b1 then a1\nif b2 then a2"),
    ("", ""),
    ("\n \n", ""),
]

LONG = "\n".join(f"if a{n} then b1,b2" for n in range(10_000))

REFUSED = [
    ("resign", "could not read"),
    ("if", "could not read"),
    ("then a1", "could not read"),
    ("if b1 a1", "could not read"),
    ("if b1 then", "could not read"),
    ("if b1 then a1 if", "could not read"),
    ("if b1 then resign if b2 then a1", "could not read"),
    ("if b1 then a1\nBob", "not a move"),
    ("if if then then", "not a move"),
    ("a1,a2,a3", "too many placements"),
    ("d1", "no tile d"),
    ("if b1 then x9", "no tile x"),
    ("a1#5", "would be ply 6"),
    ("if b1#6 then a1", "would be ply 5"),
    ("if b1 then a1 if b2 then a2#6", "would be ply 8"),
    ("a1\na2", "answer whatever comes differently"),
    ("if b1 then a1\nif b1 then a2", "answer 'b1' differently"),
    ("if b1,b2 then a1\nif b2,b1 then a2", "differently"),
    ("if b1 then a1 if c1 then a2\nif b1 then a1 if c1 then resign", "answer 'c1' differently"),
    (LONG, "takes 20 lines"),
    (" ".join(["if b1 then a1"] * 9), "8 answers in a line"),
    ("\n".join(" ".join([f"if b{n} then a1"] * 7) for n in range(8)), "50 in all"),
    ("if b1 then a1 " * 100_000, "takes 20 lines"),
    ("a" * 3999, "not a move"),
]


@pytest.mark.parametrize(("text", "canonical"), UNDERSTOOD)
def test_understood(text: str, canonical: str) -> None:
    lines = plans.parse(text, "lambo", PLY)
    assert plans.write(lines) == canonical
    assert not canonical or plans.read(canonical) == lines


@pytest.mark.parametrize("mark", ["; ", ".  ", ";"])
def test_alternatives_in_one_line_are_no_chain(mark: str) -> None:
    assert plans.parse(f"if b2 then c3{mark}if a4 then resign", "lambo", PLY) == plans.parse(
        "if b2 then c3\nif a4 then resign", "lambo", PLY
    )


@pytest.mark.parametrize("mark", [", ", ", and ", ", or "])
def test_a_comma_between_answers_may_mean_both(mark: str) -> None:
    with pytest.raises(Unreadable, match="alternatives"):
        plans.parse(f"if b2 then c3{mark}if a4 then resign", "lambo", PLY)


@pytest.mark.parametrize(("length", "more", "fine"), [(69, "if b2 then c3", True), (70, "If b2 then c3", False),
    (78, "if b2 then c3", False), (79, "if b2 then c3", True), (75, "a9,b10", True),
    (75, "\nif b2 then c3", True)])  # fmt: skip
def test_a_line_that_a_mail_program_may_have_broken(length: int, more: str, *, fine: bool) -> None:
    lines = ["x" * length, *more.split("\n")]
    if fine:
        plans.require_unbroken(lines)
    else:
        with pytest.raises(Unreadable, match="has broken the line"):
            plans.require_unbroken(lines)


@pytest.mark.parametrize(("before", "slack", "fine"), [(0, 0, True), (6, 0, False), (5, 0, True), (2, 4, False)])
def test_a_first_line_counts_with_what_stands_before_the_plan(before: int, slack: int, *, fine: bool) -> None:
    lines = ["x" * 64, "if b2 then c3"]
    if fine:
        plans.require_unbroken(lines, before, slack)
    else:
        with pytest.raises(Unreadable, match="has broken the line"):
            plans.require_unbroken(lines, before, slack)


@pytest.mark.parametrize(("text", "said"), REFUSED, ids=lambda text: text[:30])
def test_refused(text: str, said: str) -> None:
    with pytest.raises(Unreadable, match=said) as refused:
        plans.parse(text, "lambo", PLY)
    assert len(str(refused.value)) < 250


def test_letters_and_tiles_are_those_of_the_game() -> None:
    assert plans.parse("if d1 then f2", "mambo", PLY)
    with pytest.raises(Forbidden, match="a turn of Mambo is one tile"):
        plans.parse("if d1 then f2,f3", "mambo", PLY)


TREE = "if b1,b2 then a1 if c1 then a2\nif b1,b2 then a1 if c2 then resign\nif b3 then a3\na4"


@pytest.mark.parametrize(
    ("played", "answer", "left"),
    [
        ("b1,b2", "a1", "if c1 then a2\nif c2 then resign"),
        ("b2,b1", "a1", "if c1 then a2\nif c2 then resign"),
        ("b3", "a3", ""),
        ("b1", "a4", ""),
        ("swap", "a4", ""),
    ],
)
def test_answer(played: str, answer: str, left: str) -> None:
    found = plans.answer(plans.read(TREE), played)
    assert found and (found[0], plans.write(found[1])) == (answer, left)


def test_no_answer() -> None:
    assert plans.answer(plans.read("if b1 then a1"), "b2") is None


def test_tree_is_told_in_78_columns() -> None:
    name = "n" * 20
    deep = " ".join(["if a123456789,b123456789 then a123456789,b123456789"] * plans.MAX_STEPS)
    told = plans.tree(plans.parse(deep, "lambo", PLY), name)
    assert max(map(len, told)) <= 76
    assert plans.tree(plans.read(TREE), "bob") == [
        "if bob plays b1,b2, you play a1",
        "  if bob plays c1, you play a2",
        "  if bob plays c2, you resign",
        "if bob plays b3, you play a3",
        "whatever else bob plays, you play a4",
    ]


@pytest.mark.parametrize(
    ("text", "goes_on"),
    [
        ("if a9,b10 then resign\na1,b2", "if a9,b10 then resign\na1,b2"),
        ("then a1,b2\n\nif a1 then b2", "then a1,b2\n\nif a1 then b2"),
        ("Good luck!", ""),
        ("\n\nThis email has been checked for viruses by AVG.", "\n"),
        ("a9,b10\nDear server,\nif a1 then b2", "a9,b10"),
        ("Iffy weather", ""),
        ("- if b1 then a2,a3\n2. if c1 then a2\nBye", "- if b1 then a2,a3\n2. if c1 then a2"),
    ],
)
def test_words_below_a_plan_are_none_of_it(text: str, goes_on: str) -> None:
    assert plans.going_on(text) == goes_on


BELOW = [
    "queue if a4,a5 then a12,a27",
    "queue\nif a4,a5 then a12,a27 if b1 then c2,c3\nif a4,b5 then resign\na9,b10",
    "queue a12,a27",
    "lambo queue 1 ann ******** if a4,a5 then a12,a27",
    "queue 12 ann ******** a1,b2",
    "if a4,a5 then a12,a27",
    "Then queue if a4,a5 then a12,a27",
    "- queue if a4,a5 then a12,a27",
    "1. *queue* if a4,a5 then a12,a27",
    "Queue: if a4,a5 then a12,a27",
    "queue if a4,a5\nthen a12,a27",
    "if a4,a5, then a12,a27",
    "queu if a4,a5 then a12,a27",
    "1) if a4,a5 then a12,a27",
    "if a4,a5 then\na12,a27",
    "queue\n\nif a4,a5 then a12,a27\n\nif a4 then b5\n\na9,b10",
    "submit a12,a27",
    "preview a12,a27",
    "if a4, a5 then a12, a27",
    "queue a12, a27",
    "queue:\nA12, A27",
    "queue 12 ann ******** a12, a27",
    "queue board 5 a12,a27",
    "queue a12,a27 please",
    "if a4 ,a5\nthen a12",
    "queue if a4,a5 then a7,a8 if\nc1,c2 then b9,c10",
    "queue \u043012,\u043027",
]


@pytest.mark.parametrize("queue", BELOW)
def test_a_queue_among_the_words_does_not_reach_the_opponent(queue: str) -> None:
    words, told = plans.without_queue(f"A fine move!\n{queue}\nBye, b4 was good.")
    assert words == "A fine move!\nBye, b4 was good."
    assert "neither kept nor sent" in str(told)


@pytest.mark.parametrize(
    "words",
    [
        "There is a long queue at the post office",
        "I queue every day, if I can, then I sleep",
        "Queue if you can",
        "queue",
        "queue 12 people",
        "If you play a4 then I am lost",
        "the queue was long\nb4,c5",
        "Queue is nice: if you are away, then the game goes on.",
        "Please submit your moves early if you can, then we finish in May.",
    ],
)
def test_words_about_a_queue_go_on(words: str) -> None:
    assert plans.without_queue(words) == (words, [])
