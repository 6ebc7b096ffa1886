"""`goodbot check` without a file: robots.txt is fetched from each site."""

import json
import os
import sys
from collections.abc import Callable, Iterator

import goodbot
from goodbot.bots import ObeyedRules
from goodbot.cli.shared import warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.explanation import Explanation
from goodbot.cli.shared.live_sites import NOT_ROBOTS_TXT, LiveSites, SiteState, address_in
from goodbot.cli.shared.options import CheckOptions, SiteOptions
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.site_comments import CommentNotes
from goodbot.cli.shared.site_report import answer_object, origin_rows, print_rows
from goodbot.cli.shared.verdict_output import print_verdict
from goodbot.policy import Policy

__all__ = ["check"]

REMEMBERED = 10_000
"""How many sites are remembered as reported; after that, they are reported again."""

Report = Callable[[goodbot.Verdict, SiteState], None]


def check(
    urls: tuple[tuple[str, ...], Iterator[bytes]],
    check_options: CheckOptions,
    site_options: SiteOptions,
    printer: Printer,
) -> ExitStatus:
    """Check each URL.

    Args:
        urls: The URLs among the arguments, and all URLs.
        check_options: What is checked, and the form of the output.
        site_options: How sites are visited.
        printer: Where to print the results.

    Raises:
        MisuseError: An argument is not a URL, which is reported before any request; and what
            `answers` raises.
        MissingExtraError: aiohttp is not installed.
        StoreError: The store cannot be opened, read or written.

    """
    typed, every = urls
    for word in typed:
        address_in(os.fsencode(word))
    sites = LiveSites(check_options.robot, site_options, check_options.dialect)
    report: Report
    if check_options.as_json:
        report = objects(printer, full=check_options.explain)
    else:
        report = Sentences(sites.store_name, printer, explain=check_options.explain)
    return answers(every, sites, report, strict=check_options.strict)


def answers(urls: Iterator[bytes], sites: LiveSites, report: Report, *, strict: bool) -> ExitStatus:
    """Report on each URL as soon as its robots.txt is there.

    Raises:
        MisuseError: With `strict`, one is not a URL, or the response of a site is clearly not a
            robots.txt.
        StoreError: The store cannot be read or written.

    """
    status = ExitStatus.ALLOWED
    checked: Policy | None = None
    unanswered = 0
    with sites:
        for word in urls:
            try:
                address = address_in(word)
            except goodbot.MisuseError as error:
                warnings.warn_or_refuse(str(error), strict=strict)
                unanswered += 1
                continue
            verdict, site = sites.ask(address)
            if site.policy is not None and site.policy is not checked:
                checked = site.policy
                check_policy(checked, strict=strict)
            report(verdict, site)
            # The reader of a pipe should not have to wait for the slowest site.
            sys.stdout.flush()
            if not verdict.is_answer:
                unanswered += 1
            elif not verdict.allowed:
                status = ExitStatus.DISALLOWED
    return ExitStatus.MISUSE if unanswered else status


def check_policy(policy: Policy, *, strict: bool) -> None:
    """Warn about a policy that the site probably did not intend.

    Raises:
        MisuseError: It is clearly not a robots.txt, allows everything, and `strict`.

    """
    for finding in policy.findings:
        if finding.code in NOT_ROBOTS_TXT and policy.access == "allow-all":
            warnings.warn_or_refuse(f"{policy.url}: {finding.message}", strict=strict)
    for finding in [] if policy.robots_txt is None else policy.robots_txt.findings:
        if finding.code == "too-large":
            warnings.warn(f"{policy.url}: {finding.message}")


def objects(printer: Printer, *, full: bool) -> Report:
    """Return what prints each answer as a line with an object, and comments as notes."""
    notes = CommentNotes()

    def report(verdict: goodbot.Verdict, site: SiteState) -> None:
        printer.line(json.dumps(answer_object(verdict, site, full=full)))
        rules = None if site.rules is None else site.rules.rules
        notes.tell(goodbot.origin(verdict.url), [] if rules is None else rules.comments)

    return report


class Sentences:
    """Prints answers as sentences, and after the first one of each site what is known of it."""

    def __init__(self, store: str | None, printer: Printer, *, explain: bool) -> None:
        """Store how to report."""
        self.store = store
        self.printer = printer
        self.explain = explain
        self.told: dict[str, Policy | None] = {}
        self.explained: tuple[goodbot.RobotsTxt, Explanation] | None = None

    def __call__(self, verdict: goodbot.Verdict, site: SiteState) -> None:
        """Print one answer."""
        if self.explain and self.told:
            self.printer.line()
        policy = site.policy
        print_verdict(verdict, self.printer)
        if self.explain and site.rules is not None and site.rules.file is not None:
            self.explanation(site.rules).show(verdict.rules)
            self.printer.line()
        origin = goodbot.origin(verdict.url)
        if origin not in self.told or self.told[origin] is not policy:
            if len(self.told) >= REMEMBERED:
                self.told.clear()
            self.told[origin] = policy
            print_rows(list(origin_rows(site, self.store)), self.printer)

    def explanation(self, rules: ObeyedRules) -> Explanation:
        """Return what explains a file; the last one is kept."""
        file = rules.file
        assert file is not None  # noqa: S101  there are rules
        if self.explained is None or self.explained[0] is not file:
            self.explained = (file, Explanation(file, rules, self.printer))
        return self.explained[1]
