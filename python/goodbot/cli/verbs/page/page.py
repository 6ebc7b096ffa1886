"""`goodbot page`: what may be done with a page, downloaded or live, and which directive decides?"""

import errno
import os
import re
import shlex
import sys
from collections.abc import Iterable
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.page_view.page_args import PageArgs
from goodbot.cli.page_view.views import NEITHER_READ, NO_DOCUMENT, VIEWS, PageQuestion, is_read
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.findings import LISTED
from goodbot.cli.shared.input_files import as_utf_8, is_url
from goodbot.cli.shared.options import PageDialectOption, SiteOptions
from goodbot.cli.shared.printing import Printer, printable
from goodbot.cli.shared.verb_groups import LazyVerb, VerbWithOthers, complete_verbs
from goodbot.files.file_input import STANDARD_INPUT, read_input
from goodbot.http.head import read_head

if TYPE_CHECKING:
    from goodbot.page import Page

__all__ = ["page"]

DEFAULT_VIEW = "verdicts"
WIDTH = 160

SITE = ("info_url", "contact", "store", "allow_private", "allow_network", "timeout")
"""The options of `options.site_options`."""

Headers = tuple[int | None, list[tuple[bytes, bytes]]]
"""The status, if it is known, and the field lines."""

ELEMENT = re.compile(rb"<\0{0,3}[A-Za-z!?/]")
ROBOTS_TXT = re.compile(rb"^[ \t]*(?:user-agent|disallow)[ \t]*:", re.IGNORECASE | re.MULTILINE)

BEGINNINGS = (
    (b"\x1f\x8b", "it is compressed with gzip; decompress it, or fetch it with curl --compressed"),
    (b"\x28\xb5\x2f\xfd", "it is compressed with zstd; decompress it, or fetch it as it is"),
    (
        b"HTTP/",
        "it begins with the header, as curl -i prints it; use curl -D headers.txt instead",
    ),
    (b"%PDF-", "it is a PDF; add --content-type application/pdf, and its header decides"),
    (b"\x89PNG", "it is an image; add --content-type image/png, and its header decides"),
    (b"\xff\xd8\xff", "it is an image; add --content-type image/jpeg, and its header decides"),
    (b"GIF8", "it is an image; add --content-type image/gif, and its header decides"),
    (b"PK\x03\x04", "it is an archive; add --content-type, and its header decides"),
)
"""How files that are not text begin, and what to do about it."""

CURES = {
    errno.EISDIR: "it is a directory; name the page in it",
    errno.EFBIG: "it is larger than 64 MiB, and only 16 MiB of a page are read",
}
"""How to fix a failure to read a file; `error_messages` has those for a robots.txt."""


LAZY = {
    "convert": LazyVerb(
        "site.verbs.convert", "Convert a page's robots directives to another form."
    ),
    "profile": LazyVerb(
        "site.verbs.profile", "Print the Robot Exclusion Profile, or check a page's use of it."
    ),
    "uses": LazyVerb(
        "cli.verbs.page.uses",
        "Check what a page may be used for: training, grounding, search, archives, previews.",
    ),
}
"""The verbs below this one."""


@click.command(cls=VerbWithOthers, lazy=LAZY, no_args_is_help=True)
@click.argument("file", metavar="FILE|URL", required=False, shell_complete=complete_verbs)
@click.option("-u", "--url", metavar="URL", help="Of a file: its URL, after redirects.")
@options.header
@click.option(
    "-r",
    "--robot",
    "robots",
    multiple=True,
    metavar="NAME",
    help="The robot to check for: its product token (ExampleBot) or its whole User-Agent. The "
    "default, *, is any robot that the page does not name. Of a URL, repeatable; by default also "
    "the robots that the page addresses, and search engines to which robots.txt answers otherwise.",
)
@click.option(
    "-d",
    "--dialect",
    cls=PageDialectOption,
    metavar="NAME",
    help="The dialect in which directives are read: {}. By default, that of --robot if it is known "
    "('goodbot bots'), else google.",
)
@click.option(
    "--status",
    type=click.IntRange(100, 999),
    metavar="N",
    help="The HTTP status of the page. By default it is that of the header's file, or 200. Unless "
    "it is a success, nothing may be done with the page.",
)
@options.content_type
@options.page_options
@click.option(
    "--view",
    type=click.Choice(list(VIEWS)),
    help=f"What to print: see above. {DEFAULT_VIEW} by default.",
)
@click.option("--query", metavar="WORDS", help="With --view snippet: the words to quote around.")
@click.option(
    "--width",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"With --view snippet: the most characters, {WIDTH} by default. The page may allow fewer.",
)
@click.option("--findings", "every_finding", is_flag=True, help="List every finding.")
@click.option(
    "--anyway",
    is_flag=True,
    help="Of a URL on a site of your own: fetch it even if robots.txt does not allow it. It holds "
    "for this URL only; no redirect to another site is followed.",
)
@options.site_options
@click.option(
    "--strict",
    is_flag=True,
    help="Fail instead of warning if the file is clearly not a page, cannot be read to its end, or "
    "the URL is not one.",
)
@options.as_json("one object; of a file the same as --view json")
def page(**args: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Check who may index a page, and what else may be done with it.

    \b
    Examples:
      goodbot page https://example.com/page
      goodbot page https://example.com/page -r Googlebot -r bingbot --json
      curl -sSL -D headers.txt -o page.html https://example.com/page
      goodbot page page.html -u https://example.com/page -H @headers.txt
      goodbot page page.html -u https://example.com/page --view links
      goodbot page - -u https://example.com/ -r ExampleBot --json < page.html

    \b
    Views, and when the exit status is 1:
      verdicts  each act, limits, usage, findings   an act is not allowed
      text      the text that may be indexed        nothing may be indexed
      links     each link, and whether it may be    a link must not be
                followed                            followed
      copy      the copy that may be kept; what     no copy may be kept
                is cut is listed on standard error
      snippet   a quotation for --query             nothing may be quoted
      marks     the page as HTML, with its marked   a part or a link must
                parts visible and named             not be used
      json      everything                          an act is not allowed

    A URL is fetched politely if robots.txt allows it, and so is each redirect. The table says for
    each robot what robots.txt, header, META, canonical and marks on sections say, and who decides.
    Sites must see who visits, so --info-url and --contact are needed.

    FILE is the page, or - for standard input; for a file, nothing is downloaded. Without --view,
    a file has the view verdicts. A file that is named as one of the commands below needs its
    folder, as in ./uses.

    unavailable_after is compared with the clock of this machine. Control characters are printed as
    escapes; JSON, and a copy that is written to a file or a pipe, are exact.

    Exit status: 0 every robot may index the URL, or everything in the view of a file is allowed;
    1 one must not, or something is not; 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    site = {name: args.pop(name) for name in SITE}
    given = PageArgs(**args)
    if given.file is not None and given.url is None and is_url(given.file):
        from goodbot.cli.page_view.live_page import answer_live  # noqa: PLC0415  slow to load, as is what fetches

        refuse_for_url(given)
        chosen_view(given)  # raises if they contradict one another
        return answer_live(given, SiteOptions(**site), width=WIDTH)
    options.refuse_site_options(SiteOptions(**site), "this command reads a file")
    refuse_for_file(given)
    return answer(given)


def chosen_dialect(robot: str, given: str | None) -> str:
    """Return the dialect to read directives in: the given one, else the robot's own.

    A note says so if the given one is not the robot's own.
    """
    from goodbot.bots import known  # noqa: PLC0415  loaded with the page
    from goodbot.bots.page_reading import page_dialect_for  # noqa: PLC0415

    own = page_dialect_for(robot)
    found = known(robot)
    if found is not None and found.dialect == own and given not in {None, own}:
        whose = found.operator or found.name
        warnings.note(
            f"directives are read as {given}, which --dialect chose; {whose} reads them as {own}"
        )
    return given or own


def answer(args: PageArgs) -> ExitStatus:
    """Read the page, warn if the result may be wrong, and print the view."""
    view = chosen_view(args)
    refuse_contradictions(args)
    source, url, strict = args.file or "", as_utf_8(args.url or ""), args.strict
    status, fields = gathered(args.headers, strict=strict)
    content = read_document(source)
    robot = checked_robot(args.robots[0] if args.robots else "*")
    shown = goodbot.Page(
        url,
        content,
        headers=fields,
        robot=robot,
        status=args.status or status or 200,
        content_type=args.content_type,
        dialect=chosen_dialect(robot, args.dialect),
        **args.page_options,
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
        MisuseError: The options contradict one another.

    """
    if args.as_json and args.view not in {None, "json"}:
        message = f"--json prints everything, and --view {args.view} a part; use one of them"
        raise goodbot.MisuseError(message)
    view = "json" if args.as_json else args.view or DEFAULT_VIEW
    for name, given in (("--query", args.query), ("--width", args.width)):
        if given is not None and view != "snippet":
            message = f"{name} is an option of --view snippet; add it"
            raise goodbot.MisuseError(message)
    return view


def refuse_contradictions(args: PageArgs) -> None:
    """Raise a `MisuseError` if the arguments contradict one another."""
    file, url, content_type = args.file, args.url, args.content_type
    message = None
    if file is None or ("://" in file and not url):
        message = how_to_name(file or url or "https://example.com/page")
    elif "" in {file, url}:
        message = "an argument is empty; write a file or a URL, and check the variable it came from"
    elif url is None:
        command = suggest("--url", "https://example.com/page")
        message = f"name the URL of the page, because its links are relative to it: {command}"
    elif file == STANDARD_INPUT and f"@{STANDARD_INPUT}" in args.headers:
        message = "standard input is the page, so the header must be a file: --header @FILE"
    elif content_type is not None and "/" not in content_type:
        message = f"{content_type!r} is not a type; write one such as text/html or application/xml"
    if message is not None:
        raise goodbot.MisuseError(message)


def how_to_name(url: str) -> str:
    """Return that a file or a URL is needed, and the commands for both."""
    named = ["page.html", "--url", url, "--header", "@headers.txt"]
    return (
        "name the URL of a page, which is then fetched:\n"
        f"  {suggest(url, drop=('file', 'url'))}\n"
        "or save the page and its header, and name the file:\n"
        f"  curl -sSL -D headers.txt -o page.html {shlex.quote(url)}\n"
        f"  {suggest(*named, drop=('file',))}"
    )


def refuse_for_file(args: PageArgs) -> None:
    """Raise a `MisuseError` for what only a URL can have."""
    message = None
    if args.anyway:
        message = "--anyway is for fetching a URL, and this command reads a file; omit one"
    elif len(names := [name for one in args.robots for name in options.names_in(one)]) > 1:
        named = " and ".join(names)
        message = f"a file is read for one robot, and --robot names {named}; run it once for each"
    if message is not None:
        raise goodbot.MisuseError(message)


def refuse_for_url(args: PageArgs) -> None:
    """Raise a `MisuseError` for what only a file can have."""
    given = {
        "--header": bool(args.headers),
        "--status": args.status is not None,
        "--content-type": args.content_type is not None,
    }
    for name, is_given in given.items():
        if is_given:
            message = f"{name} describes a file, and the page is fetched from its URL; omit one"
            raise goodbot.MisuseError(message)


def read_document(source: str) -> bytes:
    """Read a whole file, or all of standard input.

    Raises:
        MisuseError: It is a URL, a directory, or too large.
        OSError: It cannot be read.

    """
    try:
        return read_input(source)
    except OSError as error:
        if error.errno == errno.ENOENT and "://" in source:
            raise goodbot.MisuseError(how_to_name(source)) from error
        cure = CURES.get(error.errno or 0)
        if cure is None:
            raise
        message = f"cannot read {error.filename}: {cure}"
        raise goodbot.MisuseError(message) from error


def checked_robot(robot: str) -> str:
    """Return a robot's name unless it is a URL, which other verbs accept without an option.

    Raises:
        MisuseError: It is a URL.

    """
    if "://" in robot.partition(" ")[0]:
        message = f"--robot is a name such as ExampleBot, and {robot} is a URL; write it as --url"
        raise goodbot.MisuseError(message)
    return robot


def gathered(headers: Iterable[str], *, strict: bool) -> Headers:
    """Collect the header from arguments that are fields, and from files of fields.

    Raises:
        MisuseError: An argument or a file has no field.

    """
    status: int | None = None
    fields: list[tuple[bytes, bytes]] = []
    for header in headers:
        if header.startswith("@"):
            told, more, odd = read_head(read_document(header[1:]))
            if told is None and not more:
                message = f"{header[1:]} contains no header field; save a header with curl -D FILE"
                raise goodbot.MisuseError(message)
            for number, line in odd[:1]:
                several = f" (and {len(odd) - 1:,} more)" if odd[1:] else ""
                shown = printable(line[:60])
                message = f"line {number} of {header[1:]} is not a header field: {shown}{several}"
                warnings.warn_or_refuse(message, strict=strict)
        else:
            told, more, odd = read_head(os.fsencode(header))
            if odd or not (told or more):
                shown = printable(odd[0][1][:60]) if odd else ""
                message = f"'{shown}' is not a header field; write it as 'X-Robots-Tag: noindex'"
                raise goodbot.MisuseError(message)
        status = told or status
        fields += more
    return status, fields


def check_url(url: str, *, strict: bool) -> None:
    """Warn about a URL against which links cannot be resolved.

    Raises:
        MisuseError: It is not a URL and `strict`, or it lacks its two slashes.

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
    """Warn about a file that is clearly not a page: it would disallow nothing.

    Raises:
        MisuseError: Standard input is empty, or the file is clearly not a page and `strict`.

    """
    if shown.index.reason == NO_DOCUMENT:
        # Nothing is allowed, so there is nothing to warn of.
        return
    if not content and source == STANDARD_INPUT:
        message = (
            "standard input is empty. Did the download fail? A failed download does not mean that "
            "everything is allowed. If the page really is empty, save it to a file and name the "
            "file"
        )
        raise goodbot.MisuseError(message)
    what = odd_content(content, shown) if is_read(shown) else None
    if what is not None:
        warnings.warn_or_refuse(f"this is clearly not a page: {what}", strict=strict)


def refuse_unread(shown: "Page", advice: str, *, has_header: bool = False) -> None:
    """Refuse a file that is not the page, or that has no directives unless its header has some.

    Raises:
        MisuseError: It is so.

    """
    message = None
    if shown.index.reason == NO_DOCUMENT:
        message = f"this is clearly not a page: {shown.index.source}; {advice}"
    elif not has_header and not is_read(shown):
        message = f"{shown.content_type} has no directives in its content; {advice}"
    if message is not None:
        raise goodbot.MisuseError(message)


def odd_content(content: bytes, shown: "Page") -> str | None:
    """Return what a file is and what to do, if it is clearly not of the type that was given."""
    if not content:
        return "the file is empty. Did the download succeed?"
    start = content[:1024]
    found = next((what for beginning, what in BEGINNINGS if start.startswith(beginning)), None)
    wide = (shown.encoding or "").upper().startswith(("UTF-16", "UTF-32"))
    if found is None and b"\0" in start and not wide:
        found = "it contains NUL bytes; add --content-type, with a charset if it is text"
    is_markup = shown.encoding is not None
    if found is None and is_markup and not ELEMENT.search(content):
        found = without_element(content)
    return found


def without_element(content: bytes) -> str:
    """Return what a file without an element is, and what to do."""
    if ROBOTS_TXT.search(content[:1024]):
        return "it looks like a robots.txt file; use goodbot check -f"
    if content.startswith((b"http://", b"https://")) and len(content.split()) == 1:
        return "it is a URL; download the page and name the file"
    return "it contains no element; if it is plain text, add --content-type text/plain"


def check_reading(shown: "Page", *, strict: bool, tell: bool) -> None:
    """Warn if only a part of the page was read.

    Args:
        shown: The document.
        strict: Whether to refuse.
        tell: Whether to warn; findings that are shown anyway need no warning.

    Raises:
        MisuseError: Some of it was not read and `strict`.

    """
    from goodbot.page.finding_codes import NOT_READ  # noqa: PLC0415  loaded with the page

    for finding in shown.findings:
        if finding.code in NOT_READ and (strict or tell):
            warnings.warn_or_refuse(str(finding), strict=strict)
    if tell and not is_read(shown):
        warnings.warn(f"{shown.content_type}: {NEITHER_READ}")
