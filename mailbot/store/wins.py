"""The table of the games that people have won against each other."""

from sqlite_utils import Database

from mailbot.core.ratings.fold import PAIR_WINS
from mailbot.core.world import Standing

BEGINS = "substr(rules || ' ', 1, length({0} || ' ')) = {0} || ' '"
"""Rules that begin with the words of a parameter. Not LIKE, because to LIKE the '_' of an option is any character."""

_OVER = f"state = 'over' AND winner IS NOT NULL AND player1 > 0 AND player2 > 0 AND (?1 = '' OR {BEGINS.format('?1')})"
_RESULTS = "sum(winner = {0}) AS won, sum(winner = {1}) AS lost, sum(winner = 0) AS drawn FROM game"
_TABLE = f"""
WITH side AS (
    SELECT player1 AS player, player2 AS other, {_RESULTS.format(1, 2)} WHERE {_OVER} GROUP BY 1, 2
    UNION ALL SELECT player2, player1, {_RESULTS.format(2, 1)} WHERE {_OVER} GROUP BY 1, 2
), pair AS (
    SELECT player, sum(won) AS won, sum(lost) AS lost, sum(drawn) AS drawn FROM side GROUP BY player, other
)
SELECT userid, sum(won), sum(lost), sum(drawn), sum(min(won, {PAIR_WINS}))
FROM pair JOIN player ON player.id = pair.player WHERE player.state NOT IN ('gone', 'locked')
GROUP BY player.id ORDER BY 5 DESC, 3, 4 DESC, userid
"""  # noqa: S608 - only texts of this module


def table(db: Database, rules: str) -> list[Standing]:
    """The players who have not left and are not locked, by their wins in games whose rules begin with these words (all
    games if there are none)."""
    return [Standing(*row) for row in db.execute(_TABLE, (rules,)).fetchall()]
