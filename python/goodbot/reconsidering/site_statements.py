"""What one site says at one time, and the answers that follow for its URLs.

Scope: combining what others have read. What a robots.txt means is decided by `goodbot.bots`, what
statements on uses mean by `goodbot.content_use`. This module decides what is unknown: what was not
asked, what is too old to permit anything, and what could not be reached.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING

from goodbot._core import Verdict
from goodbot.bots import ObeyedRules, rules_for
from goodbot.content_use.page_statements import PageStatements
from goodbot.content_use.precedence import UseVerdict, reason_of
from goodbot.content_use.site_statements import speaks_of_uses
from goodbot.content_use.sources import UseSources
from goodbot.content_use.statement import USES, Use
from goodbot.content_use.tdmrep import TdmRep
from goodbot.display import short_repr
from goodbot.errors import MisuseError
from goodbot.lazy_dataclass import dataclass
from goodbot.policy import Policy
from goodbot.reconsidering.decision import TAKEDOWN, HeldAnswer, HeldUse

if TYPE_CHECKING:
    from goodbot.content_use.rsl_reader import RslLicense
    from goodbot.content_use.tdm_policy import TdmPolicy

__all__ = [
    "EXPIRED",
    "NOT_ASKED",
    "TOO_OLD",
    "SiteJudge",
    "SiteStatements",
    "held_answer",
    "strictest",
]

NOT_ASKED = HeldAnswer("unknown", "not-asked")
"""The answer if nothing of the site is known."""
EXPIRED = "expired"
"""The reason if what is known is too old to permit anything."""
TOO_OLD = HeldAnswer("unknown", EXPIRED)
SILENT = "nobody-says"
UNMENTIONED = HeldAnswer("unmentioned", SILENT)
LINE = re.compile(r"\blines? (\d{1,9})")
STRICTNESS = ("allowed", "unmentioned", "unknown", "licensed", "reserved", "disallowed")
"""The answers, the most restrictive one last."""
MOST_REMEMBERED = 1_000


@dataclass(frozen=True, slots=True, repr=False)
class SiteStatements:
    """What one site says at one time, as far as it is known."""

    policies: tuple[Policy, ...] = ()
    """What its robots.txt means; several if several answers are of the same time, and none if
    nothing is known."""
    now: datetime | None = None
    """The time, for what expires."""
    is_current: bool = True
    """Whether the policies can permit anything, or are too old for that."""
    tdmrep: TdmRep | None = None
    """Its tdmrep.json; `None` if nobody asked for it."""
    licenses: "Mapping[str, RslLicense]" = field(default_factory=dict, hash=False)
    """The licences that were read, by URL."""
    tdm_policies: "Mapping[str, TdmPolicy]" = field(default_factory=dict, hash=False)
    """The TDM policies that were read, by URL."""

    __repr__ = short_repr


class SiteJudge:
    """Answers on the URLs of one site for one robot.

    Args:
        site: What the site says.
        robot: The robot: a known one, or a name.
        uses: The uses that are asked about.

    Raises:
        RobotNameError: The robot is empty, or looks like a URL.

    """

    def __init__(self, site: SiteStatements, robot: str, uses: Sequence[HeldUse]) -> None:
        """Find what the robot obeys there."""
        self._site, self._robot = site, robot
        self._asks_fetch = "fetch" in uses
        self._uses: list[Use] = [one for one in USES if one in uses]
        self._asked = [one for one in uses if one != TAKEDOWN]
        self._rules: list[ObeyedRules] = [rules_for(one, robot) for one in site.policies]
        self._tdmrep = TdmRep(is_whole=False) if site.tdmrep is None else site.tdmrep
        self._is_silent = not self._tdmrep.rules and not any(
            speaks_of_uses(one.robots_txt) for one in site.policies
        )
        """Whether the answers on uses are the same for all URLs."""
        self._known: dict[PageStatements | None, dict[HeldUse, HeldAnswer]] = {}

    def answers(
        self, url: str, page: PageStatements | None = None, spelling: str = ""
    ) -> dict[HeldUse, HeldAnswer]:
        """Return the answer on each use of a URL of the site.

        Args:
            url: The URL.
            page: What the page said of itself when it was fetched; `None` if that is not known.
            spelling: The URL as it was written, if its escapes differ.

        """
        if not self._rules:
            return dict.fromkeys(self._asked, NOT_ASKED)
        found: dict[HeldUse, HeldAnswer] = {}
        if self._asks_fetch:
            found["fetch"] = self._fetch([url, spelling] if spelling else [url])
        if self._uses:
            found |= self._of_uses(url, page)
        return found

    def _fetch(self, urls: Iterable[str]) -> HeldAnswer:
        """Return whether the robot may fetch a URL in all its spellings."""
        try:
            verdicts = [rules.verdict(url) for url in urls for rules in self._rules]
        except MisuseError:
            return HeldAnswer("unknown", "no-origin")
        answers = [self._of_verdict(one) for one in verdicts]
        return strictest(answers)

    def _of_verdict(self, verdict: Verdict) -> HeldAnswer:
        """Return the answer that a verdict on fetching is."""
        rule = verdict.rule
        line = None if rule is None else rule.line
        source = verdict.source if rule is None else f"robots.txt, line {rule.line}: {rule.text}"
        if not verdict.is_answer:  # a failed request is no opt-out, and no permission
            return HeldAnswer("unknown", verdict.reason, line, source)
        if not verdict.allowed:
            return HeldAnswer("disallowed", verdict.reason, line, source)
        if not self._site.is_current:
            return TOO_OLD  # no line decides that
        return HeldAnswer("allowed", verdict.reason, line, source)

    def _of_uses(self, url: str, page: PageStatements | None) -> dict[HeldUse, HeldAnswer]:
        """Return the answers on uses, from memory if they are the same for other URLs."""
        is_same = self._is_silent and (page is None or not page.linked)
        if is_same and page in self._known:
            return self._known[page]
        found = self._strictest(url, page)
        if is_same and len(self._known) < MOST_REMEMBERED:
            self._known[page] = found
        return found

    def _strictest(self, url: str, page: PageStatements | None) -> dict[HeldUse, HeldAnswer]:
        """Return the answers on uses; of several policies, the most restrictive ones."""
        found: dict[Use, HeldAnswer] = {}
        site = self._site
        for policy in site.policies:
            sources = UseSources(
                url,
                self._robot,
                page,
                policy,
                self._tdmrep,
                site.licenses,
                site.now,
                families=True,
                tdm_policies=site.tdm_policies,
            )
            verdicts = sources.answer().verdicts
            for use in self._uses:
                answer = held_answer(verdicts[use], is_current=site.is_current)
                found[use] = strictest([found.get(use, answer), answer])
        return {use: answer for use, answer in found.items() if use != "preview"}


def strictest(answers: Iterable[HeldAnswer]) -> HeldAnswer:
    """Return the most restrictive one of several answers, the first of those that say the same."""
    return max(answers, key=lambda one: STRICTNESS.index(one.status))


def held_answer(verdict: UseVerdict, *, is_current: bool) -> HeldAnswer:
    """Return the answer that a verdict on a use is.

    Args:
        verdict: The verdict.
        is_current: Whether what it is made of can permit anything.

    """
    said = verdict.said
    source = "" if said is None else str(said)
    place = None if said is None else LINE.search(said.place)
    line = None if place is None else int(place[1])
    if verdict.status == "unknown":
        if verdict.declared == "licensed" and said is not None:
            # What was not read may reserve the use; it cannot do without the licence.
            return HeldAnswer("licensed", reason_of([said, *verdict.agreeing]), line, source)
        if verdict.reason != SILENT:
            return HeldAnswer("unknown", verdict.reason, line, source)
        return UNMENTIONED if is_current else TOO_OLD
    if verdict.status == "allowed" and not is_current:
        return TOO_OLD
    return HeldAnswer(verdict.status, verdict.reason, line, source)
