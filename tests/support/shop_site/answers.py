"""The pages of the shop whose answers are odd: redirects, failures, codings, charsets, traps."""

from tests.support.shop_site.page import FETCHED, Link, Outcome, Sends, ShopPage, links_to

__all__ = ["BASKETS", "MONTHS", "ODD_ANSWERS", "SPIRAL"]

REDIRECTED = Outcome("redirected", "redirect")
NO_SUCCESS = Outcome("done", "no-success")
SPIRALLED = Outcome("skipped", "repeated-path")
PROTOCOL_ERROR = Outcome("failed", "protocol-error")
BAD_ENCODING = Outcome("failed", "bad-encoding")

MONTHS = 15
"""How many months the calendar has; from the 14th on they are more than a year ahead."""
BASKETS = 8
"""How many session ids the basket gives out."""
SPIRAL = 5
"""How deep the spiral goes; the last two pages are in a trap that every crawl avoids."""


def redirect(
    path: str, to: str, why: str, status: int = 301, outcome: Outcome = REDIRECTED
) -> ShopPage:
    """Return a redirect."""
    return ShopPage(
        path=path, why=why, status=status, fields=(("Location", to),), outcome=outcome, raw=b""
    )


REDIRECTS: tuple[ShopPage, ...] = (
    ShopPage(
        path="/redirects",
        why="links to redirects",
        title="Redirects",
        links=links_to(
            *["/chain/1", "/loop/1", "/itself", "/to-missing", "/to-disallowed", "/out"],
            *["/nowhere", "/long/1", "/refresh", "/temporary", "/no-slash", "/always-500"],
        ),
    ),
    redirect("/old-lamps", "/lamps", "a permanent redirect"),
    redirect("/sale", "/lamps?page=2", "a temporary redirect from the first page", 302),
    redirect("/temporary", "/chairs", "a temporary redirect that keeps the method", 307),
    redirect("/no-slash", "/no-slash/", "a redirect to the same path with a slash", 308),
    ShopPage(path="/no-slash/", why="only a redirect leads to it", title="With a slash"),
    redirect("/chain/1", "/chain/2", "the first of a chain of three redirects"),
    redirect("/chain/2", "{site}/chain/3", "the second of the chain", 302),
    redirect("/chain/3", "/lamps/1", "the last of the chain", 308),
    redirect("/loop/1", "/loop/2", "a loop of two redirects"),
    redirect("/loop/2", "/loop/1", "the other half of the loop"),
    redirect("/itself", "/itself", "a redirect to itself", 301, Outcome("failed", "redirect-loop")),
    redirect("/to-missing", "/missing-target", "a redirect to a page that does not exist"),
    redirect("/to-disallowed", "/search?q=redirect", "a redirect to what robots.txt disallows"),
    ShopPage(
        path="/search?q=redirect",
        why="only a redirect leads to it, and robots.txt disallows it",
        outcome=Outcome("disallowed", "rule-disallows"),
    ),
    redirect("/out", "{other}/", "a redirect to another site"),
    ShopPage(
        path="/nowhere",
        why="a redirect without a target",
        status=302,
        outcome=Outcome("failed", "redirect-without-location"),
    ),
    *[
        redirect(f"/long/{one}", f"/long/{one + 1}", "a chain that is longer than robots follow")
        for one in range(1, 11)
    ],
    redirect(
        "/long/11",
        "/long/12",
        "where robots give up the chain",
        301,
        Outcome("failed", "redirects-too-many"),
    ),
    ShopPage(
        path="/refresh",
        why="a page that refreshes to another",
        title="Moved",
        head='<meta http-equiv="refresh" content="0; url=/refreshed">',
    ),
    ShopPage(path="/refreshed", why="where the refresh leads", title="Refreshed"),
)

FAILURES: tuple[ShopPage, ...] = (
    ShopPage(
        path="/failures",
        why="links to some of what fails; other pages link to the rest, as on real sites",
        title="Failures",
        links=links_to("/flaky", "/staff", "/slow/1", "/slow/2", "/soft-404", "/no-content"),
    ),
    ShopPage(path="/flaky", why="a 500 that recovers", title="Flaky", first=(500,)),
    ShopPage(path="/dropped", why="dropped once", title="Dropped", first=("dropped",)),
    ShopPage(path="/busy", why="a 429 with Retry-After, once", title="Busy", first=(429,)),
    ShopPage(
        path="/always-500",
        why="a 500 that does not recover",
        title="Error",
        status=500,
        outcome=Outcome("failed", "server-error"),
    ),
    ShopPage(
        path="/always-dropped",
        why="the connection is closed each time",
        sends="dropped",
        outcome=Outcome("failed", "reset"),
    ),
    ShopPage(
        path="/too-short",
        why="less content than Content-Length says, each time",
        title="Too short",
        sends="too-short",
        outcome=Outcome("failed", "reset"),
    ),
    ShopPage(path="/slow/1", why="a slow page", title="Slow", seconds=2.0),
    ShopPage(path="/slow/2", why="a slower page", title="Slower", seconds=4.0),
    ShopPage(path="/staff", why="refused", title="Staff", status=403, outcome=NO_SUCCESS),
    ShopPage(
        path="/soft-404",
        why="says that nothing was found, with status 200",
        title="Page not found",
        text="We found nothing here.",
    ),
    ShopPage(path="/no-content", why="a success without content", status=204, raw=b"", type=""),
    ShopPage(
        path="/discontinued",
        why="gone",
        title="Discontinued",
        status=410,
        outcome=NO_SUCCESS,
    ),
    # Pages that do not exist.
    *[
        ShopPage(path=path, why=why, title="Not found", status=404, outcome=NO_SUCCESS)
        for path, why in (
            ("/missing-lamp", "broken: three pages and a sitemap lead to it"),
            ("/missing-target", "broken: a redirect leads to it"),
            ("/manuals/3.pdf", "broken: a PDF that does not exist"),
            ("/orphans/missing", "broken: only a sitemap has it"),
            ("/copies/none", "broken: a canonical link leads to it"),
            ("/fr/missing", "broken: a link on a page that has other languages"),
        )
    ],
)


def encoded(
    name: str,
    why: str,
    outcome: Outcome = FETCHED,
    coding: str = "",
    says: str | None = None,
    sends: Sends = "whole",
) -> ShopPage:
    """Return a page whose Content-Encoding or framing is the point."""
    return ShopPage(
        path=f"/encodings/{name}",
        why=why,
        title=f"Encoded: {name}",
        coding=coding,
        says=says,
        sends=sends,
        outcome=outcome,
    )


ENCODED: tuple[ShopPage, ...] = (
    encoded("gzip", "gzip", coding="gzip"),
    encoded("deflate", "deflate", coding="deflate"),
    encoded("br", "Brotli", coding="br"),
    encoded("zstd", "Zstandard", coding="zstd"),
    encoded("identity", "a coding that changes nothing", says="identity"),
    encoded("chunked", "no Content-Length, but chunks", sends="chunked"),
    encoded("chunked-gzip", "gzip in chunks", sends="chunked", coding="gzip"),
    encoded("too-long", "more than Content-Length says", PROTOCOL_ERROR, sends="too-long"),
    encoded("not-gzip", "says gzip, and is not", BAD_ENCODING, says="gzip"),
    encoded("not-br", "says br, and is gzip", BAD_ENCODING, says="br", coding="gzip"),
    encoded("unknown", "a coding that does not exist", BAD_ENCODING, says="lzma"),
    encoded("two", "two codings, which were not requested", BAD_ENCODING, says="gzip, br"),
)
CHARSETS: tuple[ShopPage, ...] = (
    ShopPage(
        path="/charsets/latin-1",
        why="a page in ISO 8859-1 that says so",
        title="Café crème",
        type="text/html; charset=iso-8859-1",
        charset="iso-8859-1",
    ),
    ShopPage(
        path="/charsets/wrong",
        why="a page in ISO 8859-1 that says UTF-8",
        title="Café brûlé",
        charset="iso-8859-1",
    ),
    ShopPage(
        path="/charsets/utf-16",
        why="a page in UTF-16, with a byte order mark that decides",
        title="Café noir",
        charset="utf-16",
    ),
    ShopPage(
        path="/charsets/meta",
        why="a page in windows-1252 that only a META element says",
        title="Café €",
        type="text/html",
        charset="windows-1252",
        head='<meta charset="windows-1252">',
    ),
)
CODED: tuple[ShopPage, ...] = (
    ShopPage(
        path="/encodings",
        why="links to pages with codings",
        title="Encodings",
        links=links_to(*[page.path for page in ENCODED]),
    ),
    *ENCODED,
    ShopPage(
        path="/charsets",
        why="links to pages with charsets",
        title="Charsets",
        links=links_to(*[page.path for page in CHARSETS], "/caf%C3%A9", "/café", "/a b", "/busy"),
    ),
    *CHARSETS,
    ShopPage(path="/caf%C3%A9", why="a path with an escape; both spellings are one", title="Café"),
    ShopPage(path="/a%20b", why="a path with a space", title="A and b"),
)


def month(number: int) -> ShopPage:
    """Return a month of the calendar, which links to the next one."""
    year, at = 2026 + (number - 1) // 12, (number - 1) % 12 + 1
    following = f"/calendar/{2026 + number // 12}/{number % 12 + 1:02}"
    return ShopPage(
        path=f"/calendar/{year}/{at:02}",
        why="a trap: a calendar that goes on",
        title=f"Calendar of {at}/{year}",
        links=(Link(following, "Next month"),) if number < MONTHS else (),
        has_navigation=False,
    )


def basket(number: int) -> ShopPage:
    """Return the basket, whose link to itself has a new session id each time."""
    return ShopPage(
        path=f"/basket?sid={number}",
        why="a trap: each page gives out a new session id",
        title="Basket",
        text="Your basket is empty.",
        links=(Link(f"/basket?sid={number + 1}", "Refresh"),) if number < BASKETS else (),
        has_navigation=False,
    )


def spiral(depth: int) -> ShopPage:
    """Return a page whose relative link goes one deeper, with the same content each time."""
    return ShopPage(
        path="/spiral/" + "a/" * depth,
        why="a trap: a relative link that repeats the path",
        title="Spiral",
        text="Round and round.",
        links=(Link("a/", "Further"),),
        has_navigation=False,
        outcome=FETCHED if depth < SPIRAL - 1 else SPIRALLED if depth == SPIRAL - 1 else None,
    )


ODD_ANSWERS: tuple[ShopPage, ...] = (
    *REDIRECTS,
    *FAILURES,
    *CODED,
    *[month(number) for number in range(1, MONTHS + 1)],
    *[basket(number) for number in range(1, BASKETS + 1)],
    *[spiral(depth) for depth in range(1, SPIRAL + 1)],
)
