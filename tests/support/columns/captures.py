"""Captures of pages over time, and the table of policies that held then, for tests of engines.

Two sites: one whose robots.txt changes between captures, then expires, and one that refuses GPTBot.
Some URLs are of no known site, null, or no URLs.
"""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pyarrow as pa

from goodbot.tables.columns.schema import VERSION, VERSION_KEY

NOON = datetime(2025, 3, 1, 12, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
ROBOTS = ("GPTBot", "CCBot")
UTC = pa.timestamp("us", "UTC")


def policies() -> pa.Table:
    """Return a table of policies with the columns that verdicts need."""
    rows = [
        ("https://a.example", 0, 24, b"User-agent: *\nDisallow: /private\n"),
        ("https://a.example", 10, 34, b"User-agent: *\nDisallow: /\n\nUser-agent: CCBot\nAllow: /"),
        ("https://b.example", 5, 29, b"User-agent: GPTBot\nDisallow: /\n"),
    ]
    table = pa.table(
        {
            "origin": [row[0] for row in rows],
            "valid_from": pa.array([NOON + row[1] * HOUR for row in rows], UTC),
            "valid_until": pa.array([NOON + row[2] * HOUR for row in rows], UTC),
            "access": pa.array(["rules"] * len(rows)).dictionary_encode(),
            "reason": pa.array(["found"] * len(rows)).dictionary_encode(),
            "stale": [False] * len(rows),
            "body": pa.array([row[3] for row in rows], pa.binary()),
        }
    )
    return table.replace_schema_metadata({VERSION_KEY: str(VERSION)})


CAPTURES: tuple[tuple[str | None, int | None], ...] = (
    ("https://a.example/private/1", 1),
    ("https://a.example/open", 1),
    ("https://a.example/open", 11),
    ("https://a.example/open", 99),
    ("https://b.example/ü?q=1", 6),
    ("https://b.example/", 4),
    ("https://elsewhere.example/", 6),
    (None, 6),
    ("https://a.example/open", None),
    ("not a URL", 6),
    ("", 6),
    ("https://b.example/a", 6),
)
"""URLs, and the hours after `NOON` at which they were fetched."""

URLS = [url for url, _ in CAPTURES]
TIMES = [None if hours is None else NOON + hours * HOUR for _, hours in CAPTURES]


def sliced(array: pa.Array) -> pa.Array:
    """Return the same values from the middle of a longer array."""
    return pa.concat_arrays([array[:3], array, array[:2]]).slice(3, len(array))


STRINGS: dict[str, Callable[[], pa.Array]] = {
    "string": lambda: pa.array(URLS, pa.string()),
    "large-string": lambda: pa.array(URLS, pa.large_string()),
    "string-view": lambda: pa.array(URLS, pa.string_view()),
    "dictionary": lambda: pa.array(URLS, pa.string()).dictionary_encode(),
    "sliced": lambda: sliced(pa.array(URLS, pa.string())),
    "chunked": lambda: pa.chunked_array([URLS[:3], [], URLS[3:]], pa.string()),
}
"""The same URLs in each form of strings that Arrow has."""

ZONES: dict[str, Callable[[], pa.Array]] = {
    "UTC": lambda: pa.array(TIMES, UTC),
    "another zone": lambda: pa.array(TIMES, pa.timestamp("us", "America/New_York")),
    "milliseconds": lambda: pa.array(TIMES, pa.timestamp("ms", "UTC")),
    "nanoseconds": lambda: pa.array(TIMES, pa.timestamp("ns", "UTC")),
    "sliced": lambda: sliced(pa.array(TIMES, UTC)),
    "chunked": lambda: pa.chunked_array([TIMES[:5], TIMES[5:]], UTC),
}
"""The same times in forms that engines have."""
