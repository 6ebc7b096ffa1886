"""`goodbot page profile`: the Robot Exclusion Profile, and how a page uses it."""

import json
import sys

import click

import goodbot
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.input_files import as_utf_8
from goodbot.cli.shared.options import OneRobotOption
from goodbot.cli.shared.printing import Printer
from goodbot.cli.verbs.page.page import check_document, check_url, read_document, refuse_unread

__all__ = ["profile"]


@click.command()
@click.argument("file", metavar="[FILE]", required=False)
@click.option("-u", "--url", metavar="URL", help="The URL of the page.")
@click.option(
    "-r",
    "--robot",
    cls=OneRobotOption,
    default="*",
    metavar="NAME",
    help="The robot to check numbered classes for.",
)
@options.content_type
@options.page_options
@options.as_json("one object per line, for each finding")
def profile(
    file: str | None,
    url: str | None,
    robot: str,
    content_type: str | None,
    marks: tuple[str, ...],
    profile_uris: tuple[str, ...],
    names_page: str | None,
    *,
    profile_links: bool,
    strict_pi: bool,
    as_json: bool,
) -> ExitStatus:
    """Print the Robot Exclusion Profile, or check a page's use of it.

    \b
    Examples:
      goodbot page profile > robots-profile.html
      goodbot page profile page.html -u https://example.com/page

    Without FILE, it prints the XMDP document that defines the classes; publish it where your pages
    refer to it. With FILE (- is standard input), it lists errors in the page's classes: classes
    without the profile, misspelled classes, numbers without a robot's name, and contradictions.

    Exit status: 0 the page has no errors, 1 it has some, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.site.writing import profile_document, profile_findings  # noqa: PLC0415  slow to load

    printer = Printer(sys.stdout)
    if file is None:
        for line in profile_document().splitlines():
            printer.line(line)
        return ExitStatus.ALLOWED
    named = options.page_options_named(
        marks, profile_uris, names_page, profile_links=profile_links, strict_pi=strict_pi
    )
    url = as_utf_8(url or "https://example.com/")
    check_url(url, strict=False)
    content = read_document(file)
    page = goodbot.Page(url, content, robot=robot, content_type=content_type, **named)
    check_document(content, page, file, strict=True)
    refuse_unread(page, "only HTML and XML have classes; name a page, or give its --content-type")
    findings = profile_findings(page)
    for finding in findings:
        printer.line(json.dumps(finding.as_dict()) if as_json else str(finding))
    if not findings and not as_json:
        printer.line("The page uses the Robot Exclusion Profile correctly.")
    return ExitStatus.DISALLOWED if findings else ExitStatus.ALLOWED
