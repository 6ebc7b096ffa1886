"""The answers to requests for robots.txt that the history of a store holds.

Scope: from records of policies to answers, which `answer_of` finds in each.
"""

from collections.abc import Iterator

from goodbot.errors import WrongValueError
from goodbot.policy import Policy, RobotsTxtAnswer
from goodbot.policy.answer_policies import answer_of
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
    last = answer_of(policy)._replace(source=source)
    found = policy.copy_fetched_at
    if policy.access == "rules" and found is not None and max(found, entry.first) < last.answered:
        yield last._replace(
            answered=found, status=FOUND, failure=None, confirmed=None, kept=None,
            failing_since=None, body=last.confirmed or last.kept or last.body,
        )  # fmt: skip
    yield last
