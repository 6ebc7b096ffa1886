"""The policies that follow from answers for one robots.txt that somebody else received.

Scope: from answers to policies, each with the one before it. Who asks itself goes step by step, by
`goodbot.policy.inquiry`. What is captured lacks things that a robot knows: which copy a 304
confirmed, and since when requests have failed. What a source says of these is in the answer.

Source: RFC 9309 sections 2.3.1 and 2.4; RFC 9110 section 15.4.5.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from goodbot._core import Dialect, robots_txt_url
from goodbot.errors import WrongValueError
from goodbot.http.status import NOT_MODIFIED
from goodbot.policy.policy import Policy, sharing_file
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer

__all__ = [
    "answer_of",
    "answers_of_outages",
    "answers_of_record",
    "policies_of_answers",
    "policy_after",
]

STORED_TAG = ("etag", '"as-stored"')
"""An entity tag for a copy that was confirmed by a response without any."""


def policies_of_answers(
    answers: Sequence[RobotsTxtAnswer], dialect: str | Dialect = "rfc9309"
) -> Iterator[Policy | None]:
    """Yield the policy of each answer; `None` where nothing is known.

    Args:
        answers: Answers of one origin, in the order in which they were learned. Of those of one
            time, the first is the one that later policies follow; see `answer_order`.
        dialect: The name of a dialect, or a `Dialect`.

    """
    previous = None
    for _, tied in groupby(answers_of_outages(answers), key=learned_of):
        found = [following(one, previous, dialect) for one in tied]
        yield from found
        previous = found[0]


def following(
    answer: RobotsTxtAnswer, previous: Policy | None, dialect: str | Dialect
) -> Policy | None:
    """Return the policy of an answer; the same file again takes no more memory."""
    if not answer.is_known:
        return None
    return sharing_file(policy_after(answer, previous, dialect=dialect), previous)


def answer_of(policy: Policy) -> RobotsTxtAnswer:
    """Return the last answer of a policy, as far as the policy has it.

    That is all of the answer that has an influence on a policy: of an answer without a file, the
    lifetime, and not the field that stated it.

    >>> from datetime import datetime, timezone
    >>> now, url = datetime(2026, 1, 1, tzinfo=timezone.utc), "https://example.com/robots.txt"
    >>> answer_of(Policy.from_response(url, 404, {}, b"", now=now)).status
    404
    """
    body = None if policy.robots_txt is None else policy.robots_txt.content
    is_failing, is_confirmed = policy.failing_since is not None, policy.status == NOT_MODIFIED
    headers = policy.copy_fields
    life = int((policy.fresh_until - policy.fetched_at).total_seconds())
    if is_failing:
        headers = (("Retry-After", str(life)),)
    elif body is None:
        headers = (("Cache-Control", f"max-age={life}"),)
    return RobotsTxtAnswer(
        policy.url,
        policy.fetched_at,
        policy.status,
        policy.outcome.removeprefix("failure-") if policy.status is None else None,
        headers,
        b"" if body is None or is_failing or is_confirmed else body,
        hops=policy.hops,
        confirmed=body if is_confirmed and not is_failing else None,
        kept=body if is_failing else None,
        failing_since=policy.failing_since,
    )


def answers_of_record(record: Mapping[str, Any], since: datetime) -> Iterator[RobotsTxtAnswer]:
    """Yield what the record of a policy says: the file when it was found, and the last answer.

    A record that is not that of a policy says nothing.

    Args:
        record: The record, as a store has it.
        since: When the same policy was first stored. If that is before the last answer, the file
            was found before that.

    """
    try:
        policy = Policy.from_record(record)
    except WrongValueError:
        return
    last, found = answer_of(policy), policy.copy_fetched_at
    if policy.access == "rules" and found is not None and max(found, since) < last.answered:
        yield last._replace(
            answered=found, status=200, failure=None, confirmed=None, kept=None,
            failing_since=None, body=last.confirmed or last.kept or last.body,
        )  # fmt: skip
    yield last


def learned_of(answer: RobotsTxtAnswer) -> object:
    """Return from when on the policy of an answer holds."""
    return answer.learned


def answers_of_outages(answers: Sequence[RobotsTxtAnswer]) -> Iterator[RobotsTxtAnswer]:
    """Yield answers; an outage that began with one of them follows from that one."""
    known = {one.answered for one in answers}
    for one in answers:
        yield one._replace(failing_since=None) if one.failing_since in known else one


def policy_after(
    answer: RobotsTxtAnswer, previous: Policy | None, *, dialect: str | Dialect = "rfc9309"
) -> Policy:
    """Return the policy that follows from an answer that somebody else received.

    Args:
        answer: The answer.
        previous: The policy before it, if one is known.
        dialect: The name of a dialect, or a `Dialect`.

    """
    before = policy_before(answer, previous, dialect)
    return Policy.from_answer(placed(answer), previous=before, dialect=dialect)


def placed(answer: RobotsTxtAnswer) -> RobotsTxtAnswer:
    """Return an answer with the address of its robots.txt in its normal form."""
    url = robots_txt_url(answer.url)
    return answer if url == answer.url else answer._replace(url=url)


def policy_before(
    answer: RobotsTxtAnswer, previous: Policy | None, dialect: str | Dialect
) -> Policy | None:
    """Return the policy before an answer, with what the answer itself says of it.

    A store does not keep every answer, so the one that a 304 or an outage confirmed may be missing;
    the copy in force and the beginning of the outage are then stated by the answer itself.
    """
    copy, start = missing_copy(answer, previous), answer.failing_since
    if copy is not None:
        copied = answer._replace(
            status=200, failure=None, body=copy, truncated=False, requested=None,
            answered=start or answer.answered, headers=(*answer.headers, STORED_TAG),
        )  # fmt: skip
        previous = Policy.from_answer(placed(copied), dialect=dialect)
    if start is None or start >= answer.answered:
        return previous
    first = placed(answer._replace(answered=start, requested=None))
    return Policy.from_answer(first, previous=previous, dialect=dialect)


def missing_copy(answer: RobotsTxtAnswer, previous: Policy | None) -> bytes | None:
    """Return the copy that an answer is about, if the policy before it has another one or none.

    A 304 confirms the copy of the robot that asked, also one that does not hold meanwhile, as after
    429. After a failure the newest known copy counts.
    """
    if answer.confirmed is None:
        if previous is None:
            return answer.kept
        is_stored = answer.kept is not None or answer.failing_since is not None
        address = answer.hops[-1] if answer.hops else robots_txt_url(answer.url)
        is_about = answer.status == NOT_MODIFIED and address == previous.copy_url
        return unnamed_copy(previous) if is_about and not is_stored else None
    is_meant = previous is not None and previous.copy_content == answer.confirmed
    # Of a copy without a validator, no 304 is taken to be about it, unless the answer says so.
    is_named = previous is not None and unnamed_copy(previous) is None
    return None if is_meant and is_named else answer.confirmed


def unnamed_copy(previous: Policy) -> bytes | None:
    """Return the copy of a policy that a 304 to another robot confirms without naming it.

    A server sends 304 to a request with a condition, so the robot had a copy. If the last one that
    is known has no validator, it is the only one that can be meant. `None` if there is no copy, or
    if it has validators, which are compared, or if the dialect asks without conditions.

    Source: RFC 9110 section 15.4.5; RFC 9111 section 4.3.4.
    """
    is_named = previous.validators or not previous.policy_dialect.revalidates
    return None if is_named else previous.copy_content
