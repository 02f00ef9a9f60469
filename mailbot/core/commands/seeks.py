"""(being written)"""

from mailbot.core.grammar import Row

ROWS: tuple[Row, ...] = ()
