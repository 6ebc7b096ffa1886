"""`goodbot check` without a file: the site itself is asked."""

import json
import os
import sys
from collections.abc import Callable, Iterator

import goodbot
from goodbot.cli.shared import warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.explanation import Explanation
from goodbot.cli.shared.live_sites import NOT_ROBOTS_TXT, LiveAnswer, LiveSites, address_in
from goodbot.cli.shared.options import CheckOptions, SiteOptions
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.site_report import answer_object, origin_rows, print_rows
from goodbot.cli.shared.verdict_output import print_verdict
from goodbot.policy import Policy

__all__ = ["check"]

REMEMBERED = 10_000
"""Of so many sites it is remembered that they were told of; then they are told of again."""

Report = Callable[[LiveAnswer], None]


def check(
    urls: tuple[tuple[str, ...], Iterator[bytes]],
    check_options: CheckOptions,
    site_options: SiteOptions,
    printer: Printer,
) -> ExitStatus:
    """Answer for each URL.

    Args:
        urls: Those that were typed, and all of them.
        check_options: What is asked, and how the answers are wanted.
        site_options: How sites are asked.
        printer: Where answers go.

    Raises:
        MisuseError: A word that was typed is no URL, which is told before anybody is asked; it is
            not said who asks; and what `answers` raises.
        MissingExtraError: aiohttp is not installed.
        StoreError: The store cannot be opened, read or written.

    """
    typed, every = urls
    addresses = [address_in(os.fsencode(word)) for word in typed]
    about = addresses[0] if addresses else "https://example.com/page"
    sites = LiveSites(check_options.robot, site_options, check_options.dialect, about)
    report: Report
    if check_options.as_json:
        report = objects(printer, full=check_options.explain)
    else:
        report = Sentences(
            check_options.robot, site_options.store, printer, explain=check_options.explain
        )
    return answers(every, sites, report, strict=check_options.strict)


def answers(urls: Iterator[bytes], sites: LiveSites, report: Report, *, strict: bool) -> ExitStatus:
    """Answer for each URL as soon as its site has answered.

    Raises:
        MisuseError: There is no URL; or a word is none, or what a site answers is evidently no
            robots.txt, and `strict`.
        StoreError: The store cannot be read or written.

    """
    status = ExitStatus.ALLOWED
    checked: Policy | None = None
    count = unanswered = 0
    with sites:
        for word in urls:
            count += 1
            try:
                address = address_in(word)
            except goodbot.MisuseError as error:
                warnings.warn_or_refuse(str(error), strict=strict)
                unanswered += 1
                continue
            answer = sites.ask(address)
            if answer.policy is not None and answer.policy is not checked:
                checked = answer.policy
                check_policy(checked, strict=strict)
            report(answer)
            # A reader of the pipe does not wait until the slowest site has answered.
            sys.stdout.flush()
            if not answer.verdict.allowed:
                status = ExitStatus.DISALLOWED
    if not count:
        message = "there is no URL in the input; give one a line"
        raise goodbot.MisuseError(message)
    return ExitStatus.MISUSE if unanswered else status


def check_policy(policy: Policy, *, strict: bool) -> None:
    """Warn of a policy that is likely not what the site meant to say.

    Raises:
        MisuseError: It is evidently no robots.txt, lets everything be fetched, and `strict`.

    """
    for finding in policy.findings:
        if finding.code in NOT_ROBOTS_TXT and policy.access == "allow-all":
            warnings.warn_or_refuse(f"{policy.url}: {finding.message}", strict=strict)
    for finding in [] if policy.robots_txt is None else policy.robots_txt.findings:
        if finding.code == "too-large":
            warnings.warn(f"{policy.url}: {finding.message}")


def objects(printer: Printer, *, full: bool) -> Report:
    """Report each answer as a line with an object."""
    return lambda answer: printer.line(json.dumps(answer_object(answer, full=full)))


class Sentences:
    """Reports answers as sentences, and at the first of each site how things stand with it."""

    def __init__(self, robot: str, store: str | None, printer: Printer, *, explain: bool) -> None:
        """Take how to report."""
        self.robot = robot
        self.store = store
        self.printer = printer
        self.explain = explain
        self.told: dict[str, Policy | None] = {}
        self.explained: tuple[goodbot.RobotsTxt, Explanation] | None = None

    def __call__(self, answer: LiveAnswer) -> None:
        """Report one."""
        if self.explain and self.told:
            self.printer.line()
        verdict, policy = answer.verdict, answer.policy
        print_verdict(verdict, self.printer)
        if self.explain and policy is not None and verdict.rules is not None:
            self.explanation(policy).show(verdict.rules)
            self.printer.line()
        origin = goodbot.origin(verdict.url)
        if origin not in self.told or self.told[origin] is not policy:
            if len(self.told) >= REMEMBERED:
                self.told.clear()
            self.told[origin] = policy
            print_rows(list(origin_rows(answer, self.robot, self.store)), self.printer)

    def explanation(self, policy: Policy) -> Explanation:
        """Give the one who explains a file; the last one is kept."""
        file = policy.robots_txt
        assert file is not None  # noqa: S101  there are rules
        if self.explained is None or self.explained[0] is not file:
            rules = file.rules_for(self.robot)
            self.explained = (file, Explanation(file, rules, self.printer))
        return self.explained[1]
