"""Who sent a request: stored once, and read with each request, whichever way it is asked for."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl.evidence.evidence import Evidence
from goodbot.crawl.evidence.history import requests_for_robots_txt
from goodbot.crawl.evidence.record_rows import CrawlTotals, record_rows
from goodbot.crawl.evidence.request_export import export_requests, request_rows
from goodbot.crawl.evidence.senders import RequestSender, SenderNumbers, SentBy, read_senders
from goodbot.crawl.folder.database import Database
from goodbot.errors import MisuseError
from goodbot.robot.events import Failed
from tests.support.program import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SITE = "https://a.example"
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
HOUR = 3_600_000_000
ONE = RequestSender("one", "left", 11, HOUR)
OTHER = RequestSender("other", "right", 12, -HOUR)


def record(folder: Path, *senders: SentBy | None) -> None:
    """Record a request for robots.txt by each of some senders, a minute apart."""
    with Database(folder, create=True) as database, database.changing():
        for number, sender in enumerate(senders):
            known: Callable[[Any], SentBy] | None = None
            if sender is not None:

                def known(_: Any, sender: SentBy = sender) -> SentBy:  # noqa: ANN401  any event
                    return sender

            at = START + timedelta(minutes=number)
            event = Failed(f"{SITE}/robots.txt", at, "timeout", "robots-txt", at)
            Evidence(database, known).requested(event)


def test_each_request_has_its_sender(tmp_path: Path) -> None:
    """With its lease, and with the time of the machine beside that of the server."""
    record(tmp_path, SentBy(ONE, 5), SentBy(OTHER, 6), SentBy(ONE), None)
    with Database(tmp_path) as database:
        found = list(request_rows(database))
        assert len(read_senders(database)) == 3
    names = ("worker", "machine", "process", "lease")
    assert [tuple(one[name] for name in names) for one in found] == [
        ("one", "left", 11, 5),
        ("other", "right", 12, 6),
        ("one", "left", 11, None),
        ("this machine", None, None, None),
    ]
    hours = [(one["machine_started"] - one["started"]) / timedelta(hours=1) for one in found]
    assert hours == [1, -1, 1, 0]


def test_every_way_to_ask_says_the_same(tmp_path: Path) -> None:
    """The history of a URL, the signed record and the command."""
    record(tmp_path, SentBy(ONE, 5), None)
    with Database(tmp_path) as database:
        wanted = [json.loads(json.dumps(one, default=str)) for one in request_rows(database)]
        history = requests_for_robots_txt(database, f"{SITE}/robots.txt")
        stated = [one for one in record_rows(database, CrawlTotals()) if one["kind"] == "request"]
    for row, asked, said in zip(wanted, history, stated, strict=True):
        for name in ("worker", "machine", "process", "lease"):
            assert row[name] == getattr(asked, name) == said[name]
        assert row["machine_started"] == str(asked.machine_started)
        assert said["machine_started"] == asked.as_dict()["machine_started"]
    shown = run("evidence", tmp_path, f"{SITE}/robots.txt").stdout.decode()
    assert "Sent by one on left, process 11, lease 5; its clock showed" in " ".join(shown.split())
    assert shown.count("Sent by") == 1
    lines = run("evidence", tmp_path, "--requests", "-").stdout.splitlines()
    assert [json.loads(one)["worker"] for one in lines] == ["one", "this machine"]


def test_requests_are_written_to_a_file(tmp_path: Path) -> None:
    """As JSON lines, or as Parquet; another ending is refused."""
    record(tmp_path / "crawl", SentBy(ONE, 5))
    done = run("evidence", tmp_path / "crawl", "--requests", tmp_path / "a.jsonl")
    assert done.stdout.decode() == f"{tmp_path / 'a.jsonl'}: 1 request\n"
    (line,) = (tmp_path / "a.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["machine_started"] == "2026-01-01T01:00:00+00:00"
    parquet = pytest.importorskip("pyarrow.parquet")
    with Database(tmp_path / "crawl") as database:
        assert export_requests(database, tmp_path / "a.parquet") == 1
        with pytest.raises(MisuseError, match=r"ends in \.parquet or \.jsonl"):
            export_requests(database, tmp_path / "a.csv")
    (row,) = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert (row["worker"], row["lease"], row["failure"]) == ("one", 5, "timeout")


def test_a_number_of_a_change_that_was_undone_is_not_used(tmp_path: Path) -> None:
    """Another sender may have got it."""
    with Database(tmp_path, create=True) as database:
        numbers = SenderNumbers(database)

        def fail() -> None:
            with database.changing():
                numbers.number_of(ONE)
                raise LookupError

        with pytest.raises(LookupError):
            fail()
        with database.changing():
            assert numbers.number_of(OTHER) == 1
            assert numbers.number_of(ONE) == numbers.number_of(ONE) == 2
