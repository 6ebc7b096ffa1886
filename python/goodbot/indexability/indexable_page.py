"""The report on one URL: an answer for each robot, in one table, and what is odd about it.

Scope: from a policy and a response to the table. Nothing is fetched.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from goodbot._core import Finding
from goodbot.bots.page_reading import page_dialect_for
from goodbot.content_use import uses
from goodbot.display import short_repr, table_html
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.address import address_of
from goodbot.http.quoting import shortened
from goodbot.indexability.answer import RobotIndexability, RobotView, answer_of
from goodbot.indexability.robot_columns import (
    fetch_verdict,
    robots_to_show,
    shown_name,
)
from goodbot.lazy_dataclass import dataclass
from goodbot.page import Page, PageOptions
from goodbot.policy import Policy, next_hop

__all__ = ["IndexabilityReport", "finding_codes", "indexability_report"]

FINDING_CODES: dict[str, tuple[str, str]] = {
    "hidden-noindex": (
        "warning",
        (
            "The page must not be indexed, but robots.txt keeps a robot from seeing that, so it "
            "may list the URL; allow the URL in robots.txt until no index has it any more."
        ),
    ),
    "may-be-listed": (
        "info",
        (
            "robots.txt keeps a robot from the page, but not its URL from an index: it may still "
            "be listed, by what links to it say, and a noindex on the page cannot be read; to keep "
            "it out of an index, allow it in robots.txt and write noindex."
        ),
    ),
    "hidden-redirect": (
        "info",
        (
            "robots.txt keeps a robot from a URL that redirects to the page, so it does not see "
            "the redirect; allow that URL, or link to the page itself."
        ),
    ),
}
"""The severity and the meaning of every code."""

AGAINST = {"directive-forbids", "index-instead", "too-late"}
"""The reasons for which a page itself forbids to index it."""

NAMED = 3
"""How many robots a finding names."""


def finding_codes() -> list[tuple[str, str, str]]:
    """List every code that a finding of a report can have: code, severity, meaning."""
    return [(code, severity, meaning) for code, (severity, meaning) in FINDING_CODES.items()]


@dataclass(frozen=True, slots=True, repr=False)
class IndexabilityReport:
    """Whether a page is indexable, by which robots, and who says so.

    It is true if every robot in it may index the page.
    """

    url: str
    """The URL."""
    page: Page | None
    """The page, as the first robot reads it; `None` if it was not fetched."""
    answers: tuple[RobotIndexability, ...]
    """The answer for each robot."""
    findings: tuple[Finding, ...]
    """What is odd about them together, and then about the page."""

    __repr__ = short_repr

    @property
    def indexable(self) -> bool | None:
        """Whether every robot may index the page; `None` if one is not known and none must not."""
        found = [one.indexable for one in self.answers]
        return False if False in found else None if None in found else True

    def __bool__(self) -> bool:
        """Return whether every robot may index the page."""
        return self.indexable is True

    def _repr_html_(self) -> str:
        """Return the answers as a table, for notebooks."""
        words = {True: "allowed", False: "disallowed", None: "not known"}
        rows = [(one.robot, words[one.indexable], one.source) for one in self.answers]
        return table_html(f"Who may index {self.url}", rows)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        page = self.page
        return {
            "url": self.url,
            "indexable": self.indexable,
            "status": None if page is None else page.status,
            "content_type": None if page is None else page.content_type,
            "canonical": None if page is None else page.canonical,
            "robots": [one.as_dict() for one in self.answers],
            "usage": None if page is None else page.usage.as_dict(),
            "findings": [one.as_dict() for one in self.findings],
        }


def indexability_report(
    url: str,
    policy: Policy,
    body: bytes | str | None = None,
    *,
    headers: Any = (),  # noqa: ANN401  a mapping or pairs
    status: int = 200,
    robots: Iterable[str] | None = None,
    before: Iterable[tuple[str, Policy]] = (),
    now: datetime,
    page_dialect: str | None = None,
    page_options: PageOptions | Mapping[str, Any] | None = None,
) -> IndexabilityReport:
    """Return whether a page is indexable, by which robots, and who says so.

    A known robot (`goodbot.bots`) brings its family and its dialects.

    Args:
        url: The URL of the page, after redirects.
        policy: The policy of its site.
        body: The content; `None` if the page was not fetched.
        headers: The HTTP header fields: pairs of name and value, or a mapping.
        status: The HTTP status.
        robots: The robots to ask for. By default any robot (`*`), those that the page addresses,
            and the search engines to which robots.txt gives another answer; at most 12.
        before: The URLs that redirected to it, each with the policy of its site.
        now: The time, an aware `datetime`.
        page_dialect: The dialect of pages for every robot. By default that of each, or `google` if
            it is not known.
        page_options: Further options for reading pages: `goodbot.page.PageOptions`, or a mapping.

    Raises:
        NoOriginError: The URL is not an absolute http or https URL.
        OtherOriginError: The policy is of another origin.
        WrongTypeError: `policy` is not a `Policy`.
        WrongValueError: `now` has no time zone, or `robots` is empty.
        RobotNameError: One of `robots` is empty, or a URL.

    """
    check_policy_type(policy)
    address_of(url)
    options = PageOptions.of(page_options).as_arguments()
    given = {"headers": headers, "status": status, **options}
    pages = PageReader(url, body, given, page_dialect)
    chosen = given_robots(robots) or robots_to_show(url, policy, pages.read("*"))
    target = None if body is None else next_hop(url, status, headers).url
    views = [view_of(url, policy, robot, pages.read(robot), now) for robot in chosen]
    answers = tuple(answer_of(view, target, now) for view in views)
    odd = (*unseen(views, now), *hidden_redirects(chosen, before), *of_page(views[0].page))
    return IndexabilityReport(url, views[0].page, answers, odd)


@dataclass(frozen=True, slots=True)
class PageReader:
    """A page that several robots read, each in its dialect."""

    url: str
    body: bytes | str | None
    given: dict[str, Any]
    """Further arguments of `Page`."""
    dialect: str | None
    """The dialect for every robot; `None` for that of each."""

    def read(self, robot: str) -> Page | None:
        """Return the page as a robot reads it; `None` if it was not fetched."""
        if self.body is None:
            return None
        dialect = self.dialect or page_dialect_for(robot)
        return Page(self.url, self.body, robot=robot, dialect=dialect, **self.given)


def view_of(url: str, policy: Policy, robot: str, page: Page | None, now: datetime) -> RobotView:
    """Return what is known of a page for a robot."""
    return RobotView(
        shown_name(robot),
        fetch_verdict(url, policy, robot),
        uses(url, page, robots_txt=policy, robot=robot, now=now),
        page,
    )


def check_policy_type(policy: object) -> None:
    """Raise a `WrongTypeError` if this is not a `Policy`."""
    if not isinstance(policy, Policy):
        message = f"policy must be a Policy, not {type(policy).__name__}"
        raise WrongTypeError(message)


def given_robots(robots: Iterable[str] | None) -> list[str]:
    """Return the robots to ask for, each once; none if none is named.

    Raises:
        WrongValueError: The list is empty.

    """
    if robots is None:
        return []
    found = list(dict.fromkeys([robots] if isinstance(robots, str) else robots))
    if not found:
        message = "robots is empty; name one, such as 'Googlebot', or leave it out"
        raise WrongValueError(message)
    return found


def unseen(views: list[RobotView], now: datetime) -> list[Finding]:
    """Return the finding on robots that robots.txt keeps from the page: what they cannot see.

    Source: Google, introduction to robots.txt ("a page that's disallowed in robots.txt can still be
    indexed if linked to from other sites"); block search indexing with noindex.
    """
    blind = [view for view in views if is_kept_out(view)]
    against = [
        (view, said)
        for view in blind
        if view.page is not None and (said := view.page.index_at(now)).reason in AGAINST
    ]
    if not against:
        return may_be_listed(blind)
    view, said = against[0]
    message = (
        f"{said.source} is not seen by {named([one.robot for one, _ in against])}: "
        f"{view.fetch.source} disallows the URL, which may therefore still be listed; "
        "allow it in robots.txt until no index has it any more"
    )
    return [Finding("hidden-noindex", FINDING_CODES["hidden-noindex"][0], message)]


def is_kept_out(view: RobotView) -> bool:
    """Return whether robots.txt disallows the page to a robot."""
    return view.seen is None and view.fetch.is_answer and not view.fetch.allowed


def may_be_listed(blind: list[RobotView]) -> list[Finding]:
    """Return the finding on robots that robots.txt keeps from a page that says nothing against."""
    if not blind:
        return []
    message = (
        f"the URL may still be listed by {named([one.robot for one in blind])}: "
        f"{blind[0].fetch.source} disallows the page, not its URL, and a noindex on it cannot be "
        "read; to keep it out of an index, allow it in robots.txt and write noindex"
    )
    return [Finding("may-be-listed", FINDING_CODES["may-be-listed"][0], message)]


def hidden_redirects(robots: list[str], before: Iterable[tuple[str, Policy]]) -> Iterator[Finding]:
    """Yield the findings on redirects that robots cannot see."""
    for url, policy in before:
        verdicts = [(robot, fetch_verdict(url, policy, robot)) for robot in robots]
        blind = [(robot, said) for robot, said in verdicts if not said.allowed and said.is_answer]
        if blind:
            message = (
                f"the redirect of {shortened(url)} is not seen by "
                f"{named([shown_name(robot) for robot, _ in blind])}: {blind[0][1].source} "
                "disallows that URL; allow it, or link to the page itself"
            )
            yield Finding("hidden-redirect", FINDING_CODES["hidden-redirect"][0], message)


def named(robots: list[str]) -> str:
    """Return the first robots of a list, and how many more there are."""
    names = ["any robot" if name == "*" else shortened(name, 60) for name in robots]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def of_page(page: Page | None) -> list[Finding]:
    """Return the findings on the page; those on other robots are in the table."""
    return [] if page is None else [one for one in page.findings if one.code != "for-others"]
