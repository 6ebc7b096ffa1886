"""A table of policies is read in the dialect that it was reckoned in, whichever library has it."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import goodbot
import goodbot.tables.pandas
from goodbot.tables import duckdb as in_duckdb
from goodbot.tables import pyarrow as in_pyarrow
from goodbot.tables.building import build_policies, open_policies
from goodbot.tables.columns import PolicyTable, allows, verdicts
from goodbot.tables.columns.schema import DIALECT_KEY, VERSION_KEY

assert goodbot.tables.pandas  # it registers the accessor

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
SITE = "https://a.example"
URL = [f"{SITE}/p/x"]
BODY = b"User-agent: *\nDisallow: /p\nAllow: /p/x\n"
"""Disallowed in koster1994, which has no Allow; allowed in rfc9309, by the longest match."""

LIBRARIES: dict[str, Callable[[str], Any]] = {
    "pyarrow": pq.read_table,
    "Polars": pl.read_parquet,
    "DuckDB": lambda path: duckdb.sql(f"FROM '{path}'"),
    "pandas": pd.read_parquet,
    "a reader": lambda path: pq.read_table(path).to_reader(),
}


@pytest.fixture
def built(tmp_path: Path) -> str:
    """Return the path of a table that was built in koster1994."""
    source = {"url": [f"{SITE}/robots.txt"], "time": [NOON], "status": [200], "body": [BODY]}
    pq.write_table(pa.table(source), tmp_path / "captures.parquet")
    path = tmp_path / "policies.parquet"
    build_policies([tmp_path / "captures.parquet"], path, dialect="koster1994")
    return str(path)


def by_hand(**more: Any) -> pa.Table:  # noqa: ANN401
    """Return a table with the columns that verdicts need."""
    return pa.table(
        {
            "origin": [SITE], "valid_from": [NOON], "valid_until": [NOON + timedelta(days=1)],
            "access": ["rules"], "reason": ["found"], "stale": [False], "body": [BODY], **more,
        }
    )  # fmt: skip


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_keeps_the_dialect(built: str, library: str) -> None:
    """Most lose the metadata of a file, so that a column states the dialect, too."""
    table = LIBRARIES[library](built)
    assert allows(URL, table, "ExampleBot", NOON).tolist() == [False]
    assert PolicyTable(LIBRARIES[library](built)).dialect == "koster1994"


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_keeps_the_facts(tmp_path: Path, library: str) -> None:
    """RFC 9309 forbids everything after a 429, and Yandex's robots go on: reckoned from facts."""
    source = {"url": [f"{SITE}/robots.txt"], "time": [NOON], "status": [429], "body": [b""]}
    pq.write_table(pa.table(source), tmp_path / "captures.parquet")
    path = str(tmp_path / "policies.parquet")
    build_policies([tmp_path / "captures.parquet"], path)
    table = PolicyTable(LIBRARIES[library](path))
    found = verdicts(URL, table, ["ExampleBot", "YandexBot"], NOON).to_pydict()
    assert found == {"ExampleBot": [False], "YandexBot": [True]}


@pytest.mark.parametrize("library", LIBRARIES)
def test_without_any_statement_a_built_table_is_refused(tmp_path: Path, library: str) -> None:
    """Its facts show that it was built; in which dialect, only the caller can know."""
    source = {"url": [f"{SITE}/robots.txt"], "time": [NOON], "status": [200], "body": [BODY]}
    pq.write_table(pa.table(source), tmp_path / "captures.parquet")
    path = tmp_path / "policies.parquet"
    build_policies([tmp_path / "captures.parquet"], path, dialect="koster1994")
    bare = pq.read_table(path).drop_columns(["dialect"]).replace_schema_metadata(None)
    pq.write_table(bare, tmp_path / "bare.parquet")
    read = LIBRARIES[library]
    with pytest.raises(goodbot.WrongValueError, match="has lost its metadata"):
        allows(URL, read(str(tmp_path / "bare.parquet")), "ExampleBot", NOON)
    for dialect, allowed in (("koster1994", False), ("rfc9309", True)):
        table = read(str(tmp_path / "bare.parquet"))
        assert allows(URL, table, "ExampleBot", NOON, dialect=dialect).tolist() == [allowed]
    assert len(PolicyTable(bare.slice(0, 0))) == 0


def test_metadata_alone_state_it_too(built: str) -> None:
    """A table without the column is read as its metadata say."""
    table = pq.read_table(built).drop_columns(["dialect"])
    assert allows(URL, table, "ExampleBot", NOON).tolist() == [False]
    hand_made = by_hand().replace_schema_metadata({DIALECT_KEY: b"koster1994"})
    assert allows(URL, hand_made, "ExampleBot", NOON).tolist() == [False]
    assert allows(URL, by_hand(), "ExampleBot", NOON).tolist() == [True]
    assert allows(URL, by_hand(), "ExampleBot", NOON, dialect="koster1994").tolist() == [False]


def test_the_adapters_take_a_dialect() -> None:
    """For a table that does not state it."""
    hand_made = by_hand()
    with duckdb.connect() as connection:
        in_duckdb.register(connection, hand_made, dialect="koster1994")
        asked = f"SELECT robots_allows('{URL[0]}', 'ExampleBot')"
        assert connection.execute(asked).fetchall() == [(False,)]
    robots = in_pyarrow.register(hand_made, prefix="dialects", dialect="koster1994")
    rows = pa.table({"url": URL})
    assert rows.filter(robots.allows("url", "ExampleBot")).num_rows == 0
    series: Any = pd.Series(URL)
    answers = series.robots.allows("ExampleBot", hand_made, dialect="koster1994")
    assert answers.tolist() == [False]


def test_statements_that_differ_are_refused(built: str) -> None:
    """No verdict is given, as either may be wrong."""
    table = pq.read_table(built)
    with pytest.raises(goodbot.WrongValueError, match="reckoned in koster1994, as its metadata"):
        allows(URL, table, "ExampleBot", dialect="rfc9309")
    with pytest.raises(goodbot.WrongValueError, match="koster1994, as its column dialect"):
        PolicyTable(pl.read_parquet(built), dialect="rfc9309")
    with pytest.raises(goodbot.WrongValueError, match="koster1994"):
        allows(URL, open_policies(built), "ExampleBot", dialect="rfc9309")
    assert open_policies(built, dialect="koster1994").dialect == "koster1994"
    other = table.replace_schema_metadata({DIALECT_KEY: b"rfc9309"})
    with pytest.raises(goodbot.WrongValueError, match="the metadata of the table"):
        PolicyTable(other)
    both = pa.concat_tables([by_hand(dialect=["google"]), by_hand(dialect=["bing"])])
    with pytest.raises(goodbot.WrongValueError, match="several dialects, google and bing"):
        PolicyTable(both)
    unknown: Any = by_hand(dialect=["esperanto"])
    with pytest.raises(goodbot.UnknownDialectError, match="esperanto"):
        PolicyTable(unknown)


@pytest.mark.parametrize("names", ["string", "dictionary", "null"])
def test_every_form_of_the_column(names: str) -> None:
    """A dictionary, as it is written, or strings; nulls state nothing."""
    column = {
        "string": pa.array(["koster1994"]),
        "dictionary": pa.array(["koster1994"]).dictionary_encode(),
        "null": pa.nulls(1),
    }[names]
    expected = names == "null"
    assert allows(URL, by_hand(dialect=column), "ExampleBot").tolist() == [expected]


def test_another_version_is_refused() -> None:
    """Whether a file or an open table has it."""
    table = by_hand().replace_schema_metadata({VERSION_KEY: b"2"})
    with pytest.raises(goodbot.MisuseError, match="version '2' of the table of policies"):
        PolicyTable(table)
    assert len(PolicyTable(by_hand().replace_schema_metadata({VERSION_KEY: b"1"}))) == 1


def test_metadata_need_not_be_text() -> None:
    """What else is in the metadata does not matter."""
    table = by_hand().replace_schema_metadata({DIALECT_KEY: b"koster1994", b"x": b"\xff\x00"})
    assert PolicyTable(table).dialect == "koster1994"


@pytest.mark.parametrize(
    ("origin", "cure"),
    [
        ("https://a.example/", "write https://a.example,"),
        ("https://A.example", "write https://a.example,"),
        ("HTTPS://a.example", "write https://a.example,"),
        ("https://a.example:443", "write https://a.example,"),
        ("http://a.example:80", "write http://a.example,"),
        ("https://bücher.example", "write https://xn--bcher-kva.example,"),
        ("https://u:p@a.example", "write https://a.example,"),
        ("a.example", "write one such as https://example.com,"),
        ("ftp://a.example", "write one such as"),
        ("https://", "write one such as"),
    ],
)
def test_an_origin_in_another_form_is_refused(origin: str, cure: str) -> None:
    """It would match no URL, and nothing would be known of its site."""
    for column in (pa.array([origin]), pa.array([origin]).dictionary_encode()):
        table = by_hand(origin=column)
        with pytest.raises(goodbot.WrongValueError, match=f"origin is .*; {cure}"):
            PolicyTable(table)


@pytest.mark.parametrize(
    "origin",
    ["http://a.example", "https://a.example:8443", "http://[::1]:8080", "https://10.0.0.1",
     "http://a.example:443", "https://xn--bcher-kva.example", "https://a_b.example."],
)  # fmt: skip
def test_other_origins_are_opened(origin: str) -> None:
    """With ports, addresses and encoded names."""
    url = f"{origin}/p/x"
    assert allows([url], by_hand(origin=[origin]), "ExampleBot").tolist() == [True]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), "dictionary"])
def test_each_row_states_the_dialect(kind: Any) -> None:  # noqa: ANN401
    """Long columns of one text are recognised at once, and others are read to their end."""
    rows = pa.concat_tables([by_hand()] * 100).combine_chunks()
    for names, expected in (
        (["koster1994"] * 100, "koster1994"),
        ([None] * 99 + ["koster1994"], "koster1994"),
        ([None] * 100, "rfc9309"),
        (["google"] * 99 + ["aipref"], None),
        (["google"] * 50 + ["bing"] * 50, None),
        (["kollar1996"] * 99 + ["conner1996"], None),
    ):
        column = pa.array(names, pa.string())
        column = column.dictionary_encode() if kind == "dictionary" else column.cast(kind)
        table = rows.append_column("dialect", column)
        if expected is None:
            with pytest.raises(goodbot.WrongValueError, match="several dialects"):
                PolicyTable(table)
        else:
            assert PolicyTable(table).dialect == expected
            assert PolicyTable(table.slice(3, 7)).dialect in {expected, "rfc9309"}
