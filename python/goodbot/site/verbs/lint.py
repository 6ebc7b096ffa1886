"""`goodbot lint`: mistakes in a robots.txt, proven over all paths."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import click

import goodbot
from goodbot.cli.shared import options
from goodbot.cli.shared.config_toml import CONFIG_FILE, PROJECT_FILE, lint_table
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.input_files import document_in
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.sources.sitemaps_source import MOST_SITEMAPS, SitemapChoice
from goodbot.files.file_input import read_input
from goodbot.site.lint import LINT_RULES, SEVERITIES, LintSettings, SiteSignals
from goodbot.site.lint.formats.github import github_commands
from goodbot.site.lint.formats.json_lines import json_lines
from goodbot.site.lint.formats.junit import junit_xml
from goodbot.site.lint.formats.linted_source import LintedSource
from goodbot.site.lint.formats.sarif import sarif_lines
from goodbot.site.lint.lint_settings import ALL_CODES
from goodbot.site.lint.registry import lint_rule
from goodbot.site.lint.sample_paths import SITE
from goodbot.site.verbs.lint_view.lint_sources import linted
from goodbot.site.verbs.lint_view.lint_text import print_list, print_reports, print_rule

__all__ = ["lint"]

HUMAN, JSON = "human", "json"

FORMATS: dict[str, Callable[[Iterable[LintedSource]], Iterator[str]]] = {
    JSON: json_lines,
    "sarif": sarif_lines,
    "github": github_commands,
    "junit": junit_xml,
}

NO_CONFIG = "none"


@click.command(no_args_is_help=True)
@click.argument("sources", metavar="FILE|URL...", nargs=-1)
@click.option(
    "--select",
    multiple=True,
    metavar="CODES",
    help="Report only these codes, separated by commas. Repeatable.",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="CODES",
    help="Do not report these codes, separated by commas. Repeatable.",
)
@click.option(
    "--fail-on",
    type=click.Choice(list(SEVERITIES)),
    help="The least severity that makes the exit status 1; warning by default.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice([HUMAN, *FORMATS]),
    default=HUMAN,
    show_default=True,
    help="The form of the output: for people, JSON lines, SARIF 2.1.0, workflow commands of "
    "GitHub, or JUnit XML.",
)
@click.option(
    "--sitemap",
    "sitemaps",
    metavar="FILE|URL",
    multiple=True,
    help="A sitemap, or a list of URLs, that robots.txt should not disallow. Repeatable.",
)
@click.option(
    "--listed-sitemaps",
    is_flag=True,
    help="Also fetch the sitemaps that robots.txt lists, whatever their hosts, as their robots.txt "
    f"allows: {MOST_SITEMAPS} at most. Requires --info-url and --contact.",
)
@click.option(
    "--tdmrep",
    metavar="FILE",
    help="The tdmrep.json of the site, which should not contradict robots.txt.",
)
@click.option(
    "--license",
    "licenses",
    metavar="URL=FILE",
    multiple=True,
    help="A licence in RSL that robots.txt or the page names. Repeatable.",
)
@click.option(
    "--page",
    metavar="URL=FILE",
    help="A page of the site, whose META elements should not contradict robots.txt.",
)
@options.header
@click.option(
    "--config",
    metavar="FILE",
    help=f"Read the settings from this file instead of {CONFIG_FILE} or {PROJECT_FILE} in the "
    f"current directory or above it, up to the top of its repository; '{NO_CONFIG}' reads none.",
)
@click.option(
    "--explain",
    metavar="CODE",
    help=f"Explain a code, with an example, and read no file; '{ALL_CODES}' lists them.",
)
@options.site_options
@options.as_json("one object per line, for each file; short for --format json")
def lint(
    sources: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    form: str,
    sitemaps: tuple[str, ...],
    tdmrep: str | None,
    licenses: tuple[str, ...],
    page: str | None,
    headers: tuple[str, ...],
    config: str | None,
    explain: str | None,
    *,
    listed_sitemaps: bool,
    as_json: bool,
    **site: Any,  # noqa: ANN401  those of `options.site_options`
) -> ExitStatus:
    """Find mistakes in robots.txt files: rules that do nothing, and rules that do too much.

    \b
    Examples:
      goodbot lint robots.txt
      goodbot lint https://example.com/ --fail-on error
      goodbot lint robots.txt --sitemap sitemap.xml --format sarif > lint.sarif
      goodbot lint --explain never-decides

    FILE is a robots.txt file, or - for standard input; for a URL, the robots.txt of its site is
    fetched. What is said of paths is proven over all paths. The comment '# goodbot: ignore=CODE'
    ignores a finding on its line, or, if it stands alone, on the next one. The table [lint] of
    goodbot.toml, or [tool.goodbot.lint] of pyproject.toml, may have the keys select, ignore and
    fail-on; the file in the current directory is read, or else the nearest one above it.

    Exit status: 0 no finding fails, 1 findings of this severity or a worse one, 2 there is no
    result.
    """  # noqa: D301  click looks for the character that \b is
    printer = Printer(sys.stdout)
    if explain is not None:
        return explained(explain, printer, as_json=as_json or form == JSON)
    if not sources:
        message = "name a robots.txt file, a URL, or - for standard input"
        raise click.UsageError(message)
    settings = settings_of(config, select, ignore, fail_on)
    choice = SitemapChoice(sitemaps, listed=listed_sitemaps)
    signals = signals_in(tdmrep, licenses, page, headers)
    found = linted(sources, choice, settings, options.SiteOptions(**site), signals)
    if as_json or form != HUMAN:
        for line in FORMATS[JSON if as_json else form](found):
            printer.line(line)
    else:
        print_reports(found, printer)
    failed = any(one.report for one in found)
    return ExitStatus.DISALLOWED if failed else ExitStatus.ALLOWED


def signals_in(
    tdmrep: str | None, licenses: tuple[str, ...], page: str | None, headers: tuple[str, ...]
) -> SiteSignals | None:
    """Return what the site says outside robots.txt; `None` if nothing is named.

    Raises:
        MisuseError: An argument is not written as URL=FILE.
        OSError: A file cannot be read.

    """
    if not (tdmrep or licenses or page or headers):
        return None
    read = None
    if page or headers:
        from goodbot.cli.verbs.page.page import gathered  # noqa: PLC0415  slow to load, and seldom needed

        url, content = document_in(page, "page") if page else (f"{SITE}/", b"")
        status, fields = gathered(headers, strict=False)
        read = goodbot.Page(url, content, headers=fields, status=status or 200)
    return SiteSignals(
        read_input(tdmrep) if tdmrep else b"",
        dict(document_in(one, "license") for one in licenses),
        read,
    )


def settings_of(
    config: str | None, select: tuple[str, ...], ignore: tuple[str, ...], fail_on: str | None
) -> LintSettings:
    """Return the settings of the file, with those of the command in their place.

    Raises:
        MisuseError: A setting does not exist.

    """
    found = None if config == NO_CONFIG else lint_table(config)
    path, table = ("", {}) if found is None else found
    try:
        settings = LintSettings.of_table(table)
    except goodbot.MisuseError as error:
        message = f"{path}: {error}"
        raise goodbot.MisuseError(message) from error
    given = {
        "select": codes_in(select) or settings.select,
        "ignore": codes_in(ignore) or settings.ignore,
        "fail_on": fail_on or settings.fail_on,
    }
    return LintSettings(**cast("dict[str, Any]", given))


def codes_in(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the codes that an option names, separated by commas."""
    codes = (code.strip().lower() for word in words for code in word.split(","))
    return tuple(code for code in codes if code)


def explained(code: str, printer: Printer, *, as_json: bool) -> ExitStatus:
    """Explain a code, or list all of them."""
    rules = list(LINT_RULES.values()) if code == ALL_CODES else [lint_rule(code.lower())]
    if as_json:
        for rule in rules:
            printer.line(json.dumps(rule.as_dict()))
    elif code == ALL_CODES:
        print_list(rules, printer)
    else:
        print_rule(rules[0], printer)
    return ExitStatus.ALLOWED
