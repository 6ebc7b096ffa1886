"""The robots.txt of each site at the time of a capture, from the same WARC files.

Scope: from the responses for robots.txt that were captured to policies; `PolicyTimeline` decides
which of them holds at a time. Nothing is fetched; a robots.txt that is not in the files is unknown,
never permission.

Source: RFC 9309 section 2.4: a robots.txt should not be used for more than 24 hours.
"""

from datetime import datetime, timedelta
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, Protocol

from goodbot._core import robots_txt_url
from goodbot.crawl.imports.survey import UNAVAILABLE
from goodbot.history import LearnedPolicy, PolicyTimeline
from goodbot.history.captures import MOST_TIED, REDIRECTED_WITHIN
from goodbot.history.values_by_time import TimelineCache
from goodbot.policy import Policy, policy_dialect
from goodbot.policy.answer_policies import policy_after
from goodbot.policy.redirects import leads_to
from goodbot.policy.robots_txt_answer import NOT_CAPTURED, RobotsTxtAnswer

__all__ = ["HELD", "FileTimelines"]

HELD = timedelta(hours=24)
"""How long a robots.txt permits anything after it was last seen. What it forbids counts longer."""

MOST_ORIGINS = 1_000
"""How many origins are held in memory."""


class CapturedAnswers(Protocol):
    """What has the responses for robots.txt that were captured: a `Survey`."""

    def answers(self, url: str) -> list[RobotsTxtAnswer]:
        """Return the responses for a URL in order of their times."""

    def answers_from(self, url: str, at: datetime) -> list[RobotsTxtAnswer]:
        """Return the first response for a URL from a time on, and those of the same time."""


class FileTimelines:
    """The timelines of the origins in some WARC files: a source of `PolicyTimeline`s.

    It is no timeline: it makes one of each origin, and keeps those that were asked about last.

    Args:
        survey: What is in the files.
        dialect: The dialect in which robots.txt is read.

    """

    def __init__(self, survey: CapturedAnswers, dialect: Any) -> None:  # noqa: ANN401  as `Policy` has it
        """Start with none read."""
        self._survey = survey
        self._dialect = dialect
        self._limit = policy_dialect(dialect).redirect_limit
        self._known = TimelineCache(self._read, MOST_ORIGINS)

    def of(self, origin: str) -> PolicyTimeline:
        """Return the policies of an origin over time."""
        return self._known.of(origin)

    def _read(self, origin: str) -> PolicyTimeline:
        """Make the policies of an origin; of one time, the one that allows least comes first."""
        address, previous = robots_txt_url(origin), None
        learned: list[LearnedPolicy] = []
        unknown: list[datetime] = []
        for at, tied in groupby(self._survey.answers(address), attrgetter("answered")):
            answers = list(tied)
            since = min(one.requested or at for one in answers)
            found = [self._policies_of(answer, previous) for answer in answers]
            policies = list(chain.from_iterable(one for one, _ in found))
            begin = since if since < at else None
            if begin is not None:
                learned, unknown = without_span(learned, unknown, begin)
            learned += [LearnedPolicy(at, policy, begin) for policy in policies]
            unknown += [at] if any(is_lost for _, is_lost in found) else []
            previous = policies[0] if policies else None
        return PolicyTimeline(tuple(learned), HELD, tuple(unknown))

    def _policies_of(
        self, answer: RobotsTxtAnswer, previous: Policy | None
    ) -> tuple[list[Policy], bool]:
        """Make the policies of one response: one for each way that its redirects may have led.

        Whether nothing is known of where one of them led is returned, too: then nothing is known
        from that time on.
        """
        found = list(self._answers_after(answer))
        policies = [
            policy_after(one, previous, dialect=self._dialect) for one in found if one.is_known
        ]
        return policies, not all(one.is_known for one in found)

    def _answers_after(self, answer: RobotsTxtAnswer) -> list[RobotsTxtAnswer]:
        """Return the answers that one leads to: itself, unless it is a redirect that is followed.

        The target of a redirect, too, may have several responses of one time.
        """
        found: list[RobotsTxtAnswer] = []
        ways = [answer]
        while ways:
            way = ways.pop()
            target = self._target_of(way)
            if target is None:
                found.append(way)
                continue
            targets = self._survey.answers_from(target, way.answered)
            near = [one for one in targets if one.answered - way.answered <= REDIRECTED_WITHIN]
            if not near:
                found.append(way._replace(status=None, failure=NOT_CAPTURED))
            ways += [led_to(way, target, one) for one in reversed(near)]
            if len(ways) + len(found) > MOST_TIED:
                lost = [one for one in found if not one.is_known]
                return [unavailable(answer), *lost[:1]]
        return found

    def _target_of(self, answer: RobotsTxtAnswer) -> str | None:
        """Return where an answer redirects to; `None` if it is not a redirect that is followed."""
        if answer.status is None:
            return None
        here = [answer.url, *answer.hops]
        found, _ = leads_to(here[-1], answer.status, answer.headers, here, limit=self._limit)
        return None if found is None else found[1]


def without_span(
    learned: list[LearnedPolicy], unknown: list[datetime], since: datetime
) -> tuple[list[LearnedPolicy], list[datetime]]:
    """Return what is known if there was another answer, at an unknown moment from `since` on.

    Until the latest moment at which it may have come, nothing is.
    """
    before = [one for one in learned if one.at < since]
    return before, [*unknown, since, *(one.at for one in learned if one.at >= since)]


def led_to(redirect: RobotsTxtAnswer, target: str, answer: RobotsTxtAnswer) -> RobotsTxtAnswer:
    """Return the answer of the target of a redirect as an answer for the robots.txt."""
    return answer._replace(
        url=redirect.url,
        hops=(*redirect.hops, target),
        requested=redirect.requested,
        began=redirect.learned,
    )


def unavailable(answer: RobotsTxtAnswer) -> RobotsTxtAnswer:
    """Return an answer of the same time that allows nothing."""
    return RobotsTxtAnswer(answer.url, answer.answered, UNAVAILABLE)
