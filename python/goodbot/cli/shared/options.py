"""The options that several verbs share: one decorator each, so that their help is the same."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

import goodbot
from goodbot.files.file_input import read_input

if TYPE_CHECKING:
    from goodbot.bots import ObeyedRules

__all__ = [
    "CheckOptions",
    "DurationType",
    "OnceOption",
    "OneRobotOption",
    "PageDialectOption",
    "SiteOptions",
    "as_json",
    "chosen_marks",
    "content_type",
    "dialect",
    "dialect_for",
    "header",
    "identity_options",
    "names_in",
    "network_args",
    "obeyed_rules",
    "options_in",
    "own_robot",
    "page_options",
    "page_options_named",
    "permission_options",
    "refuse_pause",
    "refuse_site_options",
    "robot",
    "robot_dialect",
    "row_formats",
    "signing_option",
    "site_options",
    "timeout",
]

Command = TypeVar("Command", bound=Callable[..., Any])


DURATION = re.compile(r"(\d{1,9})([smhd]?)")
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def names_in(value: str) -> list[str]:
    """Return the names in a value of `--robot`; a whole User-Agent has its commas in a comment.

    >>> names_in("GPTBot,Googlebot"), names_in("Mozilla/5.0 (KHTML, like Gecko)")
    (['GPTBot', 'Googlebot'], ['Mozilla/5.0 (KHTML, like Gecko)'])
    """
    return [value] if "(" in value else [part.strip() for part in value.split(",")]


class OnceOption(click.Option):
    """An option that is refused if it is given twice, instead of dropping one of its values."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:  # noqa: ANN401  as click has it
        """Add the option so that all its values are gathered."""
        self.multiple = True
        super().add_to_parser(parser, ctx)
        self.multiple = False

    def consume_value(
        self, ctx: click.Context, opts: Mapping[str, Any]
    ) -> tuple[Any, click.core.ParameterSource]:
        """Return the only value.

        Raises:
            UsageError: There are several.

        """
        given = opts.get(self.name or "")
        if not isinstance(given, list):
            return super().consume_value(ctx, opts)
        fault = self.fault_of([str(one) for one in given])
        if fault:
            raise click.UsageError(fault, ctx)
        return super().consume_value(ctx, {**opts, self.name or "": given[0]})

    def fault_of(self, given: list[str]) -> str:
        """Return what is wrong with the values; empty if there is one."""
        if len(given) == 1:
            return ""
        return (
            f"{self.opts[-1]} was given {len(given)} times ({' and '.join(given)}). Give it once."
        )


class OneRobotOption(OnceOption):
    """An option `--robot` that is refused if it names two, instead of dropping one."""

    def fault_of(self, given: list[str]) -> str:
        """Return that it names more than one robot; empty if it does not."""
        names = [name for value in given for name in names_in(value)]
        if len(names) <= 1:
            return ""
        how = f"was given {len(given)} times" if len(given) > 1 else "has several names"
        return (
            f"--robot {how} ({' and '.join(names)}), and this command takes one robot. Run it "
            "once for each."
        )


class DurationType(click.ParamType):  # type: ignore[type-arg]  # before click 8.2 it has none
    """A duration: seconds, or a number with s, m, h or d."""

    name = "duration"

    def convert(
        self,
        value: Any,  # noqa: ANN401  as click has it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> timedelta:
        """Return it as a `timedelta`."""
        if isinstance(value, timedelta):
            return value
        found = DURATION.fullmatch(str(value).strip())
        if found is None:
            self.fail(
                f"{value!r} is not a duration; write seconds, or as in 90m, 6h or 7d", param, ctx
            )
        return timedelta(seconds=int(found[1]) * UNITS[found[2] or "s"])


class PageDialectOption(click.Option):
    """An option whose help lists the dialects, which are loaded only for the help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Insert the names of the dialects."""
        from goodbot.page import PAGE_DIALECTS  # noqa: PLC0415  slow to load, and seldom needed

        self.help = (self.help or "").format(", ".join(PAGE_DIALECTS))
        return super().get_help_record(ctx)


def robot(command: Command) -> Command:
    """Add `--robot`."""
    return click.option(
        "-r",
        "--robot",
        cls=OneRobotOption,
        default="*",
        metavar="NAME",
        help="The robot to check for: its product token (ExampleBot) or its whole User-Agent. The "
        "default, *, is any robot that has no group of its own.",
    )(command)


def obeyed_rules(file: goodbot.RobotsTxt, robot: str) -> "ObeyedRules":
    """Return the rules of a file for one robot, in the dialect of the file.

    A known robot brings its family: the product tokens whose groups it looks for, and whether it
    ignores the group for `*`.

    Raises:
        MisuseError: `--robot` is not a name.

    """
    from goodbot.bots import rules_for  # noqa: PLC0415  most verbs ask for no robot

    try:
        return rules_for(file, robot, dialect=file.dialect)
    except goodbot.RobotNameError as error:
        if "URL" not in str(error):
            raise
        message = f"--robot is a name such as ExampleBot, and {robot} is a URL; write it without -r"
        raise goodbot.MisuseError(message) from error


def own_robot(command: Command) -> Command:
    """Add `--robot`, the name and version of the user's robot."""
    return click.option(
        "-r",
        "--robot",
        cls=OneRobotOption,
        required=True,
        metavar="NAME/VERSION",
        help="The name and version of your robot, such as ExampleBot/1.0.",
    )(command)


DIALECT = "rfc9309"
"""The dialect in which robots.txt is read if nothing else is said."""

IN_DIALECT = "The dialect in which robots.txt is read; 'goodbot dialects' lists them"


def dialect(command: Command) -> Command:
    """Add `--dialect`, for a robot of the user's own."""
    return click.option(
        "-d",
        "--dialect",
        default=DIALECT,
        metavar="NAME",
        show_default=True,
        help=f"{IN_DIALECT}.",
    )(command)


def robot_dialect(*, several: bool) -> Callable[[Command], Command]:
    """Add `--dialect`, for any robot that is asked about; with `several`, it accepts `all` too."""
    every = "; 'all' compares them" if several else ""
    return click.option(
        "-d",
        "--dialect",
        metavar="NAME",
        help=f"{IN_DIALECT}{every}. By default, that of --robot if it is known ('goodbot bots'), "
        f"else {DIALECT}.",
    )


def dialect_for(robot: str, given: str | None) -> str:
    """Return the dialect to read robots.txt in: the given one, else the robot's own.

    >>> dialect_for("Googlebot-News", None), dialect_for("Googlebot-News", "bing")
    ('google', 'bing')
    >>> dialect_for("ExampleBot", None)
    'rfc9309'
    """
    if given is not None:
        return given
    from goodbot.bots import known  # noqa: PLC0415  most verbs ask for no robot

    found = known(robot)
    return DIALECT if found is None or found.dialect is None else found.dialect


def as_json(what: str) -> Callable[[Command], Command]:
    """Add `--json`, and describe what it prints."""
    return click.option("--json", "as_json", is_flag=True, help=f"Print JSON: {what}.")


def row_formats(noun: str) -> Callable[[Command], Command]:
    """Add `--json`, `--csv` and `--parquet`, for lists with a row for each of something."""

    def decorate(command: Command) -> Command:
        parquet = "Write a Parquet file (needs pyarrow)."
        command = click.option("--parquet", metavar="FILE", help=parquet)(command)
        as_csv = f"Print CSV: a header, and a row for each {noun}."
        command = click.option("--csv", "as_csv", is_flag=True, help=as_csv)(command)
        return as_json(f"one object per line, for each {noun}")(command)

    return decorate


class CheckOptions(NamedTuple):
    """What `goodbot check` checks, and the form of its output."""

    robot: str
    dialect: str
    explain: bool
    """Whether to show the lines that decided."""
    strict: bool
    """Whether to fail where the result would be a guess."""
    as_json: bool
    """Whether to print objects instead of sentences."""


class SiteOptions(NamedTuple):
    """How sites are visited: the values of the options of `site_options`."""

    info_url: str | None
    contact: str | None
    store: str | None
    allow_private: bool
    timeout: float | None
    """Seconds; `None` if the option was not given."""
    allow_network: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """The most seconds that a request may take."""
        return SECONDS if self.timeout is None else self.timeout


def refuse_site_options(site_options: SiteOptions, reads: str) -> None:
    """Refuse options for visiting a site together with a file.

    Args:
        site_options: The options.
        reads: What reads the file, such as `--robots-txt reads a file`.

    Raises:
        MisuseError: One of them was given.

    """
    given = {
        "--store": site_options.store is not None,
        "--allow-private": site_options.allow_private,
        "--allow-network": bool(site_options.allow_network),
        "--timeout": site_options.timeout is not None,
    }
    for name, is_given in given.items():
        if is_given:
            message = f"{name} is for a live site, and {reads}; omit one"
            raise goodbot.MisuseError(message)


def site_options(command: Command) -> Command:
    """Add the options of `SiteOptions`."""
    most = (
        "The most seconds that a request may take, and that the command waits until a site may be "
        "visited."
    )
    return added(command, (*IDENTITY, STORE, *PERMISSIONS, timeout(most)))


def network_args(*, private: bool, networks: Sequence[str]) -> list[str]:
    """Return the options that give the same permissions, for a command that is suggested.

    >>> network_args(private=True, networks=["100.64.0.0/10"])
    ['--allow-private', '--allow-network', '100.64.0.0/10']
    """
    words = ["--allow-private"] if private else []
    for network in networks:
        words += ["--allow-network", network]
    return words


def signing_option(command: Command) -> Command:
    """Add the option for the identity by which requests are signed."""
    return added(command, (SIGNING,))


def identity_options(command: Command) -> Command:
    """Add those of `site_options` that identify the robot."""
    return added(command, IDENTITY)


def permission_options(command: Command) -> Command:
    """Add those of `site_options` that permit addresses that are not public."""
    return added(command, PERMISSIONS)


def options_in(add: Callable[[Callable[..., Any]], Callable[..., Any]]) -> list[click.Option]:
    """Return the options that a decorator adds to a command."""
    command = click.command()(add(lambda: None))
    return [one for one in command.params if isinstance(one, click.Option)]


def added(command: Command, several: tuple[Callable[[Command], Command], ...]) -> Command:
    """Add options in the order in which help lists them."""
    for option in reversed(several):
        command = option(command)
    return command


SECONDS = 30.0
"""How long a request may take without `--timeout`, as with `goodbot.Robot`."""

IDENTITY = (
    click.option(
        "--info-url",
        metavar="URL",
        envvar="GOODBOT_INFO_URL",
        show_envvar=True,
        help="The web page that explains your robot. Sites see it in User-Agent.",
    ),
    click.option(
        "--contact",
        metavar="ADDRESS",
        envvar="GOODBOT_CONTACT",
        show_envvar=True,
        help="An email address that you read. Sites see it in From.",
    ),
)

SIGNING = click.option(
    "--identity",
    metavar="FOLDER",
    help="Sign every request by the identity in this folder ('goodbot robot identity new'). "
    "Requires pip install 'goodbot[signatures]'.",
)

STORE = click.option(
    "--store",
    metavar="FILE|URL",
    help="Store the robots.txt of each site in this file, which is created if needed, or in the "
    "store with this URL. The next run fetches only those that are no longer fresh, and all "
    "programs with the same store share one pace for each site. Without it, nothing is stored.",
)

PERMISSIONS = (
    click.option(
        "--allow-private",
        is_flag=True,
        help="Also visit loopback and private networks, but not link-local addresses or cloud "
        "metadata services.",
    ),
    click.option(
        "--allow-network",
        multiple=True,
        metavar="CIDR",
        help="Also visit this network, such as 100.64.0.0/10. A metadata service is visited only "
        "if its exact address is given. Repeatable.",
    ),
)


def timeout(most: str) -> Callable[[Command], Command]:
    """Add `--timeout`, and describe what it bounds."""
    return click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help=f"{most} {SECONDS:g} by default.",
    )


PAGE = (
    click.option(
        "--marks",
        metavar="NAMES",
        multiple=True,
        help="The marks on parts of pages to apply, separated by commas, such as nofollow,ugc. "
        "'none' applies none; 'all' applies all, as by default. A wrong name lists the known ones.",
    ),
    click.option(
        "--profile-uri",
        "profile_uris",
        metavar="URI",
        multiple=True,
        help="A URI by which pages declare the Robot Exclusion Profile, instead of the known ones. "
        "Repeatable.",
    ),
    click.option(
        "--profile-links",
        is_flag=True,
        help="Also accept link rel=profile and the HTTP header Link as declarations of the Robot "
        "Exclusion Profile.",
    ),
    click.option(
        "--names-page",
        metavar="FILE",
        help="A saved page that assigns names to numbered robots (RobotExclusion.RobotName1), for "
        "pages that link to one.",
    ),
    click.option(
        "--strict-pi",
        is_flag=True,
        help="Treat a robots processing instruction with white space before ?> as illegal.",
    ),
)


SHORTEST_PAUSE, LONGEST_PAUSE = 0.001, 31_536_000
"""The shortest pause that a robot can measure, and the longest: a year. In seconds."""


def refuse_pause(pause: float | None) -> None:
    """Refuse a pause that no robot can keep; click accepts `inf` and `nan` as numbers.

    Raises:
        MisuseError: It is neither 0 nor from a thousandth of a second to a year.

    """
    if pause is None or pause == 0:
        return
    if not (math.isfinite(pause) and SHORTEST_PAUSE <= pause <= LONGEST_PAUSE):
        message = (
            f"--pause {pause:g} is not possible; write 0 for no pause, or seconds from "
            f"{SHORTEST_PAUSE:g} to {LONGEST_PAUSE:,} (a year)"
        )
        raise goodbot.MisuseError(message)


header = click.option(
    "-H",
    "--header",
    "headers",
    metavar="'NAME: VALUE'",
    multiple=True,
    help="A field of the page's HTTP header. Repeatable. @FILE reads all fields and the status "
    "from a file that 'curl -D FILE' saved.",
)
"""Adds `--header`."""

content_type = click.option(
    "--content-type",
    metavar="TYPE",
    help="The type of the page, such as text/html, instead of the one in its header.",
)
"""Adds `--content-type`."""


def page_options(command: Command) -> Command:
    """Add the options for reading pages."""
    return added(command, PAGE)


def page_options_named(
    marks: Sequence[str],
    profile_uris: Sequence[str],
    names_page: str | None,
    *,
    profile_links: bool,
    strict_pi: bool,
) -> dict[str, Any]:
    """Return the values of these options, for `goodbot.page.PageOptions`.

    Raises:
        MisuseError: A mark does not exist, or the file is a directory or too large.
        OSError: The file cannot be read.

    """
    named = {
        "marks": chosen_marks(marks),
        "profile_uris": list(profile_uris) or None,
        "names_page": None if names_page is None else read_input(names_page),
        "profile_links": True if profile_links else None,
        "lenient": False if strict_pi else None,
    }
    return {name: value for name, value in named.items() if value is not None}


def chosen_marks(given: Sequence[str]) -> list[str] | None:
    """Return the names of the marks to apply; `None` for all.

    Raises:
        MisuseError: A mark does not exist.

    """
    if not given:
        return None
    names = [name for one in given for name in re.split(r"[,\s]+", one) if name]
    if names in (["none"], ["all"]):
        return [] if names == ["none"] else None
    from goodbot.page import MARKS  # noqa: PLC0415  slow to load, and seldom needed

    known = [mark.name for mark in MARKS]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        message = f"there is no mark {(unknown or [''])[0]!r}; the marks are {', '.join(known)}"
        raise goodbot.MisuseError(message)
    return names
