"""`goodbot report`: a crawl as one HTML page."""

import sys
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import click

from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.verb_groups import LazyVerb, complete_verbs
from goodbot.crawl.verbs.crawl_folder import CrawlVerbWithOthers
from goodbot.errors import MisuseError

if TYPE_CHECKING:
    from goodbot.crawl.folder.database import Database
    from goodbot.crawl.report.report import CrawlReport
    from goodbot.crawl.watching.robots_trial import RobotsTrial

__all__ = ["report"]

NAME = "report.html"
STANDARD_OUTPUT = "-"


LAZY = {
    "compare": LazyVerb(
        "crawl.verbs.compare",
        "List what differs between two crawls, or between two times of one.",
    ),
    "findings": LazyVerb(
        "crawl.verbs.findings",
        "List the problems that a crawl found: on pages, on the whole site, and the traps.",
    ),
    "skipped": LazyVerb(
        "crawl.verbs.skipped", "List the URLs that a crawl did not fetch, and why."
    ),
}


@click.command(cls=CrawlVerbWithOthers, lazy=LAZY)
@click.argument("folder", metavar="DIR", required=False, shell_complete=complete_verbs)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help=f"Write the report to FILE; - is standard output. By default, to {NAME} in DIR.",
)
@click.option(
    "--try",
    "tried",
    metavar="[SITE=]FILE",
    help="Also show what this robots.txt would change: every difference, and for the URLs of the "
    "crawl by robot. With several sites, name the one that it is for.",
)
@click.option(
    "--for",
    "robots",
    metavar="ROBOTS",
    multiple=True,
    help="The robots that are compared page by page, and in --try: names and sets such as "
    "Googlebot,GPTBot or ai,search, or a file with one name per line. By default the robot of the "
    "crawl, Googlebot, bingbot and GPTBot; in --try the sets ai and search. Repeatable.",
)
@click.option("--open", "is_opened", is_flag=True, help="Open the report in your browser.")
def report(
    folder: str,
    output: str | None,
    tried: str | None,
    robots: tuple[str, ...],
    *,
    is_opened: bool,
) -> ExitStatus:
    """Write an HTML report on a crawl, or list what it did not fetch or found.

    \b
    Examples:
      goodbot report crawl --open
      goodbot report crawl -o report.html
      goodbot report crawl --try new-robots.txt --for Googlebot,bingbot,GPTBot

    The report is one file, which works without a server or a connection: which URLs are broken and
    which pages link to them, which redirect in chains, what is blocked, slow, the same twice, an
    orphan or belongs in no index, what is wrong with robots.txt and which of its rules keep most
    URLs away, what changed since before the latest run, whether every request
    kept the pause that its site asked for, and tables of all URLs and requests to search and sort.
    It holds no copies of pages: each row names the commands that show its evidence and its copy.

    Exit status: 0 every request kept its pause, 1 a request was early, 2 it failed.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.cli.shared.robots.robot_choice import named_robots  # noqa: PLC0415  slow to load
    from goodbot.crawl.folder.elsewhere import RECORDS  # noqa: PLC0415  as above
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  slow to load, and seldom needed
    from goodbot.crawl.report.report import report_on  # noqa: PLC0415  as above

    if is_opened and output == STANDARD_OUTPUT:
        message = "--open needs a file; drop -o -, or name a file with -o FILE"
        raise click.UsageError(message)
    now = datetime.now(timezone.utc)
    chosen = named_robots(robots)
    with open_readonly(folder, reads=RECORDS) as database:
        trial = None if tried is None else try_file(database, tried, chosen)
        with closing(report_on(database, now, trial, chosen)) as found:
            path = written(found, folder, output)
    if path is not None:
        Printer(sys.stdout).prose(f"{path}: {found.summary.verdict}")
        if is_opened:
            open_in_browser(path)
    return ExitStatus.DISALLOWED if found.summary.early else ExitStatus.ALLOWED


def try_file(database: "Database", tried: str, robots: tuple[str, ...]) -> "RobotsTrial":
    """Return what a robots.txt would change.

    Raises:
        MisuseError: It is not clear which site it is for, there is no such file, or it is clearly
            not a robots.txt.

    """
    from goodbot._core import RobotsTxt, origin  # noqa: PLC0415  as above
    from goodbot.cli.shared.robots.robot_choice import named_robots  # noqa: PLC0415  as above
    from goodbot.cli.shared.warnings import of_file  # noqa: PLC0415  as above
    from goodbot.crawl.report.report import own_sites  # noqa: PLC0415  as above
    from goodbot.crawl.watching.robots_trial import try_robots_txt  # noqa: PLC0415  as above
    from goodbot.files.file_input import read_input  # noqa: PLC0415  as above

    site, equals, path = tried.partition("=")
    if "://" not in site or not equals:
        site, path = "", tried
    sites = [one for one, pages in own_sites(database).most_common() if pages]
    if not site and len(sites) != 1:
        named = ", ".join(sites[:3]) or "none"
        message = (
            f"this crawl has {len(sites)} sites ({named}); write --try SITE={path} to name the one "
            "that the file is for"
        )
        raise MisuseError(message)
    if not robots:
        product = database.setting("product")
        robots = tuple(dict.fromkeys([product, *named_robots(("ai,search",))]))
    content = read_input(path)
    of_file(RobotsTxt(content), path, strict=True)
    return try_robots_txt(
        database, origin(site) if site else sites[0], content, robots, source=path
    )


def written(found: "CrawlReport", folder: str, output: str | None) -> str | None:
    """Write the page, and return the path of its file; `None` if it is standard output."""
    from goodbot.files.atomic_file import atomic_file  # noqa: PLC0415  as above

    if output == STANDARD_OUTPUT:
        sys.stdout.writelines(found)
        return None
    path = output or str(Path(folder) / NAME)
    # The folder may belong to another user, so symbolic links in it are not followed.
    with atomic_file(path, follow=output is not None) as file:
        file.writelines(part.encode() for part in found)
    return path


def open_in_browser(path: str) -> None:
    """Open a file in the user's browser; if there is none, print what to do."""
    import webbrowser  # noqa: PLC0415  as above

    if not webbrowser.open(Path(path).absolute().as_uri()):
        message = f"No browser was found; open {path} yourself, or name one in BROWSER."
        Printer(sys.stderr).prose(message)
