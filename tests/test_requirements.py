"""Which test holds which requirement of mail.md 2.1 (A, B, C, D1) and section 5; the named tests must exist."""

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent

TABLE: dict[str, list[str]] = {
    "A1": [
        "shell/test_writer.py::test_a1_no_answer_before_the_commit",
        "store/test_store.py::test_durability_pragmas",
        "e2e/test_games.py::test_a_restart_loses_nothing",
        "prove/test_crash.py::test_a1_killed_at_random_nothing_acknowledged_is_lost_or_done_twice",
        "prove/test_power.py::test_a1_a_power_cut_loses_nothing_that_was_acknowledged",
    ],
    "A2": [
        "shell/test_reception.py::test_a2_a_fault_of_the_machine_is_a_4xx_and_nothing_happened",
        "shell/test_writer.py::test_a2_a_commit_that_fails_fails_all",
    ],
    "A3": [
        "shell/test_smtp_session.py::test_s17_a3_one_answer_for_all_recipients_and_no_lmtp",
        "shell/test_reception.py::test_a3_one_mail_to_several_of_our_addresses_is_done_once",
    ],
    "A4": [
        "shell/test_smtp.py::test_backpressure_when_too_many_mails_are_in_work",
        "shell/test_auth.py::test_a_full_queue_is_busy",
    ],
    "A5": ["shell/test_smtp.py::test_a5_every_status_goes_out_as_it_is"],
    "A6": ["shell/test_smtp.py::test_a6_low_disk_is_told_at_mail"],
    "A7": [
        "mail/test_ignored.py::test_a7_mail_for_the_operator_is_kept_and_never_a_command",
        "mail/test_addresses.py::test_a7_b5_our_own_mailboxes_and_no_others",
    ],
    "A8": ["shell/test_smtp.py::test_a8_size_is_told_and_kept_at_mail_already"],
    "A9": ["shell/test_smtp.py::test_a9_a_slow_mail_is_not_idle"],
    "A10": [
        "mail/test_ignored.py::test_a10_two_servers_wired_to_each_other_fall_silent",
        "mail/test_ignored.py::test_a10_more_than_fifty_hops",
    ],
    "B1": ["mail/test_ignored.py::test_b1_a_null_return_path_is_never_answered"],
    "B2": ["mail/test_ignored.py::test_a10_b2_the_mail_is_ignored_and_without_the_header_it_is_read"],
    "B3": ["shell/test_reception.py::test_b3_answers_go_to_registered_addresses_or_a_newcomers_own"],
    "B4": ["shell/test_compose.py::test_a_plain_letter_to_the_byte", "shell/test_compose.py::test_thread"],
    "B5": ["mail/test_ignored.py::test_b5_mail_to_the_bounce_address_is_only_ever_a_bounce"],
    "B6": ["store/test_store.py::test_b6_caps", "shell/test_budgets.py::test_a_budget_and_its_shares"],
    "B7": ["shell/test_reception.py::test_b7_an_error_answer_repeats_no_more_than_a_short_line"],
    "B8": ["dialogues/test_dialogues.py::test_dialogue"],
    "C1": ["mail/test_read.py::test_c1_fuzz_nothing_raises_and_nothing_is_unreadable"],
    "C2": ["mail/test_read.py::test_c2_who_wrote_it_must_be_certain"],
    "C3": ["mail/test_charset.py::test_c3_clean"],
    "C4": ["mail/test_gold_replies.py::test_c4_gold_reply"],
    "C5": ["mail/test_mime.py::test_c4_c5_the_text_that_was_written"],
    "E1": [
        "mail/test_bounces.py::test_e1_a_report_is_read",
        "mail/test_bounces.py::test_e1_when_it_is_enough",
        "shell/test_returned.py::test_e1_a_dead_address_is_suspended_told_and_comes_back",
    ],
    "E2": ["shell/test_returned.py::test_e2_forged_reports_change_nothing"],
    "F1": [
        "shell/test_unsubscribe.py::test_news_says_how_to_stop_it_and_answers_do_not",
        "shell/test_unsubscribe.py::test_a_program_stops_the_letters_from_whatever_address_it_uses",
    ],
    "D1": ["shell/test_reception.py::test_d1_a_from_is_only_a_hint"],
    "5.2.1": ["shell/test_reception.py::test_5_2_1_no_password_and_no_token_on_the_disk_or_in_the_log"],
    "5.2.2": ["shell/test_tokens.py::test_any_changed_character_fails"],
    "5.2.3": ["shell/test_reception.py::test_an_old_mail_with_a_password_is_not_believed"],
    "5.2.4": ["shell/test_auth.py::test_five_failures_lock_the_account_for_that_network_only"],
    "5.2.5": ["shell/test_reception.py::test_the_same_code_for_known_and_unknown_senders_and_userids"],
    "5.2.6": [
        "dialogues/test_dialogues.py::test_dialogue",
        "store/test_erase.py::test_a_deleted_account_does_not_forget_how_often_a_stranger_was_asked",
    ],
    "5.2.7": ["dialogues/test_dialogues.py::test_dialogue"],
}

WANTED = [*(f"A{i}" for i in range(1, 11)), *(f"B{i}" for i in range(1, 9)), *(f"C{i}" for i in range(1, 6)), "D1"]


def test_every_requirement_has_a_row() -> None:
    assert [wanted for wanted in WANTED if not TABLE.get(wanted)] == []


@pytest.mark.parametrize("requirement", TABLE)
def test_the_named_tests_exist(requirement: str) -> None:
    for name in TABLE[requirement]:
        path, _, test = name.partition("::")
        tree = ast.parse((HERE / path).read_text())
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert test in functions, name
