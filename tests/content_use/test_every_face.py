"""A site with every signal, asked by every face: one answer per use."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

import goodbot
from goodbot.content_use import USES, Uses
from goodbot.site.gate import GatePolicy, GateRule, RslNotice, render
from goodbot.site.lint import SiteSignals, lint
from tests.support.live_sites import ask

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 11, 29, 12, tzinfo=timezone.utc)
URL = "https://example.com/blog/a"
LICENSE = "https://example.com/license.xml"
POLICY = "https://example.com/tdm.json"
ROBOTS = """User-agent: *
Content-Usage: search=y
Content-Usage: /blog/ train-ai=y, search=y
Content-Signal: search=yes, ai-input=yes, use=full
Content-Signal: /blog/ ai-train=yes, use=reference
Allow: /
License: https://example.com/license.xml

User-agent: __usage_ai-training
Disallow: /blog/
"""
HEADER = [
    ("Content-Type", "text/html"),
    ("Content-Usage", "ai-use=y"),
    ("Content-Signal", "ai-input=no"),
    ("tdm-reservation", "1"),
    ("tdm-policy", POLICY),
]
HTML = """<meta name="robots" content="noarchive, max-snippet:20">
<meta name="tdm-reservation" content="1">"""
TDMREP = json.dumps([{"location": "/", "tdm-reservation": 1, "tdm-policy": POLICY}])
OFFER = json.dumps(
    {
        "@type": "Offer",
        "profile": "http://www.w3.org/ns/tdmrep",
        "uid": POLICY,
        "permission": [{"action": "tdm:mine", "duty": [{"action": "compensate"}]}],
    }
)
RSL = """<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>
<permits type="usage">search ai-input</permits><payment type="crawl">
<amount currency="USD">0.01</amount></payment>
</license></content></rsl>"""
ANSWERS = {
    "train": "reserved", "ground": "reserved", "search": "licensed", "archive": "reserved",
    "preview": "licensed",
}  # fmt: skip
"""The answer on each use, from all that the site says."""
OF_ROBOTS = {
    "train": "reserved", "ground": "licensed", "search": "licensed", "archive": "licensed",
    "preview": "licensed",
}  # fmt: skip
"""The same from robots.txt alone, whose licence was not read."""


def everything() -> Uses:
    """Return the answers of the library, from every document."""
    page = goodbot.Page(URL, HTML, headers=HEADER)
    return goodbot.uses(
        URL,
        page,
        robots_txt=goodbot.RobotsTxt(ROBOTS),
        tdmrep=TDMREP,
        licenses={LICENSE: RSL},
        tdm_policies={POLICY: OFFER},
        now=NOW,
    )


def statuses(uses: Uses) -> dict[str, str]:
    """Return the answer on each use."""
    return {use: one.status for use, one in uses.verdicts.items()}


def test_the_library_has_one_answer_per_use() -> None:
    """Each answer names its statement, and those that it contradicts."""
    uses = everything()
    assert statuses(uses) == ANSWERS
    assert str(uses.level).startswith("robots.txt, line 5: use=reference")
    specifications = {one.specification for one in uses.train.statements}
    assert specifications == {"content-usage", "content-signal", "purpose-token", "tdmrep", "rsl"}
    assert uses.not_consulted == ()
    codes = {one.code for one in uses.findings}
    assert codes == {"unverified-purpose-token", "unsettled-label"}


def test_the_command_has_the_same_answers(tmp_path: Path) -> None:
    """`goodbot page uses --json`, with every file."""
    files = {
        "page.html": HTML, "robots.txt": ROBOTS, "tdmrep.json": TDMREP, "license.xml": RSL,
        "tdm.json": OFFER,
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    header = [word for name, value in HEADER for word in ("-H", f"{name}: {value}")]
    status, output, complaints = ask(
        "page", "uses", str(tmp_path / "page.html"), "-u", URL, *header,
        "--robots-txt", str(tmp_path / "robots.txt"), "--tdmrep", str(tmp_path / "tdmrep.json"),
        "--license", f"{LICENSE}={tmp_path / 'license.xml'}",
        "--tdm-policy", f"{POLICY}={tmp_path / 'tdm.json'}", "--json",
    )  # fmt: skip
    assert (status, complaints) == (1, "")
    plain = json.loads(output)
    assert {use: one["status"] for use, one in plain["uses"].items()} == ANSWERS
    assert plain["level"]["level"] == "reference"
    said = [plain["uses"]["train"]["said"], *plain["uses"]["train"]["agreeing"]]
    assert {one["specification"]: one["is_verified"] for one in said} == {
        "purpose-token": False,
        "tdmrep": True,
        "rsl": True,
    }


def test_lint_reports_what_contradicts() -> None:
    """Exactly the pairs that the answers lose by choice, on the page and elsewhere in the site."""
    signals = SiteSignals(
        TDMREP.encode(), {LICENSE: RSL.encode()}, goodbot.Page(URL, HTML, headers=HEADER)
    )
    found = [
        one for one in lint(ROBOTS, signals=signals).findings if one.code == "signals-contradict"
    ]
    lost = {
        str(one.statement)
        for verdict in everything().verdicts.values()
        for one in verdict.conflicts
        if one.by_choice
        and verdict.said is not None
        and one.statement.specification != verdict.said.specification
        and "allowed" in {one.statement.says, verdict.said.says}
    }
    texts = {one.message.split("'")[1] for one in found if one.path == "/blog/a"}
    assert texts <= {one.partition(": ")[2] for one in lost}
    assert {one.message.split("'")[1] for one in found} >= {one.partition(": ")[2] for one in lost}


def test_columns_have_the_answers_of_robots_txt() -> None:
    """`use_verdicts` on a table of policies, and `uses` with robots.txt alone."""
    pa = pytest.importorskip("pyarrow")
    from goodbot.tables.columns import use_verdicts  # noqa: PLC0415  it needs pyarrow

    alone = goodbot.uses(URL, robots_txt=goodbot.RobotsTxt(ROBOTS))
    assert statuses(alone) == OF_ROBOTS
    table: Any = pa.table({
        "origin": ["https://example.com"], "valid_from": [NOW],
        "valid_until": [NOW + timedelta(days=1)], "access": ["rules"], "reason": ["found"],
        "stale": [False], "body": [ROBOTS.encode()],
    })  # fmt: skip
    (row,) = use_verdicts([URL], table, "*", NOW).to_pylist()
    assert row == OF_ROBOTS | {"level": "reference"}
    for library, made in (("polars", "Series"), ("pandas", "Series")):
        column = getattr(pytest.importorskip(library), made)([URL])
        assert use_verdicts(column, table, "*", NOW).to_pylist() == [row]
    duckdb = pytest.importorskip("duckdb")
    asked = duckdb.sql(f"SELECT '{URL}' AS url").to_arrow_table().column("url")
    assert use_verdicts(asked, table, "*", NOW).to_pylist() == [row]


def test_the_gate_writes_every_signal_with_one_answer_per_use() -> None:
    """What one policy declares is what the library reads in all its documents together."""
    uses = {"train": False, "ground": False, "search": True, "archive": False}
    rule = GateRule(uses=uses)  # type: ignore[arg-type]
    policy = GatePolicy(
        site="https://example.com", rules=(rule,), use_level="reference", rsl=RslNotice()
    )
    said = render(policy, now=NOW)
    files = {where: file.body for where, file in said.files.items()}
    found = goodbot.uses(
        URL,
        robots_txt=said.robots_txt,
        headers=said.headers("/blog/a"),
        tdmrep=files["/.well-known/tdmrep.json"],
        licenses={LICENSE: files["/license.xml"]},
    )
    assert {use: one.status == "allowed" for use, one in found.verdicts.items()} == uses | {
        "preview": True
    }
    assert found.level is not None
    assert found.level.level == "reference"
    assert found.verdicts.keys() == USES.keys()
