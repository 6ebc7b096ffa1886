"""The options of `goodbot crawl`: one row for each.

A row has the option itself, the heading under which help lists it, the setting of the crawl that it
changes, and the value that `none` stands for. The help, `goodbot.toml`, what `--resume` keeps and
the docs follow from the rows.

To add an option that the crawl stores, add the field to `CrawlSettings`, `Bounds` or `Manners`,
and a row with its `setting`. To add an option that holds for one run, add a row without a
`setting`, and a field of the same name to `goodbot.crawl.verbs.crawl_view.args.CrawlArgs`.
"""

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import click

from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options
from goodbot.cli.shared.config_toml import FOLDER
from goodbot.cli.shared.options import OneRobotOption, PageDialectOption
from goodbot.crawl.verbs.crawl_view import conversions
from goodbot.crawl.verbs.crawl_view.crawl_option import CrawlOption, limit, shared
from goodbot.crawl.verbs.crawl_view.option_kinds import OrNone

__all__ = [
    "BACK_OFF",
    "BACK_OFF_AFTER",
    "MAX_BACK_OFF",
    "OPTIONS",
    "OPTION_BY_NAME",
    "PAUSE",
    "SECTIONS",
    "continue_command",
    "resume_command",
    "settings_in",
]

PAUSE = 10.0
"""Seconds between two visits if the site does not ask for a pause."""

BACK_OFF, MAX_BACK_OFF, BACK_OFF_AFTER = 30.0, 21_600.0, 3
"""The defaults of `goodbot.pace.Manners`, which is not loaded only for the help."""

THIS_RUN = "This run"
"""The heading of the options that are not stored in the folder."""

ONE_RUN = "because it is about one run"
NO_PERMISSION = "because someone else may have written it, and permissions are yours to give"
"""Why some options are not read from a config file."""

WORKERS = 16
PATIENCE = 600.0

ABOVE_0 = click.FloatRange(min=0, min_open=True)

ROBOT = [
    CrawlOption(
        section="Robot",
        option=OneRobotOption(
            ["-r", "--robot"],
            metavar="NAME/VERSION",
            help="The name and version of your robot, such as ExampleBot/1.0. Sites address rules "
            "to the part before the slash.",
        ),
        setting="robot",
    ),
    *shared(
        "Robot",
        options.identity_options,
        info_url={"setting": "info_url"},
        contact={"setting": "contact"},
    ),
]

OF_THE_FOLDER = [
    CrawlOption(
        section="Folder",
        option=click.Option(
            ["-o", "--out", "folder"],
            metavar="DIR",
            default=FOLDER,
            show_default=True,
            help="The folder of the crawl, which is created if needed.",
        ),
    ),
    CrawlOption(
        section="Folder",
        option=click.Option(
            ["--resume"],
            is_flag=True,
            help="Continue the crawl in DIR with everything that was set before.",
        ),
        never_in_file=ONE_RUN,
    ),
    CrawlOption(
        section="Folder",
        option=click.Option(
            ["--due"],
            is_flag=True,
            help="Visit the URLs in DIR that are due again, and those still queued.",
        ),
        never_in_file=ONE_RUN,
    ),
    CrawlOption(
        section="Folder",
        option=click.Option(
            ["--again"],
            is_flag=True,
            help="Visit all URLs in DIR again now, due or not, and those still queued. Most "
            "servers send only what has changed.",
        ),
        never_in_file=ONE_RUN,
    ),
    CrawlOption(
        section="Folder",
        option=click.Option(
            ["--remove"],
            is_flag=True,
            help="Remove pages that are now outside the bounds, for example by --exclude, from the "
            "index and the archive at once. Without it, they are visited when due, but their links "
            "are not.",
        ),
        never_in_file=ONE_RUN,
    ),
    CrawlOption(
        section="Folder",
        option=click.Option(
            ["--processes"],
            type=click.IntRange(1),
            metavar="N",
            help="Share the sites out over N processes, to use several processors. The number "
            "stays the same for the life of the crawl; 1 by default, and at most 8, because "
            "SQLite attaches no more parts to read them as one.",
        ),
    ),
]

LIMITS = [
    limit(
        click.IntRange(min=1),
        "--max-pages",
        "N",
        "pages",
        "Stop after N pages in one run. Several sites share them.",
    ),
    limit(
        click.IntRange(min=1),
        "--max-pages-per-site",
        "N",
        "pages_per_site",
        "Visit at most N pages of each site; --resume visits N more of each.",
    ),
    limit(
        click.IntRange(min=0),
        "--max-depth",
        "N",
        "depth",
        "Follow at most N links from the first page; 20 by default.",
    ),
    limit(ABOVE_0, "--max-seconds", "N", "seconds", "Stop after N seconds."),
    limit(
        ABOVE_0,
        "--max-megabytes",
        "N",
        "bytes",
        "Stop after N million bytes were received.",
    ),
    limit(
        ABOVE_0,
        "--max-disk",
        "N",
        "disk",
        "Stop when DIR is N million bytes large; 10,737 (10 GiB) by default.",
    ),
]

URLS = [
    CrawlOption(
        section="URLs",
        option=click.Option(
            ["--urls", "urls_file"],
            metavar="FILE",
            help="Start at the URLs in this file as well, one a line, with # before a comment; - "
            "is standard input.",
        ),
        never_in_file=ONE_RUN,
    ),
    CrawlOption(
        section="URLs",
        option=click.Option(
            ["--include"],
            multiple=True,
            metavar="PATTERN|none",
            help="Visit only matching URLs, and the first page. A pattern is a path as in "
            "robots.txt, such as '/lamps/*.html$', or a whole URL. Repeatable.",
        ),
        setting="bounds.include",
        lifted=(),
    ),
    CrawlOption(
        section="URLs",
        option=click.Option(
            ["--exclude"],
            multiple=True,
            metavar="PATTERN|none",
            help="Skip matching URLs, even if --include matches too. Repeatable.",
        ),
        setting="bounds.exclude",
        lifted=(),
    ),
    CrawlOption(
        section="URLs",
        option=click.Option(
            ["--origin", "origins"],
            multiple=True,
            metavar="URL|none",
            help="Also follow links to this site. By default, only links to the sites of the given "
            "URLs are followed. Repeatable.",
        ),
        setting="bounds.origins",
        convert=conversions.to_origins,
        lifted=None,
    ),
    CrawlOption(
        section="URLs",
        option=click.Option(
            ["--any-origin/--no-any-origin"],
            default=None,
            help="Follow links to every site, or only to those of the given URLs.",
        ),
        setting="bounds.any_origin",
    ),
    CrawlOption(
        section="URLs",
        option=click.Option(
            ["--check-external/--no-check-external"],
            default=None,
            help="Whether to request links to other sites, under their own robots.txt and pace, to "
            "see which are broken. They are due again like pages. By default, other sites are "
            "never requested.",
        ),
        setting="bounds.check_external",
    ),
    CrawlOption(
        section="URLs",
        option=click.Option(
            ["--sitemaps/--no-sitemaps"],
            default=None,
            help="Whether to read the sitemaps and the PleaseVisit lines of robots.txt. They are "
            "read by default.",
        ),
        setting="sitemaps",
    ),
    CrawlOption(
        section="URLs",
        option=click.Option(
            ["--traps"],
            multiple=True,
            metavar="NAMES|none",
            help="The traps whose links are skipped, separated by commas: repeated-path (the "
            "default), repeated-tree, duplicate-content, soft-404, session-id, idle-parameter, "
            "mirror-host, calendar; or all. 'goodbot report skipped' lists all traps that were "
            "found.",
        ),
        setting="traps",
        convert=conversions.to_traps,
        lifted=[],
    ),
]

PACE = [
    CrawlOption(
        section="Pace",
        option=click.Option(
            ["--pause"],
            type=float,
            metavar="SECONDS",
            help="The pause between visits to a site that does not ask for one; "
            f"{PAUSE:g} by default. After a slow response, it is twice the time that this took.",
        ),
        setting="manners.default",
    ),
    CrawlOption(
        section="Pace",
        option=click.Option(
            ["--back-off"],
            type=click.FloatRange(min=0),
            metavar="SECONDS",
            help="The pause after a site is overloaded (status 429 or 503 without Retry-After) or "
            f"fails at several URLs in a row. It doubles each time; {BACK_OFF:g} by default.",
        ),
        setting="manners.back_off_first",
    ),
    CrawlOption(
        section="Pace",
        option=click.Option(
            ["--max-back-off"],
            type=click.FloatRange(min=0),
            metavar="SECONDS",
            help=f"The longest such pause; {MAX_BACK_OFF:,g} by default.",
        ),
        setting="manners.back_off_longest",
    ),
    CrawlOption(
        section="Pace",
        option=click.Option(
            ["--back-off-after"],
            type=click.IntRange(min=1),
            metavar="N",
            help="The number of different URLs of a site that must fail in a row before the crawl "
            f"backs off; {BACK_OFF_AFTER} by default.",
        ),
        setting="manners.back_off_after",
    ),
    CrawlOption(
        section="Pace",
        option=click.Option(
            ["--retries"],
            type=click.IntRange(min=0),
            metavar="N",
            help="Try a URL that failed up to N times again; 2 by default. The first retry comes "
            "after 10 seconds, each next one after twice as long, and other URLs are visited "
            "meanwhile. What cannot be decoded is not tried again.",
        ),
        setting="retries",
    ),
    CrawlOption(
        section="Pace",
        option=click.Option(
            ["--hours"],
            multiple=True,
            metavar="HH:MM-HH:MM|none",
            help="Make requests only at these hours of the day, in UT, such as 22:00-06:00. "
            "Repeatable, or separated by commas.",
        ),
        setting="manners.hours",
        convert=",".join,
        lifted="",
    ),
    CrawlOption(
        section="Pace",
        option=click.Option(
            ["--bandwidth"],
            type=OrNone(ABOVE_0),
            metavar="BYTES/S|none",
            help="The most bytes per second from one site, on average: a large response is "
            "followed by a longer pause.",
        ),
        setting="manners.bytes_per_second",
        lifted=None,
    ),
    CrawlOption(
        section="Pace",
        option=click.Option(
            ["--adaptive/--no-adaptive"],
            default=None,
            help="Whether to wait longer when a server gets slower: twice as long as it lately "
            "took to answer, even if the site asks for less.",
        ),
        setting="manners.adaptive",
    ),
    CrawlOption(
        section="Pace",
        option=click.Option(
            ["--group"],
            multiple=True,
            metavar="HOSTS|none",
            help="Hosts that share a server, which are visited one at a time: '*.example.com', a "
            "network such as 192.0.2.0/24, 'address' (all hosts of one IP address) or 'network' "
            "(of one /24 or /48). Repeatable; a host belongs to the first that fits.",
        ),
        setting="manners.groups",
        lifted=(),
    ),
    CrawlOption(
        section="Pace",
        option=click.Option(
            ["--group-pause"],
            type=OrNone(click.FloatRange(min=0)),
            metavar="SECONDS|none",
            help="The pause between visits to hosts of one group; by default that of --pause.",
        ),
        setting="manners.group_pause",
        lifted=None,
    ),
]

READING = [
    CrawlOption(
        section="Reading",
        option=click.Option(
            ["--types"],
            multiple=True,
            metavar="NAMES",
            help="The types of responses to read and keep, separated by commas: html, xml, text "
            "(these three by default), pdf, json, css, javascript, image, audio, video, font, or "
            "media types such as application/zip or image/*; or all. Of any other type, only the "
            "header is read. What pages load is requested too if image, css, javascript or all is "
            "named. Without html, no links are found.",
        ),
        setting="types",
        convert=conversions.to_types,
    ),
    CrawlOption(
        section="Reading",
        option=click.Option(
            ["--short-lived/--no-short-lived"],
            default=None,
            help="Whether to index and keep a page that has expired when it comes, because its "
            "Expires is in the past. By default, it is kept, and due again at once.",
        ),
        setting="short_lived",
    ),
    *shared("Reading", options.dialect, dialect={"setting": "dialect"}),
    CrawlOption(
        section="Reading",
        option=PageDialectOption(
            ["--page-dialect"],
            metavar="NAME",
            default="google",
            show_default=True,
            help="The dialect in which pages are read: {}.",
        ),
        setting="page_dialect",
    ),
    *shared(
        "Reading",
        options.page_options,
        marks={
            "setting": "page_options.marks",
            "convert": options.chosen_marks,
            "lifted": [],
        },
        profile_uris={"setting": "page_options.profile_uris", "convert": list, "lifted": None},
        profile_links={"setting": "page_options.profile_links"},
        names_page={
            "setting": "page_options.names_page",
            "convert": conversions.to_content,
            "lifted": None,
        },
        strict_pi={"setting": "page_options.lenient", "convert": operator.not_},
    ),
]

OF_THE_RUN = [
    CrawlOption(
        section=THIS_RUN,
        option=click.Option(
            ["--workers"],
            type=click.IntRange(1, 10_000),
            metavar="N",
            default=WORKERS,
            show_default=True,
            help="The most visits at the same time. There is never more than one at a site.",
        ),
    ),
    CrawlOption(
        section=THIS_RUN,
        option=click.Option(
            ["--patience"],
            type=OrNone(click.FloatRange(min=0)),
            metavar="SECONDS|none",
            default=PATIENCE,
            show_default=True,
            help="Stop when no URL may be visited within so many seconds; with none, wait as long "
            "as needed.",
        ),
    ),
    CrawlOption(
        section=THIS_RUN,
        option=click.Option(
            ["--store"],
            metavar="FILE|URL",
            help="Share this store with other crawls and robots, so that together they keep one "
            "pace for each site and fetch its robots.txt once. It is a file, which is created if "
            "needed, or the URL of a store.",
        ),
    ),
    *shared(
        THIS_RUN,
        options.permission_options,
        allow_private={"never_in_file": NO_PERMISSION},
        allow_network={"never_in_file": NO_PERMISSION},
    ),
    CrawlOption(
        section=THIS_RUN,
        option=click.Option(
            ["--own-site"],
            is_flag=True,
            help="Also fetch pages of your own site that its robots.txt disallows, with your "
            "permission: they are listed first, and you are asked once. A token in robots.txt or "
            "DNS must show that the site is yours, unless it is on this machine; the command "
            "prints it.",
        ),
        never_in_file=NO_PERMISSION,
    ),
    CrawlOption(
        section=THIS_RUN,
        option=click.Option(
            ["--yes"],
            is_flag=True,
            help="Answer the question of --own-site with yes, for scripts. The pages are listed "
            "all the same.",
        ),
        never_in_file=NO_PERMISSION,
    ),
    *shared(THIS_RUN, options.timeout("The most seconds that one request may take.")),
    *shared(THIS_RUN, options.signing_option),
    CrawlOption(
        section=THIS_RUN,
        option=click.Option(
            ["--alert"],
            metavar="COMMAND",
            help="Run this program when a site fails, disallows everything, changes its robots.txt "
            "or sends you a comment. It runs without a shell, at most once a minute, and gets JSON "
            "on its standard input.",
        ),
        never_in_file="because someone else may have written it, and it runs a program",
    ),
]

OUTPUT = [
    CrawlOption(
        section="Output",
        option=click.Option(
            ["--strict"],
            is_flag=True,
            help="Exit with status 3 if the crawl ended and some URLs could not be fetched: their "
            "last answer was an error such as 404, no answer came, or they are not due within "
            "--patience.",
        ),
    ),
    *shared("Output", options.as_json("one object per line for each event, the summary last")),
    CrawlOption(
        section="Output",
        option=click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            help="Print only the summary, and the comments of sites on standard error.",
        ),
    ),
]

OPTIONS: tuple[CrawlOption, ...] = (
    *ROBOT,
    *OF_THE_FOLDER,
    *LIMITS,
    *URLS,
    *PACE,
    *READING,
    *OF_THE_RUN,
    *OUTPUT,
)
"""Every option, in the order of the help."""

OPTION_BY_NAME: Mapping[str, CrawlOption] = {row.name: row for row in OPTIONS}

SECTIONS: Mapping[str, Sequence[str]] = {
    title: [row.name for row in OPTIONS if row.section == title]
    for title in dict.fromkeys(row.section for row in OPTIONS)
}
"""The names of the options under each heading of the help."""


def resume_command(folder: str, *words: str) -> str:
    """Return the command that resumes the crawl that is running, with the user's own options."""
    return continue_command("--resume", folder, *words)


def continue_command(how: str, folder: str, *words: str) -> str:
    """Return a command that continues the crawl, with the options of this run.

    Args:
        how: `--resume`, `--due` or `--again`.
        folder: The folder, as the user wrote it.
        words: Further options.

    """
    of_the_run = ["config_file", *(row.name for row in (*OF_THE_RUN, *OUTPUT))]
    return suggest(how, "--out", folder, *words, verb="crawl", keep=of_the_run)


def settings_in(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that options name, as arguments of `GivenSettings`.

    >>> settings_in({"max_pages": 9, "include": ("none",), "sitemaps": False, "quiet": True})
    {'bounds': {'pages': 9, 'include': ()}, 'sitemaps': False}

    Args:
        given: The value of each option that was given, by its name.

    Raises:
        MisuseError: A value cannot be used; the message says what to write.

    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        row = OPTION_BY_NAME[name]
        if row.setting:
            group, _, key = row.setting.rpartition(".")
            into = found.setdefault(group, {}) if group else found
            into[key] = row.value_of(value)
    return found
