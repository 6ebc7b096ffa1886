r"""What you expect of your robots.txt, written as cases that can be tested.

>>> import goodbot
>>> from goodbot.expectations import check_expectations, read_expectations
>>> cases = read_expectations(b'''
... [[case]]
... robot = "GPTBot"
... url = "/articles/1"
... allow = false
... why = "Our articles are not for training."
... ''')
>>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /till")
>>> [result] = check_expectations(robots, cases)
>>> result.holds, result.verdict.allowed
(False, True)

`goodbot test` reads such cases from a file, and pytest does so with `goodbot.adapters.pytest`.

It decides and does not act: no clock, no socket, no disk.
"""

from goodbot.expectations.case_file import (
    Expectation,
    ExpectationFile,
    read_expectations,
)
from goodbot.expectations.results import ExpectationResult, check_expectations

__all__ = [
    "Expectation",
    "ExpectationFile",
    "ExpectationResult",
    "check_expectations",
    "read_expectations",
]
