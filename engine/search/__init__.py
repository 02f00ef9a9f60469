"""The computer player: from the moves of a game to the move it would play.

Pure like all of the engine: the seed, the budget and the stop signal are arguments. The first `think` imports numba
and numpy (the extra `bots`).
"""

from engine.search.thinking import LEVELS, Level, Thought, affordable, evaluate, level_of, think, warm

__all__ = ["LEVELS", "Level", "Thought", "affordable", "evaluate", "level_of", "think", "warm"]
