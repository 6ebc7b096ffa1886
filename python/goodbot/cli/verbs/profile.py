"""`goodbot profile`: the Robot Exclusion Profile, and what is odd about a page's use of it."""

import json
import sys
from typing import Any

import click

import goodbot
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.input_files import as_utf_8
from goodbot.cli.shared.printing import Printer
from goodbot.cli.verbs.page import check_document, check_url, read_document, refuse_unread

__all__ = ["profile"]


@click.command()
@click.argument("file", metavar="[FILE]", required=False)
@click.option("-u", "--url", metavar="URL", help="Where the document is from.")
@click.option(
    "-r", "--robot", default="*", metavar="NAME", help="The robot, for classes with a number."
)
@click.option("--content-type", metavar="TYPE", help="Its type; text/html by default.")
@options.page_options
@options.as_json("a line with one object for each finding")
def profile(
    file: str | None,
    url: str | None,
    robot: str,
    content_type: str | None,
    **args: Any,  # noqa: ANN401  click hands over each option
) -> ExitStatus:
    """Print the document of the Robot Exclusion Profile, or check the page in FILE.

    Without FILE the XMDP document that defines the classes is printed, to be put where your pages
    name it. With FILE (- for standard input) what is wrong with its classes is listed: classes
    without the profile, misspelt ones, numbers of robots that nobody names, and contradictions.

    \b
    Examples:
      goodbot profile > robots-profile.html
      goodbot profile page.html -u https://example.com/page

    Exit status: 0 nothing is wrong, 1 something is, 2 there is no answer.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.page.write import profile_document, profile_findings  # noqa: PLC0415  slow to load

    as_json = args.pop("as_json")
    printer = Printer(sys.stdout)
    if file is None:
        for line in profile_document().splitlines():
            printer.line(line)
        return ExitStatus.ALLOWED
    named = options.page_options_named(
        args["marks"],
        args["profile_uris"],
        args["names_page"],
        profile_links=args["profile_links"],
        strict_pi=args["strict_pi"],
    )
    url = as_utf_8(url or "https://example.com/")
    check_url(url, strict=False)
    content = read_document(file)
    page = goodbot.Page(url, content, robot=robot, content_type=content_type, **named)
    check_document(content, page, file, strict=True)
    refuse_unread(page, "classes are in HTML and XML alone, so give a page, or its --content-type")
    findings = profile_findings(page)
    for finding in findings:
        printer.line(json.dumps(finding.as_dict()) if as_json else str(finding))
    if not findings and not as_json:
        printer.line("Nothing is wrong with the page's use of the Robot Exclusion Profile.")
    return ExitStatus.DISALLOWED if findings else ExitStatus.ALLOWED
