"""Every signal is written from one policy, and goodbot's reader finds in each what was declared."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

import goodbot
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.site.gate import GatePolicy, GateRule, RslNotice, render
from goodbot.site.gate.use_statements import content_signals
from goodbot.site.lint import SiteSignals, lint

NOW = datetime(2026, 12, 1, tzinfo=timezone.utc)
SITE = "https://example.com"
NO_TRAINING = GateRule(uses={"train": False, "search": True, "ground": False})
OPEN = GateRule(paths=("/open/",), uses={"train": True})


def served(*rules: GateRule, **options: object) -> str:
    """Return the robots.txt of a policy."""
    policy = GatePolicy(site=SITE, rules=rules, **options)  # type: ignore[arg-type]
    return render(policy, now=NOW).files["/robots.txt"].body.decode()


def test_all_signals_of_one_policy() -> None:
    """Content-Usage, Content-Signal with its level, the shared token, and the licence."""
    assert served(NO_TRAINING, OPEN, use_level="reference", rsl=RslNotice()).splitlines() == [
        "User-agent: __usage_ai-training",
        "Allow: /open/",
        "Disallow: /",
        "",
        "User-agent: *",
        "Disallow:",
        "Content-Usage: /open/ train-ai=y, ai-use=n, search=y",
        "Content-Usage: / train-ai=n, ai-use=n, search=y",
        "Content-Signal: /open/ search=yes, ai-input=no, ai-train=yes",
        "Content-Signal: search=yes, ai-input=no, ai-train=no, use=reference",
        "License: https://example.com/license.xml",
    ]


@pytest.mark.parametrize("path", ["/", "/open/a", "/a"])
def test_all_documents_say_the_same(path: str) -> None:
    """The reader finds the declared answer in all documents together, and lint nothing."""
    policy = GatePolicy(
        site=SITE, rules=(NO_TRAINING, OPEN), use_level="reference", rsl=RslNotice()
    )
    said = render(policy, now=NOW)
    files = {where: file.body for where, file in said.files.items()}
    licenses = {SITE + where: body for where, body in files.items() if where.endswith(".xml")}
    found = goodbot.uses(
        SITE + path,
        robots_txt=said.robots_txt,
        headers=said.headers(path),
        tdmrep=files["/.well-known/tdmrep.json"],
        licenses=licenses,
        now=NOW,
    )
    declared = said.answers(path)
    statuses = {use: one.status for use, one in found.verdicts.items() if use in declared}
    assert statuses == {use: "allowed" if yes else "reserved" for use, yes in declared.items()}
    assert found.level is not None
    assert found.level.level == "reference"
    signals = SiteSignals(files["/.well-known/tdmrep.json"], licenses)
    codes = {one.code for one in lint(files["/robots.txt"], signals=signals).findings}
    assert "signals-contradict" not in codes


def test_the_token_is_omitted_where_it_would_reserve_too_much() -> None:
    """It speaks to every robot, also to the one that may train; and an owner may do without it."""
    licensed = GateRule(robots=("GPTBot",), uses={"train": True})
    assert "__usage_" not in served(NO_TRAINING, licensed)
    assert "__usage_" not in served(NO_TRAINING, training_token=False)
    slower = GateRule(robots=("GPTBot",), delay=10)
    alike = served(NO_TRAINING, OPEN, slower)
    assert "User-agent: __usage_ai-training\nAllow: /open/\nDisallow: /\n" in alike
    assert "__usage_" not in served(GateRule(uses={"train": True}))


def test_a_signal_never_speaks_for_a_part_that_cannot_state_it() -> None:
    """What may be found and not quoted has no word, so the word is not stated around it either."""
    parts = [("/a/", {"search": True, "preview": False}), ("/", {"search": True, "preview": True})]
    assert content_signals(parts) == []  # type: ignore[arg-type]
    apart = [("/b", {"train": False}), ("/a", {"search": False, "preview": False})]
    assert content_signals(apart) == ["/b ai-train=no", "/a search=no"]  # type: ignore[arg-type]
    wild = [("/*.pdf", {"train": False}), ("/a", {"search": False, "preview": False})]
    assert content_signals(wild) == ["/*.pdf ai-train=no"]  # type: ignore[arg-type]


def test_the_level_has_a_line_of_its_own_without_answers() -> None:
    """A policy may state nothing but the level."""
    assert "Content-Signal: use=immediate" in served(use_level="immediate").splitlines()


def test_what_is_no_level_is_refused() -> None:
    """The messages name what may be written."""
    with pytest.raises(WrongValueError, match="immediate, reference, full"):
        served(use_level="all")
    with pytest.raises(WrongTypeError, match="true or false"):
        served(training_token="no")  # noqa: S106  a product token
