"""goodbot's own crawl of the example sites, audited by the logs of their servers."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from goodbot.history import PolicyTimeline
from goodbot.site.audit import AuditOptions, AuditResult, check_pace, judge_requests, sum_robots
from goodbot.site.gate.access_log import AccessLog, LoggedRequest
from goodbot.site.logs import open_logs
from tests.support.example_sites import NOW, ServedInMemory, crawl_in

if TYPE_CHECKING:
    from pathlib import Path

    from goodbot.testing import Answer, FakeVisit

FIRST_PORT = 8300
DAY = dt.timedelta(days=1)


class LoggedSites(ServedInMemory):
    """The example sites, whose requests are logged as the middleware of the gate logs them."""

    def __init__(self, log: Path) -> None:
        """Begin an empty log."""
        super().__init__(FIRST_PORT)
        self.log = AccessLog(log, port=80)

    def answer(self, visit: FakeVisit) -> Answer:
        """Return what the site answers, and log it."""
        said = super().answer(visit)
        fields = {name.lower(): value for name, value in visit.headers}
        self.log.write(
            LoggedRequest(
                urlsplit(visit.url).netloc, "127.0.0.1", visit.at, "GET", visit.path, "HTTP/1.1",
                said.status, len(said.body), "", fields["user-agent"],
            )
        )  # fmt: skip
        return said


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, LoggedSites]:
    """Return the log of a crawl of all sites."""
    folder = tmp_path_factory.mktemp("crawl")
    sites = LoggedSites(folder / "access.log")
    crawl_in(folder / "crawl", sites, [f"{one}/" for one in sites.sites.origins.values()])
    return folder / "access.log", sites


def histories(sites: LoggedSites) -> list[PolicyTimeline]:
    """Return the robots.txt of each site, which never changes."""
    found = []
    for name, origin in sites.sites.origins.items():
        said = sites.sites.sites[name].answer("/robots.txt", 1, sites.sites.fill)
        content = said.body if said.status == 200 else None
        found.append(PolicyTimeline.declared(origin, [(NOW - 30 * DAY, content)]))
    return found


def requests_in(log: Path, sites: LoggedSites) -> pa.Table:
    """Return the requests of the crawl; its robot is not a known one."""
    reader = open_logs([log], sites=list(sites.sites.origins.values()), unknown=True)
    table = pa.concat_tables([pa.table(batch) for batch in reader.requests()])
    assert sum(reader.counts().refused.values()) == 0
    agents = table.column("user_agent").cast(pa.string())
    assert pc.all(pc.starts_with(agents, "ExampleBot/1.0")).as_py()
    robots = pa.array(["ExampleBot"] * len(table))
    return table.set_column(table.column_names.index("robot"), "robot", robots)


def audited(table: pa.Table | list[pa.Table], sites: LoggedSites) -> AuditResult:
    """Return the audit of a log that begins days before the crawl."""
    return judge_requests(table, histories(sites), options=AuditOptions(log_begins=NOW - 3 * DAY))


def test_the_log_of_the_gate_is_read_back(logged: tuple[Path, LoggedSites]) -> None:
    """Each request is read as it was: its site, target, time and status."""
    log, sites = logged
    table = requests_in(log, sites)
    visits = sites.fake.visits
    assert len(visits) == len(table) > 30
    for row, visit in zip(table.to_pylist(), visits, strict=True):
        parts = urlsplit(visit.url)
        assert (row["host"], row["target"]) == (parts.netloc, visit.path)
        assert row["time"] == visit.at.replace(microsecond=0)


def test_our_own_crawl_audits_clean(logged: tuple[Path, LoggedSites]) -> None:
    """No request is a violation or late, none is unknown, and nothing is too fast."""
    log, sites = logged
    result = audited(requests_in(log, sites), sites)
    [robot] = sum_robots(result)
    assert robot.outcomes == {"allowed": robot.requests}, robot.reasons
    pace = check_pace(result)
    assert {one.check for one in pace} >= {"crawl-delay"}
    assert all(pace), [one for one in pace if not one]


def test_a_crawl_that_breaks_a_rule_does_not(logged: tuple[Path, LoggedSites]) -> None:
    """One request more, for what is disallowed, and the audit is not clean."""
    log, sites = logged
    table = requests_in(log, sites)
    origin = sites.sites.origins["antiques"]
    last = table.filter(pc.equal(table.column("host"), urlsplit(origin).netloc)).slice(0, 1)
    last = last.set_column(table.column_names.index("target"), "target", pa.array(["/private/a"]))
    result = audited([table, last.cast(table.schema)], sites)
    [robot] = sum_robots(result)
    assert robot.outcomes["violation"] == 1
