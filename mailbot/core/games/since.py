"""What has happened on a board since the letter whose link somebody opens now."""

from collections.abc import Sequence

from mailbot.core.model import Game, Move, States


def since(game: Game, moves: Sequence[Move], players: Sequence[str], number: int, stamp: int) -> list[str]:
    """Sentences for player `number`, to whom the letter with this stamp was written; none if the link still plays the
    turn that comes next. If turns were ever taken back on this board, or questions answered, we cannot tell which turn
    the letter was about.
    """
    if game.is_next(stamp):
        return [f"Board {game.id} is over."] if game.state != States.RUNNING else []
    about = stamp // 2 - 1
    if game.taken_back and moves and moves[-1].player == game.player(number) and game.state == States.RUNNING:
        return [f"Your last turn on this board was {moves[-1].text}, and {players[2 - number]} has not played since."]
    if game.taken_back or about >= len(moves) or moves[about].player != game.player(number):
        return [
            f"Board {game.id} has changed since the letter with this link: turns were played or taken back, or a"
            " question was answered. The newest letter about the board has a link that is good."
        ]
    own, *later = moves[about:]
    told = [f"You have played {own.text} in the turn of this link."]
    if later:
        last = later[-1]
        who = "you" if last.player == game.player(number) else players[2 - number]
        many = f"{len(later)} turns have been played since; the last was" if len(later) > 1 else "Since then came"
        told.append(f"{many} {last.text} by {who}.")
    return told
