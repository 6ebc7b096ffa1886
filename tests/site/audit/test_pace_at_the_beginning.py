"""The pace on the first day of a log: judged as the rules are, and said where it is not."""

from __future__ import annotations

import io
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from goodbot.site.audit import Audit, PaceJudgement, audit

if TYPE_CHECKING:
    from pathlib import Path

SITE = "https://example.com"
BEGIN = datetime(2026, 10, 10, 8, tzinfo=timezone.utc)
LINE = '192.0.2.1 - - [{:%d/%b/%Y:%H:%M:%S +0000}] "GET {} HTTP/1.1" {} 9 "-" "{}"\n'
SLOW = "User-agent: *\nCrawl-delay: 10\nDisallow: /x\n"


def audited(
    tmp_path: Path,
    targets: list[str],
    *,
    robot: str = "bingbot",
    status: int = 200,
    files: dict[str, str] | None = None,
) -> Audit:
    """Return the audit of a log with a request every four seconds."""
    log, policies = "", []
    for number, target in enumerate(targets):
        log += LINE.format(BEGIN + timedelta(seconds=4 * number), target, status, robot)
    for since, content in (files or {"2026-01-31": SLOW}).items():
        path = tmp_path / f"robots-{since}.txt"
        path.write_text(content)
        policies.append(f"{path}@{since}")
    return audit(io.BytesIO(log.encode()), policies, SITE)


def check_of(found: Audit, name: str) -> PaceJudgement:
    """Return the judgement of one check."""
    [one] = [one for one in found.pace if one.check == name]
    return one


def pace_notes(found: Audit) -> list[str]:
    """Return what the audit says of a pace that it did not judge."""
    return [note for note in found.notes if "pace is not judged" in note]


PAGES = [f"/{number}" for number in range(50)]


def test_the_pace_is_judged_if_every_copy_asks_for_it(tmp_path: Path) -> None:
    """The robot fetched robots.txt, and every copy of before the log has the same pause."""
    found = audited(tmp_path, ["/robots.txt", *PAGES])
    delay = check_of(found, "crawl-delay")
    assert (delay.reason, delay.checked, delay.breaches, delay.unjudged) == ("broken", 50, 49, 0)
    assert found.findings == ("too-fast",)
    assert found.robots[0].too_fast == 49
    assert not pace_notes(found)


def test_a_copy_of_before_the_log_may_ask_for_no_pause(tmp_path: Path) -> None:
    """A copy of the day before asks for none: nothing is broken, and that is said."""
    files = {"2026-01-31": "User-agent: *\nDisallow: /x\n", "2026-10-10T070000Z": SLOW}
    found = audited(tmp_path, ["/robots.txt", *PAGES], files=files)
    delay = check_of(found, "crawl-delay")
    assert (delay.outcome, delay.reason) == ("unjudged", "log-begins")
    assert (delay.checked, delay.breaches, delay.unjudged) == (0, 0, 50)
    assert "too-fast" not in found.findings
    [note] = pace_notes(found)
    assert "(crawl-delay for 50 requests)" in note
    assert "max_age=" in note
    [robot] = found.as_dict()["robots"]
    assert [one["unjudged"] for one in robot["pace"] if one["check"] == "crawl-delay"] == [50]


def test_the_shortest_pause_of_any_copy_counts(tmp_path: Path) -> None:
    """Four seconds keep the pause of a copy that asked for two."""
    files = {"2026-01-31": SLOW.replace("10", "2"), "2026-10-10T070000Z": SLOW}
    delay = check_of(audited(tmp_path, ["/robots.txt", *PAGES], files=files), "crawl-delay")
    assert (delay.reason, delay.checked, delay.unjudged) == ("kept", 50, 0)


def test_what_came_before_the_robot_asked_is_not_judged(tmp_path: Path) -> None:
    """Nor is the gap between its last request of before and the first one of after."""
    found = audited(tmp_path, [*PAGES[:10], "/robots.txt", *PAGES[10:]])
    delay = check_of(found, "crawl-delay")
    assert (delay.checked, delay.breaches, delay.unjudged) == (40, 39, 10)
    [note] = pace_notes(found)
    assert "(crawl-delay for 10 requests)" in note


def test_a_pause_that_nobody_asked_for_is_no_gap_of_the_audit(tmp_path: Path) -> None:
    """Without a wish there is nothing to judge, and nothing is said of a pace."""
    found = audited(tmp_path, PAGES, files={"2026-01-31": "User-agent: *\nDisallow: /x\n"})
    assert check_of(found, "crawl-delay").reason == "not-asked"
    assert not pace_notes(found)


def test_a_robot_that_does_not_claim_to_read_the_field_is_not_in_the_note(tmp_path: Path) -> None:
    """GPTBot is not known to read Crawl-delay, so that nothing was missed."""
    found = audited(tmp_path, PAGES, robot="GPTBot")
    delay = check_of(found, "crawl-delay")
    assert (delay.reason, delay.unjudged) == ("not-known-to-read", 50)
    assert not pace_notes(found)


def test_an_answer_to_wait_is_in_the_log_itself(tmp_path: Path) -> None:
    """Which robots.txt the robot held does not matter for what followed a 503 or a 410."""
    assert check_of(audited(tmp_path, PAGES, status=503), "retry-after").answers == 50
    assert check_of(audited(tmp_path, ["/a", "/a"], status=410), "gone").breaches == 1
