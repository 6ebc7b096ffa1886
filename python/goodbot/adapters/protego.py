r"""Protego's interface with goodbot's answers: change one line of imports.

    from goodbot.adapters.protego import Protego

Protego need not be installed. Every method and attribute exists, with the same arguments, and the
values have the same fields. The answers differ in these points:

| point | Protego 0.7 | here | source |
| --- | --- | --- | --- |
| the robot's name | starts with the value | equals the value | RFC 9309 section 2.2.1 |
| words of the User-Agent | any of them | its product token | RFC 9309 section 2.2.1 |
| spaces in a name | are part of it | end it | RFC 9309 section 2.2.1 |
| a version in a name | is part of it | is ignored | RFC 9309 section 2.2.1 |
| `*` within a name | is dropped | is part of the name | RFC 9309 section 2.2.1 |
| User-agent after a Crawl-delay | a new group | the same rules, own delay | RFC 9309 section 2.1 |
| User-agent after an unknown field | a new group | the same group | RFC 9309 section 2.2.4 |
| misspelt fields | a fixed list | anything close to Disallow or User-agent | RFC 9309 section 2.2 |
| a byte order mark | is part of the first field | is skipped | RFC 3629 section 6 |
| ends of lines | all that Unicode has | CR and LF | RFC 9309 section 2.2 |
| `$` at the end of a path | the end, and the character | the end | RFC 9309 section 2.2.3 |
| dot segments | are compared as they are | are resolved in URLs | RFC 3986 section 6.2.2.3 |
| escapes in a query | `%2F` is not `/` | both are the same | RFC 3986 section 3.4 |
| Allow of an index.html | allows its folder, too | only the file | RFC 9309 section 2.2.2 |
| `/robots.txt` with a query | always allowed | a path like any other | RFC 9309 section 2.2.2 |
| Crawl-delay with a unit | is ignored | `5s` is 5 seconds | goodbot: the careful choice |
| digits of Python | `1_0` is 10 | is ignored | goodbot: no number |
| Request-rate with spaces | is ignored | `1 / 5` is 1/5 | goodbot: the careful choice |
| Request-rate a week | is ignored | `1/1w` is read | goodbot: the careful choice |
| hours with a colon | are ignored | `06:00-08:45` is read | goodbot: the careful choice |
| hours with a zone | are ignored | `0600-0845 UTC` is read | Conner 1996: times are UT |
| hours of three digits | `600-845` is read | are ignored | Conner 1996, Visit-time |
| hours until 2400 | are ignored | until 23:59 | goodbot: the careful choice |
| hours that are none | drop the rate, too | the rate always holds | goodbot: the careful choice |
| Request-rate, several | the last | the strictest | goodbot: the careful choice |
| Crawl-delay, several | the last | the longest | goodbot: the careful choice |
| Visit-time, several | the last | the first | Conner 1996, Visit-time |
| a Sitemap without a colon or URL | is listed | is ignored | RFC 9309 section 2.2; sitemaps.org |
| bytes | `TypeError` | are read | RFC 9309 section 2.3 |
| arguments in the wrong order | allows all | `RobotNameError` | goodbot: misuse raises |
"""

from collections.abc import Iterator
from datetime import time
from typing import NamedTuple

from goodbot._core import RobotsTxt

__all__ = ["Protego", "RequestRate", "VisitTime"]


class RequestRate(NamedTuple):
    """The largest number of requests in a number of seconds, at some hours (UT) or always.

    >>> RequestRate(1, 10, None, None).seconds
    10
    """

    requests: int
    seconds: int
    start_time: time | None
    end_time: time | None


class VisitTime(NamedTuple):
    """The hours of the day (UT) at which visits are welcome.

    >>> VisitTime(time(6, 0), time(8, 45)).start_time
    datetime.time(6, 0)
    """

    start_time: time
    end_time: time


class Protego:
    r"""A replacement for `protego.Protego`; the module lists the differences.

    >>> robots = Protego.parse(
    ...     "User-agent: *\nDisallow: /private\nCrawl-delay: 4\nRequest-rate: 10/1m\n"
    ...     "Visit-time: 0600-0845\nHost: example.com\nSitemap: https://example.com/sitemap.xml"
    ... )
    >>> robots.can_fetch("https://example.com/private/a", "ExampleBot")
    False
    >>> robots.crawl_delay("ExampleBot"), robots.request_rate("ExampleBot")[:2]
    (4.0, (10, 60))
    >>> robots.visit_time("ExampleBot").end_time, list(robots.sitemaps), robots.preferred_host
    (datetime.time(8, 45), ['https://example.com/sitemap.xml'], 'example.com')

    Source: github.com/scrapy/protego, README.
    """

    def __init__(self) -> None:
        """Start with an empty file; `Protego.parse` reads one."""
        self.robots_txt = RobotsTxt(b"")

    @classmethod
    def parse(cls, content: str | bytes, *, dialect: str = "rfc9309") -> "Protego":
        """Read a robots.txt.

        Args:
            content: The file, as `str` or `bytes`.
            dialect: The name of a dialect: `rfc9309`, `google`, ...

        Raises:
            WrongTypeError: The content is of another type.
            UnknownDialectError: There is no dialect of this name.

        """
        made = cls()
        text = content.encode("utf-8", "replace") if isinstance(content, str) else content
        made.robots_txt = RobotsTxt(text, dialect=dialect)
        return made

    def can_fetch(self, url: str, user_agent: str) -> bool:
        """Return whether a robot may fetch a URL. The URL comes first here.

        Args:
            url: A URL, or a path with its query.
            user_agent: The robot: a product token or a whole User-Agent string.

        Raises:
            RobotNameError: The robot has no name, or its name is a URL.

        """
        return self.robots_txt.allows(url, user_agent)

    def crawl_delay(self, user_agent: str) -> float | None:
        """Return the Crawl-delay in seconds, or `None` if there is none."""
        return self.robots_txt.rules_for(user_agent).crawl_delay

    def request_rate(self, user_agent: str) -> RequestRate | None:
        """Return the strictest Request-rate, or `None` if there is none."""
        rates = self.robots_txt.rules_for(user_agent).request_rates
        rate = max(rates, key=lambda one: one.interval, default=None)
        if rate is None:
            return None
        hours = rate.window
        start, end = (None, None) if hours is None else (hours.start, hours.end)
        return RequestRate(rate.documents, rate.seconds, start, end)

    def visit_time(self, user_agent: str) -> VisitTime | None:
        """Return the first Visit-time, or `None` if there is none."""
        times = self.robots_txt.rules_for(user_agent).visit_times
        return VisitTime(times[0].start, times[0].end) if times else None

    @property
    def sitemaps(self) -> Iterator[str]:
        """The URLs of the sitemaps."""
        return iter(self.robots_txt.sitemaps)

    @property
    def preferred_host(self) -> str | None:
        """The value of the last Host line, or `None` if there is none."""
        found = None
        for line in self.robots_txt.lines:
            if line.name is not None and line.name.lower() == b"host" and line.value:
                found = line.value.decode("utf-8", "replace")
        return found
