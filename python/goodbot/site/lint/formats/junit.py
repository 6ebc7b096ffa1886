"""Findings of lint as JUnit XML, which most services for continuous integration read.

Scope: the form that they have in common: a test suite for each file, and in it a test case for each
rule of lint that found something, which fails if its severity does.
"""

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from goodbot.site.lint.formats.linted_source import LintedSource
from goodbot.site.lint.linting import LintFinding

__all__ = ["junit_xml"]

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not have (section 2.2)."""


def junit_xml(sources: Iterable[LintedSource]) -> Iterator[str]:
    """Yield the lines of a document."""
    suites = list(sources)
    tests = sum(len(cases(one)) for one in suites)
    failures = sum(failed(one) for one in suites)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuites name="goodbot lint" tests="{tests}" failures="{failures}" errors="0">'
    for source in suites:
        yield from suite(source)
    yield "</testsuites>"


def cases(source: LintedSource) -> dict[str, list[LintFinding]]:
    """Return the findings of a file by code; a file without any is one case that passes."""
    found: dict[str, list[LintFinding]] = {}
    for finding in source.report.findings:
        found.setdefault(finding.code, []).append(finding)
    return found or {"robots.txt": []}


def failed(source: LintedSource) -> int:
    """Count the cases of a file that fail."""
    fails = source.report.settings.fails
    return sum(any(fails(one.severity) for one in found) for found in cases(source).values())


def suite(source: LintedSource) -> Iterator[str]:
    """Yield the test suite of a file."""
    found = cases(source)
    name = attribute(source.name)
    yield (
        f'  <testsuite name={name} tests="{len(found)}" failures="{failed(source)}" errors="0" '
        'skipped="0">'
    )
    for code, findings in found.items():
        yield from case(code, findings, source)
    yield "  </testsuite>"


def case(code: str, findings: list[LintFinding], source: LintedSource) -> Iterator[str]:
    """Yield a test case; findings that do not fail are its output."""
    name = attribute(source.name)
    first = findings[0].line if findings else 0
    at = f' line="{first}"' if first else ""
    opening = f"    <testcase name={attribute(code)} classname={name} file={name}{at}"
    if not findings:
        yield f"{opening}/>"
        return
    # Each on a line of its own: a line that is printed cannot contain the end of a line.
    *lines, last = [escape(plain(str(finding))) for finding in findings]
    yield f"{opening}>"
    if source.report.settings.fails(findings[0].severity):
        message = attribute(findings[0].message)
        yield f"      <failure type={attribute(findings[0].severity)} message={message}>"
        yield from lines
        yield f"{last}</failure>"
    else:
        first_line, *others = [*lines, f"{last}</system-out>"]
        yield f"      <system-out>{first_line}"
        yield from others
    yield "    </testcase>"


def attribute(text: str) -> str:
    """Return the value of an attribute, quoted."""
    return quoteattr(plain(text))


def plain(text: str) -> str:
    r"""Replace characters that XML does not have.

    >>> plain("a\x00b")
    'a\ufffdb'
    """
    return NOT_XML.sub("\ufffd", text)
