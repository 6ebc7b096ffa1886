"""A page has its fields and its rules in every spelling of its path that leads to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.http.request_target import spellings
from goodbot.site.gate import Enforcement, GatePolicy, GateRule
from goodbot.site.gate.page_fields import LONGEST_PATH
from tests.site.gate.test_request_gate import GPTBOT, NO_FIELDS, OWN, gate_of
from tests.support.examples import examples

POLICY = GatePolicy(
    site="https://example.com",
    rules=(
        GateRule(paths=("/members/",), fetch=False, uses={"search": False}),
        GateRule(paths=("/open%2Fdoor",), uses={"archive": False}),
    ),
    enforce=Enforcement(access=True),
)
SAME = (
    "/members/x",
    "//members/x",
    "/members%2fx",
    "/%6dembers/x",
    "/./members//x",
    "/a/../members/x?y",
    "http://site.example//members/x",
)


@pytest.mark.parametrize("sent", SAME)
def test_every_spelling_has_the_rules_of_the_page(sent: str) -> None:
    """RFC 3986 sections 6.2.2.2 and 6.2.2.3; nginx, `merge_slashes`; waitress drops a slash."""
    gate = gate_of(POLICY)
    fields = {"user-agent": GPTBOT}
    assert gate.decide("GET", None, sent, fields.get, OWN).answer is not None
    passed = gate.decide("GET", None, sent, NO_FIELDS.get, OWN)
    assert dict(passed.fields)["X-Robots-Tag"] == "noindex, nosnippet"
    assert "noindex" in gate.meta(None, sent, "OddBot")


def test_the_path_that_the_application_reads_counts() -> None:
    """A server may rewrite a path before the application chooses a page."""
    gate = gate_of(POLICY)
    fields = {"user-agent": GPTBOT}
    assert gate.decide("GET", None, "/m/x", fields.get, OWN).answer is None
    assert gate.decide("GET", None, "/m/x", fields.get, OWN, "/members/x").answer is not None
    assert "noindex" in gate.meta(None, "/m/x", "OddBot", "/members/x")


def test_a_rule_for_an_escape_holds_too() -> None:
    """`%2F` is no slash to robots (RFC 3986 section 2.2): a rule for it holds as it was sent."""
    gate = gate_of(POLICY)
    assert dict(gate.decide("GET", None, "/open%2fdoor", NO_FIELDS.get, OWN).fields)
    assert not gate.decide("GET", None, "/open/door", NO_FIELDS.get, OWN).fields


@given(st.text(max_size=40), st.text(max_size=40))
@examples(300)
def test_any_target_has_spellings(sent: str, routed: str) -> None:
    """Whatever a client sends, nothing raises, and the target as it was sent is the first."""
    found = spellings(f"/{sent}", routed and f"/{routed}")
    assert found[0].endswith(f"/{sent}")
    assert len(found) <= 4


def test_long_paths_are_not_remembered() -> None:
    """4,096 targets of 8 KB each would take more than most sites."""
    gate = gate_of(POLICY)
    pages = gate.cache.at(None, gate.clock())._pages  # type: ignore[attr-defined]  # noqa: SLF001
    for number in range(9):
        gate.decide("GET", None, f"/{number}" + "x" * LONGEST_PATH, NO_FIELDS.get, OWN)
        gate.decide("GET", None, f"/{number}", NO_FIELDS.get, OWN)
    assert pages._matched.cache_info().currsize == 9  # noqa: SLF001


@pytest.mark.parametrize("code", [0xDCFF, 0xD800])
def test_bytes_that_are_not_utf_8_do_not_open_the_gate(code: int) -> None:
    """A server may hand them over as lone surrogates (PEP 383); a gate that fails lets all pass."""
    gate, bad = gate_of(POLICY), chr(code)
    fields = {"user-agent": f"{GPTBOT} {bad}"}
    assert gate.decided("GET", None, f"/members/{bad}", fields.get, OWN, "").answer is not None
    assert gate.decided("GET", None, "/a", fields.get, OWN, f"/members/{bad}").answer is not None
    odd = {"user-agent": f"OddBot/{bad}"}
    passed = gate.decided("GET", None, f"/members/{bad}", odd.get, OWN, "")
    assert dict(passed.fields)["X-Robots-Tag"] == "noindex, nosnippet"
