"""What each finding says: the meaning of its code, and the sentence about one file."""

from collections.abc import Iterator, Sequence

import goodbot
from goodbot import pace, page, policy
from tests.support import conformance_cases
from tests.words.writing import entries

TABLES: dict[str, Sequence[tuple[str, str, str]]] = {
    "robots.txt (goodbot.finding_codes)": goodbot.finding_codes(),
    "Answers to requests for robots.txt (goodbot.policy.finding_codes)": policy.finding_codes(),
    "Paces that sites ask for (goodbot.pace.finding_codes)": pace.finding_codes(),
    "Documents (goodbot.page.finding_codes)": page.finding_codes(),
}


def found() -> Iterator[tuple[str, str]]:
    """Yield the first finding with each code on the files of the conformance cases."""
    seen: set[str] = set()
    for case in conformance_cases.cases("findings"):
        robots = goodbot.RobotsTxt(case["content"], dialect=case["dialect"])
        for finding in robots.findings:
            if finding.code not in seen:
                seen.add(finding.code)
                yield f"{case['id']} ({case['dialect']})", str(finding)


def lines() -> Iterator[str]:
    """Yield the tables of codes, and then what is found in real files."""
    for title, rows in TABLES.items():
        yield from entries(title, ((f"{code} ({severity})", says) for code, severity, says in rows))
    yield from entries("Findings on the files of conformance/findings", found())
