"""The answers to requests for robots.txt that the history of a store holds.

Scope: from records of policies to answers. A store keeps what followed from an answer, and from
that, all of the answer that has an influence on a policy follows.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from goodbot.errors import WrongValueError
from goodbot.http.status import NOT_MODIFIED
from goodbot.policy import Policy, RobotsTxtAnswer
from goodbot.store.protocols import Seen

__all__ = ["answers_of_entry"]

FOUND = 200


def answers_of_entry(entry: Seen, source: str | None = None) -> Iterator[RobotsTxtAnswer]:
    """Yield what an entry of a history says: the file when it was found, and the last answer.

    An entry has the last record of its time only. If the same robots.txt was seen before that, it
    was found when the entry began. A record that is not that of a policy says nothing.

    Args:
        entry: The entry.
        source: The name of the store.

    >>> from datetime import datetime, timezone
    >>> from goodbot.policy import Policy
    >>> from goodbot.store import MemoryStore
    >>> now, url = datetime(2026, 1, 1, tzinfo=timezone.utc), "https://example.com/robots.txt"
    >>> store = MemoryStore()
    >>> store.put(url, Policy.from_response(url, 404, {}, b"", now=now).as_record(), now)
    >>> [answer.status for entry in store.history(url) for answer in answers_of_entry(entry)]
    [404]

    """
    try:
        policy = Policy.from_record(entry.record)
    except WrongValueError:
        return
    last = last_answer(policy, entry.record, source)
    found = policy.copy_fetched_at
    if policy.access == "rules" and found is not None and max(found, entry.first) < last.answered:
        yield last._replace(
            answered=found, status=FOUND, failure=None, confirmed=None, kept=None,
            failing_since=None, body=last.confirmed or last.kept or last.body,
        )  # fmt: skip
    yield last


def last_answer(
    policy: Policy, record: Mapping[str, Any], source: str | None = None
) -> RobotsTxtAnswer:
    """Return the last answer of a policy, with its record."""
    copy = record.get("copy") or {}
    body = None if policy.robots_txt is None else policy.robots_txt.content
    is_failing, is_confirmed = policy.failing_since is not None, policy.status == NOT_MODIFIED
    headers = tuple((name, value) for name, value in copy.get("fields", ()))
    # Of an answer without a file, a record has the lifetime, and not the field that stated it.
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
        source=source,
    )
