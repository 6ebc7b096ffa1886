"""Good tables that are changed byte by byte and column by column, each read by a command.

Scope: a program of its own, as a changed file may end the process that reads it. It prints for
each case what became of it. A case is named by its number, so that it is the same in every run.
"""

import contextlib
import json
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from goodbot.cli.program import run
from goodbot.tables.building import build_policies
from tests.support.program_server import load_program

__all__ = ["BYTES", "COLUMNS", "NAMES"]

NAMES = ("answers.parquet", "policies.parquet", "policies.arrow", "stream.arrow", "urls.parquet")
BYTES, COLUMNS = "bytes", "columns"
SITES = [f"https://{one}.example" for one in "abcd"]
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
SECONDS = 60
"""After which a command that hangs is ended."""
CRASHED = 99
ANSWERED = (0, 1)
REFUSED = 2
FAR = (-(2**63) + 1, 2**63 - 1, -62_135_596_801, 253_402_300_800, 253_402_300_799_999_999)


def write_good(folder: Path) -> None:
    """Write the good tables."""
    count = 8
    answers = {
        "url": [f"{SITES[one % 4]}/robots.txt" for one in range(count)],
        "time": [NOON + timedelta(hours=one) for one in range(count)],
        "status": [200, 404, 500, 200] * 2,
        "body": [b"User-agent: *\nDisallow: /%d" % one for one in range(count)],
        "headers": [[{"name": "content-type", "value": "text/plain"}]] * count,
    }
    pq.write_table(pa.table(answers), folder / "answers.parquet")
    urls = {
        "url": [f"{SITES[one % 4]}/{one}" for one in range(30)],
        "fetch_time": [NOON + timedelta(minutes=one) for one in range(30)],
    }
    pq.write_table(pa.table(urls), folder / "urls.parquet")
    for name in ("policies.parquet", "policies.arrow"):
        build_policies([folder / "answers.parquet"], folder / name)
    table = read(folder / "policies.arrow")
    with pa.ipc.new_stream(str(folder / "stream.arrow"), table.schema) as writer:
        writer.write_table(table)


def commands(name: str, changed: Path, good: Path, out: Path) -> Iterator[list[str]]:
    """Yield the commands that read a table."""
    robot = ["--robot", "GPTBot", "-o", f"{out}.parquet"]
    if name == "answers.parquet":
        yield ["tables", "build", str(changed), "-o", f"{out}.parquet"]
    elif name == "urls.parquet":
        policies = ["--policies", str(good / "policies.parquet")]
        yield ["tables", "verdicts", "--urls", str(changed), *policies, *robot]
    else:
        yield ["tables", "show", str(changed), SITES[0]]
        yield ["tables", "merge", str(changed), "-o", f"{out}.arrow"]
        urls = ["--urls", str(good / "urls.parquet")]
        yield ["tables", "verdicts", *urls, "--policies", str(changed), *robot]


def read(path: Path) -> Any:  # noqa: ANN401  a pyarrow.Table
    """Return a good table."""
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return pa.ipc.open_file(path).read_all()


def write(table: Any, path: Path, name: str) -> None:  # noqa: ANN401  a pyarrow.Table
    """Write a changed table in the form that its name says."""
    if path.suffix == ".parquet":
        pq.write_table(table, path)
        return
    new = pa.ipc.new_stream if name == "stream.arrow" else pa.ipc.new_file
    with new(str(path), table.schema) as writer:
        writer.write_table(table)


def changed_bytes(good: Path, number: int) -> bytes:
    """Return a good file with some bytes changed, cut, or doubled."""
    chance = random.Random(f"{good.name} {number}")  # noqa: S311  no secret
    content = bytearray(good.read_bytes())
    # What a file says of itself is at its end, and has more effect.
    first = len(content) // 2 if number % 2 else 0
    kind = number % 5
    if kind == 4:
        place = chance.randrange(len(content))
        return bytes(content[:place] + content[place + chance.randrange(9) :])
    for _ in range((1, 1, 2, 6)[kind]):
        value = chance.choice([0, 1, 127, 128, 255, chance.randrange(256)])
        content[chance.randrange(first, len(content))] = value
    return bytes(content)


def bad_text(count: int) -> Any:  # noqa: ANN401  a pyarrow.Array
    """Return strings that are not UTF-8."""
    octets = pa.array([b"\xff\xfe \xed\xa0\x80"] * count, pa.binary())
    return pa.Array.from_buffers(pa.string(), count, octets.buffers())


def column_changes(count: int) -> list[Callable[[Any], Any]]:
    """Return what is put in the place of a column with so many rows."""
    kinds = [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in ("UTC", None)]
    times = [pa.array([far] * count, kind) for kind in kinds for far in FAR]
    pairs = [{"name": None, "value": None}]
    others = [
        pa.nulls(count), pa.array([2**63 - 1] * count), pa.array([float("inf")] * count),
        pa.array(["9" * 5_000] * count), pa.array([b"\xff" * 9] * count), bad_text(count),
        pa.array([[None]] * count, pa.list_(pa.string())), pa.array([pairs] * count),
        pa.array([True] * count), pa.array(["x"] * count).dictionary_encode(),
        pa.array([""] * count), pa.array([None, *["https://a.example"] * (count - 1)]),
        pa.array([None, *[NOON] * (count - 1)]), pa.array([None, *[b""] * (count - 1)]),
        pa.array(["x"] * count, pa.large_string()), pa.array(["x"] * count, pa.string_view()),
    ]  # fmt: skip
    found: list[Callable[[Any], Any]] = [partial(instead, other) for other in times + others]
    return [*found, lambda column: pa.nulls(len(column), column.type)]


def instead(other: Any, _column: Any) -> Any:  # noqa: ANN401  PyArrow has no types
    """Return another column in place of one."""
    return other


def changed_columns(good: Path) -> Iterator[Any]:
    """Yield good tables with one column changed, missing, doubled, or with another name."""
    source = good.with_name("policies.arrow") if good.name == "stream.arrow" else good
    table = read(source)
    for place, name in enumerate(table.column_names):
        for change in column_changes(table.num_rows):
            yield table.set_column(place, name, change(table.column(place)))
        yield table.append_column(name, table.column(place))
        yield table.drop_columns([name])
        yield table.set_column(place, name, table.column(place)).replace_schema_metadata()


def outcome(words: list[str], log: Path) -> str:
    """Run a command in a process of its own; return what became of it."""
    child = os.fork()
    if child == 0:
        descriptor = os.open(log, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        signal.alarm(SECONDS)
        status = CRASHED
        try:
            status = int(run(words))
            sys.stdout.flush()
        except BaseException:  # noqa: BLE001  whatever leaves it is what is looked for
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(status)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    said = log.read_text(errors="replace")
    if ended < 0:
        return f"signal {-ended}: {words}"
    if "Traceback" in said or ended == CRASHED:
        return f"traceback: {said.strip().splitlines()[-1]}: {words}"
    if ended in ANSWERED:
        return "result"
    return "refused" if ended == REFUSED and "Error: " in said else f"exit {ended}: {said}"


def cases(kind: str, good: Path, changed: Path, numbers: range) -> Iterator[int]:
    """Write one changed table after another; yield the number of each."""
    if kind == BYTES:
        for number in numbers:
            changed.write_bytes(changed_bytes(good, number))
            yield number
        return
    for number, table in enumerate(changed_columns(good)):
        if number % numbers.step == numbers.start:
            try:
                write(table, changed, good.name)
            except (pa.ArrowException, ValueError):  # Parquet has no such type
                continue
            yield number


def main(folder: Path, jobs: list[tuple[str, str, range]]) -> None:
    """Print for each kind of change and table how often each outcome was seen."""
    pa.set_cpu_count(1)
    load_program()
    good, work = folder / "good", folder / "work"
    good.mkdir()
    write_good(good)
    work.mkdir()
    for kind, name, numbers in jobs:
        print(json.dumps([kind, name, outcomes(kind, name, numbers, good, work)]))  # noqa: T201  the result


def outcomes(kind: str, name: str, numbers: range, good: Path, work: Path) -> dict[str, int]:
    """Return how often each outcome was seen."""
    seen: dict[str, int] = {}
    for _ in cases(kind, good / name, work / name, numbers):
        for words in commands(name, work / name, good, work / "out"):
            found = outcome(words, work / "log")
            seen[found] = seen.get(found, 0) + 1
            for left in work.glob("out*"):
                with contextlib.suppress(OSError):
                    left.unlink()
    return seen


if __name__ == "__main__":
    main(
        Path(sys.argv[1]),
        [(kind, name, range(*numbers)) for kind, name, *numbers in json.loads(sys.argv[2])],
    )
