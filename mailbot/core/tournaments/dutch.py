"""The Swiss pairing engine: a tournament report (TRF) in, the pairs of the next round out.

The engine is py4swiss (MIT; the extra `tournaments`), which pairs by the FIDE Dutch system [FIDE C.04.3] as bbpPairings
does. Nothing else knows it: another engine that reads a TRF can take its place.
"""

from functools import lru_cache

from mailbot.core.effects import Forbidden


class NoPairing(Forbidden):
    """No pairing of the round keeps to the rules."""


class NoEngine(Forbidden):
    """py4swiss is not installed."""


@lru_cache(maxsize=32)
def pair(report: str) -> tuple[tuple[int, int], ...]:
    """The pairs of starting numbers for the round after those in the report; the first one moves first, and 0 is a bye.

    Raises NoPairing if the rules leave none, NoEngine if the engine is not installed.
    """
    try:
        from py4swiss.engines import DutchEngine
        from py4swiss.engines.common import PairingError
        from py4swiss.trf import ParsedTrf
        from py4swiss.trf.codes import XCode
        from py4swiss.trf.sections import PlayerSection, XSection
        from py4swiss.trf.trf_line import TrfLine
    except ModuleNotFoundError:
        raise NoEngine("a Swiss tournament needs py4swiss: pip install 'mailbot-games[tournaments]'") from None
    lines = list(enumerate(report.split("\n")))
    parsed = ParsedTrf(
        player_sections=[PlayerSection.from_string(line) for _, line in lines if line.startswith("001 ")],
        x_section=XSection.from_lines(
            [TrfLine(index, line) for index, line in lines if line[:3] in {code.value for code in XCode}]
        ),
    )
    parsed.validate_contents()
    try:
        return tuple((pairing.white, pairing.black) for pairing in DutchEngine.generate_pairings(parsed))
    except PairingError:
        raise NoPairing("no pairing is left in which nobody meets an earlier opponent again") from None
