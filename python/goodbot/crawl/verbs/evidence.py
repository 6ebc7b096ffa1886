"""`goodbot evidence`: what a crawl did with one URL, and why; or all of its evidence."""

import json
import sys
from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled
from goodbot.crawl.verbs.crawl_folder import CrawlVerb, crawl_folder
from goodbot.crawl.verbs.history import print_history, print_requests
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from goodbot.crawl.evidence.history import Request
    from goodbot.crawl.evidence.record import RecordSigner
    from goodbot.crawl.folder.database import Database

__all__ = ["evidence"]

STANDARD_OUTPUT = "-"


@click.command(cls=CrawlVerb, behind="url")
@crawl_folder
@click.argument("url", metavar="URL", required=False)
@click.option(
    "--export",
    "exported",
    metavar="FILE",
    help="Write all evidence: to FILE.parquet (needs pyarrow) one row for each URL and act, to "
    "FILE.jsonl or - (standard output) one line of JSON for each visit.",
)
@click.option(
    "--requests",
    metavar="FILE",
    help="Write every request, with who sent it and when: to FILE.parquet (needs pyarrow), to "
    "FILE.jsonl or - (standard output).",
)
@click.option(
    "--record",
    metavar="FILE",
    help="Write a signed record of the crawl to FILE, which others can check without goodbot: its "
    "requests, pauses and exceptions, and each robots.txt by its digest. Needs --sign.",
)
@click.option(
    "--sign",
    metavar="FOLDER",
    help="Sign the record by the identity in this folder ('goodbot robot identity new'). Requires "
    "pip install 'goodbot[signatures]'.",
)
@click.option(
    "--rows",
    metavar="FILE",
    help="Write the rows that the record is about, as JSON lines, so that others can compute "
    "again what it states.",
)
@click.option(
    "--timestamp",
    metavar="URL",
    help="An authority that stamps the signature of the record with the time (RFC 3161). Requires "
    "pip install 'goodbot[timestamps]'.",
)
@options.as_json("one object")
def evidence(
    folder: str,
    url: str | None,
    exported: str | None,
    requests: str | None,
    record: str | None,
    sign: str | None,
    rows: str | None,
    timestamp: str | None,
    *,
    as_json: bool,
) -> ExitStatus:
    """Show what a crawl did with a URL, and why.

    \b
    Examples:
      goodbot evidence shop https://example.com/private/page
      goodbot evidence shop https://example.com/ --json
      goodbot evidence shop --export evidence.parquet
      goodbot evidence shop --requests requests.parquet
      goodbot evidence shop --record record.json --rows rows.jsonl --sign me

    The output has how the URL was found; for each visit, the robots.txt in force, the line that
    decided, and what the page allows; what is in the index and the archive; and when the URL is due
    again. The lines are quoted from the robots.txt that was obeyed, and evaluated again.

    Exit status: 0 the URL is in the crawl, 1 it is not, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    if sum(one is not None for one in (url, exported, requests, record)) != 1:
        command = suggest(
            folder, "https://example.com/page", drop=("folder", "url", "exported", "requests")
        )
        message = (
            "name one URL, or write all evidence with --export FILE, every request with --requests "
            f"FILE, or a signed record with --record FILE, for example: {command}"
        )
        raise goodbot.MisuseError(message)
    if record is None and (sign, rows, timestamp) != (None, None, None):
        message = "--sign, --rows and --timestamp are for a record; add --record FILE"
        raise goodbot.MisuseError(message)
    if as_json and (exported is not None or requests is not None):
        option = "--export" if exported is not None else "--requests"
        message = f"--json is for one URL; to write all of them as JSON, use {option} FILE.jsonl"
        raise goodbot.MisuseError(message)
    from goodbot.crawl.folder.elsewhere import RECORDS  # noqa: PLC0415  slow to load
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  slow to load, and seldom needed

    signer = None if record is None else record_signer(sign, timestamp)
    with open_readonly(folder, reads=RECORDS) as database:
        if record is not None and signer is not None:
            return print_record(database, record, rows, signer, as_json=as_json)
        if exported is not None:
            return write(database, exported)
        if requests is not None:
            return write_requests(database, requests)
        return answer(database, folder, url or "", as_json=as_json)


def record_signer(sign: str | None, timestamp: str | None) -> "RecordSigner":
    """Return who signs a record.

    Raises:
        MisuseError: Nobody is named, or the folder is not that of an identity.
        MissingExtraError: A library is not installed.

    """
    from goodbot.crawl.evidence.record import RecordSigner  # noqa: PLC0415  slow to load
    from goodbot.net.posting import post_timestamp_query  # noqa: PLC0415  as above
    from goodbot.robot.signing_identity import SigningIdentity  # noqa: PLC0415  as above

    if sign is None:
        message = (
            "a record is signed: name the folder of an identity with --sign; 'goodbot robot "
            "identity new' makes one"
        )
        raise goodbot.MisuseError(message)
    mine = SigningIdentity.read(sign)
    ask = None if timestamp is None else partial(post_timestamp_query, timestamp)
    return RecordSigner(mine.key_for_archives(), mine.url, ask)


def print_record(
    database: "Database", path: str, rows: str | None, signer: "RecordSigner", *, as_json: bool
) -> ExitStatus:
    """Write a record, and print what it states in numbers."""
    from goodbot.crawl.evidence.record import write_record  # noqa: PLC0415  slow to load

    done = write_record(database, path, datetime.now(timezone.utc), signer, rows=rows)
    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps({"file": path, **done.as_dict()}))
        return ExitStatus.ALLOWED
    printer.line(
        f"{path}: {counted(done.requests, 'request')} to {counted(done.origins, 'origin')}, "
        f"{done.early:,} of them early"
    )
    stamped = "" if done.stamped is None else f", stamped {done.stamped}"
    printer.line(f"signed by {done.signed_by} ({signer.url}){stamped}")
    return ExitStatus.ALLOWED


def write(database: "Database", path: str) -> ExitStatus:
    """Write all evidence."""
    from goodbot.crawl.evidence import export  # noqa: PLC0415  as above

    if path == STANDARD_OUTPUT:
        printer = Printer(sys.stdout)
        for line in export.lines(database):
            printer.line(export.json_line(line))
        return ExitStatus.ALLOWED
    count = export.export_evidence(database, path)
    plural = "" if count == 1 else "s"
    noun = "row" if path.lower().endswith(".parquet") else "line"
    Printer(sys.stdout).line(f"{path}: {count} {noun}{plural}")
    return ExitStatus.ALLOWED


def write_requests(database: "Database", path: str) -> ExitStatus:
    """Write every request."""
    from goodbot.crawl.evidence import export, request_export  # noqa: PLC0415  as above

    printer = Printer(sys.stdout)
    if path == STANDARD_OUTPUT:
        for row in request_export.request_rows(database):
            printer.line(export.json_line(row))
        return ExitStatus.ALLOWED
    count = request_export.export_requests(database, path)
    printer.line(f"{path}: {counted(count, 'request')}")
    return ExitStatus.ALLOWED


def answer(database: "Database", folder: str, url: str, *, as_json: bool) -> ExitStatus:
    """Print the history of one URL."""
    from goodbot.crawl.evidence.history import (  # noqa: PLC0415  as above
        history_of,
        near,
        requests_for_robots_txt,
    )

    printer = Printer(sys.stdout)
    history = history_of(database, url, now=datetime.now(timezone.utc))
    if history is not None:
        if as_json:
            printer.line(json.dumps(history.as_dict()))
        else:
            print_history(history, printer)
        return ExitStatus.ALLOWED
    requests = requests_for_robots_txt(database, url)
    if requests:
        return print_robots_txt_requests(folder, url, requests, printer, as_json=as_json)
    likely = near(database, url)
    if as_json:
        unknown: dict[str, Any] = {"url": url, "known": False, "near": likely}
        printer.line(json.dumps(unknown))
        return ExitStatus.DISALLOWED
    printer.prose(
        f"{url} is not in the crawl: it was neither given nor found.",
        accent=Styled("is not in the crawl", "disallowed"),
    )
    for one in likely:
        printer.line("  similar: ", one)
    return ExitStatus.DISALLOWED


def print_robots_txt_requests(
    folder: str, url: str, requests: "list[Request]", printer: Printer, *, as_json: bool
) -> ExitStatus:
    """Print the requests for a robots.txt, which is never queued as a page."""
    if as_json:
        made = [one.as_dict() for one in requests]
        printer.line(json.dumps({"url": url, "known": True, "requests": made}))
        return ExitStatus.ALLOWED
    printer.prose(f"{url} was requested as the robots.txt of its site, not as a page.")
    print_requests(requests, printer)
    printer.line("To see the file: ", suggest(folder, url, verb="archive show"))
    return ExitStatus.ALLOWED
