"""`goodbot policy`: what a site's robots.txt means, where it comes from, and how fresh it is."""

import hashlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.findings import LISTED, print_findings
from goodbot.cli.shared.identity import visitor
from goodbot.cli.shared.input_files import is_url
from goodbot.cli.shared.meaning import pace_lines
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.cli.shared.sources.sitemaps_source import MOST_SITEMAPS, in_files
from goodbot.cli.shared.time_format import span
from goodbot.grounds import NEVER_ASKED
from goodbot.http.amounts import counted
from goodbot.http.instants import format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goodbot.cli.shared.live_sites import LiveSites
    from goodbot.cli.shared.site_report import LabelledRow
    from goodbot.live import SitePolicy

__all__ = ["policy"]


SOURCES = {
    "max-age": "from max-age in its header",
    "expires": "from Expires in its header",
    "heuristic": "estimated from Last-Modified in its header",
    "invalid": "from a header that cannot be parsed",
}
"""Where a lifetime comes from, by `Freshness.source`; other lifetimes are the dialect's."""


@click.command(no_args_is_help=True)
@click.argument("url", metavar="URL")
@options.robot
@options.robot_dialect(several=False)
@options.site_options
@click.option(
    "--sitemap",
    "sitemaps",
    metavar="FILE|URL",
    multiple=True,
    help="Also read this sitemap, or list of URLs, and report what is wrong with it. Repeatable.",
)
@click.option(
    "--listed-sitemaps",
    is_flag=True,
    help="Also fetch the sitemaps that robots.txt lists, whatever their hosts, as their robots.txt "
    f"allows: {MOST_SITEMAPS} at most. Requires --info-url and --contact.",
)
@click.option("--findings", "every_finding", is_flag=True, help="List every finding.")
@options.as_json("one object")
def policy(
    url: str,
    robot: str,
    dialect: str | None,
    sitemaps: tuple[str, ...],
    *,
    listed_sitemaps: bool,
    every_finding: bool,
    as_json: bool,
    **site: Any,  # noqa: ANN401  those of `options.site_options`
) -> ExitStatus:
    """Fetch a site's robots.txt and show what it means.

    \b
    Examples:
      goodbot policy https://example.com/
      goodbot policy --store robots.db --json https://example.com/
      goodbot policy --listed-sitemaps https://example.com/

    The output has the redirects, the response, how long it stays fresh, the pace and hours that
    the site asks for, its comments, the findings, and the time of the next visit. With --store, it
    also lists every robots.txt of the site that was seen before. Sitemaps are read only if they
    are asked for; one that is not well-formed, cut or no sitemap is a finding, with its line and
    how many URLs were read.

    The site sees goodbot's own name, whatever --robot is, with --info-url and --contact if they are
    given.

    Exit status: 0 it is printed, 2 there is no result, also if the site is unreachable.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.cli.shared.live_sites import LiveSites, address_in  # noqa: PLC0415  slow to load, as is what fetches
    from goodbot.live import site_policy  # noqa: PLC0415  as above

    address = address_in(os.fsencode(url), "policy")
    printer = Printer(sys.stdout)
    chosen = options.dialect_for(robot, dialect)
    found = in_files(sitemaps)
    site_options = options.SiteOptions(**site)
    # Sites that a file by others names are visited only by someone whom they can write to.
    identity = visitor(site_options) if listed_sitemaps else None
    with LiveSites(robot, site_options, chosen, identity=identity) as sites:
        answer = site_policy(
            address,
            sites,
            robot,
            store=sites.store,
            sitemaps=[one for one in sitemaps if is_url(one)],
            listed_sitemaps=listed_sitemaps,
        )
        for one in answer.sitemaps.unread:
            warnings.warn(one)
        problems = [*found.problems, *answer.sitemaps.problems]
        sheet = PolicyListing(sites, answer, problems)
    if as_json:
        printer.line(json.dumps(sheet.as_object()))
    else:
        sheet.print(printer, None if every_finding else LISTED)
    return ExitStatus.ALLOWED if answer.policy.is_answer else ExitStatus.MISUSE


class PolicyListing:
    """What is known of a site, as text and as plain values."""

    def __init__(self, sites: "LiveSites", answer: "SitePolicy", problems: list[str]) -> None:
        """Collect it while the store is open."""
        self.answer = answer
        self.state = sites.state(answer.policy)
        self.policy = answer.policy
        self.robot = sites.robot
        self.asker = sites.identity.user_agent
        self.store = sites.store_name
        self.history = answer.history
        self.rules = answer.rules.rules
        self.problems = problems
        """What is wrong with the sitemaps that were read, a clause for each."""

    def file(self) -> dict[str, Any] | None:
        """Return the size and the digest of the robots.txt in force."""
        if self.policy.robots_txt is None:
            return None
        content = self.policy.robots_txt.content
        return {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}

    def findings(self) -> list[goodbot.Finding]:
        """Return the findings on the response, the robot's pace, the file, and sitemaps."""
        return [*self.answer.findings, *map(faulty_sitemap, dict.fromkeys(self.problems))]

    def as_object(self) -> dict[str, Any]:
        """Return it as plain values."""
        from goodbot.live.plain_policy import plain_site_policy  # noqa: PLC0415  slow to load

        return plain_site_policy(
            self.answer,
            came_from=self.state.came_from,
            now=self.state.now,
            asks_as=self.asker,
            turn=self.state.turn,
            findings=self.findings(),
            has_history=self.store is not None,
        )

    def print(self, printer: Printer, listed: int | None) -> None:
        """Print it, with at most so many findings."""
        from goodbot.cli.shared.site_report import print_rows  # noqa: PLC0415  as above

        policy = self.policy
        printer.line(Styled(f"{policy.origin}: {policy.access} ({policy.reason})", "heading"))
        print_rows([*self.way(), *self.freshness(), *self.asked(), *self.rest()], printer)
        print_findings(self.findings(), listed, printer)
        if self.store is not None:
            self.print_history(printer)

    def way(self) -> "Iterator[LabelledRow]":
        """Yield the request, the redirects, and the response."""
        from goodbot.cli.shared.site_report import (  # noqa: PLC0415  as above
            answer_in_words,
            came_from,
        )
        from goodbot.policy import reasons  # noqa: PLC0415  as above

        policy = self.policy
        yield "requested", policy.url
        for hop in policy.hops:
            yield "redirect", hop
        yield "response", answer_in_words(policy)
        yield "meaning", dict(reasons())[policy.reason]
        yield from came_from(self.state, policy, self.store)
        if self.state.came_from == "site" and policy.outcome not in NEVER_ASKED:
            yield "User-Agent", self.asker

    def freshness(self) -> "Iterator[LabelledRow]":
        """Yield how fresh it is, and how it will be requested again."""
        from goodbot.cli.shared.site_report import until  # noqa: PLC0415  as above

        policy, now = self.policy, self.state.now
        if policy.outcome in NEVER_ASKED:
            return
        told = policy.freshness
        because = f" ({SOURCES[told.source]})" if told and told.source in SOURCES else ""
        yield "fetched" if policy.status is not None else "failed", format_time(policy.fetched_at)
        yield "fresh until", f"{until(policy.fresh_until, now)}{because}"
        if policy.retry_at is not None:
            yield "next request", until(policy.retry_at, now)
        for label, since in (
            ("failing", policy.failing_since),
            ("unreachable", policy.unreachable_since),
        ):
            if since is not None:
                yield (
                    label,
                    f"since {format_time(since)}, for {span((now - since).total_seconds())}",
                )
        for label, validator in (
            ("ETag", policy.validators.etag),
            ("modified", policy.validators.last_modified),
        ):
            if validator is not None:
                yield label, cut_line(validator)
        if not policy.storable:
            yield "stored", "not beyond this run, because its header says no-store"

    def asked(self) -> "Iterator[LabelledRow]":
        """Yield the pace, the hours and the comments for this robot (Conner 1996, Comment)."""
        if self.rules is None:
            return
        for line in pace_lines(self.rules):
            yield "asks for", line
        from goodbot.cli.shared.site_comments import comment_rows  # noqa: PLC0415  as above

        yield from comment_rows(self.rules.comments)

    def rest(self) -> "Iterator[LabelledRow]":
        """Yield the size of the file, and when the robot may visit next."""
        from goodbot.cli.shared.site_report import cure, next_visit  # noqa: PLC0415  as above

        file = self.file()
        if file is not None:
            yield "size", counted(file["size"], "byte")
            yield "sha256", file["sha256"]
        yield from cure(self.state, self.policy)
        yield "next visit", next_visit(self.state)

    def print_history(self, printer: Printer) -> None:
        """Print every robots.txt that was seen, the newest last."""
        from goodbot.live.plain_policy import plain_version  # noqa: PLC0415  as above

        printer.line()
        printer.line(Styled(f"History in {self.store}", "heading"))
        for one in self.history:
            told = plain_version(one)
            what = f"{told['access']} ({told['reason']})"
            size = "" if told["size"] is None else f", {counted(told['size'], 'byte')}"
            first, last = format_time(one.first), format_time(one.last)
            when = first if first == last else f"{first} to {last}"
            printer.prose(f"{when}: {what}{size}", "  ")
            if one.sha256 is not None:
                printer.line("    ", Styled(f"sha256 {one.sha256}", "faint"))
        if not self.history:
            printer.line("  none: the site does not allow its robots.txt to be stored")


def faulty_sitemap(problem: str) -> goodbot.Finding:
    """Return a problem of a sitemap as a finding; the line is that of the sitemap, in words."""
    from goodbot.site.lint.rules.faulty_sitemap import RULE, in_sentences  # noqa: PLC0415  only some runs need it

    return goodbot.Finding(RULE.code, RULE.severity, in_sentences(problem))
