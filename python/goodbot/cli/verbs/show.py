"""`goodbot show`: the kept copy of a page, and what is left out of it."""

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
from goodbot.cli.shared.time_format import format_time
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from goodbot.crawl.archive.kept_copy import KeptCopy

__all__ = ["show"]

TEXTS = ("text/", "application/json", "application/javascript", "application/x-javascript")


@click.command(no_args_is_help=True)
@click.argument("folder", metavar="DIR")
@click.argument("url", metavar="URL")
@click.option("--raw", is_flag=True, help="Print the octets of the copy, and nothing else.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the octets of the copy to FILE, and print only what is known of it.",
)
@options.as_json("a line with what is known of the copy; -o gives its octets")
def show(folder: str, url: str, output: str | None, *, raw: bool, as_json: bool) -> ExitStatus:
    """Print the copy that the crawl in DIR kept of URL, or of a robots.txt.

    A header says when it was received, under which verdict it is kept, and what is left out. The
    text is printed with control characters as escapes; --raw and -o give the exact octets.

    \b
    Examples:
      goodbot show shop-crawl https://example.com/page
      goodbot show shop-crawl https://example.com/robots.txt
      goodbot show shop-crawl https://example.com/page --raw > page.html

    unavailable_after is compared with the clock of this machine.

    Exit status: 0 there is a copy, 1 there is none and it is said why, 2 there is no answer.
    """  # noqa: D301  click looks for the character that \b is
    if raw and (as_json or output is not None):
        message = "--raw prints the octets of the copy and nothing else; give it alone"
        raise goodbot.MisuseError(message)
    copy = copy_of(folder, url)
    if isinstance(copy, str):
        if sys.stderr is not None:
            Printer(sys.stderr).prose(f"there is no copy of {url}: {copy}")
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
        The copy, or why there is none that may be shown.

    Raises:
        NoOriginError: The URL is none.
        StoreError: There is no crawl, or it cannot be read.

    """
    from goodbot.crawl.archive.kept_copy import kept_copy  # noqa: PLC0415  slow to load, and for this only
    from goodbot.crawl.evidence.why_no_copy import why_no_copy  # noqa: PLC0415
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415
    from goodbot.http.address import address_of  # noqa: PLC0415

    _, address = address_of(url)
    # A compaction may move the record meanwhile; then it is looked up once more.
    with open_readonly(folder, at_one_moment=False) as database:
        copy = kept_copy(database, address)
        if copy is None:
            return why_no_copy(database, address)
    if copy.until is not None and copy.until <= datetime.now(timezone.utc):
        return f"it was not to be shown from {format_time(copy.until)} on (unavailable_after)"
    return copy


def header_of(copy: "KeptCopy") -> list[str]:
    """Return what is known of a copy: a line each, what belongs to another indented."""
    kind = copy.content_type or "no stated type"
    lines = [
        f"Copy of {copy.url}",
        f"  received {format_time(copy.received)}, status {copy.status}",
        f"  {cut_line(kind)}, {counted(len(copy.content), 'byte')}",
    ]
    if copy.confirmed is not None:
        lines.append(f"  received again {format_time(copy.confirmed)}, and it was the same")
    if copy.kind != "robots-txt":
        lines.append(f"  may be kept: {cut_line(copy.source or 'nothing forbids it')}")
    if copy.until is not None:
        lines.append(f"  not to be shown from {format_time(copy.until)} on: unavailable_after")
    if copy.truncated:
        lines.append("  it is the beginning of a larger one; the rest was not fetched")
    if copy.encoded:
        lines.append(f"  its octets are still in {cut_line(copy.encoded)}, unknown here")
    if copy.cuts:
        lines.append(f"  left out: {counted(len(copy.cuts), 'part')}, each shown as […]")
    elif not copy.not_read:
        lines.append("  nothing is left out: it is as received")
    for cut in copy.cuts:
        size = f"{counted(cut.bytes, 'byte')} of text" if cut.bytes else "no text"
        lines.append(f"    line {cut.line}: {size}: {cut_line(cut.source)}")
    lines += [f"  left out: {cut_line(one)}" for one in copy.not_read]
    lines.append(f"  in {copy.where.file}, byte {copy.where.offset:,}")
    return lines


def print_text(copy: "KeptCopy", printer: Printer) -> None:
    """Print the copy as text, if it is one."""
    printer.line()
    text = decode_copy(copy)
    if text is None:
        told = "it is not for a screen; give -o FILE, or --raw into a file or a pipe"
        printer.line(Styled(told, "faint"))
        return
    for line in text.removesuffix("\n").split("\n"):
        printer.line(line.removesuffix("\r").expandtabs())


def decode_copy(copy: "KeptCopy") -> str | None:
    """Decode a copy; `None` if it is no text."""
    # Slow to load, and for this only.
    from goodbot.page.encoding import decoded  # noqa: PLC0415
    from goodbot.page.inputs import is_xml  # noqa: PLC0415

    # Whatever may be done with it: here only the encoding is asked for.
    page = goodbot.Page(copy.url, copy.content, content_type=copy.content_type or None)
    kind = page.content_type
    is_text = kind.startswith(TEXTS) or is_xml(kind) or copy.kind == "robots-txt"
    if copy.encoded or not (is_text or page.encoding is not None):
        return None
    return decoded(copy.content, page.encoding or "utf-8")


def write_raw(copy: "KeptCopy", printer: Printer) -> None:
    """Print the octets of a copy, where they can steer no terminal.

    Raises:
        MisuseError: Standard output is a terminal.

    """
    if printer.stream.isatty():
        message = "raw octets are not for a screen; send them to a file or a pipe, or give -o FILE"
        raise goodbot.MisuseError(message)
    rest = memoryview(copy.content)
    while rest:
        # Without a buffer it may take some at a time.
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
