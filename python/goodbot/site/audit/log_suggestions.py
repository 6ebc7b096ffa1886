r"""What a change of robots.txt would have kept away, by logs; or which lines keep away the most.

Scope: the order of the steps. `kept_away` and `suggesting` decide.
"""

from collections.abc import Iterable
from typing import Any

from goodbot._core import RobotsTxt
from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass
from goodbot.site.audit.files.policy_sources import check_sites
from goodbot.site.audit.files.robot_log import LogProgress, ignore_progress, read_robot_log
from goodbot.site.audit.kept_away import KeptAway, kept_away, request_sums
from goodbot.site.audit.log_auditing import list_logs
from goodbot.site.audit.suggesting import MOST_SUGGESTED, Suggestion, suggest
from goodbot.site.logs.log_files import LogSource
from goodbot.site.reasoning import compare_files


@dataclass(frozen=True, slots=True, repr=False)
class LogSuggestions:
    """What a change would have kept away, or suggestions."""

    site: str
    """The site, as an origin."""
    robots: tuple[KeptAway, ...]
    """What the change would have kept away, by robot; without one, what each robot requested."""
    effect: str | None
    """What the change does to what robots may fetch, as `FileComparison.effect`; `None` without
    one."""
    suggestions: tuple[Suggestion, ...]
    """Lines that would have kept robots away, the most bytes first; empty with a change."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "site": self.site,
            "effect": self.effect,
            "robots": [robot.as_dict() for robot in self.robots],
            "suggestions": [suggestion.as_dict() for suggestion in self.suggestions],
        }


def suggest_from_logs(
    logs: LogSource | Iterable[LogSource],
    file: RobotsTxt,
    site: str,
    *,
    change: RobotsTxt | None = None,
    log_format: str | None = None,
    most: int = MOST_SUGGESTED,
    progress: LogProgress = ignore_progress,
) -> LogSuggestions:
    r"""Return lines of robots.txt that would have kept the most away, or what a change would have.

    It does what `goodbot audit suggest` does. Who sent a request is not checked.

    Args:
        logs: Paths, folders, patterns such as `access.log*`, `-` for standard input, or binary
            streams: one or several.
        file: The present robots.txt.
        site: The URL of the site. Requests of other hosts are ignored.
        change: A changed robots.txt; with it, nothing is suggested.
        log_format: The format of the log; by default it is detected.
        most: The most suggestions.
        progress: Called with `lines`, and how many were read so far.

    Raises:
        MisuseError: A log cannot be read, or it has no request.
        MissingExtraError: What reads logs is not installed: `pip install 'goodbot[audit]'`.
        NoOriginError: `site` has no origin.
        WrongTypeError: A file is not a `RobotsTxt`.
        WrongValueError: There is no such format.

    >>> import io, goodbot
    >>> from goodbot.site.audit import suggest_from_logs
    >>> when = "[10/Oct/2026:08:00:00 +0000]"
    >>> line = f'192.0.2.1 - - {when} "GET /find?q=a HTTP/1.1" 200 9 "-" "GPTBot"\n'
    >>> before = goodbot.RobotsTxt("User-agent: *\nDisallow: /private\n")
    >>> found = suggest_from_logs(io.BytesIO(line.encode()), before, "https://example.com")
    >>> [(one.purpose, one.lines) for one in found.suggestions][:1]
    [('ai-training', ('Disallow: /*?q=', 'Disallow: /*&q='))]

    """
    sites = check_sites([site])
    log = read_robot_log(list_logs(logs), sites, log_format=log_format, progress=progress)
    sums = request_sums(log.tables)
    return LogSuggestions(
        sites[0],
        kept_away(sums, file, file if change is None else change),
        None if change is None else compare_files(file, change).effect,
        suggest(sums, file, most=most) if change is None else (),
    )
