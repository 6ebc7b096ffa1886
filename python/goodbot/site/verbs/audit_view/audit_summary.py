"""The result of an audit on a terminal: a row for each robot, and why.

Scope: printing. The sums and the words of reasons are in `goodbot.site.audit`.
"""

from collections.abc import Iterable, Sequence

from goodbot.cli.shared.printing import Printer, Styled
from goodbot.http.amounts import counted
from goodbot.http.instants import format_time, in_seconds
from goodbot.knowledge import stamp
from goodbot.site.audit import REASONS, Audit, AuditedRobot, AuditResult, PolicySource
from goodbot.site.audit.audit_outcomes import classify_reason
from goodbot.site.audit.identity import IDENTITY_REASONS
from goodbot.site.audit.shown_address import show_line
from goodbot.site.logs.log_notes import has_no_agents, source_name
from goodbot.site.verbs.audit_view.audit_declared import print_declared
from goodbot.site.verbs.audit_view.audit_pace import pace_words, select_pace
from goodbot.site.verbs.audit_view.audit_words import place_in_log, size_in_words, uses_in_words

HEADS = (" |Robot", " |Requests", " |Verified", " |Allowed", " |Late", " |Violations", " |Unknown",
         "Not|judged", "Too|fast", " |Bytes")  # fmt: skip
"""The two lines of the heads."""
MOST_ROBOTS = 50
"""How many robots have a row; --json has all."""
LONGEST_NAME = 24
EXAMPLES = 3
"""How many requests of a kind are shown for each robot."""
SECTIONS = {
    "violation": "Violations",
    "late": "Late, not violations",
    "unknown": "Unknown, never violations",
    "unclaimed": "Not judged: the robot does not claim to obey",
    "unjudged": "Not judged",
}
SHOWN = ("violation", "late")
"""The outcomes of which examples are shown."""
UNREAD_REASONS = {
    "form": "not in the format of the log",
    "time": "its time cannot be read",
    "value": "a value cannot be read",
    "length": "too long",
}


def print_summary(audit: Audit, printer: Printer) -> None:
    """Print what an audit found.

    Args:
        audit: The audit.
        printer: Where to.

    """
    robots = sorted(audit.robots, key=lambda robot: -robot.requests)
    print_inputs(audit, printer)
    if robots:
        print_rows([cells(robot) for robot in robots[:MOST_ROBOTS]], printer)
    else:
        printer.line(nothing_found(audit))
    for outcome, title in SECTIONS.items():
        print_reasons(audit, robots, (outcome, title), printer)
    print_pace(audit.result, robots, printer)
    print_priced(robots, printer)
    print_declared(robots[:MOST_ROBOTS], printer)
    print_uses(robots, printer)
    print_spoofed(audit, robots, printer)
    print_not_judged(audit, printer)
    printer.line("")
    printer.prose(f"Made with {stamp()}.")


def nothing_found(audit: Audit) -> str:
    """Return that there is no row, and what that means."""
    if has_no_agents(audit.log):
        return "The log has no User-Agent, so nothing is known of robots."
    return "No known robot has requested anything from these sites."


def print_inputs(audit: Audit, printer: Printer) -> None:
    """Print what was read: the log, and the robots.txt of each site."""
    names = ", ".join(map(source_name, audit.log_names))
    lines = counted(audit.log.lines, "line")
    if audit.begins is not None and audit.ends is not None:
        lines += f", {format_time(audit.begins)} to {format_time(audit.ends)}"
    printer.prose(f"{names}: {lines}")
    for source in audit.policies:
        printer.prose(f"{source.history.site}: {history_words(source)}")
    printer.line("")


def history_words(source: PolicySource) -> str:
    """Return what is known of the robots.txt of a site, as a part of a sentence."""
    history = source.history
    words = (
        f"{counted(len(history.versions), 'version')} of robots.txt from {', '.join(source.given)}"
    )
    if history.known_from is not None:
        words += f", known from {format_time(history.known_from)}"
        until = history.known_until
        words += " on" if until is None else f" to {format_time(until)}"
    return words


def cells(robot: AuditedRobot) -> list[str]:
    """Return the row of a robot."""
    outcomes = robot.outcomes
    numbers = [
        robot.requests, robot.verified, outcomes["allowed"], outcomes["late"],
        outcomes["violation"], outcomes["unknown"], outcomes["unclaimed"] + outcomes["unjudged"],
        robot.too_fast,
    ]  # fmt: skip
    return [robot.robot, *(f"{number:,}" for number in numbers), size_in_words(robot)]


def print_rows(rows: list[list[str]], printer: Printer) -> None:
    """Print the rows below their heads: names on the left, numbers on the right."""
    heads = [list(row) for row in zip(*(head.split("|") for head in HEADS), strict=True)]
    for row in rows:
        row[0] = row[0] if len(row[0]) <= LONGEST_NAME else f"{row[0][: LONGEST_NAME - 1]}…"
    widths = [max(map(len, column)) for column in zip(*heads, *rows, strict=True)]
    gap = "  " if sum(widths) + 2 * len(widths) <= printer.columns else " "
    for place, row in enumerate([*heads, *rows]):
        text = gap.join([row[0].ljust(widths[0]), *(
            cell.strip().rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)
        )]).rstrip()  # fmt: skip
        printer.line(Styled(text, "heading") if place < len(heads) else text)


def print_reasons(
    audit: Audit, robots: Iterable[AuditedRobot], section: tuple[str, str], printer: Printer
) -> None:
    """Print why requests have an outcome, with examples of those that matter."""
    outcome, title = section
    found = [judged for judged in robots if judged.outcomes[outcome]]
    if not found:
        return
    print_title(title, printer)
    for robot in found:
        reasons = (why for why in robot.reasons if classify_reason(why) == outcome)
        for reason in reasons:
            requests = counted(robot.reasons[reason], "request")
            requests += describe_disallowed(audit, robot, reason) if outcome == "unclaimed" else ""
            said = f"{robot.robot}: {requests}. {REASONS[reason].meaning} ({reason})"
            printer.prose(said, "  ", Styled(f"{robot.robot}:", "heading"))
            if outcome in SHOWN:
                rows = [row for row in robot.rows if audit.result.reasons[row] == reason]
                print_examples(audit.result, rows, printer)


def describe_disallowed(audit: Audit, robot: AuditedRobot, reason: str) -> str:
    """Return how many requests that are not judged were disallowed, as a part of a sentence."""
    rows = [row for row in robot.rows if audit.result.reasons[row] == reason]
    return f", {audit.result.disallowed(rows):,} of them disallowed by robots.txt"


def print_examples(result: AuditResult, rows: Sequence[int], printer: Printer) -> None:
    """Print the first of some requests, with the line of robots.txt that decides."""
    for row in rows[:EXAMPLES]:
        found = result.judgement(row)
        place = "" if found.place is None else f"; {found.place}"
        request = found.request
        printer.prose(
            f"line {place_in_log(result, row)}, {in_seconds(request.time)}: {request.method} "
            f"{request.target}{place}",
            "    ",
        )
    if len(rows) > EXAMPLES:
        printer.line(f"    and {len(rows) - EXAMPLES:,} more")


def print_pace(result: AuditResult, robots: Iterable[AuditedRobot], printer: Printer) -> None:
    """Print which wishes for a pace were broken, and what followed a 429, a 503 or a 410."""
    found = [(robot, pace) for robot in robots for pace in select_pace(robot.pace)]
    if not found:
        return
    print_title("Pace", printer)
    for robot, one in found:
        said = f"{robot.robot}: {pace_words(result, one)}"
        printer.prose(said, "  ", Styled(f"{robot.robot}:", "heading"))


def print_priced(robots: Iterable[AuditedRobot], printer: Printer) -> None:
    """Print how many requests the site answered with a price instead of the page."""
    found = [robot for robot in robots if robot.priced]
    if not found:
        return
    print_title("Priced: answered with 402, and not served", printer)
    for robot in found:
        said = f"{robot.robot}: {counted(robot.priced, 'request')}"
        printer.prose(said, "  ", Styled(f"{robot.robot}:", "heading"))


def print_uses(robots: Iterable[AuditedRobot], printer: Printer) -> None:
    """Print of how many pages that robots were served robots.txt reserves or licenses a use."""
    found = [(robot, said) for robot in robots if (said := uses_in_words(robot))]
    if not found:
        return
    print_title("Uses: what robots.txt said about the pages that were served", printer)
    for robot, said in found:
        text = f"{robot.robot}: {said}"
        printer.prose(text, "  ", Styled(f"{robot.robot}:", "heading"))


def print_spoofed(audit: Audit, robots: Iterable[AuditedRobot], printer: Printer) -> None:
    """Print which names were spoofed; nothing of it is laid on their owners."""
    found = [claimed for claimed in robots if claimed.spoofed]
    if not found:
        return
    print_title("Spoofed names: not the requests of these robots", printer)
    rows = audit.result.rows
    for robot in found:
        addresses = {rows.addresses[row] for row in robot.spoofed}
        why = sorted({
            sender.reason for address in addresses
            for sender in audit.senders[robot.robot, address] if sender.outcome == "spoofed"
        })  # fmt: skip
        meanings = "; ".join(f"{IDENTITY_REASONS[reason][1]} ({reason})" for reason in why)
        printer.prose(
            f"{robot.robot}: {counted(len(robot.spoofed), 'request')} from "
            f"{len(addresses):,} address{'' if len(addresses) == 1 else 'es'}: {meanings}",
            "  ",
            Styled(f"{robot.robot}:", "heading"),
        )


def print_not_judged(audit: Audit, printer: Printer) -> None:
    """Print what was not judged because it is not a request of a known robot at these sites."""
    if audit.refused_lines:
        print_title(f"{counted(audit.refused_lines, 'line')} could not be read", printer)
        for unread in audit.log.shown[:EXAMPLES]:
            text = show_line(unread.begin, whole=audit.whole_addresses)
            line = (
                f"{unread.line} of {unread.source}"
                if len(audit.log_names) > 1
                else f"{unread.line}"
            )
            printer.prose(
                f"line {line}, {UNREAD_REASONS.get(unread.reason, unread.reason)}: {text}", "  "
            )
    if len(audit.robots) > MOST_ROBOTS:
        printer.note(f"{len(audit.robots) - MOST_ROBOTS:,} more robots; --json has all")
    notes = list(audit.notes)
    if notes:
        printer.line("")
    for note in notes:
        printer.note(note)


def print_title(title: str, printer: Printer) -> None:
    """Print the title of a section."""
    printer.line("")
    printer.line(Styled(title, "heading"))
