"""The part of the report on fleets: what a page costs, and the queue at any length."""

from collections.abc import Sequence
from dataclasses import dataclass

import clock
import fleet
import fleet_scale
from drawing import Target, table

MEANING = """\
One site on many origins, without pauses. Each crawl is made by processes of its own, and they take
turns, with a new site each. The CPU time of a worker is that of its process from when it begins to
crawl, that of PostgreSQL is that of all its processes; `times` is the median of the ratios of each
round to the crawl in a folder. Statements are counted by PostgreSQL, with BEGIN and COMMIT. Every
page had to be fetched exactly once."""

ABSENT = (
    "Fleets were not measured: PostgreSQL is not installed (on Debian: apt-get install postgresql)."
)


@dataclass(frozen=True)
class FleetResults:
    """All results on fleets."""

    rows: Sequence[fleet.FleetRow]
    """A crawl in a folder, by one worker, and by two."""
    pages: int
    origins: int
    scale: fleet_scale.ScaleResults
    seconds: Sequence[float]
    """The duration of both parts."""


def targets(found: FleetResults | None) -> list[Target]:
    """Return every target, with the measured value."""
    if found is None:
        return []
    folder, one, two = found.rows
    cpu, pages = fleet.times(one, folder), found.pages
    server = clock.median(one.servers) / pages
    statements = clock.median(one.statements) / pages
    both = 1 / fleet.times(two, one)
    return [
        Target(
            "CPU time of a page in a worker of a fleet, against that in a folder: at most "
            f"{fleet.CPU_TARGET:g} times",
            f"{cpu:.2f} times",
            cpu <= fleet.CPU_TARGET,
        ),
        Target(
            f"CPU time of PostgreSQL for a page: at most {fleet.SERVER_TARGET * 1e3:g} ms",
            f"{server * 1e3:.3f} ms",
            server <= fleet.SERVER_TARGET,
        ),
        Target(
            f"statements for a page: at most {fleet.STATEMENTS_TARGET:g}",
            f"{statements:.3f}",
            statements <= fleet.STATEMENTS_TARGET,
        ),
        Target(
            "pages for a second of CPU time of two workers, against one: at least "
            f"{fleet.TWO_TARGET:g} times",
            f"{both:.2f} times",
            both >= fleet.TWO_TARGET,
        ),
        *fleet_scale.targets(found.scale),
    ]


def wrong(found: FleetResults | None) -> list[str]:
    """Return every unexpected answer, as a sentence."""
    if found is None:
        return []
    sentences = [f"fleet: {sentence}" for row in found.rows for sentence in row.wrong]
    return sentences + fleet_scale.wrong(found.scale)


def sections(found: FleetResults | None) -> list[str]:
    """Return every section, each after its heading."""
    if found is None:
        return []
    pages, queue = (f"Measuring this took {one:.0f} s.\n" for one in found.seconds)
    return [
        "## A fleet\n",
        pages_section(found),
        pages,
        "## The queue of a fleet\n",
        fleet_scale.section(found.scale),
        queue,
    ]


def pages_section(found: FleetResults) -> str:
    """Return the table of what a page costs."""
    folder = found.rows[0]
    rows = [
        (
            row.name,
            f"{found.pages / clock.median(row.walls):,.0f}",
            f"{clock.median(row.cpus) / found.pages * 1e3:.2f} ms",
            f"{fleet.times(row, folder):.2f}",
            f"{clock.median(row.servers) / found.pages * 1e3:.3f} ms",
            f"{clock.median(row.statements) / found.pages:.3f}",
        )
        for row in found.rows
    ]
    head = ("crawl", "pages/s", "CPU time of a page", "times", "of PostgreSQL", "statements a page")
    size = (
        f"{found.pages:,} pages of {found.origins} origins on loopback, {len(folder.cpus)} "
        f"rounds, up to {fleet.WORKERS} requests at once by each worker.\n"
    )
    return f"{size}\n{table(head, rows)}\n{MEANING}\n"
