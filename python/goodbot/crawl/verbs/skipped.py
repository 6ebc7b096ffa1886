"""`goodbot report skipped`: the URLs that a crawl did not fetch, and why."""

import json
import sys
from datetime import datetime, timezone
from itertools import groupby
from typing import TYPE_CHECKING

import click

from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.crawl.verbs.crawl_folder import CrawlVerb, crawl_folder
from goodbot.crawl.verbs.held_back import held_back
from goodbot.http.amounts import counted
from goodbot.http.instants import format_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from goodbot.crawl.evidence.skipped import SkippedGroup
    from goodbot.crawl.folder.database import Database
    from goodbot.crawl.frontier.reading import OriginAnswers
    from goodbot.crawl.frontier.trap_memory import TrapMet

__all__ = ["skipped"]


@click.command(cls=CrawlVerb)
@crawl_folder
@click.option("--reason", metavar="SLUG", help="List only URLs that were skipped for this reason.")
@click.option("--urls", is_flag=True, help="List every URL, one per line.")
@options.as_json("one object per line for each group, or with --urls for each URL")
def skipped(folder: str, reason: str | None, *, urls: bool, as_json: bool) -> ExitStatus:
    """List the URLs that a crawl did not fetch, and why.

    \b
    Examples:
      goodbot report skipped shop
      goodbot report skipped shop --reason rule-disallows --urls
      goodbot report skipped shop --json

    URLs are grouped by site and reason: disallowed, failed, skipped because of a page or the bounds
    of the crawl, and still queued. For sites with errors, the statuses of all responses follow.

    Exit status: 0 the list is printed, 1 no URL has this reason, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.evidence import skipped as parts  # noqa: PLC0415  slow to load, and seldom needed
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  slow to load, and seldom needed
    from goodbot.crawl.frontier.reading import answers_by_origin  # noqa: PLC0415  as above

    printer = Printer(sys.stdout)
    with open_readonly(folder, reads=("evidence", "trap_memory")) as database:
        known = parts.reasons_of(database)
        if reason is not None and reason not in known:
            return unknown(reason, known, printer, as_json=as_json)
        if urls:
            for one in parts.skipped_urls(database, reason):
                if as_json:
                    printer.line(json.dumps(one._asdict()))
                else:
                    who = f", {one.source}" if one.source else ""
                    printer.line(one.url, f"  ({one.reason}{cut_line(who)})")
            return ExitStatus.ALLOWED
        answers = troubled(answers_by_origin(database) if reason is None else ())
        if as_json:
            print_objects(database, reason, answers, printer)
        else:
            print_groups(database, folder, reason, answers, printer)
        return ExitStatus.ALLOWED


def troubled(sites: "Iterable[OriginAnswers]") -> "Iterator[OriginAnswers]":
    """Yield the sites with a response that was neither a success nor a redirect."""
    from goodbot.crawl.frontier.reading import is_trouble  # noqa: PLC0415  as above

    return (site for site in sites if any(map(is_trouble, site.counts)))


def print_objects(
    database: "Database", reason: str | None, answers: "Iterator[OriginAnswers]", printer: Printer
) -> None:
    """Print an object for each group, for links that were not kept, and for the responses."""
    from goodbot.crawl.evidence.skipped import (  # noqa: PLC0415  as above
        not_kept_links,
        skipped_groups,
    )

    for group in skipped_groups(database, reason):
        printer.line(json.dumps(group.as_dict()))
    for why, count in not_kept_links(database, reason).items():
        printer.line(json.dumps({"state": "not-kept", "reason": why, "count": count}))
    for met in traps_followed(database, reason):
        printer.line(json.dumps(followed_as_dict(met)))
    for site in answers:
        row = {"state": "answers", "origin": site.origin, "count": site.total}
        printer.line(json.dumps(row | {"answers": site.counts}))


def unknown(reason: str, known: list[str], printer: Printer, *, as_json: bool) -> ExitStatus:
    """Report that no URL was skipped for a reason."""
    if not as_json:
        others = f" The reasons are {', '.join(known)}." if known else ""
        printer.prose(f"No URL was skipped for the reason {reason}.{others}")
    return ExitStatus.DISALLOWED


def print_answers(sites: "Iterator[OriginAnswers]", printer: Printer) -> None:
    """Print the statuses of the last responses of each site."""
    is_headed = False
    for site in sites:
        if not is_headed:
            printer.line(Styled("Last responses by site", "heading"))
        is_headed = True
        printer.line("  ", cut_line(site.origin), "  ", cut_line(str(site)))
    if is_headed:
        printer.line()


def print_groups(
    database: "Database",
    folder: str,
    reason: str | None,
    answers: "Iterator[OriginAnswers]",
    printer: Printer,
) -> None:
    """Print the groups, site by site."""
    from goodbot.crawl.evidence.skipped import (  # noqa: PLC0415  as above
        not_kept_links,
        skipped_groups,
    )

    count = 0
    for origin, groups in groupby(skipped_groups(database, reason), key=lambda one: one.origin):
        printer.line(Styled(origin, "heading"))
        for group in groups:
            count += group.count
            print_group(group, printer)
        printer.line()
    others = not_kept_links(database, reason)
    for why, more in others.items():
        links = "link" if more == 1 else "links"
        printer.line(f"{more:,} more {links} not kept, because there were too many ({why}).")
    print_answers(answers, printer)
    print_traps(database, folder, reason, printer)
    if reason is None:
        for sentence in held_back(database, folder, datetime.now(timezone.utc)):
            printer.prose(sentence)
    if not count and not others:
        printer.line("Nothing was skipped: every URL that was found was fetched.")
        return
    printer.line(f"{counted(count, 'URL')} not fetched.")


def traps_followed(database: "Database", reason: str | None) -> "list[TrapMet]":
    """Return the traps that were recognised, but whose links the crawl follows."""
    from goodbot.crawl.evidence.skipped import traps_met  # noqa: PLC0415  as above

    left_out = traps_left_out(database)
    met = [one for one in traps_met(database) if one.trap not in left_out]
    return [one for one in met if reason in {None, one.trap}]


def traps_left_out(database: "Database") -> frozenset[str]:
    """Return the traps whose links the crawl skips."""
    from goodbot.crawl.run.settings import CrawlSettings  # noqa: PLC0415  as above

    settings = CrawlSettings.read(database)
    return frozenset() if settings is None else settings.traps


def followed_as_dict(met: "TrapMet") -> dict[str, object]:
    """Return plain values, for JSON."""
    return {
        "origin": met.origin,
        "state": "followed",
        "reason": met.trap,
        "count": met.links,
        "example": met.example,
        "source": met.why,
    }


def print_traps(database: "Database", folder: str, reason: str | None, printer: Printer) -> None:
    """Print the traps whose links the crawl follows, and how to skip them."""
    from goodbot.crawl.frontier.traps import BY_PAGE  # noqa: PLC0415  as above

    followed = traps_followed(database, reason)
    for met in followed:
        links = "1 link" if met.links == 1 else f"{met.links:,} links"
        were = "was" if met.links == 1 else "were"
        if met.trap in BY_PAGE:  # its links lead to pages that are not at fault
            said = f"possible trap ({met.trap}): {cut_line(met.why)}; {links} of such pages {were} "
            printer.prose(f"{met.origin}: {said}followed.")
            continue
        printer.prose(
            f"{met.origin}: {links} into a possible trap {were} followed ({met.trap}), such as "
            f"{cut_line(met.example)}: {cut_line(met.why)}."
        )
    if followed:
        printer.prose("To skip such links:")
        printer.line("  ", leaving_out(database, folder, {met.trap for met in followed}))


def leaving_out(database: "Database", folder: str, traps: set[str]) -> str:
    """Return the command that resumes the crawl and skips links into these traps too."""
    from goodbot.crawl.run.permissions import Permissions, lacking  # noqa: PLC0415  as above

    names = ",".join(sorted(traps | traps_left_out(database)))
    private, networks = lacking(database.settings(), Permissions())
    allowed = options.network_args(private=private, networks=networks)
    return suggest("--resume", "--out", folder, "--traps", names, *allowed, verb="crawl")


def print_group(group: "SkippedGroup", printer: Printer) -> None:
    """Print one group."""
    from goodbot.crawl.folder.states import STATES  # noqa: PLC0415  as above

    who = cut_line(group.source)
    others = group.sources - 1
    who += f" and {others} more" if others and who else ""
    printer.line(
        f"  {group.count:>7}  ",
        Styled(group.reason, STATES[group.state].style),
        f": {what_became(group)}",
        f" ({who})" if who else "",
    )
    printer.line(" " * 11, "for example ", cut_line(group.example))


def what_became(group: "SkippedGroup") -> str:
    """Return the state of the URLs of a group, and when they are tried again."""
    from goodbot.crawl.evidence.skipped import NOT_REACHED  # noqa: PLC0415  as above
    from goodbot.crawl.folder.states import phrase_of  # noqa: PLC0415  as above
    from goodbot.pace import REASONS  # noqa: PLC0415  as above

    if group.state != "queued" or group.reason == NOT_REACHED:
        return phrase_of(group.state)
    when = f" at {format_time(group.due)}" if group.due else ""
    if group.reason in REASONS:  # the visit was deferred; nothing failed
        return f"{phrase_of(group.state)}, due{when}"
    return f"queued for another attempt{when}"
