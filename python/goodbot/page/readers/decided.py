"""The verdicts on a document as a whole, from its statements."""

from typing import NamedTuple

from goodbot.http.challenges import challenge_of
from goodbot.http.status import CHALLENGE, answer_status
from goodbot.page.combine import (
    CommonVerdicts,
    DisplayLimits,
    WholeVerdicts,
    common_verdicts,
    conflicts,
)
from goodbot.page.finding_codes import Findings
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.instead import Instead
from goodbot.page.verdict import Source, Statement


class Decided(NamedTuple):
    """The verdicts on a document as a whole, and the statements that they follow from."""

    said: list[Statement]
    """The directives that the robot must obey, in the order in which they were read."""
    limits: DisplayLimits
    whole: WholeVerdicts
    common: CommonVerdicts | None = None
    """The verdicts that it shares with all documents of the same statements; `None` if something
    else decided."""


def decide(given: Given, said: list[Statement], instead: Instead | None = None) -> Decided:
    """Decide each act for the whole document; if the fetch failed, nothing is allowed.

    Args:
        given: The arguments of the page.
        said: The directives that the robot must obey.
        instead: The URL that the author wants indexed instead.

    """
    common = common_verdicts(said, given.dialect)
    whole = WholeVerdicts(common, given.robot.given, given.url, given.dialect.name)
    other = () if instead is None else instead.verdicts(given)
    for verdict in other:
        if verdict.act == "index" or whole[verdict.act]:
            whole[verdict.act] = verdict
    source = None
    row = answer_status(given.status, given.fields, given.byte_count)
    challenge = challenge_of(given.status, given.fields) if row is CHALLENGE else None
    if challenge is not None:
        source = Source("header", challenge[0].field, 0, challenge[1])
    elif not row.is_success:
        source = Source("header", "status", 0, str(given.status))
    elif given.is_not:
        source = Source(
            "header", "Content-Type", 0, f"{given.content_type}, but it is {given.is_not}"
        )
    if source is not None:
        for act in common.by_act:
            whole[act] = given.verdict(act, False, "no-document", source)  # noqa: FBT003
        return Decided(said, common.limits, whole)
    return Decided(said, common.limits, whole, None if other else common)


def report_conflicts(decided: Decided, findings: Findings) -> None:
    """Report directives that contradict each other."""
    for forbidding, allowing in conflicts(decided.said):
        message = f"{forbidding.source} contradicts {allowing.source}; remove one of them"
        findings.add("conflicting-directives", message, forbidding.source.line)
