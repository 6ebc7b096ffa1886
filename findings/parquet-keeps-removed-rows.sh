#!/usr/bin/env bash
# A row that is filtered out of a table is still in the Parquet file that is written of the rest, if its column is
# dictionary-encoded in memory: PyArrow's filter keeps the dictionary, its writer writes all of it, and so does pandas for
# a category (which is how many tables of web pages hold hosts, languages or titles). No row names the value any more, and
# everyone who opens the file can read it. Polars and DuckDB write only values that some row has. One would have guessed
# that of all of them: who removes rows for an opt-out or an erasure sees no difference in the rows.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pyarrow==26.0.1 pandas==3.1.1 polars==2.1.0 duckdb==2.0.1
cat > remove.py <<'END'
import sys

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet

TEXTS = ["a page that must go", "a page that stays"]


def pyarrow_file(name):
    table = pyarrow.table({"text": pyarrow.array(TEXTS).dictionary_encode()})
    stays = pyarrow.array([False, True])
    pyarrow.parquet.write_table(table.filter(stays), name, compression="none")


def pandas_file(name):
    frame = pandas.DataFrame({"text": pandas.Categorical(TEXTS)})
    frame[frame.text == TEXTS[1]].to_parquet(name, compression=None)


def polars_file(name):
    frame = polars.DataFrame({"text": TEXTS}, schema={"text": polars.Categorical})
    frame.filter(polars.col("text") == TEXTS[1]).write_parquet(name, compression="uncompressed")


def duckdb_file(name):
    table = pyarrow.table({"text": pyarrow.array(TEXTS).dictionary_encode()})
    pyarrow.parquet.write_table(table, "old.parquet")
    rows = f"SELECT * FROM 'old.parquet' WHERE text = '{TEXTS[1]}'"
    duckdb.sql(f"COPY ({rows}) TO '{name}' (COMPRESSION 'uncompressed')")


found = {}
for write in (pyarrow_file, pandas_file, polars_file, duckdb_file):
    name = write.__name__.replace("_file", "")
    write(f"{name}.parquet")
    rows = pyarrow.parquet.read_table(f"{name}.parquet").column("text").to_pylist()
    content = open(f"{name}.parquet", "rb").read()
    found[name] = rows, TEXTS[0].encode() in content
    print(f"{name}: rows {rows}; the removed text is in the file: {found[name][1]} (guessed: False)")
expected = {name: (TEXTS[1:], name in {"pyarrow", "pandas"}) for name in found}
sys.exit(0 if found == expected else f"changed: it was {expected}")
END
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(pyarrow|pandas|polars|duckdb) '
venv/bin/python remove.py
