"""`goodbot archive show`: the archived copy of a page, and what was removed from it."""

import json
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import click

import goodbot
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.crawl.verbs.crawl_folder import CrawlVerb, crawl_folder
from goodbot.http.amounts import counted
from goodbot.http.instants import format_time

if TYPE_CHECKING:
    from goodbot.crawl.archive.kept_copy import KeptCopy

__all__ = ["show"]

TEXTS = ("text/", "application/json", "application/javascript", "application/x-javascript")


@click.command(cls=CrawlVerb, behind="url")
@crawl_folder
@click.argument("url", metavar="URL", required=False)
@click.option("--raw", is_flag=True, help="Print the bytes of the copy, and nothing else.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the bytes of the copy to FILE, and print only the description.",
)
@options.as_json("one object that describes the copy; -o writes its bytes")
def show(
    folder: str, url: str | None, output: str | None, *, raw: bool, as_json: bool
) -> ExitStatus:
    """Show the archived copy of a page or a robots.txt.

    \b
    Examples:
      goodbot archive show shop-crawl https://example.com/page
      goodbot archive show shop-crawl https://example.com/robots.txt
      goodbot archive show shop-crawl https://example.com/page --raw > page.html

    A description comes first: when the copy was received, why it may be kept, and what was removed
    from it. Control characters in the text are printed as escapes; --raw and -o write the exact
    bytes. unavailable_after is compared with the clock of this machine.

    Exit status: 0 there is a copy, 1 there is none, and the reason is printed, 2 it failed.
    """  # noqa: D301  click looks for the character that \b is
    if raw and (as_json or output is not None):
        message = "--raw prints the bytes of the copy and nothing else; use it without --json or -o"
        raise goodbot.MisuseError(message)
    if url is None:
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param_hint="'URL'", param_type="argument")
    copy = copy_of(folder, url)
    if isinstance(copy, str):
        if sys.stderr is not None:
            Printer(sys.stderr).prose(f"There is no copy of {url}: {copy}")
        return ExitStatus.DISALLOWED
    printer = Printer(sys.stdout)
    if raw:
        write_raw(copy, printer)
        return ExitStatus.ALLOWED
    if output is not None:
        write_to(output, copy.content)
    if as_json:
        printer.line(json.dumps(copy.as_dict()))
        return ExitStatus.ALLOWED
    for line in header_of(copy):
        text = line.lstrip()
        printer.prose(text, line[: len(line) - len(text)], Styled("Copy of", "heading"))
    if output is None:
        print_text(copy, printer)
    return ExitStatus.ALLOWED


def copy_of(folder: str, url: str) -> "KeptCopy | str":
    """Find the copy.

    Returns:
        The copy, or the reason why none may be shown.

    Raises:
        NoOriginError: It is not a URL.
        StoreError: There is no crawl, or it cannot be read.

    """
    from goodbot.crawl.archive.kept_copy import kept_copy  # noqa: PLC0415  slow to load, and for this only
    from goodbot.crawl.evidence.why_no_copy import why_no_copy  # noqa: PLC0415
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415
    from goodbot.http.address import address_of  # noqa: PLC0415

    _, address = address_of(url)
    # A compaction may move the record in the meantime; then it is looked up again.
    with open_readonly(folder, at_one_moment=False, reads=("archive",)) as database:
        copy = kept_copy(database, address)
        if copy is None:
            return why_no_copy(database, address)
    if copy.until is not None and copy.until <= datetime.now(timezone.utc):
        return f"it must not be shown after {format_time(copy.until)} (unavailable_after)"
    return copy


def header_of(copy: "KeptCopy") -> list[str]:
    """Return the description of a copy, line by line."""
    kind = copy.content_type or "no stated type"
    lines = [
        f"Copy of {copy.url}",
        f"  received {format_time(copy.received)}, status {copy.status}",
        f"  {cut_line(kind)}, {counted(len(copy.content), 'byte')}",
    ]
    if copy.confirmed is not None:
        lines.append(f"  confirmed {format_time(copy.confirmed)}: unchanged")
    if copy.kind != "robots-txt":
        lines.append(f"  may be kept: {cut_line(copy.source or 'nothing disallows it')}")
    if copy.until is not None:
        lines.append(f"  must not be shown after {format_time(copy.until)}: unavailable_after")
    if copy.truncated:
        lines.append("  incomplete: the page was too large, and the rest was not received")
    if copy.encoded:
        lines.append(f"  its content has an unknown encoding: {cut_line(copy.encoded)}")
    if copy.cuts:
        lines.append(f"  removed: {counted(len(copy.cuts), 'part')}, each shown as […]")
    elif not copy.not_read:
        lines.append("  complete, as received")
    for cut in copy.cuts:
        size = f"{counted(cut.bytes, 'byte')} of text" if cut.bytes else "no text"
        lines.append(f"    line {cut.line}: {size}: {cut_line(cut.source)}")
    lines += [f"  removed: {cut_line(one)}" for one in copy.not_read]
    lines.append(f"  in {copy.where.file}, byte {copy.where.offset:,}")
    return lines


def print_text(copy: "KeptCopy", printer: Printer) -> None:
    """Print the copy if it is text."""
    printer.line()
    text = decode_copy(copy)
    if text is None:
        message = "not text; write it to a file with -o FILE, or pipe it with --raw"
        printer.line(Styled(message, "faint"))
        return
    for line in text.removesuffix("\n").split("\n"):
        printer.line(line.removesuffix("\r").expandtabs())


def decode_copy(copy: "KeptCopy") -> str | None:
    """Decode a copy; `None` if it is not text."""
    # Slow to load, and only used here.
    from goodbot.page.encoding import decoded  # noqa: PLC0415
    from goodbot.page.inputs import is_xml  # noqa: PLC0415

    # Only the encoding is needed here, not the verdicts.
    page = goodbot.Page(copy.url, copy.content, content_type=copy.content_type or None)
    kind = page.content_type
    is_text = kind.startswith(TEXTS) or is_xml(kind) or copy.kind == "robots-txt"
    if copy.encoded or not (is_text or page.encoding is not None):
        return None
    return decoded(copy.content, page.encoding or "utf-8")


def write_raw(copy: "KeptCopy", printer: Printer) -> None:
    """Write the bytes of a copy, unless to a terminal, which they could control.

    Raises:
        MisuseError: Standard output is a terminal.

    """
    if printer.stream.isatty():
        message = "--raw does not print to a terminal; use -o FILE, a pipe or a redirection"
        raise goodbot.MisuseError(message)
    rest = memoryview(copy.content)
    while rest:
        # Without a buffer, it may accept a part at a time.
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.flush()


def write_to(output: str, content: bytes) -> None:
    """Write a file.

    Raises:
        MisuseError: It cannot be written.

    """
    try:
        Path(output).write_bytes(content)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        message = f"cannot write {output}: {reason}; name another file"
        raise goodbot.MisuseError(message) from error
