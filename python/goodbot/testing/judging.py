"""Judging a robot's visits to a site by the table of behaviours."""

from collections.abc import Sequence
from itertools import pairwise

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass
from goodbot.policy.decide import Access
from goodbot.testing.behaviours import ROBOTS_TXT, Behaviour
from goodbot.testing.steps import LoopbackVisit

__all__ = ["BEHIND_NOFOLLOW", "MAY_READ", "Judgement", "judged", "may_read"]

PUBLIC, SECRET = "/public", "/private/secret"
BEHIND_NOFOLLOW = ("/behind-meta", "/behind-header")
"""Pages that are linked only from pages with nofollow."""

MAY_READ: dict[Access, tuple[str, ...]] = {
    "rules": (PUBLIC,),
    "allow-all": (PUBLIC, SECRET),
    "disallow-all": (),
    "defer": (),
}
"""Which of the two pages of every site may be fetched."""

TOLERANCE = 0.1
"""The part of a pause that may be missing, because requests are timed when they arrive."""


@dataclass(frozen=True, slots=True, repr=False)
class Judgement:
    """The visits that were wrong, each in one list only; false if there are none.

    >>> Judgement((), (), ()).faults
    0
    """

    bad: tuple[LoopbackVisit, ...]
    """Disallowed visits, and visits before robots.txt was requested or while it was unreachable."""
    early: tuple[LoopbackVisit, ...]
    """Visits that came earlier than Retry-After or Crawl-delay permit."""
    open: tuple[LoopbackVisit, ...]
    """Visits that goodbot would not make but the documents leave open; these are no faults."""

    __repr__ = short_repr

    @property
    def faults(self) -> int:
        """The number of bad and early visits."""
        return len(self.bad) + len(self.early)

    def __bool__(self) -> bool:
        """Return whether there is a fault."""
        return self.faults > 0


def judged(one: Behaviour, visits: Sequence[LoopbackVisit]) -> Judgement:
    """Judge the visits to a site.

    Args:
        one: The site's behaviour.
        visits: All visits to its two origins, as in `LoopbackSite.visits`.

    Returns:
        The visits that were bad, early, or left open by the documents. A bad visit is not also
        listed as early.

    >>> from goodbot.testing import behaviour
    >>> polite = behaviour("polite")
    >>> targets = [("/robots.txt", 0.0), ("/public", 1.1), ("/public", 1.5), ("/private/a", 9.0)]
    >>> visits = [LoopbackVisit("GET", path, (), at, "a", "b", 1) for path, at in targets]
    >>> verdict = judged(polite, visits)
    >>> [visit.target for visit in verdict.bad], [visit.at for visit in verdict.early]
    (['/private/a'], [1.5])

    Source: the sources in the table `BEHAVIOURS`; RFC 9110 section 10.2.3 (Retry-After).

    """
    ordered = sorted(visits, key=lambda visit: visit.at)
    pages = [visit for visit in ordered if is_page(visit)]
    bad = [visit for visit in pages if is_bad(one, visit, ordered)]
    late = {id(visit) for visit in [*before_retry(one, ordered), *before_delay(one, ordered)]}
    early = [visit for visit in ordered if id(visit) in late and visit not in bad]
    left = [
        visit
        for visit in pages
        if one.is_choice and not may_read(one, visit.target) and visit not in [*bad, *early]
    ]
    return Judgement(tuple(bad), tuple(early), tuple(left))


def is_page(visit: LoopbackVisit) -> bool:
    """Return whether a visit is not to robots.txt, which is always allowed (section 2.2.2)."""
    return not visit.target.endswith(ROBOTS_TXT)


def is_bad(one: Behaviour, visit: LoopbackVisit, visits: Sequence[LoopbackVisit]) -> bool:
    """Return whether a page must not be fetched."""
    asked = sum(1 for other in visits if other.target == ROBOTS_TXT and other.at <= visit.at)
    if not asked or visit.target in BEHIND_NOFOLLOW:
        return True
    if one.shut_from and asked >= one.shut_from:
        return True
    return not one.is_choice and not may_read(one, visit.target)


def before_retry(one: Behaviour, visits: Sequence[LoopbackVisit]) -> list[LoopbackVisit]:
    """Return the visits before the time that an answer with Retry-After named.

    The first answer counts: a visit that is too early does not move the time.
    """
    first = next((visit.at for visit in visits if visit.target == one.path), None)
    if first is None:
        return []
    until = first + one.retry_after * (1 - TOLERANCE)
    return [visit for visit in visits if first < visit.at < until]


def before_delay(one: Behaviour, visits: Sequence[LoopbackVisit]) -> list[LoopbackVisit]:
    """Return the visits to pages that came too soon after the previous visit.

    robots.txt itself does not wait for a Crawl-delay, so that a site can remove a wrong one.
    """
    least = one.crawl_delay * (1 - TOLERANCE)
    early = []
    for origin in {visit.origin for visit in visits}:
        here = [visit for visit in visits if visit.origin == origin]
        early += [
            after
            for before, after in pairwise(here)
            if is_page(after) and after.at - before.at < least
        ]
    return early


def may_read(one: Behaviour, path: str) -> bool:
    """Return whether a page of a site with this behaviour may be fetched.

    >>> from goodbot.testing import behaviour
    >>> [may_read(behaviour("polite"), path) for path in ("/", "/public", "/private/secret")]
    [True, True, False]
    """
    if path in (PUBLIC, SECRET):
        return path in MAY_READ[one.access]
    if path.startswith("/private/"):
        return SECRET in MAY_READ[one.access]
    return PUBLIC in MAY_READ[one.access]
