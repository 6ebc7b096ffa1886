"""`goodbot policies`: tables of policies by origin and time: build, show and merge them."""

import json
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.advice.near_misses import VerbGroup
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.cli.shared.time_format import format_time, span
from goodbot.http.address import address_of
from goodbot.http.amounts import counted, format_bytes
from goodbot.http.instants import written

if TYPE_CHECKING:
    from goodbot.policy import LearnedPolicy, PoliciesThen, PolicyTimeline
    from goodbot.policy_tables import BuildSummary

__all__ = ["policies"]

OUT_HELP = (
    "The table to write: .parquet, or .arrow for lookups from a memory-mapped file. An existing "
    "file is replaced."
)
out = click.option("-o", "--out", metavar="FILE", required=True, help=OUT_HELP)

STEPS = {
    "files": "reading WARC files",
    "sources": "reading sources",
    "tables": "reading tables",
    "redirects": "following redirects",
    "policies": "writing policies",
}
"""What a step of the work is called."""
PERMITS = {"rules", "allow-all"}
"""What allows anything, until it expires."""
BAR = 20
NOT_CAPTURED = "robots.txt redirected to what is not in the sources"


@click.group(cls=VerbGroup, no_args_is_help=True)
def policies() -> None:
    """Build, show or merge tables of policies: every robots.txt by site and time.

    \b
    Examples:
      goodbot policies build robotstxt/*.warc.gz -o policies.parquet
      goodbot policies show policies.parquet https://example.com --at 2026-01-31T12:00:00Z
      goodbot policies merge january.parquet february.parquet -o both.parquet

    The columns are in the reference, on the page of the table of policies. Requires
    pip install 'goodbot[columns]'.
    """  # noqa: D301  click looks for the character that \b is


@policies.command(no_args_is_help=True)
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@out
@options.dialect
@options.as_json("one object with the numbers")
def build(sources: tuple[str, ...], out: str, dialect: str, *, as_json: bool) -> ExitStatus:
    """Build a table of policies from WARC files, crawls and other sources.

    \b
    Examples:
      goodbot policies build robotstxt/*.warc.gz -o policies.parquet
      goodbot policies build shop-crawl policies.db -o policies.arrow

    \b
    Sources:
      x.warc.gz, x.wacz  their responses for robots.txt, with 404s and redirects
      a folder           of WARC files, of a crawl, or with HOST/TIME.txt, such as
                         example.com/2026-01-31T120000Z.txt
      a store            a file of SQLiteStore
      x.parquet          with the columns url, time, status and body

    Nothing is requested. A redirect of robots.txt counts if the response of its target is in the
    sources and came within an hour after it; else nothing is known then. Memory use does not grow
    with the sources; temporary files are written beside the table.

    Exit status: 0 the table was written, 2 it was not, or a source is damaged or has no robots.txt.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.policy_tables import build_policies  # noqa: PLC0415  slow to load, and for this only

    goodbot.dialect(dialect)  # its message is about dialects, as those of other verbs
    with ProgressLine(sys.stderr) as line:
        done = build_policies(sources, out, dialect=dialect, progress=shown_on(line))
    print_summary(done, out, as_json=as_json)
    if not done.rows:
        warnings.warn("no source has an answer for a robots.txt")
    return ExitStatus.ALLOWED if done.rows and not done.unread else ExitStatus.MISUSE


@policies.command(no_args_is_help=True)
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True)
@out
@click.option(
    "-d",
    "--dialect",
    metavar="NAME",
    help="The dialect of the merged table; by default that of the first table.",
)
@options.as_json("one object with the numbers")
def merge(tables: tuple[str, ...], out: str, dialect: str | None, *, as_json: bool) -> ExitStatus:
    """Merge tables of policies; rows that are in several of them are written once.

    \b
    Examples:
      goodbot policies merge january.parquet february.parquet -o both.parquet
      goodbot policies merge policies.parquet -o policies.arrow

    What follows from an answer may depend on the one before it, which may be in another table: a
    copy stays in force during an outage. So every row is evaluated again.

    Exit status: 0 the table was written, 2 it was not.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.policy_tables import merge_policies  # noqa: PLC0415  slow to load, and for this only

    with ProgressLine(sys.stderr) as line:
        done = merge_policies(tables, out, dialect=dialect, progress=shown_on(line))
    print_summary(done, out, as_json=as_json)
    return ExitStatus.ALLOWED


@policies.command(no_args_is_help=True)
@click.argument("table", metavar="TABLE")
@click.argument("origin", metavar="URL")
@click.option(
    "--at",
    "time",
    metavar="TIME",
    help="Only what held at this time, such as 2026-01-31T12:00:00Z; without a zone, in UTC.",
)
@options.as_json("one object per policy")
def show(table: str, origin: str, time: str | None, *, as_json: bool) -> ExitStatus:
    """Show the policies of a site: which held when, why, and for how long.

    \b
    Examples:
      goodbot policies show policies.parquet https://example.com
      goodbot policies show policies.parquet https://example.com --at 2026-01-31T12:00:00Z --json

    What a policy forbids counts at any age. What it permits counts only until it expires, or if the
    same robots.txt was seen again later.

    Exit status: 0 a policy is known, 1 none is (with --at: none was known then), 2 there is no
    answer.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.policy_tables import policy_timeline  # noqa: PLC0415  slow to load, and for this only

    at = None if time is None else time_of(time)
    address_of(origin)  # its message is about URLs of http and https
    timeline = policy_timeline(table, origin)
    printer = Printer(sys.stdout)
    rows = rows_of(timeline) if at is None else held_at(timeline, at)
    then = None if at is None else timeline.at(at)
    for one in rows:
        if as_json:
            printer.line(json.dumps(as_dict(goodbot.origin(origin), one, then)))
        else:
            print_policy(one, then, printer)
    if rows:
        return ExitStatus.ALLOWED
    warnings.warn(why_nothing(table, goodbot.origin(origin), timeline, at))
    return ExitStatus.DISALLOWED


def rows_of(timeline: "PolicyTimeline") -> "list[LearnedPolicy | datetime]":
    """Return the policies of a site, and the times from which on nothing is known, in order."""
    rows: list[LearnedPolicy | datetime] = [*timeline.learned, *timeline.unknown_from]
    return sorted(rows, key=lambda one: one if isinstance(one, datetime) else one.at)


def why_nothing(table: str, site: str, timeline: "PolicyTimeline", at: datetime | None) -> str:
    """Return why there is no policy to show."""
    if not timeline.learned and not timeline.unknown_from:
        return f"{table} has no policy of {site}"
    first = rows_of(timeline)[0]
    since = first if isinstance(first, datetime) else first.at
    if at is not None and at >= since:
        return f"no policy of {site} is known then: {NOT_CAPTURED}"
    return f"no policy of {site} is known before {format_time(since)}"


def time_of(text: str) -> datetime:
    """Return a time that was typed.

    Raises:
        MisuseError: It is not a time.

    >>> time_of("2026-01-31").isoformat(), time_of("2026-01-31T12:00:00Z").isoformat()
    ('2026-01-31T00:00:00+00:00', '2026-01-31T12:00:00+00:00')
    """
    try:
        found = datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError as error:
        message = f"{text!r} is not a time; write --at as in 2026-01-31T12:00:00Z"
        raise goodbot.MisuseError(message) from error
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)


def held_at(timeline: "PolicyTimeline", at: datetime) -> "list[LearnedPolicy | datetime]":
    """Return the policies that held at a time, with when they were learned."""
    found = timeline.at(at).policies
    return [one for one in timeline.learned if any(one.policy is policy for policy in found)]


def shown_on(line: ProgressLine) -> Callable[[str, int, int], None]:
    """Return what shows the progress of building as a bar."""

    def report(step: str, done: int, total: int) -> None:
        filled = BAR * done // max(total, 1)
        bar = "#" * filled + "." * (BAR - filled)
        line.show(lambda _: f"[{bar}] {STEPS[step]}: {done:,} of {total:,}")

    return report


def as_dict(
    site: str, one: "LearnedPolicy | datetime", then: "PoliciesThen | None"
) -> dict[str, Any]:
    """Return a policy for JSON, or the time from which on nothing is known."""
    if isinstance(one, datetime):
        return {
            "origin": site, "valid_from": written(one), "valid_until": written(one),
            "access": "unknown", "reason": "not-captured", "status": None, "hops": [],
            "sha256": None, "stale": False,
        }  # fmt: skip
    policy = one.policy
    digest = None if policy.robots_txt is None else sha256_of(policy.robots_txt.content)
    found: dict[str, Any] = {
        "origin": policy.origin,
        "valid_from": written(one.at),
        "valid_until": written(policy.fresh_until),
        "access": policy.access,
        "reason": policy.reason,
        "status": policy.status,
        "hops": list(policy.hops),
        "sha256": digest,
        "stale": policy.failing_since is not None and policy.robots_txt is not None,
    }
    if then is not None and then.age is not None:
        found |= {"age_seconds": then.age.total_seconds(), "is_current": then.is_current}
    return found


def sha256_of(content: bytes) -> str:
    """Return the SHA-256 of a robots.txt, in hexadecimal."""
    import hashlib  # noqa: PLC0415  for this only

    return hashlib.sha256(content).hexdigest()


def print_policy(
    one: "LearnedPolicy | datetime", then: "PoliciesThen | None", printer: Printer
) -> None:
    """Print a policy as two lines, or that nothing is known from a time on."""
    if isinstance(one, datetime):
        printer.line(f"{format_time(one)}  unknown (not-captured)")
        printer.line(f"    {NOT_CAPTURED}")
        return
    policy = one.policy
    # What forbids everything has nothing that could end: it counts at any age.
    until = "to be requested again from" if policy.access not in PERMITS else "permits until"
    printer.line(
        f"{format_time(one.at)}  {policy.access} ({policy.reason}), {until} "
        f"{format_time(policy.fresh_until)}"
    )
    robots_txt = policy.robots_txt
    facts = [f"status {policy.status}" if policy.status is not None else "no answer"]
    facts += [f"redirected to {policy.hops[-1]}"] if policy.hops else []
    if robots_txt is not None:
        size = format_bytes(len(robots_txt.content))
        facts.append(f"{size}, SHA-256 {sha256_of(robots_txt.content)[:16]}")
    if policy.failing_since is not None:
        facts.append(f"failing since {format_time(policy.failing_since)}")
    if then is not None and then.age is not None:
        state = "current" if then.is_current else "expired: it permits nothing then"
        facts.append(f"{span(then.age.total_seconds())} old, {state}")
    printer.line(f"    {'; '.join(facts)}")


def print_summary(done: "BuildSummary", path: str, *, as_json: bool) -> None:
    """Print what was written."""
    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps(done.as_dict()))
        return
    noun = "policy" if done.rows == 1 else "policies"
    sites, records = counted(done.origins, "site"), counted(done.records, "record")
    printer.line(f"{path}: {done.rows:,} {noun} of {sites}, from {records}")
    if done.lost_redirects:
        printer.prose(
            f"{counted(done.lost_redirects, 'redirect')} of robots.txt led to what is not in the "
            "sources within an hour after it: nothing is known then. Name the files that have the "
            "targets as well."
        )
    if done.undated:
        printer.prose(
            f"{counted(done.undated, 'response')} had a date outside of the time span of the file: "
            "the time span is used instead."
        )
    if done.omitted:
        printer.prose(
            f"{counted(done.omitted, 'response')} omitted: too many for one URL. Nothing is "
            "allowed from then on."
        )
    if done.unreadable:
        printer.prose(
            f"{counted(done.unreadable, 'response')} for robots.txt could not be read: the content "
            "or the time is damaged. A success without its content allows nothing."
        )
    for count, why in (
        (done.no_url, "without a URL"),
        (done.no_time, "without a time"),
        (done.other_scheme, "with a URL that is not an absolute one of http or https"),
    ):
        if count:
            printer.prose(f"{counted(count, 'row')} {why} skipped.")
    if done.other_urls:
        printer.prose(
            f"{counted(done.other_urls, 'row')} of other URLs than a robots.txt: they count only "
            "where a redirect leads to them."
        )
    if done.unread:
        printer.prose(f"Not read, because files are damaged: {format_bytes(done.unread)}.")
