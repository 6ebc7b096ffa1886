"""The robots.txt of some sites, from several sources together."""

from __future__ import annotations

import datetime as dt
import gzip
from typing import TYPE_CHECKING

import pytest

import goodbot
from goodbot.site.audit.served_versions import find_served_versions
from goodbot.tables.building import (
    build_policies,
    folder_timeline,
    read_timelines,
    received_timelines,
)
from tests.tables.building.warc_text import response, write_warc

if TYPE_CHECKING:
    from pathlib import Path

UTC = dt.timezone.utc
SITE = "https://a.example"
ONE, TWO = b"User-agent: *\nDisallow: /1\n", b"User-agent: *\nDisallow: /2\n"


def day(number: int) -> dt.datetime:
    """Return a time in January."""
    return dt.datetime(2026, 1, number, tzinfo=UTC)


def test_a_folder_with_a_file_for_each_version(tmp_path: Path) -> None:
    """Each is served until the next; a file that is not named after a time is refused."""
    with pytest.raises(goodbot.MisuseError, match="has no file"):
        folder_timeline(SITE, tmp_path)
    (tmp_path / "2026-01-01.txt").write_bytes(ONE)
    (tmp_path / "2026-01-03T120000Z.txt").write_bytes(TWO)
    found = find_served_versions(folder_timeline(SITE, tmp_path))
    assert [(one.content, one.since.hour, one.until is None) for one in found.versions] == [
        (ONE, 0, False),
        (TWO, 12, True),
    ]
    (tmp_path / "newest.txt").write_bytes(TWO)
    with pytest.raises(goodbot.MisuseError, match=r"newest\.txt is not named after a time"):
        folder_timeline(SITE, tmp_path)


def test_sources_without_an_answer_have_no_history(tmp_path: Path) -> None:
    """No table is built of them."""
    pages = write_warc(tmp_path / "p.warc.gz", [response(f"{SITE}/page", day(1), 200, ONE)])
    assert received_timelines([pages], [SITE]) == []
    assert read_timelines([pages]) == []


def test_an_archive_that_is_not_read_as_a_whole_is_refused(tmp_path: Path) -> None:
    """By its name and form: what is missing may contradict the rest. An empty file has nothing."""
    url = f"{SITE}/robots.txt"
    whole = write_warc(tmp_path / "a.warc.gz", [response(url, day(1), 200, ONE)])
    cut = tmp_path / "cut.warc.gz"
    cut.write_bytes(whole.read_bytes() * 2 + whole.read_bytes()[:-9])
    page, empty = tmp_path / "page.warc", tmp_path / "empty.warc"
    page.write_bytes(b"<html>")
    empty.write_bytes(b"")
    for path, why in ((cut, "damaged"), (page, "an HTML page")):
        for read in (read_timelines, lambda paths: received_timelines(paths, [SITE])):
            with pytest.raises(goodbot.MisuseError, match=f"{path.name} is not read .*{why}"):
                read([path])
    [found] = map(find_served_versions, received_timelines([whole, empty], [SITE]))
    assert len(found.versions) == 1


def test_the_ends_of_a_date_without_seconds_count(tmp_path: Path) -> None:
    """A version is known from its latest moment to the earliest one of its last sight."""
    url = f"{SITE}/robots.txt"
    vague = [
        gzip.compress(gzip.decompress(one).replace(b"T12:00:00Z", b"").replace(b"T00:00:00Z", b""))
        for one in (
            response(url, day(1), 200, ONE),
            response(url, day(3), 200, ONE),
            response(url, day(5), 200, TWO),
        )
    ]
    path = write_warc(tmp_path / "a.warc.gz", vague)
    [found] = map(find_served_versions, received_timelines([path], [SITE]))
    start = {number: day(number).replace(hour=0, minute=0) for number in (1, 3, 5)}
    end = {number: at + dt.timedelta(days=1, microseconds=-1) for number, at in start.items()}
    assert [(one.content, one.since, one.until, one.seen) for one in found.versions] == [
        (ONE, start[1], end[5], end[1]),
        (TWO, start[3], None, end[5]),
    ]
    assert (found.known_from, found.known_until) == (end[1], start[5])


def test_answers_of_one_site_in_several_archives_and_tables(tmp_path: Path) -> None:
    """They make one history, in whatever order the sources are named; other sites are omitted."""
    url, other = f"{SITE}/robots.txt", "https://b.example/robots.txt"
    first = write_warc(
        tmp_path / "1.warc.gz", [response(url, day(1), 200, ONE), response(other, day(1), 200, TWO)]
    )
    second = write_warc(tmp_path / "2.warc.gz", [response(url, day(4), 200, TWO)])
    third = write_warc(tmp_path / "3.warc.gz", [response(url, day(6), 404)])
    build_policies([third], tmp_path / "3.parquet")
    build_policies([second], tmp_path / "2.arrow")
    expected = [(ONE, day(1), day(4)), (TWO, day(1), day(6)), (None, day(4), None)]
    for sources in (
        [third, first, second],
        [tmp_path / "3.parquet", first, tmp_path / "2.arrow"],
    ):
        timelines = received_timelines(sources, [f"{SITE}/page", "https://nothing.example"])
        [found] = map(find_served_versions, timelines)
        assert [(one.content, one.since, one.until) for one in found.versions] == expected
        assert (found.site, found.known_from, found.known_until) == (SITE, day(1), day(6))
