"""The pages of the shop whose HTML is odd: marks, canonical links, copies, languages, headings."""

from tests.support.shop_site.page import NOFOLLOW, Link, ShopPage, links_to

__all__ = ["ODD_MARKUP"]


def canonical(to: str) -> str:
    """Return a canonical link."""
    return f'<link rel="canonical" href="{to}">'


def alternate(lang: str, to: str) -> str:
    """Return a link to a page in another language."""
    return f'<link rel="alternate" hreflang="{lang}" href="{to}">'


def robots(said: str) -> str:
    """Return a META element for robots."""
    return f'<meta name="robots" content="{said}">'


MARKED: tuple[ShopPage, ...] = (
    ShopPage(
        path="/marked",
        why="links to pages with marks for robots",
        title="Marked pages",
        links=(
            *links_to("/marked/noindex", "/marked/nofollow", "/marked/none", "/marked/header"),
            *links_to("/marked/noarchive", "/marked/parts", "/marked/late", "/always-dropped"),
            *links_to("/marked/for-google", "/marked/for-bing", "/marked/for-gptbot"),
            Link("/marked/behind-rel", "Nofollow", "nofollow"),
            Link("/marked/behind-ugc", "By users", "ugc"),
        ),
    ),
    ShopPage(
        path="/marked/noindex",
        why="noindex; a sitemap lists it. Its links are followed",
        title="Not for the index",
        description="Not for the index either.",
        head=robots("noindex"),
        links=links_to("/marked/behind-noindex"),
    ),
    ShopPage(
        path="/marked/behind-noindex", why="only a noindex page leads to it", title="Behind noindex"
    ),
    ShopPage(
        path="/marked/nofollow",
        why="nofollow",
        title="Do not follow",
        head=robots("nofollow"),
        links=links_to("/marked/behind-nofollow"),
        has_navigation=False,
    ),
    ShopPage(
        path="/marked/none",
        why="none: noindex and nofollow",
        title="Nothing at all",
        head=robots("none"),
        links=links_to("/marked/behind-none"),
        has_navigation=False,
    ),
    ShopPage(
        path="/marked/header",
        why="noindex in the header",
        title="Not for the index, by its header",
        fields=(("X-Robots-Tag", "noindex"),),
    ),
    ShopPage(path="/marked/noarchive", why="noarchive", title="Not kept", head=robots("noarchive")),
    ShopPage(
        path="/marked/parts",
        why="a part that may not be quoted",
        title="In parts",
        body='<p data-nosnippet="">Not this secret.</p>',
    ),
    ShopPage(
        path="/marked/late",
        why="may not be shown from a time long past",
        title="Too late",
        head=robots("unavailable_after: 2020-01-01"),
    ),
    ShopPage(
        path="/marked/for-google",
        why="noindex for Googlebot alone",
        title="Not for Googlebot",
        head='<meta name="googlebot" content="noindex">',
    ),
    ShopPage(
        path="/marked/for-bing",
        why="nosnippet for bingbot alone, in META",
        title="Not quoted by bingbot",
        head='<meta name="bingbot" content="nosnippet">',
    ),
    ShopPage(
        path="/marked/for-gptbot",
        why="noindex and noai for GPTBot alone, in the header",
        title="Not for GPTBot",
        fields=(("X-Robots-Tag", "GPTBot: noindex, noai"),),
    ),
    *[
        ShopPage(
            path=f"/marked/behind-{name}", why="only nofollow links lead to it", outcome=NOFOLLOW
        )
        for name in ("nofollow", "none", "rel", "ugc")
    ],
    ShopPage(path="/login", why="every link to it is nofollow", title="Log in", outcome=NOFOLLOW),
)

SAME = "This text stands on two pages without a change, which say nothing of each other."
NEAR = (
    "We have made lamps by hand since 1931, in a small house near the harbour, where my "
    "grandfather began with a lathe, two chairs and a stove that is still warm. Each lamp is "
    "turned, polished, wired and packed by the same person, whose name is under the foot. We "
    "repair what we sold for as long as there is one of us left, and send it back within a week. "
)

COPIES: tuple[ShopPage, ...] = (
    ShopPage(
        path="/copies",
        why="links to pages that are alike",
        title="Copies",
        links=links_to(
            *["/copies/mail", "/copies/same-1", "/copies/same-2", "/copies/near-1"],
            *["/copies/near-2", "/copies/near-3", "/copies/lost", "/copies/abroad"],
            *["/copies/round-1", "/copies/itself", "/lamps/1?ref=copies", "/dropped"],
        ),
    ),
    ShopPage(
        path="/copies/mail",
        why="a copy of a product, with a canonical link to it",
        title="Lamp no. 1",
        head=canonical("/lamps/1"),
    ),
    ShopPage(
        path="/lamps/1?ref=copies",
        why="the product with a parameter, and an absolute canonical link",
        title="Lamp no. 1",
        head=canonical("{site}/lamps/1"),
    ),
    ShopPage(
        path="/copies/lost",
        why="a canonical link to a page that does not exist",
        title="Lost",
        head=canonical("/copies/none"),
    ),
    ShopPage(
        path="/copies/abroad",
        why="a canonical link to another site",
        title="Abroad",
        head=canonical("{other}/"),
    ),
    ShopPage(
        path="/copies/round-1",
        why="two canonical links that name each other",
        title="Round 1",
        head=canonical("/copies/round-2"),
    ),
    ShopPage(
        path="/copies/round-2",
        why="the other of them; only a canonical link leads to it",
        title="Round 2",
        head=canonical("/copies/round-1"),
    ),
    ShopPage(
        path="/copies/itself",
        why="a canonical link to itself",
        title="Itself",
        head=canonical("/copies/itself"),
    ),
    *[
        ShopPage(
            path=f"/copies/same-{number}",
            why="the same bytes as another page",
            title="The same twice",
            description="The same twice.",
            text=SAME,
        )
        for number in (1, 2)
    ],
    *[
        ShopPage(
            path=f"/copies/near-{number}",
            why="nearly the same text as two others",
            title=f"By hand {number}",
            description=f"By hand, text {number}.",
            text=NEAR + f"This is text {number}.",
        )
        for number in (1, 2, 3)
    ],
)

TRIPLE = (alternate("en", "/en/"), alternate("de", "/de/"), alternate("fr", "/fr/"))
LANGUAGES: tuple[ShopPage, ...] = (
    ShopPage(
        path="/languages",
        why="links to pages in several languages",
        title="Languages",
        links=links_to("/en/", "/de/", "/fr/", "/it/"),
    ),
    ShopPage(
        path="/en/",
        why="hreflang: names itself, /de/, /fr/ and a default",
        title="Welcome",
        head="".join((*TRIPLE, alternate("x-default", "/en/"))),
    ),
    ShopPage(
        path="/de/",
        why="hreflang: names all three, as /en/ does",
        title="Willkommen",
        lang="de",
        head="".join(TRIPLE),
    ),
    ShopPage(
        path="/fr/",
        why="hreflang: does not name /de/, which names it",
        title="Bienvenue",
        lang="fr",
        head=TRIPLE[0] + TRIPLE[2],
        links=links_to("/fr/missing"),
    ),
    ShopPage(
        path="/it/",
        why="hreflang: a language that does not exist, and a page that does not",
        title="Benvenuti",
        lang="it",
        head=alternate("xx-invalid-code", "/en/") + alternate("fr", "/fr/missing"),
    ),
)

ODD: tuple[ShopPage, ...] = (
    ShopPage(
        path="/odd",
        why="links to pages with odd HTML",
        title="Odd pages",
        links=links_to(
            *["/odd/untitled", "/odd/undescribed", "/odd/two-headings", "/odd/no-heading"],
            *[
                "/too-short",
                "/odd/long-title",
                "/odd/mixed",
                "/odd/empty",
                "/odd/frames",
                "/odd/base",
            ],
        ),
    ),
    ShopPage(path="/odd/untitled", why="no title", description="It has none.", h1=("Untitled",)),
    ShopPage(path="/odd/undescribed", why="a title that another page has too", title="Help"),
    ShopPage(
        path="/odd/two-headings",
        why="two H1",
        title="Two headings",
        description="Twice.",
        h1=("One", "Two"),
    ),
    ShopPage(path="/odd/no-heading", why="no H1", title="No heading", description="None.", h1=()),
    ShopPage(path="/odd/long-title", why="a very long title", title="Long " * 60),
    ShopPage(
        path="/odd/mixed",
        why="mixed content: a script, a style and an image over http on a page over https",
        title="Mixed",
        head='<link rel="stylesheet" href="http://shop.example/insecure.css">',
        body='<script src="http://shop.example/insecure.js"></script>'
        '<img src="http://shop.example/insecure.png" alt="">',
    ),
    ShopPage(path="/odd/empty", why="no content at all", raw=b""),
    ShopPage(
        path="/odd/frames",
        why="a frame, an area and a form, of which only the area is a link",
        title="Frames",
        body='<iframe src="/odd/framed"></iframe><map name="m"><area href="/odd/area" alt="a">'
        '</map><form action="/odd/form"><input name="q"></form>',
    ),
    ShopPage(path="/odd/framed", why="only a frame leads to it", title="Framed", outcome=None),
    ShopPage(path="/odd/area", why="only an area of an image leads to it", title="Area"),
    ShopPage(path="/odd/form", why="only a form leads to it", title="Form", outcome=None),
    ShopPage(
        path="/odd/base",
        why="a BASE, by which its links are resolved",
        title="Base",
        head='<base href="/odd/based/">',
        links=links_to("on-it"),
        has_navigation=False,
    ),
    ShopPage(path="/odd/based/on-it", why="resolved by BASE", title="Based"),
)

ODD_MARKUP: tuple[ShopPage, ...] = (*MARKED, *COPIES, *LANGUAGES, *ODD)
