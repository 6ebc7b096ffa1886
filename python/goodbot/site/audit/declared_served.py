"""What robots.txt declared of each request, and what the server served: by robot, folder and week.

Scope: decisions on judged rows, and their sums. The words and what each answer means are in
`goodbot.http.served`.

What is declared is what the robots.txt in force says, whatever copy the robot held: whether a
request was a violation is another question.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Protocol

from goodbot.display import short_repr
from goodbot.http.instants import DAY
from goodbot.http.served import Declared, Served, find_served
from goodbot.lazy_dataclass import dataclass
from goodbot.site.audit.audit_options import AuditOptions
from goodbot.site.audit.held_intervals import SenderTimelines
from goodbot.site.audit.request import ROBOTS_TXT, target_path
from goodbot.site.audit.request_table import RequestGroup, RequestRows
from goodbot.site.audit.robot_reading import RobotReading
from goodbot.site.audit.served_versions import ServedVersions

__all__ = ["DeclaredServed", "folder_of", "is_challenge", "sum_pairs", "week_of"]

FIRST_MONDAY = date(1970, 1, 5)
DAYS_BEFORE = 4
"""How many days of 1970 come before its first Monday."""
LONGEST_FOLDER = 64
"""The most characters of a folder."""
MOST_FOLDERS = 200
"""How many folders of a robot are counted by themselves; the others are counted together."""
OTHER_FOLDERS = "…"
"""What stands for the others."""
NO_FOLDER = "(no path)"
"""What stands for requests that ask for no path."""
CHALLENGE_WORDS = frozenset({"challenge", "captcha", "jschallenge", "managedchallenge"})
"""The words with which a log says that a firewall answered with a challenge: those of the fields in
`goodbot.http.challenges.CHALLENGES`, and of Cloudflare's SecurityAction (Logpush, Security fields,
where `challengeSolved` and the like are no challenges)."""


class LogOfRobot(Protocol):
    """The requests of one robot at one site, with what they are judged by."""

    group: RequestGroup
    reading: RobotReading
    history: ServedVersions | None

    def states(self, options: AuditOptions) -> SenderTimelines | None:
        """Return what the robot may have known over time; `None` if the site is not known."""


@dataclass(frozen=True, slots=True, repr=False)
class DeclaredServed:
    """How many requests of a robot have one pair of words, in one folder and one week."""

    folder: str
    """The first segment of the path, such as `/shop/`; `/` for pages beside the home page."""
    week: date
    """The Monday with which the week begins, in UTC."""
    declared: Declared
    """What robots.txt declared: a key of `goodbot.http.served.DECLARED`."""
    served: Served | None
    """What was served: a key of `goodbot.http.served.SERVED`; `None` if the log has no status."""
    requests: int
    """How many requests."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "folder": self.folder,
            "week": self.week.isoformat(),
            "declared": self.declared,
            "served": self.served,
            "requests": self.requests,
        }


def is_challenge(words: str | None) -> bool:
    """Return whether what a log says of an answer shows the challenge of a firewall.

    >>> is_challenge("managedChallenge"), is_challenge("managed_challenge"), is_challenge("block")
    (True, True, False)
    """
    if not words:
        return False
    return any(
        word.replace("_", "").strip() in CHALLENGE_WORDS
        for word in words.lower().replace(";", ",").split(",")
    )


def folder_of(target: str) -> str:
    """Return the folder of a target: the first segment of its path, if anything follows it.

    >>> [folder_of(target) for target in ("/", "/a?b=/c/", "/shop/a/b", "/shop/", "*")]
    ['/', '/', '/shop/', '/shop/', '(no path)']
    """
    path = target_path(target)
    if path is None:
        return NO_FOLDER
    first, slash, _ = path.partition("?")[0][1:].partition("/")
    return f"/{first}/"[:LONGEST_FOLDER] if slash else "/"


def week_of(time: int) -> date:
    """Return the Monday with which the week of a time begins, in UTC.

    Args:
        time: Microseconds since 1970.

    >>> week_of(0), week_of(4 * 86_400_000_000)
    (datetime.date(1969, 12, 29), datetime.date(1970, 1, 5))
    """
    return FIRST_MONDAY + timedelta(weeks=(time // DAY - DAYS_BEFORE) // 7)


def declare_rows(
    rows: RequestRows, logs: Iterable[LogOfRobot], options: AuditOptions
) -> list[Declared]:
    """Return what the robots.txt in force declared of each row.

    Several may have been in force, if the time of a change is not known: what they all say counts.
    """
    declared: list[Declared] = ["unknown"] * len(rows.times)
    for log in logs:
        declare_log(rows, log, options, declared)
    return declared


def declare_log(
    rows: RequestRows, log: LogOfRobot, options: AuditOptions, declared: list[Declared]
) -> None:
    """Write what was declared of the requests of one robot at one site."""
    states, history = log.states(options), log.history
    if states is None or history is None:
        return
    paths = {target: target_path(rows.target_names[target])
             for target in {rows.targets[row] for row in log.group.rows}}  # fmt: skip
    waiting: dict[int, tuple[int, ...]] = {}
    wanted: dict[int, set[str]] = {}
    for row in log.group.rows:
        path = paths[rows.targets[row]]
        if path == ROBOTS_TXT:
            declared[row] = "allowed"
        elif path is not None:
            in_force = states.at(rows.times[row], rows.identities[row]).in_force
            waiting[row] = in_force
            for version in in_force:
                wanted.setdefault(version, set()).add(path)
    answers: dict[int, dict[str, bool]] = {}
    for version, asked in wanted.items():
        ordered = sorted(asked)
        allowed = log.reading.allows_many(history.versions[version], ordered)
        answers[version] = dict(zip(ordered, allowed, strict=True))
    for row, in_force in waiting.items():
        path = paths[rows.targets[row]] or "/"
        declared[row] = agreed(answers[version][path] for version in in_force)


def agreed(answers: Iterable[bool]) -> Declared:
    """Return what several versions of robots.txt declare together."""
    found = set(answers)
    if len(found) != 1:
        return "unknown"
    return "allowed" if found.pop() else "disallowed"


def serve_rows(
    statuses: Sequence[int | None], challenges: Sequence[str] | None
) -> list[Served | None]:
    """Return what each answer of a log served; `None` where the log shows no answer.

    Args:
        statuses: The status of each answer; `None` if the log does not state it.
        challenges: What shows that an answer is a challenge; `None` if the log shows it nowhere.

    """
    seen: dict[tuple[int | None, str], Served | None] = {}
    found: list[Served | None] = []
    for row, status in enumerate(statuses):
        key = status, challenges[row] if challenges is not None else ""
        if key not in seen:
            challenged = is_challenge(key[1])
            is_shown = status is not None or challenged
            seen[key] = find_served(status, challenged=challenged) if is_shown else None
        found.append(seen[key])
    return found


def sum_pairs(
    rows: RequestRows,
    words: tuple[Sequence[Declared], Sequence[Served | None]],
    places: Sequence[int],
) -> tuple[DeclaredServed, ...]:
    """Return how many of some requests have each pair, by folder and week, in that order.

    Args:
        rows: The requests of robots.
        words: What was declared and what was served of each.
        places: The places of the requests of one robot.

    """
    declared, served = words
    names, targets = rows.target_names, rows.targets
    folders = {target: folder_of(names[target]) for target in {targets[row] for row in places}}
    kept = keep_folders(Counter(folders[targets[row]] for row in places))
    counts = Counter(
        (
            kept.get(folders[targets[row]], OTHER_FOLDERS),
            week_of(rows.times[row]),
            declared[row],
            served[row],
        )
        for row in places
    )
    ordered = sorted(counts.items(), key=lambda item: (*item[0][:3], item[0][3] or ""))
    return tuple(DeclaredServed(*key, count) for key, count in ordered)


def keep_folders(counts: Mapping[str, int]) -> dict[str, str]:
    """Return the folders that are counted by themselves: those with the most requests."""
    most = sorted(counts, key=lambda folder: (-counts[folder], folder))[:MOST_FOLDERS]
    return dict(zip(most, most, strict=True))
