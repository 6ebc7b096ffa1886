"""The result of an audit as a page of HTML in one file.

Scope: the content of the page. Its frame and all escaping are those of `html_page`, its sums those
of `goodbot.site.audit`, its charts those of `audit_lanes`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from goodbot.bots import known
from goodbot.cli.shared.printing import cut_line
from goodbot.content_use.file_answers import LEAST_FIRST
from goodbot.html_page import (
    MOST_ROWS,
    Tone,
    badge,
    charts_style,
    code,
    page,
    section,
    shown,
    table,
    tables_script,
    verdict,
)
from goodbot.http.amounts import counted
from goodbot.http.instants import in_seconds, instant
from goodbot.knowledge import stamp
from goodbot.site.audit import NOT_JUDGED, OUTCOMES, REASONS, Audit, AuditedRobot
from goodbot.site.verbs.audit_view.audit_declared import TITLE as DECLARED_TITLE
from goodbot.site.verbs.audit_view.audit_declared import declared_section
from goodbot.site.verbs.audit_view.audit_lanes import TimeBins, multiples, time_line
from goodbot.site.verbs.audit_view.audit_pace import explain_pace, pace_verdict, select_pace
from goodbot.site.verbs.audit_view.audit_words import place_in_log, size_in_words

TONES: dict[str, Tone] = {"allowed": "good", "late": "odd", "violation": "bad"}
ROBOT_HEADS = [
    "robot", "operator", "requests", "verified", "spoofed", "allowed", "late", "violations",
    "unknown", "not judged", "too fast", "bytes",
]  # fmt: skip


def audit_page(audit: Audit) -> str:
    """Return the page.

    Args:
        audit: The audit.

    """
    robots = sorted(audit.robots, key=lambda audited: (-audited.requests, audited.robot))
    lines = counted(audit.log.lines, "line")
    if audit.begins is not None and audit.ends is not None:
        lines += f", {in_seconds(audit.begins)} to {in_seconds(audit.ends)}"
    pieces = page(
        "Did robots obey robots.txt?",
        content(audit, robots),
        kicker="goodbot audit",
        lede=f"{', '.join(audit.sites)}: {lines}.",
        foot="Only requests of robots are shown."
        + ("" if audit.whole_addresses else " Addresses are not shown in full.")
        + f" Made with {stamp()}.",
        style=charts_style(),
        script=tables_script(),
    )
    return "".join(pieces)


def content(audit: Audit, robots: Sequence[AuditedRobot]) -> Iterator[str]:
    """Yield the answer, the time line, and the tables."""
    violations = sum(audited.outcomes["violation"] for audited in robots)
    requests = sum(audited.requests for audited in robots)
    yield verdict(answer(violations, requests), "bad" if violations else "good" if robots else "")
    times = audit.result.rows.times
    if times:
        bins = TimeBins.of([*log_times(audit)] or times)
        yield from section("Requests over time", time_line(audit, bins))
        yield from section("Each robot over time", multiples(audit, robots, bins))
        yield from section("Robots", robot_table(robots))
        yield from section(DECLARED_TITLE, declared_section(robots))
    if violations:
        yield from section("Violations", violation_table(audit))
    if any(True for robot in robots for _ in select_pace(robot.pace)):
        yield from section("Pace", pace_table(audit, robots))
    if any(robot.uses for robot in robots):
        yield from section("Uses", use_table(robots))
    if times:
        yield from section("Why", reason_table(audit))
    yield from section("What robots.txt was in force", policy_table(audit))
    yield from section("What this audit cannot know", limits(audit))


def log_times(audit: Audit) -> Iterator[int]:
    """Yield when the log begins and ends, in microseconds since 1970."""
    for time in (audit.begins, audit.ends):
        if time is not None:
            yield instant(time, "time")


def answer(violations: int, requests: int) -> str:
    """Return the answer in a sentence."""
    if not requests:
        return "No request of a robot was judged."
    if not violations:
        return f"No violation in {counted(requests, 'request')} of robots."
    verb = "is a violation" if violations == 1 else "are violations"
    return f"{violations:,} of {counted(requests, 'request')} of robots {verb} of robots.txt."


def robot_table(robots: Sequence[AuditedRobot]) -> Iterator[str]:
    """Yield the row of each robot."""
    yield from table(ROBOT_HEADS, map(robot_row, robots), numbers=range(2, 11))


def robot_row(one: AuditedRobot) -> list[str]:
    """Return the cells of a robot."""
    robot = known(one.robot)
    outcomes = one.outcomes
    numbers = [
        one.requests, one.verified, len(one.spoofed), outcomes["allowed"], outcomes["late"],
        outcomes["violation"], outcomes["unknown"],
        outcomes["unclaimed"] + outcomes["unjudged"], one.too_fast,
    ]  # fmt: skip
    operator = shown((robot.operator if robot else None) or "not known")
    return [
        shown(one.robot), operator, *(f"{n:,}" for n in numbers), shown(size_in_words(one))
    ]  # fmt: skip


def use_table(robots: Sequence[AuditedRobot]) -> Iterator[str]:
    """Yield what robots.txt said about the uses of the pages that each robot was served."""
    yield (
        "<p>How many requests were answered with a page that robots.txt reserves, offers for a "
        "licence, allows or does not mention for a use. What became of the pages no log shows.</p>"
    )
    rows = [
        [shown(robot.robot), shown(use), *(f"{counts.get(one, 0):,}" for one in LEAST_FIRST)]
        for robot in robots
        for use, counts in robot.uses.items()
        if set(counts) > {"unknown"} or "unknown" not in counts
    ]
    yield from table(["robot", "use", *LEAST_FIRST], rows, numbers=range(2, 6))


def violation_table(audit: Audit) -> Iterator[str]:
    """Yield the first violations, each with the line of the log and of robots.txt."""
    result, times = audit.result, audit.result.rows.times
    found = [
        row for row, why in enumerate(result.reasons) if REASONS[why].outcome == "violation"
    ]  # fmt: skip
    found.sort(key=lambda row: (times[row], result.rows.lines[row] or 0))
    heads = ["line of the log", "time", "robot", "request", "status", "why", "line of robots.txt"]
    rows = (violation_row(audit, row) for row in found[:MOST_ROWS])
    elsewhere = "<code>goodbot audit --requests FILE</code> writes all"
    yield from table(heads, rows, count=len(found), elsewhere=elsewhere)


def violation_row(audit: Audit, row: int) -> list[str]:
    """Return the cells of a violation."""
    judged = audit.result.judgement(row)
    request, place = judged.request, judged.place
    where = "no file" if place is None else f"robots.txt {place.digest}"
    if place is not None and place.line:
        where = f"line {place.line} of {where}"
    rule = code(cut_line(place.text)) if place is not None and place.text else ""
    return [
        shown(place_in_log(audit.result, row)),
        shown(in_seconds(request.time)),
        shown(request.robot),
        code(cut_line(f"{request.method} {request.target}")),
        shown("" if request.status is None else f"{request.status}"),
        f'{shown(judged.meaning)} <span class="note">{shown(judged.reason)}</span>',
        f'{rule} <span class="note">{shown(where)}</span>',
    ]


def pace_table(audit: Audit, robots: Sequence[AuditedRobot]) -> Iterator[str]:
    """Yield which wishes for a pace were not kept, and what followed a 429, a 503 or a 410."""
    rows = (
        [
            shown(pace.robot),
            shown(f"{pace.check} ({pace.family})"),
            badge(pace_verdict(pace), "" if pace else "bad"),
            f"{pace.breaches:,}",
            f"{pace.checked:,}",
            f"{pace.answers:,}" if pace.answers else "",
            shown(pace.asked),
            shown(explain_pace(pace)),
            shown(", ".join(place_in_log(audit.result, row) for row in pace.rows[:3])),
        ]
        for robot in robots
        for pace in select_pace(robot.pace)
    )
    heads = [
        "robot", "what was asked", "outcome", "broken by", "checked", "answers of 429, 503, 410",
        "by", "why", "first lines of the log",
    ]  # fmt: skip
    yield from table(heads, rows, numbers=(3, 4, 5))


def reason_table(audit: Audit) -> Iterator[str]:
    """Yield every reason that was found, with its meaning and source."""
    counts = Counter(audit.result.reasons)
    rows = (
        [
            shown(reason),
            badge(one.outcome, TONES.get(one.outcome, "")),
            f"{counts[reason]:,}",
            shown(one.meaning),
            shown(one.source),
        ]
        for reason, one in REASONS.items()
        if counts[reason]
    )
    yield from table(["reason", "outcome", "requests", "meaning", "source"], rows, numbers=(2,))
    yield "<ul>\n"
    for name, meaning in OUTCOMES.items():
        yield f"<li>{badge(name, TONES.get(name, ''))} {shown(meaning)}</li>\n"
    yield "</ul>\n"


def policy_table(audit: Audit) -> Iterator[str]:
    """Yield every robots.txt that was known."""
    rows = (
        [
            shown(source.history.site),
            shown(version.digest),
            shown(in_seconds(version.since)),
            shown(", ".join(source.given)),
        ]
        for source in audit.policies
        for version in source.history.versions
    )
    yield from table(["site", "robots.txt", "since", "read from"], rows)


def limits(audit: Audit) -> Iterator[str]:
    """Yield what the audit does not judge, and what was omitted."""
    notes = [f"{name}: {why}" for name, why in NOT_JUDGED.items()]
    notes.append(
        "A User-Agent is only a claim; who sent a request is certain only if it is verified."
    )
    if audit.refused_lines:
        notes.append(f"{counted(audit.refused_lines, 'line')} of the log could not be read.")
    notes += (f"{text[:1].upper()}{text[1:]}." for text in audit.notes)
    yield "<ul>\n"
    for note in notes:
        yield f"<li>{shown(note)}</li>\n"
    yield "</ul>\n"
