"""The settings of a crawl as people read them.

Scope: from what is stored to a label and a value for each setting.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from goodbot.crawl.report.html.sections import NOTHING
from goodbot.crawl.report.rows.cells import briefly
from goodbot.http.amounts import format_bytes
from goodbot.http.instants import SECOND

__all__ = ["changes_of", "settings_rows"]

LABELS = {
    "info_url": "page about the robot",
    "latest_run": "latest run started",
    "made_with": "made with",
    "signed_by": "requests signed by",
    "allow_private": "private addresses allowed",
    "allow_networks": "private networks allowed",
    "all_types": "responses of every type",
    "dialect": "dialect of robots.txt",
    "page_dialect": "dialect of pages",
    "pages": "pages at most",
    "pages_per_site": "pages of one site at most",
    "depth": "links from the start at most",
    "seconds": "duration at most",
    "bytes": "bytes received at most",
    "disk": "size of the folder at most",
    "url_length": "characters of a URL at most",
    "origins": "sites",
    "any_origin": "any site",
    "floor": "pause at least",
    "default": "pause if the site states none",
    "factor": "pause in times of the last response",
    "back_off_after": "failures before backing off",
    "back_off_first": "first back-off",
    "back_off_longest": "longest back-off",
    "patience": "longest pause accepted",
    "hours": "hours of visits (UT)",
    "bytes_per_second": "bytes a second at most",
    "adaptive": "slower when the server is slow",
    "groups": "hosts visited as one site",
    "group_pause": "pause between hosts of a group",
}
"""The settings whose stored name is not plain; others are shown under their own."""
SECONDS = {
    "seconds",
    "floor",
    "default",
    "back_off_first",
    "back_off_longest",
    "patience",
    "group_pause",
}
TIMES = {"started", "latest_run"}
BYTES = {"bytes", "disk", "bytes_per_second"}
OWN = {"archive-mark", "archive-user-agent", "findings_listed", "format", "not-kept", "product"}
"""What is stored for goodbot's own use, and is no setting."""
MOST_ITEMS = 20


def settings_rows(settings: Mapping[str, str]) -> list[list[str]]:
    """Return a label and a value for each setting.

    >>> settings_rows({"bounds": '{"depth": 20, "disk": 10000000000, "pages": null}'})
    [['links from the start at most', '20'], ['size of the folder at most', '10.0 GB']]
    >>> settings_rows({"traps": '["repeated-path"]', "robot": "ExampleBot", "format": "12"})
    [['traps', 'repeated-path'], ['robot', 'ExampleBot']]
    """
    rows = []
    for stored, text in settings.items():
        if stored not in OWN:
            for name, value in values_of(stored, text):
                words = in_words(name, value)
                if words:
                    rows.append([LABELS.get(name, name.replace("_", " ")), words])
    return rows


def changes_of(stated: Sequence[str]) -> list[str]:
    """Return what differs between stored settings that followed one another, in words.

    >>> changes_of(['{"default": 10.0, "floor": 1.0}', '{"default": 0.5, "floor": 1.0}'])
    ['pause if the site states none: 10 s', 'pause if the site states none: 500 ms']
    """
    found = [dict(values_of("", one)) for one in stated]
    names = dict.fromkeys(name for one in found for name in one)
    changed = [name for name in names if any(one.get(name) != found[0].get(name) for one in found)]
    return [
        ", ".join(
            f"{LABELS.get(name, name)}: {in_words(name, one.get(name)) or NOTHING}"
            for name in changed
        )
        for one in found
    ]


def values_of(name: str, text: str) -> Iterator[tuple[str, Any]]:
    """Yield a stored setting or, if it has several values, each of them."""
    if not text.startswith(("{", "[")):
        yield name, text
        return
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = text
    if isinstance(found, dict):
        yield from found.items()
    else:
        yield name, found


def in_words(name: str, value: Any) -> str:  # noqa: ANN401  any JSON value
    """Return a value as people read it; empty if there is none."""
    if value is None or value in ("", [], {}):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        more = f" and {len(value) - MOST_ITEMS:,} more" if len(value) > MOST_ITEMS else ""
        return ", ".join(map(str, value[:MOST_ITEMS])) + more
    if isinstance(value, int | float):
        return unit_of(name)(value)
    return time_in_words(value) if name in TIMES else str(value)


def time_in_words(value: str) -> str:
    """Return a stored time as people read it; anything else as it is.

    >>> time_in_words("2026-01-01T00:00:00.418881+00:00")
    '2026-01-01 00:00:00 UTC'
    """
    try:
        at = datetime.fromisoformat(value).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return value
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def unit_of(name: str) -> Callable[[float], str]:
    """Return how the numbers of a setting are written."""
    if name in SECONDS:
        return lambda number: briefly(round(number * SECOND))
    if name in BYTES:
        return lambda number: format_bytes(int(number))
    return lambda number: f"{number:,g}"
