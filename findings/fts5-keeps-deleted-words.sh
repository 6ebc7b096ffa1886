#!/usr/bin/env bash
# The words of a row that was deleted stay in a full-text index of SQLite: DELETE adds markers, and the words go when the
# index happens to be merged. PRAGMA secure_delete, which overwrites deleted content with zeros, and VACUUM, which writes
# the file anew, both copy them as they are, because for them they are content of a table; the row is found by no query.
# One would have guessed that the two leave nothing of a deleted row (SQLite 3.54.1, as apsw 3.54.1.0 has it). Only
# 'optimize', which merges all of the index, or its own option 'secure-delete' removes them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check apsw==3.54.1.0
cat > delete.py <<'END'
import sys

import apsw

WORD = "letterofmay"
WAYS = {
    "DELETE": ([], []),
    "DELETE, secure_delete and VACUUM": (["PRAGMA secure_delete = ON"], ["VACUUM"]),
    "the same, and optimize": (["PRAGMA secure_delete = ON"], ["INSERT INTO page(page) VALUES('optimize')", "VACUUM"]),
    "FTS5's secure-delete, and VACUUM": (["INSERT INTO page(page, rank) VALUES('secure-delete', 1)"], ["VACUUM"]),
}
found = {}
for number, (way, (before, behind)) in enumerate(WAYS.items()):
    database = apsw.Connection(f"{number}.db")
    database.execute("CREATE VIRTUAL TABLE page USING fts5(text)")
    for row in range(300):
        database.execute("INSERT INTO page(text) VALUES(?)", (f"page {row} of many",))
    database.execute("INSERT INTO page(rowid, text) VALUES(999, ?)", (f"{WORD} must go",))
    for statement in before:
        database.execute(statement)
    database.execute("DELETE FROM page WHERE rowid = 999")
    for statement in behind:
        database.execute(statement)
    hits = database.execute("SELECT count(*) FROM page WHERE page MATCH ?", (WORD,)).fetchone()[0]
    database.close()
    found[way] = hits, WORD[3:].encode() in open(f"{number}.db", "rb").read()
    print(f"{way}: {hits} rows found; the word is in the file: {found[way][1]}")
print(f"SQLite {apsw.sqlite_lib_version()}")
expected = dict(zip(WAYS, [(0, True), (0, True), (0, False), (0, False)]))
sys.exit(0 if found == expected else f"changed: it was {expected}")
END
venv/bin/python delete.py
