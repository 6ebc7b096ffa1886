"""Findings of lint as SARIF 2.1.0, which code hosts show beside the lines.

Scope: one run with its rules and results (OASIS, Static Analysis Results Interchange Format).
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from goodbot._core import __version__
from goodbot.lint.formats.linted_source import LintedSource
from goodbot.lint.lint_rule import LintRule
from goodbot.lint.linting import LintFinding
from goodbot.lint.registry import LINT_RULES

__all__ = ["sarif_lines"]

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""A name that is a URI already. A drive of Windows has one letter."""


def sarif_lines(sources: Iterable[LintedSource]) -> Iterator[str]:
    """Yield the lines of a SARIF file."""
    yield from json.dumps(log(list(sources)), indent=2).splitlines()


def log(sources: list[LintedSource]) -> dict[str, Any]:
    """Return the log: one run, with the rules that found something."""
    codes = list(dict.fromkeys(one.code for source in sources for one in source.report.findings))
    places = {code: place for place, code in enumerate(codes)}
    driver = {
        "name": "goodbot",
        "version": __version__,
        "rules": [descriptor(LINT_RULES[code]) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [artifact(source) for source in sources],
        "results": [
            result(finding, source, number, places)
            for number, source in enumerate(sources)
            for finding in source.report.findings
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


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


def result(
    finding: LintFinding, source: LintedSource, number: int, places: dict[str, int]
) -> dict[str, Any]:
    """Return a finding (section 3.27)."""
    found: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": places[finding.code],
        "level": finding.severity,
        "message": {"text": plain(finding.message)},
        "locations": [location(source.name, number, finding.line)],
        "partialFingerprints": {"goodbot/v1": fingerprint(finding, source)},
    }
    if finding.others:
        related = [location(source.name, number, line) for line in finding.others if line]
        found["relatedLocations"] = related
    return found


def location(name: str, number: int, line: int) -> dict[str, Any]:
    """Return a place in a file (section 3.28). A column is in bytes, so only lines are named."""
    place: dict[str, Any] = {"artifactLocation": {"uri": uri(name), "index": number}}
    place["region"] = {"startLine": max(line, 1)}
    return {"physicalLocation": place}


def fingerprint(finding: LintFinding, source: LintedSource) -> str:
    """Return what is the same of a finding when lines move: its code and the text of its line."""
    lines = source.content.splitlines()
    text = lines[finding.line - 1].strip() if 0 < finding.line <= len(lines) else b""
    return hashlib.sha256(finding.code.encode() + b"\0" + text).hexdigest()[:32]


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
