"""The robots.txt of each site at the time of a capture, from the same WARC files.

Scope: from the responses for robots.txt that were captured to policies, and which of them holds at
a time. Nothing is fetched; a robots.txt that is not in the files is unknown, never permission.

Source: RFC 9309 section 2.4: a robots.txt should not be used for more than 24 hours.
"""

from bisect import bisect_right
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from goodbot._core import robots_txt_url
from goodbot.crawl.imports.survey import RobotsAnswer, Survey
from goodbot.policy import Policy
from goodbot.policy.inquiry import Answered, inquire

__all__ = ["HELD", "FilePolicies", "LearnedPolicy"]

HELD = timedelta(hours=24)
"""How long a robots.txt permits anything after it was last seen. What it forbids counts longer."""

REDIRECTED_WITHIN = timedelta(hours=1)
"""The target of a redirect counts if it was captured within this time after it."""

MOST_ORIGINS = 1_000
"""How many origins are held in memory."""


class LearnedPolicy(NamedTuple):
    """A policy, and when it was learned."""

    at: datetime
    policy: Policy


class FilePolicies:
    """The policies in some WARC files.

    Args:
        survey: What is in the files.
        dialect: The dialect in which robots.txt is read.

    """

    def __init__(self, survey: Survey, dialect: Any) -> None:  # noqa: ANN401  as `Policy` has it
        """Start with an empty cache."""
        self._survey = survey
        self._dialect = dialect
        self._known: OrderedDict[str, list[LearnedPolicy]] = OrderedDict()

    def at(self, origin: str, time: datetime) -> tuple[Policy | None, bool]:
        """Return the policy at a time, and whether it is recent enough to permit anything.

        Args:
            origin: The origin.
            time: The time of a capture.

        Returns:
            The latest policy learned at or before the time; `None` if there is none.

        """
        learned = self.of(origin)
        place = bisect_right(learned, time, key=lambda one: one.at)
        if not place:
            return None, False
        last = learned[place - 1]
        # A file that is seen again unchanged held in between, too.
        following = learned[place] if place < len(learned) else None
        is_seen_again = following is not None and same_rules(last.policy, following.policy)
        return last.policy, is_seen_again or time - last.at <= HELD

    def of(self, origin: str) -> list[LearnedPolicy]:
        """Return the policies of an origin, in order of time."""
        known = self._known.get(origin)
        if known is None:
            known = self._known[origin] = self._read(origin)
            if len(self._known) > MOST_ORIGINS:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(origin)
        return known

    def _read(self, origin: str) -> list[LearnedPolicy]:
        """Make the policies of an origin."""
        address, learned, previous = robots_txt_url(origin), [], None
        for answer in self._survey.answers(address):
            policy = self._policy_of(address, answer, previous)
            if policy is not None:
                learned.append(LearnedPolicy(answer.at, policy))
                previous = policy
        return learned

    def _policy_of(
        self, address: str, answer: RobotsAnswer, previous: Policy | None
    ) -> Policy | None:
        """Make the policy of one response; `None` if it redirects to what is not in the files."""
        inquiry = inquire(address, previous=previous, dialect=self._dialect)
        next(inquiry)
        while True:
            reply = Answered(answer.status, answer.headers, answer.body, answer.truncated)
            try:
                question = inquiry.send((reply, answer.at))
            except StopIteration as end:
                policy: Policy = end.value
                return policy
            following = self._survey.answer_from(question.url, answer.at)
            if following is None or following.at - answer.at > REDIRECTED_WITHIN:
                return None
            answer = following


def same_rules(one: Policy, other: Policy) -> bool:
    """Whether two policies are the same file."""
    if one.robots_txt is None or other.robots_txt is None:
        return False
    return bytes(one.as_record()["copy"]["body"]) == bytes(other.as_record()["copy"]["body"])
