"""A tdmrep.json that was not read, or not to its end, never permits."""

import json

import pytest

import goodbot
from goodbot.content_use.tdmrep import TdmRep, read_tdmrep

URL = "https://a.example/a"
ROBOTS = goodbot.RobotsTxt(b"User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n")
OTHERS = [{"location": f"/{number}", "tdm-reservation": 0} for number in range(10_000)]
RESERVED = [{"location": "/*", "tdm-reservation": 1}]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (TdmRep(is_whole=False), ("unknown", "tdmrep-not-read")),
        (b'[{"location": "/*", "tdm-reservation":1', ("unknown", "tdmrep-not-read")),
        (b" " * 600_000 + b"[]", ("unknown", "tdmrep-not-read")),
        (json.dumps(OTHERS + RESERVED), ("unknown", "tdmrep-not-read")),
        (json.dumps(RESERVED + OTHERS), ("reserved", "statement-reserves")),
        (json.dumps(OTHERS), ("allowed", "statement-allows")),
        (b"", ("allowed", "statement-allows")),
        (None, ("allowed", "statement-allows")),
    ],
    ids=["failed", "damaged", "large", "long", "reserved first", "whole", "none", "not passed"],
)
def test_what_was_not_read_may_reserve(
    file: TdmRep | bytes | str | None, said: tuple[str, str]
) -> None:
    """Only training is concerned; what is reserved stays reserved."""
    found = goodbot.uses(URL, robots_txt=ROBOTS, tdmrep=file).verdicts
    assert (found["train"].status, found["train"].reason) == said
    assert found["search"].reason == "page-not-read"


def test_the_page_prevails() -> None:
    """TDMRep, section Processing priority: META over header over tdmrep.json."""
    page = goodbot.Page(URL, b"<p>a", headers=[("tdm-reservation", "0")])
    found = goodbot.uses(URL, page, robots_txt=ROBOTS, tdmrep=TdmRep(is_whole=False))
    assert found.verdicts["train"].status == "allowed"


def test_rules_beyond_the_bound_are_a_finding() -> None:
    """They are not omitted in silence."""
    found = read_tdmrep(json.dumps(OTHERS + RESERVED)).findings
    assert any("the others were not read" in one.message for one in found)


def test_half_of_a_surrogate_pair_is_no_text() -> None:
    """JSON can escape one, and no URL has it: the location matches nothing, and ends nothing."""
    half = [{"location": "/\ud800", "tdm-reservation": 0, "tdm-policy": "https://a.example/"}]
    policy = [{"location": "/*", "tdm-reservation": 1, "tdm-policy": "https://a.example/\udfff"}]
    read = read_tdmrep(json.dumps(half + policy))
    assert [one.code for one in read.findings] == ["tdmrep-rule-ignored"]
    rule = read.rule_for(URL)
    assert rule is not None
    assert (rule.reservation, rule.policy) == (1, None)
    found = goodbot.uses(URL, robots_txt=ROBOTS, tdmrep=json.dumps(half + policy)).verdicts
    assert found["train"].status == "reserved"
