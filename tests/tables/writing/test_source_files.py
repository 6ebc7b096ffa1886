"""Which files have the URLs: what is skipped in folders, and what cannot be read."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import goodbot
from goodbot.cli.shared.error_messages import sentence
from goodbot.tables.writing import VerdictSummary, write_verdicts
from tests.support.columns.captures import policies

NOBODY = 65534
"""The number of a user who owns no file of the tests."""


@pytest.fixture
def here() -> Iterator[Path]:
    """Return a folder that every user can open, with policies and a folder of URLs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "urls").mkdir()
        pq.write_table(policies(), folder / "policies.parquet")
        urls(folder / "urls" / "a.parquet", 3)
        yield folder


def urls(path: Path, count: int) -> None:
    """Write a file of URLs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"url": ["https://a.example/open"] * count}), path)


def write(here: Path, source: Path | str, output: Path | None = None) -> VerdictSummary:
    """Write verdicts on what a source names."""
    return write_verdicts(source, here / "policies.parquet", "CCBot", output)


@contextmanager
def another_user() -> Iterator[None]:
    """Be a user who may not read everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has other permissions")
@pytest.mark.parametrize(
    ("locked", "source"),
    [
        ("urls/a.parquet", "urls"),
        ("urls/a.parquet", "urls/a.parquet"),
        ("urls", "urls"),
        ("urls", "urls/a.parquet"),
        ("urls", "urls/*/*.parquet"),
        ("urls/inner", "urls"),
        ("urls/inner", "urls/*/*.parquet"),
    ],
)
def test_what_may_not_be_read_is_named(here: Path, locked: str, source: str) -> None:
    """Neither the output is blamed, nor a folder read without what is closed in it."""
    (here / "urls" / "inner").mkdir()
    write(here, here / "urls")  # everything is loaded
    (here / locked).chmod(0)
    with another_user(), pytest.raises(PermissionError) as caught:
        write(here, here / source)
    (here / locked).chmod(0o755)
    said = sentence(caught.value)
    assert said.startswith(f"cannot read {here / 'urls'}")
    assert "permission denied; change the file's permissions" in said


def test_a_folder_is_read_without_its_own_output_and_hidden_files(here: Path) -> None:
    """The same command can be run again, and what a job of Spark leaves is no input."""
    folder = here / "urls"
    for name in ("_old.parquet", ".part.parquet", "_temporary/0/b.parquet", ".git/c.parquet"):
        urls(folder / name, 100)
    urls(folder / "_day=1" / "d.parquet", 2)
    for _ in range(2):
        assert write(here, folder, folder / "out.parquet").urls == 5
    assert pq.read_table(folder / "out.parquet").num_rows == 5
    for _ in range(2):
        explained = folder / "explained.parquet"
        (folder / "out.parquet").unlink(missing_ok=True)
        write_verdicts(folder, here / "policies.parquet", "CCBot", explained, explain=True)
        assert pq.read_table(explained).num_rows == 5
    assert write(here, folder / "_old.parquet").urls == 100


def test_an_input_is_not_replaced_as_if_it_were_the_output(here: Path) -> None:
    """Only a file with the verdicts of these robots is skipped in its folder."""
    path = here / "urls" / "a.parquet"
    url = ["https://a.example/open"]
    for columns in ({"url": url}, {"url": url, "CCBot": [1]}, {"CCBot": [True], "url": url}):
        pq.write_table(pa.table(columns), path)
        before = path.read_bytes()
        with pytest.raises(goodbot.MisuseError, match="name another file to write"):
            write(here, here / "urls", path)
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("source", "cure"),
    [
        ("https://a.example/urls.parquet", "only local files are read; download it first"),
        ("s3://bucket/urls.parquet", "only local files are read; download it first"),
        ("-", "Parquet cannot be read from a pipe"),
        ("/dev/null", "/dev/null is not a file; Parquet cannot be read from a pipe"),
    ],
)
def test_what_is_no_file(here: Path, source: str, cure: str) -> None:
    """The message says what to name instead."""
    with pytest.raises(goodbot.MisuseError, match=cure):
        write(here, source)


def test_a_damaged_file_is_called_damaged(here: Path) -> None:
    """Only a file of another kind comes with advice on how to convert it."""
    path = here / "urls" / "a.parquet"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(goodbot.MisuseError, match="the file is damaged or incomplete") as caught:
        write(here, path)
    assert "CSV" not in str(caught.value)
    path.write_bytes(b"")
    with pytest.raises(goodbot.MisuseError, match="the file is empty"):
        write(here, path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_an_output_that_is_no_file_is_called_what_it_is(here: Path) -> None:
    """A name that ends in .parquet may be that of a folder, or lead to a device."""
    (here / "d.parquet").mkdir()
    with pytest.raises(goodbot.MisuseError, match=r"d\.parquet is a folder; name a \.parquet file"):
        write(here, here / "urls", here / "d.parquet")
    (here / "full.parquet").symlink_to("/dev/full")
    with pytest.raises(goodbot.MisuseError, match=r"leads to /dev/full, which is a device"):
        write(here, here / "urls", here / "full.parquet")
