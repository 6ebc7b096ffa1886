"""What one robot may do with one page, aspect by aspect, and who says so.

Scope: one robot. Which robots are asked about is the report's.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from goodbot._core import Verdict
from goodbot.content_use import Uses
from goodbot.display import short_repr
from goodbot.indexability.decision import Indexability, decide, normal, without_content
from goodbot.lazy_dataclass import dataclass
from goodbot.page import DIRECTIVES, Page, PageVerdict, Statement

__all__ = ["ASPECTS", "NOT_SEEN", "Aspect", "RobotIndexability", "RobotView", "answer_of"]

ASPECTS: dict[str, str] = {
    "robots-txt": "robots.txt: may the robot fetch the URL",
    "status": "HTTP status: is the response a page",
    "header": "HTTP header: does X-Robots-Tag allow it to be indexed",
    "meta": "META, LINK or processing instruction: do they allow it to be indexed",
    "canonical": "canonical: is this the URL that the page prefers",
    "sections": "sections: how much of the text may be indexed",
    "index": "the answer: may it be indexed",
    "follow": "may its links be followed",
    "archive": "may a copy be kept and shown",
    "snippet": "may it be quoted",
    "image_index": "may its images be indexed",
    "translate": "may a translation be offered",
    "train_images": "may AI be trained on its images, by noimageai",
    "use-train": "may AI be trained on it, by every statement on its use",
    "use-ground": "may AI have it as input, to answer or to summarise",
    "use-search": "may it be used for search, by every statement on its use",
    "use-archive": "may a copy be used, by every statement on its use",
    "use-preview": "may it be quoted in results, by every statement on its use",
}
"""Each aspect of an answer, in the order of the table, and its question."""

NOT_SEEN = "not seen"
"""What a robot that must not fetch the page knows of its content."""

KINDS = {"header": {"header"}, "meta": {"meta", "pi"}}
"""The kinds of sources of the two aspects for statements on the whole page."""


@dataclass(frozen=True, slots=True, repr=False)
class Aspect:
    """One aspect of an answer, and who says so."""

    name: str
    """A key of `ASPECTS`."""
    allowed: bool | None
    """Whether it allows; `None` if it says nothing, or is not known."""
    said: str
    """What it says, in a few words; empty for nothing."""
    source: str
    """Where that is stated; empty if nowhere."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "name": self.name,
            "allowed": self.allowed,
            "said": self.said,
            "source": self.source,
        }


@dataclass(frozen=True, slots=True, repr=False)
class RobotIndexability:
    """Whether one robot may index a page, and who says so."""

    robot: str
    """The robot; `*` is any robot that neither robots.txt nor the page names."""
    indexable: bool | None
    """Whether it may index the page; `None` if that is not known."""
    reason: str
    """The reason, a slug: of robots.txt, of the page, or `redirect`, `canonical`, `no-content`,
    `not-fetched`."""
    source: str
    """The statement that decides; empty if there is none."""
    is_seen: bool
    """Whether robots.txt lets it fetch the page, so that it sees what the page says."""
    aspects: tuple[Aspect, ...]
    """Each aspect, in the order of `ASPECTS`."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "robot": self.robot,
            "indexable": self.indexable,
            "reason": self.reason,
            "source": self.source,
            "is_seen": self.is_seen,
            "aspects": [one.as_dict() for one in self.aspects],
        }


@dataclass(frozen=True, slots=True)
class RobotView:
    """What is known of a page for one robot."""

    robot: str
    """The robot, as it is shown."""
    fetch: Verdict
    """Whether robots.txt lets it fetch the URL."""
    uses: Uses
    """What it may use the content for."""
    page: Page | None
    """The page as it reads it; `None` if it was not fetched."""

    @property
    def seen(self) -> Page | None:
        """The page, if robots.txt lets the robot fetch it."""
        return self.page if self.fetch.allowed else None


def answer_of(view: RobotView, target: str | None, now: datetime) -> RobotIndexability:
    """Return the answer for one robot.

    Args:
        view: What is known of the page for it.
        target: The URL to which the response redirects; `None` if it does not.
        now: The time.

    """
    fetch, seen = view.fetch, view.seen
    found = decided(view, target, now)
    index = Aspect("index", None, "not known", "" if fetch.is_answer else fetch.source)
    if found is not None:
        index = Aspect("index", found.allowed, "", found.source)
    return RobotIndexability(
        robot=view.robot,
        indexable=index.allowed,
        reason="not-fetched" if found is None else found.reason,
        source=index.source,
        is_seen=seen is not None,
        aspects=(
            Aspect("robots-txt", fetch.allowed if fetch.is_answer else None, "", fetch.source),
            *(unseen(STATED) if seen is None else stated_by(seen, now)),
            index,
            *(unseen(ACTS) if seen is None else acts_on(seen)),
            *of_use(view.uses),
        ),
    )


STATED = ("status", "header", "meta", "canonical", "sections")
ACTS = ("follow", "archive", "snippet", "image_index", "translate", "train_images")
ALLOWED_USE = {"allowed": True, "licensed": False, "reserved": False, "unknown": None}
"""Whether a use is allowed without a licence, by its status."""


def decided(view: RobotView, target: str | None, now: datetime) -> Indexability | None:
    """Return whether the robot may index the page; `None` if that is not known."""
    fetch, page = view.fetch, view.seen
    if not fetch.is_answer:
        return None
    if not fetch.allowed:
        return Indexability(False, fetch.reason, fetch.source)  # noqa: FBT003
    if page is None:
        return None
    barred = without_content(page.status)
    if target is not None:
        barred = Indexability(False, "redirect", f"redirects to {target}")  # noqa: FBT003
    verdict = page.index_at(now)
    said = Indexability(verdict.allowed, verdict.reason, verdict.source)
    return decide(normal(page.url) or page.url, barred, said, normal(page.canonical))


def unseen(names: tuple[str, ...]) -> Iterator[Aspect]:
    """Yield the aspects that a robot does not see."""
    return (Aspect(name, None, NOT_SEEN, "") for name in names)


def stated_by(page: Page, now: datetime) -> Iterator[Aspect]:
    """Yield what decides whether the page may be indexed."""
    is_page = page.index.reason != "no-document"
    empty = without_content(page.status)
    source = page.index.source if not is_page else "" if empty is None else empty.source
    yield Aspect("status", is_page and empty is None, str(page.status), source)
    for name in KINDS:
        yield stated_in(name, page, now)
    yield canonical_of(page)
    yield sections_of(page)


def stated_in(name: str, page: Page, now: datetime) -> Aspect:
    """Return what header or content state on indexing the whole page."""
    said = [one for one in page.statements if one.source.kind in KINDS[name]]
    against = [one for one in said if forbids_index(one, now)]
    index = page.index
    if not against and name == "meta" and index.reason == "index-instead":
        return Aspect(name, index.allowed, "another URL", index.source)
    decisive = against or [one for one in said if "index" in DIRECTIVES[one.directive].allows]
    if not decisive:
        return Aspect(name, None, "", "")
    return Aspect(name, not against, decisive[0].directive, str(decisive[0].source))


def forbids_index(said: Statement, now: datetime) -> bool:
    """Return whether a statement forbids to index the page at this time."""
    if isinstance(said.value, datetime):
        return now >= said.value
    return "index" in DIRECTIVES[said.directive].forbids


def canonical_of(page: Page) -> Aspect:
    """Return whether the URL is the one that the page prefers (RFC 6596)."""
    canonical = normal(page.canonical)
    if canonical is None:
        return Aspect("canonical", None, "", "")
    is_this = canonical == (normal(page.url) or page.url)
    said = "this URL" if is_this else "another"
    return Aspect("canonical", is_this, said, f"canonical: {canonical}")


def sections_of(page: Page) -> Aspect:
    """Return how much of the text marks on parts of the page leave for an index."""
    runs = [run for run in page.runs if run.text.strip()]
    out = [run.index for run in runs if run.index.reason == "mark-forbids"]
    if not out:
        return Aspect("sections", None, "", "")
    left = len(runs) - len(out)
    return Aspect("sections", left > 0, f"{left:,} of {len(runs):,}", out[0].source)


def acts_on(page: Page) -> Iterator[Aspect]:
    """Yield what else may be done with the page."""
    verdicts: dict[str, PageVerdict] = dict(page.verdicts)
    for name in ACTS:
        yield Aspect(name, verdicts[name].allowed, "", verdicts[name].source)


def of_use(uses: Uses) -> Iterator[Aspect]:
    """Yield what the content may be used for; what is not mentioned is unknown."""
    for use, verdict in uses.verdicts.items():
        said = "" if verdict.status == "unknown" else verdict.status
        source = "" if verdict.said is None else str(verdict.said)
        yield Aspect(f"use-{use}", ALLOWED_USE[verdict.status], said, source)
