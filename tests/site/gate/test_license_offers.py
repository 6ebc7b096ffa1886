"""From one policy every signal: each alone is read as what was declared, and all together, too."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

import goodbot
from goodbot.content_use import USE_WORDS, read_tdm_policy
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.site.gate import (
    GatePolicy,
    GateRule,
    Rendered,
    RslNotice,
    RslOffer,
    TdmOffer,
    read_policy,
    render,
)
from goodbot.site.lint import SiteSignals, lint

if TYPE_CHECKING:
    from goodbot.content_use import Uses
    from goodbot.content_use.statement import Use

NOW = datetime(2026, 12, 1, tzinfo=timezone.utc)
SITE = "https://example.com"
POLICY = b"""site = "https://example.com"
use-level = "reference"
[[rule]]
uses = { train = false, ground = false, search = true }
[[rule]]
paths = ["/open/"]
uses = { train = true }
[[rule]]
robots = ["GPTBot"]
paths = ["/blog/"]
uses = { search = false }
[rsl]
copyright = "Example & Sons"
[[rsl.offer]]
uses = ["train", "ground"]
payment = "crawl"
amount = "0.015"
currency = "EUR"
standard = "https://example.com/terms?a=1&b=2"
[[rsl.offer]]
uses = ["train"]
payment = "subscription"
custom = "https://example.com/sales"
[tdm]
holder = "Example & Sons"
url = "https://example.com/rights"
email = "rights@example.com"
telephone = "+33155555555"
compensate = true
purpose = "non-research"
"""
PRICE = "EUR 0.015 per crawl; under https://example.com/terms?a=1&b=2"


def served(policy: bytes = POLICY) -> Rendered:
    """Return a policy as it is served."""
    return render(read_policy(policy), now=NOW)


def ask(said: Rendered, path: str, robot: str = "*", **without: None) -> Uses:
    """Return what the reader finds in all that is served, or in all but some of it."""
    files = {where: file.body for where, file in said.files.items()}
    sources: dict[str, Any] = {
        "robots_txt": said.robots_txt,
        "headers": said.headers(path, robot),
        "tdmrep": files.get("/.well-known/tdmrep.json", b""),
        "licenses": {SITE + where: body for where, body in files.items() if ".xml" in where},
        "tdm_policies": {SITE + "/tdm-policy.json": files.get("/tdm-policy.json", b"")},
        "robot": robot,
        "now": NOW,
    }
    return goodbot.uses(SITE + path, **(sources | without))


def test_the_licence_has_the_prices() -> None:
    """Each offer is a set of terms of its own; what is offered is not prohibited beside it."""
    assert served().files["/license.xml"].body.decode() == (
        """<?xml version="1.0" encoding="UTF-8"?>
<rsl xmlns="https://rslstandard.org/rsl">
  <content url="/open/">
    <license>
      <permits type="usage">ai-train search</permits>
    </license>
    <license>
      <permits type="usage">ai-input</permits>
      <payment type="crawl">
        <standard>https://example.com/terms?a=1&amp;b=2</standard>
        <amount currency="EUR">0.015</amount>
      </payment>
    </license>
    <copyright>Example &amp; Sons</copyright>
  </content>
  <content url="/">
    <license>
      <permits type="usage">search</permits>
    </license>
    <license>
      <permits type="usage">ai-train ai-input</permits>
      <payment type="crawl">
        <standard>https://example.com/terms?a=1&amp;b=2</standard>
        <amount currency="EUR">0.015</amount>
      </payment>
    </license>
    <license>
      <permits type="usage">ai-train</permits>
      <payment type="subscription">
        <custom>https://example.com/sales</custom>
      </payment>
    </license>
    <copyright>Example &amp; Sons</copyright>
  </content>
</rsl>
"""
    )


def test_the_policy_of_tdmrep_is_read_back() -> None:
    """The offer in ODRL has all that was declared, and tdmrep.json names it where it reserves."""
    files = served().files
    assert files["/tdm-policy.json"].content_type == "application/ld+json"
    offer = read_tdm_policy(files["/tdm-policy.json"].body)
    assert (offer.fault, offer.findings) == (None, ())
    assert (offer.uid, offer.assigner) == (f"{SITE}/tdm-policy.json", "Example & Sons")
    assert offer.contact == "https://example.com/rights"
    assert offer.conditions == (
        "consent must be obtained",
        "mining must be paid for",
        "for other purposes than research only",
    )
    named = [row.get("tdm-policy") for row in json.loads(files["/.well-known/tdmrep.json"].body)]
    assert named == [None, f"{SITE}/tdm-policy.json"]


def test_what_is_offered_stays_reserved() -> None:
    """The licence alone asks for its price; beside the reservations the use needs an agreement."""
    said = served()
    alone = ask(said, "/a", robots_txt=None, tdmrep=None)
    assert {one.specification for one in alone.train.statements} >= {"rsl"}
    robots = goodbot.RobotsTxt(f"License: {SITE}/license.xml\nUser-agent: *\nAllow: /\n")
    licence = {f"{SITE}/license.xml": said.files["/license.xml"].body}
    only = goodbot.uses(f"{SITE}/a", robots_txt=robots, licenses=licence)
    assert {use: one.status for use, one in only.verdicts.items()} == {
        "train": "licensed", "ground": "licensed", "search": "allowed", "archive": "unknown",
        "preview": "allowed",
    }  # fmt: skip
    assert str(only.ground.terms) == PRICE
    whole = ask(said, "/a")
    assert {use: one.status for use, one in whole.verdicts.items()} == {
        "train": "reserved", "ground": "reserved", "search": "allowed", "archive": "unknown",
        "preview": "allowed",
    }  # fmt: skip
    assert str(whole.ground.terms) == PRICE
    assert ask(said, "/open/a").train.status == "allowed"
    assert not whole.not_consulted


def test_lint_finds_no_fault_in_what_is_written() -> None:
    """No two of the documents contradict each other, and each is one that its reader knows.

    Only the draft of purposes was not verified.
    """
    said = served()
    files = {where: file.body for where, file in said.files.items()}
    licenses = {SITE + where: body for where, body in files.items() if where.endswith(".xml")}
    page = goodbot.Page(f"{SITE}/a", "", headers=said.headers("/a"))
    signals = SiteSignals(files["/.well-known/tdmrep.json"], licenses, page)
    found = [one.code for one in lint(files["/robots.txt"], signals=signals).findings]
    assert found == ["unverified-purpose-token"]
    whole = ask(said, "/a")
    assert {one.code for one in whole.findings} == {"unsettled-label", "unverified-purpose-token"}
    assert whole.unknown == ()


WORDED = sorted({(row.specification, row.use) for row in USE_WORDS} - {("rsl", "archive")})
"""The uses that each specification has a word for. RSL's `all` is about everything at once, and the
gate writes it nowhere."""


@pytest.mark.parametrize(
    ("specification", "use", "answer"), [(*one, a) for one, a in product(WORDED, (True, False))]
)
def test_each_signal_says_each_answer(specification: str, use: Use, answer: bool) -> None:  # noqa: FBT001  a case
    """Every document alone has a statement of its specification, which is what was declared."""
    uses: dict[Use, bool] = {"search" if use == "preview" else use: answer}
    others: dict[Use, bool] = {"archive": True, **uses}
    rules = (GateRule(uses=uses), GateRule(robots=("OddBot",), uses=others))
    policy = GatePolicy(site=SITE, rules=rules, rsl=RslNotice())
    said = render(policy, now=NOW)
    found = {
        (place, one.says)
        for name in ("*", "OddBot")
        for place, sources in alone(said, name).items()
        for one in goodbot.uses(f"{SITE}/a", robot=name, **sources).verdicts[use].statements
        if one.specification == specification
    }
    says = "allowed" if answer else "reserved"
    if not answer or specification not in SILENT or (specification, use) in DIRECTED:
        assert {place for place, _ in found} == PLACES[specification]
    assert {one for _, one in found} <= {says}


SILENT = {"robots-meta", "purpose-token"}
"""What has a word for a prohibition only, or whose permission is none."""
DIRECTED = {("robots-meta", "archive")}
PLACES = {
    "content-usage": {"robots.txt", "header"},
    "content-signal": {"robots.txt", "header"},
    "purpose-token": {"robots.txt"},
    "robots-meta": {"header", "META"},
    "tdmrep": {"tdmrep.json", "header"},
    "rsl": {"robots.txt", "header"},
}
"""Where the gate states each specification. TDMRep is a header field for robots of which some
other answer holds than for everyone: a site should use one technique (Processing priority)."""


def alone(said: Rendered, name: str) -> dict[str, dict[str, Any]]:
    """Return each document of a page, alone, with the licences that it may name."""
    licenses = {SITE + where: one.body for where, one in said.files.items() if ".xml" in where}
    tdmrep = said.files.get("/.well-known/tdmrep.json")
    return {
        "robots.txt": {"robots_txt": said.robots_txt, "licenses": licenses},
        "header": {"headers": said.headers("/a", name), "licenses": licenses},
        "tdmrep.json": {"tdmrep": tdmrep.body if tdmrep else b""},
        "META": {"page": goodbot.Page(f"{SITE}/a", f"<head>{said.meta('/a', name)}</head>")},
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('amount = "0.015"', "amount = 0.015"), "offer 1: the amount must be a decimal number"),
        (('currency = "EUR"', 'currency = "euro"'), "offer 1: the currency must be three capital"),
        (('currency = "EUR"\n', ""), "offer 1: the currency must be three capital letters"),
        (('payment = "crawl"', 'payment = "free"'), "offer 1: there is no payment 'free'"),
        (('payment = "crawl"\n', ""), "offer 1: it has no payment"),
        (('["train", "ground"]', '["archive"]'), "offer 1: RSL has no word for 'archive'"),
        (('["train", "ground"]', "[]"), "offer 1: it is for no use"),
        (("ground = false", "ground = true"), "licence to ground, which no rule reserves"),
        (('"https://example.com/sales"', '"/sales"'), "custom"),
        (("[[rsl.offer]]\nuses", "[rsl.offer]\nuses"), "offers are tables"),
        (('holder = "Example & Sons"\n', ""), "it names no holder"),
        (('"rights@example.com"', '"rights"'), "email cannot be read"),
        (('"+33155555555"', '"call us"'), "telephone cannot be read"),
        (("compensate = true", "compensate = 1"), "compensate must be true or false"),
        (("compensate = true", "consent = false"), "contradicts itself"),
        (('"non-research"', '"fun"'), "purpose must be research or non-research"),
        (("[tdm]", "x = 1\n[tdm]"), "x"),
        (('use-level = "reference"', 'tdm-policy = "https://example.com/p"'), "both name a policy"),
    ],
)  # fmt: skip
def test_what_cannot_be_offered_is_refused(change: tuple[str, str], message: str) -> None:
    """The message names the place and what to write."""
    text = POLICY.decode()
    assert change[0] in text
    first = text.replace(change[0], change[1], 1)
    if "[rsl.offer]\n" in first and "[[rsl.offer]]" in first and change[0].startswith("[["):
        first = first.replace("[[rsl.offer]]", "[rsl.other]")
    with pytest.raises((WrongValueError, WrongTypeError), match=message):
        read_policy(first.encode())


def test_nobody_to_ask_is_refused() -> None:
    """An offer names a page, an address of mail or a telephone; objects are of their own types."""
    with pytest.raises(WrongValueError, match="add url, email or telephone"):
        TdmOffer(holder="Example")
    rule = GateRule(uses={"train": False})
    with pytest.raises(WrongTypeError, match="TdmOffer"):
        GatePolicy(site=SITE, rules=(rule,), tdm="https://example.com")  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="RslOffer"):
        RslNotice(offers=("free",))  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="RslNotice"):
        GatePolicy(site=SITE, rules=(rule,), rsl=RslOffer(uses=("train",), payment="crawl"))  # type: ignore[arg-type]
