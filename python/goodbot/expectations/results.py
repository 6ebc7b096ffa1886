"""Expectations compared with a robots.txt.

Scope: one verdict an expectation, and how both read as a sentence.
"""

from collections.abc import Iterator
from typing import Any

from goodbot import bots
from goodbot._core import RobotsTxt, Verdict, rules_memory
from goodbot.bots import ObeyedRules
from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.expectations.case_file import Expectation, ExpectationFile
from goodbot.lazy_dataclass import dataclass

__all__ = ["MOST_COMPARED", "ExpectationResult", "check_expectations"]

MOST_COMPARED = 1024 * 1024 * 1024
"""The most bytes of robots.txt that the expectations of a file are compared with: its length for
each. Both files may come from others, and each rule is compared with each URL."""
MOST_MEMORY = 16 * 1024 * 1024
"""The most bytes of rules that are kept for further expectations: each robot has its own."""


@dataclass(frozen=True, slots=True, repr=False)
class ExpectationResult:
    """An expectation, and what robots.txt says."""

    expectation: Expectation
    """The expectation."""
    verdict: Verdict
    """The verdict of robots.txt; that of a known robot says which group it uses."""

    __repr__ = short_repr

    @property
    def holds(self) -> bool:
        """Whether the verdict is the expected one."""
        return self.verdict.allowed is self.expectation.allow

    def __bool__(self) -> bool:
        """Return `holds`."""
        return self.holds

    def __str__(self) -> str:
        """Return what is expected, the verdict, and why it was expected."""
        said = "holds" if self.holds else "does not hold"
        why = f"\n  why: {self.expectation.why}" if self.expectation.why else ""
        return f"{self.expectation}: {said}\n  {self.verdict}{why}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        wish, verdict = self.expectation, self.verdict
        return {
            "case": wish.case,
            "robot": wish.robot,
            "url": wish.url,
            "expected": wish.allow,
            "why": wish.why,
            "holds": self.holds,
            "allowed": verdict.allowed,
            "reason": verdict.reason,
            "source": verdict.source,
            "dialect": verdict.dialect,
            "known_robot": verdict.known_robot,
            "sentence": str(verdict),
        }


def check_expectations(robots: RobotsTxt, file: ExpectationFile) -> Iterator[ExpectationResult]:
    r"""Compare each expectation with a robots.txt.

    A known robot (`goodbot.bots`) obeys the group of its family, in its dialect and with its
    exceptions, unless the expectation names a dialect. A URL is allowed if it is so in the spelling
    in which it is written and in the one that a robot sends.

    Args:
        robots: The robots.txt.
        file: The expectations.

    Yields:
        A result for each expectation, in the same order.

    Raises:
        WrongValueError: There are too many expectations for a file of this length.

    >>> import goodbot
    >>> from goodbot.expectations import Expectation
    >>> robots = goodbot.RobotsTxt(b"User-agent: Googlebot\nDisallow: /drafts")
    >>> wish = Expectation("Googlebot-News", "/drafts/1", allow=True)
    >>> print(next(check_expectations(robots, ExpectationFile((wish,)))).verdict.token)
    Googlebot

    """
    count, length = len(file.expectations), len(robots.content)
    if count * length > MOST_COMPARED:
        message = (
            f"{count:,} expectations are too many for a robots.txt of {length:,} bytes: at most "
            f"{MOST_COMPARED // length:,}; divide them into files"
        )
        raise WrongValueError(message)
    files = {robots.dialect.name: robots}
    chosen: dict[tuple[str, str | None], ObeyedRules] = {}
    memory = 0
    for wish in file.expectations:
        key = wish.robot, wish.dialect
        if key not in chosen:
            if memory > MOST_MEMORY:
                chosen, memory = {}, 0
            chosen[key] = rules_of(wish, robots, files)
            memory += memory_of(chosen[key])
        yield ExpectationResult(wish, chosen[key].verdict(wish.url))


def rules_of(wish: Expectation, robots: RobotsTxt, files: dict[str, RobotsTxt]) -> ObeyedRules:
    """Return what the robot of an expectation obeys; each dialect reads the file once."""
    known = bots.known(wish.robot)
    dialect = wish.dialect or (known.dialect if known else None) or robots.dialect.name
    if dialect not in files:
        files[dialect] = RobotsTxt(robots.content, dialect=dialect)
    read = files[dialect]
    return bots.rules_for(read, wish.robot, dialect=read.dialect)


def memory_of(rules: ObeyedRules) -> int:
    """Return about how many bytes rules take in memory."""
    return 0 if rules.rules is None else rules_memory(rules.rules)
