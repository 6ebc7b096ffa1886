"""The decision: from a response and the previous policy to what may be fetched, and until when.

Scope: combining outcome, table and lifetimes. The tables say what follows from each outcome.
"""

from dataclasses import replace
from datetime import datetime
from typing import Literal, TypeAlias

from goodbot._core import Dialect, Finding, RobotsTxt
from goodbot.http.fields import Fields
from goodbot.http.freshness import Freshness
from goodbot.http.instants import seconds_between
from goodbot.http.validators import updated_fields, validators_of
from goodbot.lazy_dataclass import dataclass
from goodbot.policy.classify import AnswerInDialect, StoredCopy, answer_findings, outcome_of
from goodbot.policy.dialects import LadderStep, Meaning, PolicyDialect
from goodbot.policy.lifetimes import (
    Lifetime,
    file_lifetime,
    header_findings,
    negative_lifetime,
    retry_lifetime,
)
from goodbot.policy.outcomes import FILES, class_outcome
from goodbot.policy.robots_txt_answer import KEPT_FIELDS, RobotsTxtAnswer

__all__ = ["ACCESSES", "Access", "Decision", "decide", "decided_in", "is_answer"]

Access: TypeAlias = Literal["rules", "allow-all", "disallow-all", "defer"]
ACCESSES: dict[str, str] = {
    "rules": "The rules of robots.txt apply.",
    "allow-all": "Everything may be fetched.",
    "disallow-all": "Nothing may be fetched.",
    "defer": "Nothing may be fetched until robots.txt has been; request it again at `retry_at`.",
}
"""What a policy can allow."""

REFUSALS = frozenset(
    {"unauthorized", "payment-required", "forbidden", "legal-reasons", "operator-block"}
)
"""The reasons to disallow everything that someone stated: the site, or the robot's operator."""


FAILING = {"defer", "copy-or-defer", "unreachable"}
"""The treatments after which robots.txt is soon requested again."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Everything that a policy knows, as values."""

    url: str
    outcome: str
    status: int | None
    access: Access
    reason: str
    copy: StoredCopy | None
    fetched_at: datetime
    fresh_until: datetime
    retry_at: datetime | None
    failing_since: datetime | None
    unreachable_since: datetime | None
    freshness: Freshness | None
    findings: tuple[Finding, ...]
    hops: tuple[str, ...]
    dialect: Dialect
    policy: PolicyDialect

    __hash__ = None  # type: ignore[assignment]


def decide(result: AnswerInDialect, previous: Decision | None) -> Decision:
    """Decide what follows from a response.

    Args:
        result: The result of the request.
        previous: The previous decision, if there is one.

    Source: RFC 9309 sections 2.3.1 and 2.4, or the documents of the dialect.

    """
    kept = None if previous is None else previous.copy
    outcome, robots_txt = outcome_of(result, asked_about(result, previous))
    meaning = result.policy.outcomes[outcome]
    fails = meaning.treatment in FAILING or result.answer.failure is not None
    is_unreachable = meaning.treatment == "unreachable"
    failing = since(fails, previous.failing_since if previous else None, result.answer.answered)
    unreachable = since(
        is_unreachable, previous.unreachable_since if previous else None, result.answer.answered
    )
    copy = copy_after(
        result, meaning, robots_txt, kept if fails or outcome == "not-modified" else None
    )
    access, reason = access_of(result, meaning, outcome, copy, unreachable or failing)
    life = decided_lifetime(result, outcome, copy, failing)
    findings = [
        *answer_findings(result, outcome),
        *header_findings(result.answer.headers, result.answer.answered),
    ]
    return Decision(
        url=result.answer.url,
        outcome=outcome,
        status=result.answer.status,
        access=access,
        reason=reason,
        copy=copy,
        fetched_at=result.answer.answered,
        fresh_until=life.until,
        retry_at=life.until if fails else None,
        failing_since=failing,
        unreachable_since=unreachable,
        freshness=life.freshness,
        findings=(*findings, *life.findings),
        hops=result.answer.hops,
        dialect=result.dialect,
        policy=result.policy,
    )


def decided_in(decision: Decision, dialect: Dialect, policy: PolicyDialect) -> Decision:
    """Return what the same answer means in another dialect; its times stay as they are."""
    outcome = decision.outcome
    if policy.outcomes[outcome].treatment == "as-the-class":
        outcome = class_outcome(decision.status or 0)
    answer = RobotsTxtAnswer(decision.url, decision.fetched_at, decision.status, hops=decision.hops)
    result = AnswerInDialect(
        answer, is_lost=False, dialect=dialect, policy=policy, site_reachable=None
    )
    meaning, copy = policy.outcomes[outcome], copy_in(decision.copy, dialect)
    since_when = decision.unreachable_since or decision.failing_since
    access, reason = access_of(result, meaning, outcome, copy, since_when)
    return replace(
        decision,
        outcome=outcome,
        access=access,
        reason=reason,
        copy=copy,
        dialect=dialect,
        policy=policy,
    )


def asked_about(result: AnswerInDialect, previous: Decision | None) -> StoredCopy | None:
    """Return the copy that the request's condition was about, if it had one.

    A condition is sent if the dialect sends any, the copy has a validator, and the address is the
    one that the copy came from (`Policy.conditional_headers`, `goodbot.policy.inquiry`).

    Source: RFC 9111 section 4.3.1.

    """
    if previous is None or previous.copy is None or not previous.policy.revalidates:
        return None
    copy = previous.copy
    has_validator = bool(validators_of(copy.fields, now=copy.fetched_at))
    return copy if has_validator and result.chain[-1] == copy.url else None


def since(holds: bool, earlier: datetime | None, now: datetime) -> datetime | None:  # noqa: FBT001  it is the question
    """Return since when something holds: an earlier time or now; `None` if it does not."""
    return (earlier or now) if holds else None


def copy_after(
    result: AnswerInDialect, meaning: Meaning, robots_txt: RobotsTxt | None, kept: StoredCopy | None
) -> StoredCopy | None:
    """Return the copy to store after a response: a new one, the confirmed one, or the old one."""
    if meaning.treatment == "parse" and robots_txt is not None:
        fields = kept_fields(result.answer.headers)
        return StoredCopy(
            result.answer.body, robots_txt, result.answer.answered, fields, result.chain[-1]
        )
    kept = copy_in(kept, result.dialect)
    if kept is None:
        return None
    if meaning.treatment == "refresh":
        return replace(kept, fields=updated_fields(kept.fields, kept_fields(result.answer.headers)))
    return kept


def is_answer(access: Access, reason: str) -> bool:
    """Return whether someone decided what may be fetched.

    A robots.txt that is unreachable or cannot be read disallows everything for the time being (RFC
    9309 section 2.3.1.4), and a site that asks to come later has not said no.

    >>> is_answer("rules", "found"), is_answer("disallow-all", "failure-dns")
    (True, False)
    """
    return access in {"rules", "allow-all"} or (access == "disallow-all" and reason in REFUSALS)


def copy_in(copy: StoredCopy | None, dialect: Dialect) -> StoredCopy | None:
    """Return a stored copy, read in a dialect."""
    if copy is None or copy.robots_txt.dialect == dialect:
        return copy
    return replace(copy, robots_txt=RobotsTxt(copy.content, dialect=dialect))


def kept_fields(fields: Fields) -> Fields:
    """Return the fields that are stored with a copy."""
    return tuple(line for line in fields if line[0] in KEPT_FIELDS)


def access_of(
    result: AnswerInDialect,
    meaning: Meaning,
    outcome: str,
    copy: StoredCopy | None,
    failing: datetime | None,
) -> tuple[Access, str]:
    """Return what may be fetched, and the reason; `failing`: since when requests have failed."""
    reason = meaning.reason or outcome
    treatment = meaning.treatment
    if treatment == "parse" or treatment == "refresh":  # noqa: PLR1714  so that types are known
        # Without a file there is nothing to parse, whatever a customised table says.
        return ("rules", reason) if copy else ("defer", reason)
    if treatment == "allow-all" or treatment == "disallow-all" or treatment == "defer":  # noqa: PLR1714
        return treatment, reason
    step = step_at(
        result.policy.ladder,
        seconds_between(failing or result.answer.answered, result.answer.answered),
    )
    given = step.with_copy if copy else step.without_copy
    if given == "copy":
        return "rules", "stale-copy"
    if treatment == "copy-or-defer":
        return "defer", reason
    if given == "allow-all" or (given == "as-the-site" and result.site_reachable is True):
        return "allow-all", "long-unreachable"
    return "disallow-all", reason


def step_at(ladder: tuple[LadderStep, ...], seconds: float) -> LadderStep:
    """Return the step that applies this long after robots.txt became unreachable."""
    return next(step for step in ladder if step.until is None or seconds < step.until)


def decided_lifetime(
    result: AnswerInDialect, outcome: str, copy: StoredCopy | None, failing: datetime | None
) -> Lifetime:
    """Return the lifetime of a decision: with a file, after a failure, or without a file."""
    if failing is not None:
        return retry_lifetime(result.policy, result.answer.headers, result.answer.answered, failing)
    if outcome == "not-modified" and copy is not None:
        keep = is_kept(result.dialect, copy.content)
        return file_lifetime(
            result.policy, copy.fields, result.answer.answered, result.requested, keep=keep
        )
    if outcome in FILES:
        keep = is_kept(result.dialect, result.answer.body)
        return file_lifetime(
            result.policy,
            result.answer.headers,
            result.answer.answered,
            result.requested,
            keep=keep,
        )
    return negative_lifetime(
        result.policy, result.answer.headers, result.answer.answered, result.requested
    )


def is_kept(dialect: Dialect, content: bytes) -> bool:
    """Return whether the dialect stores a file of this size (Kollar 1996 has a limit)."""
    limit = int(dialect.choices["size_limit"])
    return dialect.choices["over_size"] != "keep" or not limit or len(content) <= limit
