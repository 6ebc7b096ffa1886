"""A damaged file is named, and no error of the disk that is written to."""

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goodbot import MisuseError
from goodbot.tables.building import build_policies, merge_policies, open_policies, policy_timeline
from goodbot.tables.writing import write_verdicts

SITE = "https://a.example"
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with answers, a table of policies and URLs."""
    count = 1_000
    answers = {
        "url": [f"{SITE}/robots.txt"] * count, "time": [NOON] * count, "status": [200] * count,
        "body": [b"User-agent: %d\nDisallow: /" % number for number in range(count)],
    }  # fmt: skip
    pq.write_table(pa.table(answers), tmp_path / "answers.parquet")
    build_policies([tmp_path / "answers.parquet"], tmp_path / "policies.parquet")
    urls = pa.table({"url": [f"{SITE}/{number}" for number in range(count)]})
    pq.write_table(urls, tmp_path / "urls.parquet")
    return tmp_path


def damage(path: Path, *, in_footer: bool) -> None:
    """Change bytes of the pages or of the footer."""
    content = bytearray(path.read_bytes())
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    first, end = (footer, len(content) - 8) if in_footer else (4, footer)
    for place in range(first, end, 3):
        content[place] ^= 0x55
    path.write_bytes(content)


READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "build": ("answers", lambda at: build_policies([at / "answers.parquet"], at / "o.parquet")),
    "merge": ("policies", lambda at: merge_policies([at / "policies.parquet"], at / "o.parquet")),
    "show": ("policies", lambda at: policy_timeline(at / "policies.parquet", SITE)),
    "open": ("policies", lambda at: open_policies(at / "policies.parquet")),
    "verdicts": (
        "urls",
        lambda at: write_verdicts(
            at / "urls.parquet", at / "policies.parquet", "ExampleBot", at / "o.parquet"
        ),
    ),
}


@pytest.mark.parametrize("in_footer", [False, True])
@pytest.mark.parametrize(("name", "read"), READERS.values(), ids=READERS)
def test_a_damaged_file_is_named(
    files: Path, name: str, read: Callable[[Path], Any], *, in_footer: bool
) -> None:
    """Pyarrow raises errors of the system without a number or a name for it."""
    damage(files / f"{name}.parquet", in_footer=in_footer)
    with pytest.raises(MisuseError, match=rf"{name}\.parquet cannot be read as .*\(.+\); "):
        read(files)
    assert not (files / "o.parquet").exists()


@pytest.mark.parametrize("name", ["none.parquet", "none.arrow"])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    """So that the command does not take it for its output."""
    for read in (lambda path: policy_timeline(path, SITE), open_policies):
        with pytest.raises(FileNotFoundError) as error:
            read(tmp_path / name)
        assert error.value.filename == str(tmp_path / name)
