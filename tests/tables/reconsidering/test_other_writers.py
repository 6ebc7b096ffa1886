"""Tables that another program writes while they are reconsidered: nothing of that is lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goodbot.errors import MisuseError, StoreBusyError
from goodbot.files.writing_lock import writing_lock
from goodbot.reconsidering import read_takedown
from goodbot.tables.reconsidering import TableSummary, reconsider_tables

URLS = [f"https://{name}.example/" for name in "abc"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write a table of URLs."""
    path = tmp_path / "urls.parquet"
    pq.write_table(pa.table({"url": URLS}), path)
    return path


def rewrite(
    table: Path, host: str, new: Path | None = None, each: Callable[..., None] | None = None
) -> TableSummary:
    """Remove the rows of a host from a table."""
    return reconsider_tables(
        table, None, uses=("takedown",), takedown=read_takedown(host), each=each,
        outputs={str(table): new or table},
    )  # fmt: skip


def urls_in(path: Path) -> Any:  # noqa: ANN401  pyarrow's
    """Return the URLs in a table."""
    return pq.read_table(path).column("url").to_pylist()


@pytest.mark.parametrize("in_place", [False, True])
def test_any_other_writer_is_found_out(table: Path, in_place: bool) -> None:  # noqa: FBT001  a parameter
    """Whatever it wrote stays, and what was removed does not come back."""
    new = None if in_place else table.with_name("new.parquet")

    def write(*_: object) -> None:
        other = table.with_name("other")
        pq.write_table(pa.table({"url": URLS[1:]}), other)
        other.replace(table)

    with pytest.raises(StoreBusyError, match="was changed by another program after it was read"):
        rewrite(table, "b.example", new, write)
    assert urls_in(table) == URLS[1:]
    assert {one.name for one in table.parent.iterdir()} == {table.name}
    rewrite(table, "b.example", new)
    assert urls_in(new or table) == URLS[2:]


def test_a_second_run_is_refused_before_it_logs_anything(table: Path) -> None:
    """While the first one writes, and its result stays."""
    rows: list[object] = []

    def run(*_: object) -> None:
        with pytest.raises(StoreBusyError, match="is being written by another run; wait until"):
            rewrite(table, "b.example", each=lambda *row: rows.append(row))

    rewrite(table, "a.example", each=run)
    assert (urls_in(table), rows) == (URLS[1:], [])
    with writing_lock(table), pytest.raises(StoreBusyError):
        rewrite(table, "b.example")
    assert urls_in(table) == URLS[1:]


def test_what_exists_is_not_overwritten(table: Path) -> None:
    """Also what appears while the new file is written."""
    new = table.with_name("new.parquet")

    def write(*_: object) -> None:
        new.write_bytes(b"of another run")

    with pytest.raises(MisuseError, match=r"new.parquet exists; name a file that does not"):
        rewrite(table, "a.example", new, write)
    with pytest.raises(MisuseError, match="exists"):
        rewrite(table, "a.example", new)
    assert new.read_bytes() == b"of another run"
