"""What was removed is in no dictionary of the new file."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goodbot.reconsidering import read_takedown
from goodbot.tables.reconsidering import reconsider_tables
from goodbot.tables.reconsidering.dictionaries import has_dictionaries

CODED = pa.dictionary(pa.int32(), pa.string())
SECRETS = [f"secret {number:02}" for number in range(40)]
VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "plain": (pa.string(), SECRETS),
    "coded": (CODED, SECRETS),
    "short": (pa.dictionary(pa.int8(), pa.binary()), [one.encode() for one in SECRETS]),
    "list": (pa.list_(CODED), [[one, one] for one in SECRETS]),
    "large": (pa.large_list(CODED), [[one] for one in SECRETS]),
    "struct": (pa.struct([("text", CODED), ("number", pa.int64())]),
               [{"text": one, "number": 1} for one in SECRETS]),
}  # fmt: skip


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("rows_of_a_group", [7, 40])
def test_no_value_of_a_removed_row_is_in_the_new_file(
    kind: str, rows_of_a_group: int, tmp_path: Path
) -> None:
    """Neither among the rows nor as bytes, in whatever form the column has its values."""
    given, values = VALUES[kind]
    urls = [f"https://{'a' if number % 3 else 'b'}.example/{number}" for number in range(40)]
    table = pa.table({"url": urls, "value": pa.array(values, given)})
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    pq.write_table(table, old, row_group_size=rows_of_a_group)
    listed = read_takedown("b.example\n")
    reconsider_tables(
        old, None, uses=("takedown",), takedown=listed, outputs={str(old): new}
    )  # fmt: skip
    found = pq.read_table(new)
    stays = [number for number in range(40) if number % 3]
    assert found.schema == pq.read_table(old).schema
    assert found.to_pylist() == table.take(stays).to_pylist()
    # Without compression, a value that is anywhere in the file can be seen.
    pq.write_table(found, new, compression="none")
    content = new.read_bytes()
    assert [place for place, one in enumerate(SECRETS) if one.encode() in content] == stays


def test_a_schema_without_dictionaries_is_left_alone() -> None:
    """Then nothing is copied."""
    assert not has_dictionaries(pa.schema([("a", pa.list_(pa.string())), ("b", pa.int64())]))
    assert has_dictionaries(pa.schema([("a", pa.struct([("b", pa.list_(CODED))]))]))
