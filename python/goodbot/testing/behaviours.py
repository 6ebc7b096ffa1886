"""A table of how sites behave: what they answer, and what a robot must then do.

Scope: the rows of the table. `steps` has what a row sends, and `LoopbackSite` sends it.
"""

from collections.abc import Iterator
from typing import Literal

from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.policy.decide import Access
from goodbot.testing.steps import (
    CLOSE,
    LoopbackVisit,
    Script,
    ScriptStep,
    always,
    bomb,
    drip,
    http,
    page,
)

__all__ = ["BEHAVIOURS", "ROBOTS_TXT", "Behaviour", "behaviour", "behaviours_table"]

ROBOTS_TXT = "/robots.txt"
MOVED = "/moved/robots.txt"

TEXT = "Content-Type: text/plain; charset=utf-8"
HTML = "Content-Type: text/html; charset=utf-8"

CRAWL_DELAY = 1.0
RULES = b"User-agent: *\nCrawl-delay: 1\nDisallow: /private/\n"
NAMED = b"User-agent: ExampleBot\nDisallow: /private/\n\nUser-agent: *\nDisallow: /\n"
SHUT = b"User-agent: *\nDisallow: /\n"
LARGE = RULES + b"# more\n" * 450_000 + b"Disallow: /behind-the-limit/\n"
EXAMPLE_LATIN_1 = "User-agent: *\nDisallow: /caf\xe9/\nDisallow: /private/\n".encode("latin-1")
BOMB_SIZE = 64 * 1024 * 1024
DRIP_SECONDS = 0.01
DRIP_BYTES = 6_000

Transport = Literal["http", "plain-text-for-tls", "self-signed"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Behaviour:
    """One way in which a site answers.

    >>> unavailable = behaviour("unavailable")
    >>> unavailable.access, unavailable.authority
    ('disallow-all', 'RFC 9309 section 2.3.1.4')
    """

    name: str
    """The name, a slug."""
    does: str
    """What the site does."""
    must: str
    """What a robot must then do."""
    access: Access
    """The access that follows from robots.txt, as in `goodbot.policy` with the default dialect."""
    authority: str
    """The source: document and section."""
    answer: Script
    """What the site sends."""
    path: str = ROBOTS_TXT
    """The path that is answered in this way."""
    transport: Transport = "http"
    """How the answer is sent."""
    crawl_delay: float = 0.0
    """The pause in seconds that robots.txt asks of ExampleBot, before each page."""
    retry_after: float = 0.0
    """The pause in seconds that the first answer asks for."""
    shut_from: int = 0
    """The number of the visit to robots.txt from which it disallows everything; 0 for never."""
    is_choice: bool = False
    """Whether the documents would allow a robot more, so that this is goodbot's choice."""

    __repr__ = short_repr


def moved(visit: LoopbackVisit) -> Iterator[ScriptStep]:
    """Redirect to another path."""
    yield http(301, b"", f"Location: {MOVED}") if visit.target == ROBOTS_TXT else http(200, RULES)


def moved_elsewhere(visit: LoopbackVisit) -> Iterator[ScriptStep]:
    """Redirect to another authority, and answer there."""
    is_there = visit.target == MOVED
    yield http(200, RULES) if is_there else http(301, b"", f"Location: {visit.other_origin}{MOVED}")


def looping(visit: LoopbackVisit) -> Iterator[ScriptStep]:
    """Redirect back and forth."""
    yield http(302, b"", f"Location: {MOVED if visit.target == ROBOTS_TXT else ROBOTS_TXT}")


def dropped(_: LoopbackVisit) -> Iterator[ScriptStep]:
    """Close the connection."""
    yield CLOSE


def dripping(_: LoopbackVisit) -> Iterator[ScriptStep]:
    """Send a file byte by byte, for a minute."""
    head = http(200, b"\n" * DRIP_BYTES, TEXT)[:-DRIP_BYTES]
    yield from drip(head, b"\n", DRIP_SECONDS, DRIP_BYTES)


def bombing(_: LoopbackVisit) -> Iterator[ScriptStep]:
    """Send a gzip file that decompresses to a thousand times its size."""
    yield http(200, bomb(RULES, BOMB_SIZE), TEXT, "Content-Encoding: gzip")


def changing(visit: LoopbackVisit) -> Iterator[ScriptStep]:
    """Send rules that are fresh for 1 second; from the second visit on, disallow everything."""
    body = RULES if visit.number == 1 else SHUT
    yield http(200, body, TEXT, "Cache-Control: max-age=1", f'ETag: "{len(body)}"')


def busy(visit: LoopbackVisit) -> Iterator[ScriptStep]:
    """Refuse the first visit, and answer the next."""
    yield (
        http(429, b"Slow down.\n", TEXT, "Retry-After: 5")
        if visit.number == 1
        else http(200, b"<p>Welcome.\n", HTML)
    )


REDIRECT = "RFC 9309 section 2.3.1.2"
UNAVAILABLE = "RFC 9309 section 2.3.1.3"
UNREACHABLE = "RFC 9309 section 2.3.1.4"
NOTHING = "Fetch nothing else, and request robots.txt again later."
IGNORE = "It may fetch everything; the body contains no rules."

BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour(
        name="polite",
        does="200, with a Crawl-delay and a private part.",
        must="Stay out of /private/, and pause between visits.",
        access="rules",
        authority="RFC 9309 sections 2.3.1.1 and 2.2.4",
        answer=always(200, RULES, TEXT),
        crawl_delay=CRAWL_DELAY,
    ),
    Behaviour(
        name="names-robot",
        does="200, with a group for ExampleBot, and one that disallows everything for all others.",
        must="ExampleBot stays out of /private/ only; the group for all others is not for it.",
        access="rules",
        authority="RFC 9309 section 2.2.1",
        answer=always(200, NAMED, TEXT),
    ),
    Behaviour(
        name="unavailable",
        does="503, with Retry-After: 120.",
        must=NOTHING,
        access="disallow-all",
        authority=UNREACHABLE,
        answer=always(503, b"", "Retry-After: 120"),
        retry_after=120,
    ),
    Behaviour(
        name="broken",
        does="500, with a page of HTML.",
        must=NOTHING,
        access="disallow-all",
        authority=UNREACHABLE,
        answer=always(500, b"<h1>Oops</h1>\n<p>Allow: /\n", HTML),
    ),
    Behaviour(
        name="too-many-requests",
        does="429, with Retry-After: 5.",
        must="Defer every visit; the RFC would let it fetch, but goodbot is careful.",
        access="defer",
        authority=f"RFC 6585 section 4; {UNAVAILABLE} (MAY)",
        answer=always(429, b"Slow down.\n", TEXT, "Retry-After: 5"),
        retry_after=5,
        is_choice=True,
    ),
    Behaviour(
        name="dropped",
        does="Closes the connection without an answer.",
        must=NOTHING,
        access="disallow-all",
        authority=UNREACHABLE,
        answer=dropped,
    ),
    Behaviour(
        name="slow-drip",
        does="200, byte by byte, for a minute.",
        must=f"Stop at its deadline. {NOTHING}",
        access="disallow-all",
        authority=UNREACHABLE,
        answer=dripping,
    ),
    Behaviour(
        name="moved",
        does="301 to another path of the same origin.",
        must="Follow the redirect, and obey the rules there.",
        access="rules",
        authority=REDIRECT,
        answer=moved,
        crawl_delay=CRAWL_DELAY,
    ),
    Behaviour(
        name="moved-elsewhere",
        does="301 to another authority.",
        must="Follow the redirect, and obey the rules there for the first authority.",
        access="rules",
        authority=REDIRECT,
        answer=moved_elsewhere,
        crawl_delay=CRAWL_DELAY,
    ),
    Behaviour(
        name="redirect-loop",
        does="302 to another path, and back.",
        must="Stop after some hops; it may then treat robots.txt as unavailable.",
        access="allow-all",
        authority=f"{REDIRECT} (MAY)",
        answer=looping,
    ),
    Behaviour(
        name="unauthorized",
        does="401, with a body that says Disallow: /.",
        must=IGNORE,
        access="allow-all",
        authority=f"{UNAVAILABLE} (MAY)",
        answer=always(401, SHUT, TEXT, 'WWW-Authenticate: Basic realm="a"'),
    ),
    Behaviour(
        name="forbidden",
        does="403, with a body that says Disallow: /.",
        must=IGNORE,
        access="allow-all",
        authority=f"{UNAVAILABLE} (MAY)",
        answer=always(403, SHUT, TEXT),
    ),
    Behaviour(
        name="not-found",
        does="404, with a body that says Disallow: /.",
        must=IGNORE,
        access="allow-all",
        authority=f"{UNAVAILABLE} (MAY)",
        answer=always(404, SHUT, TEXT),
    ),
    Behaviour(
        name="gzip-bomb",
        does="200, 64 KiB that decompress to 64 MiB.",
        must="Decompress no more than its limit, and obey the rules up to there.",
        access="rules",
        authority="RFC 9309 sections 2.5 and 3",
        answer=bombing,
        crawl_delay=CRAWL_DELAY,
    ),
    Behaviour(
        name="large",
        does="200, 3 MB of comments, with rules at both ends.",
        must="Read at least 500 KiB, and obey the rules up to its limit.",
        access="rules",
        authority="RFC 9309 section 2.5",
        answer=always(200, LARGE, TEXT),
        crawl_delay=CRAWL_DELAY,
    ),
    Behaviour(
        name="utf-16",
        does="200, in UTF-16.",
        must="No line can be read, which is not permission. Fetch nothing else.",
        access="disallow-all",
        authority="RFC 9309 section 2.3 (UTF-8): goodbot's careful choice",
        answer=always(200, RULES.decode().encode("utf-16"), "Content-Type: text/plain"),
        is_choice=True,
    ),
    Behaviour(
        name="latin-1",
        does="200, in ISO 8859-1, with a byte that is not UTF-8.",
        must="Obey the rules of the lines that can be read.",
        access="rules",
        authority="RFC 9309 sections 2.2.2 and 2.3.1.5",
        answer=always(200, EXAMPLE_LATIN_1, "Content-Type: text/plain; charset=iso-8859-1"),
    ),
    Behaviour(
        name="plain-text-for-tls",
        does="Answers a TLS handshake with plain text.",
        must=NOTHING,
        access="disallow-all",
        authority=UNREACHABLE,
        answer=always(400),
        transport="plain-text-for-tls",
    ),
    Behaviour(
        name="self-signed",
        does="Has a self-signed certificate.",
        must=NOTHING,
        access="disallow-all",
        authority=UNREACHABLE,
        answer=always(200, RULES, TEXT),
        transport="self-signed",
    ),
    Behaviour(
        name="changes",
        does="200, fresh for 1 second; from the second visit on, a file that disallows everything.",
        must="Request robots.txt again when it is no longer fresh, and obey the new rules.",
        access="rules",
        authority="RFC 9309 section 2.4; RFC 9111 section 4.2",
        answer=changing,
        crawl_delay=CRAWL_DELAY,
        shut_from=2,
    ),
    Behaviour(
        name="busy-page",
        does="429 with Retry-After: 5 for a page, once.",
        must="Return no sooner than 5 seconds later.",
        access="rules",
        authority="RFC 6585 section 4; RFC 9110 section 10.2.3",
        answer=busy,
        path="/busy",
        crawl_delay=CRAWL_DELAY,
        retry_after=5,
    ),
    Behaviour(
        name="meta-nofollow",
        does="A page with META robots nofollow.",
        must="Follow none of its links.",
        access="rules",
        authority="Spidering BOF report, May 1996; HTML 4.01 appendix B.4",
        answer=page("/behind-meta", head='<meta name="robots" content="nofollow">'),
        path="/meta-nofollow",
        crawl_delay=CRAWL_DELAY,
    ),
    Behaviour(
        name="header-nofollow",
        does="A page with X-Robots-Tag: nofollow.",
        must="Follow none of its links.",
        access="rules",
        authority="developers.google.com, robots meta tag specifications",
        answer=page("/behind-header", "X-Robots-Tag: nofollow"),
        path="/header-nofollow",
        crawl_delay=CRAWL_DELAY,
    ),
)
"""Every behaviour. Those with a path other than robots.txt are pages, which every site has."""


def behaviour(name: str) -> Behaviour:
    """Return the behaviour of a name.

    Raises:
        WrongValueError: There is no such behaviour; the message lists all.

    """
    found = next((one for one in BEHAVIOURS if one.name == name), None)
    if found is None:
        names = ", ".join(one.name for one in BEHAVIOURS)
        message = f"there is no behaviour {name!r}; use one of {names}"
        raise WrongValueError(message)
    return found


def behaviours_table() -> str:
    """Return the table as Markdown, for a page of the documentation.

    >>> print(behaviours_table().splitlines()[2])
    | `polite` | 200, with a Crawl-delay and a private part. | Stay out of /private/, and pause \
between visits. | `rules` | RFC 9309 sections 2.3.1.1 and 2.2.4 |
    """
    rows = ["| behaviour | what the site does | what a robot must do | access | authority |"]
    rows.append("| --- " * 5 + "|")
    rows += [
        f"| `{one.name}` | {one.does} | {one.must} | `{one.access}` | {one.authority} |"
        for one in BEHAVIOURS
    ]
    return "\n".join(rows) + "\n"
