"""`goodbot archive export`: one file for web archives."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from tests.support import program
from tests.support.crawls.archived_crawls import Crawl, answer
from tests.support.crawls.memory_crawls import crawl, html, site_of

URL = "https://shop.example/lamp"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Archive one page."""
    with Crawl(tmp_path / "shop") as crawl:
        crawl.keep(answer("<title>Lamp</title><p>brass", URL))
    return tmp_path


def test_a_crawl_becomes_one_file(shop: Path) -> None:
    """The output has the numbers, as a line or as JSON."""
    done = program.run(
        "archive", "export", "shop", "--wacz", "a.wacz", "--title", "The shop", cwd=shop
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"a.wacz: 1 page, 1 record in 1 WARC file, ")
    with zipfile.ZipFile(shop / "a.wacz") as wacz:
        assert json.loads(wacz.read("datapackage.json"))["title"] == "The shop"
    done = program.run("archive", "export", "shop", "--wacz", "b.wacz", "--json", cwd=shop)
    assert json.loads(done.stdout)["pages"] == 1


def test_a_crawl_goes_to_a_pipe(shop: Path) -> None:
    """Nothing else is printed there."""
    done = program.run("archive", "export", "shop", "--wacz", "-", cwd=shop)
    assert (done.returncode, done.stderr) == (0, b"")
    with zipfile.ZipFile(io.BytesIO(done.stdout)) as wacz:
        assert wacz.testzip() is None


def test_what_is_not_in_the_file_is_told(tmp_path: Path) -> None:
    """How many pages and why; if the file goes to a pipe, on the standard error."""
    secret = html("x", head='<meta name="robots" content="noarchive">')
    crawl(tmp_path / "shop", site_of(home=html("x", "/a"), a=secret))
    for target in ("a.wacz", "-"):
        done = program.run("archive", "export", "shop", "--wacz", target, cwd=tmp_path)
        told = done.stderr if target == "-" else done.stdout
        assert b"1 more page fetched, of which there is no copy (forbidden to be kept" in told


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
    done = program.run("archive", "export", "shop", *words, cwd=shop)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.decode().split())
    assert [one.name for one in shop.iterdir()] == ["shop"]


def test_a_full_disk_is_told(shop: Path) -> None:
    """Also where it is the disk of a redirected output."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("wb") as output:
        done = program.run("archive", "export", "shop", "--wacz", "-", cwd=shop, stdout=output)
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr
