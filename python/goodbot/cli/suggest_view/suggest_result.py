"""The result of `goodbot suggest`: from its arguments to plain values.

Scope: it reads the log and the files; `goodbot.audit` decides.
"""

from dataclasses import dataclass
from typing import Any

import goodbot
from goodbot.audit import KeptAway, Suggestion, TargetSums, kept_away, request_sums, suggest
from goodbot.cli.audit_view.audit_args import AuditArgs
from goodbot.cli.audit_view.audit_log import read_robot_log
from goodbot.cli.audit_view.audit_policies import site_origins
from goodbot.cli.shared.options import SiteOptions
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.cli.shared.sources.robots_source import read_robots_txt
from goodbot.file_input import STANDARD_INPUT
from goodbot.reasoning import compare_files

__all__ = ["SuggestArgs", "SuggestResult", "read_result"]

DIALECT = "rfc9309"
"""The dialect of robots whose own is not known."""


@dataclass(frozen=True, slots=True)
class SuggestArgs:
    """What is read."""

    logs: tuple[str, ...]
    site: str
    robots_txt: str
    change: str | None
    log_format: str | None
    most: int


@dataclass(frozen=True, slots=True)
class SuggestResult:
    """What a change would have kept away, or the suggestions."""

    args: SuggestArgs
    site: str
    """The origin."""
    robots: tuple[KeptAway, ...]
    """What the change would have kept away, by robot; without one, what each robot requested."""
    effect: str | None
    """What the change does to what robots may fetch; `None` without one."""
    suggestions: tuple[Suggestion, ...]

    def as_object(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return {
            "site": self.site,
            "robots_txt": self.args.robots_txt,
            "change": self.args.change,
            "effect": self.effect,
            "robots": [robot_object(one) for one in self.robots],
            "suggestions": [suggestion_object(one) for one in self.suggestions],
        }


def read_result(args: SuggestArgs, site_options: SiteOptions, line: ProgressLine) -> SuggestResult:
    """Read the log and the files, and decide.

    Args:
        args: What is read.
        site_options: How a site is visited.
        line: Shows how far the log is read.

    Raises:
        GoodbotError: A site has given no answer.
        MisuseError: A log or a file cannot be read, or standard input is several of them.
        MissingExtraError: What reads logs is not installed.
        OSError: A file cannot be read.

    """
    if [*args.logs, args.robots_txt, args.change].count(STANDARD_INPUT) > 1:
        message = "standard input can be one thing only; name - once"
        raise goodbot.MisuseError(message)
    sites = site_origins([args.site])
    before = read_robots_txt(args.robots_txt, DIALECT, site_options, strict=True)
    after = before
    if args.change is not None:
        after = read_robots_txt(args.change, DIALECT, site_options, strict=True)
    log = read_robot_log(AuditArgs(args.logs, (), (args.site,), args.log_format), sites, line)
    sums = request_sums(log.tables)
    is_change = args.change is not None
    return SuggestResult(
        args,
        sites[0],
        kept_away(sums, before, after),
        compare_files(before, after).effect if is_change else None,
        () if is_change else suggest(sums, before, most=args.most),
    )


def sums_object(sums: TargetSums) -> dict[str, int]:
    """Return sums as plain values."""
    return {"requests": sums.requests, "bytes": sums.bytes}


def robot_object(one: KeptAway) -> dict[str, Any]:
    """Return what is kept away of a robot as plain values."""
    return {
        "robot": one.robot,
        "heeds": one.heeds,
        "all": sums_object(one.all),
        "disregarded": sums_object(one.disregarded),
        "kept": sums_object(one.kept),
        "named": sums_object(one.named),
    }


def suggestion_object(one: Suggestion) -> dict[str, Any]:
    """Return a suggestion as plain values."""
    return {
        "purpose": one.purpose,
        "lines": list(one.lines),
        "added": one.added,
        "kept": sums_object(one.kept),
        "robots": [robot_object(each) for each in one.robots],
        "search_robots": list(one.search_robots),
        "effect": one.comparison.effect,
        "examples": [
            {"robots": list(each.members), "path": difference.path}
            for each in one.comparison.robots
            for difference in each.differences
        ],
    }
