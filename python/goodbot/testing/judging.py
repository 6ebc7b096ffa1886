"""What a robot did at a site, judged by the table of behaviours: visits that should not be."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from goodbot.display import short_repr
from goodbot.policy.decide import Access
from goodbot.testing.behaviours import ROBOTS_TXT, Behaviour
from goodbot.testing.steps import LoopbackVisit

__all__ = ["BEHIND_NOFOLLOW", "MAY_READ", "Judgement", "judged", "may_read"]

PUBLIC, SECRET = "/public", "/private/secret"
BEHIND_NOFOLLOW = ("/behind-meta", "/behind-header")
"""What only pages link to whose links are not to be followed."""

MAY_READ: dict[Access, tuple[str, ...]] = {
    "rules": (PUBLIC,),
    "allow-all": (PUBLIC, SECRET),
    "disallow-all": (),
    "defer": (),
}
"""Which of the two pages that every site has may be read."""

TOLERANCE = 0.1
"""The share of a pause that may lack: a request is timed where it arrives."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The visits that should not have been, each in one list only; falsy if there is none.

    >>> Judgement((), (), ()).faults
    0
    """

    bad: tuple[LoopbackVisit, ...]
    """Forbidden, or made while robots.txt was unreachable or not yet asked for."""
    early: tuple[LoopbackVisit, ...]
    """Before Retry-After or Crawl-delay let it."""
    open: tuple[LoopbackVisit, ...]
    """Not made by goodbot, where the documents leave the choice to the robot: no fault."""

    __repr__ = short_repr

    @property
    def faults(self) -> int:
        """How many are bad or early."""
        return len(self.bad) + len(self.early)

    def __bool__(self) -> bool:
        """Whether there is a fault."""
        return self.faults > 0


def judged(one: Behaviour, visits: Sequence[LoopbackVisit]) -> Judgement:
    """Judge the visits to a site of some behaviour.

    Args:
        one: The behaviour that the site had.
        visits: All visits to its two origins, as `LoopbackSite.visits` has them.

    Returns:
        What was bad, early, or open to choice. A visit that is bad is not called early too.

    >>> from goodbot.testing import behaviour
    >>> polite = behaviour("polite")
    >>> targets = [("/robots.txt", 0.0), ("/public", 1.1), ("/public", 1.5), ("/private/a", 9.0)]
    >>> visits = [LoopbackVisit("GET", path, (), at, "a", "b", 1) for path, at in targets]
    >>> verdict = judged(polite, visits)
    >>> [visit.target for visit in verdict.bad], [visit.at for visit in verdict.early]
    (['/private/a'], [1.5])

    Source: the table `BEHAVIOURS`, whose rows name theirs; RFC 9110 section 10.2.3 (Retry-After).

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
    """Tell a page from robots.txt, which may always be asked for (RFC 9309 section 2.2.2)."""
    return not visit.target.endswith(ROBOTS_TXT)


def is_bad(one: Behaviour, visit: LoopbackVisit, visits: Sequence[LoopbackVisit]) -> bool:
    """Tell whether a page was not to be fetched."""
    asked = sum(1 for other in visits if other.target == ROBOTS_TXT and other.at <= visit.at)
    if not asked or visit.target in BEHIND_NOFOLLOW:
        return True
    if one.shut_from and asked >= one.shut_from:
        return True
    return not one.is_choice and not may_read(one, visit.target)


def before_retry(one: Behaviour, visits: Sequence[LoopbackVisit]) -> list[LoopbackVisit]:
    """Give the visits that came before the time that an answer with Retry-After named.

    It is the first answer that counts: whoever comes too early does not move the time.
    """
    first = next((visit.at for visit in visits if visit.target == one.path), None)
    if first is None:
        return []
    until = first + one.retry_after * (1 - TOLERANCE)
    return [visit for visit in visits if first < visit.at < until]


def before_delay(one: Behaviour, visits: Sequence[LoopbackVisit]) -> list[LoopbackVisit]:
    """Return the pages that came too soon behind the visit before, of a page or of robots.txt.

    robots.txt itself does not wait for a Crawl-delay: a site must be able to take one back.
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
    """Tell whether a page of a site of this behaviour may be read, by what robots.txt comes to.

    >>> from goodbot.testing import behaviour
    >>> [may_read(behaviour("polite"), path) for path in ("/", "/public", "/private/secret")]
    [True, True, False]
    """
    if path in (PUBLIC, SECRET):
        return path in MAY_READ[one.access]
    if path.startswith("/private/"):
        return SECRET in MAY_READ[one.access]
    return PUBLIC in MAY_READ[one.access]
