"""`goodbot audit`: did robots obey robots.txt, by the log of a server?"""

import json
import sys
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import click

from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.error_messages import with_options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.cli.shared.verb_groups import LazyVerb, VerbWithOthers, complete_verbs
from goodbot.errors import WrongValueError
from goodbot.files.overwriting import refuse_overwriting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goodbot.site.audit import Audit

__all__ = ["audit"]

FINDINGS = ("violation", "late", "too-fast", "spoofed")
"""What `--fail-on` can name: the keys of `goodbot.site.audit.FINDINGS`, which is slow to load."""


LAZY = {
    "suggest": LazyVerb(
        "site.verbs.suggest",
        "Show what a change of robots.txt would have kept away, by a server's log.",
    ),
}


@click.command(cls=VerbWithOthers, lazy=LAZY, no_args_is_help=True)
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, shell_complete=complete_verbs)
@click.option(
    "--policy",
    "policies",
    metavar="SOURCE",
    multiple=True,
    required=True,
    help="Where robots.txt is read over time; see above. Repeatable.",
)
@click.option(
    "--site",
    "sites",
    metavar="URL",
    multiple=True,
    required=True,
    help="A site that the log is of. Lines that name no host are about the first. Repeatable.",
)
@click.option(
    "--log-format",
    metavar="FORMAT",
    help="The format of the log: a name such as combined, a log_format of nginx, a LogFormat of "
    'Apache, or JSON such as \'{"ts": "time"}\'. By default it is detected.',
)
@click.option(
    "--proxies",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    help="How many proxies in front of the server add an address to X-Forwarded-For.",
)
@click.option(
    "--server-port",
    "server_ports",
    metavar="PORT",
    type=click.IntRange(1, 65_535),
    multiple=True,
    help="A port at which the server listens behind a proxy: lines with it are about the sites. "
    "Without it, a line of another port than 80 is about another site. Repeatable.",
)
@click.option(
    "--max-age",
    metavar="DURATION",
    type=options.DurationType(),
    help="The max-age of Cache-Control with which the sites serve robots.txt, in seconds or as in "
    "90m, 6h or 7d: for so long a robot may use a copy of a version from a file, a folder or git. "
    "By default 24 hours.",
)
@click.option(
    "--follow",
    is_flag=True,
    help="Read the log as it grows, also when it is rotated. Ctrl-C ends that and prints the audit "
    "of what was read.",
)
@click.option(
    "--behind-cdn",
    is_flag=True,
    help="A cache in front of the server may have answered requests that the log does not show.",
)
@click.option(
    "--unknown",
    is_flag=True,
    help="Also judge robots that are not in 'goodbot bots', each under the name that its "
    "User-Agent gives.",
)
@click.option(
    "--addresses",
    metavar="ROBOT=FILE",
    multiple=True,
    help="The list of addresses of a robot's operator, as it was while the log was written, "
    "instead of the copy that 'goodbot bots update' keeps. Repeatable.",
)
@click.option(
    "--keys",
    metavar="ROBOT=FILE|URL",
    multiple=True,
    help="The keys of a robot's operator, to verify the signatures of requests where the log has "
    "the fields Signature, Signature-Input and Signature-Agent: ROBOT=FILE, ROBOT=URL, or for a "
    "known robot the URL alone. A URL is fetched now; URL=FILE says which one a file was saved "
    "from. Requires pip install 'goodbot[signatures]'. Repeatable.",
)
@click.option(
    "--dns/--offline",
    "dns",
    default=False,
    help="Ask name servers for the names of addresses, or use only the answers in your cache, "
    "which is the default. Requires pip install 'goodbot[dns]'.",
)
@click.option(
    "--shortened-log",
    is_flag=True,
    help="The log has shortened addresses, so that none of them can be verified.",
)
@click.option(
    "--fail-on",
    metavar="|".join(FINDINGS),
    type=click.Choice(FINDINGS),
    multiple=True,
    help="Exit with 1 if this was found. Repeatable.",
)
@click.option(
    "--whole-addresses", is_flag=True, help="Show addresses in full instead of shortened."
)
@click.option(
    "-r",
    "--robot",
    cls=options.OneRobotOption,
    metavar="NAME",
    help="Show what one robot did, and the lines of robots.txt beside it.",
)
@click.option(
    "--html",
    cls=options.OnceOption,
    metavar="FILE",
    help="Write a page with charts and tables, in one file of HTML.",
)
@click.option(
    "--requests",
    cls=options.OnceOption,
    metavar="FILE",
    help="Write every judged request, as Parquet or JSON lines: FILE ends with .parquet or .jsonl.",
)
@options.as_json("one object; with --robot, one object per line, for each event")
def audit(
    fail_on: tuple[str, ...],
    robot: str | None,
    *,
    as_json: bool,
    html: str | None,
    requests: str | None,
    follow: bool,
    **given: Any,  # noqa: ANN401  the arguments of `goodbot.site.audit.audit`
) -> ExitStatus:
    """Judge by a server's log whether robots obeyed robots.txt.

    \b
    Examples:
      goodbot audit access.log --policy git:robots.txt --site https://example.com
      goodbot audit access.log* --policy robots.txt@2026-01-31 --site https://example.com
      zcat logs/*.gz | goodbot audit - --policy policies.parquet --site https://example.com
      goodbot audit access.log --policy versions/ --site https://example.com --robot GPTBot

    \b
    LOG is a file, a folder, a pattern, or - for standard input. SOURCE is one of:
      git:PATH     a robots.txt in a git repository: each commit is a version
      FILE@TIME    a robots.txt that was served from this time on (UTC), such as
                   robots.txt@2026-01-31 or robots.txt@2026-01-31T12:00:00Z
      a folder     with TIME.txt, such as 2026-01-31T120000Z.txt, or HOST/TIME.txt
      a store      a file of SQLiteStore, or the folder of a crawl
      x.warc.gz    a WARC, ARC or WACZ file, or a folder of them
      x.parquet    a table of policies ('goodbot tables build')

    A request is a violation only if no robots.txt that the robot could rightly hold allowed it.
    What is not known, such as which copy a robot had fetched before the log begins, is never a
    violation. Requests under a spoofed name are not laid on its owner. Requires
    pip install 'goodbot[audit]'.

    Exit status: 0 the log was audited, 1 --fail-on was found, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.site.audit.files.robot_log import check_logs  # noqa: PLC0415  slow to load

    check_logs(given["logs"], is_followed=follow)
    check_outputs(given, html, requests)
    with ProgressLine(sys.stderr) as line:
        audited = run_audit(given, line, is_followed=follow)
    write_files(audited, html, requests)
    show(audited, robot, as_json=as_json)
    found = [name for name in audited.findings if name in fail_on]
    if found:
        sys.stdout.flush()
        warnings.note(f"--fail-on: found {', '.join(found)}")
    return ExitStatus.DISALLOWED if found else ExitStatus.ALLOWED


def run_audit(given: dict[str, Any], line: ProgressLine, *, is_followed: bool) -> "Audit":
    """Return the audit, and show how far it is."""
    from goodbot.site.audit import audit as audit_logs  # noqa: PLC0415  slow to load
    from goodbot.site.verbs.audit_view.following import Interruption  # noqa: PLC0415  as above

    interruption = Interruption() if is_followed else None

    def show_progress(what: str, count: int) -> None:
        if what == "policies" and interruption is not None:
            interruption.watch()
        elif what == "lines":
            how = "; Ctrl-C audits them" if is_followed else " …"
            line.show(lambda _: f"{count:,} lines read{how}")
        elif what == "names":
            line.ask(f"the names of {count:,} addresses")
        else:
            line.show(None)

    stop = None if interruption is None else lambda: interruption.has_come
    try:
        now = datetime.now(timezone.utc)
        audited = audit_logs(**given, now=now, stop=stop, progress=show_progress)
    finally:
        if interruption is not None:
            interruption.restore()
    return replace(audited, notes=tuple(map(with_options, audited.notes)))


def check_outputs(given: dict[str, Any], html: str | None, requests: str | None) -> None:
    """Refuse to write a file that is read, one file twice, and requests of an unknown form."""
    from goodbot.site.logs.log_files import files_in  # noqa: PLC0415  slow to load

    if requests is not None and not requests.lower().endswith((".parquet", ".jsonl")):
        message = f"--requests {requests}: the name must end with .parquet or .jsonl"
        raise WrongValueError(message)
    outputs = [one for one in (html, requests) if one is not None]
    from goodbot.site.audit.files.own_keys import key_place  # noqa: PLC0415  as above

    inputs = [one.partition("=")[2] for one in given["addresses"]]
    inputs += [path for one in given["keys"] if (path := key_place(one).path) is not None]
    for source in given["policies"]:
        path, at, _ = source.removeprefix("git:").rpartition("@")
        inputs += [source.removeprefix("git:"), *([path] if at else [])]
    logs = [one for one in files_in(given["logs"]) if one != "-"]
    for place, output in enumerate(outputs):
        refuse_overwriting(output, [*logs, *inputs, *outputs[:place]])


def show(audited: "Audit", robot: str | None, *, as_json: bool) -> None:
    """Print the audit, or the story of one robot."""
    from goodbot.site.verbs.audit_view.audit_story import print_story  # noqa: PLC0415  slow to load
    from goodbot.site.verbs.audit_view.audit_summary import print_summary  # noqa: PLC0415  as above

    printer = Printer(sys.stdout)
    if as_json:
        found = [audited.as_dict()] if robot is None else list_events(audited, robot)
        for one in found:
            printer.line(json.dumps(one))
    elif robot is None:
        print_summary(audited, printer)
    else:
        print_story(audited, robot, printer)


def list_events(audited: "Audit", robot: str) -> "Iterator[dict[str, Any]]":
    """Yield what happened between a robot and each site, as plain values."""
    for story in audited.stories(robot):
        yield from story.as_dicts()


def write_files(audited: "Audit", html: str | None, requests: str | None) -> None:
    """Write the files that were asked for."""
    from goodbot.files.atomic_file import atomic_file  # noqa: PLC0415  as above
    from goodbot.site.audit import write_requests  # noqa: PLC0415  slow to load
    from goodbot.site.verbs.audit_view.audit_page import audit_page  # noqa: PLC0415  as above

    if html is not None:
        with atomic_file(html) as file:
            file.write(audit_page(audited).encode())
    if requests is not None:
        write_requests(audited, requests)
