"""The result of a visit: its requests, the response, and what may be done with the page."""

from dataclasses import field, replace

from goodbot._core import Verdict
from goodbot.display import short_repr
from goodbot.http.address import resolve, spelling_of
from goodbot.http.fields import field_lines, wire_bytes
from goodbot.http.quoting import shortened
from goodbot.http.status import Status, answer_status
from goodbot.lazy_dataclass import dataclass
from goodbot.net import Response
from goodbot.page import Page, PageOptions
from goodbot.page.dialects import PageDialect
from goodbot.policy.redirects import leads_to
from goodbot.robot.beside import WORTH_A_THREAD, beside
from goodbot.robot.revisit import confirmed

__all__ = ["Hop", "Visit"]


@dataclass(frozen=True, slots=True, repr=False)
class Hop:
    """One request of a visit, with the verdict that allowed it and the response."""

    url: str
    """The URL, as it was checked and sent."""
    verdict: Verdict
    """The verdict that allowed the request, or that its owner overruled; see `permission`."""
    response: Response
    """The response. If a 304 confirmed an earlier one, that one with its header updated."""
    not_modified: Response | None = None
    """The 304 that confirmed an earlier response; `None` if there was none."""
    permission: str = ""
    """The permission of the owner of the site by which it was fetched although robots.txt disallows
    it, in words; empty if robots.txt allows it."""

    __repr__ = short_repr


@dataclass(frozen=True, repr=False)
class Visit:
    """The result of a visit. It is true if the response is a page.

    A response with a 2xx status is a page, except with 202 or 206, or if it is a challenge instead
    of the page; see `goodbot.http.status`.

    >>> import asyncio
    >>> from goodbot.testing import Answer, FakeClock, FakeSite
    >>> from goodbot.robot import Robot
    >>> clock = FakeClock()
    >>> moved = Answer(status=301, headers=[("Location", "/new")])
    >>> html = '<meta name=robots content=noindex><a href="/more">more</a>'
    >>> site = FakeSite({"/old": moved, "/new": html}, clock=clock)
    >>> async def main() -> Visit:
    ...     me = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
    ...     async with Robot("ExampleBot/1.0", **me, fetcher=site, clock=clock) as robot:
    ...         return await robot.visit("https://example.com/old")
    >>> visit = asyncio.run(main())
    >>> visit
    <Visit 200 https://example.com/new: answered, 2 requests>
    >>> visit.url, visit.response.status, [hop.url for hop in visit.hops]
    ('https://example.com/new', 200, ['https://example.com/old', 'https://example.com/new'])
    >>> bool(visit.page.index), [link.url for link in visit.page.links]
    (False, ['https://example.com/more'])
    """

    hops: tuple[Hop, ...]
    """Every request in order: the one for the URL itself, then one for each redirect."""
    outcome: str
    """`answered`, or the reason why a redirect was not followed: `redirect-loop`,
    `redirects-too-many`,
    `redirect-without-location`, `redirect-malformed`, `redirect-to-other-scheme`."""
    robot: str = "*"
    """The robot's product token."""
    page_dialect: str | PageDialect = field(default="google", repr=False)
    """The dialect in which the page is read."""
    names_page: bytes | None = field(default=None, repr=False)
    """The content of the page of robots' names (`Page.names_url`); `None` if it is not known."""
    page_options: PageOptions = field(default_factory=PageOptions, repr=False)
    """Further options for reading the page."""

    @property
    def url(self) -> str:
        """The URL of the last request."""
        return self.hops[-1].url

    @property
    def verdict(self) -> Verdict:
        """The verdict that allowed the last request."""
        return self.hops[-1].verdict

    @property
    def permission(self) -> str:
        """The permission by which the last request was made against robots.txt; usually empty."""
        return self.hops[-1].permission

    @property
    def response(self) -> Response:
        """The last response."""
        return self.hops[-1].response

    @property
    def not_modified(self) -> Response | None:
        """The 304 that confirmed an earlier response, which is then `response`; else `None`."""
        return self.hops[-1].not_modified

    def confirming(self, stored: Response) -> "Visit":
        """Return the visit with an earlier response in place of a 304 that confirms it.

        Args:
            stored: The earlier response, whose validators the request contained.

        Returns:
            A new visit, or this one if its response does not confirm the earlier one.

        Source: RFC 9111 section 4.3.4.

        """
        hop = self.hops[-1]
        response = confirmed(stored, hop.response)
        if response is None:
            return self
        last = replace(hop, response=response, not_modified=hop.response)
        return replace(self, hops=(*self.hops[:-1], last))

    def __repr__(self) -> str:
        """Return the status, the URL, the outcome and the number of requests."""
        requests = f"{len(self.hops)} request{'' if len(self.hops) == 1 else 's'}"
        url, outcome = shortened(self.url), shortened(self.outcome, 60)
        return f"<Visit {self.response.status} {url}: {outcome}, {requests}>"

    @property
    def meaning(self) -> Status:
        """The meaning of the response for the page: a row of `goodbot.http.status`."""
        # `cached_property` takes a lock that all visits share.
        known: Status | None = self.__dict__.get("_meaning")
        if known is not None:
            return known
        answer = self.response
        lines = field_lines(answer.headers)
        meaning = answer_status(answer.status, lines, len(answer.body))
        self.__dict__["_meaning"] = meaning
        return meaning

    @property
    def location(self) -> str | None:
        """The URL to which the response redirects, normalised; `None` if it does not redirect.

        >>> from datetime import datetime, timezone
        >>> from goodbot.http.fields import field_lines
        >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
        >>> moved = Response("https://a.example/b", 301, (("Location", "../c"),), b"", noon, noon)
        >>> Visit((Hop(moved.url, None, moved),), "redirects-too-many").location
        'https://a.example/c'
        """
        answer = self.response
        following, _ = leads_to(self.url, answer.status, answer.headers, [self.url], limit=1)
        return None if following is None else following[1]

    @property
    def location_spelling(self) -> str:
        """The same URL as the site wrote it, if its percent-encoding differs; else empty."""
        if self.location is None:
            return ""
        reference = wire_bytes(self.response.field("Location") or "")
        written, _ = resolve(self.url, reference, as_written=True)
        return "" if written is None else spelling_of(written[1])

    @property
    def page(self) -> Page:
        """The page, with what may be done with it; parsed on first use.

        Parsing a large document takes seconds: in asynchronous code, `await visit.read()` first.
        """
        # Not `functools.cached_property`, whose lock all visits would share before Python 3.12.
        page: Page | None = self.__dict__.get("_page")
        return self._read() if page is None else page

    async def read(self) -> Page:
        """Parse the document in a thread, and return the page, which is also `page` from then on.

        Documents of less than 64 KiB are parsed at once, which takes less time than a thread.
        """
        if "_page" in self.__dict__ or len(self.response.body) < WORTH_A_THREAD:
            return self.page
        return await beside(self._read)

    def _read(self) -> Page:
        hop, options = self.hops[-1], self.page_options.as_arguments()
        if self.names_page is not None:
            options["names_page"] = self.names_page
        page = self.__dict__["_page"] = Page(
            hop.url,
            hop.response.body,
            headers=hop.response.headers,
            robot=self.robot,
            status=hop.response.status,
            dialect=self.page_dialect,
            **options,
        )
        return page

    def __bool__(self) -> bool:
        """Return whether the response is a page."""
        return self.meaning.is_success
