"""What is exported for web archives opens in pywb, and passes the validator of WACZ.

Both run in an environment of their own (`tests/system/install`), on loopback.
"""

import os
import random
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from goodbot.crawl.wacz.url_key import url_key
from tests.support import program
from tests.support.loopback_shop import ROBOT, Shop, open_shop
from tests.support.paths import ROOT
from tests.support.program import environment
from tests.support.waiting import HANGS

REPLAY = ROOT / "build" / "replay" / "bin"
PAGES = {
    "/robots.txt": b"User-agent: *\nDisallow: /till\n",
    "/": b"<title>Shop</title><a href=/lamps>Lamps</a> <a href=/secret>s</a> <a href=/parts>p</a>"
    b"<a href='/tagged?b=2&amp;a=1'>t</a> <a href=/till>till</a>",
    "/lamps": b"<title>Lamps</title><p>A brass lamp.",
    "/secret": b"<meta name=robots content=noarchive><p>the price",
    "/parts": b"<head profile='http://example.org/xmdp/robots-profile#'></head>"
    b"<p>open <b class=robots-noarchive>hidden</b> end",
    "/tagged?b=2&a=1": b"<title>Tagged</title><p>the same again",
}


def installed(name: str, *words: str | Path, folder: Path, given: str = "") -> str:
    """Run an installed program, and return its output."""
    done = subprocess.run(  # noqa: S603  of our own environment
        [REPLAY / name, *words], cwd=folder, input=given, capture_output=True, text=True,
        check=False, timeout=HANGS,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Shop, Path]]:
    """Crawl a shop twice, and export it to a file and to a pipe."""
    folder = tmp_path_factory.mktemp("replay")
    with open_shop(PAGES) as shop:
        shop.tags["/tagged?b=2&a=1"] = '"one"'
        for word in ((), ("--due",)):
            words = (*ROBOT, *word, "--out", "crawl")
            done = program.run("crawl", f"{shop.origin}/", *words, cwd=folder, env=environment())
            assert done.returncode == 0, done.stderr
            make_due(folder / "crawl")
        assert program.run("export", "crawl", "--wacz", "file.wacz", cwd=folder).returncode == 0
        done = program.run("export", "crawl", "--wacz", "-", cwd=folder)
        (folder / "pipe.wacz").write_bytes(done.stdout)
        yield shop, folder


def make_due(folder: Path) -> None:
    """Make every page due, so that the next run visits it again."""
    from goodbot.crawl import Database  # noqa: PLC0415

    with Database(folder) as database, database.changing() as connection:
        connection.execute("UPDATE urls SET due = 0 WHERE due IS NOT NULL")


@pytest.mark.parametrize("name", ["file.wacz", "pipe.wacz"])
def test_the_validator_accepts_the_file(exported: tuple[Shop, Path], name: str) -> None:
    """Its list of members is a data package, and every digest is right."""
    _, folder = exported
    assert "is valid" in installed("wacz", "validate", "-f", name, folder=folder)


@contextmanager
def wayback(folder: Path) -> Iterator[str]:
    """Run pywb on a free port of loopback, and return the address of the collection."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(REPLAY / "wayback"), "-b", "127.0.0.1", "-p", str(port)]
    with (
        (folder / "wayback.log").open("wb") as log,
        subprocess.Popen(command, cwd=folder, stdout=log, stderr=log) as process,  # noqa: S603  ours
    ):
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}/shop"
        finally:
            process.terminate()


def wait_for(port: int) -> None:
    """Wait until a port accepts connections."""
    end = time.monotonic() + HANGS
    while True:
        with socket.socket() as connection:
            if connection.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < end, "pywb does not start"
        time.sleep(0.1)


def replayed(address: str) -> tuple[int, bytes]:
    """Return status and content of a replayed page."""
    try:
        with urllib.request.urlopen(address, timeout=HANGS) as answer:  # noqa: S310  loopback
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""


@pytest.mark.parametrize("name", ["file.wacz", "pipe.wacz"])
def test_pywb_replays_the_pages_from_the_index(exported: tuple[Shop, Path], name: str) -> None:
    """As first received and as received again; what must not be kept is not there.

    A 304 is in the file, but not in the index, because pywb would replay it without its page.
    """
    shop, folder = exported
    place = folder / name.partition(".")[0]
    place.mkdir()
    installed("wb-manager", "init", "shop", folder=place)
    added = folder / name
    installed("wb-manager", "add", "--unpack-wacz", "shop", added, folder=place)
    index = (place / "collections/shop/indexes/index.cdxj").read_text()
    assert index.count("warc/revisit") == 2
    with wayback(place) as collection:
        for path in ("/lamps", "/", "/tagged?b=2&a=1", "/robots.txt"):
            times = [
                line.split()[1] for line in index.splitlines() if f'{shop.origin}{path}"' in line
            ]
            assert len(times) == (2 if path in {"/", "/lamps"} else 1), path
            for one in times:
                address = f"{collection}/{one}id_/{shop.origin}{path}"
                assert replayed(address) == (200, PAGES[path]), path
        status, parts = replayed(f"{collection}/2030id_/{shop.origin}/parts")
        assert (status, b"open" in parts, b"hidden" in parts) == (200, True, False)
        status, shown = replayed(f"{collection}/2030mp_/{shop.origin}/lamps")
        assert (status, b"A brass lamp." in shown) == (200, True)
        assert replayed(f"{collection}/2030id_/{shop.origin}/secret")[0] == 404


PIECES = (
    "a", "B", "%41", "%2525", "/", "//", ".", "..", "/../", "?", "&", "=", "b=2", "a=1", "%",
    "%zz", "%0A", "%20", "%23", "~", "\\", "|", "^", "%7F", "+", ";", "_", "caf%C3%A9", "x.aspx",
    f"sid={'0' * 32}", f"jsessionid={'aF' * 16}", f"PHPSESSID={'1' * 32}", "cfid=1&cftoken=2",
    f"ASPSESSIONIDabcdefgh={'z' * 24}", f"(a({'x' * 24}))", f"/({'y' * 24})/",
)  # fmt: skip
HOSTS = (
    "example.com", "www.example.com", "www2.Example.com", "wwwx.example.com", "a.example.co.uk",
    "127.0.0.1:8080", "xn--bcher-kva.example", "example.com:8443", "localhost", "[::1]:8080",
)  # fmt: skip


KEYS_OF_PYWB = """
import sys
from pywb.utils.canonicalize import canonicalize
for line in sys.stdin:
    print(canonicalize(line.rstrip("\\n")))
"""


def test_keys_are_those_of_pywb(tmp_path: Path) -> None:
    """For 20,000 random URLs."""
    chance = random.Random(os.environ.get("GOODBOT_SEED", "1"))  # noqa: S311  the same each time
    urls = []
    for _ in range(20_000):
        path = "".join(chance.choices(PIECES, k=chance.randrange(9)))
        urls.append(f"{chance.choice(('http', 'https'))}://{chance.choice(HOSTS)}/{path}")
    output = installed("python", "-c", KEYS_OF_PYWB, folder=tmp_path, given="\n".join(urls))
    theirs = output.removesuffix("\n").split("\n")
    assert [url_key(url) for url in urls] == theirs
