"""`goodbot check` without a file: the site itself is asked."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import goodbot
from goodbot.cli.shared import warnings
from goodbot.cli.shared.asking import DOUBTFUL, Answer, Inquiry, address_in
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.explanation import Explanation
from goodbot.cli.shared.options import Question, Terms
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.site_report import answer_object, origin_rows, print_rows
from goodbot.cli.shared.verdict_output import tell
from goodbot.policy import Policy, PolicyVerdict

__all__ = ["check"]

ANY_ROBOT = "A robot that no group names"

REMEMBERED = 10_000
"""Of so many sites it is remembered that they were told of; then they are told of again."""

Report = Callable[[Answer], None]


def check(
    urls: tuple[tuple[str, ...], Iterator[bytes]],
    question: Question,
    terms: Terms,
    printer: Printer,
) -> ExitStatus:
    """Answer for each URL.

    Args:
        urls: Those that were typed, and all of them.
        question: What is asked.
        terms: How sites are asked.
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
    inquiry = Inquiry("check", question.robot, terms, question.dialect, about)
    report: Report
    if question.as_json:
        report = objects(printer, full=question.explain)
    else:
        report = Sentences(question.robot, terms.store, printer, explain=question.explain)
    return answers(every, inquiry, report, strict=question.strict)


def answers(urls: Iterator[bytes], inquiry: Inquiry, report: Report, *, strict: bool) -> ExitStatus:
    """Answer for each URL as soon as its site has answered.

    Raises:
        MisuseError: There is no URL; or a word is none, or what a site answers is evidently no
            robots.txt, and `strict`.
        StoreError: The store cannot be read or written.

    """
    status = ExitStatus.ALLOWED
    doubted: Policy | None = None
    words = unanswered = 0
    with inquiry:
        for word in urls:
            words += 1
            try:
                address = address_in(word)
            except goodbot.MisuseError as error:
                warnings.doubt(str(error), strict=strict)
                unanswered += 1
                continue
            answer = inquiry.ask(address)
            if answer.policy is not None and answer.policy is not doubted:
                doubted = answer.policy
                doubt(doubted, strict=strict)
            report(answer)
            # A reader of the pipe does not wait until the slowest site has answered.
            sys.stdout.flush()
            if not answer.verdict.allowed:
                status = ExitStatus.DISALLOWED
    if not words:
        message = "there is no URL in the input; give one a line"
        raise goodbot.MisuseError(message)
    return ExitStatus.MISUSE if unanswered else status


def doubt(policy: Policy, *, strict: bool) -> None:
    """Doubt what is likely not what the site meant to say.

    Raises:
        MisuseError: It is evidently no robots.txt, lets everything be fetched, and `strict`.

    """
    for finding in policy.findings:
        if finding.code in DOUBTFUL and policy.access == "allow-all":
            warnings.doubt(f"{policy.url}: {finding.message}", strict=strict)
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

    def __call__(self, answer: Answer) -> None:
        """Report one."""
        if self.explain and self.told:
            self.printer.line()
        verdict, policy = answer.verdict, answer.policy
        tell(in_words(verdict), self.printer)
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


def in_words(verdict: PolicyVerdict) -> PolicyVerdict:
    """Give a verdict whose sentence says who `*` is, as that of rules does."""
    return replace(verdict, robot=ANY_ROBOT) if verdict.robot == "*" else verdict
