"""One question has one answer, whichever face is asked: conformance/bots/hard_cases.toml."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import pyarrow as pa
import pytest
import requests

import goodbot
from goodbot import bots
from goodbot.adapters.aiohttp import RobotsMiddleware
from goodbot.adapters.httpx import AsyncRobotsTransport, RobotsTransport
from goodbot.adapters.policy_cache import verdict_on
from goodbot.adapters.requests import RobotsAdapter
from goodbot.content_use import uses
from goodbot.expectations import Expectation, ExpectationFile, check_expectations
from goodbot.history import PolicyTimeline
from goodbot.indexability.robot_columns import fetch_verdict
from goodbot.policy import Policy
from goodbot.site.audit import AuditOptions, judge_requests
from goodbot.site.audit.kept_away import TargetSums, kept_away
from goodbot.site.audit.robot_reading import RobotReading
from goodbot.site.gate import GatePolicy, render
from goodbot.site.lint import lint
from goodbot.site.reasoning import compare_files, count_url_changes
from goodbot.tables.columns import verdicts
from goodbot.testing import FakeClock, FakeSite
from tests.support.adapter_sites import says, serving
from tests.support.audit.audit_week import row_of
from tests.support.conformance_cases import cases
from tests.support.program import run
from tests.support.robot_sites import ME

SITE = "https://a.example"
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
CASES = [case for case in cases("bots") if "operator" in case]

Case = dict[str, Any]


def file_of(case: Case) -> goodbot.RobotsTxt:
    """Return the file of a case."""
    return goodbot.RobotsTxt(case["content"], dialect=case.get("dialect", "rfc9309"))


def policy_of(case: Case) -> Policy:
    """Return the policy of a site with the file of a case."""
    dialect = case.get("dialect", "rfc9309")
    return Policy.from_response(
        f"{SITE}/robots.txt", 200, {}, case["content"], now=NOON, dialect=dialect
    )


def url_of(case: Case) -> str:
    """Return the URL of a case."""
    return SITE + str(case["path"])


def ask_expectation(case: Case) -> bool:
    """Return the answer of an expectation, as `goodbot test` compares it."""
    wish = Expectation(case["robot"], url_of(case), allow=True)
    (result,) = check_expectations(file_of(case), ExpectationFile((wish,)))
    return result.verdict.allowed


def ask_column(case: Case) -> bool:
    """Return the answer of a column."""
    body, dialect = case["content"], case.get("dialect", "rfc9309")
    table = pa.table(
        {
            "origin": [SITE], "valid_from": [NOON], "valid_until": [NOON + timedelta(days=1)],
            "access": ["rules"], "reason": ["found"], "stale": [False], "body": [body],
            "dialect": [dialect],
        }
    )  # fmt: skip
    ((answer,),) = verdicts([url_of(case)], table, [case["robot"]], NOON).to_pydict().values()
    return bool(answer)


def ask_audit(case: Case) -> bool:
    """Return the answer of an audit."""
    reading = RobotReading(case["robot"], case.get("dialect", "rfc9309"))
    return reading.rules(case["content"]).verdict(url_of(case)).allowed


def ask_table(case: Case) -> bool:
    """Return the answer of an audit of a table of requests."""
    rows = [
        row_of(case["robot"], "192.0.2.1", target, 200)
        | {"time": NOON + timedelta(days=900, hours=line), "line": line, "host": "a.example"}
        for line, target in enumerate(("/robots.txt", case["path"]), 1)
    ]
    served = PolicyTimeline.declared(SITE, [(NOON, case["content"])])
    options = AuditOptions(dialect=case.get("dialect", "rfc9309"), log_begins=NOON)
    found = judge_requests(pa.Table.from_pylist(rows), [served], options=options)
    reason = found.reasons[1]
    assert reason in {"rules-allow", "every-copy-disallows"}, reason
    return reason == "rules-allow"


def ask_suggestion(case: Case) -> bool:
    """Return whether a file that allows everything would have kept away no less."""
    file = file_of(case)
    sums = {case["robot"]: {case["path"]: TargetSums(1, 100)}}
    (found,) = kept_away(sums, goodbot.RobotsTxt(b"", dialect=file.dialect), file)
    return not found.named.requests


def ask_comparison(case: Case) -> bool:
    """Return whether a file that allows everything would allow a URL that this one disallows."""
    file = file_of(case)
    comparison = compare_files(goodbot.RobotsTxt(b"", dialect=file.dialect), file)
    known = bots.known(case["robot"])
    name = case["robot"].partition("/")[0].casefold() if known is None else known.name.casefold()
    members = [[one.casefold() for one in each.members] for each in comparison.robots]
    if not any(name in one for one in members):
        name = "*"
    counts = count_url_changes(comparison, [url_of(case)]).counts
    own = [one for one in counts if name in map(str.casefold, one.robots.members)]
    return not any(one.newly_disallowed for one in own)


def ask_gate(case: Case) -> bool:
    """Return the answer of a gate that serves the file."""
    said = render(GatePolicy(site=SITE), now=NOON)
    served = replace(said, robots_txt=file_of(case))
    return served.rules_for(bots.known(case["robot"]) or case["robot"]).allows(url_of(case))


def ask_gate_check(case: Case, folder: Path) -> bool:
    """Return whether `goodbot gate check` names a robot that the rules for everyone miss."""
    rules = []
    for group in case["robots_txt"].split("\n\n"):
        tokens = re.findall("User-agent: (.*)", group)
        paths = re.findall("(?:Disallow|Allow): (.*)", group)
        fetch = str("Allow" in group).lower()
        robots = "" if tokens == ["*"] else f"robots = {json.dumps(tokens)}\n"
        rules.append(f"[[rule]]\n{robots}paths = {json.dumps(paths)}\nfetch = {fetch}\n")
    path = folder / "gate.toml"
    path.write_text(f'site = "{SITE}"\n' + "".join(rules), encoding="utf-8")
    done = run("gate", "check", "--json", str(path))
    assert done.returncode in {0, 1}, done.stderr
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    by_code = {one["code"]: one["message"] for one in findings}
    known = bots.known(case["robot"])
    if known is None:
        return False
    missed = by_code.get("ignores-star", "").partition(" ignore the group")[0].split(", ")
    otherwise = by_code.get("dialect-differs", "")
    return known.name in missed or f"reads as {known.dialect} does may fetch" in otherwise


def ask_log(case: Case, folder: Path) -> str:
    """Return how `goodbot audit` judges a request in a log of a server."""
    policy, log, requests = (folder / name for name in ("robots.txt", "access.log", "r.jsonl"))
    policy.write_bytes(case["content"])
    line = '192.0.2.1 - - [{}:00:00 +0000] "GET {} HTTP/1.1" 200 9 "-" "{}"\n'
    said = [  # some robots keep a copy for years
        line.format("01/Jan/2023:08", "/", "Mozilla/5.0"),
        line.format("10/Jan/2026:07", "/robots.txt", case["robot"]),
        line.format("13/Jan/2026:07", "/robots.txt", case["robot"]),
        line.format("13/Jan/2026:08", case["path"], case["robot"]),
    ]
    log.write_text("".join(said), encoding="utf-8")
    chosen = ["--policy", f"{policy}@2022-01-01", "--site", SITE, "--requests", str(requests)]
    chosen += ["--unknown", "--shortened-log", "--fail-on", "violation"]
    done = run("audit", str(log), *chosen)
    *_, judged = map(json.loads, requests.read_text(encoding="utf-8").splitlines())
    assert done.returncode == int(judged["outcome"] == "violation"), done.stderr
    return str(judged["reason"])


def ask_command(case: Case, folder: Path, *options: str) -> bool:
    """Return the answer of `goodbot check`."""
    path = folder / "robots.txt"
    path.write_bytes(case["content"])
    dialect = case.get("dialect")
    chosen = ["--dialect", dialect] if dialect else []
    arguments = ["check", "-r", case["robot"], *chosen, *options, "--robots-txt", str(path)]
    done = run(*arguments, url_of(case))
    assert done.returncode in {0, 1}, done.stderr
    return done.returncode == 0


FACES: dict[str, Callable[[Case], bool]] = {
    "file": lambda case: bool(goodbot.verdict(file_of(case), url_of(case), case["robot"])),
    "bytes": lambda case: bool(
        goodbot.verdict(file_of(case), url_of(case).encode(), case["robot"])
    ),
    "policy": lambda case: bool(goodbot.verdict(policy_of(case), url_of(case), case["robot"])),
    "policy method": lambda case: policy_of(case).allows(url_of(case), case["robot"]),
    "policy at a time": lambda case: bool(
        goodbot.verdict(policy_of(case), url_of(case), case["robot"], NOON + timedelta(hours=1))
    ),
    "timeline": lambda case: bool(
        goodbot.verdict(PolicyTimeline.of([policy_of(case)]), url_of(case), case["robot"], NOON)
    ),
    "rules": lambda case: bots.rules_for(file_of(case), case["robot"]).allows(url_of(case)),
    "matrix": lambda case: bool(
        next(bots.matrix(policy_of(case), [case["robot"]], [url_of(case)]))[0]
    ),
    "expectation": ask_expectation,
    "column": ask_column,
    "audit": ask_audit,
    "table of requests": ask_table,
    "suggestion": ask_suggestion,
    "comparison": ask_comparison,
    "gate": ask_gate,
    "many": lambda case: bots.rules_for(policy_of(case), case["robot"]).allows_many([url_of(case)])[
        0
    ],
    "indexability": lambda case: bool(fetch_verdict(url_of(case), policy_of(case), case["robot"])),
    "uses": lambda case: bool(
        uses(url_of(case), robots_txt=policy_of(case), robot=case["robot"], now=NOON).access
    ),
    "uses of a file": lambda case: bool(
        uses(url_of(case), robots_txt=file_of(case), robot=case["robot"], now=NOON).access
    ),
}
"""Every face that names other people's robots."""


def is_asked(case: Case, face: str) -> bool:
    """Return whether a face names the robot; a comparison does if other lines decide for it."""
    known = bots.known(case["robot"])
    has_dialect = known is not None and known.dialect is not None
    is_for_all = case["robots_txt"].startswith("User-agent: *")
    return not (face == "comparison" and has_dialect and is_for_all)


ASKED = [(case, face) for case in CASES for face in FACES if is_asked(case, face)]


@pytest.mark.parametrize(
    ("case", "face"), ASKED, ids=[f"{case['id']}-{face}" for case, face in ASKED]
)
def test_every_face_gives_one_answer(case: Case, face: str) -> None:
    """The robot is read as its operator says, and the URL as it is sent."""
    assert FACES[face](case) is case["operator"], case["why"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_command_gives_the_same_answer(case: Case, tmp_path: Path) -> None:
    """`goodbot check`, alone and as a matrix."""
    if "dialect" not in case:
        assert ask_command(case, tmp_path) is case["operator"]
    assert ask_command(case, tmp_path, "--csv") is case["operator"]


def sends_requests(case: Case) -> bool:
    """Return whether the robot of a case sends requests: a product token may be for others."""
    known = bots.known(case["robot"])
    return known is None or known.fetches


IN_LOGS = [case for case in CASES if "dialect" not in case and sends_requests(case)]
"""Cases that a log can have: the verb reads robots.txt in the dialect of each robot."""


@pytest.mark.parametrize("case", IN_LOGS, ids=lambda case: case["id"])
def test_an_audit_of_a_log_gives_the_same_answer(case: Case, tmp_path: Path) -> None:
    """`goodbot audit` convicts a robot if its operator's reading disallows what it fetched."""
    expected = "rules-allow" if case["operator"] else "every-copy-disallows"
    assert ask_log(case, tmp_path) == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_check_of_a_gate_gives_the_same_answer(case: Case, tmp_path: Path) -> None:
    """`goodbot gate check` names the robots that the rules for everyone do not reach."""
    is_for_all = "User-agent: *\nDisallow" in case["robots_txt"]
    is_named = bots.rules_for(file_of(case), case["robot"]).token is not None
    is_missed = is_for_all and not is_named and case["operator"]
    assert ask_gate_check(case, tmp_path) is is_missed


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_engine_is_literal(case: Case) -> None:
    """`RobotsTxt` and `Rules` know the names in the file and the text that they get."""
    file = file_of(case)
    assert file.allows(url_of(case), case["robot"]) is case["literal"]
    assert file.rules_for(case["robot"]).verdict(url_of(case)).allowed is case["literal"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_who_fetches_is_never_laxer_than_the_literal_reading(case: Case) -> None:
    """A robot of one's own inherits no exception."""
    policy = policy_of(case)
    found = policy.may_fetch(url_of(case), case["robot"])
    assert found.allowed is case["fetching"]
    assert not (found.allowed and not case["literal"])
    assert verdict_on(policy, url_of(case), case["robot"]).allowed is case["fetching"]


TAKEN = tuple(one.name for one in bots.every())
"""The names that are not free, also with something behind them."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_robot_asks_as_it_fetches(case: Case) -> None:
    """`Robot.may_fetch` and the tool for assistants, under each name that can be one's own."""
    from mcp import Client  # noqa: PLC0415  slow to load, and every worker collects this file

    from goodbot.adapters.mcp import fetch_tool_server  # noqa: PLC0415  likewise

    site = FakeSite({"/robots.txt": case["content"]}, clock=FakeClock())

    async def main() -> bool:
        options: Any = {"fetcher": site, "clock": site.clock, **ME}
        if "dialect" in case:
            options["dialect"] = case["dialect"]
        async with goodbot.Robot(case["robot"], **options) as robot:
            answer = bool(await robot.may_fetch(url_of(case)))
            async with Client(fetch_tool_server(robot)) as client:
                told = await client.call_tool("fetch", {"url": url_of(case)})
            assert told.is_error is not answer
            return answer

    if " " in case["robot"] or case["robot"].startswith(TAKEN):
        with pytest.raises(goodbot.RobotNameError):
            asyncio.run(main())
    else:
        assert asyncio.run(main()) is case["fetching"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_clients_ask_as_they_fetch(case: Case) -> None:
    """The adapters of HTTP clients, on loopback."""
    headers = {"User-Agent": case["robot"]}
    options: Any = {"dialect": case["dialect"]} if "dialect" in case else {}
    pages = dict.fromkeys(("/drafts/a", "/news", "/private/a", "/a", "/b", "/%62"), b"page")
    with serving(says(200, case["content"]), pages=pages) as site:
        url = site.origin + case["path"]
        assert by_httpx(url, headers, options) is case["fetching"]
        assert asyncio.run(by_async_httpx(url, headers, options)) is case["fetching"]
        # requests and aiohttp write a URL as they send it, before an adapter sees it.
        expected = case["fetching"] or case["id"] == "hard-spelling-as-written"
        assert by_requests(url, headers, options) is expected
        assert asyncio.run(by_aiohttp(url, headers, options)) is expected


def by_httpx(url: str, headers: dict[str, str], options: Any) -> bool:  # noqa: ANN401
    """Return whether HTTPX sends a request."""
    with httpx.Client(transport=RobotsTransport(**options), headers=headers) as client:
        try:
            client.get(url)
        except goodbot.GoodbotError:
            return False
    return True


async def by_async_httpx(url: str, headers: dict[str, str], options: Any) -> bool:  # noqa: ANN401
    """Return whether HTTPX sends a request."""
    transport = AsyncRobotsTransport(**options)
    async with httpx.AsyncClient(transport=transport, headers=headers) as client:
        try:
            await client.get(url)
        except goodbot.GoodbotError:
            return False
    return True


def by_requests(url: str, headers: dict[str, str], options: Any) -> bool:  # noqa: ANN401
    """Return whether requests sends a request."""
    with requests.Session() as session:
        session.trust_env = False
        session.mount("http://", RobotsAdapter(**options))
        try:
            session.get(url, headers=headers)
        except goodbot.GoodbotError:
            return False
    return True


async def by_aiohttp(url: str, headers: dict[str, str], options: Any) -> bool:  # noqa: ANN401
    """Return whether aiohttp sends a request."""
    middlewares = [RobotsMiddleware(**options)]
    async with aiohttp.ClientSession(middlewares=middlewares, headers=headers) as session:
        try:
            async with session.get(url):
                return True
        except goodbot.GoodbotError:
            return False


def test_lint_reads_the_sitemap_as_it_is_sent() -> None:
    """Googlebot, which compares escapes as they are written, sends a URL of the sitemap without."""
    content = b"User-agent: Googlebot\nDisallow: /b\n"
    urls = [f"{SITE}/%62", f"{SITE}/x/../b"]
    (found,) = [
        one
        for one in lint(content, sitemap_urls=urls).findings
        if one.code == "blocks-sitemap-urls"
    ]
    assert "2 URLs" in found.message


def test_the_cases_are_hard() -> None:
    """In a good part of them the readings differ, so that a face that asks otherwise is found."""
    assert len(CASES) >= 12
    assert sum(case["operator"] is not case["literal"] for case in CASES) >= 6
    assert sum(case["operator"] is not case["fetching"] for case in CASES) >= 2
