"""`goodbot page uses`: what may a page be used for, and who says so?"""

import json
import os
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.input_files import as_utf_8, document_in, is_url
from goodbot.cli.shared.options import OneRobotOption, PageDialectOption, SiteOptions
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.site_comments import comments_for
from goodbot.cli.verbs.page.page import checked_robot, chosen_dialect, gathered, read_document
from goodbot.files.file_input import read_input
from goodbot.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goodbot.content_use import Uses
    from goodbot.content_use.statement import Use

__all__ = ["uses"]

USES = ("train", "ground", "search", "archive", "preview")
OF_FILES = ("url", "headers", "robots_txt", "tdmrep", "licenses", "tdm_policies")
"""The arguments that are for a downloaded page."""
SINGULAR = {"headers": "header", "licenses": "license", "tdm_policies": "tdm-policy"}
"""The options of arguments that may be repeated."""


@click.command(no_args_is_help=True)
@click.argument("page", metavar="URL|FILE")
@click.option(
    "--use",
    "asked",
    type=click.Choice(USES),
    multiple=True,
    help="A use to ask for; repeatable. All of them by default.",
)
@click.option(
    "-r",
    "--robot",
    cls=OneRobotOption,
    default="*",
    metavar="NAME",
    help="The robot to check for: its product token (ExampleBot) or its whole User-Agent. The "
    "default, *, is any robot that the site does not name.",
)
@click.option(
    "-d",
    "--dialect",
    cls=PageDialectOption,
    metavar="NAME",
    help="The dialect in which directives of the page are read: {}. By default, that of --robot if "
    "it is known ('goodbot bots'), else google.",
)
@click.option("-u", "--url", metavar="URL", help="With FILE: the URL of the page.")
@options.header
@click.option("--robots-txt", metavar="FILE", help="With FILE: the robots.txt of its site.")
@click.option("--tdmrep", metavar="FILE", help="With FILE: the tdmrep.json of its site.")
@click.option(
    "--license",
    "licenses",
    metavar="URL=FILE",
    multiple=True,
    help="With FILE: a licence in RSL that its site names. Repeatable.",
)
@click.option(
    "--tdm-policy",
    "tdm_policies",
    metavar="URL=FILE",
    multiple=True,
    help="With FILE: a TDM policy that a reservation names. Repeatable.",
)
@options.site_options
@options.as_json("one object")
def uses(**args: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Check what a page may be used for: training, grounding, search, archives, previews.

    \b
    Examples:
      goodbot page uses https://example.com/page
      goodbot page uses https://example.com/page --use train -r ExampleBot --json
      goodbot page uses page.html -u https://example.com/page -H @headers.txt \\
        --robots-txt robots.txt

    For a URL, the page is fetched as a robot fetches it, and then the site's tdmrep.json, the
    licences and TDM policies of the site that the page or robots.txt name, ai.txt and llms.txt.
    robots.txt comes first, and what it disallows is not fetched. For a FILE, nothing is downloaded.

    Each answer is allowed, licensed (with its terms and price), reserved or unknown, with the
    statement that decided, and those that it contradicts.

    Exit status: 0 every use is allowed, 1 one needs a licence or is reserved, or the page must not
    be fetched, 2 there is no result, or nothing is known of a use.
    """  # noqa: D301  click looks for the character that \b is
    return answer(UsesArgs.of(args))


@dataclass(frozen=True)
class UsesArgs:
    """The arguments of the command line; `uses` describes each of them."""

    page: str
    asked: "Sequence[Use]"
    robot: str
    dialect: str | None
    url: str | None
    headers: tuple[str, ...]
    robots_txt: str | None
    tdmrep: str | None
    licenses: tuple[str, ...]
    tdm_policies: tuple[str, ...]
    as_json: bool
    site: SiteOptions

    @classmethod
    def of(cls, args: dict[str, Any]) -> "UsesArgs":
        """Return them, with the options of a live site apart."""
        own = {name: args[name] for name in cls.__dataclass_fields__ if name in args}
        others = {name: value for name, value in args.items() if name not in own}
        chosen = tuple(use for use in USES if not args["asked"] or use in args["asked"])
        own |= {"asked": chosen, "robot": checked_robot(args["robot"])}
        return cls(**own, site=SiteOptions(**others))


def answer(args: UsesArgs) -> ExitStatus:
    """Read or fetch everything, and print the answers."""
    from goodbot.cli.page_view.uses_view import (  # noqa: PLC0415  slow to load, as are pages
        print_uses,
        status_of_uses,
        uses_object,
    )

    asks_as = None
    if is_url(args.page):
        found, asks_as, file = of_site(args)
    else:
        found, file = of_files(args)
    comments = comments_for(file, [args.robot])
    printer = Printer(sys.stdout)
    if args.as_json:
        printer.line(json.dumps(uses_object(found, args.asked, asks_as, comments)))
    else:
        print_uses(found, args.asked, comments, printer)
    return status_of_uses(found, args.asked)


def of_site(args: UsesArgs) -> "tuple[Uses, str, goodbot.RobotsTxt | None]":
    """Fetch a page and what belongs to it.

    Return the answers, the name that the site saw, and its robots.txt.

    Raises:
        MisuseError: An option is for a downloaded page, or the identity of the robot is missing.
        GoodbotError: There was no response.

    """
    from goodbot.cli.page_view.live_uses import ask_site  # noqa: PLC0415  as above
    from goodbot.cli.shared.live_sites import address_in  # noqa: PLC0415  as above

    for name in OF_FILES:
        if getattr(args, name):
            option = SINGULAR.get(name, name)
            message = (
                f"--{option.replace('_', '-')} is for a downloaded page, and {args.page} is "
                "fetched; omit one"
            )
            raise goodbot.MisuseError(message)
    address = address_in(os.fsencode(args.page), "page")
    found, asks_as = ask_site(
        address, args.robot, chosen_dialect(args.robot, args.dialect), args.site
    )
    return found.uses, asks_as, found.policy.robots_txt


def of_files(args: UsesArgs) -> "tuple[Uses, goodbot.RobotsTxt | None]":
    """Read a page and what belongs to it from files; return the answers, and the robots.txt.

    Raises:
        MisuseError: The URL is missing, or an option is for a live site.
        OSError: A file cannot be read.

    """
    options.refuse_site_options(args.site, f"{args.page} is a file")
    if not args.url:
        command = suggest("--url", "https://example.com/page")
        message = f"name the URL of the page, because paths decide: {command}"
        raise goodbot.MisuseError(message)
    status, fields = gathered(args.headers, strict=False)
    url = as_utf_8(args.url)
    page = goodbot.Page(
        url,
        read_document(args.page),
        headers=fields,
        robot=args.robot,
        status=status or 200,
        dialect=chosen_dialect(args.robot, args.dialect),
    )
    file = goodbot.RobotsTxt(read_input(args.robots_txt)) if args.robots_txt else None
    found = goodbot.uses(
        url,
        page,
        robots_txt=file,
        tdmrep=read_input(args.tdmrep) if args.tdmrep else None,
        licenses=dict(document_in(one, "license") for one in args.licenses),
        tdm_policies=dict(document_in(one, "tdm-policy") for one in args.tdm_policies),
        robot=args.robot,
        now=datetime.now(timezone.utc),
    )
    return found, file
