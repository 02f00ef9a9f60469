"""A mail with a Subject and a text to a script of commands: which of them counts."""

import pytest

from engine.hex.variants import CATALOGUE
from mailbot.core import tokens
from mailbot.core.commands import ROWS
from mailbot.core.handle import sentence
from mailbot.core.language.masking import Names
from mailbot.core.language.script import NOT_PASSED, read

GAMES = CATALOGUE.words()

MAILS = [
    # Subject, text, the kind of the reply address; the lines that are read as commands
    ("games", "show 1", "", ["games"]),
    ("Re: games", "show 1", "", ["show 1"]),
    ("AW: games", "show 1\nhelp", "", ["show 1", "help"]),
    ("Re: games", "Thank you!", "", ["games"]),
    ("Re: games", "", "", ["games"]),
    ("Re: gamess", "Thank you!", "", ["games"]),
    ("resign 1", "", tokens.PLAY, ["resign 1"]),
    ("resign 1", "Thank you!", tokens.PLAY, ["resign 1"]),
    ("Re: resign 1", "", tokens.PLAY, ["resign 1"]),
    ("Re: Lambo 1: ann - bob", "a1", tokens.PLAY, ["a1"]),
    ("Re: Lambo 1: ann - bob", "Rematch!", tokens.AFTER, ["Rematch"]),
    ("Re: Lambo 1: ann - bob", "Yes, please!", tokens.ANSWER, ["yes"]),
    ("Re: Lambo 1: ann - bob", "No thanks.", tokens.ANSWER, ["no"]),
    ("Re: Lambo 1: ann - bob", "I accept, thank you", tokens.ANSWER, ["accept"]),
    ("Re: Lambo 1: ann - bob", "I resign.", tokens.PLAY, ["resign"]),
    ("a1", "", tokens.PLAY, ["a1"]),
    ("a1", "b1", tokens.PLAY, ["b1"]),
    ("Re: Lambo 1: ann - bob", "rematch.", tokens.AFTER, ["rematch"]),
    ("Re: Lambo 1: ann - bob", "a1", "", ["a1"]),
]


def test_words_below_a_command_in_the_subject_of_an_answer_are_all_there() -> None:
    script = read("accept", "Good luck!\nYours, Bob", tokens.ANSWER, ROWS, GAMES)
    assert (script.commands[0].name, script.text) == ("accept", "Good luck!\nYours, Bob")
    assert read("Re: Lambo 1", "accept\nGood luck!", tokens.ANSWER, ROWS, GAMES).text == "Good luck!"


@pytest.mark.parametrize("said", ["Please thank you", "Yes, no", "Yes, I think", "Thanks", "Now", "nod", "oki"])
def test_a_courtesy_alone_is_no_command(said: str) -> None:
    (command,) = read("Re: Lambo 1: ann - bob", said, tokens.ANSWER, ROWS, GAMES).commands
    assert command.trouble


@pytest.mark.parametrize(("subject", "text", "token", "lines"), MAILS)
def test_what_counts(subject: str, text: str, token: str, lines: list[str]) -> None:
    script = read(subject, text, token, ROWS, GAMES)
    assert [(one.line, one.trouble) for one in script.commands] == [(line, "") for line in lines]


@pytest.mark.parametrize(
    "token", [tokens.MESSAGE, tokens.AFTER, tokens.CONFIRM, tokens.UNSUBSCRIBE, tokens.PLAY, tokens.ANSWER, ""]
)
def test_a_command_with_a_password_in_a_new_subject_is_no_answer(token: str) -> None:
    """The mail program has filled in the reply address of an old letter."""
    for words in ("Take that, Carl!", "a2,a3"):
        script = read("lambo move 2 bob Secret-word-1 a2,a3", words, token, ROWS, GAMES)
        (command,) = script.commands
        assert (command.name, command.args["board"], command.password) == ("move", "2", "Secret-word-1")
        assert script.text == words


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("lambo move 1 bob a2,a3", "Your password is missing: lambo move 1 bob PASSWORD a2,a3"),
        ("Move 1 bob a2 , a3", "Your password is missing: Move 1 bob PASSWORD a2,a3"),
        ("vacation bob 14", "Your password is missing: vacation bob PASSWORD 14"),
        ("message bob carl", "Your password is missing: message bob PASSWORD carl"),
        ("set bob digest 7", "Your password is missing, or it is too short. A password has at least 8 characters"),
        ("block bob carl", "Your password is missing, or it is too short. A password has at least 8 characters"),
        ("lambo resign 1 bob short", "Your password is too short. A password has at least 8 characters"),
        ("queue 1 bob if a1,b2 then c1,d2", "Your password is missing: queue 1 bob PASSWORD if a1,b2 then c1,d2"),
        ("challenge bob Secret-word-1 ann", "I could not read the line 'challenge bob ******** ann'."),
        ("lambo resign 1 bob", "Your password is missing: lambo resign 1 bob PASSWORD"),
        ("move 1 bob PASSWORD a1", "Write your own password in the place of PASSWORD: move 1 bob PASSWORD a1"),
        ("accept 63 nat-secret-99", "Your name or your password is missing: accept 63 NAME PASSWORD"),
        ("delete nat-secret-99", "Your name or your password is missing: delete NAME PASSWORD"),
        ("move 63 nat-secret-99 a1", "Your name or your password is missing: move 63 NAME PASSWORD a1"),
        ("move 1 bob short a2,a3", "Your password is too short. A password has at least 8 characters"),
    ],
)
def test_a_word_that_cannot_be_a_password_is_not_taken_for_one(line: str, said: str) -> None:
    """So nobody hears of a wrong password, and it is not counted."""
    (command,) = read(line, "", "", ROWS, GAMES).commands
    assert (command.trouble, command.password, command.userids) == (said, "", ())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("message bob", "takes no 'message'. Send it in a mail of its own: message name password player"),
        ("vacation 14", "takes no 'vacation'. Send it in a mail of its own: vacation name password"),
        ("chat hello", "Write 'chat' alone"),
        ("lambo move 17 bob PASSWORD a1", "Write your own password in the place of PASSWORD: lambo move 17 bob"),
    ],
)
def test_words_in_an_answer_are_explained_where_the_letter_takes_them(line: str, said: str) -> None:
    (command,) = read("Re: Lambo 1: ann - bob", line, tokens.PLAY, ROWS, GAMES).commands
    assert said in command.trouble


ANN = Names(frozenset({"ann"}), lambda name: name in ("ann", "bob", "carl"), lambda name: True, unproved=False)


@pytest.mark.parametrize(
    ("line", "slot", "name"),
    [
        ("forgot tom.", "userid", "tom"),
        ("block mia Secret-word-1 tom.", "otherUserid", "tom"),
        ("message mia Secret-word-1 tom, abe.", "toUserid", ("tom,", "abe")),
    ],
)
def test_the_full_stop_of_a_sentence_is_no_part_of_a_name(line: str, slot: str, name: object) -> None:
    (command,) = read(line, "Hello", "", ROWS, GAMES, ANN._replace(exists=lambda name: True)).commands
    assert command.args.get(slot) == name or command.userids == (name,)


WORDS_OR_YES = [tokens.MESSAGE, tokens.AFTER, tokens.CONFIRM, tokens.UNSUBSCRIBE, tokens.FORGOT]


@pytest.mark.parametrize("token", WORDS_OR_YES)
@pytest.mark.parametrize("subject", ["help", "games", "lambo help rules", "list", "Help"])
def test_a_question_as_a_new_subject_with_nothing_below_is_no_answer(subject: str, token: str) -> None:
    (command,) = read(subject, "", token, ROWS, GAMES).commands
    assert command == read(subject, "", "", ROWS, GAMES).commands[0]


@pytest.mark.parametrize("token", WORDS_OR_YES)
@pytest.mark.parametrize(
    "subject",
    [
        "lambo challenge me carl",
        "challenge ann carl",
        "chat 2",
        "message ann carl",
        "message ann PASSWORD carl",
        "message ann short carl",
        "lambo move 2 ann a1",
        "move 2 a1",
        "broadcast ann",
        "lambo move 2 ann Secret-word-1",
    ],
)
def test_a_command_as_a_new_subject_sends_its_words_to_nobody_else(subject: str, token: str) -> None:
    """They are for Carl, and the letter whose reply address the mail program has filled in is from Bob."""
    script = read(subject, "Bob plays badly.", token, ROWS, GAMES, ANN)
    assert script == read(subject, "Bob plays badly.", "", ROWS, GAMES, ANN)
    assert script.commands[0].name == subject.removeprefix("lambo ").split()[0]


@pytest.mark.parametrize(
    "subject",
    [
        "Message from Ann to you",
        "message from bob",
        "Thanks",
        "Yes",
        "help me",
        "games tonight",
        "set up",
        "Reply",
        "Take care",
    ],
)
def test_other_subjects_above_words_are_words(subject: str) -> None:
    script = read(subject, "Fine, thank you.", tokens.MESSAGE, ROWS, GAMES, ANN)
    assert (script.commands[0].name, script.text) == ("reply", "Fine, thank you.")


@pytest.mark.parametrize("subject", ["help", "games", "lambo help rules", "Seeks", "tournaments"])
def test_a_signature_below_a_question_goes_to_nobody(subject: str) -> None:
    """Many programs put one there without a mark."""
    script = read(subject, "Kind regards\nBob Miller, Ltd.", tokens.MESSAGE, ROWS, GAMES, ANN)
    assert script.commands == read(subject, "", "", ROWS, GAMES, ANN).commands
    assert (script.text, script.unread) == ("", NOT_PASSED)


def test_a_new_subject_that_the_letter_takes_is_done_with_the_words_below() -> None:
    script = read("Rematch", "Well played.", tokens.AFTER, ROWS, GAMES, ANN)
    assert (script.commands[0].name, script.text) == ("rematch", "Well played.")
    script = read("Re: rematch", "Well played.", tokens.AFTER, ROWS, GAMES, ANN)
    assert (script.commands[0].name, script.text) == ("reply", "Well played.")


@pytest.mark.parametrize("token", [*WORDS_OR_YES, tokens.PLAY, tokens.ANSWER])
def test_several_commands_in_a_new_mail_are_no_answer(token: str) -> None:
    script = read("multiple", "help\nshow 3", token, ROWS, GAMES)
    assert [command.name for command in script.commands] == ["help", "show"]


@pytest.mark.parametrize("subject", ["unsubscribe", "stop", "yes", "", "Unsubscribe", "remove"])
def test_a_letter_about_fewer_letters_takes_every_other_subject(subject: str) -> None:
    (command,) = read(subject, "", tokens.UNSUBSCRIBE, ROWS, GAMES).commands
    assert command.name == "silence"


@pytest.mark.parametrize("subject", ["Re: Words from ann", "Re: move 2 bob Secret-word-1 a2,a3", "Hello", "Re: games"])
def test_an_answer_to_a_message_is_words(subject: str) -> None:
    script = read(subject, "Fine, thank you.", tokens.MESSAGE, ROWS, GAMES)
    assert (script.commands[0].password, script.text) == ("", "Fine, thank you.")


def test_a_subject_of_our_letter_ends_no_game() -> None:
    """The player wrote the first line, which cannot be read; the Subject is not done instead of it."""
    (command,) = read("Re: resign 1", "Thank you!", tokens.PLAY, ROWS, GAMES).commands
    assert command.trouble


def test_a_move_without_a_reply_address_is_of_the_board_in_the_subject() -> None:
    (command,) = read("Re: Mambo 7: ann - bob", "f0", "", ROWS, GAMES).commands
    assert (command.name, command.game, command.args["board"]) == ("move", "mambo", "7")


@pytest.mark.parametrize("line", ["move 1 ann Secret-word-1 a4 a5", "move 1 ann Secret-word-1"])
@pytest.mark.parametrize("game", ["", "lambo "])
def test_a_slip_in_the_subject_is_what_the_answer_speaks_of(game: str, line: str) -> None:
    """And it has the sender's password, so the sender is answered."""
    (command,) = read(game + line, "Your turn, Bob!", "", ROWS, GAMES).commands
    assert (command.name, command.userids, command.password) == (line.split()[0], ("ann",), "Secret-word-1")
    assert "Bob" not in command.line


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ("Your password is missing: block ann PASSWORD bob", "PASSWORD bob"),
        ("your password is missing: lambo move 1 ann PASSWORD a1", "a1"),
        ("To end it: vacation NAME PASSWORD off", "off"),
        ("there is no tournament 1; to see those there are, send: tournaments", "send: tournaments"),
        ("-size=3 is out of range: it can be 4 to 200", "200."),
        ("games of others end", "end."),
    ],
)
def test_a_line_to_send_has_no_full_stop(said: str, ends: str) -> None:
    assert sentence(said).endswith(ends)


@pytest.mark.parametrize(
    ("token", "subject", "line"),
    [
        (tokens.UNSUBSCRIBE, "no", "no"),
        (tokens.UNSUBSCRIBE, "Stop", "Stop"),
        (tokens.UNSUBSCRIBE, "RES: Fewer letters", ""),
        (tokens.CONFIRM, "yes", "yes"),
        (tokens.FORGOT, "Password forgotten", ""),
    ],
)
def test_a_subject_is_the_answer_only_if_it_is_a_plain_word_above_nothing(token: str, subject: str, line: str) -> None:
    (command,) = read(subject, "", token, ROWS, GAMES).commands
    assert (command.line, command.secret) == (line, "")


LONG = 'tournament create tom geheim12 "May Cup" -format=swiss -game=lambo'


@pytest.mark.parametrize(
    ("first", "below", "belongs"),
    [
        (LONG, "-rating=1400-1800 -unrated\n-draft", True),
        (LONG, "-rating=1400-1800 -unrated, please", False),
        (LONG, "\n-draft", False),
        ("lambo challenge ann bob geheim12 -clock=10d+2d/14d -noweekends", "-unrated", True),
        ("move 1 bob geheim12 a1", "-bob", False),
        ("queue if b4,c11 then a7,a8 if c1,c2 then b9,c10 if a1,a2 then b3", "-ann", False),
    ],
)
def test_options_that_a_mail_program_has_put_on_a_line_of_their_own(first: str, below: str, belongs: bool) -> None:
    (command,), text, _ = read("", f"{first}\n{below}\nHello!", "", ROWS, GAMES)
    options = command.args.get("options", ())
    assert set(below.split()).issubset({f"-{one}".replace("--", "-") for one in options}) == belongs  # type: ignore[union-attr]
    assert text.startswith("Hello!") == belongs


@pytest.mark.parametrize("typed", ["\u0430" + "1,\u0441" + "2", "\u0391" + "1, C2", "*\u0410" + "1,c2*"])
def test_a_move_in_letters_that_look_like_ours(typed: str) -> None:
    (command,) = read("", typed, tokens.PLAY, ROWS, GAMES).commands
    assert (command.name, command.args) == ("move", {"move": "a1,c2"}), typed
