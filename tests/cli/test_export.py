"""`goodbot export`: one file for web archives."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from tests.support import program
from tests.support.archived_crawls import Crawl, answer

URL = "https://shop.example/lamp"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Archive one page."""
    with Crawl(tmp_path / "shop") as crawl:
        crawl.keep(answer("<title>Lamp</title><p>brass", URL))
    return tmp_path


def test_a_crawl_becomes_one_file(shop: Path) -> None:
    """The output has the numbers, as a line or as JSON."""
    done = program.run("export", "shop", "--wacz", "a.wacz", "--title", "The shop", cwd=shop)
    assert done.returncode == 0
    assert done.stdout.startswith(b"a.wacz: 1 page, 1 record in 1 WARC file, ")
    with zipfile.ZipFile(shop / "a.wacz") as wacz:
        assert json.loads(wacz.read("datapackage.json"))["title"] == "The shop"
    done = program.run("export", "shop", "--wacz", "b.wacz", "--json", cwd=shop)
    assert json.loads(done.stdout)["pages"] == 1


def test_a_crawl_goes_to_a_pipe(shop: Path) -> None:
    """Nothing else is printed there."""
    done = program.run("export", "shop", "--wacz", "-", cwd=shop)
    assert (done.returncode, done.stderr) == (0, b"")
    with zipfile.ZipFile(io.BytesIO(done.stdout)) as wacz:
        assert wacz.testzip() is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--wacz", "a.zip"), "must end in .wacz; name it a.zip.wacz"),
        (("--wacz", "-", "--json"), "cannot both go to standard output"),
        (("--wacz", "no/a.wacz"), "cannot be written"),
        ((), "Missing option '--wacz'"),
    ],
)
def test_misuse_is_told(shop: Path, words: tuple[str, ...], message: str) -> None:
    """The message says how to fix it, and there is no file."""
    done = program.run("export", "shop", *words, cwd=shop)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.decode().split())
    assert [one.name for one in shop.iterdir()] == ["shop"]


def test_a_full_disk_is_told(shop: Path) -> None:
    """Also where it is the disk of a redirected output."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("wb") as output:
        done = program.run("export", "shop", "--wacz", "-", cwd=shop, stdout=output)
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr
