"""From Parquet files of URLs to a file of verdicts: each row, in order, also after any stop."""

import errno
import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import goodbot
from goodbot.errors import StoreBusyError, StoreFullError, StoreUnavailableError
from goodbot.tables.columns import verdicts
from goodbot.tables.writing import (
    UrlColumns,
    VerdictProgress,
    VerdictSummary,
    answering,
    job,
    part_encoder,
    row_batches,
    stored_columns,
    url_files,
    write_verdicts,
)
from goodbot.tables.writing.parts_file import compute_check
from tests.support.columns.captures import ROBOTS, STRINGS, TIMES, URLS, UTC, ZONES, policies
from tests.support.examples import some_of, thorough

ROWS = len(URLS)
ALL = pa.table(
    verdicts(pa.array(URLS, pa.string()), policies(), ROBOTS, pa.array(TIMES, UTC), explain=True)
)
NEWEST = pa.table(verdicts(pa.array(URLS, pa.string()), policies(), ROBOTS))


@pytest.fixture(autouse=True, params=["copied as stored", "encoded again"])
def _small_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make parts of two row groups, and row groups of one batch, in both ways to copy columns."""
    monkeypatch.setattr(job, "PART_ROWS", 2 * ROWS)
    monkeypatch.setattr(part_encoder, "GROUP_ROWS", 1)
    least = 1 if request.param == "copied as stored" else 1 << 62
    monkeypatch.setattr(stored_columns, "LEAST_ROWS", least)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a folder with a table of policies and two files of URLs."""
    pq.write_table(policies(), tmp_path / "policies.parquet")
    table = captures()
    for name, times in (("a", 5), ("b", 3)):
        many = pa.concat_tables([table] * times)
        pq.write_table(many, tmp_path / f"{name}.parquet", row_group_size=ROWS)
    return tmp_path


def captures(**columns: Any) -> pa.Table:  # noqa: ANN401
    """Return the captures, some columns in another form."""
    table = {"url": pa.array(URLS, pa.string()), "fetched": pa.array(TIMES, UTC), **columns}
    return pa.table({**table, "row": range(ROWS)})


def write(here: Path, *names: str, **options: Any) -> VerdictSummary:  # noqa: ANN401
    """Write verdicts on some files of a folder."""
    sources = [here / name for name in names or ("a.parquet", "b.parquet")]
    columns: dict[str, Any] = {
        name: options.pop(name) for name in ("url", "newest", "copied") if name in options
    }
    columns["at"] = options.pop("at", "fetched")
    given = {"robots": ROBOTS, "output": here / "out.parquet", **options}
    given["columns"] = UrlColumns(**columns)
    return write_verdicts(sources, here / "policies.parquet", **given)


def counted(table: pa.Table, robot: str) -> list[int]:
    """Count the answers of a robot."""
    answers = Counter(table[robot].to_pylist())
    return [answers[True], answers[False], answers[None]]


def whole(here: Path) -> pa.Table:
    """Return what was written; nothing else remains."""
    assert not [*here.glob("*.partial"), *here.glob("*.journal")]
    return pq.read_table(here / "out.parquet")


def test_every_row_has_its_verdict(here: Path) -> None:
    """The output has all rows in order, with the columns that were asked for."""
    seen: list[VerdictProgress] = []
    summary = write(here, progress=seen.append)
    found = whole(here)
    assert found.column_names == ["url", "fetched", *ROBOTS]
    assert found["url"].to_pylist() == URLS * 8
    for robot in ROBOTS:
        assert found[robot].to_pylist() == ALL[robot].to_pylist() * 8
    assert (summary.urls, summary.files, summary.resumed) == (8 * ROWS, 2, 0)
    for one in summary.robots:
        assert [one.allowed, one.disallowed, one.unknown] == [
            8 * n for n in counted(ALL, one.robot)
        ]
        reasons = Counter(one or "no-url" for one in ALL[f"{one.robot}:reason"].to_pylist())
        assert one.reasons == {reason: 8 * count for reason, count in reasons.items()}
        assert list(one.reasons.values()) == sorted(one.reasons.values(), reverse=True)
    assert [one.done for one in seen] == [0, 2 * ROWS, 4 * ROWS, 6 * ROWS, 8 * ROWS]
    assert {one.total for one in seen} == {8 * ROWS}


def test_explained(here: Path) -> None:
    """With `explain`, the output has what `verdicts` explains."""
    write(here, "a.parquet", explain=True, copied=["row"], threads=1)
    found = whole(here)
    assert found.column_names == ["row", *ALL.column_names]
    for name in ALL.column_names:
        assert found[name].to_pylist() == ALL[name].to_pylist() * 5


@pytest.mark.parametrize("strings", STRINGS.values(), ids=STRINGS)
@pytest.mark.parametrize("times", ["another zone", "milliseconds", "nanoseconds"])
def test_every_form_of_columns(here: Path, strings: Any, times: str) -> None:  # noqa: ANN401
    """The form of strings and the unit of times change nothing."""
    pq.write_table(captures(url=strings(), fetched=ZONES[times]()), here / "c.parquet")
    write(here, "c.parquet")
    assert whole(here).select(ROBOTS).to_pylist() == ALL.select(ROBOTS).to_pylist()


def test_times_without_a_zone_are_in_utc(here: Path) -> None:
    """As those of Common Crawl; dates and numbers are no times."""
    naive = pa.array(TIMES, UTC).cast(pa.timestamp("us"))
    pq.write_table(captures(fetched=naive), here / "c.parquet")
    write(here, "c.parquet")
    assert whole(here)["GPTBot"].to_pylist() == ALL["GPTBot"].to_pylist()
    with pytest.raises(goodbot.WrongTypeError, match="'row' is of int64, not of times"):
        write(here, "c.parquet", at="row")


def common_crawl() -> pa.Table:
    """Return the captures as Common Crawl's columnar index has them."""
    naive = pa.array(TIMES, UTC).cast(pa.timestamp("ms"))
    return pa.table(
        {
            "url_surtkey": URLS,
            "url": URLS,
            "url_host_name": ["a.example"] * ROWS,
            "fetch_time": naive,
            "fetch_status": pa.array([200] * ROWS, pa.int16()),
            "content_digest": ["A"] * ROWS,
            "warc_filename": ["crawl-data/a.warc.gz"] * ROWS,
            "warc_record_offset": pa.array(range(ROWS), pa.int32()),
            "warc_record_length": pa.array([9] * ROWS, pa.int32()),
            "warc_segment": ["1.1"] * ROWS,
        }
    )


def test_common_crawls_index_as_it_is_published(here: Path) -> None:
    """Folders of its files need no option: the times are known, and where each capture is."""
    folder = here / "cc" / "crawl=CC-MAIN-2025-10" / "subset=warc"
    folder.mkdir(parents=True)
    pq.write_table(common_crawl(), folder / "part-00000.c000.gz.parquet", compression="gzip")
    write(here, "cc", at=None)
    found = whole(here)
    place = ["fetch_status", "warc_filename", "warc_record_offset", "warc_record_length"]
    assert found.column_names == ["url", "fetch_time", *place, *ROBOTS]
    assert found["GPTBot"].to_pylist() == ALL["GPTBot"].to_pylist()
    write(here, "cc", at=None, newest=True, copied=["url"])
    assert whole(here)["GPTBot"].to_pylist() == NEWEST["GPTBot"].to_pylist()


@pytest.mark.parametrize("lost", [(), ("url_host_name",), ("fetch_status", "warc_filename")])
def test_a_column_fetch_time_has_the_times(here: Path, lost: tuple[str, ...]) -> None:
    """Files that were made of Common Crawl's index are judged as of the same times."""
    pq.write_table(common_crawl().drop_columns(list(lost)), here / "c.parquet")
    assert write(here, "c.parquet", at=None).at == "fetch_time"
    assert whole(here)["GPTBot"].to_pylist() == ALL["GPTBot"].to_pylist()
    assert write(here, "c.parquet", at=None, newest=True).at is None
    assert whole(here)["GPTBot"].to_pylist() == NEWEST["GPTBot"].to_pylist()
    assert NEWEST["GPTBot"].to_pylist() != ALL["GPTBot"].to_pylist()


def test_fetch_time_in_some_files_only_is_refused(here: Path) -> None:
    """In any order: neither the newest policies nor another column are used instead."""
    pq.write_table(common_crawl().select(["url", "fetch_time"]), here / "c.parquet")
    for names in (("a.parquet", "c.parquet"), ("c.parquet", "a.parquet")):
        with pytest.raises(goodbot.WrongValueError, match=r"a\.parquet has no .*c\.parquet has"):
            write(here, *names, at=None)
        assert write(here, *names, at=None, newest=True).at is None


def test_a_column_fetch_time_of_something_else_is_refused(here: Path) -> None:
    """The message names the way to use the newest policies."""
    table = pa.table({"url": URLS, "fetch_time": [str(one) for one in TIMES]})
    pq.write_table(table, here / "c.parquet")
    with pytest.raises(goodbot.WrongTypeError, match=r"not of times.*newest=True"):
        write(here, "c.parquet", at=None)


def test_the_newest_policies_count_without_times(here: Path) -> None:
    """Without `at`, the age of a policy does not count."""
    write(here, "a.parquet", at=None)
    assert whole(here)["CCBot"].to_pylist() == NEWEST["CCBot"].to_pylist() * 5


def test_a_summary_only(here: Path) -> None:
    """Without an output, nothing is written."""
    before = sorted(here.iterdir())
    summary = write(here, output=None)
    assert sorted(here.iterdir()) == before
    assert summary == write(here)


def test_a_sample(here: Path) -> None:
    """A sample has as many rows as were asked for, always the same, in their order."""
    summary = write(here, sample=20, copied=["row"])
    found = whole(here)
    assert summary.urls == found.num_rows == 20
    for row, answer in zip(found["row"].to_pylist(), found["GPTBot"].to_pylist(), strict=True):
        assert answer == ALL["GPTBot"][row].as_py()
    (here / "out.parquet").unlink()
    write(here, sample=20, copied=["row"])
    assert whole(here).equals(found)
    assert write(here, output=None, sample=10**6).urls == 8 * ROWS
    with pytest.raises(goodbot.WrongValueError, match="sample must be at least 1"):
        write(here, sample=0)


def test_no_rows(here: Path) -> None:
    """A file without rows results in one, with all columns."""
    pq.write_table(captures().slice(0, 0), here / "c.parquet")
    summary = write(here, "c.parquet", explain=True)
    assert summary.urls == 0
    found = whole(here)
    assert found.column_names == ["url", "fetched", *ALL.column_names]
    assert found.num_rows == 0


class StopError(Exception):
    """What stops a run in a test."""


def stopped_after(rows: int) -> Any:  # noqa: ANN401
    """Return a function for progress that stops the run."""

    def stop(progress: VerdictProgress) -> None:
        if progress.done >= rows:
            raise StopError

    return stop


@pytest.mark.parametrize("rows", [0, 2 * ROWS, 4 * ROWS, 8 * ROWS])
def test_a_stopped_run_goes_on(here: Path, rows: int) -> None:
    """Nothing has the final name before all is done, and no part is made again."""
    with pytest.raises(StopError):
        write(here, progress=stopped_after(rows))
    assert not (here / "out.parquet").exists()
    summary = write(here)
    assert summary.resumed == rows
    fresh = write(here, output=here / "fresh.parquet")
    assert (summary.urls, summary.robots) == (fresh.urls, fresh.robots)
    assert whole(here).equals(pq.read_table(here / "fresh.parquet"))


@pytest.mark.stress
def test_a_crash_at_any_byte(here: Path) -> None:
    """Whatever a crash leaves of both files, the next run completes the output."""
    write(here, output=here / "fresh.parquet")
    fresh = pq.read_table(here / "fresh.parquet")
    with pytest.raises(StopError):
        write(here, progress=stopped_after(6 * ROWS))
    partial, journal = here / "out.parquet.partial", here / "out.parquet.journal"
    parts, notes = partial.read_bytes(), journal.read_bytes()
    ends = [json.loads(line)["end"] for line in notes.splitlines()[1:]]
    first, *_, last = [place for place, byte in enumerate(notes) if byte == 10]
    cases = [
        (parts, notes[: last + 1], 3),
        (parts + b"a half of the next part", notes, 3),
        (parts, notes[:last], 2),
        (parts, notes[: last - 9], 2),
        (parts[: ends[1] + 5], notes, 2),
        (parts[:3], notes, 0),
        (parts, notes[: first + 1], 0),
        (b"", notes[:20], 0),  # a part is on disk only after the line that names its file
        (b"", b"", 0),
        (b"", notes, 0),
    ]
    for left, noted, kept in cases:
        partial.write_bytes(left)
        journal.write_bytes(noted)
        assert write(here).resumed == kept * 2 * ROWS
        assert whole(here).equals(fresh)
    journal.write_bytes(notes)
    write(here)
    assert whole(here).equals(fresh)


@pytest.mark.stress
@thorough
def test_a_changed_byte_is_never_in_the_output(here: Path) -> None:
    """A part that is not as it was written is written again; so is one whose line was changed."""
    write(here, output=here / "fresh.parquet")
    fresh = pq.read_table(here / "fresh.parquet")
    with pytest.raises(StopError):
        write(here, progress=stopped_after(4 * ROWS))
    partial, journal = here / "out.parquet.partial", here / "out.parquet.journal"
    parts, notes = partial.read_bytes(), journal.read_bytes()
    chance = random.Random(1)  # noqa: S311  no secret
    for number in some_of(range(80), one_of=9):
        partial.write_bytes(parts if number % 2 else flipped(parts, chance))
        journal.write_bytes(flipped(notes, chance) if number % 2 else notes)
        try:
            summary = write(here)
        except goodbot.MisuseError as error:
            assert "was begun with other files" in str(error)  # noqa: PT017  either is right
            continue
        assert summary.resumed < 4 * ROWS
        assert whole(here).equals(fresh)


def flipped(content: bytes, chance: random.Random) -> bytes:
    """Return bytes with one bit changed."""
    place = chance.randrange(len(content))
    return b"%b%c%b" % (
        content[:place],
        content[place] ^ 1 << chance.randrange(8),
        content[place + 1 :],
    )


def test_files_of_others_stay_as_they_are(here: Path) -> None:
    """No link is followed, and what goodbot has not begun is not written to."""
    partial, journal = here / "out.parquet.partial", here / "out.parquet.journal"
    victim = here / "victim"
    victim.write_bytes(b"of another program")
    partial.write_bytes(b"of another program, too")
    write(here)
    assert partial.read_bytes() == b"of another program, too"
    assert not journal.exists()
    assert not (here / "out.parquet.partial-2").exists()
    partial.unlink()
    partial.symlink_to(victim)
    write(here)
    assert partial.is_symlink()
    partial.unlink()
    for is_symbolic in (True, False):
        if is_symbolic:
            journal.symlink_to(victim)
        else:
            os.link(victim, journal)
        with pytest.raises(goodbot.MisuseError, match="journal is not a file that goodbot has"):
            write(here)
        assert victim.read_bytes() == b"of another program"
        journal.unlink()
    os.mkfifo(journal)
    with pytest.raises(goodbot.MisuseError, match="journal is not a file that goodbot has"):
        write(here)


ODD_HEADS = [
    b"[]\n[]\n", b"null\nnull\n", b"[" * 99_999 + b"\n\n", b"\xff\xfe\n\n", b"1e999\n2\n",
    b'{"goodbot":4}\n{}\n', b'{"goodbot":4,"urls":7,"check":[]}\n{}\n', b"another program",
]  # fmt: skip


@pytest.mark.parametrize("text", ODD_HEADS, ids=range(len(ODD_HEADS)))
def test_an_odd_journal_is_refused(here: Path, text: bytes) -> None:
    """It is not replaced: it may be a file of another program."""
    journal = here / "out.parquet.journal"
    journal.write_bytes(text)
    assert "or was damaged" in refusal(here)
    assert journal.read_bytes() == text


def test_odd_parts_are_written_again(here: Path) -> None:
    """Lines of which the digest is right, and the rest is not what a run writes."""
    write(here, output=here / "fresh.parquet")
    for odd in ({"start": 0}, {"start": "0"}, {"end": -5}, {"end": 2**70}, {"start": 7, "end": 7}):
        with pytest.raises(StopError):
            write(here, progress=stopped_after(2 * ROWS))
        journal = here / "out.parquet.journal"
        head, line = journal.read_bytes().splitlines(keepends=True)
        part = {**json.loads(line), **odd}
        del part["check"]
        if odd == {"start": 0}:
            del part["notes"]
        part["check"] = compute_check(part)
        journal.write_bytes(head + json.dumps(part).encode() + b"\n")
        assert write(here).resumed == 0
        assert whole(here).equals(pq.read_table(here / "fresh.parquet"))


def test_another_run_is_not_continued(here: Path) -> None:
    """Other options or changed files are not mixed with what was written, and are named."""
    with pytest.raises(StopError):
        write(here, progress=stopped_after(2 * ROWS))
    others: list[tuple[dict[str, Any], str]] = [
        ({"robots": "GPTBot"}, "robots was GPTBot, CCBot"),
        ({"explain": True}, "explain was not given"),
        ({"uses": True}, "uses was not given"),
        ({"sample": 9}, "sample was not given"),
        ({"at": None}, "at was fetched"),
        ({"copied": ["url"]}, "copied was url, fetched"),
    ]
    for other, words in others:
        said = refusal(here, **other)
        assert f": {words}. Run it with those, or delete out.parquet.partial" in said
    assert "b.parquet was read, too. Run" in refusal(here, "a.parquet")
    assert "the files were in another order" in refusal(here, "b.parquet", "a.parquet")
    pq.write_table(captures(), here / "c.parquet")
    assert "c.parquet is new" in refusal(here, "a.parquet", "b.parquet", "c.parquet")
    os.utime(here / "b.parquet", (1, 1))
    os.utime(here / "policies.parquet", (1, 1))
    assert "b.parquet was changed; " in refusal(here)
    assert "policies.parquet was changed. Run" in refusal(here)


def refusal(here: Path, *names: str, **options: Any) -> str:  # noqa: ANN401
    """Return why a run is refused."""
    with pytest.raises(goodbot.MisuseError, match="was begun with other files or") as caught:
        write(here, *names, **options)
    return str(caught.value)


def test_a_run_that_wrote_no_part_leaves_nothing(here: Path) -> None:
    """It blocks no other run, neither if it could clean up nor after a crash."""
    before = sorted(here.iterdir())
    with pytest.raises(StopError):
        write(here, progress=stopped_after(0))
    assert sorted(here.iterdir()) == before
    with pytest.raises(StopError):
        write(here, progress=stopped_after(2 * ROWS))
    journal = here / "out.parquet.journal"
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    assert write(here, robots="GPTBot").resumed == 0
    assert whole(here).column_names == ["url", "fetched", "GPTBot"]


def test_the_journal_of_another_version_is_not_continued(here: Path) -> None:
    """What is not understood is neither used nor replaced."""
    journal = here / "out.parquet.journal"
    for text in ('{"goodbot":1}\n{"part":1}\n', '{"of": "another program"}\n'):
        journal.write_text(text)
        assert "it is not of this version of goodbot" in refusal(here)
        assert journal.read_text() == text


def test_two_at_once(here: Path) -> None:
    """The second of two runs that write the same file is refused."""
    refused = []

    def again(progress: VerdictProgress) -> None:
        if progress.done == 4 * ROWS:
            with pytest.raises(StoreBusyError, match="another process") as caught:
                write(here)
            refused.append(caught)

    write(here, progress=again)
    assert len(refused) == 1
    assert whole(here).num_rows == 8 * ROWS


def test_a_full_disk(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What fitted remains, and the next run goes on there; the previous output stays."""
    (here / "out.parquet").write_bytes(b"of before")
    real, calls = os.fsync, []

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 6:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StoreFullError, match="disk is full"):
            write(here)
    assert (here / "out.parquet").read_bytes() == b"of before"
    assert write(here).resumed == 2 * 2 * ROWS
    assert whole(here).num_rows == 8 * ROWS


def test_large_parts_wait_in_a_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that is larger than memory should hold is written all the same."""
    monkeypatch.setattr(part_encoder, "IN_MEMORY", 1)
    write(here)
    assert whole(here)["url"].to_pylist() == URLS * 8


def test_a_link_is_kept(here: Path) -> None:
    """A symbolic link leads to the new file."""
    (here / "target.parquet").write_bytes(b"")
    (here / "out.parquet").symlink_to(here / "target.parquet")
    write(here)
    assert (here / "out.parquet").is_symlink()
    assert pq.read_table(here / "target.parquet").num_rows == 8 * ROWS


MISUSES: list[tuple[dict[str, Any], str]] = [
    ({"at": "fetch_time"}, "no column 'fetch_time'; the columns are fetched, row, url"),
    ({"url": "uri"}, "no column 'uri'"),
    ({"copied": ["nothing"]}, "no column 'nothing'"),
    ({"robots": ["GPTBot", "GPTBot"]}, "named twice"),
    ({"robots": ["row"], "copied": ["row"]}, "a robot and a column"),
    ({"newest": True}, "need no time"),
]


@pytest.mark.parametrize(("options", "cure"), MISUSES)
def test_misuse_says_how_to_fix_it(here: Path, options: dict[str, Any], cure: str) -> None:
    """Nothing is written if an argument is wrong."""
    with pytest.raises(goodbot.MisuseError, match=cure):
        write(here, **options)
    assert not [*here.glob("out.parquet*")]


def test_files_that_cannot_be_read(here: Path) -> None:
    """The message names the file and what to do."""
    (here / "urls.csv").write_text("url\nhttps://a.example/\n")
    with pytest.raises(goodbot.MisuseError, match=r"urls.csv cannot be read as Parquet.*duckdb"):
        write(here, "urls.csv")
    for nothing in ("none.parquet", "*.avro"):
        with pytest.raises(goodbot.MisuseError, match="does not exist"):
            write(here, nothing)
    (here / "empty").mkdir()
    with pytest.raises(goodbot.MisuseError, match=r"has no file \*\.parquet"):
        write(here, "empty")
    pq.write_table(pa.table({"url": URLS}), here / "other.parquet")
    with pytest.raises(goodbot.WrongValueError, match=r"other.parquet has no column 'fetched'"):
        write(here, "a.parquet", "other.parquet")
    with pytest.raises(goodbot.MisuseError, match="name another file to write"):
        write(here, output=here / "a.parquet")
    with pytest.raises(StoreUnavailableError, match=r"none/out\.parquet cannot be written"):
        write(here, output=here / "none" / "out.parquet")
    with pytest.raises(goodbot.MisuseError, match=r"name a \.parquet file"):
        write(here, output=here / "empty")


def test_patterns_and_folders_name_each_file_once(here: Path) -> None:
    """A pattern, a folder and a name may overlap."""
    folder = here / "of captures"
    folder.mkdir()
    for name in ("a.parquet", "b.parquet"):
        (here / name).rename(folder / name)
    names = ["of captures/?.parquet", "of captures", "of captures/a.parquet"]
    summary = write(here, *names, output=None)
    assert (summary.urls, summary.files) == (8 * ROWS, 2)


@pytest.mark.parametrize(
    ("most_rows", "most_bytes"), [(1, 1 << 30), (ROWS + 3, 1 << 30), (9_999, 1)]
)
def test_how_many_rows_are_decided_together_changes_nothing(
    here: Path, monkeypatch: pytest.MonkeyPatch, most_rows: int, most_bytes: int
) -> None:
    """Rows in no order are decided together over row groups and files."""
    expected = write(here, explain=True)
    table = whole(here)
    (here / "out.parquet").unlink()
    monkeypatch.setattr(job, "PART_ROWS", 9_999)
    monkeypatch.setattr(url_files, "BATCH_ROWS", 7)
    monkeypatch.setattr(row_batches, "MIXED_ROWS", most_rows)
    monkeypatch.setattr(row_batches, "MIXED_BYTES", most_bytes)
    monkeypatch.setattr(row_batches, "are_mixed", lambda *_: True)
    together: list[int] = []

    def judged(job: Any, batches: Any) -> Any:  # noqa: ANN401
        together.append(len(batches))
        return answering_judged(job, batches)

    answering_judged = answering.judge_batches
    monkeypatch.setattr(answering, "judge_batches", judged)
    assert write(here, explain=True) == expected
    again = whole(here)
    assert (again.schema, again.to_pydict()) == (table.schema, table.to_pydict())
    assert (max(together) > 1) == (most_rows > 1 and most_bytes > 1)
