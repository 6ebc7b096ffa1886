"""The robots.txt of each site at the time of a capture, from the same WARC files.

Scope: from the responses for robots.txt that were captured to policies; `PolicyTimeline` decides
which of them holds at a time. Nothing is fetched; a robots.txt that is not in the files is unknown,
never permission.

Source: RFC 9309 section 2.4: a robots.txt should not be used for more than 24 hours.
"""

from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

from goodbot._core import robots_txt_url
from goodbot.columns.reckoning import confirmable
from goodbot.crawl.imports.survey import UNAVAILABLE, Survey
from goodbot.http.status import NOT_MODIFIED
from goodbot.policy import LearnedPolicy, Policy, PolicyTimeline
from goodbot.policy.captures import MOST_TIED, REDIRECTED_WITHIN
from goodbot.policy.inquiry import inquire
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer

__all__ = ["HELD", "FilePolicies"]

HELD = timedelta(hours=24)
"""How long a robots.txt permits anything after it was last seen. What it forbids counts longer."""

MOST_ORIGINS = 1_000
"""How many origins are held in memory."""


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
        self._known: OrderedDict[str, PolicyTimeline] = OrderedDict()

    def of(self, origin: str) -> PolicyTimeline:
        """Return the policies of an origin over time."""
        known = self._known.get(origin)
        if known is None:
            known = self._known[origin] = self._read(origin)
            if len(self._known) > MOST_ORIGINS:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(origin)
        return known

    def _read(self, origin: str) -> PolicyTimeline:
        """Make the policies of an origin; of one time, the one that allows least comes first."""
        address, previous = robots_txt_url(origin), None
        learned: list[LearnedPolicy] = []
        unknown: list[datetime] = []
        for at, tied in groupby(self._survey.answers(address), attrgetter("answered")):
            answers = list(tied)
            since = min(one.requested or at for one in answers)
            found = [self._policies_of(address, answer, previous) for answer in answers]
            policies = list(chain.from_iterable(one for one, _ in found))
            begin = since if since < at else None
            if begin is not None:
                learned, unknown = without_span(learned, unknown, begin)
            learned += [LearnedPolicy(at, policy, begin) for policy in policies]
            unknown += [at] if any(is_lost for _, is_lost in found) else []
            previous = policies[0] if policies else None
        return PolicyTimeline(tuple(learned), HELD, tuple(unknown))

    def _policies_of(
        self, address: str, answer: RobotsTxtAnswer, previous: Policy | None
    ) -> tuple[list[Policy], bool]:
        """Make the policies of one response: one for each way that its redirects may have led.

        The target of a redirect, too, may have several responses of one time. Whether one is not in
        the files, nor the original of a revisit, is returned too: then nothing is known from that
        time on.
        """
        found: list[Policy] = []
        is_lost = False
        ways = [[answer]]
        while ways:
            way = ways.pop()
            if not way[-1].is_known:
                is_lost = True
                continue
            policy = self._policy_of(address, way, previous)
            if isinstance(policy, Policy):
                found.append(policy)
                continue
            targets = self._survey.answers_from(policy, way[-1].answered)
            near = [one for one in targets if one.answered - way[-1].answered <= REDIRECTED_WITHIN]
            is_lost |= not near
            ways += [[*way, one] for one in reversed(near)]
            if len(ways) + len(found) > MOST_TIED:
                return [nothing_at(address, answer.answered)], is_lost
        return found, is_lost

    def _policy_of(
        self, address: str, way: Sequence[RobotsTxtAnswer], previous: Policy | None
    ) -> Policy | str:
        """Make the policy of a response and those that it redirects to.

        Returns:
            The policy, or the URL to which the last response redirects.

        """
        if previous is not None and way[-1].status == NOT_MODIFIED:
            previous = confirmable(previous, way[-1].headers, self._dialect)
        inquiry = inquire(address, previous=previous, dialect=self._dialect)
        url = next(inquiry).url
        try:
            for one in way:
                url = inquiry.send((one, one.answered)).url
        except StopIteration as end:
            policy: Policy = end.value
            return policy
        return url


def without_span(
    learned: list[LearnedPolicy], unknown: list[datetime], since: datetime
) -> tuple[list[LearnedPolicy], list[datetime]]:
    """Return what is known if there was another answer, at an unknown moment from `since` on.

    Until the latest moment at which it may have come, nothing is.
    """
    before = [one for one in learned if one.at < since]
    return before, [*unknown, since, *(one.at for one in learned if one.at >= since)]


def nothing_at(address: str, at: datetime) -> Policy:
    """Return a policy that allows nothing."""
    return Policy.from_response(address, UNAVAILABLE, {}, b"", now=at)
