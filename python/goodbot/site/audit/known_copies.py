"""What a robot may have known at a time: the plain way, from the top down, for one request.

Scope: one site, one robot, one time. `held_intervals` finds the same for millions of requests, and
is compared with this.

Source: RFC 9309 sections 2.3.1 and 2.4.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from goodbot.display import short_repr
from goodbot.http.instants import DAY
from goodbot.lazy_dataclass import dataclass
from goodbot.policy.outcome_tables import is_about_file, meaning_of
from goodbot.site.audit.logged_answer import LoggedAnswer
from goodbot.site.audit.robot_reading import RobotReading
from goodbot.site.audit.served_versions import RobotsVersion, ServedVersions


@dataclass(frozen=True, slots=True, repr=False)
class HeldCopy:
    """An answer for robots.txt that a robot could rightly use."""

    kind: Literal["file", "free", "unclear", "unseen"]
    """`file`: it received `version`. `free`: it was told that there is no robots.txt. `unclear`:
    the log does not show what it received. `unseen`: a cache may have given it `version`."""
    fetched: datetime | None
    """When it was received; `None` for `unseen`."""
    status: int | None
    """The status of the answer; `None` if unknown."""
    version: RobotsVersion | None = None
    """The robots.txt; `None` without one."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class Knowledge:
    """What a robot may have known at a time."""

    in_force: tuple[RobotsVersion, ...]
    """The robots.txt in force; several if the clock does not tell them apart. Empty if unknown."""
    held: tuple[HeldCopy, ...]
    """Every answer that the robot could rightly use."""
    is_blocked: bool
    """Whether the last answer was a server error, without a copy to use instead."""
    has_asked: bool
    """Whether a request for robots.txt was seen before."""

    __repr__ = short_repr


def sort_fetches(fetches: Sequence[LoggedAnswer], dialect: str) -> list[LoggedAnswer]:
    """Return requests for robots.txt in order; of one second, a failure counts as the earlier."""
    return sorted(
        fetches,
        key=lambda one: (one.at, meaning_of(one.status, dialect) != "unreachable", one.status or 0),
    )


def find_served(version: RobotsVersion, at: int, resolution: int) -> bool:
    """Return whether a version may have been served at a time of the log."""
    is_over = version.end is not None and version.end <= at - resolution
    return not is_over and at >= served_after(version, resolution)


def served_after(version: RobotsVersion, resolution: int) -> int:
    """Return the first time of the log at which a version may have been served."""
    return min(version.begin, version.begin - resolution + 1)


def is_known(history: ServedVersions, at: int, resolution: int) -> bool:
    """Return whether it is known what was served at a time of the log.

    In the moment in which the first known version begins, what was before may have been served.
    """
    span = history.known_span
    return span is not None and span[0] + resolution <= at <= span[1]


def in_force(history: ServedVersions, at: int, resolution: int) -> tuple[RobotsVersion, ...]:
    """Return the versions that may have been served at a time; empty if that is not known."""
    if not is_known(history, at, resolution):
        return ()
    return tuple(version for version in history.versions if find_served(version, at, resolution))


def knowledge_at(
    at: int,
    history: ServedVersions,
    fetches: Sequence[LoggedAnswer],
    robot: RobotReading,
    *,
    identity: str,
    resolution: int,
    behind_cdn: bool,
) -> Knowledge:
    """Return what a robot may have known at a time.

    Args:
        at: The time, in microseconds since 1970.
        history: The robots.txt of the site over time.
        fetches: All requests for robots.txt by the robot's operator, in the order of
            `sort_fetches`.
        robot: How the robot reads robots.txt.
        identity: Who sent the request that is judged: see `LoggedAnswer.binds`.
        resolution: That of the clock, in microseconds.
        behind_cdn: See `AuditOptions`.

    """
    before = [fetch for fetch in fetches if fetch.at <= at]
    bound = [fetch for fetch in before if fetch.binds(identity)]
    held = usable(before, at, history, robot, resolution)
    is_failing = False
    # The failures of others may help the robot, and forbid nothing.
    for seen in (before, bound):
        failing = failing_fetches(seen, robot)
        is_failing = bool(failing) and at - failing[-1].at < DAY + resolution
        if is_failing:
            since = failing[0].at
            earlier = [fetch for fetch in before if fetch.at <= since]
            kept = usable(earlier, since, history, robot, resolution)
            kept += last_received(earlier, history, robot, resolution, identity=identity)
            if at - since + resolution > robot.free_after:
                kept.append(HeldCopy("free", failing[-1].answer.answered, failing[-1].status))
            held += [one for place, one in enumerate(kept)
                     if one not in held and one not in kept[:place]]  # fmt: skip
    is_blocked = is_failing and not held and not behind_cdn
    if behind_cdn:
        held += unseen(at, history, robot, resolution)
    return Knowledge(in_force(history, at, resolution), tuple(held), is_blocked, bool(before))


def last_received(
    fetches: Sequence[LoggedAnswer],
    history: ServedVersions,
    robot: RobotReading,
    resolution: int,
    *,
    identity: str,
) -> list[HeldCopy]:
    """Return the copies that a robot may have stored last, of any age.

    While robots.txt is unreachable, its copy may be used for more than 24 hours. That there was no
    file is no copy of one; a 429 says nothing about the file. What somebody else received may be
    one more copy, and replaces none: only an answer that binds the sender does.

    Source: RFC 9309 sections 2.3.1.4 and 2.4.

    """
    found: list[HeldCopy] = []
    for fetch in reversed(fetches):
        copies = list_copies(fetch, history, robot, resolution)
        stored = [copy for copy in copies if copy.kind != "free"]
        found += stored
        if not fetch.binds(identity):
            continue
        if any(copy.kind == "file" for copy in stored):
            break
        if copies and not stored and is_about_file(fetch.status):
            break
    return found


def usable(
    fetches: Sequence[LoggedAnswer],
    at: int,
    history: ServedVersions,
    robot: RobotReading,
    resolution: int,
) -> list[HeldCopy]:
    """Return the answers of requests that may still be used at a time."""
    found = []
    for fetch in fetches:
        age = at - fetch.at
        for copy in list_copies(fetch, history, robot, resolution):
            life = robot.default_life if copy.version is None else robot.life(copy.version)
            if age < life + resolution:
                found.append(copy)
    return found


def list_copies(
    fetch: LoggedAnswer, history: ServedVersions, robot: RobotReading, resolution: int
) -> list[HeldCopy]:
    """Return what a request may have brought; nothing if the server failed."""
    meaning = meaning_of(fetch.status, robot.dialect)
    if meaning == "unreachable":
        return []
    if meaning == "file":
        # A file came, so it was none of the times without one.
        files = [
            version
            for version in in_force(history, fetch.at, resolution)
            if version.content is not None
        ]
        if files:
            return [HeldCopy("file", fetch.answer.answered, fetch.status, file) for file in files]
    kind: Literal["free", "unclear"] = "free" if meaning == "free" else "unclear"
    return [HeldCopy(kind, fetch.answer.answered, fetch.status)]


def failing_fetches(fetches: Sequence[LoggedAnswer], robot: RobotReading) -> list[LoggedAnswer]:
    """Return the last requests, as far back as the server failed without an interruption."""
    found: list[LoggedAnswer] = []
    for fetch in reversed(fetches):
        if meaning_of(fetch.status, robot.dialect) != "unreachable":
            break
        found.insert(0, fetch)
    return found


def unseen(
    at: int, history: ServedVersions, robot: RobotReading, resolution: int
) -> list[HeldCopy]:
    """Return what a cache may have answered to requests that the log does not show."""
    found = []
    for version in history.versions:
        life = robot.life(version)
        is_alive = version.end is None or version.end > at - life - resolution
        if at >= served_after(version, resolution) and is_alive:
            found.append(HeldCopy("unseen", None, None, version))
    span = history.known_span
    if span is None or span[0] > at - robot.default_life - resolution:
        found.append(HeldCopy("unclear", None, None))
    return found
