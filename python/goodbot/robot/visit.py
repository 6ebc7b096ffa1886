"""What a visit came to: the way there, the answer, and what may be done with it."""

from dataclasses import dataclass, field, replace
from functools import cached_property

from goodbot.display import short_repr
from goodbot.http.address import resolve, spelling_of
from goodbot.http.fields import field_lines, wire_bytes
from goodbot.http.quoting import shortened
from goodbot.http.status import Status, answer_status
from goodbot.net import Response
from goodbot.page import Page, PageOptions
from goodbot.page.dialects import PageDialect
from goodbot.policy import PolicyVerdict
from goodbot.policy.redirects import leads_to
from goodbot.robot.beside import WORTH_A_THREAD, beside
from goodbot.robot.revisit import confirmed

__all__ = ["Hop", "Visit"]


@dataclass(frozen=True, slots=True)
class Hop:
    """One request of a visit: who allowed it, and what was answered."""

    url: str
    """The URL, as it was asked about and sent."""
    verdict: PolicyVerdict
    """Who says that it may be fetched."""
    response: Response
    """The answer; where a 304 confirmed an earlier one, that one with the fields of the 304."""
    not_modified: Response | None = None
    """The 304 as it came, if there was one that confirmed an earlier answer."""

    __repr__ = short_repr


@dataclass(frozen=True, repr=False)
class Visit:
    """What a visit came to; truthy if a page was found there.

    A status of 2xx brings one, but for 202, for a part that nobody asked for (206), and for a
    challenge in place of the page; see `goodbot.http.status`.

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
    """Every request, in order: the URL itself, and where redirects led."""
    outcome: str
    """`answered`, or why a redirect was not followed: `redirect-loop`, `redirects-too-many`,
    `redirect-without-location`, `redirect-malformed`, `redirect-to-other-scheme`."""
    robot: str = "*"
    """The robot's product token."""
    page_dialect: str | PageDialect = field(default="google", repr=False)
    """The dialect in which the page is read."""
    names_page: bytes | None = field(default=None, repr=False)
    """The page of names of robots to which the page points (`Page.names_url`), if it is known."""
    page_options: PageOptions = field(default_factory=PageOptions, repr=False)
    """How else the page is read."""

    @property
    def url(self) -> str:
        """The URL that answered last."""
        return self.hops[-1].url

    @property
    def verdict(self) -> PolicyVerdict:
        """Who says that this URL may be fetched."""
        return self.hops[-1].verdict

    @property
    def response(self) -> Response:
        """The answer."""
        return self.hops[-1].response

    @property
    def not_modified(self) -> Response | None:
        """The 304 as it came, if it confirmed an earlier answer, which `response` then is."""
        return self.hops[-1].not_modified

    def confirming(self, stored: Response) -> "Visit":
        """Return the visit with an earlier answer in place of a 304 that confirms it.

        Args:
            stored: The earlier answer, about which the request asked.

        Returns:
            Another visit; this one, if its answer does not confirm that one.

        Source: RFC 9111 section 4.3.4.

        """
        hop = self.hops[-1]
        response = confirmed(stored, hop.response)
        if response is None:
            return self
        last = replace(hop, response=response, not_modified=hop.response)
        return replace(self, hops=(*self.hops[:-1], last))

    def __repr__(self) -> str:
        """Show the status, the URL, and how many requests led there."""
        requests = f"{len(self.hops)} request{'' if len(self.hops) == 1 else 's'}"
        url, outcome = shortened(self.url), shortened(self.outcome, 60)
        return f"<Visit {self.response.status} {url}: {outcome}, {requests}>"

    @cached_property
    def meaning(self) -> Status:
        """What the answer says of the page: a row of `goodbot.http.status`."""
        answer = self.response
        return answer_status(answer.status, field_lines(answer.headers), len(answer.body))

    @property
    def location(self) -> str | None:
        """Where the answer leads, as it would be asked about; `None` if nowhere.

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
        """The same as it is written, where its escapes are other ones; else empty."""
        if self.location is None:
            return ""
        reference = wire_bytes(self.response.field("Location") or "")
        written, _ = resolve(self.url, reference, as_written=True)
        return "" if written is None else spelling_of(written[1])

    @property
    def page(self) -> Page:
        """What may be done with the document; read when it is asked for first.

        A large document takes seconds to read: in asynchronous code, `await visit.read()` first.
        """
        # No `functools.cached_property`: before Python 3.12 all visits would share its lock.
        page: Page | None = self.__dict__.get("_page")
        return self._read() if page is None else page

    async def read(self) -> Page:
        """Read the document beside the event loop, and return the page; it is `page` from then on.

        Documents of less than 64 KiB are read at once, as that takes less time than a thread.
        """
        if "_page" in self.__dict__ or len(self.response.body) < WORTH_A_THREAD:
            return self.page
        return await beside(self._read)

    def _read(self) -> Page:
        answer, options = self.response, self.page_options.as_arguments()
        if self.names_page is not None:
            options["names_page"] = self.names_page
        page = self.__dict__["_page"] = Page(
            self.url,
            answer.body,
            headers=answer.headers,
            robot=self.robot,
            status=answer.status,
            dialect=self.page_dialect,
            **options,
        )
        return page

    def __bool__(self) -> bool:
        """Whether a page was found."""
        return self.meaning.is_success
