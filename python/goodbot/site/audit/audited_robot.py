"""What an audit found of each robot, apart from requests under its spoofed name.

Scope: values, counted from the judged rows.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import cached_property

from goodbot.display import short_repr
from goodbot.http.payment import PAYMENT_REQUIRED
from goodbot.http.served import Declared, Served
from goodbot.lazy_dataclass import dataclass
from goodbot.site.audit.audit_outcomes import classify_reason
from goodbot.site.audit.audit_result import AuditResult
from goodbot.site.audit.declared_served import DeclaredServed, sum_pairs
from goodbot.site.audit.pace_judgement import PaceJudgement
from goodbot.site.audit.use_counting import UseCounts, count_uses

SPOOFED = "spoofed"


@dataclass(frozen=True, repr=False)
class AuditedRobot:
    """What an audit found of one robot."""

    robot: str
    """The robot, as the log names it."""
    rows: Sequence[int]
    """Its rows in the result, in the order of their times, without spoofed ones."""
    spoofed: Sequence[int]
    """The rows of requests that name it and come from someone else."""
    pace: tuple[PaceJudgement, ...]
    """How it kept the pace that the sites ask for."""
    verified: int
    """How many requests come from its operator for certain."""
    bytes: int | None
    """The bytes of the answers to its requests; `None` if the log does not state them."""
    reasons: dict[str, int]
    """How many requests have each reason, the most frequent first."""
    priced: int = 0
    """How many requests were answered with 402: a payment was asked for, and nothing served."""
    declared_served: tuple[DeclaredServed, ...] = ()
    """How many requests have each pair of what robots.txt declared and the server served, by
    folder and week."""
    uses: UseCounts = field(default_factory=dict)
    """For each use how many requests were served a page that robots.txt allows to be used so, asks
    a licence for, reserves, or does not mention; empty if it mentions no use."""

    __repr__ = short_repr

    @cached_property
    def outcomes(self) -> Counter[str]:
        """How many requests have each outcome, a key of `goodbot.site.audit.OUTCOMES`."""
        found: Counter[str] = Counter()
        for reason, count in self.reasons.items():
            found[classify_reason(reason)] += count
        return found

    @cached_property
    def pairs(self) -> Counter[tuple[Declared, Served | None]]:
        """How many requests have each pair of what was declared and what was served."""
        found: Counter[tuple[Declared, Served | None]] = Counter()
        for one in self.declared_served:
            found[one.declared, one.served] += one.requests
        return found

    @property
    def requests(self) -> int:
        """How many requests it sent, as far as is known."""
        return len(self.rows)

    @cached_property
    def too_fast(self) -> int:
        """How many requests broke a wish for a pace that the robot claims to read."""
        return len({row for pace in self.pace if not pace for row in pace.rows})


def sum_robots(result: AuditResult, pace: Iterable[PaceJudgement] = ()) -> tuple[AuditedRobot, ...]:
    """Return what was found of each robot at all sites, in the order of their names.

    Args:
        result: The judged requests.
        pace: How robots kept a pace, from `check_pace`.

    """
    rows: dict[str, array[int]] = {}
    for log in result.logs:
        rows.setdefault(log.group.robot, array("q")).extend(log.group.rows)
    paces: dict[str, list[PaceJudgement]] = {}
    for judged in pace:
        paces.setdefault(judged.robot, []).append(judged)
    return tuple(
        sum_robot(result, name, places, tuple(paces.get(name, ())))
        for name, places in sorted(rows.items())
    )


def sum_robot(
    result: AuditResult, robot: str, places: Sequence[int], pace: tuple[PaceJudgement, ...]
) -> AuditedRobot:
    """Return what was found of one robot, from its rows."""
    rows = result.rows
    everything = sorted(places, key=lambda row: (rows.times[row], rows.lines[row]))
    own = array("q", (row for row in everything if result.reasons[row] != SPOOFED))
    stated = (rows.sizes[row] for row in own)
    sizes = array("q", (size for size in stated if size is not None))
    return AuditedRobot(
        robot=robot,
        rows=own,
        spoofed=array("q", (row for row in everything if result.reasons[row] == SPOOFED)),
        pace=pace,
        verified=sum(rows.identities[row] == "verified" for row in own),
        bytes=sum(sizes) if sizes or not own else None,
        reasons=dict(Counter(result.reasons[row] for row in own).most_common()),
        priced=sum(rows.statuses[row] == PAYMENT_REQUIRED for row in own),
        declared_served=sum_pairs(rows, (result.declared, result.served), own),
        uses=count_uses(result, own),
    )
