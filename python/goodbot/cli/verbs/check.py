"""`goodbot check`: may a robot fetch these URLs, and which rule decides?"""

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import click

import goodbot
from goodbot.bots import ObeyedRules
from goodbot.cli.advice.suggestion import OF_A_FILE, suggest
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.comparison import Comparison
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.explanation import Explanation
from goodbot.cli.shared.input_files import standard_input_is_terminal
from goodbot.cli.shared.options import CheckOptions
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.robots.matrix_form import MatrixForm, chosen_form
from goodbot.cli.shared.robots.robot_choice import chosen_robots, note_near_misses, robots_options
from goodbot.cli.shared.site_comments import CommentNotes
from goodbot.cli.shared.verdict_output import as_object, print_verdict
from goodbot.files.file_input import NAME_OF_STANDARD_INPUT, STANDARD_INPUT, read_input
from goodbot.http.amounts import counted
from goodbot.lazy_dataclass import dataclass

ALL_DIALECTS = "all"
EXAMPLE = "https://example.com/page"


@click.command(no_args_is_help=True)
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option(
    "-f",
    "--robots-txt",
    metavar="FILE",
    help="Read robots.txt from this file; - is standard input. Without it, robots.txt is fetched "
    "from the site of each URL.",
)
@robots_options
@options.robot_dialect(several=True)
@click.option(
    "--urls",
    "url_file",
    metavar="FILE",
    help="Read URLs from this file: one per line, a server's log (Common or Combined Log Format) "
    "or a sitemap; also compressed with gzip. - is standard input.",
)
@click.option(
    "-e",
    "--explain",
    is_flag=True,
    help="Show the lines of robots.txt that decided or matched, and why each won or lost.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Fail instead of warning if the file is clearly not a robots.txt or an argument is not a "
    "URL.",
)
@options.site_options
@options.as_json("one object per line, for each URL (and robot, and dialect)")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV: URLs by robots.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a table in Markdown.")
@click.option("--html", "as_html", is_flag=True, help="Print a page of HTML in one file.")
def check(**args: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Check whether a robot may fetch each URL, and show which rule decides.

    \b
    Examples:
      goodbot check -f robots.txt -r ExampleBot https://example.com/page
      goodbot check -r ExampleBot/1.0 https://example.com/page
      goodbot check -f robots.txt --explain /private/page
      goodbot check -f robots.txt --dialect all /private/page
      goodbot check -f robots.txt -r GPTBot -r Googlebot /page /private/page
      goodbot check --robots ai --markdown https://example.com/page
      sort urls.txt | goodbot check -f robots.txt --json

    With --robots-txt, a URL can also be a path such as /private/page. Without it, robots.txt is
    fetched once from each site; redirects are followed. If it cannot be fetched, nothing is allowed
    and the exit status is 2, even if another URL is disallowed. The site sees goodbot's
    own name, whatever --robot is, with --info-url and --contact if they are given. With several
    robots, the output is a matrix of robots and URLs, and a site is asked once for all. A robot
    that 'goodbot bots' knows is checked with the groups that its operator says it looks for, in its
    dialect.

    Without URLs, they are read from standard input, as with --urls; lines that begin with # are
    skipped. If a URL is sent in another spelling than it is written, such as /%7efred, both
    spellings must be allowed.

    Exit status: 0 every URL is allowed (for every robot), 1 a URL is disallowed, 2 there is no
    result for some URL.
    """  # noqa: D301  click looks for the character that \b is
    site = {name: args.pop(name) for name in options.SiteOptions._fields}
    return run(CheckArgs(**args), options.SiteOptions(**site))


@dataclass(frozen=True)
class CheckArgs:
    """The arguments of the command line; `check` describes each of them."""

    urls: tuple[str, ...]
    robots_txt: str | None
    robot: tuple[str, ...]
    robot_sets: tuple[str, ...]
    dialect: str | None
    url_file: str | None
    explain: bool
    strict: bool
    as_json: bool
    as_csv: bool
    as_markdown: bool
    as_html: bool

    @property
    def form(self) -> MatrixForm:
        """The form of the output."""
        return chosen_form(
            explain=self.explain,
            json=self.as_json,
            csv=self.as_csv,
            markdown=self.as_markdown,
            html=self.as_html,
        )


def run(args: CheckArgs, site_options: options.SiteOptions) -> ExitStatus:
    """Check one robot, or many."""
    robots, form = chosen_robots(args.robot, args.robot_sets), args.form
    chosen = options.dialect_for(robots[0], args.dialect)
    names = [dialect.name for dialect in goodbot.dialects()] if chosen == ALL_DIALECTS else [chosen]
    refuse_contradictions(args, names)
    note_near_misses(robots)
    every = chosen_urls(args.urls, args.url_file)
    if args.robots_txt is None:
        refuse_for_sites(args.urls, names)
    else:
        options.refuse_site_options(site_options, "--robots-txt reads a file")
    if len(robots) > 1 or form not in {"", "json"}:
        refuse_dialects_of_several(names)
        from goodbot.cli.matrix_view import matrix_check  # noqa: PLC0415  most checks need none

        asked = matrix_check.MatrixOptions(robots, args.dialect, form, args.explain, args.strict)
        if args.robots_txt is None:
            return matrix_check.check_sites((args.urls, every), asked, site_options)
        return matrix_check.check_file(args.robots_txt, every, asked)
    wanted = CheckOptions(robots[0], chosen, args.explain, args.strict, args.as_json)
    if args.robots_txt is None:
        from goodbot.cli.shared import live_check  # noqa: PLC0415  slow to load, as is what fetches

        return live_check.check((args.urls, every), wanted, site_options, Printer(sys.stdout))
    return check_file(args.robots_txt, names, every, wanted, Printer(sys.stdout))


def check_file(
    robots_txt: str,
    names: list[str],
    urls: Iterator[bytes],
    check_options: CheckOptions,
    printer: Printer,
) -> ExitStatus:
    """Check each URL against a file, in the dialects with these names."""
    content = read_input(robots_txt)
    files = [goodbot.RobotsTxt(content, dialect=name) for name in names]
    several = [options.obeyed_rules(file, check_options.robot) for file in files]
    warnings.of_file(files[0], robots_txt, strict=check_options.strict)
    warnings.of_name(several)
    if len(names) == 1:
        warnings.of_dialect(check_options.robot, names[0])
    notes = CommentNotes()
    for family in several:
        notes.tell(display_name(robots_txt), [] if family.rules is None else family.rules.comments)
    given = warnings.CheckedUrls(urls, strict=check_options.strict)
    explain = check_options.explain
    if check_options.as_json:
        return answer(
            several, given, lambda verdict: printer.line(as_object(verdict, full=explain))
        )
    if len(several) > 1:
        return compare(files, check_options.robot, given, printer)
    if explain:
        return answer(several, given, Explanation(files[0], several[0], printer).explain)
    return answer(several, given, lambda verdict: print_verdict(verdict, printer))


def display_name(source: str) -> str:
    """Return the name of a file in messages."""
    return NAME_OF_STANDARD_INPUT if source == STANDARD_INPUT else source


def refuse_contradictions(args: CheckArgs, names: list[str]) -> None:
    """Raise a `MisuseError` if the arguments contradict one another."""
    urls, url_file, robots_txt = args.urls, args.url_file, args.robots_txt
    from_input = url_file == STANDARD_INPUT or not (urls or url_file)
    message = None
    if STANDARD_INPUT in urls:
        message = "- is not a URL; to read URLs from standard input, write --urls -"
    elif "" in urls:
        message = "an argument is empty; write a URL, and check the variable that it came from"
    elif from_input and robots_txt == STANDARD_INPUT:
        message = (
            "standard input is the robots.txt file, so the URLs must be arguments or come from "
            "--urls FILE"
        )
    elif not (urls or url_file) and standard_input_is_terminal():
        message = "no URL was given; write URLs as arguments, in --urls FILE, or on standard input"
    elif args.explain and not args.as_json and len(names) > 1:
        message = "--explain explains one dialect; name it with --dialect, or add --json"
    if message is not None:
        raise goodbot.MisuseError(message)


def refuse_for_sites(urls: tuple[str, ...], names: list[str]) -> None:
    """Raise a `MisuseError` if a file is needed; the message says how to download it."""
    if len(names) == 1:
        return
    try:
        robots_txt = goodbot.robots_txt_url(urls[0] if urls else EXAMPLE)
    except goodbot.NoOriginError:
        robots_txt = goodbot.robots_txt_url(EXAMPLE)
    command = suggest("--robots-txt", "robots.txt", verb="check", keep=OF_A_FILE)
    message = (
        f"--dialect {ALL_DIALECTS} compares how one file is read; download the file and name it:\n"
        f"  curl -sSfL -o robots.txt {shlex.quote(robots_txt)}\n  {command}"
    )
    raise goodbot.MisuseError(message)


def refuse_dialects_of_several(names: list[str]) -> None:
    """Raise a `MisuseError` if dialects are compared in a matrix of robots and URLs."""
    if len(names) > 1:
        message = (
            f"--dialect {ALL_DIALECTS} compares the dialects for one robot as text or JSON; name "
            "one robot, or omit --dialect to use that of each robot"
        )
        raise goodbot.MisuseError(message)


def chosen_urls(urls: tuple[str, ...], url_file: str | None) -> Iterator[bytes]:
    """Return the URLs of the arguments, then those of the file, as bytes."""
    source = url_file or (None if urls else STANDARD_INPUT)
    return chain(map(os.fsencode, urls), read_urls(source) if source else ())


def read_urls(source: str) -> Iterator[bytes]:
    """Yield the URLs of a file, and at the end warn about what was not read of it."""
    from goodbot.cli.shared.sources.url_source import UrlSource  # noqa: PLC0415  URLs are mostly arguments

    read = UrlSource(source, keeps_odd=True)
    yield from read
    if read.skipped:
        lines = counted(read.skipped, "line")
        warnings.note(f"{lines} of {read.named} skipped: there is no URL in the request")
    if read.problem:
        warnings.warn(f"{read.named}: {read.problem}")


def answer(
    several: Iterable[ObeyedRules],
    urls: Iterable[bytes],
    report: Callable[[goodbot.Verdict], None],
) -> ExitStatus:
    """Report each verdict as soon as it is known."""
    status = ExitStatus.ALLOWED
    for url in urls:
        for rules in several:
            verdict = rules.verdict(url)
            report(verdict)
            if not verdict.allowed:
                status = ExitStatus.DISALLOWED
    return status


def compare(
    files: list[goodbot.RobotsTxt], robot: str, urls: Iterable[bytes], printer: Printer
) -> ExitStatus:
    """Print the verdicts of all dialects, and where they disagree."""
    comparison = Comparison(files, robot, list(urls))
    comparison.print(printer)
    return ExitStatus.ALLOWED if comparison.all_allowed else ExitStatus.DISALLOWED
