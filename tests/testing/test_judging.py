"""Judging visits: what follows from the table, and what is bad, early or open."""

import pytest

from goodbot.testing import BEHAVIOURS, Behaviour, LoopbackVisit, behaviour, judged
from goodbot.testing.behaviours import ROBOTS_TXT
from goodbot.testing.judging import BEHIND_NOFOLLOW, may_read
from tests.support.robot_sites import answered

BY_NAME = {one.name: one for one in BEHAVIOURS}


def visit(target: str, at: float, number: int = 1) -> LoopbackVisit:
    """Return a visit to a site."""
    return LoopbackVisit("GET", target, (), at, "http://a.example", "http://b.example", number)


def visits(text: str) -> list[LoopbackVisit]:
    """Return visits from `target@seconds`, separated by spaces."""
    parts = (one.partition("@") for one in text.split())
    return [visit(target, float(at)) for target, _, at in parts]


@pytest.mark.parametrize("one", BEHAVIOURS, ids=lambda one: one.name)
def test_what_a_row_says_of_time_is_what_it_sends(one: Behaviour) -> None:
    """Retry-After and Crawl-delay of the row are those of its first answer."""
    if one.transport != "http" or one.name in ("dropped", "slow-drip"):
        assert (one.crawl_delay, one.retry_after) == (0, 0)
        return
    first = answered(one, visit(one.path, 0))
    assert float(dict(first.headers).get("Retry-After", 0)) == one.retry_after
    robots_txt = (
        answered(behaviour("polite"), visit(ROBOTS_TXT, 0))
        if one.path != ROBOTS_TXT
        else (
            answered(one, visit("/moved/robots.txt", 0)) if one.name.startswith("moved") else first
        )
    )
    states_pace = b"Crawl-delay: 1\n" in robots_txt.body and one.access == "rules"
    assert one.crawl_delay == (1 if states_pace else 0)


def test_a_row_that_shuts_does_so_from_that_visit_on() -> None:
    """Before it, the rules are different."""
    for one in BEHAVIOURS:
        if one.path != ROBOTS_TXT or one.transport != "http" or one.name == "dropped":
            assert not one.shut_from
            continue
        bodies = [answered(one, visit(ROBOTS_TXT, 0, number)).body for number in (1, 2, 3)]
        assert (bodies[0] != bodies[1]) == bool(one.shut_from)
        if one.shut_from:
            assert one.shut_from == 2
            assert [b"Disallow: /\n" in body for body in bodies] == [False, True, True]


JUDGED = [
    # row, visits, bad, early, open
    ("polite", "/robots.txt@0 /@1 /public@2.1 /robots.txt@2.2", "", "", ""),
    ("polite", "/robots.txt@0 /@0.1 /public@1.1", "", "/", ""),
    ("polite", "/robots.txt@0 /@1 /robots.txt@1.5 /public@2.1", "", "/public", ""),
    ("polite", "/robots.txt@0 /private/x@0.1", "/private/x", "", ""),
    ("polite", "/robots.txt@0 /@1 /public@1.8", "", "/public", ""),
    ("polite", "/robots.txt@0 /@1 /public@1.91", "", "", ""),
    ("polite", "/public@0 /robots.txt@0.1 /@2", "/public", "", ""),
    ("polite", "/public@0", "/public", "", ""),
    ("polite", "/robots.txt@0 /@1 /private/x@1.2", "/private/x", "", ""),
    ("names-robot", "/robots.txt@0 /@1 /public@2 /private/secret@3", "/private/secret", "", ""),
    ("unavailable", "/robots.txt@0 /public@1 /robots.txt@90", "/public", "/robots.txt", ""),
    ("unavailable", "/robots.txt@0 /robots.txt@121", "", "", ""),
    ("broken", "/robots.txt@0 /@1 /robots.txt@2", "/", "", ""),
    ("too-many-requests", "/robots.txt@0 /@1 /public@6", "", "/", "/public"),
    ("moved", "/robots.txt@0 /moved/robots.txt@0.1 /private/x@5", "/private/x", "", ""),
    ("redirect-loop", "/robots.txt@0 /moved/robots.txt@0 /private/secret@0", "", "", ""),
    ("not-found", "/robots.txt@0 /private/secret@0.1 /public@0.1", "", "", ""),
    ("utf-16", "/robots.txt@0 /public@0.1", "", "", "/public"),
    ("changes", "/robots.txt@0 /@1 /robots.txt@9 /public@10", "/public", "", ""),
    ("busy-page", "/robots.txt@0 /busy@1 /busy@3 /busy@7", "", "/busy", ""),
    ("busy-page", "/robots.txt@0 /busy@1 /busy@6", "", "", ""),
    ("meta-nofollow", "/robots.txt@0 /meta-nofollow@1 /behind-meta@9", "/behind-meta", "", ""),
]


@pytest.mark.parametrize(("name", "made", "bad", "early", "left"), JUDGED)
def test_visits_are_judged(name: str, made: str, bad: str, early: str, left: str) -> None:
    """Each visit is in one list at most."""
    judgement = judged(BY_NAME[name], list(reversed(visits(made))))
    told = [
        " ".join(one.target for one in some)
        for some in (judgement.bad, judgement.early, judgement.open)
    ]
    assert told == [bad, early, left]
    assert bool(judgement) == bool(bad or early)
    assert judgement.faults == len(judgement.bad) + len(judgement.early)


@pytest.mark.parametrize("one", BEHAVIOURS, ids=lambda one: one.name)
def test_who_reads_everything_at_once_is_at_fault_wherever_something_is_forbidden(
    one: Behaviour,
) -> None:
    """Without robots.txt every visit is bad; otherwise, those that break a rule."""
    pages = ["/public@0", "/private/secret@0", *(f"{path}@0" for path in BEHIND_NOFOLLOW)]
    assert len(judged(one, visits(" ".join(pages))).bad) == len(pages)
    asked = judged(one, visits("/robots.txt@0 /private/secret@9"))
    forbids = not may_read(one, "/private/secret")
    assert bool(asked.bad or asked.open) == forbids
    assert not (asked.bad and one.is_choice)
