"""SARIF: every finding of every rule passes the schema of OASIS."""

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft7Validator

from goodbot.site.lint import LINT_RULES, lint
from goodbot.site.lint.formats.linted_source import LintedSource
from goodbot.site.lint.formats.sarif import MOST_LOCATIONS, MOST_RESULTS, log, sarif_lines, uri
from tests.support.paths import ROOT

SCHEMA = ROOT / "tests" / "support" / "sarif" / "sarif-schema-2.1.0.json"
HOSTILE = b'User-agent: *\nDisallow: /a"<&\x1b[31m\xff\nDisallow /\x00\nUser-agent: a\nDisallow: /b'


@cache
def validator() -> Draft7Validator:
    """Return the validator of SARIF 2.1.0."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


def sources() -> list[LintedSource]:
    """Return a file for each rule, and a hostile one."""
    files = {
        f"{code} é.txt": rule.example.encode(errors="surrogateescape")
        for code, rule in LINT_RULES.items()
        if code not in {"findings-cut", "undecided", "too-large"}
    }
    files |= {"https://example.com/robots.txt": HOSTILE, "/srv/a b.txt": HOSTILE, "empty": b""}
    return [LintedSource(name, lint(content), content) for name, content in files.items()]


def test_the_file_passes_the_schema() -> None:
    """All rules and results together are valid SARIF."""
    text = "\n".join(sarif_lines(sources()))
    faults = [fault.message for fault in validator().iter_errors(json.loads(text))]
    assert not faults


def test_the_schema_refuses_what_is_wrong() -> None:
    """The validator is not blind: a level that does not exist is a fault."""
    wrong: dict[str, Any] = json.loads(json.dumps(log(sources()[:1])))
    wrong["runs"][0]["results"][0]["level"] = "info"
    assert not validator().is_valid(wrong)


def test_results_name_their_rules_and_places() -> None:
    """An index points to the rule of the code; related places have lines of the same file."""
    text = b"User-agent: *\nDisallow: /a/\n\nUser-agent: b\nDisallow: /c\n"
    (run,) = log([LintedSource("robots.txt", lint(text), text)])["runs"]
    rules = run["tool"]["driver"]["rules"]
    (result,) = run["results"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "default-rules-dropped"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "robots.txt"
    assert place["region"]["startLine"] == 4
    assert [one["physicalLocation"]["region"]["startLine"] for one in result["relatedLocations"]]


def test_a_fingerprint_stays_when_lines_move() -> None:
    """It is made of the code and the text of the line."""
    before = b"User-agent: *\nDisalow: /a\n"
    after = b"# new\n\n" + before
    prints = [
        log([LintedSource("robots.txt", lint(text), text)])["runs"][0]["results"][0][
            "partialFingerprints"
        ]
        for text in (before, after)
    ]
    assert prints[0] == prints[1]


@pytest.mark.stress
def test_a_run_has_no_more_results_than_are_shown() -> None:
    """Errors first; each rule counts what is omitted, and none hides another."""
    noisy = b"User-agent: *\n" + b"Disallow: /a\n" * 2_000
    report = lint(noisy)
    files = [LintedSource(f"{number}.txt", report, noisy) for number in range(6)]
    wrong = b"User-agent: *\nDisalow: /b\n"
    files.append(LintedSource("wrong.txt", lint(wrong), wrong))
    (run,) = log(files)["runs"]
    assert len(run["results"]) <= MOST_RESULTS
    found = Counter(one.code for file in files for one in file.report.findings)
    assert sum(found.values()) > MOST_RESULTS
    notes = [one for one in run["results"] if one["message"]["text"].startswith("This file omits")]
    listed = Counter(one["ruleId"] for one in run["results"] if one not in notes)
    assert listed.keys() == found.keys()
    assert [one["ruleId"] for one in notes] == ["repeated-rule"]
    more = found["repeated-rule"] - listed["repeated-rule"]
    assert f"omits {more:,} more findings of repeated-rule" in notes[0]["message"]["text"]
    assert notes[0]["level"] == "note"
    assert sum(listed.values()) + more == sum(found.values())
    assert validator().is_valid(json.loads(json.dumps(log(files))))


@pytest.mark.stress
def test_a_result_has_no_more_places_than_are_shown() -> None:
    """The message counts the others; the file is not many times as long as what was checked."""
    text = b"User-agent: *\n" + b"Disallow: /a\n" * 30_000
    (run,) = log([LintedSource("robots.txt", lint(text), text)])["runs"]
    long = [one for one in run["results"] if len(one.get("relatedLocations", ())) > 1]
    assert {len(one["relatedLocations"]) for one in long} == {MOST_LOCATIONS}
    assert all("29,899 more lines" in one["message"]["text"] for one in long)
    lines = sarif_lines([LintedSource("robots.txt", lint(text), text)])
    assert sum(map(len, lines)) < 3 * len(text)


def test_names_become_uris() -> None:
    """Paths are escaped, and URLs stay."""
    assert uri("a b/robots.txt") == "a%20b/robots.txt"
    assert uri("/srv/a b.txt") == "file:///srv/a%20b.txt"
    assert uri("https://example.com/a b") == "https://example.com/a%20b"
