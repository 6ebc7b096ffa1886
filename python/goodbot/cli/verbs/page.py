"""`goodbot page`: what may be done with one fetched document, and who says so?"""

import errno
import os
import re
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.page_view.views import NEITHER_READ, NO_DOCUMENT, VIEWS, PageQuestion, is_read
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.findings import LISTED
from goodbot.cli.shared.input_files import STANDARD_INPUT, as_utf_8, read_input
from goodbot.cli.shared.printing import Printer, printable
from goodbot.http.head import read_head

if TYPE_CHECKING:
    from goodbot.page import Page

__all__ = ["page"]

DEFAULT_VIEW = "verdicts"
WIDTH = 160

Headers = tuple[int | None, list[tuple[bytes, bytes]]]
"""The status, if it is told, and the field lines."""

ELEMENT = re.compile(rb"<\0{0,3}[A-Za-z!?/]")
ROBOTS_TXT = re.compile(rb"^[ \t]*(?:user-agent|disallow)[ \t]*:", re.IGNORECASE | re.MULTILINE)

BEGINNINGS = (
    (b"\x1f\x8b", "it is compressed with gzip; decompress it, or fetch it with curl --compressed"),
    (b"\x28\xb5\x2f\xfd", "it is compressed with zstd; decompress it, or fetch it as it is"),
    (b"HTTP/", "the header stands in it, as curl -i has it; save that apart: curl -D headers.txt"),
    (b"%PDF-", "it is a PDF; say --content-type application/pdf, and only the header counts"),
    (b"\x89PNG", "it is an image; say --content-type image/png, and only the header counts"),
    (b"\xff\xd8\xff", "it is an image; say --content-type image/jpeg, and only the header counts"),
    (b"GIF8", "it is an image; say --content-type image/gif, and only the header counts"),
    (b"PK\x03\x04", "it is an archive; say --content-type, and only the header counts"),
)
"""How what is no text begins, and what to do about it."""

CURES = {
    errno.EISDIR: "it is a directory; name the document in it",
    errno.EFBIG: "it is over 64 MiB; only 16 MiB of a document are read",
}
"""What `failures` would say of a robots.txt."""


class PageDialectOption(click.Option):
    """An option whose help lists the dialects, which are loaded only when help is asked for."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Put the names in their place."""
        from goodbot.page import PAGE_DIALECTS  # noqa: PLC0415  slow to load, and seldom needed

        self.help = (self.help or "").format(", ".join(PAGE_DIALECTS))
        return super().get_help_record(ctx)


@click.command(no_args_is_help=True)
@click.argument("file", metavar="FILE", required=False)
@click.option("-u", "--url", metavar="URL", help="Where the document is from, past redirects.")
@options.header
@click.option(
    "-r",
    "--robot",
    default="*",
    metavar="NAME",
    help="The robot: its product token (ExampleBot) or its whole User-Agent. "
    "Without it: *, any robot that is not addressed by its own name.",
)
@click.option(
    "-d",
    "--dialect",
    cls=PageDialectOption,
    default="google",
    metavar="NAME",
    show_default=True,
    help="How directives are read: {}.",
)
@click.option(
    "--status",
    type=click.IntRange(100, 999),
    metavar="N",
    help="Its HTTP status: that of the header's file, else 200. Of one that is no success nothing "
    "may be used.",
)
@options.content_type
@options.page_options
@click.option(
    "--view",
    type=click.Choice(list(VIEWS)),
    help=f"What to print; {DEFAULT_VIEW} by default, see below.",
)
@click.option("--query", metavar="WORDS", help="With --view snippet: what the quotation shows.")
@click.option(
    "--width",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"With --view snippet: the most characters, {WIDTH} by default; the document may narrow "
    "it.",
)
@click.option("--findings", "every_finding", is_flag=True, help="List every finding.")
@click.option(
    "--strict",
    is_flag=True,
    help="Give no answer where it would be a guess: the file is evidently no document, could not "
    "be read to its end, or the URL is none.",
)
@options.as_json("a line with one object; as --view json")
def page(**args: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Say what may be done with the document in FILE (- for standard input), and who says so.

    Nothing is fetched: save the document and its header first.

    \b
    Examples:
      curl -sSL -D headers.txt -o page.html https://example.com/page
      goodbot page page.html -u https://example.com/page -H @headers.txt
      goodbot page page.html -u https://example.com/page --view links
      goodbot page - -u https://example.com/ -r ExampleBot --json < page.html

    \b
    Views, and when the exit status is 1:
      verdicts  each act, limits, usage, findings   some act is not allowed
      text      the text that may be indexed        nothing may be indexed
      links     each link, followed or not, why     some link may not be followed
      copy      the copy that may be kept; on       no copy may be kept
                standard error what is cut from it
      snippet   a quotation for --query             nothing may be quoted
      marks     the page as HTML, its marked parts  some part or link may
                visible and named                   not be used
      json      everything                          some act is not allowed

    unavailable_after is compared with the clock of this machine. Control characters are printed as
    escapes; a copy that goes to a file or a pipe is exact, and so is JSON.

    Exit status: 0 what was asked about is allowed, 1 it is not, 2 there is no answer.
    """  # noqa: D301  click looks for the character that \b is
    return answer(PageArgs(**args))


@dataclass(frozen=True)
class PageArgs:
    """The arguments of the command line; `page` says what each of them means."""

    file: str | None
    url: str | None
    headers: tuple[str, ...]
    robot: str
    dialect: str
    status: int | None
    content_type: str | None
    marks: tuple[str, ...]
    profile_uris: tuple[str, ...]
    names_page: str | None
    profile_links: bool
    strict_pi: bool
    view: str | None
    query: str | None
    width: int | None
    every_finding: bool
    strict: bool
    as_json: bool


def answer(args: PageArgs) -> ExitStatus:
    """Read the document, warn where an answer may be wrong, and print what was asked for."""
    view = chosen_view(args)
    refuse_contradictions(args)
    source, url, strict = args.file or "", as_utf_8(args.url or ""), args.strict
    status, fields = gathered(args.headers, strict=strict)
    content = read_document(source)
    shown = goodbot.Page(
        url,
        content,
        headers=fields,
        robot=checked_robot(args.robot),
        status=args.status or status or 200,
        content_type=args.content_type,
        dialect=args.dialect,
        **options.page_options_named(
            args.marks,
            args.profile_uris,
            args.names_page,
            profile_links=args.profile_links,
            strict_pi=args.strict_pi,
        ),
    )
    check_url(url, strict=strict)
    check_document(content, shown, source, strict=strict)
    check_reading(shown, strict=strict, tell=view not in {"verdicts", "json"})
    question = PageQuestion(
        page=shown,
        content=content,
        now=datetime.now(timezone.utc),
        has_header=bool(args.headers),
        query=args.query or "",
        width=args.width or WIDTH,
        listed=None if args.every_finding else LISTED,
    )
    return VIEWS[view](question, Printer(sys.stdout))


def chosen_view(args: PageArgs) -> str:
    """Choose what to print.

    Raises:
        MisuseError: The options cannot all be meant.

    """
    if args.as_json and args.view not in {None, "json"}:
        message = f"--json prints everything, and --view {args.view} a part; give one of them"
        raise goodbot.MisuseError(message)
    view = "json" if args.as_json else args.view or DEFAULT_VIEW
    for name, given in (("--query", args.query), ("--width", args.width)):
        if given is not None and view != "snippet":
            message = f"{name} is for a quotation; add --view snippet"
            raise goodbot.MisuseError(message)
    return view


def refuse_contradictions(args: PageArgs) -> None:
    """Raise a `MisuseError` where the arguments cannot be meant."""
    file, url, content_type = args.file, args.url, args.content_type
    message = None
    if file is None or ("://" in file and not url):
        message = how_to_fetch(file or url or "https://example.com/page")
    elif "" in {file, url}:
        message = "an empty word is no file and no URL; quote the variable that it came from"
    elif url is None:
        command = suggest("--url", "https://example.com/page")
        message = f"name the URL of the page, because its links are relative to it: {command}"
    elif file == STANDARD_INPUT and f"@{STANDARD_INPUT}" in args.headers:
        message = "standard input is the document; give the header as a file, --header @FILE"
    elif content_type is not None and "/" not in content_type:
        message = f"{content_type!r} is no type; give one such as text/html or application/xml"
    if message is not None:
        raise goodbot.MisuseError(message)


def how_to_fetch(url: str) -> str:
    """Say that a document is needed, and how to get it."""
    named = ["page.html", "--url", url, "--header", "@headers.txt"]
    return (
        "this command reads a file and downloads nothing. Save the page and its header first:\n"
        f"  curl -sSL -D headers.txt -o page.html {shlex.quote(url)}\n"
        f"  {suggest(*named, drop=('file',))}"
    )


def read_document(source: str) -> bytes:
    """Read a file whole, or all of standard input.

    Raises:
        MisuseError: It is a URL, a directory, or too large.
        OSError: It cannot be read.

    """
    try:
        return read_input(source)
    except OSError as error:
        if error.errno == errno.ENOENT and "://" in source:
            raise goodbot.MisuseError(how_to_fetch(source)) from error
        cure = CURES.get(error.errno or 0)
        if cure is None:
            raise
        message = f"cannot read {error.filename}: {cure}"
        raise goodbot.MisuseError(message) from error


def checked_robot(robot: str) -> str:
    """Take a robot's name; a URL is told apart, since the other verbs take one without an option.

    Raises:
        MisuseError: It is a URL.

    """
    if "://" in robot.partition(" ")[0]:
        message = f"--robot is a name such as ExampleBot, and {robot} is a URL; give that as --url"
        raise goodbot.MisuseError(message)
    return robot


def gathered(headers: Iterable[str], *, strict: bool) -> Headers:
    """Gather the header: of arguments that are fields, and of files of them.

    Raises:
        MisuseError: There is no field in an argument or a file.

    """
    status: int | None = None
    fields: list[tuple[bytes, bytes]] = []
    for header in headers:
        if header.startswith("@"):
            told, more, odd = read_head(read_document(header[1:]))
            if told is None and not more:
                message = f"there is no header field in {header[1:]}; curl -D saves a header"
                raise goodbot.MisuseError(message)
            for number, line in odd[:1]:
                several = f", nor are {len(odd) - 1} more" if odd[1:] else ""
                shown = printable(line[:60])
                message = f"line {number} of {header[1:]} is no header field: {shown}{several}"
                warnings.warn_or_refuse(message, strict=strict)
        else:
            told, more, odd = read_head(os.fsencode(header))
            if odd or not (told or more):
                shown = printable(odd[0][1][:60]) if odd else ""
                message = f"'{shown}' is no header field; write it as 'X-Robots-Tag: noindex'"
                raise goodbot.MisuseError(message)
        status = told or status
        fields += more
    return status, fields


def check_url(url: str, *, strict: bool) -> None:
    """Warn of a URL that no link can be resolved against.

    Raises:
        MisuseError: It is none and `strict`, or lacks its two slashes.

    """
    from goodbot.http.address import meant_by  # noqa: PLC0415  loaded with the page

    try:
        goodbot.origin(url)
    except goodbot.NoOriginError as error:
        if meant_by(url) is not None:
            message = f"--url: {error}"
            raise goodbot.MisuseError(message) from error
        warnings.warn_or_refuse(f"--url: {error}; links may not be resolved", strict=strict)


def check_document(content: bytes, shown: "Page", source: str, *, strict: bool) -> None:
    """Warn of what is evidently no document: to read it would forbid nothing.

    Raises:
        MisuseError: Standard input is empty, or the file is evidently no document and `strict`.

    """
    if shown.index.reason == NO_DOCUMENT:
        # Nothing is allowed, so there is nothing to warn of.
        return
    if not content and source == STANDARD_INPUT:
        message = (
            "standard input is empty, as after a fetch that failed, and a failed fetch is no "
            "permission; a document that is really empty can be given as a file"
        )
        raise goodbot.MisuseError(message)
    what = odd_content(content, shown) if is_read(shown) else None
    if what is not None:
        warnings.warn_or_refuse(f"this is evidently no document: {what}", strict=strict)


def refuse_unread(shown: "Page", cure: str, *, has_header: bool = False) -> None:
    """Refuse what is not the document, or is none that is read where nothing else speaks for it.

    Raises:
        MisuseError: It is so.

    """
    message = None
    if shown.index.reason == NO_DOCUMENT:
        message = f"this is evidently no document: {shown.index.source}; {cure}"
    elif not has_header and not is_read(shown):
        message = f"this is evidently no document that is read: {shown.content_type}; {cure}"
    if message is not None:
        raise goodbot.MisuseError(message)


def odd_content(content: bytes, shown: "Page") -> str | None:
    """Say what a content is, and what to do, if it is evidently not what its type says."""
    if not content:
        return "the file is empty; was it fetched without error?"
    start = content[:1024]
    found = next((what for beginning, what in BEGINNINGS if start.startswith(beginning)), None)
    wide = (shown.encoding or "").upper().startswith(("UTF-16", "UTF-32"))
    if found is None and b"\0" in start and not wide:
        found = "there are NUL octets in it; say --content-type, with a charset if it is a text"
    is_markup = shown.encoding is not None
    if found is None and is_markup and not ELEMENT.search(content):
        found = without_element(content)
    return found


def without_element(content: bytes) -> str:
    """Say what a content without an element is, and what to do."""
    if ROBOTS_TXT.search(content[:1024]):
        return "it looks like a robots.txt file, about which goodbot check is asked"
    if content.startswith((b"http://", b"https://")) and len(content.split()) == 1:
        return "it is an address; fetch the document and give that"
    return "there is no element in it; if it is a plain text, say --content-type text/plain"


def check_reading(shown: "Page", *, strict: bool, tell: bool) -> None:
    """Warn of an answer about a part of a document.

    Args:
        shown: The document.
        strict: Whether to refuse.
        tell: Whether to warn; not where findings are shown all the same.

    Raises:
        MisuseError: Some of it was not read and `strict`.

    """
    from goodbot.page.finding_codes import NOT_READ  # noqa: PLC0415  loaded with the page

    for finding in shown.findings:
        if finding.code in NOT_READ and (strict or tell):
            warnings.warn_or_refuse(str(finding), strict=strict)
    if tell and not is_read(shown):
        warnings.warn(f"{shown.content_type}: {NEITHER_READ}")
