"""`goodbot page convert`: robots directives in another form, and what that form cannot express."""

import json
import sys
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.input_files import as_utf_8
from goodbot.cli.shared.printing import Printer
from goodbot.cli.verbs.page.page import (
    check_document,
    check_url,
    gathered,
    read_document,
    refuse_unread,
)
from goodbot.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from goodbot.site.writing import Loss, Stated

__all__ = ["convert"]

FORMS = ("meta", "header", "pi", "profile", "data-nosnippet")


@dataclass(frozen=True)
class ConvertArgs:
    """The arguments of the command line; `convert` describes each of them."""

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
    help="The form to write: META elements, the header X-Robots-Tag, the robots processing "
    "instruction of XML, classes of the Robot Exclusion Profile, or data-nosnippet.",
)
@click.option(
    "--wish",
    metavar="TEXT",
    help="The directives to convert, as in X-Robots-Tag ('noindex, googlebot: nofollow'), instead "
    "of a page.",
)
@click.option("-u", "--url", metavar="URL", help="The URL of the page.")
@options.header
@options.content_type
@options.as_json("one object")
def convert(**args: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Convert a page's robots directives to another form.

    \b
    Examples:
      goodbot page convert page.html --to header
      goodbot page convert --wish 'noindex, max-snippet: 20' --to meta
      goodbot page convert --wish 'noindex, nofollow' --to pi

    The directives for all robots and for single robots are read from the page in FILE (- is
    standard input): from its header, META elements, processing instruction, and the classes of the
    Robot Exclusion Profile on HTML and BODY. Whatever the other form cannot express is reported on
    standard error.

    Exit status: 0 everything is expressed, 1 some of it is not, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    return answer(ConvertArgs(**args))


def answer(args: ConvertArgs) -> ExitStatus:
    """Read the directives, and write them in the other form."""
    from goodbot.site.writing import write  # noqa: PLC0415  slow to load, and seldom needed

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
    """Read the directives of the command line or of a page.

    Raises:
        MisuseError: Both are given, or neither.

    """
    from goodbot.site.writing import Stated, Wish, wish_of  # noqa: PLC0415  slow to load

    if (args.file is None) == (args.wish is None):
        message = "name a page, or write --wish 'noindex, nofollow', but not both"
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
    # A file that is not a page has no directives, and that must not be taken for a permission.
    check_document(content, read, source, strict=True)
    advice = "name a page, or give its --content-type and its header with --header @FILE"
    refuse_unread(read, advice, has_header=bool(fields))
    return wish_of(read, content, headers=fields)


def report(losses: "tuple[Loss, ...]", *, has_wish: bool) -> None:
    """Report on standard error what the form cannot express."""
    if not has_wish and not any(loss.code == "not-sayable" for loss in losses):
        has_parts = any(loss.code == "of-a-part" for loss in losses)
        of_parts = "; the marks on its parts are listed below" if has_parts else ""
        warnings.warn(f"no directive for the page as a whole: everything is allowed{of_parts}")
    for loss in losses:
        warnings.warn(f"{loss.code}: {loss.message}")
