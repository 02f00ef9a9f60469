"""One letter with the boards that wait for a player whose earlier letters can no longer be answered, or never came."""

from mailbot.core.effects import Letter, Post
from mailbot.core.games import boards, timing
from mailbot.core.model import States
from mailbot.core.players import digest
from mailbot.core.ratings import terms
from mailbot.core.world import World

MAX_LINES = 100


def letters(player: int, now: int, world: World) -> list[Post]:
    """One letter: the board itself if one board waits, else a list and how to get each board."""
    games = digest.waiting(player, world)
    me = world.player(player)
    if not games or me is None:
        return []
    if len(games) > 1:
        rows = [digest.row(game, me, now, world) for game in games[:MAX_LINES]]
        facts = {"table": "waiting", "rows": rows, "userid": me.userid, "more": len(games) - len(rows)}
        return [Post(player, Letter("waiting", f"{len(games)} boards wait for you", facts))]
    (game,) = games
    number, players = game.number_of(player), boards.names(game, world)
    if game.state == States.OFFERED:
        return [Post(player, boards.offer(game, players, number, "", 3 - number, **terms.facts(game, now, world)))]
    told = {"event": "again", "by": 0, **timing.facts(game, now, world)}
    return [Post(player, boards.news("board", game, world.texts(game.id), players, number, **told))]
