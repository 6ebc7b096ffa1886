r"""What a change of robots.txt would have kept away from a site, by the requests of its log.

Scope: the requests of each robot by target, and the verdicts of two robots.txt files on them. Lines
that would keep robots away are found in `suggesting`.

>>> import goodbot
>>> from goodbot.site.audit import TargetSums, kept_away
>>> sums = {"GPTBot": {"/": TargetSums(2, 900), "/find?q=a": TargetSums(7, 5_000)}}
>>> before, after = goodbot.RobotsTxt(""), goodbot.RobotsTxt("User-agent: *\nDisallow: /find")
>>> [(one.robot, one.heeds, one.kept) for one in kept_away(sums, before, after)]
[('GPTBot', 'says-so', TargetSums(requests=7, bytes=5000))]
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from goodbot._core import RobotsTxt
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.http.request_target import asked_url
from goodbot.lazy_dataclass import dataclass
from goodbot.site.audit.request import ROBOTS_TXT, target_path
from goodbot.site.audit.request_table import one_table, with_value
from goodbot.site.audit.robot_reading import RobotReading

Heeds: TypeAlias = Literal["says-so", "did", "no"]

HEEDS: dict[str, str] = {
    "says-so": "Its operator says that it obeys robots.txt.",
    "did": "Nothing is said, and it requested nothing that robots.txt disallows.",
    "no": "Its operator says that it does not obey, or nothing is said and it requested what "
    "robots.txt disallows: no line keeps it away.",
}
"""Whether a robot heeds robots.txt, each with its meaning."""


class TargetSums(NamedTuple):
    """Requests, and the bytes of their answers."""

    requests: int = 0
    bytes: int = 0

    def plus(self, other: "TargetSums") -> "TargetSums":
        """Return both together."""
        return TargetSums(self.requests + other.requests, self.bytes + other.bytes)


RequestSums: TypeAlias = Mapping[str, Mapping[str, TargetSums]]
"""The sums of each target, by robot."""


@dataclass(frozen=True, slots=True, repr=False)
class KeptAway:
    """What a change of robots.txt would have kept away of one robot."""

    robot: str
    """The robot."""
    heeds: Heeds
    """Whether it heeds robots.txt, a key of `HEEDS`."""
    all: TargetSums
    """All its requests."""
    disregarded: TargetSums
    """Those that the present file disallows already."""
    kept: TargetSums
    """Those that only the changed file disallows; nothing if it does not heed robots.txt."""
    named: TargetSums
    """Those that only the changed file disallows, whether it heeds robots.txt or not."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "robot": self.robot,
            "heeds": self.heeds,
            "all": self.all._asdict(),
            "disregarded": self.disregarded._asdict(),
            "kept": self.kept._asdict(),
            "named": self.named._asdict(),
        }


def request_sums(requests: Any) -> dict[str, dict[str, TargetSums]]:  # noqa: ANN401  Arrow, of any library
    """Return the sums of each target, by robot.

    Args:
        requests: The requests of one site: a table with the columns of
            `goodbot.site.audit.COLUMNS`, or the tables of the parts of a log. Rows of
            people, requests under a spoofed name (column `identity`) and those for robots.txt are
            skipped.

    Raises:
        MissingExtraError: pyarrow is not installed.
        WrongTypeError: `requests` is no table, or a column has the wrong type.
        WrongValueError: A column is missing.

    """
    table = with_value(one_table(requests), "robot")
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    if "identity" in table.column_names:
        who = table.column("identity").cast("string").fill_null("")
        table = table.filter(pc.not_equal(who, "spoofed"))
    sums = table.group_by(["robot", "target"]).aggregate([("bytes", "sum"), ("time", "count")])
    names = ("robot", "target", "time_count", "bytes_sum")
    found: dict[str, dict[str, TargetSums]] = {}
    columns = (sums.column(name).to_pylist() for name in names)
    for robot, target, count, size in zip(*columns, strict=True):
        path = target_path(target or "")
        if path is not None and path != ROBOTS_TXT:
            paths = found.setdefault(robot, {})
            paths[path] = paths.get(path, TargetSums()).plus(TargetSums(count, size or 0))
    return found


def kept_away(sums: RequestSums, before: RobotsTxt, after: RobotsTxt) -> tuple[KeptAway, ...]:
    """Return what a change would have kept away of each robot, the most bytes first.

    Each distinct target is decided by both files, in the robot's own dialect.

    Args:
        sums: The requests, from `request_sums`.
        before: The present robots.txt; a robot whose dialect is not known reads it in that of the
            file.
        after: The changed one.

    Raises:
        RobotNameError: The name of a robot is empty, or looks like a URL.
        WrongTypeError: A file is not a `RobotsTxt`.

    Source: RFC 9309 section 2.2, or the documents of the dialect.

    """
    for file in (before, after):
        if not isinstance(file, RobotsTxt):
            message = f"a file must be a RobotsTxt, not {type(file).__name__}"
            raise WrongTypeError(message)
    found = [measure_robot(RobotReading(name, before.dialect.name), targets, before, after)
             for name, targets in sums.items()]  # fmt: skip
    return tuple(
        sorted(found, key=lambda robot: (-robot.kept.bytes, -robot.kept.requests, robot.robot))
    )


def measure_robot(
    reading: RobotReading, targets: Mapping[str, TargetSums], before: RobotsTxt, after: RobotsTxt
) -> KeptAway:
    """Return what a change would have kept away of one robot."""
    paths = list(targets)
    were, are = (ask_paths(reading, file.content, paths) for file in (before, after))
    disregarded = together(targets[path] for path, was in zip(paths, were, strict=True) if not was)
    named = together(
        targets[path] for path, was, is_allowed in zip(paths, were, are, strict=True)
        if was and not is_allowed
    )  # fmt: skip
    heeds = heeds_robots_txt(reading, disregarded)
    kept = TargetSums() if heeds == "no" else named
    return KeptAway(reading.name, heeds, together(targets.values()), disregarded, kept, named)


def heeds_robots_txt(reading: RobotReading, disregarded: TargetSums) -> Heeds:
    """Return whether a robot heeds robots.txt."""
    if reading.claim() is not None:
        return "no"
    if reading.known is not None and reading.known.obeys:
        return "says-so"
    return "no" if disregarded.requests else "did"


def ask_paths(reading: RobotReading, content: bytes, paths: list[str]) -> list[bool]:
    """Return for each path whether a file allows it to a robot."""
    return reading.rules(content).allows_many(map(asked_url, paths))


def together(many: Iterable[TargetSums]) -> TargetSums:
    """Return the sum of sums."""
    requests, size = 0, 0
    for part in many:
        requests += part.requests
        size += part.bytes
    return TargetSums(requests, size)
