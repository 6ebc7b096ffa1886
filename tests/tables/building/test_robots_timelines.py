"""The robots.txt of sites over time, from files, a git repository, folders and tables."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import goodbot
from goodbot.site.audit.served_versions import find_served_versions
from goodbot.tables.building import dated_timeline, git_timeline, read_timelines

if TYPE_CHECKING:
    from pathlib import Path

UTC = dt.timezone.utc
SITE = "https://example.com"
ONE, TWO = b"User-agent: *\nDisallow: /1\n", b"User-agent: *\nDisallow: /2\n"


def day(number: int, hour: int = 0) -> dt.datetime:
    """Return a time in January."""
    return dt.datetime(2026, 1, number, hour, tzinfo=UTC)


def test_files_with_dates(tmp_path: Path) -> None:
    """Each file is served from its time until that of the next."""
    (tmp_path / "one").write_bytes(ONE)
    (tmp_path / "two").write_bytes(TWO)
    files = {"2026-01-05T060000Z": tmp_path / "two", "2026-01-01": tmp_path / "one"}
    found = find_served_versions(dated_timeline(SITE, files))
    assert [(one.content, one.since, one.until) for one in found.versions] == [
        (ONE, day(1), day(5, 6)),
        (TWO, day(5, 6), None),
    ]
    with pytest.raises(goodbot.MisuseError, match="not a time"):
        dated_timeline(SITE, {"yesterday": tmp_path / "one"})


def test_a_git_repository(tmp_path: Path) -> None:
    """Each commit of the file is a version; one that deletes it is none at all."""

    def git(*words: str, at: int = 1) -> None:
        names = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        times = {"GIT_AUTHOR_DATE": f"2026-01-0{at}T00:00:00Z",
                 "GIT_COMMITTER_DATE": f"2026-01-0{at}T00:00:00Z"}  # fmt: skip
        subprocess.run(  # noqa: S603  no shell
            ["git", *names, *words],  # noqa: S607  the git of the machine
            cwd=tmp_path,
            check=True,
            env=times | {"PATH": os.environ["PATH"]},
        )

    git("init", "-q")
    path = tmp_path / "robots.txt"
    for at, content in enumerate((ONE, TWO), start=1):
        path.write_bytes(content)
        git("add", ".")
        git("commit", "-qm", "a version", at=at)
    git("rm", "-q", "robots.txt")
    git("commit", "-qm", "none", at=3)
    found = find_served_versions(git_timeline(SITE, path))
    assert [(one.content, one.since) for one in found.versions] == [
        (ONE, day(1)),
        (TWO, day(2)),
        (None, day(3)),
    ]
    with pytest.raises(goodbot.MisuseError, match="no commit"):
        git_timeline(SITE, tmp_path / "other.txt")


def test_a_folder_of_versions(tmp_path: Path) -> None:
    """HOST/TIME.txt is served from its time on, and the last one still is."""
    folder = tmp_path / "versions" / "example.com"
    folder.mkdir(parents=True)
    (folder / "2026-01-01.txt").write_bytes(ONE)
    (folder / "2026-01-03T120000Z.txt").write_bytes(TWO)
    [found] = map(find_served_versions, read_timelines([tmp_path / "versions"]))
    assert found.site == SITE
    assert [(one.content, one.since, one.until) for one in found.versions] == [
        (ONE, day(1), day(3, 12)),
        (TWO, day(3, 12), None),
    ]
    assert found.known_until is None


def test_what_somebody_received(tmp_path: Path) -> None:
    """Between two answers either may have been served; failures say nothing, nor does the end."""
    rows = [
        (1, 200, ONE), (2, 200, ONE), (3, 503, b""), (4, 200, TWO), (6, 404, b""),
    ]  # fmt: skip
    table = pa.table(
        {
            "url": [f"{SITE}/robots.txt"] * len(rows),
            "time": pa.array([day(at) for at, _, _ in rows], pa.timestamp("us", "UTC")),
            "status": pa.array([status for _, status, _ in rows], pa.int16()),
            "body": [body for _, _, body in rows],
        }
    )
    pq.write_table(table, tmp_path / "answers.parquet")
    [found] = map(find_served_versions, read_timelines([tmp_path / "answers.parquet"]))
    assert [(one.content, one.since, one.until) for one in found.versions] == [
        (ONE, day(1), day(4)),
        (TWO, day(2), day(6)),
        (None, day(4), None),
    ]
    assert (found.known_from, found.known_until) == (day(1), day(6))
    with pytest.raises(goodbot.MisuseError, match="two sources"):
        read_timelines([tmp_path / "answers.parquet"] * 2)
