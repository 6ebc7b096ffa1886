"""`goodbot archive export`: a crawl as one WACZ file, for web archives and replay tools."""

import json
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.crawl.verbs.crawl_folder import CrawlVerb, crawl_folder
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from goodbot.crawl.folder.database import Database
    from goodbot.crawl.wacz.signing import PackageSigner
    from goodbot.crawl.wacz.wacz_export import WaczSummary

__all__ = ["export"]

STANDARD_OUTPUT = "-"


@click.command(cls=CrawlVerb)
@crawl_folder
@click.option(
    "--wacz",
    metavar="FILE",
    required=True,
    help="Write a WACZ file, FILE.wacz, or - for standard output.",
)
@click.option("--title", metavar="TEXT", default="", help="The title of the collection.")
@click.option(
    "--description", metavar="TEXT", default="", help="What the collection is, as Markdown."
)
@click.option(
    "--sign",
    metavar="FOLDER",
    cls=options.OnceOption,
    help="Sign the file by the identity in this folder ('goodbot robot identity new'). Requires "
    "pip install 'goodbot[signatures]'.",
)
@click.option(
    "--certificate",
    metavar="FILE",
    cls=options.OnceOption,
    help="Sign by the certificate of your domain instead: FILE has it and its chain, as PEM. Needs "
    "--certificate-key and --timestamp, and pip install 'goodbot[timestamps]'.",
)
@click.option(
    "--certificate-key",
    metavar="FILE",
    cls=options.OnceOption,
    help="The private key of the certificate (ECDSA), as PEM.",
)
@click.option(
    "--timestamp",
    metavar="URL",
    cls=options.OnceOption,
    help="The authority that stamps the signature with the time (RFC 3161).",
)
@options.as_json("one object with the numbers")
def export(
    folder: str,
    wacz: str,
    title: str,
    description: str,
    sign: str | None,
    certificate: str | None,
    certificate_key: str | None,
    timestamp: str | None,
    *,
    as_json: bool,
) -> ExitStatus:
    """Write a crawl to one WACZ file, which web archives and replay tools open.

    \b
    Examples:
      goodbot archive export shop --wacz shop.wacz --title "The shop in 2026"
      goodbot archive export shop --wacz - | ssh archive.example "cat > shop.wacz"
      goodbot archive export shop --wacz shop.wacz --sign me

    The file has the copies of pages and robots.txt files as WARC, an index, and a list of pages. A
    page that has expired (unavailable_after, by the clock of this machine) is omitted; one that
    must not be kept, or was removed or forgotten, is not in the archive at all. The crawl may run
    meanwhile; what it adds later is not exported.

    Exit status: 0 the file is complete, 2 there is no file.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.folder.elsewhere import RECORDS  # noqa: PLC0415  slow to load
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  slow to load, and for this only
    from goodbot.crawl.wacz.wacz_export import export_wacz  # noqa: PLC0415

    now = clock()
    signer, signed_by = chosen_signer(sign, certificate, certificate_key, timestamp, now)
    words: Words = {
        "title": title, "description": description, "signer": signer, "clock": clock,
    }  # fmt: skip
    with open_readonly(folder, reads=RECORDS) as database:
        if wacz == STANDARD_OUTPUT:
            done = write_to_output(database, now, words, as_json=as_json)
            tell_omitted(Printer(sys.stderr), done, folder)
            return ExitStatus.ALLOWED
        done = export_wacz(database, wacz, now, **words)
    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps({"file": wacz, **done.as_dict(), "signed_by": signed_by}))
        return ExitStatus.ALLOWED
    printer.line(
        f"{wacz}: {counted(done.pages, 'page')}, {counted(done.records, 'record')} in "
        f"{counted(done.files, 'WARC file')}, {counted(done.bytes, 'byte')}"
    )
    if signed_by is not None:
        printer.line(f"signed by {signed_by}")
    tell_omitted(printer, done, folder)
    return ExitStatus.ALLOWED


class Words(TypedDict):
    """What an export is called, and what signs it."""

    title: str
    description: str
    signer: "PackageSigner | None"
    clock: Callable[[], datetime]


def clock() -> datetime:
    """Return the time."""
    return datetime.now(timezone.utc)


def chosen_signer(
    sign: str | None,
    certificate: str | None,
    certificate_key: str | None,
    timestamp: str | None,
    now: datetime,
) -> "tuple[PackageSigner | None, str | None]":
    """Return what signs the file, and its name: the key with its URL, or the domain.

    Raises:
        MisuseError: The options contradict each other, or a file cannot be read.
        MissingExtraError: A library is not installed.

    """
    of_domain = (certificate, certificate_key, timestamp)
    if sign is not None:
        if any(of_domain):
            message = "--sign and --certificate are two ways to sign; choose one"
            raise goodbot.MisuseError(message)
        from goodbot.crawl.wacz.signing import KeySigner  # noqa: PLC0415  slow to load
        from goodbot.robot.signing_identity import SigningIdentity  # noqa: PLC0415  as above

        mine = SigningIdentity.read(sign)
        key = mine.key_for_archives()
        return KeySigner(key), f"{key.thumbprint} ({mine.url})"
    if not any(of_domain):
        return None, None
    if certificate is None or certificate_key is None or timestamp is None:
        message = (
            "to sign by a certificate, name all three: --certificate, --certificate-key and "
            "--timestamp"
        )
        raise goodbot.MisuseError(message)
    from goodbot.crawl.wacz.signing import DomainSigner  # noqa: PLC0415  slow to load
    from goodbot.net.posting import post_timestamp_query  # noqa: PLC0415  as above
    from goodbot.robot.signing_identity import read_secret  # noqa: PLC0415  as above

    try:
        certificates = Path(certificate).read_bytes()
    except OSError as error:
        message = f"the certificate {certificate} cannot be read ({error.strerror})"
        raise goodbot.MisuseError(message) from error
    secret = read_secret(Path(certificate_key))
    signer = DomainSigner(certificates, secret, partial(post_timestamp_query, timestamp), now)
    return signer, signer.domain


def tell_omitted(printer: Printer, done: "WaczSummary", folder: str) -> None:
    """Print how much of the crawl is not in the file, and why."""
    if done.omitted:
        printer.line(f"{counted(done.omitted, 'record')} omitted: expired (unavailable_after)")
    if done.without_copy:
        pages = counted(done.without_copy, "more page")
        command = suggest(folder, "URL", verb="evidence")
        why = "forbidden to be kept, expired, or removed"
        printer.line(f"{pages} fetched, of which there is no copy ({why}). Why: ", command)


def write_to_output(
    database: "Database", now: datetime, words: Words, *, as_json: bool
) -> "WaczSummary":
    """Write the file to standard output; return what was exported.

    Raises:
        MisuseError: Standard output is a terminal, or is also to have JSON.

    """
    from goodbot.crawl.wacz.wacz_export import write_wacz  # noqa: PLC0415  as above

    if as_json:
        message = "--json and the file cannot both go to standard output; name a file"
        raise goodbot.MisuseError(message)
    if sys.stdout.isatty():
        message = "a WACZ file is not text for a terminal; name a file, or use a pipe"
        raise goodbot.MisuseError(message)
    sys.stdout.flush()
    output = sys.stdout.buffer
    done = write_wacz(database, output, now, streamed=True, **words)
    output.flush()
    return done
