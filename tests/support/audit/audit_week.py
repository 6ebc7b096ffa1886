"""A simulated week of robots whose behaviour is known: its log, and what must be found in it."""

from __future__ import annotations

import datetime as dt
from typing import Any, NamedTuple

from goodbot.history import PolicyTimeline

__all__ = ["CHANGED", "SITE", "START", "WEEK", "WeekRobot", "history", "log_rows", "robots"]

SITE = "https://example.com"
START = dt.datetime(2026, 1, 5, tzinfo=dt.timezone.utc)
CHANGED = dt.timedelta(days=4)
HOUR = dt.timedelta(hours=1)
SECOND = dt.timedelta(seconds=1)
OLD = b"User-agent: *\nDisallow: /private\n"
NEW = b"""User-agent: *
Disallow: /private
Disallow: /new

User-agent: SlowBot
User-agent: HastyBot
User-agent: bingbot
User-agent: Googlebot
User-agent: TwoNetsBot
Crawl-delay: 10

User-agent: DayBot
User-agent: NightBot
Visit-time: 0600-1800

User-agent: RateBot
Request-rate: 1/60
"""
Row = tuple[dt.timedelta, str, int]
"""When, what, and the status of the answer."""


class WeekRobot(NamedTuple):
    """A robot of the week."""

    name: str
    behaviour: str
    """What it does: the row of the confusion table."""
    rows: list[Row]
    finds: str
    """What the audit must find worst: an outcome, or a broken check of the pace."""
    identity: str = "verified"
    address: str = ""
    """Where it comes from; by default an address of its own."""


def history() -> PolicyTimeline:
    """Return the robots.txt of the site: it changed on the fifth day."""
    begin = START - dt.timedelta(days=30)
    return PolicyTimeline.declared(SITE, [(begin, OLD), (START + CHANGED, NEW)])


def hourly(path: str, *, asks: bool = True, start: int = 30, end: int = 160) -> list[Row]:
    """Return a request each hour, and one for robots.txt twice a day."""
    found: list[Row] = []
    for hour in range(start, end):
        if asks and (hour - start) % 12 == 0:
            found.append((hour * HOUR - 30 * SECOND, "/robots.txt", 200))
        found.append((hour * HOUR, f"{path}/{hour}", 200))
    return found


def burst(gap: int, start: float = 100.0, count: int = 30) -> list[Row]:
    """Return requests with a gap of some seconds, after one for robots.txt."""
    first: list[Row] = [(start * HOUR - 60 * SECOND, "/robots.txt", 200)]
    return first + [(start * HOUR + at * gap * SECOND, f"/a/{at}", 200) for at in range(count)]


def robots() -> list[WeekRobot]:
    """Return the robots."""
    late: list[Row] = [(95 * HOUR, "/robots.txt", 200), (100 * HOUR, "/new/1", 200)]
    expired: list[Row] = [(70 * HOUR, "/robots.txt", 200), (100 * HOUR, "/new/1", 200)]
    failed: list[Row] = [(99 * HOUR, "/robots.txt", 503), (100 * HOUR, "/a", 200)]
    kept: list[Row] = [
        (90 * HOUR, "/robots.txt", 200), (99 * HOUR, "/robots.txt", 503), (120 * HOUR, "/new", 200),
        (112 * HOUR, "/robots.txt", 503),
    ]  # fmt: skip
    missing: list[Row] = [(99 * HOUR, "/robots.txt", 404), (100 * HOUR, "/private/1", 200)]
    moved: list[Row] = [(99 * HOUR, "/robots.txt", 301), (100 * HOUR, "/private/1", 200)]
    early: list[Row] = [(2 * HOUR, "/private/1", 200)]
    busy: list[Row] = [
        (100 * HOUR, "/a", 503), (100 * HOUR + 2 * SECOND, "/b", 200),
    ]  # fmt: skip
    patient: list[Row] = [(100 * HOUR, "/a", 503), (100 * HOUR + 60 * SECOND, "/b", 200)]
    both = "2001:db8::1"
    found = [
        WeekRobot("ObedientBot", "obedient", hourly("/a"), "allowed"),
        WeekRobot("LateBot", "late by its copy", late, "late"),
        WeekRobot("ExpiredBot", "with a copy that has expired", expired, "violation"),
        WeekRobot("NeverAsksBot", "never seen to ask", hourly("/private", asks=False), "violation"),
        WeekRobot("PoliteBot", "never seen to ask", hourly("/a", asks=False), "allowed"),
        WeekRobot("RudeBot", "reads the rule and breaks it", hourly("/private"), "violation"),
        WeekRobot("ErrorBot", "goes on after a server error", failed, "violation"),
        WeekRobot("CopyBot", "uses its copy in an outage", kept, "late"),
        WeekRobot("MissingBot", "was told that there is no file", missing, "late"),
        WeekRobot("MovedBot", "was redirected", moved, "unknown"),
        WeekRobot("EarlyBot", "came before the log knew it", early, "unknown"),
        WeekRobot("Bytespider", "does not claim to obey", hourly("/private"), "unclaimed"),
        WeekRobot("GPTBot", "spoofed", hourly("/private"), "unjudged", "spoofed"),
        WeekRobot("SlowBot", "keeps the Crawl-delay", burst(10), "allowed"),
        WeekRobot("HastyBot", "too fast", burst(2), "crawl-delay"),
        WeekRobot("bingbot", "too fast, and claims to read the field", burst(9), "crawl-delay"),
        WeekRobot("Googlebot", "as fast, and does not claim to read it", burst(2), "allowed"),
        WeekRobot("NightBot", "comes at night", burst(60, start=122), "visit-time"),
        WeekRobot("DayBot", "comes by day", burst(60, start=130), "allowed"),
        WeekRobot("RateBot", "more than the Request-rate", burst(40), "request-rate"),
        WeekRobot("BusyBot", "does not wait after a 503", busy, "retry-after"),
        WeekRobot("PatientBot", "waits after a 503", patient, "allowed", "verified", both),
    ]
    return [
        one if one.address else one._replace(address=f"192.0.2.{number}")
        for number, one in enumerate(found, 1)
    ]


def log_rows(people: int = 200) -> list[dict[str, Any]]:
    """Return the lines of the log, in the order of their times."""
    rows: list[tuple[dt.timedelta, dict[str, Any]]] = [
        (number * 3000 * SECOND, row_of(None, "198.51.100.7", f"/private/p{number}", 200))
        for number in range(people)
    ]
    for robot in robots():
        for at, target, status in robot.rows:
            rows.append((at, row_of(robot.name, robot.address, target, status)))
    rows.sort(key=lambda pair: pair[0])
    return [row | {"time": START + at, "line": line} for line, (at, row) in enumerate(rows, 1)]


def row_of(robot: str | None, address: str, target: str, status: int) -> dict[str, Any]:
    """Return a line without its time and number."""
    return {
        "robot": robot, "address": address, "target": target, "status": status, "bytes": 100,
        "host": "example.com", "scheme": "https", "method": "GET",
        "retry_after": "30" if status == 503 else None,
    }  # fmt: skip


WEEK = dt.timedelta(days=7)
