"""`goodbot crawl`: crawl sites, index and archive what they allow, and keep the evidence."""

import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

import goodbot
from goodbot.cli.shared.config_toml import CONFIG_FILE
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.options import refuse_pause
from goodbot.cli.shared.printing import Printer
from goodbot.crawl.verbs.crawl_view.args import CrawlArgs
from goodbot.crawl.verbs.crawl_view.config_file import CONFIG, START, config_option
from goodbot.crawl.verbs.crawl_view.conversions import urls_in
from goodbot.crawl.verbs.crawl_view.option_kinds import SectionedCommand
from goodbot.crawl.verbs.crawl_view.option_rows import OPTION_BY_NAME, OPTIONS, SECTIONS

__all__ = ["crawl"]

CONTINUING = ("resume", "due", "again")
"""The options that continue the crawl in a folder."""


class CrawlCommand(SectionedCommand):
    """A command that needs no arguments beside a `goodbot.toml`."""

    options_by_setting: Mapping[str, str] = {
        row.setting: row.flag for row in OPTIONS if row.setting
    }
    """The option of each setting, for messages."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Print the help if there is nothing that says what to do."""
        self.no_args_is_help = not Path(CONFIG_FILE).is_file()
        return super().parse_args(ctx, args)


@click.command(
    cls=CrawlCommand,
    sections={**SECTIONS, "Folder": [*SECTIONS["Folder"], "config_file"]},
    others="Output",
    params=[
        click.Argument(["urls"], metavar="[URL]...", nargs=-1),
        *(row.option for row in OPTIONS),
        config_option(),
    ],
)
def crawl(**values: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Crawl sites, and index and archive what they allow.

    \b
    Examples:
      goodbot crawl https://example.com/ --robot ExampleBot/1.0 \\
        --info-url https://example.com/bot --contact bot@example.com --out crawl
      goodbot crawl https://example.com/ -r ExampleBot/1.0 --max-pages 100 --exclude /cart
      goodbot crawl --resume --out crawl
      goodbot crawl --due --out crawl --json | jq 'select(.event == "settled")'

    The crawl starts at each URL and follows links within its site, at the pace that the site asks
    for. DIR gets an index of the pages that may be indexed, an archive of those that may be kept,
    and the evidence: which line of which robots.txt, header or page allowed or disallowed what.

    A terminal shows a table of the sites; elsewhere, a line is printed for each URL. Ctrl-C lets
    running requests finish, and a second Ctrl-C cancels them. Nothing is lost: --resume continues.

    --resume, --due and --again keep every setting of the crawl in DIR. To change one, give its
    option again; the word none removes a limit or a list, and --no-sitemaps and its like switch
    something off. Only the robot stays the same, apart from its version. What is listed under This
    run and Output holds for one run.

    Options can be in the table [crawl] of a file goodbot.toml in the current directory, and so can
    the URLs: start = ["https://example.com/"]. Then 'goodbot crawl' alone is enough.

    Exit status: 0 the crawl ended, 2 it failed or refused every address because none is public, or
    nothing shows that a site is yours for --own-site, 3 it ended with --strict and some URLs could
    not be fetched, 130 it was ended by Ctrl-C, SIGTERM or SIGHUP.
    """  # noqa: D301  click looks for the character that \b is
    context = click.get_current_context()
    sources = {name: context.get_parameter_source(name) for name in values}
    config = context.meta.get(CONFIG)
    if values["urls_file"]:
        values["urls"] = (*values["urls"], *urls_in(values["urls_file"]))
    if not values["urls"]:
        values["urls"] = start_in_file(values, sources, config or {})
    args = CrawlArgs.of(values, sources, config)
    refuse_contradictions(values, args.given)
    from goodbot.crawl.verbs.crawl_view.run import run  # noqa: PLC0415  slow to load; only this verb needs it

    return run(args)


def start_in_file(
    values: Mapping[str, Any],
    sources: Mapping[str, ParameterSource | None],
    config: Mapping[str, Any],
) -> tuple[str, ...]:
    """Return the URLs of the config file, if the crawl is to start there; print them.

    A crawl that continues gets those that are new, unless the command names another folder.
    """
    goes_on = any(values[name] for name in CONTINUING)
    is_elsewhere = sources["folder"] is ParameterSource.COMMANDLINE
    urls = tuple(config.get(START, ()))
    if not urls or (goes_on and is_elsewhere):
        return ()
    if not goes_on and not values["quiet"] and sys.stderr is not None:
        message = f"As the config file says: {', '.join(urls)}, in the folder {values['folder']}."
        Printer(sys.stderr).prose(message)
    return urls


def refuse_contradictions(values: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Raise a `MisuseError` if the arguments contradict one another.

    Args:
        values: The value of every parameter.
        given: Those that were given: not by default.

    """
    message = None
    back_off, longest = values["back_off"], values["max_back_off"]
    if not values["folder"] or "" in values["urls"]:
        message = "an argument is empty; write a URL or a folder, and check its variable"
    elif sum(values[name] for name in CONTINUING) > 1:
        message = (
            "--resume visits what is still queued, --due also what is due again, and --again "
            "everything; use one of them"
        )
    elif not values["urls"] and not any(values[name] for name in CONTINUING):
        message = (
            "write the URL to start at, such as https://example.com/, or name it in the config "
            'file: start = ["https://example.com/"]. To continue a crawl, add --resume; to visit '
            "pages that are due again, add --due, and to visit all, --again"
        )
    elif values["any_origin"] and values["origins"]:
        message = "--any-origin follows links to all sites, and --origin to one; use one of them"
    elif values["any_origin"] and values["check_external"]:
        message = (
            "--any-origin crawls all sites, and --check-external checks links to those that are "
            "not crawled; use one of them"
        )
    elif back_off is not None and longest is not None and back_off > longest:
        message = "--max-back-off is shorter than --back-off; make it longer, or omit it"
    elif values["yes"] and not values["own_site"]:
        message = "--yes answers the question of --own-site; add that, or omit --yes"
    elif any(not hours.strip() for hours in values["hours"]):
        message = "--hours is empty; write hours such as 22:00-06:00, or none to allow every hour"
    else:
        message = not_finite(given)
    if message is not None:
        raise goodbot.MisuseError(message)
    refuse_pause(values["pause"])


def not_finite(given: Mapping[str, Any]) -> str | None:
    """Report the first number that is not finite; click accepts `inf` and `nan`."""
    for name, value in given.items():
        is_read_elsewhere = name == "pause" or (name == "patience" and value == math.inf)
        if isinstance(value, float) and not math.isfinite(value) and not is_read_elsewhere:
            row = OPTION_BY_NAME[name]
            instead = "none" if row.is_liftable else "omit it"
            return f"{row.flag} {value:g} is not possible; write a finite number, or {instead}"
    return None
