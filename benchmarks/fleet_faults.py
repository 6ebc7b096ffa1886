"""Disturb fleets in every way that the tests know, and count what their sites and results say.

It runs the tests of fleets under faults with all of their kills, of which CI runs a tenth:
processes that are killed between any two writes or at random times, machines that are killed or
stopped, PostgreSQL that is restarted as by a crash, connections that are cut, answers that are
lost, clocks that are wrong, object storage that fails, is slow or is killed, and full disks. Each
test counts what it did and what it saw, and pytest passes the counts on.

It takes a quarter of an hour. It needs root (for network namespaces and file systems), PostgreSQL,
what the tests need, and versitygw or Go.

python benchmarks/fleet_faults.py      run all of it, and print the table
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import fleet
from drawing import Target, table

ROOT = Path(__file__).resolve().parents[1]
PROPERTY = "faults"
"""The property of a test that has its counts; see `tests/support/fault_record.py`."""
SEGMENTS, OBJECTS = "tests/crawl/fleet/test_segments.py", "tests/system/test_fleet_objects.py"
TESTS = (
    "tests/system/test_fleet_kills.py",
    "tests/system/test_fleet_machines.py",
    "tests/system/test_fleet_clocks.py",
    f"{SEGMENTS}::test_a_worker_may_be_killed_between_any_two_writes",
    f"{SEGMENTS}::test_object_storage_that_fails_and_loses_answers_loses_nothing",
    f"{OBJECTS}::test_a_put_may_take_longer_than_a_lease",
    f"{OBJECTS}::test_what_is_settled_is_there_whatever_is_killed",
    "tests/system/test_fleet_disk.py",
)
"""The tests that record counts."""
NOT_ASKED = (
    "Fleets were not disturbed: `--faults` does so, in a quarter of an hour, with root and "
    "PostgreSQL."
)
LIMIT = 3_600.0
COLUMNS = {
    "early": "early",
    "unleased": "without a lease",
    "lost": "URLs lost",
    "unproven": "without evidence",
}
"""What must be zero, and how the table calls it."""


@dataclass(frozen=True)
class FaultResults:
    """All results."""

    rows: Sequence[dict[str, Any]]
    """What the tests recorded, as plain values; see `tests.support.fault_record.FaultRecord`."""
    wrong: Sequence[str]
    """Every test that failed or was skipped, as a sentence."""

    @property
    def faults(self) -> Counter[str]:
        """What was done in all, and how often."""
        done: Counter[str] = Counter()
        for row in self.rows:
            done.update(row["faults"])
        return done

    def total(self, name: str) -> int:
        """Return the sum of a count over the tests that observe it."""
        return sum(row[name] or 0 for row in self.rows)


def missing() -> str:
    """Return why it cannot run here; empty if it can."""
    if os.geteuid() != 0:
        return "Fleets were not disturbed: network namespaces and file systems need root."
    if fleet.programs() is None:
        return (
            "Fleets were not disturbed: PostgreSQL is not installed (on Debian: apt-get install "
            "postgresql)."
        )
    return ""


def measure() -> FaultResults:
    """Run the tests, and read what they recorded."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "tests.xml")
        # The other kind of JUnit XML has no properties of tests.
        words = ["-m", "pytest", "-q", *TESTS, f"--junitxml={file}", "-o", "junit_family=xunit1"]
        words.append("--hypothesis-profile=thorough")
        done = subprocess.run(  # noqa: S603  ours
            [sys.executable, *words],
            cwd=ROOT,
            check=False,
            timeout=LIMIT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if not file.exists():
            said = done.stdout.decode(errors="replace")
            return FaultResults([], [f"faults: pytest ended with {done.returncode}: {said[-500:]}"])
        cases = list(ET.parse(file).getroot().iter("testcase"))  # noqa: S314  pytest wrote it
    rows = [
        json.loads(one.get("value", ""))
        for case in cases
        for one in case.iter("property")
        if one.get("name") == PROPERTY
    ]
    wrong = [
        f"faults: {case.get('name')}: {kind}: {found.get('message', '')[:300]}"
        for case in cases
        for kind in ("failure", "error", "skipped")
        for found in case.findall(kind)
    ]
    if not wrong and len(rows) < len(TESTS):
        wrong = [f"faults: {len(rows)} tests recorded what they did, of {len(TESTS)} or more"]
    return FaultResults(rows, wrong)


def targets(found: FaultResults) -> list[Target]:
    """Return every target, with the measured value."""
    words = {
        "early": "requests before their time",
        "unleased": "requests to a site that was not leased",
        "lost": "URLs lost",
        "unproven": "requests without evidence",
    }
    counts = {name: found.total(name) for name in words}
    is_alike = all(row["is_alike"] is not False for row in found.rows)
    ends = "yes" if is_alike else "no"
    return [
        *(
            Target(f"fleets under faults, {words[name]}: 0", f"{count}", not count)
            for name, count in counts.items()
        ),
        Target("fleets under faults end as a crawl in one folder", ends, is_alike),
    ]


def section(found: FaultResults) -> str:
    """Return the table."""
    rows = [
        [
            "; ".join(f"{name}: {count:,}" for name, count in row["faults"].items()),
            row["title"],
            f"{row['requests']:,}",
            *(cell(row[name]) for name in COLUMNS),
            cell(row["is_alike"]),
        ]
        for row in found.rows
    ]
    head = ("what was done, and how often", "fleet", "requests", *COLUMNS.values(), "as one folder")
    every = "; ".join(f"{name}: {count:,}" for name, count in sorted(found.faults.items()))
    return (
        f"{table(head, rows)}\n"
        "Requests are those that the sites received. `early`: before their time, by origin or by "
        "group; `without a lease`: from a worker that had not leased the site at that moment, by "
        "the database; `URLs lost`: not in the state in which they should end; `without evidence`: "
        "neither in the evidence nor counted as a crash at the URL, robots.txt excepted; `as one "
        "folder`: states, and with object storage also links, inventory, index and archive, are "
        "those of a crawl in one folder. `-`: the test does not observe it.\n\n"
        f"In all: {every}.\n"
    )


def cell(value: object) -> str:
    """Return a value for the table."""
    if value is None:
        return "-"
    return ("yes" if value else "no") if isinstance(value, bool) else f"{value}"


def main() -> int:
    """Print the table; return 1 if a test failed or was skipped, or a target is missed."""
    absent = missing()
    if absent:
        print(absent)
        return 1
    found = measure()
    print(section(found))
    print("\n".join(f"{one.wanted}: {one.measured}" for one in targets(found)))
    print("\n".join(found.wrong))
    return int(bool(found.wrong) or not all(one.met for one in targets(found)))


if __name__ == "__main__":
    sys.exit(main())
