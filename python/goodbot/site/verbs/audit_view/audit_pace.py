"""How a robot kept a pace, in words: for the terminal and the page.

Scope: words. What was found is in `goodbot.site.audit`.
"""

from collections.abc import Iterable, Iterator

from goodbot.http.amounts import counted
from goodbot.site.audit import PACE_REASONS, AuditResult, PaceJudgement
from goodbot.site.verbs.audit_view.audit_words import place_in_log

EXAMPLES = 3
"""How many lines of the log are named."""
ANSWERS = {"retry-after": "429 or 503", "gone": "410"}
"""The answers after which a check begins."""
BROKEN = {"visit-time": "outside the hours"}


def select_pace(paces: Iterable[PaceJudgement]) -> Iterator[PaceJudgement]:
    """Yield the judgements of a robot that are worth a line: something was broken, or asked for.

    What follows a 429, a 503 or a 410 is shown wherever there was one; of a robot with addresses
    of both families, once.
    """
    given = list(paces)
    whole = {(pace.site, pace.check) for pace in given if pace.family == "all"}
    for pace in given:
        is_part = (
            pace.check in ANSWERS and pace.family != "all" and (pace.site, pace.check) in whole
        )
        if not is_part and (pace.answers or (pace.breaches and pace.outcome != "not-asked")):
            yield pace


def pace_verdict(pace: PaceJudgement) -> str:
    """Return the verdict, in a few words."""
    if pace.outcome == "broken":
        return BROKEN.get(pace.check, "too fast")
    return "kept" if pace.outcome in {"kept", "not-asked"} else "not judged"


def pace_words(result: AuditResult, pace: PaceJudgement) -> str:
    """Return how a robot kept a pace, as a sentence without its name.

    Args:
        result: What was found.
        pace: The judgement; one of `select_pace`.

    """
    family = "" if pace.family == "all" else f" over {pace.family.replace('ipv', 'IPv')}"
    followed = f"{pace.breaches:,} of {counted(pace.checked, 'request')}{family}"
    if pace.check in ANSWERS:
        answers = f"{counted(pace.answers, 'answer')} of {ANSWERS[pace.check]}{family}"
        followed = f"{followed} after {answers}" if pace.checked else answers
    why = f"{pace.asked}. " if pace.asked else ""
    return (
        f"{pace_verdict(pace)}, {followed}: {why}{explain_pace(pace)} "
        f"({pace.check}, {pace.reason}{first_lines(result, pace.rows)})"
    )


def explain_pace(pace: PaceJudgement) -> str:
    """Return why, as a sentence."""
    if pace.reason == "not-asked":
        return "No request followed."
    said = PACE_REASONS[pace.reason][1]
    if pace.reason == "retry-after-not-in-log" and pace.soonest is not None:
        said += f" The next request came {counted(pace.soonest, 'second')} later, at the least."
    return said


def first_lines(result: AuditResult, rows: Iterable[int]) -> str:
    """Return the first lines of the log, behind a semicolon; empty if there is none."""
    places = [place_in_log(result, row) for row in list(rows)[:EXAMPLES]]
    return f"; first in line {', '.join(places)}" if places else ""
