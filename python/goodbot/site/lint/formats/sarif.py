"""Findings of lint as SARIF 2.1.0, which code hosts show beside the lines.

Scope: one run with its rules and results (OASIS, Static Analysis Results Interchange Format), of
which there are not more than code scanning shows. Source of the bounds: GitHub documentation, SARIF
support for code scanning (5,000 results of a run are shown, and a run with more than 25,000 is
refused; 100 locations of a result are shown, and one with more than 1,000 is refused).
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote

from goodbot._core import __version__
from goodbot.http.amounts import counted
from goodbot.site.lint.formats.linted_source import LintedSource
from goodbot.site.lint.lint_rule import SEVERITIES, LintRule
from goodbot.site.lint.linting import LintFinding
from goodbot.site.lint.registry import LINT_RULES

__all__ = ["sarif_lines"]

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

MOST_RESULTS = 5_000
"""How many results a run has, with those that count findings which are omitted."""
MOST_LOCATIONS = 100
"""How many related locations a result has."""

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""A name that is a URI already. A drive of Windows has one letter."""


class FindingPlace(NamedTuple):
    """A finding, and the file that it is in."""

    finding: LintFinding
    number: int
    """The number of the file, from 0."""


def sarif_lines(sources: Iterable[LintedSource]) -> Iterator[str]:
    """Yield the lines of a SARIF file."""
    yield from json.dumps(log(list(sources)), indent=2).splitlines()


def log(sources: list[LintedSource]) -> dict[str, Any]:
    """Return the log: one run, with the rules that found something."""
    found = [
        FindingPlace(one, number) for number, of in enumerate(sources) for one in of.report.findings
    ]
    codes = list(dict.fromkeys(place.finding.code for place in found))
    rules = {code: number for number, code in enumerate(codes)}
    listed, omitted = divided(found, MOST_RESULTS - len(codes))
    lines = [source.content.splitlines() for source in sources]
    driver = {
        "name": "goodbot",
        "version": __version__,
        "rules": [descriptor(LINT_RULES[code]) for code in codes],
    }
    results = [
        result(one.finding, sources[one.number].name, one.number, lines[one.number])
        for one in listed
    ]
    results += [unlisted(first, number, sources[first.number].name) for first, number in omitted]
    for one in results:
        one["ruleIndex"] = rules[one["ruleId"]]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [artifact(source) for source in sources],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def divided(
    found: list[FindingPlace], most: int
) -> tuple[list[FindingPlace], list[tuple[FindingPlace, int]]]:
    """Return the findings that are listed, and of each rule the first that is not, and how many.

    Errors come before warnings, and those before notes; among equals each rule has its first
    findings before another has more, so that a rule that repeats itself hides no other.

    Args:
        found: The findings, file by file.
        most: How many are listed.

    """
    if len(found) <= most:
        return found, []
    ranks = {name: -number for number, name in enumerate(SEVERITIES)}
    seen: Counter[str] = Counter()
    ordered = []
    for number, place in enumerate(found):
        code = place.finding.code
        ordered.append((ranks[place.finding.severity], seen[code], number))
        seen[code] += 1
    listed = {number for *_, number in sorted(ordered)[:most]}
    others: dict[str, list[FindingPlace]] = {}
    for number, place in enumerate(found):
        if number not in listed:
            others.setdefault(place.finding.code, []).append(place)
    return [found[number] for number in sorted(listed)], [
        (places[0], len(places)) for places in others.values()
    ]


def descriptor(rule: LintRule) -> dict[str, Any]:
    """Return a rule of lint (section 3.49)."""
    example, instead = rule.shown(rule.example), rule.shown(rule.instead)
    text = f"{rule.why}\n\nFor example:\n\n{example}\nWrite instead:\n\n{instead}"
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.finds},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{text}\nSource: {rule.source}."},
        "defaultConfiguration": {"level": rule.severity},
    }


def artifact(source: LintedSource) -> dict[str, Any]:
    """Return a file that was checked (section 3.24)."""
    return {"location": {"uri": uri(source.name)}, "length": len(source.content)}


def result(finding: LintFinding, name: str, number: int, lines: list[bytes]) -> dict[str, Any]:
    """Return a finding (section 3.27)."""
    found: dict[str, Any] = {
        "ruleId": finding.code,
        "level": finding.severity,
        "message": {"text": plain(finding.message)},
        "locations": [location(name, number, finding.line)],
        "partialFingerprints": {"goodbot/v1": fingerprint(finding, lines)},
    }
    others = [line for line in finding.others if line]
    if others:
        shown = others[:MOST_LOCATIONS]
        found["relatedLocations"] = [location(name, number, line) for line in shown]
    if len(others) > MOST_LOCATIONS:
        more = counted(len(others) - MOST_LOCATIONS, "more line")
        found["message"]["text"] += (
            f" It is about {more}, which 'goodbot lint --format json' lists."
        )
    return found


def unlisted(first: FindingPlace, number: int, name: str) -> dict[str, Any]:
    """Return the note that stands for the findings of a rule that are omitted."""
    code = first.finding.code
    more = counted(number, "more finding")
    text = f"This file omits {more} of {code}, which 'goodbot lint --format json' lists."
    return {
        "ruleId": code,
        "level": "note",
        "message": {"text": text},
        "locations": [location(name, first.number, first.finding.line)],
        "partialFingerprints": {"goodbot/v1": hashed(code, b"omitted")},
    }


def location(name: str, number: int, line: int) -> dict[str, Any]:
    """Return a place in a file (section 3.28). A column is in bytes, so only lines are named."""
    place: dict[str, Any] = {"artifactLocation": {"uri": uri(name), "index": number}}
    place["region"] = {"startLine": max(line, 1)}
    return {"physicalLocation": place}


def fingerprint(finding: LintFinding, lines: list[bytes]) -> str:
    """Return what is the same of a finding when lines move: its code and the text of its line."""
    text = lines[finding.line - 1].strip() if 0 < finding.line <= len(lines) else b""
    return hashed(finding.code, text)


def hashed(code: str, text: bytes) -> str:
    """Return a fingerprint of a code and a text."""
    return hashlib.sha256(code.encode() + b"\0" + text).hexdigest()[:32]


def uri(name: str) -> str:
    """Return the URI of a file or URL (section 3.4.3: a path with slashes, escaped).

    >>> uri("my site/robots.txt"), uri("https://example.com/robots.txt")
    ('my%20site/robots.txt', 'https://example.com/robots.txt')
    """
    if URL.match(name):
        return quote(name, safe=":/?#[]@!$&'()*+,;=%~")
    path = PurePath(name)
    if path.is_absolute():
        return path.as_uri()
    return quote(path.as_posix(), safe="/", errors="replace")


def plain(text: str) -> str:
    """Return a text without lone surrogates, which stand for bytes that are not UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
