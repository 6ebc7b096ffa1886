"""The summary of `goodbot tables verdicts` on a terminal.

Scope: words. The counts are `goodbot.tables.writing`'.
"""

from goodbot.cli.shared.printing import Printer, print_table
from goodbot.http.amounts import counted
from goodbot.tables.writing import VerdictSummary

__all__ = ["print_summary"]


def print_summary(summary: VerdictSummary, output: str | None, printer: Printer) -> None:
    """Print a table of the robots, one of the reasons, and what they come from.

    Args:
        summary: The result.
        output: The file that was written, if any.
        printer: Where it is printed.

    """
    print_robots(summary, printer)
    printer.line()
    print_reasons(summary, printer)
    print_uses(summary, printer)
    printer.line()
    printer.line(what_was_judged(summary, output))
    printer.line(
        f"by goodbot {summary.version}, with the policies of {summary.policies} "
        f"({list_dialects(summary)})"
    )


def print_robots(summary: VerdictSummary, printer: Printer) -> None:
    """Print how many URLs each robot was allowed to fetch."""
    rows = [
        (
            robot.robot,
            *(
                share(count, summary.urls)
                for count in (robot.allowed, robot.disallowed, robot.unknown)
            ),
        )
        for robot in summary.robots
    ]
    print_table(("robot", "allowed", "disallowed", "unknown"), rows, printer)


def print_reasons(summary: VerdictSummary, printer: Printer) -> None:
    """Print how many verdicts on each robot had each reason."""
    robots = summary.robots
    reasons = dict.fromkeys(reason for robot in robots for reason in robot.reasons)
    rows = [
        (reason, *(share(robot.reasons.get(reason, 0), summary.urls) for robot in robots))
        for reason in reasons
    ]
    print_table(("reason", *(robot.robot for robot in robots)), rows, printer)


def print_uses(summary: VerdictSummary, printer: Printer) -> None:
    """Print how many answers of each kind each use has for each robot, if uses were asked."""
    robots = [robot for robot in summary.robots if robot.uses]
    if not robots:
        return
    answers = dict.fromkeys(
        (use, answer) for robot in robots for use, found in robot.uses.items() for answer in found
    )
    rows = [
        (
            f"{use}: {answer}",
            *(share(robot.uses.get(use, {}).get(answer, 0), summary.urls) for robot in robots),
        )
        for use, answer in answers
    ]
    printer.line()
    print_table(("use", *(robot.robot for robot in robots)), rows, printer)


def what_was_judged(summary: VerdictSummary, output: str | None) -> str:
    """Return which URLs were judged, by the policies of which time, and where the result is.

    >>> what_was_judged(VerdictSummary(5, 2, (), at="fetched", total=24_000), None)
    '5 of 24,000 URLs of 2 files, chosen by chance, judged as of fetched'
    >>> what_was_judged(VerdictSummary(5, 1, (), resumed=4, at="day", total=5), "out.parquet")
    '5 URLs of 1 file, judged as of day (4 of them by an earlier run), written to out.parquet'
    """
    is_sample = summary.urls < summary.total
    of_all = f" of {summary.total:,}" if is_sample else ""
    urls = "URL" if (summary.total if is_sample else summary.urls) == 1 else "URLs"
    what = f"{summary.urls:,}{of_all} {urls} of {counted(summary.files, 'file')}"
    chosen = ", chosen by chance" if is_sample else ""
    by = f"judged as of {summary.at}" if summary.at else "judged by the newest policies"
    earlier = f" ({summary.resumed:,} of them by an earlier run)" if summary.resumed else ""
    written = f", written to {output}" if output is not None else ""
    return f"{what}{chosen}, {by}{earlier}{written}"


def list_dialects(summary: VerdictSummary) -> str:
    """Return the dialect of the policies, and those of robots that have their own."""
    own: dict[str, list[str]] = {}
    for robot in summary.robots:
        if robot.dialect != summary.dialect:
            own.setdefault(robot.dialect, []).append(robot.robot)
    others = [f"{dialect} for {', '.join(robots)}" for dialect, robots in own.items()]
    return "; ".join([f"dialect {summary.dialect}", *others])


def share(count: int, total: int) -> str:
    """Return a number with its share of all.

    >>> share(1_250, 10_000), share(0, 0)
    ('1,250 (12.5 %)', '0')
    """
    return f"{count:,} ({100 * count / total:.1f} %)" if count else "0"
