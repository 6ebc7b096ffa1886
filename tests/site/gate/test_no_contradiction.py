"""Every document of a policy is read back by goodbot's own readers, and says what was declared."""

from datetime import datetime, timezone
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

import goodbot
from goodbot import bots
from goodbot.bots.user_agents import known
from goodbot.content_use.statement import USES
from goodbot.site.gate import GatePolicy, GateRule, Rendered, render
from goodbot.site.reasoning import is_same
from tests.site.gate.declared import declared_use, may_fetch
from tests.site.gate.policies import NAMES, PATHS, PLAIN, WILD, built, policies, policy_of
from tests.support.examples import examples

NOW = datetime(2026, 12, 1, tzinfo=timezone.utc)
SITE = "https://example.com"
MISUNDERSTOOD = {
    one.name
    for one in goodbot.dialects()
    if "allow" not in one.choices["fields"].split() or one.choices["version_gate"] == "conner"
}
"""The dialects that read no Allow, or not without Robot-version: a file may be stricter to them,
and never laxer."""


DIALECTS = [one for one in goodbot.dialects() if one.name != "kollar1996"]
"""All but that of Kollar, which discards a whole record for a line such as Allow or Crawl-delay."""


def obeyed_token(said: Rendered, name: str) -> str:
    """Return the name under which a robot obeys a group of its family."""
    return said.rules_for(name).token or "*"


@given(policies(uses=False), st.sampled_from(NAMES))
@examples(400)
def test_a_robot_reads_what_was_declared(policy: GatePolicy, name: str) -> None:
    """In its own dialect, with its family, each robot may fetch exactly what the policy says."""
    rules, robot = render(policy, now=NOW).rules_for(name), known(name)
    if rules.rules is None:
        assert robot is not None
        assert robot.ignores_star
        return
    for path in PATHS:
        expected = may_fetch(policy.rules, robot, name, path)
        assert rules.allows(SITE + path) == expected, path


@given(policies(PLAIN, uses=False))
@examples(100)
def test_no_known_robot_obeys_rules_of_others(policy: GatePolicy) -> None:
    """Robots with names like those of others keep their own rules."""
    said = render(policy, now=NOW)
    for robot in bots.every():
        rules = bots.rules_for(said.robots_txt, robot)
        if rules.rules is not None and rules.tried:
            for path in ("/", "/a/b", "/b/c.pdf"):
                expected = may_fetch(policy.rules, robot, robot.name, path)
                found = rules.allows(SITE + path)
                is_laxer = found and not expected
                is_known = found == expected or rules.dialect in MISUNDERSTOOD
                assert is_known, (robot.name, path)
                assert not is_laxer, (robot.name, path)


@given(policies(PLAIN, uses=False), st.sampled_from(DIALECTS))
@examples(400)
def test_every_dialect_reads_the_same(policy: GatePolicy, dialect: goodbot.Dialect) -> None:
    """Paths without wildcards mean the same in every dialect; without Allow, never more."""
    said = render(policy, now=NOW)
    rules = goodbot.RobotsTxt(said.files["/robots.txt"].body, dialect=dialect).rules_for("OddBot")
    for path in PATHS:
        if dialect.name == "lwp" and path == "/A":
            continue  # it compares paths in any case of letters
        expected = may_fetch(policy.rules, None, "OddBot", path)
        if dialect.name in MISUNDERSTOOD:
            assert expected or not rules.allows(SITE + path), path
        else:
            assert rules.allows(SITE + path) == expected, path


@given(policies(WILD, uses=False), st.sampled_from(["GPTBot", "MyBot", "Googlebot-News"]))
@examples(100)
def test_no_robot_loses_a_rule_by_being_named(policy: GatePolicy, name: str) -> None:
    """A rule that only sets a robot's pace leaves what it may fetch as it was, on every path."""
    paced = GateRule(robots=(name,), delay=7)
    more = GatePolicy(site=SITE, rules=(*policy.rules, paced))
    before, after = (render(one, now=NOW).rules_for(name).rules for one in (policy, more))
    assert before is not None
    assert after is not None
    assert is_same(before, after) is not False


def statuses(said: Rendered, path: str, name: str, **sources: Any) -> dict[str, str]:  # noqa: ANN401
    """Return what some of the documents say about each use."""
    found = goodbot.uses(SITE + path, robot=obeyed_token(said, name), now=NOW, **sources)
    return {use: one.status for use, one in found.verdicts.items()}


def sources_of(said: Rendered, path: str, name: str) -> dict[str, dict[str, Any]]:
    """Return what each document, read alone, and all of them together are handed to `uses`."""
    tdmrep = said.files.get("/.well-known/tdmrep.json")
    licenses = {
        SITE + where: file.body for where, file in said.files.items() if where.endswith(".xml")
    }
    headers = {"headers": said.headers(path, name), "licenses": licenses}
    robots = {"robots_txt": said.robots_txt, "licenses": licenses}
    reserved = {"tdmrep": tdmrep.body if tdmrep else b""}
    page = goodbot.Page(SITE + path, f"<head>{said.meta(path, name)}</head>")
    return {
        "header": headers,
        "META": {"page": page},
        "robots.txt": robots,
        "header and TDMRep": headers | reserved,
        "all": headers | robots | reserved,
    }


COPIES = {"train": True, "ground": True, "archive": False}
"""Answers of which Bing reads more in NOARCHIVE than in NOARCHIVE beside NOCACHE."""


@example(policy_of([built({"robots": ["bingbot"]}, [], (None, COPIES), None)]), "bingbot", "/")
@given(policies(), st.sampled_from((*NAMES, "*")), st.sampled_from(PATHS))
@examples(400)
def test_no_document_contradicts_another(policy: GatePolicy, name: str, path: str) -> None:
    """What one allows none reserves, and the other way round; together they say all of it."""
    said = render(policy, now=NOW)
    declared = said.answers(path, name)
    for source, given_sources in sources_of(said, path, name).items():
        for use, status in statuses(said, path, name, **given_sources).items():
            answer = declared.get(use)  # type: ignore[call-overload]
            fits = {True: {"allowed"}, False: {"reserved"}, None: {"reserved"}}[answer]
            assert (
                status in fits
                or (source != "all" and status == "unknown")
                or (answer is None and status == "unknown")
            ), (source, use, answer, status)


@given(policies(PLAIN), st.sampled_from((*NAMES, "*")), st.sampled_from(PATHS))
@examples(200)
def test_the_answers_are_those_declared(policy: GatePolicy, name: str, path: str) -> None:
    """Of the answers of one use, that for the longest path and the fewest robots counts."""
    said, robot = render(policy, now=NOW), known(name)
    if said.rules_for(name).rules is None:
        return  # it ignores the group for everyone, and nothing is said to it by name
    wanted = {use: declared_use(policy.rules, robot, name, path, use) for use in USES}
    answers = said.answers(path, name)
    if wanted["preview"] is False and wanted["search"] is not False and wanted["ground"]:
        wanted["ground"] = None  # nosnippet says otherwise to Google
    assert {use: answers.get(use) for use in USES} == wanted
