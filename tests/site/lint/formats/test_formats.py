"""The forms of findings: valid for who reads them, whatever is in the file."""

import json
from xml.etree import ElementTree as ET

import pytest

from goodbot.site.lint import LINT_RULES, LintSettings, lint
from goodbot.site.lint.formats.github import github_commands
from goodbot.site.lint.formats.json_lines import json_lines
from goodbot.site.lint.formats.junit import junit_xml
from goodbot.site.lint.formats.linted_source import LintedSource

HOSTILE = b'User-agent: *\nDisallow: /a"<&]]>\x1b[31m%0A::error::x\nDisallow /\x00\xff\n'


def source(content: bytes, name: str = "robots.txt", **settings: object) -> LintedSource:
    """Return a file that was checked."""
    report = lint(content, settings=LintSettings(**settings))  # type: ignore[arg-type]
    return LintedSource(name, report, content)


EVERY = [
    source(rule.example.encode(errors="surrogateescape"), f"{code}.txt")
    for code, rule in LINT_RULES.items()
    if code not in {"findings-cut", "undecided", "too-large"}
]


@pytest.mark.parametrize("one", [source(HOSTILE, 'a,b:"c"\n.txt'), *EVERY[:5]])
def test_a_command_of_github_is_one_line_without_further_commands(one: LintedSource) -> None:
    """Line breaks, commas and colons of foreign text are escaped."""
    for line in github_commands([one]):
        assert line.isprintable() or "\x1b" in line or "\x00" in line
        assert "\n" not in line
        head, _, message = line.removeprefix("::").partition("::")
        assert head.partition(" ")[0] in {"notice", "warning", "error"}
        assert {part.partition("=")[0] for part in head.partition(" ")[2].split(",")} <= {
            "file",
            "line",
            "col",
            "title",
        }
        assert message


def test_junit_counts_the_rules_that_fail() -> None:
    """A test case is a rule of lint; it fails if its severity does, and else is output."""
    text = "\n".join(junit_xml([source(HOSTILE), source(b"User-agent: *\nDisallow: /a\n", "b")]))
    suites = ET.fromstring(text)  # noqa: S314  our own
    first, second = suites
    assert second.get("failures") == "0"
    assert [case.get("name") for case in second] == ["robots.txt"]
    failures = [case for case in first if case.find("failure") is not None]
    assert len(failures) == int(first.get("failures") or 0) == int(suites.get("failures") or 0) > 0
    assert int(suites.get("tests") or 0) == len(first) + len(second)
    assert all(case.get("file") == "robots.txt" for case in first)


def test_json_has_every_finding_with_its_values() -> None:
    """An object a file, with the findings as plain values."""
    (line,) = json_lines([source(HOSTILE)])
    told = json.loads(line)
    assert told["file"] == "robots.txt"
    assert told["fails"]
    assert [one["code"] for one in told["findings"]] == [
        one.code for one in source(HOSTILE).report.findings
    ]
