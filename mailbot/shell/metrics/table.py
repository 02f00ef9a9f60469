"""The metrics: a row for each, as docs/metrics.md has them. Labels take only the words that are named here."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from mailbot.core.model import States
from mailbot.shell.metrics.counts import CLASSES, FATES, OUTCOMES
from mailbot.store.gauges import LETTERS, PLAYERS


class Metric(NamedTuple):
    """`kind`: counter, gauge or histogram. `help`: what it counts. `label` and `words`: of its series, if it has more
    than one. A counter's name in the answer to Prometheus ends with _total."""

    name: str
    kind: str
    help: str
    label: str = ""
    words: Sequence[str] = ()


METRICS: Final = (
    Metric("mailbot_mails_total", "counter", "Mails by what became of them.", "outcome", OUTCOMES),
    Metric("mailbot_letters_total", "counter", "Tries to send a letter by how they ended.", "outcome", FATES),
    Metric("mailbot_letters", "gauge", "Letters of the last 30 days by state.", "state", LETTERS),
    Metric("mailbot_oldest_letter_seconds", "gauge", "How long the oldest waiting letter has waited; 0: none waits."),
    Metric("mailbot_relay_trouble", "gauge", "1 if the relay could not be used at the last try, else 0."),
    Metric("mailbot_commit_seconds", "histogram", "How long commits took."),
    Metric("mailbot_jobs_total", "counter", "Jobs that the store has done; several share a commit."),
    Metric("mailbot_unwritten_total", "counter", "Batches of jobs that could not be written."),
    Metric("mailbot_unproved_mails", "gauge", "Mails without a proof that wait for their turn."),
    Metric("mailbot_mails_set_aside", "gauge", "Mails that broke the program and wait for the operator."),
    Metric("mailbot_hash_queue", "gauge", "Passwords that are being checked or wait for it."),
    Metric("mailbot_hash_places", "gauge", "How many may; beyond that, mails with passwords are put off."),
    Metric("mailbot_bots_workers", "gauge", "Processes that can think for computer players."),
    Metric("mailbot_bots_thinking", "gauge", "Boards, hints and analyses that computer players think about now."),
    Metric("mailbot_bots_waiting", "gauge", "Boards that wait for a computer player, those thought about included."),
    Metric("mailbot_bots_given_up", "gauge", "Boards that computer players have given up."),
    Metric("mailbot_games", "gauge", "Boards by state.", "state", States.ALL),
    Metric("mailbot_players", "gauge", "People by the state of their account.", "state", PLAYERS),
    Metric("mailbot_tournament_boards_waiting", "gauge", "Games of tournaments that are paired and not yet begun."),
    Metric("mailbot_tournament_steps_due", "gauge", "Tournaments whose next step is overdue."),
    Metric(
        "mailbot_page_requests_total", "counter", "Answers of the page by the class of their status.", "code", CLASSES
    ),
    Metric("mailbot_page_watchers", "gauge", "Browsers that wait for news of a board."),
    Metric("mailbot_disk_free_bytes", "gauge", "Free space on the disk of the store."),
    Metric("mailbot_disk_least_bytes", "gauge", "With less free space mails are put off ([limits] min_free_bytes)."),
    Metric("mailbot_store_bytes", "gauge", "Size of the store and its write-ahead log."),
    Metric("mailbot_backup_timestamp_seconds", "gauge", "When the last backup was made and found good; 0: never."),
)
"""All metrics but those of the process, which prometheus_client adds (process_...)."""
