"""What findings say on long files; docs/reference/findings.md and lint.md have the others."""

from collections.abc import Iterator

import goodbot
from tests.support import conformance_cases
from tests.words.writing import entries

LONGEST_PRINTED = 400
"""The most bytes of a file that the page shows."""


def found() -> Iterator[tuple[str, str]]:
    """Yield the first finding with each code that no file on the page has."""
    every = list(conformance_cases.cases("findings"))
    seen: set[str] = set()
    for case in sorted(every, key=lambda case: len(case["content"]) > LONGEST_PRINTED):
        robots = goodbot.RobotsTxt(case["content"], dialect=case["dialect"])
        for finding in robots.findings:
            if finding.code not in seen:
                seen.add(finding.code)
                if len(case["content"]) > LONGEST_PRINTED:
                    yield f"{case['id']} ({case['dialect']})", str(finding)


def lines() -> Iterator[str]:
    """Yield what is found in long files."""
    yield from entries("Findings on the long files of conformance/findings", found())
