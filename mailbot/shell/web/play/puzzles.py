"""The puzzle of the day, for everybody. It is the same all day, so a browser that has it gets it once."""

from functools import lru_cache

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.families import family_of
from engine.family import name_of
from mailbot.core.commands.puzzle import SIDES
from mailbot.core.model import DAY
from mailbot.core.puzzles import days
from mailbot.shell.web.reading import boards, seen
from mailbot.shell.web.rooms import Rooms


def routes(rooms: Rooms) -> list[Route]:
    """The address of this module."""

    @lru_cache(maxsize=2)
    def drawing(day: int, to_move: int) -> Markup:
        one = days.of_day(day)
        names = SIDES if to_move == 1 else (SIDES[1], SIDES[0])
        drawn = boards.drawing(family_of(one.rules, rooms.catalogue), one.rules, one.moves, names)
        return Markup(drawn)  # noqa: S704 - engine.hex.svg escapes

    async def puzzle(request: Request) -> Response:
        [letter] = seen.letters(rooms, "puzzle")
        facts = letter.facts
        family = family_of(facts["rules"], rooms.catalogue)
        told = {name: facts[name] for name in ("puzzle", "difficulty", "turns", "wins", "solvers")}
        told["title"] = rooms.catalogue.game(name_of(facts["rules"])).title
        told["side"] = family.sides(rooms.catalogue.game(name_of(facts["rules"])), facts["moves"])[facts["to_move"] - 1]
        told["moves"] = facts["moves"]
        told["drawing"] = drawing(rooms.now() // DAY, facts["to_move"])
        return seen.page(rooms, request, "puzzle", **told)

    return [Route("/puzzle", puzzle, name="puzzle")]
