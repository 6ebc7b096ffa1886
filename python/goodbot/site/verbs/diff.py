"""`goodbot diff`: what does a change of robots.txt change, and for which robots?"""

import json
import sys
from typing import Any

import click

import goodbot
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.dialect_names import listed_dialects
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.sources.url_source import UrlSource
from goodbot.files.file_input import STANDARD_INPUT
from goodbot.site.reasoning import Effect, FileComparison, compare_files, count_url_changes
from goodbot.site.verbs.diff_view.diff_result import DiffResult, UrlsTried
from goodbot.site.verbs.diff_view.sides import read_sides

__all__ = ["diff"]


@click.command(no_args_is_help=True)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "-d",
    "--dialect",
    metavar="NAME",
    help="The dialect in which both files are read for every robot; 'goodbot dialects' lists them. "
    "By default, rfc9309, and for known robots also their own.",
)
@click.option(
    "--urls",
    "url_file",
    metavar="FILE",
    help="Count how many of these URLs change: a file with one per line, a server's log (Common or "
    "Combined Log Format) or a sitemap; also compressed with gzip. - is standard input.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["stricter", "laxer", "any"]),
    help="Exit with 1 only if access becomes stricter or laxer for some robot, or either; and with "
    "2 if that is undecided.",
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown, for a review.")
@click.option("--html", "as_html", is_flag=True, help="Print a page of HTML in one file.")
@options.site_options
@options.as_json("one object")
def diff(
    old: str,
    new: str,
    dialect: str | None,
    url_file: str | None,
    fail_on: str | None,
    *,
    as_json: bool,
    as_markdown: bool,
    as_html: bool,
    **site: Any,  # noqa: ANN401  those of `options.site_options`
) -> ExitStatus:
    """Show what a change of robots.txt changes, and for which robots.

    \b
    Examples:
      goodbot diff old.txt robots.txt
      goodbot diff git:main:robots.txt robots.txt --fail-on laxer
      goodbot diff https://example.com/ robots.txt --urls access.log.gz
      goodbot diff --store robots.db store:https://example.com@-1 store:https://example.com
      goodbot diff git:HEAD~1:robots.txt robots.txt --markdown

    OLD and NEW are files, - for standard input, the URL of a site, git:REVISION:PATH, or
    store:URL@VERSION, a version in --store: a time, the beginning of its sha256, or -1 for the one
    before the newest.

    Every path is considered, for every robot that the files name, for all others, and for known
    robots by their families and exceptions. Each difference has a shortest path as its example. A
    site or revision without a robots.txt allows everything; with --fail-on, OLD must be in its
    revision.

    Where that makes no difference, the files are also compared in every dialect, for robots of any
    name. The output names the dialects, with an example where they differ. --fail-on counts them;
    with --dialect, both files are compared in that dialect alone.

    Exit status: 0 both mean the same, 1 they differ, 2 undecided, or there is no result.
    """  # noqa: D301  click looks for the character that \b is
    form = chosen_form(as_json=as_json, as_markdown=as_markdown, as_html=as_html)
    if url_file == STANDARD_INPUT and STANDARD_INPUT in (old, new):
        message = "standard input is one of the two files, so --urls must name a file"
        raise goodbot.MisuseError(message)
    chosen = dialect or options.DIALECT
    is_gate = fail_on is not None
    sides = read_sides(old, new, chosen, options.SiteOptions(**site), is_gate=is_gate)
    files = (side.file for side in sides)
    comparison = compare_files(*files, own_dialects=dialect is None)
    tried = None if url_file is None else urls_tried(comparison, url_file)
    result = DiffResult(*sides, comparison, tried)
    show(result, form)
    status = status_of(comparison, fail_on)
    if fail_on is not None and status != ExitStatus.ALLOWED:
        sys.stdout.flush()
        warnings.note(f"--fail-on {fail_on}: {why_failed(result, fail_on)}")
    return status


def chosen_form(**given: bool) -> str:
    """Return the form of the output: the name of an option, or `text`.

    Raises:
        MisuseError: There are several.

    """
    chosen = [name for name, is_given in given.items() if is_given]
    if len(chosen) > 1:
        message = "--json, --markdown and --html are forms of one output; choose one"
        raise goodbot.MisuseError(message)
    return chosen[0] if chosen else "text"


def urls_tried(comparison: FileComparison, source: str) -> UrlsTried:
    """Count the URLs that change."""
    urls = UrlSource(source)
    found = count_url_changes(comparison, urls)
    if urls.problem:
        warnings.warn(f"--urls {source}: {urls.problem}")
    places = {id(one): place for place, one in enumerate(comparison.robots)}
    counts = {places[id(one.robots)]: one for one in found.counts}
    return UrlsTried(source, urls.form, found.urls, urls.skipped, counts)


def show(result: DiffResult, form: str) -> None:
    """Print the result in a form, which is loaded only if it is wanted."""
    printer = Printer(sys.stdout)
    if form == "as_json":
        printer.line(json.dumps(result.as_object()))
    elif form == "as_markdown":
        from goodbot.site.verbs.diff_view.diff_markdown import markdown_lines  # noqa: PLC0415

        for line in markdown_lines(result):
            printer.line(line)
    elif form == "as_html":
        from goodbot.site.verbs.diff_view.diff_html import html_page  # noqa: PLC0415

        for piece in html_page(result):
            sys.stdout.write(piece)
    else:
        from goodbot.site.verbs.diff_view.diff_text import print_diff  # noqa: PLC0415

        print_diff(result, printer)


def status_of(comparison: FileComparison, fail_on: str | None) -> ExitStatus:
    """Return the exit status: what is undecided is never a success."""
    if fail_on is None:
        answer = True if comparison else (False if comparison.is_complete else None)
    else:
        answers = [comparison.may_be(effect) for effect in effects_in(fail_on)]
        answer = True if True in answers else (None if None in answers else False)
    if answer is None:
        return ExitStatus.MISUSE
    return ExitStatus.DISALLOWED if answer else ExitStatus.ALLOWED


def effects_in(fail_on: str) -> list[Effect]:
    """Return the effects that fail."""
    effects: list[Effect] = ["stricter", "laxer"]
    return [one for one in effects if fail_on in ("any", one)]


def why_failed(result: DiffResult, fail_on: str) -> str:
    """Return which access becomes stricter or laxer, and for whom, or that it is undecided."""
    found = []
    for effect in effects_in(fail_on):
        robots = [
            result.whom(each)
            for each in result.comparison.robots
            if any(one.is_stricter == (effect == "stricter") for one in each.differences)
        ]
        dialects = [
            one.dialect
            for one in result.comparison.dialects
            if any(each.is_stricter == (effect == "stricter") for each in one.differences)
        ]
        if robots:
            found.append(f"access becomes {effect} for {'; '.join(robots)}")
        elif dialects:
            found.append(f"access becomes {effect} in {listed_dialects(dialects)}")
    if found:
        return ", and ".join(found)
    return f"whether access becomes {' or '.join(effects_in(fail_on))} is undecided"
