"""Signs of a trap in a URL itself: repeated segments, parameters, months.

Scope: parsing URLs in their normal form. Nothing is looked up.
"""

import re
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

__all__ = [
    "LEAST_DATE",
    "MONTHS_AHEAD",
    "Mirror",
    "calendar_month",
    "count_key",
    "is_below",
    "may_be_trap",
    "mirror_of",
    "mirror_of_origin",
    "parameters_of",
    "repeated_segments",
    "session_free",
    "urls_above",
    "variant_key",
    "without_parameter",
]

MONTHS_AHEAD = 12
"""A month further in the future than this is taken for part of an endless calendar."""

LEAST_DATE = "1990-01"
"""So is a month before this one: the Web is not older."""

MOST_PARAMETERS = 8
"""How many parameters of a URL are examined at most; a URL with more teaches nothing."""

REMEMBERED = 2_048
"""How many parsed URLs are cached: a site links to a few URLs many times."""

MOST_ABOVE = 64
"""How many folders above a page are searched for pages of the same name."""

SESSIONS = re.compile(
    r"phpsessid|jsessionid|aspsessionid\w*|sid|sess(ion)?_?id|cfid|cftoken|oscsid|zenid"
    r"|utm_\w+|gclid|fbclid|msclkid|mc_eid",
    re.IGNORECASE,
)
"""Parameters that name a session or a campaign, whatever their value."""

SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid|sessionid)=[^/;]*", re.IGNORECASE)

IN_PATH = re.compile(r"/([12]\d{3})[/-](0?[1-9]|1[0-2])(?=$|[/.\n-])")
IN_VALUE = re.compile(r"(\d{4})-?(0[1-9]|1[0-2])(?:-?\d\d)?")
OF_A_DATE = {"date", "day", "month", "cal", "calendar", "d", "m", "start", "from", "week"}
YEARS = ("year", "yr", "y")
MONTHS = ("month", "mon", "m")


class Mirror(NamedTuple):
    """The counterpart of a URL on the host with `www.`, or without it."""

    key: str
    """The key, which is the same for both hosts."""
    url: str
    """The URL on the other host."""


def segments_of(url: str) -> list[str]:
    """Return the segments of the path, without the empty one after the last slash."""
    segments = urlsplit(url).path.split("/")[1:]
    return segments[:-1] if segments and not segments[-1] else segments


def may_be_trap(urls: str) -> bool:
    r"""Whether a URL alone may reveal a trap: it has parameters, or a month in its path.

    Args:
        urls: The URL; or several, a line each, to learn whether any of them may.

    >>> may_be_trap("https://a.example/lamps/brass"), may_be_trap("https://a.example/lamps?page=2")
    (False, True)
    >>> may_be_trap("https://a.example/2031/05\nhttps://a.example/")
    True
    """
    return "?" in urls or ";" in urls or IN_PATH.search(urls) is not None


def repeated_segments(url: str) -> int:
    """Count the segments of a path that repeat an earlier one.

    >>> repeated_segments("https://a.example/a/b/a/b/a/")
    3
    """
    segments = segments_of(url)
    return len(segments) - len(set(segments))


def folder_of(url: str) -> str:
    """Return a URL up to the last slash of its path."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path[: parts.path.rfind('/') + 1] or '/'}"


def is_below(url: str, page: str) -> bool:
    """Whether a URL is in the folder of a page, at any depth.

    >>> is_below("https://a.example/a/b/", "https://a.example/a/")
    True
    >>> is_below("https://a.example/b/", "https://a.example/a/")
    False
    """
    return url.startswith(folder_of(page)) and url != page


def urls_above(url: str) -> tuple[str, ...]:
    """Return the URLs with the same name in the folders above, nearest first.

    >>> urls_above("https://a.example/a/b/list?all")
    ('https://a.example/a/list?all', 'https://a.example/list?all')
    >>> urls_above("https://a.example/a/")
    ('https://a.example/',)
    """
    parts = urlsplit(url)
    *folders, name = parts.path.split("/")[1:] or [""]
    query = f"?{parts.query}" if parts.query else ""
    least = max(len(folders) - MOST_ABOVE, 0)
    origin = f"{parts.scheme}://{parts.netloc}"
    return tuple(
        f"{origin}/{''.join(one + '/' for one in folders[:depth])}{name}{query}"
        for depth in range(len(folders) - 1, least - 1, -1)
    )


def pairs_of(url: str) -> list[str]:
    """Return the parameters of a query as written; none if there are too many."""
    _, mark, query = url.partition("?")
    pairs = query.split("&") if mark and query else []
    return pairs if len(pairs) <= MOST_PARAMETERS else []


def name_in(pair: str) -> str:
    """Return the name of a parameter."""
    return pair.partition("=")[0]


def parameters_of(url: str) -> tuple[str, ...]:
    """Return the names of the parameters of a query, each once; none if there are too many.

    >>> parameters_of("https://a.example/x?b=1&a=2&b=3")
    ('b', 'a')
    """
    return parameters_in(url) if "?" in url else ()


@lru_cache(maxsize=REMEMBERED)
def parameters_in(url: str) -> tuple[str, ...]:
    """Return the names of the parameters of a URL with a query; see `parameters_of`."""
    return tuple(dict.fromkeys(map(name_in, pairs_of(url))))


def without(url: str, pairs: list[str]) -> str:
    """Return a URL with only these parameters."""
    page = url.partition("?")[0]
    return f"{page}?{'&'.join(pairs)}" if pairs else page


def without_parameter(url: str, name: str) -> str:
    """Return a URL without a parameter.

    >>> without_parameter("https://a.example/x?b=1&a=2", "b")
    'https://a.example/x?a=2'
    """
    return without(url, [pair for pair in pairs_of(url) if name_in(pair) != name])


def count_key(url: str, name: str) -> str:
    """Return the key for counting what a parameter changes on pages of one path."""
    return f"parameter {name} {url.partition('?')[0]}"


def variant_key(url: str, name: str) -> str:
    """Return the key shared by URLs that differ only in one parameter."""
    return f"parameter {name} {without_parameter(url, name)}"


@lru_cache(maxsize=REMEMBERED)
def session_free(url: str) -> str | None:
    """Return a URL without its session and campaign parameters; `None` if it has none.

    >>> session_free("https://a.example/x;jsessionid=1?a=2&utm_source=b")
    'https://a.example/x?a=2'
    """
    if "?" not in url and ";" not in url:
        return None
    page, mark, query = url.partition("?")
    free = SESSION_IN_PATH.sub("", page)
    pairs = pairs_of(url)
    left = [pair for pair in pairs if not SESSIONS.fullmatch(name_in(pair))]
    found = without(free, left) if pairs else f"{free}{mark}{query}"
    return None if found == url else found


def mirror_of(origin: str, url: str) -> Mirror | None:
    """Return the counterpart of a URL with or without `www.`; `None` if the host is an IP address.

    >>> mirror_of("https://www.a.example", "https://www.a.example/b").url
    'https://a.example/b'
    """
    found = mirror_of_origin(origin)
    return None if found is None else Mirror(found.key, found.url + url.removeprefix(origin))


@lru_cache(maxsize=REMEMBERED)
def mirror_of_origin(origin: str) -> Mirror | None:
    """Return the counterpart of an origin; see `mirror_of`."""
    scheme, _, host = origin.partition("://")
    name = host.partition(":")[0]
    if "." not in name or name[-1].isdigit():  # `[::1]` has no dot before its first colon
        return None
    bare = host.removeprefix("www.")
    other = bare if host != bare else f"www.{bare}"
    return Mirror(f"mirror {scheme}://{bare}", f"{scheme}://{other}")


def calendar_month(url: str, now: datetime) -> str:
    """Return the month that a URL names, if it is far from now; otherwise an empty string.

    Args:
        url: The URL.
        now: The current time.

    >>> now = datetime(2026, 1, 1)
    >>> calendar_month("https://a.example/events/2031/05/", now)
    '2031-05'
    >>> calendar_month("https://a.example/events/2026/05/", now)
    ''
    """
    ahead = now.year * 12 + now.month - 1 + MONTHS_AHEAD
    last = f"{ahead // 12:04}-{ahead % 12 + 1:02}"
    named = months_in(url)
    return next((month for month in named if month < LEAST_DATE or month > last), "")


@lru_cache(maxsize=REMEMBERED)
def months_in(url: str) -> tuple[str, ...]:
    """Return the months that a URL names, in the form `2026-01`."""
    page, _, _ = url.partition("?")
    path = page.partition("://")[2].partition("/")[2]
    found = IN_PATH.search(f"/{path}")
    months = [f"{found[1]}-{int(found[2]):02}"] if found else []
    values = {name_in(pair).lower(): pair.partition("=")[2] for pair in pairs_of(url)}
    year = next((values[name] for name in YEARS if name in values), "")
    month = next((values[name] for name in MONTHS if name in values), "1")
    if re.fullmatch("[0-9]{4}", year) and re.fullmatch("0?[1-9]|1[0-2]", month):
        months.append(f"{year}-{int(month):02}")
    for name in sorted(OF_A_DATE & values.keys()):
        dated = IN_VALUE.fullmatch(values[name])
        if dated:
            months.append(f"{dated[1]}-{dated[2]}")
    return tuple(months)
