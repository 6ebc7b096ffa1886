"""Each row of a column has the answers that its policies, asked alone, have for its URL."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from goodbot._core import origin
from goodbot.errors import MisuseError
from goodbot.history import PolicyTimeline
from goodbot.policy import Policy
from goodbot.reconsidering import HeldUse, SiteJudge, SiteStatements, read_takedown, what_to_do
from goodbot.tables.columns import PolicyTable
from goodbot.tables.columns.schema import arrow_schema
from goodbot.tables.reconsidering import reconsider_columns, reconsider_tables

if TYPE_CHECKING:
    from pathlib import Path

MAY = datetime(2026, 5, 1, tzinfo=timezone.utc)
JULY = MAY + timedelta(days=61)
USES: tuple[HeldUse, ...] = ("fetch", "archive", "search", "ground", "train")
BODIES = (
    b"", b"User-agent: *\nDisallow: /a\n",
    b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
    b"User-agent: *\nContent-Usage: /a train-ai=n\nContent-Usage: search=y\nAllow: /\n",
    b"User-agent: __usage_ai-training\nDisallow: /a\n", b"License: https://a.example/l.xml\n",
    b"User-agent: GPTBot\nDisallow: /\n",
    b"User-agent: *\nContent-Usage: train-ai=y, search=n\nDisallow: /a\n",
    b"User-agent: *\nContent-Signal: ai-train=yes, search=no\nDisallow: /\nAllow: /c\n",
    b"User-agent: *\nContent-Usage\x0b:\x0c/a train-ai=n\nContent-Signal: \x0b/c ai-train=no\n",
)  # fmt: skip
STATUSES = (200, 200, 200, 404, 503, 403)
SITES = [f"https://{name}.example" for name in "abcdef"]
PATHS = ("/", "/a", "/a/b", "/c")


def policies(seed: int) -> dict[str, list[Policy]]:
    """Return some policies of each site, of May and of July."""
    chosen = random.Random(seed)  # noqa: S311  no secret
    return {
        site: [
            Policy.from_response(
                f"{site}/robots.txt", chosen.choice(STATUSES), {}, chosen.choice(BODIES), now=at
            )
            for at in (MAY, JULY)
        ]
        for site in SITES
    }


def table_of(found: dict[str, list[Policy]]) -> pa.Table:
    """Return the policies as a table without facts."""
    rows = [
        {
            "origin": site, "valid_from": one.fetched_at, "valid_until": one.fresh_until,
            "access": one.access, "reason": one.reason, "stale": False,
            "body": one.robots_txt.content if one.access == "rules" and one.robots_txt else None,
        }
        for site, learned in found.items()
        for one in learned
    ]  # fmt: skip
    schema = arrow_schema()
    names = list(rows[0])
    return pa.Table.from_pylist(rows, pa.schema([schema.field(name) for name in names]))


def alone(found: dict[str, list[Policy]], url: str, at: datetime, robot: str) -> Any:  # noqa: ANN401  answers
    """Return what a judge of one site says."""
    then = PolicyTimeline.of(found[origin(url)]).at(at)
    site = SiteStatements(then.policies, at, then.is_current)
    return SiteJudge(site, robot, USES).answers(url)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("robot", ["ExampleBot", "*"])
def test_each_row_is_as_its_policies_asked_alone(seed: int, robot: str) -> None:
    """Then, now, and what to do, for each use; the twin asks row by row."""
    found = policies(seed)
    urls = [f"{site}{path}" for site in SITES for path in PATHS]
    then = [MAY + timedelta(hours=1)] * len(urls)
    now = JULY + timedelta(hours=1)
    columns = reconsider_columns(urls, table_of(found), robot, then, now, uses=USES)
    for row, url in enumerate(urls):
        today, before = alone(found, url, now, robot), alone(found, url, then[row], robot)
        for use in USES:
            got = {name: columns[use].column(name)[row].as_py() for name in ("then", "now", "do")}
            assert got == {
                "then": before[use].status,
                "now": today[use].status,
                "do": what_to_do(use, today[use].status),
            }, (url, use)


@pytest.mark.parametrize("seed", range(4))
def test_of_several_policies_of_one_time_all_must_allow(seed: int) -> None:
    """Which one came last is unknown."""
    found = policies(seed)
    tied = {
        site: [
            Policy.from_response(f"{site}/robots.txt", 200, {}, body, now=JULY)
            for body in random.Random(f"{seed} {site}").sample(BODIES, 2)  # noqa: S311  no secret
        ]
        for site in found
    }
    urls = [f"{site}{path}" for site in SITES for path in PATHS]
    now = JULY + timedelta(hours=1)
    columns = reconsider_columns(urls, table_of(tied), "*", None, now, uses=USES)
    for row, url in enumerate(urls):
        today = alone(tied, url, now, "*")
        got = {use: columns[use].column("now")[row].as_py() for use in USES}
        assert got == {use: today[use].status for use in USES}, url


@pytest.mark.parametrize("seed", range(4))
def test_both_times_of_rows_in_no_order_are_as_each_alone(seed: int) -> None:
    """Many policies a site, some seen again, some too old; rows without a time or a URL."""
    chosen = random.Random(seed)  # noqa: S311  no secret
    found: dict[str, list[Policy]] = {}
    for site, count in zip(SITES, (0, 1, 3, 17, 40, 6), strict=True):
        known = chosen.sample(BODIES, 2)
        days = sorted(chosen.sample(range(90), count))
        found[site] = [
            Policy.from_response(
                f"{site}/robots.txt", chosen.choice(STATUSES), {}, chosen.choice(known),
                now=MAY + timedelta(days=day),
            )
            for day in days
        ]  # fmt: skip
    table = table_of({site: learned for site, learned in found.items() if learned})
    odd = [None, "", "ftp://a.example/a", "HTTPS://B.example:443/%61", "https://c.example/a#x"]
    urls = [f"{site}{path}" for site in SITES for path in PATHS] * 4 + odd * 2
    times = [chosen.choice([None, MAY + timedelta(hours=chosen.randrange(2_400))]) for _ in urls]
    rows = list(zip(urls, times, strict=True))
    chosen.shuffle(rows)
    now = chosen.choice([None, MAY + timedelta(days=chosen.randrange(90), hours=3)])
    columns = reconsider_columns(
        pa.array([url for url, _ in rows], pa.string()), table, "ExampleBot",
        pa.array([at for _, at in rows], pa.timestamp("us", "UTC")), now, uses=USES,
    )  # fmt: skip
    for row, (url, at) in enumerate(rows):
        for name, time in (("then", at), ("now", now)):
            got = {use: columns[use].column(name)[row].as_py() for use in USES}
            if (
                url is None
                or ":" not in url
                or url.startswith("ftp")
                or (name, at) == ("then", None)
            ):
                assert set(got.values()) == {"unknown"}
                continue
            learned = found[origin(url)]
            newest = learned[-1].fetched_at if learned and time is None else time
            if newest is None:
                continue
            expected = alone(found, url, newest, "ExampleBot")
            assert got == {use: one.status for use, one in expected.items()}, (url, name, time)
            for use in USES if name == "now" else ():
                answer = expected[use]
                names = ("reason", "line", "source")
                why = [columns[use].column(one)[row].as_py() for one in names]
                source = "" if use == "fetch" and answer.line is None else answer.source
                assert why == [answer.reason, answer.line, source], (url, use, time)


@pytest.mark.parametrize("body", [BODIES[3], BODIES[7], BODIES[2]])
@pytest.mark.parametrize(
    "kind",
    [pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int32(), pa.string())],
)
def test_urls_may_come_in_any_form(kind: pa.DataType, body: bytes) -> None:
    """Also if the answers differ from URL to URL, or by whether it may be fetched."""
    site = SITES[0]
    one = Policy.from_response(f"{site}/robots.txt", 200, {}, body, now=MAY)
    urls = pa.array([f"{site}{path}" for path in PATHS] + [None])
    table, now = table_of({site: [one]}), MAY + timedelta(hours=1)
    expected = reconsider_columns(urls, table, "*", None, now)
    found = reconsider_columns(urls.cast(kind), table, "*", None, now)
    for use in ("fetch", "train"):
        assert found[use].to_pylist() == expected[use].to_pylist()


def test_what_is_too_old_permits_nothing() -> None:
    """A table of May says nothing of December, but what it forbids."""
    body = b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /a\n"
    one = Policy.from_response(f"{SITES[0]}/robots.txt", 200, {}, body, now=MAY)
    table, later = table_of({SITES[0]: [one]}), JULY + timedelta(days=200)
    urls = [f"{SITES[0]}/a", f"{SITES[0]}/b"]
    found = reconsider_columns(urls, table, "*", None, later, uses=USES, unknown="withhold")
    assert found["fetch"].column("now").to_pylist() == ["disallowed", "unknown"]
    assert found["fetch"].column("do").to_pylist() == ["remove", "withhold"]
    assert found["fetch"].column("then").to_pylist() == ["unknown", "unknown"]
    assert found["search"].column("now").to_pylist() == ["unknown", "unknown"]
    assert found["train"].column("now").to_pylist()[1] == "reserved"


def files_in(folder: Path) -> tuple[Path, Path]:
    """Write two files of URLs, with more columns, and return them."""
    names = []
    for number in range(2):
        path = folder / f"part-{number}.parquet"
        urls = [f"{site}/a/{row}" for site in SITES for row in range(50)]
        table = pa.table(
            {
                "url": urls,
                "fetch_time": pa.array(
                    [MAY + timedelta(hours=1)] * len(urls), pa.timestamp("us", "UTC")
                ),
                "words": list(range(len(urls))),
            }
        )
        pq.write_table(table, path, row_group_size=70)
        names.append(path)
    return names[0], names[1]


def test_files_become_a_report_and_new_files(tmp_path: Path) -> None:
    """Nothing that today disallows stays, and every other row is as it was, in its order."""
    closed = b"User-agent: *\nDisallow: /a/1\n"
    found = {
        site: [
            Policy.from_response(f"{site}/robots.txt", 200, {}, body, now=at)
            for at, body in ((MAY, b""), (JULY, closed if number else BODIES[2]))
        ]
        for number, site in enumerate(SITES)
    }
    table = PolicyTable(table_of(found))
    files = files_in(tmp_path)
    now = JULY + timedelta(hours=1)
    outputs = {str(one): tmp_path / "new" / one.name for one in files}
    summary = reconsider_tables(
        list(files), table, now=now, report=tmp_path / "report.parquet", outputs=outputs
    )
    report = pq.read_table(tmp_path / "report.parquet")
    assert summary.rows == 600
    assert report.num_rows == 1_200
    gone = report.filter(pc.not_equal(report.column("do").cast("string"), "keep"))
    for file in files:
        before, after = pq.read_table(file), pq.read_table(outputs[str(file)])
        mine = gone.filter(pc.equal(gone.column("file").cast("string"), str(file)))
        rows = set(mine.column("offset").to_pylist())
        stays = [row for row in range(before.num_rows) if row not in rows]
        assert after.to_pylist() == before.take(stays).to_pylist()
        assert after.schema.names == before.schema.names
    assert summary.gone == len(
        set(zip(gone["file"].to_pylist(), gone["offset"].to_pylist(), strict=True))
    )
    assert 0 < summary.gone < 600


def test_a_list_of_ones_own_needs_no_policies(tmp_path: Path) -> None:
    """A takedown list alone; a report of only what goes."""
    files = files_in(tmp_path)
    reconsider_tables(
        files[0], None, uses=("takedown",), takedown=read_takedown("a.example\n"),
        report=tmp_path / "report.parquet", only_gone=True,
    )  # fmt: skip
    rows = pq.read_table(tmp_path / "report.parquet").to_pylist()
    assert {(one["use"], one["now"], one["line"], one["do"]) for one in rows} == {
        ("takedown", "listed", 1, "remove")
    }
    assert len(rows) == 50


def test_without_policies_nothing_else_is_asked(tmp_path: Path) -> None:
    """A use without a source of statements is a mistake, not an unknown."""
    with pytest.raises(MisuseError, match="only a takedown list"):
        reconsider_tables(files_in(tmp_path)[0], None)


def test_a_failed_run_leaves_no_file(tmp_path: Path) -> None:
    """A damaged file ends the run; neither the report nor a new file remains."""
    files = files_in(tmp_path)
    content = bytearray(files[1].read_bytes())
    content[200:400] = b"\xff" * 200
    files[1].write_bytes(content)
    outputs = {str(one): tmp_path / "new" / one.name for one in files}
    with pytest.raises(MisuseError):
        reconsider_tables(
            list(files), PolicyTable(table_of(policies(1))), now=JULY,
            report=tmp_path / "report.parquet", outputs=outputs,
        )  # fmt: skip
    assert not (tmp_path / "report.parquet").exists()
    assert not outputs[str(files[1])].exists()
    assert not list((tmp_path / "new").glob(".*"))
