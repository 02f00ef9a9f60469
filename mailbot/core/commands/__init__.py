"""The command table: every command, one row each, gathered from the families."""

from mailbot.core.commands import account, offers, play, reading
from mailbot.core.grammar import Row

ROWS: tuple[Row, ...] = (*play.ROWS, *offers.ROWS, *reading.ROWS, *account.ROWS)
BY_NAME = {row.name: row for row in ROWS}
