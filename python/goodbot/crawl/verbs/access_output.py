"""What `goodbot inventory --for` prints: what robots may do with each page, and since when.

Scope: printing. `goodbot.crawl.inventory.robot_access` decides.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timezone
from itertools import islice

from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.cli.shared.robots.robot_choice import named_robots
from goodbot.cli.shared.row_output import print_rows
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.parquet import export_parquet
from goodbot.crawl.inventory.robot_access import (
    ACCESS_COLUMNS,
    RobotAccess,
    access_cells,
    robot_access,
)
from goodbot.http.amounts import counted
from goodbot.http.instants import format_time

__all__ = ["print_access"]

SHOWN = 100
"""How many pages are printed for each robot unless --limit names a number."""


def print_access(
    database: Database,
    robots: Sequence[str],
    limit: int | None,
    parquet: str | None,
    printer: Printer,
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print what robots may do with the pages of a crawl, or write it to a Parquet file."""
    asked = database, named_robots(robots), datetime.now(timezone.utc)
    if parquet is not None:
        count = export_parquet(islice(access_cells(*asked), limit), parquet, ACCESS_COLUMNS)
        printer.line(f"{parquet}: {counted(count, 'row')}")
    elif as_json or as_csv:
        plain = access_cells(*asked) if as_csv else (one.as_dict() for one in robot_access(*asked))
        columns = [one.name for one in ACCESS_COLUMNS]
        print_rows(islice(plain, limit), columns, printer, as_csv=as_csv)
    else:
        print_text(robot_access(*asked), limit or SHOWN, printer)


def print_text(rows: Iterable[RobotAccess], limit: int, printer: Printer) -> None:
    """Print robot by robot how many pages it may use, and those that it may not."""
    counts: dict[str, Counter[str]] = {}
    closed: dict[str, list[RobotAccess]] = {}
    for row in rows:
        kinds = counts.setdefault(row.robot, Counter())
        kinds["pages"] += 1
        for kind in kinds_of(row):
            kinds[kind] += 1
        if not row.is_usable:
            found = closed.setdefault(row.robot, [])
            if row.is_usable is False and row.index != "no page" and len(found) < limit:
                found.append(row)
    if not counts:
        printer.line("No page was visited yet.")
    for place, (robot, kinds) in enumerate(counts.items()):
        if place:
            printer.line()
        print_robot(robot, kinds, closed.get(robot, []), printer)


def kinds_of(row: RobotAccess) -> Iterator[str]:
    """Yield what is counted of a page for a robot; a page that it may not fetch is that alone."""
    if row.fetch != "allowed":
        yield f"fetch {row.fetch}"
        return
    yield f"index {row.index}"
    yield f"train {row.train}"


def print_robot(
    robot: str, kinds: Counter[str], closed: Sequence[RobotAccess], printer: Printer
) -> None:
    """Print the numbers of a robot, and the pages that it may not use."""
    away, unknown = kinds["fetch disallowed"], kinds["fetch unknown"]
    words = [
        f"may fetch {kinds['pages'] - away - unknown:,} of {counted(kinds['pages'], 'URL')}",
        f"may index {kinds['index allowed']:,}",
    ]
    more = {
        "robots.txt is not known": unknown,
        "no page": kinds["index no page"],
        "statements not kept": kinds["index not kept"],
        "training reserved": kinds["train reserved"],
        "training needs a licence": kinds["train licensed"],
    }
    words += [f"{said}: {count:,}" for said, count in more.items() if count]
    heading = Styled(f"{robot}:", "heading")
    printer.prose(f"{robot}: {'; '.join(words)}.", accent=heading)
    for row in closed:
        is_away = row.fetch == "disallowed"
        what = "not fetched" if is_away else "not indexed"
        source = row.fetch_source if is_away else row.index_source
        since = "" if row.since is None else f", since {format_time(row.since)} or before"
        printer.line("  ", Styled(f"{what:<12}", "disallowed"), cut_line(row.url))
        printer.line("    ", Styled(f"{cut_line(source)}{since}", "faint"))
    listed = away + kinds["index disallowed"]
    if listed > len(closed):
        printer.line(f"  and {listed - len(closed):,} more (--limit, --csv, --json)")
