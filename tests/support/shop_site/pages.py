"""The ordinary pages of the shop: what leads to all others, products, files, sitemaps."""

import zlib

from tests.support.shop_site.page import (
    FETCHED,
    NOFOLLOW,
    OTHER_ORIGIN,
    Link,
    Outcome,
    ShopPage,
    links_to,
)

__all__ = ["DELAY", "NAVIGATION", "ORDINARY", "OTHER_ROBOTS_TXT", "RETRY_AFTER", "ROBOTS_TXT"]

DELAY = 1
"""The Crawl-delay of the shop, in seconds."""
RETRY_AFTER = 20
"""The seconds of its one Retry-After."""

ROBOTS_TXT = f"""\
User-agent: *
Crawl-delay: {DELAY}
Disallow: /checkout
Disallow: /search
Disallow: /assets/
Allow: /assets/public/
Sitemap: {{site}}/sitemap.xml

User-agent: GPTBot
Crawl-delay: {DELAY}
Disallow: /manuals
"""
OTHER_ROBOTS_TXT = "User-agent: *\nCrawl-delay: 2\nDisallow: /private\n"

NAVIGATION = ("/", "/lamps", "/chairs", "/tables", "/help", "/about")
"""The links at the top of every page, in a NAV element."""

NOT_READ = Outcome("done", "not-read")
DISALLOWED = Outcome("disallowed", "rule-disallows")

PRODUCTS = {"lamps": 8, "chairs": 5, "tables": 3}
"""How many products of each kind there are; a list has up to five, the rest is on page 2."""
A_PAGE = 5


def product(kind: str, number: int) -> ShopPage:
    """Return the page of a product, which links to the next one and to the basket."""
    following = number % PRODUCTS[kind] + 1
    return ShopPage(
        path=f"/{kind}/{number}",
        why="a product",
        title=f"{kind[:-1].title()} no. {number}",
        description=f"Our {kind[:-1]} number {number}, made by hand.",
        links=(
            Link(f"/{kind}/{following}", "The next one"),
            Link("/checkout", "Buy it", "nofollow"),
        ),
        body=f'<img src="/images/{kind}.png" alt="One of our {kind}">',
    )


def lists(kind: str) -> list[ShopPage]:
    """Return the list of a kind of product, in one or two pages."""
    paths = [f"/{kind}/{number}" for number in range(1, PRODUCTS[kind] + 1)]
    on_first, on_second = paths[:A_PAGE], paths[A_PAGE:]
    first = ShopPage(
        path=f"/{kind}",
        why="a list of products",
        title=f"Our {kind}",
        description=f"All {kind} that we make.",
        links=links_to(*on_first, *([f"/{kind}?page=2"] if on_second else [])),
    )
    second = ShopPage(
        path=f"/{kind}?page=2",
        why="the second page of a list",
        title=f"Our {kind}, page 2",
        description=f"More {kind} that we make.",
        links=links_to(*on_second),
    )
    return [first, second] if on_second else [first]


def png(shade: int) -> bytes:
    """Return an image of one grey pixel."""

    def chunk(name: bytes, data: bytes) -> bytes:
        sum_of = zlib.crc32(name + data).to_bytes(4, "big")
        return len(data).to_bytes(4, "big") + name + data + sum_of

    size = (1).to_bytes(4, "big") * 2 + bytes([8, 0, 0, 0, 0])
    pixel = zlib.compress(bytes([0, shade]))
    parts = (chunk(b"IHDR", size), chunk(b"IDAT", pixel), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def file(
    path: str, why: str, kind: str, raw: bytes, *, outcome: Outcome | None = FETCHED
) -> ShopPage:
    """Return a page that is a file."""
    return ShopPage(path=path, why=why, type=kind, raw=raw, outcome=outcome)


def sitemap(*paths: str, element: str = "url", root: str = "urlset") -> bytes:
    """Return a sitemap or, with other elements, an index of sitemaps."""
    rows = "".join(f"<{element}><loc>{{site}}{one}</loc></{element}>\n" for one in paths)
    names = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f"{head}<{root} {names}>\n{rows}</{root}>\n".encode()


HOME = ShopPage(
    path="/",
    why="the first page, which leads to all others",
    title="Lamps, chairs and tables",
    description="A shop of lamps, chairs and tables.",
    links=(
        *links_to("/news", "/sale", "/old-lamps", "/manuals", "/redirects", "/files", "/encodings"),
        *links_to("/charsets", "/failures", "/copies", "/languages", "/odd", "/marked", "/deep/1"),
        Link("/calendar/2026/01", "Calendar"),
        Link("/basket?sid=1", "Basket"),
        Link("/spiral/a/", "Spiral"),
        Link("/login", "Log in", "nofollow"),
        Link("/missing-lamp", "The lamp of the month"),
        Link("{other}/", "Our friends", "noopener"),
        Link("mailto:shop@example.com", "Write to us"),
        Link("tel:+441234567890", "Call us"),
        Link("javascript:void(0)", "Nothing"),
        Link("#top", "To the top"),
    ),
)

ORDINARY: tuple[ShopPage, ...] = (
    HOME,
    *[page for kind in PRODUCTS for page in lists(kind)],
    *[product(kind, one) for kind, most in PRODUCTS.items() for one in range(1, most + 1)],
    ShopPage(
        path="/help",
        why="one of three pages with the same broken link",
        title="Help",
        description="Help with your order.",
        links=links_to("/missing-lamp", "/search?q=lamp", "/contact", "/terms"),
    ),
    ShopPage(
        path="/about",
        why="links to other sites: one that exists, one that does not, one that robots.txt forbids",
        title="About us",
        description="Who we are.",
        links=(
            Link("/missing-lamp", "Our first lamp"),
            Link("{other}/gone", "An article about us"),
            Link("{other}/private", "A private page"),
            Link("{other}/moved", "A page that has moved"),
            Link("{other}/", "Our friends", "nofollow sponsored"),
        ),
    ),
    ShopPage(path="/contact", why="an ordinary page", title="Contact", description="Write to us."),
    ShopPage(path="/terms", why="an ordinary page", title="Terms", description="Our terms."),
    ShopPage(
        path="/news",
        why="a list of articles",
        title="News",
        description="What is new.",
        links=links_to("/news/1", "/news/2", "/news/3", "/discontinued"),
    ),
    *[
        ShopPage(
            path=f"/news/{number}",
            why="an article",
            title=f"News of week {number}",
            description=f"What happened in week {number}.",
            links=links_to(f"/lamps/{number}", f"/chairs/{number}"),
        )
        for number in (1, 2, 3)
    ],
    *[
        ShopPage(
            path=f"/deep/{number}",
            why="a page that is many links away from the first one",
            title=f"Deep page {number}",
            links=links_to(f"/deep/{number + 1}") if number < 6 else (),
            has_navigation=False,
        )
        for number in range(1, 7)
    ],
    # Files of other types than documents, and of other types of document than HTML.
    ShopPage(
        path="/files",
        why="links to files of many types",
        title="Files",
        links=links_to(
            *["/images/lamps.png", "/images/chairs.png", "/images/tables.png", "/images/logo.svg"],
            *["/files/prices.csv", "/files/readme.txt", "/files/feed.xml", "/files/data.json"],
            *["/files/all.zip", "/files/untyped", "/assets/site.css", "/assets/public/site.js"],
        ),
        head='<link rel="stylesheet" href="/assets/site.css">',
        body='<script src="/assets/site.js"></script><script src="/assets/public/site.js"></script>'
        '<img src="/images/missing.png" alt="">',
    ),
    *[
        file(f"/images/{kind}.png", "an image", "image/png", png(shade), outcome=NOT_READ)
        for shade, kind in enumerate(PRODUCTS)
    ],
    file(
        "/images/logo.svg",
        "an image that is XML, which is read as XML",
        "image/svg+xml",
        b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    ),
    file("/files/prices.csv", "a text", "text/csv", b"name,price\nLamp no. 1,20\n"),
    file("/files/readme.txt", "a text", "text/plain", b"Lamps, chairs and tables.\n"),
    file(
        "/files/feed.xml",
        "a feed",
        "application/atom+xml",
        b'<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title></feed>',
    ),
    file("/files/data.json", "data", "application/json", b'{"a": 1}', outcome=NOT_READ),
    file("/files/all.zip", "an archive", "application/zip", b"PK" * 999, outcome=NOT_READ),
    file("/files/untyped", "a file without a type", "", b"<title>Untyped</title><p>A file."),
    file("/assets/site.css", "disallowed by robots.txt", "text/css", b"p{}", outcome=DISALLOWED),
    file("/assets/site.js", "only a SCRIPT, and disallowed", "text/javascript", b"", outcome=None),
    file("/assets/public/site.js", "a script, allowed by robots.txt", "text/javascript", b"1"),
    ShopPage(
        path="/manuals",
        why="links to PDF files, one of which is missing",
        title="Manuals",
        links=links_to("/manuals/1.pdf", "/manuals/2.pdf", "/manuals/3.pdf"),
    ),
    *[
        file(f"/manuals/{one}.pdf", "a PDF", "application/pdf", b"%PDF-1.4\n", outcome=NOT_READ)
        for one in (1, 2)
    ],
    # What robots.txt forbids.
    ShopPage(
        path="/checkout", why="disallowed, and every link to it is nofollow", outcome=NOFOLLOW
    ),
    ShopPage(path="/search?q=lamp", why="disallowed by robots.txt", outcome=DISALLOWED),
    # Sitemaps.
    file(
        "/sitemap.xml",
        "an index of sitemaps, which robots.txt names",
        "application/xml",
        sitemap("/sitemap-1.xml", "/sitemap-2.xml.gz", element="sitemap", root="sitemapindex"),
        outcome=Outcome("done", "sitemap"),
    ),
    file(
        "/sitemap-1.xml",
        "lists ordinary pages, and what a sitemap should not list",
        "application/xml",
        sitemap(
            *["/", "/lamps", "/chairs", "/tables", "/help", "/about", "/lamps/1", "/lamps/2"],
            *["/missing-lamp", "/old-lamps", "/marked/noindex", "/search?q=lamp", "/copies/mail"],
        ),
        outcome=Outcome("done", "sitemap"),
    ),
    ShopPage(
        path="/sitemap-2.xml.gz",
        why="a compressed sitemap, which lists orphans",
        type="application/gzip",
        raw=sitemap("/orphans/1", "/orphans/2", "/orphans/3", "/orphans/missing"),
        coding="gzip",
        says="",
        outcome=Outcome("done", "sitemap"),
    ),
    *[
        ShopPage(
            path=f"/orphans/{number}",
            why="an orphan: in a sitemap, and no page links to it",
            title=f"Orphan {number}",
            description="A page that was forgotten.",
        )
        for number in (1, 2, 3)
    ],
    # The other site.
    ShopPage(
        path="{other}/", why="the first page of another site", title="Friends", outcome=OTHER_ORIGIN
    ),
    ShopPage(
        path="{other}/gone", why="does not exist", status=404, title="No", outcome=OTHER_ORIGIN
    ),
    ShopPage(path="{other}/private", why="its robots.txt disallows it", outcome=OTHER_ORIGIN),
    ShopPage(
        path="{other}/moved",
        why="a redirect of another site",
        status=301,
        fields=(("Location", "{other}/"),),
        outcome=OTHER_ORIGIN,
    ),
)
