"""The result of `goodbot audit suggest`: from its arguments to plain values.

Scope: it reads robots.txt; `goodbot.site.audit` reads the log, and decides.
"""

from typing import Any

import goodbot
from goodbot.cli.shared.options import SiteOptions
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.cli.shared.sources.robots_source import read_robots_txt
from goodbot.files.file_input import STANDARD_INPUT
from goodbot.lazy_dataclass import dataclass
from goodbot.site.audit import LogSuggestions, suggest_from_logs
from goodbot.site.audit.files.policy_sources import check_sites

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
    found: LogSuggestions

    def as_object(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        found = self.found.as_dict()
        named = {"robots_txt": self.args.robots_txt, "change": self.args.change}
        return {"site": found.pop("site"), **named, **found}


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
    check_sites([args.site], "site")
    before = read_robots_txt(args.robots_txt, DIALECT, site_options, strict=True)
    change = None
    if args.change is not None:
        change = read_robots_txt(args.change, DIALECT, site_options, strict=True)

    def show_progress(_what: str, count: int) -> None:
        line.show(lambda _: f"{count:,} lines read …")

    found = suggest_from_logs(
        args.logs,
        before,
        args.site,
        change=change,
        log_format=args.log_format,
        most=args.most,
        progress=show_progress,
    )
    line.show(None)
    return SuggestResult(args, found)
