"""The conformance cases: each names its authority. The Rust tests read the same files."""

from __future__ import annotations

import datetime as dt
import re

import pytest

import goodbot
from goodbot.pace import Manners, Pace
from tests.support import conformance_cases as data


def by_id(case: data.Case) -> str:
    """Name a test by its case."""
    return str(case["id"])


def dialect_of(case: data.Case) -> goodbot.Dialect:
    """Return the dialect of a case, with the choices that the case changes."""
    return goodbot.dialect(case.get("dialect", "rfc9309")).replace(**case.get("options", {}))


def compare_verdicts(case: data.Case) -> None:
    """Compare every answer and, if stated, the line and the reason."""
    robots = goodbot.RobotsTxt(case["content"], dialect=dialect_of(case))
    for check in data.checks(case):
        verdict = robots.verdict(check.url, check.robot)
        told = f"{case['authority']}: {case['why']}\n{verdict}"
        assert verdict.allowed is check.allowed, told
        assert robots.rules_for(check.robot).allows(check.url) is check.allowed, told
        assert robots.allows(check.url.encode(), check.robot) is check.allowed, told
        if "line" in case:
            assert verdict.rule is not None, told
            assert verdict.rule.line == case["line"], told
        if "reason" in case:
            assert verdict.reason == case["reason"], told


def compare_usage(case: data.Case) -> None:
    """Compare the preferences with the rules of the drafts; what is not stated stays unknown."""
    robots = goodbot.RobotsTxt(case["content"], dialect=dialect_of(case))
    rules = robots.rules_for(case["robot"])
    assert rules.allows(case["url"]) is case.get("allowed", True)
    usage = rules.usage(case["url"], vocabulary=case.get("vocabulary", "aipref-08"))
    expect = case["expect"]
    if "content_usage" in expect:
        assert usage.content_usage is not None
        stated = usage.content_usage
        assert {label: stated.get(label) for label in expect["content_usage"]} == expect[
            "content_usage"
        ]
    if "content_usage_applies" in expect:
        assert (usage.content_usage is not None) is expect["content_usage_applies"]
    if "content_signal" in expect:
        assert usage.content_signal == expect["content_signal"]
    if "license" in expect:
        assert usage.license == expect["license"]
    if "licenses" in expect:
        assert usage.licenses == expect["licenses"]


def compare_findings(case: data.Case) -> None:
    """Check that every finding that a case names is reported, on its line."""
    robots = goodbot.RobotsTxt(case["content"], dialect=dialect_of(case))
    found = [(finding.code, finding.line) for finding in robots.findings]
    for code, line in case["findings"]:
        assert (code, line) in found, (case["why"], robots.findings)


def values(name: str) -> list[data.Case]:
    """Return the cases of one kind of value."""
    return [case for case in data.cases("fields") if case["id"].startswith(name)]


def read(field: str, case: data.Case) -> goodbot.Rules:
    """Read one line with a field in a group for all robots, and compare the findings."""
    robots = goodbot.RobotsTxt(f"User-agent: *\n{field}: {case['value']}\nDisallow: /x\n")
    codes = [finding.code for finding in robots.findings]
    assert ("malformed-value" in codes) is case.get("malformed", False), robots.findings
    assert ("unusual-value" in codes) is case.get("unusual", False), robots.findings
    assert ("unreadable-times" in codes) is case.get("doubtful", False), robots.findings
    return robots.rules_for("ExampleBot")


@pytest.mark.parametrize("case", values("rate"), ids=by_id)
def test_request_rate(case: data.Case) -> None:
    """A rate is read in every documented form; a malformed one has no effect."""
    rates = read("Request-rate", case).request_rates
    if case.get("malformed"):
        assert rates == []
        return
    (rate,) = rates
    assert (rate.documents, rate.seconds) == (case["documents"], case["seconds"])
    assert rate.doubtful is case.get("doubtful", False)
    assert (rate.window is None) is ("start" not in case)
    if rate.window is not None:
        assert f"{rate.window.start:%H:%M}" == case["start"]
        assert f"{rate.window.end:%H:%M}" == case["end"]


@pytest.mark.parametrize("case", values("visit"), ids=by_id)
def test_visit_time(case: data.Case) -> None:
    """A visiting time is read in both forms, and can cross midnight."""
    times = read("Visit-time", case).visit_times
    if case.get("malformed"):
        assert times == []
        return
    (visit,) = times
    assert (f"{visit.start:%H:%M}", f"{visit.end:%H:%M}") == (case["start"], case["end"])
    for inside in case.get("inside", []):
        assert visit.contains(dt.time.fromisoformat(inside)), inside
    for outside in case.get("outside", []):
        assert not visit.contains(dt.time.fromisoformat(outside)), outside


@pytest.mark.parametrize("case", values("delay"), ids=by_id)
def test_crawl_delay(case: data.Case) -> None:
    """A delay is a number of seconds, and a malformed one has no effect."""
    delay = read("Crawl-delay", case).crawl_delay
    assert delay == (None if case.get("malformed") else case["seconds"])


@pytest.mark.parametrize("case", values("rate") + values("visit") + values("delay"), ids=by_id)
def test_no_odd_value_makes_a_robot_faster(case: data.Case) -> None:
    """A malformed value, or one that states no usable pace, leaves the robot its own pace."""
    kind = str(case["id"]).partition("-")[0]
    field = {"delay": "Crawl-delay", "rate": "Request-rate", "visit": "Visit-time"}[kind]
    robots = goodbot.RobotsTxt(f"User-agent: *\n{field}: {case['value']}\n")
    pace = Pace(robots.rules_for("ExampleBot"), robots_txt=robots)
    stated = case.get("seconds", 0.0) / case.get("documents", 1)
    own = Manners().between(took=0.0)
    wanted = max(stated, own) if stated < 0.1 or case.get("doubtful") else stated
    at = dt.datetime.combine(dt.date(2025, 1, 1), dt.time.fromisoformat(case.get("start", "12:00")))
    assert pace.interval(at.replace(tzinfo=dt.timezone.utc)) >= wanted


def compare_owners(case: data.Case) -> None:
    """Check that a field applies only to the robots of the User-agent lines before it."""
    robots = goodbot.RobotsTxt(case["content"], dialect=dialect_of(case))
    for robot, lines in case["lines"].items():
        assert [line for _, _, line in robots.fields_for(robot)] == lines, robot
    for robot, delay in case.get("delay", {}).items():
        assert robots.rules_for(robot).crawl_delay == delay, robot
    for robot in case["lines"] if "hours" in case else []:
        times = robots.rules_for(robot).visit_times
        found = [f"{time:%H:%M}" for one in times for time in (one.start, one.end)]
        assert found == case["hours"].get(robot, []), robot


def compare_texts(case: data.Case) -> None:
    """Compare what a robot gets for a field whose value is a text or a URL."""
    robots = goodbot.RobotsTxt(case["content"], dialect=dialect_of(case))
    rules = robots.rules_for("ExampleBot")
    reads = case["reads"]
    assert rules.comments == reads.get("comments", [])
    assert rules.please_visit == reads.get("please_visit", [])
    assert rules.sitemaps == robots.sitemaps == reads.get("sitemaps", [])
    assert [[url, rules.clean_url(url)] for url, _ in reads.get("clean", [])] == reads.get(
        "clean", []
    )


FILES = {
    "robots_txt": compare_verdicts,
    "usage": compare_usage,
    "findings": compare_findings,
    "owners": compare_owners,
    "fields": compare_texts,
}
"""How to compare the cases of a folder that have a whole robots.txt."""
WHOLE = [
    (folder, case)
    for folder in FILES
    for case in data.cases(folder)
    if folder != "fields" or "reads" in case
]


@pytest.mark.parametrize(("folder", "case"), WHOLE, ids=[case["id"] for _, case in WHOLE])
def test_a_file_says_what_the_documents_say(folder: str, case: data.Case) -> None:
    """Verdicts, use, findings, owners of fields and their values are as documented."""
    FILES[folder](case)


FIELD_NAMES = [name for name, _scope, _meaning, _source in goodbot.fields()]


def without(case: data.Case, field: str) -> data.Case:
    """Return the case with a field renamed to an unknown name."""
    line = rf"(?im)^(\W*){re.escape(field)}(?=\s*:)".encode()
    return case | {"content": re.sub(line, rb"\1Unheard-of", case["content"])}


@pytest.mark.parametrize("field", FIELD_NAMES)
def test_every_field_decides_a_case(field: str) -> None:
    """Every field of the table has a case that would fail if it were not read."""
    for folder, case in WHOLE:
        changed = without(case, field)
        if changed["content"] != case["content"]:
            try:
                FILES[folder](changed)
            except AssertionError:
                return
    pytest.fail(f"no case fails without {field}: add one to conformance/fields")


def test_every_value_has_a_test() -> None:
    """No case of a field is ignored because of its name."""
    kinds = ("rate", "visit", "delay", "text")
    assert sum(len(values(kind)) for kind in kinds) == len(data.cases("fields"))
    assert all(("reads" in case) is case["id"].startswith("text") for case in data.cases("fields"))


@pytest.mark.parametrize("case", data.cases("url"), ids=by_id)
def test_url(case: data.Case) -> None:
    """Origins and addresses of robots.txt are those of RFC 9309 section 2.3."""
    ask = goodbot.robots_txt_url if case["id"].startswith("robots-url") else goodbot.origin
    if case.get("error"):
        with pytest.raises(goodbot.NoOriginError):
            ask(case["url"])
        return
    assert ask(case["url"]) == case.get("origin", case.get("robots_txt_url"))


def test_ids_are_unique() -> None:
    """Each case has an id of its own."""
    folders = ("robots_txt", "usage", "findings", "fields", "owners", "url")
    ids = [case["id"] for folder in folders for case in data.cases(folder)]
    assert len(set(ids)) == len(ids)
