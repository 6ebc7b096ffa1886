"""What a robot says about its turn: not before when, and why."""

from collections.abc import Iterator

from tests.pace.test_pace import CASES, history_of, manners_of, pace_for
from tests.words.writing import entries


def turns() -> Iterator[tuple[str, str]]:
    """Yield the sentence of each conformance case that has a turn."""
    for case in CASES:
        if "reason" in case:
            manners = manners_of(case)
            pace = pace_for(case["lines"], manners)
            turn = pace.turn(history_of(case, manners), now=case["now"])
            yield f"{case['id']} ({case['reason']})", str(turn)


def found() -> Iterator[tuple[str, str]]:
    """Yield the findings of each conformance case."""
    for case in CASES:
        for finding in pace_for(case["lines"], manners_of(case)).findings:
            yield str(case["id"]), str(finding)


def lines() -> Iterator[str]:
    """Yield the sentences on turns, then the findings on what sites ask."""
    yield from entries("Turns, by the cases of conformance/pace", turns())
    yield from entries("Findings on the pace that a site asks for", found())
