"""What a crawl of the shop must find, beside what becomes of each page: by path, as data.

Scope: facts of the whole site that follow from the tables of pages. Links of the navigation count
wherever it stands.
"""

__all__ = [
    "BLOCKED_REDIRECTS",
    "BLOCKED_RESOURCES",
    "BROKEN",
    "BROKEN_REDIRECTS",
    "BROKEN_UNLINKED",
    "CHAINS",
    "EXTERNAL",
    "HREFLANG",
    "KEPT_AWAY",
    "LOOPS",
    "MIXED",
    "NEAR",
    "NOFOLLOWED",
    "NOT_INDEXABLE",
    "NO_H1",
    "NO_TITLE",
    "ONLY_IN_SITEMAPS",
    "OWN_SITE_LOOKED_AT",
    "OWN_SITE_RULE",
    "OWN_SITE_UNSEEN",
    "REFUSED",
    "ROBOTS_APART",
    "ROBOTS_TXT_CODES",
    "SAME",
    "SAME_TITLE",
    "TWO_H1",
    "UNANSWERED",
]

BROKEN: dict[str, tuple[int, tuple[str, ...]]] = {
    "/missing-lamp": (404, ("/", "/about", "/help")),
    "/missing-target": (404, ()),
    "/manuals/3.pdf": (404, ("/manuals",)),
    "/orphans/missing": (404, ()),
    "/copies/none": (404, ()),
    "/fr/missing": (404, ("/fr/",)),
    "/discontinued": (410, ("/news",)),
}
"""Pages that do not exist: their status, and the pages with a link (A) to them. To those without
one lead a redirect (/to-missing), a sitemap, and a canonical link (/copies/lost)."""

REFUSED: dict[str, tuple[int, tuple[str, ...]]] = {
    "/staff": (403, ("/failures",)),
    "/always-500": (500, ("/redirects",)),
}
"""Other pages with an error: their status, and the pages with a link to them."""

CHAINS: dict[str, tuple[str, ...]] = {
    "/chain/1": ("/chain/2", "/chain/3", "/lamps/1"),
    "/long/1": tuple(f"/long/{number}" for number in range(2, 12)),
}
"""Chains of more than one redirect: the first, and those that follow. The second is too long."""

LOOPS = ({"/loop/1", "/loop/2"}, {"/itself"})
"""Redirects that lead back to themselves."""

BROKEN_REDIRECTS = {"/loop/1", "/itself", "/to-missing", "/nowhere", "/long/1"}
"""Redirects that lead to no page; of each chain the one to which a page links."""

BLOCKED_REDIRECTS = {"/to-disallowed"}
"""Redirects to what robots.txt disallows."""

UNANSWERED = {
    *("/encodings/too-long", "/encodings/not-gzip", "/encodings/not-br", "/encodings/unknown"),
    *("/encodings/two", "/too-short", "/always-dropped"),
}
"""Pages of which no usable answer comes, though pages link to them."""

OWN_SITE_RULE = "Disallow: /marked/\n"
"""A line of robots.txt that keeps robots from what marks on pages say."""
OWN_SITE_LOOKED_AT = {
    *("/marked/noindex", "/marked/nofollow", "/marked/none", "/marked/header"),
    *("/marked/noarchive", "/marked/parts", "/marked/for-google", "/marked/for-bing"),
    *("/marked/for-gptbot", "/marked/late", "/marked/behind-noindex"),
    *("/assets/site.css", "/search?q=lamp", "/search?q=redirect"),
}
"""What the owner of a shop with that line may look at, and no other robot."""
OWN_SITE_UNSEEN = {"/marked/noindex", "/marked/none", "/marked/header", "/marked/late"}
"""Those of them that may not be indexed by a statement of their own, which none can see."""

BROKEN_UNLINKED = {"/missing-target", "/copies/none"}
"""What is broken, and only found by a redirect or a canonical link."""

ONLY_IN_SITEMAPS = {"/orphans/1", "/orphans/2", "/orphans/3", "/orphans/missing"}
"""URLs that a sitemap lists, and to which no page links."""

NOT_INDEXABLE: dict[str, str] = {
    "/marked/noindex": "META",
    "/marked/none": "META",
    "/marked/header": "X-Robots-Tag",
    "/marked/late": "META",
}
"""Pages that may not be indexed, and what says so."""

NOFOLLOWED: dict[str, str] = {
    "/checkout": "nofollow",
    "/login": "nofollow",
    "/marked/behind-nofollow": "META",
    "/marked/behind-none": "META",
    "/marked/behind-rel": "nofollow",
    "/marked/behind-ugc": "ugc",
}
"""URLs to which only links lead that must not be followed, and what says so."""

SAME = ({"/copies/same-1", "/copies/same-2"},)
"""Pages whose text is the same."""

NEAR = ({"/copies/near-1", "/copies/near-2", "/copies/near-3"},)
"""Pages whose texts are nearly the same."""

SAME_TITLE = (
    {"/lamps/1", "/copies/mail", "/lamps/1?ref=copies"},
    {"/copies/same-1", "/copies/same-2"},
    {"/help", "/odd/undescribed"},
    {f"/basket?sid={number}" for number in range(1, 9)},
    {"/spiral/a/", "/spiral/a/a/", "/spiral/a/a/a/"},
)
"""Fetched pages with the same title."""

NO_TITLE = {"/odd/untitled", "/odd/empty"}
"""Successful responses with content that are read as HTML or have no type, and have no title."""

NO_H1 = {"/odd/no-heading", "/odd/empty", "/files/untyped"}
TWO_H1 = {"/odd/two-headings"}

MIXED: dict[str, set[str]] = {
    "/odd/mixed": {
        "http://shop.example/insecure.css",
        "http://shop.example/insecure.js",
        "http://shop.example/insecure.png",
    }
}
"""Pages over https with resources over http."""

HREFLANG: dict[str, str] = {
    "/de/": "/fr/ does not name it",
    "/it/": "xx-invalid-code is no language; /fr/missing is not found; nothing names /it/",
}
"""Pages whose hreflang links have a fault. /en/ has none."""

BLOCKED_RESOURCES: dict[str, set[str]] = {"/files": {"/assets/site.css", "/assets/site.js"}}
"""Resources of pages that robots.txt disallows."""

ROBOTS_APART: dict[tuple[str, str], tuple[str, str, str, str]] = {
    ("/marked/for-google", "Googlebot"): (
        "allowed", "disallowed", "allowed", "META googlebot, line 5: noindex",
    ),
    ("/marked/for-bing", "bingbot"): (
        "allowed", "allowed", "disallowed", "META bingbot, line 5: nosnippet",
    ),
    ("/marked/for-gptbot", "GPTBot"): (
        "allowed", "disallowed", "allowed", "X-Robots-Tag: noindex",
    ),
    ("/manuals", "GPTBot"): ("disallowed", "disallowed", "disallowed", "robots.txt line 11"),
    ("/manuals/1.pdf", "GPTBot"): ("disallowed", "disallowed", "disallowed", "robots.txt line 11"),
    ("/search?q=lamp", "GPTBot"): (
        "allowed", "not kept", "not kept", "the crawl must not read the page",
    ),
}  # fmt: skip
"""What Googlebot, bingbot or GPTBot may do with a page otherwise than the crawl's own robot: fetch,
index, snippet, and who says so of the one that differs."""

KEPT_AWAY: dict[str, tuple[int, int]] = {"Disallow: /search": (4, 2), "Disallow: /assets/": (5, 1)}
"""The rules of robots.txt that keep URLs of the crawl away: line, and number of URLs."""

ROBOTS_TXT_CODES = {
    ("blocks-sitemap-urls", 4): "the sitemap lists /search?q=lamp",
    ("blocks-styles-and-scripts", 5): "/assets/ has style sheets",
    ("default-rules-dropped", 9): "the group of GPTBot repeats no rule of all robots",
}
"""What lint finds in robots.txt: code and line, and why."""

EXTERNAL: dict[str, tuple[int | None, tuple[str, ...]]] = {
    "{other}/": (200, ("/", "/about")),
    "{other}/gone": (404, ("/about",)),
    "{other}/private": (None, ("/about",)),
    "{other}/moved": (301, ("/about",)),
}
"""Links to the other site: the status that a check finds (`None`: its robots.txt disallows it), and
the pages with a link. A redirect (/out) and a canonical link (/copies/abroad) lead there, too."""
