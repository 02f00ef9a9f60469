"""The computer player: from the moves of a game to the move it would play.

Pure like all of the engine: the seed, the budget and what says stop are arguments. numba and numpy (the extra `bots`)
are imported by the first `think`, not before.
"""

from engine.search.thinking import LEVELS, Level, Thought, affordable, evaluate, level_of, think, warm

__all__ = ["LEVELS", "Level", "Thought", "affordable", "evaluate", "level_of", "think", "warm"]
