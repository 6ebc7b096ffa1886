"""How the public API looks to a type checker: `test_typing.py` runs mypy --strict on this file.

Scope: uses of the public names, each with the type that a user must see. It is
checked, and it also runs.
"""

import datetime as dt
from typing import Any, Literal

import numpy as np
from typing_extensions import assert_type

import goodbot

Severity = Literal["info", "warning", "error"]
Way = Literal["named", "leading-token", "stand-in", "default", "none"]
Kind = Literal["blank", "comment", "field", "unknown-field", "other"]

CONTENT = b"""\
User-agent: *
Disallow: /private
Crawl-delay: 2
Request-rate: 1/10m 1300-1659
Visit-time: 0600-0845
Content-Signal: ai-train=no
Sitemap: https://example.com/sitemap.xml
"""


def a_file() -> goodbot.RobotsTxt:
    """Check that a file takes bytes, text or a buffer, and a dialect by name or as itself."""
    assert_type(goodbot.RobotsTxt("", dialect="google"), goodbot.RobotsTxt)
    assert_type(goodbot.RobotsTxt(memoryview(b""), dialect=None), goodbot.RobotsTxt)
    robots = goodbot.RobotsTxt(CONTENT, dialect=goodbot.dialect("rfc9309"))
    assert_type(robots.allows("/a", "ExampleBot"), bool)
    assert_type(robots.verdict(b"/a", "ExampleBot"), goodbot.Verdict)
    assert_type(robots.rules_for("ExampleBot"), goodbot.Rules)
    assert_type(robots.groups, list[goodbot.Group])
    assert_type(robots.sitemaps, list[str])
    assert_type(robots.findings, list[goodbot.Finding])
    assert_type(robots.lines, list[goodbot.Line])
    assert_type(robots.fields_used, list[str])
    assert_type(robots.content, bytes)
    assert_type(bytes(robots), bytes)
    assert_type(robots.dialect, goodbot.Dialect)
    return robots


def its_lines(robots: goodbot.RobotsTxt) -> None:
    """Check that lines are bytes; groups and findings are text."""
    line = robots.lines[0]
    assert_type(line.number, int)
    assert_type(line.kind, Kind)
    assert_type(line.raw, bytes)
    assert_type(line.name, bytes | None)
    assert_type(line.value, bytes | None)
    assert_type(line.comment, bytes | None)
    group = robots.groups[0]
    assert_type(group.agents, list[str])
    assert_type(group.lines, list[int])
    assert_type(group.rules, list[goodbot.Rule])
    assert_type(group.fields, list[tuple[str, str, int]])
    assert_type(group.as_dict(), dict[str, Any])
    for finding in robots.findings:
        assert_type(finding.code, str)
        assert_type(finding.severity, Severity)
        assert_type((finding.line, finding.column), tuple[int, int])
        assert_type(finding.message, str)
        assert_type(finding.as_dict(), dict[str, Any])


def one_robot(rules: goodbot.Rules) -> None:
    """Check that rules answer for one robot, and are a sized iterable of rules."""
    assert_type(rules.allows("/a"), bool)
    assert_type(rules.allows(bytearray(b"/a")), bool)
    assert_type(rules.verdict("/a"), goodbot.Verdict)
    assert_type(rules.robot, str)
    assert_type(rules.dialect, str)
    assert_type(rules.findings, list[goodbot.Finding])
    assert_type(rules.comments, list[str])
    assert_type(rules.please_visit, list[str])
    assert_type(rules.sitemaps, list[str])
    assert_type(len(rules), int)
    assert_type(bool(rules), bool)
    assert_type([rule.field for rule in rules], list[Literal["Allow", "Disallow"]])
    selection = rules.selection
    assert_type(selection.how, Way)
    assert_type((selection.robot, selection.name), tuple[str, str])
    assert_type(selection.groups, list[goodbot.Group])


def pace(rules: goodbot.Rules) -> None:
    """Check that the pace that the site requests has numbers and times."""
    assert_type(rules.crawl_delay, float | None)
    assert_type(rules.request_rates, list[goodbot.RequestRate])
    assert_type(rules.visit_times, list[goodbot.VisitTime])
    rate = goodbot.RequestRate.parse("10/60")
    assert_type((rate.documents, rate.seconds, rate.interval), tuple[int, int, float])
    assert_type(rate.window, goodbot.VisitTime | None)
    time = goodbot.VisitTime.parse("0600-0845")
    assert_type((time.start, time.end), tuple[dt.time, dt.time])
    assert_type(time.contains(dt.time(7)), bool)


def a_verdict(verdict: goodbot.Verdict) -> None:
    """Check that a verdict must be narrowed before its rule is read."""
    assert_type(verdict.allowed, bool)
    assert_type(bool(verdict), bool)
    reason: str = verdict.reason
    assert reason
    assert_type(verdict.source, str)
    assert_type((verdict.robot, verdict.url, verdict.dialect), tuple[str, str, str])
    assert_type(verdict.group, goodbot.Group | None)
    assert_type(verdict.rule, goodbot.Rule | None)
    if verdict.rule is not None:
        assert_type(verdict.rule.line, int)
        assert_type((verdict.rule.pattern, verdict.rule.text), tuple[str, str])
        assert_type(verdict.rule.as_dict(), dict[str, Any])
    assert_type(verdict.considered, list[goodbot.Considered])
    for considered in verdict.considered:
        assert_type(considered.rule, goodbot.Rule)
        assert_type((considered.decides, considered.why), tuple[bool, str])
    assert_type(verdict.as_dict(), dict[str, Any])


def many_urls(rules: goodbot.Rules) -> None:
    """Check that sequences return lists, and arrays what their library makes, which is untyped."""
    assert_type(rules.allows_many(["/a", None]), list[bool | None])
    assert_type(rules.allows_many(("/a", b"/b"), threads=2), list[bool | None])
    columns = rules.verdicts_many(["/a", None])
    assert_type(columns["allowed"], list[bool | None])
    assert_type(columns["line"], list[int | None])
    assert_type(columns["reason"], list[str | None])
    array = np.array(["/a", "/b"])
    assert_type(rules.allows_many(array), Any)
    assert_type(rules.verdicts_many(array), Any)


def one_url_is_not_many(rules: goodbot.Rules) -> None:
    """Check that a single URL is never accepted: a checker reports the mistake."""
    try:
        rules.allows_many("/a")
    except goodbot.WrongTypeError as error:
        assert_type(error, goodbot.WrongTypeError)


def use(rules: goodbot.Rules) -> None:
    """Check that statements on use are kept apart by kind."""
    usage = rules.usage("/a", vocabulary="aipref-08")
    assert_type(usage, goodbot.Usage)
    assert_type(usage.content_usage, dict[str, Literal["allow", "disallow", "unknown"]] | None)
    assert_type(usage.content_usage_lines, list[int])
    assert_type(
        usage.content_signal, dict[str, Literal["yes", "no", "immediate", "reference", "full"]]
    )
    assert_type(usage.licenses, list[str])
    assert_type(usage.license, str | None)
    assert_type(usage.as_dict(), dict[str, Any])


def records() -> None:
    """Check that the tables behind the documentation are lists of tuples."""
    mine = goodbot.dialect("google").replace(
        name="mine", tie="disallow", size_limit=1, fields=["Allow"]
    )
    assert_type(mine, goodbot.Dialect)
    assert_type((mine.name, mine.title), tuple[str, str])
    assert_type(mine.sources, list[tuple[str, str]])
    assert_type(mine.choices, dict[str, str])
    assert_type({mine: 1}, dict[goodbot.Dialect, int])
    assert_type(goodbot.dialects(), list[goodbot.Dialect])
    assert_type(goodbot.choices(), list[tuple[str, str, list[tuple[str, str]]]])
    assert_type(
        goodbot.fields(), list[tuple[str, Literal["group", "file", "group or file"], str, str]]
    )
    assert_type(goodbot.finding_codes(), list[tuple[str, Severity, str]])
    assert_type(goodbot.reasons(), list[tuple[str, str]])
    assert_type(goodbot.selection_ways(), list[tuple[str, str]])
    assert_type(goodbot.vocabularies(), list[tuple[str, list[str]]])
    assert_type(goodbot.origin("https://example.com/a"), str)
    assert_type(goodbot.robots_txt_url(b"https://example.com/a"), str)
    assert_type(goodbot.__version__, str)


def mistakes(robots: goodbot.RobotsTxt, verdict: goodbot.Verdict) -> None:
    """List what a checker must reject; an unnecessary ignore fails the check."""
    robots.allows("/a")  # type: ignore[call-arg]
    robots.allows(1, "ExampleBot")  # type: ignore[arg-type]
    goodbot.RobotsTxt("", "google")  # type: ignore[call-arg]
    verdict.allowed = True  # type: ignore[misc]
    print(verdict.rule.line)  # type: ignore[union-attr]  # noqa: T201 - some use of it
    goodbot.dialect(name="google").replace(tie=None)  # type: ignore[arg-type]

    class Mine(goodbot.Rules):  # type: ignore[misc]
        pass


def main() -> None:
    """Run everything but the mistakes."""
    robots = a_file()
    rules = robots.rules_for("ExampleBot")
    its_lines(robots)
    one_robot(rules)
    pace(rules)
    a_verdict(rules.verdict("/private"))
    many_urls(rules)
    use(rules)
    records()
    one_url_is_not_many(rules)


if __name__ == "__main__":
    main()
