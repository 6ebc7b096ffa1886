"""`uses`: one answer per use of a page's content. This is the public face of the room."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from goodbot._core import Finding, RobotsTxt, Verdict
from goodbot.content_use.collecting import (
    licenses_named,
    of_licenses,
    of_page,
    of_robots_txt,
    of_tdmrep,
    reported_of_page,
)
from goodbot.content_use.finding_codes import finding
from goodbot.content_use.precedence import UseVerdict, decide
from goodbot.content_use.rsl_reader import RslLicense, read_license
from goodbot.content_use.rsl_terms import Association
from goodbot.content_use.statement import USES, Use, UseStatement
from goodbot.content_use.tdmrep import TdmRep, read_tdmrep
from goodbot.display import short_repr, table_html
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.argument_checks import list_of_str
from goodbot.http.instants import checked_time
from goodbot.page import Page
from goodbot.policy import Policy, PolicyVerdict

__all__ = ["Uses", "uses"]

CONFLICTS = {
    "restrictive": "the more restrictive directive applies",
    "permissive": "directives that allow prevail",
}
"""How page dialects settle contradictions, in words."""


@dataclass(frozen=True, slots=True)
class Uses:
    """One answer per use of the content at a URL, and what else was found.

    `str()` returns a line for each use.
    """

    url: str
    """The URL."""
    robot: str
    """The robot that asks."""
    verdicts: dict[Use, UseVerdict]
    """The answers, by use."""
    access: Verdict | PolicyVerdict | None
    """Whether robots.txt lets the robot fetch the URL, which is another question than its uses;
    `None` if robots.txt was not passed."""
    reported: tuple[str, ...]
    """What was found that decides nothing: ai.txt, llms.txt, directives about images."""
    not_consulted: tuple[str, ...]
    """What was not passed and may say more: `robots.txt`, `the page`, `tdmrep.json`, licences."""
    findings: tuple[Finding, ...]
    """What is odd about the statements."""

    __repr__ = short_repr

    @property
    def train(self) -> UseVerdict:
        """Whether AI models may be trained on the content."""
        return self.verdicts["train"]

    @property
    def ground(self) -> UseVerdict:
        """Whether the content may be put into AI models as input, to answer or to summarise."""
        return self.verdicts["ground"]

    @property
    def search(self) -> UseVerdict:
        """Whether the content may be indexed for search and linked to."""
        return self.verdicts["search"]

    @property
    def archive(self) -> UseVerdict:
        """Whether a copy may be kept and shown."""
        return self.verdicts["archive"]

    @property
    def preview(self) -> UseVerdict:
        """Whether the content may be quoted in search results."""
        return self.verdicts["preview"]

    def __str__(self) -> str:
        """Return a line for each use, and what was found beside that."""
        lines = [f"{use}: {verdict}" for use, verdict in self.verdicts.items()]
        if self.access is not None:
            lines.insert(0, f"fetch: {self.access}")
        return "\n".join(lines)

    def __hash__(self) -> int:
        """Return a hash of the answers."""
        return hash((self.url, self.robot, tuple(self.verdicts.values())))

    def _repr_html_(self) -> str:
        """Return the answers as a table, for notebooks."""
        rows = [(use, one.status, str(one.said or "")) for use, one in self.verdicts.items()]
        return table_html(f"Uses of {self.url}, for {self.robot}", rows)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "url": self.url,
            "robot": self.robot,
            "access": None if self.access is None else self.access.as_dict(),
            "uses": {use: verdict.as_dict() for use, verdict in self.verdicts.items()},
            "reported": list(self.reported),
            "not_consulted": list(self.not_consulted),
            "findings": [one.as_dict() for one in self.findings],
        }


def uses(  # noqa: PLR0913  each is documented below
    url: str,
    page: Page | None = None,
    *,
    robots_txt: RobotsTxt | Policy | None = None,
    headers: Any = None,  # noqa: ANN401  a mapping or pairs
    tdmrep: TdmRep | bytes | str | None = None,
    licenses: Mapping[str, RslLicense | bytes | str] | None = None,
    present: Iterable[str] = (),
    robot: str | None = None,
    now: datetime | None = None,
    vocabulary: str = "aipref-08",
) -> Uses:
    """Return one answer per use of a URL's content; see `goodbot.content_use`.

    Args:
        url: The URL of the content.
        page: The page, as it was read.
        robots_txt: The site's robots.txt, or its policy, which also says when it was unreachable.
        headers: The HTTP header fields, instead of `page`, of content that is no page.
        tdmrep: The content of `/.well-known/tdmrep.json`; empty if the site has none.
        licenses: The licences that are named, by URL; see `goodbot.content_use.read_license`.
        present: Names of files that the site has and that decide nothing, such as `ai.txt`.
        robot: The robot: a product token. By default that of `page`, or `*`, any robot.
        now: The time, for what expires: licences, `unavailable_after`.
        vocabulary: The revision of draft-ietf-aipref-vocab whose labels count.

    Raises:
        WrongTypeError: An argument has the wrong type.
        WrongValueError: Both `page` and `headers` are passed, or `now` has no time zone.
        RobotNameError: `robot` is empty, or a URL.
        UnknownVocabularyError: There is no vocabulary of this name.

    >>> import goodbot
    >>> goodbot.uses("https://example.com/a", headers={"tdm-reservation": "1"}).train.status
    'reserved'

    """
    page = checked_page(url, page, headers, robot, vocabulary)
    robot = robot or (page.robot if page is not None else "*")
    if now is not None:
        checked_time(now, "now")
    read = {name: as_license(name, one) for name, one in (licenses or {}).items()}
    given = UseSources(url, robot, page, robots_txt, tdmrep, read, now, vocabulary)
    return given.answer(list_of_str("present", present))


@dataclass(frozen=True, slots=True)
class UseSources:
    """The checked arguments of `uses`."""

    url: str
    robot: str
    page: Page | None
    robots_txt: RobotsTxt | Policy | None
    tdmrep: TdmRep | bytes | str | None
    licenses: Mapping[str, RslLicense]
    now: datetime | None
    vocabulary: str

    def answer(self, present: Iterable[str]) -> Uses:
        """Return the answers."""
        rules, expires, unread = read_rules(self.robots_txt)
        if self.page is not None and self.page.index.reason == "no-document":
            unread = unread or "no-document"
        named = licenses_named(self.url, rules, self.robot, self.page)
        findings: list[Finding] = []
        said = [
            *self.of_site(rules, expires, findings),
            *(of_page(self.page, self.now) if self.page is not None else ()),
            *of_licenses(named, self.licenses, self.url, self.now, findings),
        ]
        conflicts = CONFLICTS[self.page.dialect.conflicts if self.page else "restrictive"]
        found = [f"{name} is there; it decides nothing" for name in present]
        if self.page is not None:
            findings += malformed(self.page)
            found += reported_of_page(self.page)
        return Uses(
            url=self.url,
            robot=self.robot,
            verdicts={use: decide(use, said, conflicts=conflicts, unread=unread) for use in USES},
            access=self.access(),
            reported=tuple(found),
            not_consulted=tuple(dict.fromkeys(self.missing(named))),
            findings=tuple(findings),
        )

    def access(self) -> Verdict | PolicyVerdict | None:
        """Return whether robots.txt lets the robot fetch the URL."""
        return None if self.robots_txt is None else self.robots_txt.verdict(self.url, self.robot)

    def of_site(
        self, rules: RobotsTxt | None, expires: datetime | None, findings: list[Finding]
    ) -> Iterator[UseStatement]:
        """Yield what robots.txt and tdmrep.json say."""
        if rules is not None:
            yield from of_robots_txt(rules, self.robot, self.url, self.vocabulary, expires)
        given = self.tdmrep
        file = given if isinstance(given, TdmRep) else read_tdmrep(given or b"")
        findings += file.findings
        yield from of_tdmrep(file, self.url)

    def missing(self, named: Iterable[tuple[Association, str | None]]) -> Iterator[str]:
        """Yield what was not passed and may say more."""
        if self.robots_txt is None:
            yield "robots.txt"
        if self.page is None:
            yield "the page"
        if self.tdmrep is None:
            yield "tdmrep.json"
        for association, text in named:
            if text is None and association.url not in self.licenses:
                yield association.url


def checked_page(
    url: str,
    page: Page | None,
    headers: Any,  # noqa: ANN401
    robot: str | None,
    vocabulary: str,
) -> Page | None:
    """Return the page, or one of nothing but header fields."""
    if not isinstance(url, str):
        message = f"url must be a str, not {type(url).__name__}"
        raise WrongTypeError(message)
    if page is not None and not isinstance(page, Page):
        message = f"page must be a goodbot.Page, not {type(page).__name__}"
        raise WrongTypeError(message)
    if headers is None:
        return page
    if page is not None:
        message = "pass page or headers, not both: a page has its header fields"
        raise WrongValueError(message)
    return Page(
        url,
        b"",
        headers=headers,
        robot=robot or "*",
        content_type="text/plain",
        vocabulary=vocabulary,
    )


def read_rules(
    robots_txt: RobotsTxt | Policy | None,
) -> tuple[RobotsTxt | None, datetime | None, str | None]:
    """Return robots.txt, when it expires, and why it could not be read."""
    if robots_txt is None or isinstance(robots_txt, RobotsTxt):
        return robots_txt, None, None
    if not isinstance(robots_txt, Policy):
        given = type(robots_txt).__name__
        message = f"robots_txt must be a goodbot.RobotsTxt or a goodbot.Policy, not {given}"
        raise WrongTypeError(message)
    if robots_txt.access == "rules":
        return robots_txt.robots_txt, robots_txt.fresh_until, None
    failed = robots_txt.access != "allow-all"
    return None, None, "robots-txt-unreachable" if failed else None


def as_license(url: str, given: RslLicense | bytes | str) -> RslLicense:
    """Return a licence, parsing it if it is not yet."""
    if isinstance(given, RslLicense):
        return given
    if isinstance(given, bytes | bytearray | memoryview | str):
        return read_license(given if isinstance(given, str) else bytes(given))
    message = (
        f"the licence {url[:60]!r} must be bytes, str or RslLicense, not {type(given).__name__}"
    )
    raise WrongTypeError(message)


def malformed(page: Page) -> list[Finding]:
    """Return findings on reservations that are neither 0 nor 1."""
    return [
        finding("malformed-reservation", f"{one.place} is {one.value[:20]!r}, not 0 or 1", one.line)
        for one in page.usage.lines
        if one.name == "tdm-reservation" and one.value not in {"0", "1"}
    ]
