"""Messages from sites are stored once, with their times, up to a limit."""

import datetime as dt
from pathlib import Path

import pytest

from goodbot.crawl import Database
from goodbot.crawl.evidence import remarks as remarks_module
from goodbot.crawl.evidence.remarks import count_remarks, keep_remark, remarks
from goodbot.robot import Remark
from goodbot.testing import FakeClock
from tests.support.crawls.memory_crawls import SITE, crawl, html, site_of
from tests.support.crawls.reports import report_text

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.timezone.utc)


def test_a_crawl_keeps_comments_and_hours_and_its_report_has_them(tmp_path: Path) -> None:
    """Comments and Visit-time are reported to the robot's author or user (Conner 1996)."""
    rules = "User-agent: *\nComment: Write to us # please <b>\nVisit-time: 0200-0300\n"
    site = site_of(rules, clock=FakeClock(NOON), home=html("a lamp"))
    crawl(tmp_path, site, dialect="conner1996", patience=60)
    with Database(tmp_path) as database:
        found = {one.kind: one for one in remarks(database)}
        page = report_text(database, site.clock.now())[1]
    assert found["comment"].text.startswith("Write to us")
    assert "0200" in found["visit-time"].text or "02:00" in found["visit-time"].text
    assert {one.origin for one in found.values()} == {SITE}
    assert "Write to us" in page
    assert "<b>" not in page


def test_hours_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    """The site counts as open, and the operator is informed."""
    site = site_of("User-agent: *\nVisit-time: at night\n", home=html("a lamp"))
    crawl(tmp_path, site, dialect="conner1996")
    with Database(tmp_path) as database:
        (found,) = remarks(database)
    assert found.kind == "visit-time"
    assert found.text.startswith("robots.txt line 2: Visit-time 'at night' is not two times")
    assert any(visit.path == "/" for visit in site.visits)


def test_a_remark_is_kept_once_with_its_times(tmp_path: Path) -> None:
    """A repeated message gets the later time; an earlier time changes nothing."""
    with Database(tmp_path, create=True) as database:
        remark = Remark(SITE, "comment", "Please write. \ud800")
        later = NOON + dt.timedelta(days=1)
        assert keep_remark(database, remark, NOON)
        assert not keep_remark(database, remark, later)
        assert not keep_remark(database, remark, NOON)
        (found,) = remarks(database)
    assert (found.first, found.last, found.text) == (NOON, later, "Please write. ?")


def test_so_many_are_kept_and_the_others_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A site with a different message each day does not fill the disk."""
    monkeypatch.setattr(remarks_module, "MOST_REMARKS", 5)
    with Database(tmp_path, create=True) as database:
        new = [keep_remark(database, Remark(SITE, "comment", str(n)), NOON) for n in range(9)]
        assert new == [True] * 5 + [False] * 4
        assert len(list(remarks(database))) == 5
        assert count_remarks(database) == 9
