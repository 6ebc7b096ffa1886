"""`goodbot convert`: the same wish in another form, and what cannot be said there."""

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.input_files import as_utf_8
from goodbot.cli.shared.printing import Printer
from goodbot.cli.verbs.page import (
    check_document,
    check_url,
    gathered,
    read_document,
    refuse_unread,
)

if TYPE_CHECKING:
    from goodbot.page.write import Loss, Stated

__all__ = ["convert"]

FORMS = ("meta", "header", "pi", "profile", "data-nosnippet")


@dataclass(frozen=True)
class ConvertArgs:
    """The arguments of the command line; `convert` says what each of them means."""

    file: str | None
    form: str
    wish: str | None
    url: str | None
    headers: tuple[str, ...]
    content_type: str | None
    as_json: bool


@click.command(no_args_is_help=True)
@click.argument("file", metavar="[FILE]", required=False)
@click.option(
    "-t",
    "--to",
    "form",
    type=click.Choice(FORMS),
    required=True,
    help="The form to write: META elements, X-Robots-Tag, the robots processing instruction of "
    "XML, classes of the Robot Exclusion Profile, or data-nosnippet.",
)
@click.option(
    "--wish",
    metavar="TEXT",
    help="What is wished, as X-Robots-Tag has it ('noindex, googlebot: nofollow'), in place of a "
    "document.",
)
@click.option("-u", "--url", metavar="URL", help="Where the document is from.")
@options.header
@options.content_type
@options.as_json("a line with one object")
def convert(**args: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Write what the document in FILE (- for standard input) wishes of robots in another form.

    What is wished is read from the header, META, the processing instruction and classes of the
    Robot Exclusion Profile on HTML and BODY, for all robots and for single ones. What the other
    form cannot say is told on standard error.

    \b
    Examples:
      goodbot convert page.html --to header
      goodbot convert --wish 'noindex, max-snippet: 20' --to meta
      goodbot convert --wish 'noindex, nofollow' --to pi

    Exit status: 0 everything is said, 1 some of it is not, 2 there is no answer.
    """  # noqa: D301  click looks for the character that \b is
    return answer(ConvertArgs(**args))


def answer(args: ConvertArgs) -> ExitStatus:
    """Read the wish, and write it."""
    from goodbot.page.write import write  # noqa: PLC0415  slow to load, and seldom needed

    stated = stated_in(args)
    written = write(stated.wish, args.form)
    losses = (*stated.losses, *written.losses)
    printer = Printer(sys.stdout)
    if args.as_json:
        told = {"wish": stated.wish.as_dict()["stated"], **written.as_dict()}
        printer.line(json.dumps(told | {"losses": [loss.as_dict() for loss in losses]}))
    else:
        for line in written.text.splitlines():
            printer.line(line)
        report(losses, has_wish=bool(stated.wish.stated))
    return ExitStatus.DISALLOWED if losses else ExitStatus.ALLOWED


def stated_in(args: ConvertArgs) -> "Stated":
    """Read the wish: of the command line, or of a document.

    Raises:
        MisuseError: Both are given, or neither.

    """
    from goodbot.page.write import Stated, Wish, wish_of  # noqa: PLC0415  slow to load

    if (args.file is None) == (args.wish is None):
        message = "give a document or --wish 'noindex, nofollow', and not both"
        raise goodbot.MisuseError(message)
    if args.wish is not None:
        return Stated(Wish.parse(args.wish), ())
    source = args.file or ""
    url = as_utf_8(args.url or "https://example.com/")
    check_url(url, strict=False)
    status, fields = gathered(args.headers, strict=False)
    content = read_document(source)
    read = goodbot.Page(
        url, content, headers=fields, status=status or 200, content_type=args.content_type
    )
    # What is no document wishes nothing, and nothing said is no permission.
    check_document(content, read, source, strict=True)
    cure = "give a page, or the --content-type and the header of what it is: --header @FILE"
    refuse_unread(read, cure, has_header=bool(fields))
    return wish_of(read, content, headers=fields)


def report(losses: "tuple[Loss, ...]", *, has_wish: bool) -> None:
    """Tell on standard error what is not said."""
    if not has_wish:
        has_parts = any(loss.code == "of-a-part" for loss in losses)
        of_parts = "; the marks on its parts are listed below" if has_parts else ""
        warnings.warn(f"no directive for the page as a whole: everything is allowed{of_parts}")
    for loss in losses:
        warnings.warn(f"{loss.code}: {loss.message}")
