"""What a crawl goes on with: who crawls, at which pace, within which bounds.

What may live here: reading and writing the settings in the file of a crawl.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from goodbot._core import Dialect
from goodbot.crawl.bounds import Bounds
from goodbot.crawl.database import Database
from goodbot.page.dialects import PageDialect
from goodbot.robot import Robot

__all__ = ["named", "settled_bounds", "write_settings"]


def named(dialect: str | Dialect | PageDialect) -> str:
    """Give the name of a dialect."""
    return dialect if isinstance(dialect, str) else dialect.name


def settled_bounds(
    database: Database, given: Bounds | None, start: Sequence[tuple[str, str]]
) -> Bounds:
    """Take the bounds that are given, or those of the crawl that goes on; and its origins."""
    row = database.connection.execute("SELECT value FROM settings WHERE name = 'bounds'").fetchone()
    kept = None if row is None else Bounds.from_dict(json.loads(row[0]))
    bounds = given or kept or Bounds()
    if bounds.origins is None and not bounds.any_origin:
        before = kept.origins if kept is not None and kept.origins is not None else frozenset()
        bounds = replace(bounds, origins=before | {origin for origin, _ in start})
    return bounds


def write_settings(
    database: Database, robot: Robot, settings: dict[str, str], started: datetime
) -> None:
    """Write down who crawls, for the report and for who asks later."""
    identity = robot.identity
    values = {
        "robot": identity.name,
        "product": identity.product,
        "info_url": identity.info_url,
        "contact": identity.contact,
        **settings,
    }
    with database.changing() as connection:
        connection.executemany("INSERT OR REPLACE INTO settings VALUES(?, ?)", values.items())
        connection.execute(
            "INSERT OR IGNORE INTO settings VALUES('started', ?)", (started.isoformat(),)
        )
