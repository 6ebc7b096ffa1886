"""Files whose columns have several types, and columns of one name: decided before a row is read."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import goodbot
from goodbot.tables.writing import UrlColumns, stored_columns, write_verdicts
from tests.support.columns.captures import ROBOTS, TIMES, URLS, UTC, policies


@pytest.fixture(params=["copied as stored", "encoded again"])
def here(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a table of policies, for both ways to copy columns."""
    least = 1 if request.param == "copied as stored" else 1 << 62
    monkeypatch.setattr(stored_columns, "LEAST_ROWS", least)
    pq.write_table(policies(), tmp_path / "policies.parquet")
    return tmp_path


def write(here: Path, *names: str, copied: list[str] | None = None, **options: Any) -> None:  # noqa: ANN401
    """Write verdicts on some files of a folder."""
    given = {"robots": ROBOTS, "output": here / "out.parquet", **options}
    given["columns"] = UrlColumns(at="fetched", copied=copied)
    write_verdicts([here / name for name in names], here / "policies.parquet", **given)


def whole(here: Path) -> pa.Table:
    """Return what was written; nothing else remains."""
    assert not [*here.glob("*.partial"), *here.glob("*.journal")]
    return pq.read_table(here / "out.parquet")


def of_rows(**columns: Any) -> pa.Table:  # noqa: ANN401
    """Return two rows."""
    return pa.table({"url": URLS[:2], "fetched": pa.array(TIMES[:2], UTC), **columns})


def stamps(unit: str, zone: str | None, *numbers: int) -> pa.Array:
    """Return times of a unit, with or without a zone."""
    return pa.array(numbers, pa.int64()).cast(pa.timestamp(unit, zone))


NOT_WHOLE = stamps("ns", "UTC", 1_767_272_400_000_000_001, 1_767_272_400_000_000_001)
MIXTURES: dict[str, tuple[str, Any, Any, Any]] = {
    "units": ("fetched", stamps("us", "UTC", 1, 2), NOT_WHOLE, pa.timestamp("ns", "UTC")),
    "zones": (
        "fetched", stamps("us", None, 1, 2), stamps("us", "Europe/Berlin", 1, 2),
        pa.timestamp("us", "UTC"),
    ),
    "integers": ("k", pa.array([1, 2], pa.int32()), pa.array([2**40, 3]), pa.int64()),
    "unsigned": (
        "k", pa.array([1, 2], pa.uint8()), pa.array([1, 2], pa.uint16()), pa.uint64(),
    ),
    "floats": ("k", pa.array([1, 2], pa.float32()), pa.array([1.5, 2.5]), pa.float64()),
    "strings": (
        "k", pa.array(["a", None]), pa.array(["b", "c"], pa.large_string()), pa.large_string(),
    ),
    "dictionaries": (
        "k", pa.array(["a", None]).dictionary_encode(), pa.array(["b", "c"]), pa.string(),
    ),
    "nulls": ("k", pa.nulls(2), pa.array([1, 2]), pa.int64()),
}  # fmt: skip


@pytest.mark.parametrize("kinds", MIXTURES.values(), ids=MIXTURES)
@pytest.mark.parametrize("turned", [False, True])
def test_files_with_several_types_of_a_column(here: Path, kinds: Any, turned: bool) -> None:  # noqa: ANN401, FBT001
    """The output has a type that has all their values."""
    name, *columns, expected = kinds
    for place, column in enumerate(reversed(columns) if turned else columns):
        pq.write_table(of_rows(**{name: column}), here / f"m{place}.parquet")
    write(here, "m0.parquet", "m1.parquet", copied=["url", name])
    found = whole(here)[name]
    assert found.type == expected
    pieces = [pq.read_table(here / f"m{place}.parquet")[name] for place in range(2)]
    values = [one for piece in pieces for one in piece.cast(expected).to_pylist()]
    assert found.to_pylist() == values


def test_a_column_without_nulls_beside_one_with(here: Path) -> None:
    """The output may have nulls."""
    schema = pa.schema([pa.field("url", pa.string(), nullable=False), ("fetched", UTC)])
    pq.write_table(of_rows().cast(schema), here / "m0.parquet")
    pq.write_table(of_rows(url=pa.array([None, URLS[0]])), here / "m1.parquet")
    write(here, "m0.parquet", "m1.parquet")
    assert whole(here)["url"].to_pylist() == [*URLS[:2], None, URLS[0]]


OTHER_TYPES = [
    ("k", pa.array([1, 2]), pa.array(["a", "b"]), "m1.parquet: the column 'k' is of string, which"),
    ("k", pa.array([1, 2]), pa.array([1.5, 2.5]), "the column 'k' is of double"),
    ("k", pa.array([1, 2]), pa.array([1, 2], pa.uint64()), "the column 'k' is of uint64"),
    (
        "fetched", stamps("us", "UTC", 2**60, 1), stamps("ns", "UTC", 1, 2),
        r"m0.parquet: the column 'fetched' is of timestamp\[us",
    ),
    ("fetched", pa.array(TIMES[:2], UTC), pa.array(["a", "b"]), "of string, not of times"),
    ("url", pa.array(URLS[:2]), pa.array([1, 2]), "m1.parquet: .* of int64, not of URLs"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "first", "second", "cure"), OTHER_TYPES)
def test_types_without_a_common_one_are_refused(
    here: Path,
    name: str,
    first: Any,  # noqa: ANN401
    second: Any,  # noqa: ANN401
    cure: str,
) -> None:
    """The message names the file, the column and the types."""
    pq.write_table(of_rows(**{name: first}), here / "m0.parquet")
    pq.write_table(of_rows(**{name: second}), here / "m1.parquet")
    with pytest.raises(goodbot.WrongTypeError, match=cure):
        write(here, "m0.parquet", "m1.parquet", copied=["url", name])


def test_what_the_footers_show_is_refused_before_anything_is_written(here: Path) -> None:
    """Types of times and URLs, and columns of one name."""
    twice = pa.table(
        [pa.array(URLS[:2])] * 2 + [pa.array(TIMES[:2], UTC)], ["url", "url", "fetched"]
    )
    pq.write_table(of_rows(fetched=pa.array(["a", "b"])), here / "text.parquet")
    pq.write_table(of_rows(url=pa.array([1, 2])), here / "number.parquet")
    pq.write_table(twice, here / "twice.parquet")
    for name, cure in (
        ("text.parquet", r"text.parquet: the column 'fetched' is of string, not of times"),
        ("number.parquet", r"number.parquet: the column 'url' is of int64, not of URLs"),
        ("twice.parquet", r"twice.parquet has 2 columns 'url'; rename one"),
    ):
        with pytest.raises(goodbot.MisuseError, match=cure):
            write(here, name)
        assert not [*here.glob("out.parquet*")]


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"copied": ["age"], "explain": True}, "age"),
        ({"copied": ["GPTBot:reason"], "explain": True}, "GPTBot:reason"),
        ({"robots": ["age"], "explain": True}, "age"),
        ({"robots": ["a", "a:reason"], "explain": True}, "a:reason"),
    ],
)
def test_each_column_has_its_own_name(here: Path, options: dict[str, Any], name: str) -> None:
    """With the reasons, the output has more columns."""
    more = {one: [0, 0] for one in options.get("copied", ())}
    pq.write_table(of_rows(**more), here / "c.parquet")
    with pytest.raises(goodbot.WrongValueError, match=f"two columns would be named '{name}'"):
        write(here, "c.parquet", **options)
    assert not [*here.glob("out.parquet*")]
    if "robots" not in options:
        write(here, "c.parquet", **{**options, "explain": False})
        assert whole(here).column_names == [*options["copied"], *ROBOTS]
