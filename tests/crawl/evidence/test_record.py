"""Signed records of crawls: strangers check them by the page alone, and forgeries are found.

Source: RFC 7515 (signatures), RFC 8785 (the one form of JSON), RFC 3161 (time stamps).
"""

from __future__ import annotations

import base64
import contextlib
import copy
import io
import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from cryptography.exceptions import InvalidSignature

from goodbot.crawl.evidence.record import RecordSigner, canonical, sign_statement
from goodbot.crawl.folder.database import Database
from goodbot.signatures.archive_key import ArchiveKey
from tests.support import program
from tests.support.paths import ROOT
from tests.support.timestamp_authority import open_authority

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.shop_site.crawled import ShopCrawl

PAGE = (ROOT / "docs/how-to/record-a-crawl.md").read_text(encoding="utf-8")
CHECK, NUMBERS = (
    "\n".join(line.removeprefix("   ") for line in block.splitlines())
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
)
COMPILED = compile(CHECK, "check.py", "exec")
SCHEMA = json.loads((ROOT / "docs/reference/crawl-record.schema.json").read_bytes())
FOUND = (InvalidSignature, StopIteration, SystemExit, ValueError, KeyError)
"""How the program of the page ends if something is wrong."""


@pytest.fixture(scope="module")
def folder(shop_crawl: ShopCrawl, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a record as a user does, and the program of the page."""
    folder = tmp_path_factory.mktemp("record")
    for words in (
        ("robot", "identity", "new", "me", "--url", "https://bot.example/keys.json"),
        ("robot", "identity", "publish", "me", "--out", "keys.json"),
        ("evidence", shop_crawl.folder, "--record", "record.json", "--rows", "rows.jsonl",
         "--sign", "me"),
    ):  # fmt: skip
        done = program.run(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
    (folder / "check.py").write_text(CHECK, encoding="utf-8")
    (folder / "numbers.py").write_text(NUMBERS, encoding="utf-8")
    return folder


def read(folder: Path) -> dict[str, Any]:
    """Return the record."""
    found: dict[str, Any] = json.loads((folder / "record.json").read_bytes())
    return found


def check(folder: Path, record: bytes, rows: bytes | None = None, keys: bytes | None = None) -> str:
    """Run the program of the page on other files, and return what it prints."""
    paths = []
    for name, content in (("record.json", record), ("keys.json", keys), ("rows.jsonl", rows)):
        path = folder / name
        if content is not None:
            path = folder / f"other-{name}"
            path.write_bytes(content)
        paths.append(str(path))
    before, output = sys.argv, io.StringIO()
    sys.argv = ["check.py", *paths]
    try:
        with contextlib.redirect_stdout(output):
            exec(COMPILED, {"__name__": "__main__"})  # noqa: S102  the program of the page
    finally:
        sys.argv = before
    return output.getvalue()


def test_a_stranger_checks_a_record_by_the_page_alone(folder: Path) -> None:
    """Twenty lines, with cryptography and without goodbot."""
    lines = [line for line in CHECK.splitlines() if line.strip()]
    assert len(lines) == 20
    assert "goodbot" not in CHECK + NUMBERS
    command = [sys.executable, "-I", "check.py", "record.json", "keys.json", "rows.jsonl"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603  ours
    key = read(folder)["statement"]["signed_by"]["key"]
    assert (done.returncode, done.stdout) == (0, f"Signed by {key}\n"), done.stderr


def test_the_numbers_follow_from_the_rows(folder: Path) -> None:
    """As the page computes them."""
    command = [sys.executable, "-I", "numbers.py", "rows.jsonl"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603  ours
    statement = read(folder)["statement"]
    told = (statement["requests"], statement["shortest_pause_us"])
    assert done.stdout.split() == [
        *map(str, told), str(statement["exceptions"]["early"]["count"]),
    ]  # fmt: skip
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_bytes().splitlines()]
    kinds = [one["kind"] for one in rows]
    assert kinds == sorted(kinds)  # policy, request, visit
    assert {kind: one["count"] for kind, one in statement["rows"].items()} == {
        kind: kinds.count(kind) for kind in ("policy", "request", "visit")
    }
    requests = [one for one in rows if one["kind"] == "request"]
    for origin in statement["origins"]:
        mine = [one for one in requests if one["origin"] == origin["origin"]]
        assert origin["requests"] == len(mine)
        assert origin["requests_for_pages"] == sum(one["purpose"] == "page" for one in mine)
        assert origin["first_request"] == min(one["started"] for one in mine)
        assert origin["last_request"] == max(one["started"] for one in mine)
        assert [one["sha256"] for one in origin["policies"]] == [
            one["sha256"] for one in rows
            if one["kind"] == "policy" and one["origin"] == origin["origin"]
        ]  # fmt: skip
    failures = statement["exceptions"]["failed_requests"]
    assert sum(failures.values()) == sum(one["failure"] is not None for one in requests)
    assert sum(failures.values()) > 0


def test_the_record_is_as_its_schema_says(folder: Path) -> None:
    """Every field is described, and none is missing."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    record = read(folder)
    validator.validate(record)
    for name in record["statement"]:
        less = copy.deepcopy(record)
        del less["statement"][name]
        assert not validator.is_valid(less), name


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401  of JSON
    """Yield the path of each value that is no list or object, and of each empty one."""
    if isinstance(value, dict | list) and value:
        for name, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(child, (*path, name))
    else:
        yield path


def changed(value: Any) -> Any:  # noqa: ANN401  of JSON
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "0"
    return ["0"] if isinstance(value, list) else "0"


def test_each_changed_field_is_found(folder: Path) -> None:
    """Every value of the statement and of the signature; and each one removed."""
    record = read(folder)
    documents = ("statement", "knowledge", "documents")
    paths = [
        path
        for path in leaves({"statement": record["statement"], "signature": record["signature"]})
        if path[:3] != documents or path[3] % 50 == 0
    ]
    assert len(paths) > 60
    for path in paths:
        for is_removed in (False, True):
            forged = copy.deepcopy(record)
            place = forged
            for name in path[:-1]:
                place = place[name]
            if is_removed:
                del place[path[-1]]
            else:
                place[path[-1]] = changed(place[path[-1]])
            with pytest.raises(FOUND):
                check(folder, json.dumps(forged).encode())
    more = copy.deepcopy(record)
    more["statement"]["note"] = "approved"
    with pytest.raises(FOUND):
        check(folder, json.dumps(more).encode())


def test_a_record_that_is_written_in_another_way_is_the_same(folder: Path) -> None:
    """Order, white space and escapes do not count, but the last of two names does."""
    record = read(folder)
    key = record["statement"]["signed_by"]["key"]
    again = json.dumps(dict(reversed(record.items())), sort_keys=True, indent=9)
    assert check(folder, again.encode()) == f"Signed by {key}\n"
    twice = again.replace('"requests": ', '"requests": 1, "requests": ')
    assert check(folder, twice.encode()) == f"Signed by {key}\n"
    with pytest.raises(FOUND):
        check(folder, again.replace('"requests": ', '"requests": 1, "was": ').encode())


def test_other_rows_are_found(folder: Path) -> None:
    """A row changed or removed, wherever it is; two swapped; one twice or added; none; cut off."""
    record = (folder / "record.json").read_bytes()
    rows = (folder / "rows.jsonl").read_bytes().splitlines(keepends=True)
    assert check(folder, record, b"".join(rows))
    chosen = [*range(0, len(rows), 13), len(rows) - 1]
    for number in chosen:
        row = rows[number]
        for forged in (
            [*rows[:number], *rows[number + 1 :]],
            [*rows[:number], row.replace(b":", b": ", 1), *rows[number + 1 :]],
            [*rows[:number], row, *rows[number:]],
        ):
            with pytest.raises(FOUND):
                check(folder, record, b"".join(forged))
    # Rows of one kind have an order; how the kinds are mixed does not count.
    for number in chosen[1:]:
        kinds = [json.loads(one)["kind"] for one in rows[number - 1 : number + 1]]
        swapped = [*rows[: number - 1], rows[number], rows[number - 1], *rows[number + 1 :]]
        if kinds[0] == kinds[1]:
            with pytest.raises(FOUND):
                check(folder, record, b"".join(swapped))
    made_up = json.dumps({"kind": "request", "url": "https://shop.example/"}).encode() + b"\n"
    other = json.dumps({"kind": "note"}).encode() + b"\n"
    whole = b"".join(rows)
    for forged in ([whole, made_up], [whole, other], [b""], [whole[:-9]], [whole, b"\n"]):
        with pytest.raises(FOUND):
            check(folder, record, b"".join(forged))


def test_another_key_is_found(folder: Path) -> None:
    """It signs, but the published set lacks it; under the published name, the signature fails."""
    record, stranger = read(folder), ArchiveKey.new()
    keys = json.loads((folder / "keys.json").read_bytes())
    signer = RecordSigner(stranger, "https://bot.example/keys.json")
    statement = {**record["statement"], "requests": 1}
    for key in (record["statement"]["signed_by"]["key"], stranger.thumbprint):
        forged = sign_statement(
            {**statement, "signed_by": {"key": key, "keys_url": signer.url}}, signer
        )
        with pytest.raises(FOUND):
            check(folder, json.dumps(forged).encode())
    # In a set of the forger's own it verifies: whose URL that is, the reader must know.
    own = {"keys": [{**stranger.public.members(), "kid": stranger.thumbprint}]}
    told = check(folder, json.dumps(forged).encode(), keys=json.dumps(own).encode())
    assert told == f"Signed by {stranger.thumbprint}\n"
    for one in keys["keys"]:
        one["kid"] = "another"
    with pytest.raises(FOUND):
        check(folder, json.dumps(record).encode(), keys=json.dumps(keys).encode())


def test_a_record_that_is_cut_off_is_found(folder: Path) -> None:
    """Anywhere, and so is a signature."""
    content = (folder / "record.json").read_bytes()
    for length in range(0, len(content.rstrip()) - 1, 997):
        with pytest.raises(FOUND):
            check(folder, content[:length])
    record = read(folder)
    signature = record["signature"]["signature"]
    for forged in ("", signature[:-4], signature[:64], "A" * 128, signature[::-1]):
        record["signature"]["signature"] = forged
        with pytest.raises(FOUND):
            check(folder, json.dumps(record).encode())


def test_a_record_has_a_time_stamp_on_request(
    folder: Path, shop_crawl: ShopCrawl, tmp_path: Path
) -> None:
    """Openssl verifies it as the page says, and not that of another record."""
    with open_authority(tmp_path / "authority") as authority:
        records = []
        for name in ("a.json", "b.json"):
            words = ("--record", name, "--sign", folder / "me", "--timestamp", authority.url)
            done = program.run("evidence", shop_crawl.folder, *words, "--json", cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            told = json.loads(done.stdout)
            records.append(json.loads((tmp_path / name).read_bytes()))
            assert told["stamped"] == records[-1]["timestamp"]["at"]
            jsonschema.validate(records[-1], SCHEMA)
        one, two = records
        stamp = base64.b64decode(one["timestamp"]["response"])
        assert authority.verify(stamp, one["signature"]["signature"].encode())
        assert not authority.verify(stamp, two["signature"]["signature"].encode())


def test_the_record_of_an_import_has_no_requests(
    folder: Path, shop_crawl: ShopCrawl, tmp_path: Path
) -> None:
    """It has each robots.txt that was captured, and each capture."""
    for words in (
        ("archive", "export", shop_crawl.folder, "--wacz", "a.wacz"),
        ("archive", "import", "a.wacz", "--out", "then", "--robot", "ExampleBot"),
        ("evidence", "then", "--record", "a.json", "--rows", "a.jsonl", "--sign", folder / "me"),
    ):
        done = program.run(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    content = (tmp_path / "a.json").read_bytes()
    record = json.loads(content)
    jsonschema.validate(record, SCHEMA)
    statement = record["statement"]
    assert (statement["requests"], statement["shortest_pause_us"]) == (0, None)
    (origin,) = statement["origins"]
    assert origin["first_request"] is None
    assert [one["access"] for one in origin["policies"]] == ["rules"]
    assert check(folder, content, (tmp_path / "a.jsonl").read_bytes())


def test_early_requests_and_disallowed_visits_are_stated(
    folder: Path, shop_crawl: ShopCrawl, tmp_path: Path
) -> None:
    """A folder that shows them has a record that states them."""
    shop_crawl.copy(tmp_path / "crawl")
    with Database(tmp_path / "crawl") as database, database.changing() as connection:
        connection.execute("UPDATE requests SET started = started + 1, steady = steady - 999000 "
                           "WHERE id = 50")  # fmt: skip
        connection.execute("UPDATE evidence SET verdicts = replace(verdicts, '\"allowed\":true', "
                           "'\"allowed\":false') WHERE id = 9")  # fmt: skip
        overruled = "json_set(verdicts, '$.fetch.allowed', json('false'), '$.permission', 'hers')"
        connection.execute(f"UPDATE evidence SET verdicts = {overruled} WHERE id = 10")  # noqa: S608  our own words
    words = ("--record", "a.json", "--sign", folder / "me", "--json")
    done = program.run("evidence", "crawl", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "a.json").read_bytes())
    jsonschema.validate(record, SCHEMA)
    statement = record["statement"]
    early = statement["exceptions"]["early"]
    assert early["count"] == len(early["listed"]) == json.loads(done.stdout)["early"] > 0
    assert "requires" in early["listed"][0]["why"]
    assert statement["shortest_pause_us"] < 1_000_000
    disallowed = statement["exceptions"]["visited_although_disallowed"]
    assert (disallowed["count"], disallowed["permitted"]) == (2, 1)


def test_a_failure_leaves_no_record(folder: Path, shop_crawl: ShopCrawl, tmp_path: Path) -> None:
    """Neither the record nor the rows; and each message says what to do."""
    words = ("evidence", shop_crawl.folder, "--record", "a.json", "--rows", "b.jsonl")
    for more, told in (
        ((), b"--sign"),
        (("--sign", "nobody"), b"identity new"),
        (("--sign", folder / "me", "--timestamp", "http://127.0.0.1:9/"), b"no answer came"),
        (("--sign", folder / "me", "--export", "c.jsonl"), b"name one URL"),
    ):
        done = program.run(*words, *more, cwd=tmp_path)
        assert (done.returncode, told in done.stderr) == (2, True), done.stderr
    done = program.run("evidence", shop_crawl.folder, "https://shop.example/", "--sign", "me")
    assert (done.returncode, b"add --record" in done.stderr) == (2, True)
    assert not list(tmp_path.iterdir())


def test_the_form_is_that_of_rfc_8785() -> None:
    """What the statement may have: texts of every kind, whole numbers, truth values and nothing."""
    value = {"b": [1, True, None, -5], "a": {"é": '"\\/\b\f\n\r\t\x1f\x7f€'}, "": ""}
    assert canonical(value).decode() == (
        '{"":"","a":{"é":"\\"\\\\/\\b\\f\\n\\r\\t\\u001f\x7f€"},"b":[1,true,null,-5]}'
    )
