"""The cases of conformance/audit as values of the audit."""

from __future__ import annotations

import datetime as dt
from typing import Any

from goodbot.bots import known
from goodbot.history import PolicyTimeline
from goodbot.site.audit import AuditOptions, LoggedAnswer, RobotRequest
from tests.support import conformance_cases as data
from tests.support.robots_txt_answers import answer_at

__all__ = [
    "BEGINS",
    "CASES",
    "fetches_of",
    "history_of",
    "options_of",
    "other_fetches_of",
    "request_of",
    "time_of",
]

BEGINS = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
SITE = "https://example.com"
CASES = data.cases("audit")
FILES = data.texts("audit")


def time_of(text: str) -> dt.datetime:
    """Return a time of a case: days since the log begins, and a time of day."""
    days, _, clock = text.partition(" ")
    hours, minutes, seconds = map(int, clock.split(":"))
    return BEGINS + dt.timedelta(days=int(days), hours=hours, minutes=minutes, seconds=seconds)


def history_of(case: data.Case) -> PolicyTimeline:
    """Return the robots.txt of a case over time."""
    contents = [
        (time_of(at), None if name == "absent" else FILES[name].encode())
        for at, name in case["history"]
    ]
    return PolicyTimeline.declared(SITE, contents, headers=case.get("headers", {}))


def fetches_of(case: data.Case) -> list[LoggedAnswer]:
    """Return the requests for robots.txt of a case that serve the robot."""
    own = [LoggedAnswer(answer_at(time_of(at), status or None)) for at, status in case["fetches"]]
    robot = case.get("robot", "ExampleBot")
    operator = operator_of(robot)
    addresses = {address for robot, address in case.get("verified", [])
                 if operator_of(robot) == operator}  # fmt: skip
    others = [
        LoggedAnswer(
            answer_at(time_of(at), status or None), is_own=name == robot, identity="verified"
        )
        for at, status, name, address in case.get("other_fetches", [])
        if address in addresses
    ]
    return own + others


def operator_of(robot: str) -> str | None:
    """Return the operator of a known robot."""
    found = known(robot)
    return None if found is None else found.operator


def other_fetches_of(case: data.Case) -> list[tuple[str | None, dt.datetime, str, int, str]]:
    """Return the requests for robots.txt under other names, as rows of a log."""
    return [
        (name or None, time_of(at), "/robots.txt", status, address)
        for at, status, name, address in case.get("other_fetches", [])
    ]


def request_of(case: data.Case) -> RobotRequest:
    """Return the request of a case."""
    at, target = case["request"]
    identity: Any = case.get("identity", "unverifiable")
    return RobotRequest(
        case.get("robot", "ExampleBot"), target, time_of(at), line=7, identity=identity
    )


def options_of(case: data.Case) -> AuditOptions:
    """Return the options of a case."""
    ends, seconds = case.get("log_ends"), case.get("max_age")
    return AuditOptions(
        site=SITE,
        behind_cdn=case.get("behind_cdn", False),
        clock_resolution=dt.timedelta(seconds=case.get("resolution", 1)),
        log_begins=BEGINS,
        log_ends=None if ends is None else time_of(ends),
        max_age=None if seconds is None else dt.timedelta(seconds=seconds),
    )
