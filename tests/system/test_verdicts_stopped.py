"""`goodbot tables verdicts` on a disk that is really full, and stopped by Ctrl-C: it can go on."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support import program
from tests.support.columns.captures import policies
from tests.support.program import GOODBOT, environment
from tests.support.small_disk import LARGE, mount, small_disk
from tests.support.waiting import HANGS

PART = 500_000
"""The rows of a part; see `goodbot.tables.writing.job`."""


def write_sources(folder: Path, parts: int) -> tuple[str, ...]:
    """Write policies and URLs, and return the arguments that name them.

    The copied column is small in the first part, and in each other part larger than a small disk.
    """
    pq.write_table(policies(), folder / "policies.parquet")
    numbers = np.random.default_rng(1)
    hosts = pa.array(["https://a.example/private", "https://b.example/", "https://c.example/"])
    schema = pa.schema([("url", pa.string()), ("number", pa.int64())])
    with pq.ParquetWriter(folder / "urls.parquet", schema) as writer:
        for part in range(parts):
            urls = hosts.take(pa.array(numbers.integers(0, len(hosts), PART)))
            copied = numbers.integers(0, 2**62, PART) if part else np.zeros(PART, dtype=np.int64)
            writer.write_table(pa.table([urls, pa.array(copied)], schema=schema))
    files = ("--urls", str(folder / "urls.parquet"), "--policies", str(folder / "policies.parquet"))
    return ("tables", "verdicts", *files, "--robot", "GPTBot", "--copy", "number", "--json")


def check(output: Path, words: tuple[str, ...], summary: dict[str, Any]) -> None:
    """Compare an output that was written in two runs with that of one run."""
    whole = output.with_name("whole.parquet")
    done = program.run(*words, "-o", str(whole), env=environment())
    assert done.returncode == 0, done.stderr
    expected = json.loads(done.stdout)
    assert pq.read_table(output).equals(pq.read_table(whole))
    assert summary["robots"] == expected["robots"]
    assert 0 < summary["resumed"] < summary["urls"] == expected["urls"]
    assert sorted(one.name for one in output.parent.iterdir()) == [output.name, whole.name]


def is_unfinished(output: Path) -> bool:
    """Return whether an output has been begun, and nothing looks like a whole one."""
    beside = (output.with_name(f"{output.name}.{end}") for end in ("partial", "journal"))
    return not output.exists() and all(one.exists() for one in beside)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts file systems")
def test_a_full_disk(tmp_path: Path) -> None:
    """The message says what to do, the output does not exist, and with room it is completed."""
    words = write_sources(tmp_path, 3)
    with small_disk(tmp_path / "disk") as disk:
        output = disk / "out.parquet"
        done = program.run(*words, "-o", str(output), env=environment())
        assert done.returncode == 2
        complaints = " ".join(done.stderr.decode().split())
        assert "was not written; make room" in complaints
        assert f"stopped after {PART:,} of {3 * PART:,} URLs. Nothing is lost" in complaints
        assert "Traceback" not in complaints
        assert is_unfinished(output)
        with pytest.raises(pa.ArrowInvalid):
            pq.read_table(output.with_name("out.parquet.partial"))

        mount(disk, f"remount,{LARGE}")
        done = program.run(*words, "-o", str(output), env=environment())
        assert done.returncode == 0, done.stderr
        summary = json.loads(done.stdout)
        assert summary["resumed"] == PART
        check(output, words, summary)


def test_ctrl_c(tmp_path: Path) -> None:
    """The process ends at once with 130, and the same command continues after the last part."""
    words = write_sources(tmp_path, 12)
    (tmp_path / "out").mkdir()
    output = tmp_path / "out" / "out.parquet"
    journal = output.with_name("out.parquet.journal")
    with subprocess.Popen(  # noqa: S603  our own program
        [*GOODBOT, *words, "-o", str(output)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        # A line for what the run is, and one for each part; the first part is reported by now.
        while not journal.exists() or journal.read_bytes().count(b"\n") < 3:
            assert process.poll() is None, process.communicate()
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        printed, complaints = process.communicate(timeout=HANGS)
    assert (process.returncode, printed) == (130, "")
    assert "Nothing is lost: the same command continues" in " ".join(complaints.split())
    assert "Traceback" not in complaints
    assert is_unfinished(output)
    done = program.run(*words, "-o", str(output), env=environment())
    assert done.returncode == 0, done.stderr
    check(output, words, json.loads(done.stdout))
