"""What is exported for web archives opens in pywb and ReplayWeb.page, and passes the validator.

All run in environments of their own (`tests/system/install`), on loopback.
"""

import json
import os
import random
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

import pytest

from goodbot.crawl import export_wacz, import_warcs
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.wacz.cdxj import LINES
from goodbot.crawl.wacz.url_key import parsed_key, url_key
from goodbot.errors import NoOriginError
from goodbot.http.address import address_of
from tests.support import program
from tests.support.crawls.foreign_warcs import response, write_warc
from tests.support.loopback_shop import ROBOT, Shop, open_shop
from tests.support.paths import ROOT
from tests.support.program import environment
from tests.support.waiting import HANGS

REPLAY = ROOT / "build" / "replay" / "bin"
ENGINE = ROOT / "build" / "replay-engine"
SCRIPTS = ROOT / "tests" / "system" / "replay_engine"
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
        assert (
            program.run("archive", "export", "crawl", "--wacz", "file.wacz", cwd=folder).returncode
            == 0
        )
        done = program.run("archive", "export", "crawl", "--wacz", "-", cwd=folder)
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


@pytest.mark.parametrize("tombstones", [(), ("--tombstones",)])
def test_what_was_removed_is_not_replayed(
    exported: tuple[Shop, Path], tmp_path: Path, tombstones: tuple[str, ...]
) -> None:
    """The validator accepts the new file, and pywb replays every other page of it."""
    shop, folder = exported
    (tmp_path / "list.txt").write_text(f"{shop.origin}/lamps\n")
    words = ("--use", "takedown", "--takedown", "list.txt", "--apply", "new.wacz", *tombstones)
    done = program.run("reconsider", folder / "file.wacz", *words, cwd=tmp_path, env=environment())
    assert done.returncode == 0, done.stderr
    assert "is valid" in installed("wacz", "validate", "-f", "new.wacz", folder=tmp_path)
    installed("wb-manager", "init", "shop", folder=tmp_path)
    added = tmp_path / "new.wacz"
    installed("wb-manager", "add", "--unpack-wacz", "shop", added, folder=tmp_path)
    with wayback(tmp_path) as collection:
        for path in ("/", "/tagged?b=2&a=1", "/robots.txt"):
            address = f"{collection}/2030id_/{shop.origin}{path}"
            assert replayed(address) == (200, PAGES[path]), path
        assert replayed(f"{collection}/2030id_/{shop.origin}/lamps")[0] == 404


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


def engine(script: str, *words: str | Path, given: str) -> list[str]:
    """Run a script beside the engine of ReplayWeb.page; return its lines."""
    shutil.copy(SCRIPTS / script, ENGINE)
    node = shutil.which("node")
    assert node is not None, "node is missing: run tests/system/install"
    done = subprocess.run(  # noqa: S603  our own script
        [node, ENGINE / script, *words], input=given, capture_output=True, text=True, check=False,
        timeout=HANGS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.removesuffix("\n").split("\n")


def test_keys_are_those_of_replayweb_page() -> None:
    """For 20,000 random URLs in their normal form."""
    chance = random.Random(os.environ.get("GOODBOT_SEED", "1"))  # noqa: S311  the same each time
    odd = (*PIECES, '"', "<", ">", "`", "{", "}", "[", "]", "'", "!", ":", "@", "%2E", "%5C", "é")
    urls: list[str] = []
    while len(urls) < 20_000:
        path = "".join(chance.choices(odd, k=chance.randrange(9)))
        url = f"{chance.choice(('http', 'https'))}://{chance.choice(HOSTS)}/{path}"
        try:
            urls.append(address_of(url)[1])
        except NoOriginError:
            continue
    assert [parsed_key(url) for url in urls] == engine("keys.mjs", given="\n".join(urls))


SITE = "https://a.example"
ODD_PATHS = (
    "/", "/dir/", "/dir/sub/", "/Dir/Upper/", "/a%7Eb", "/a%2Fb", "/e%22x|y", "/caf%C3%A9/",
    "/x^y/", "/q?b=2&a=1&a-b=3", "/q?x=%2f'q'", f"/x?sid={'0' * 32}", "/DIR-x//y",
)  # fmt: skip


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Export an index of several blocks; three are between the keys of `/dir/`.

    `/dir` itself has the same key for pywb, which then replays the one or the other.
    """
    folder = tmp_path_factory.mktemp("large")
    paths = [*ODD_PATHS, *(f"/dir-{number:04}" for number in range(3 * LINES + 9))]
    pages = {f"{SITE}{path}": f"<title>T</title>This is {path}." for path in paths}
    records = [response(url, text) for url, text in pages.items()]
    rules = response(f"{SITE}/robots.txt", "User-agent: *\nDisallow:\n")
    write_warc(folder / "a.warc.gz", [rules, *records])
    now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    import_warcs(folder / "crawl", [folder / "a.warc.gz"], "ExampleBot", now=now)
    with open_readonly(folder / "crawl") as database:
        done = export_wacz(database, folder / "large.wacz", now)
    assert done.pages == len(pages)
    return folder, {address_of(url)[1]: text for url, text in pages.items()}


def test_replayweb_page_finds_every_page(large: tuple[Path, dict[str, str]]) -> None:
    """Whichever block it is in."""
    folder, pages = large
    lines = engine("replay.mjs", folder / "large.wacz", given="\n".join(pages))
    missing = []
    for line in lines:
        url, status, text = json.loads(line)
        if status != 200 or pages[url] not in text:
            missing.append(url)
    assert len(lines) == len(pages)
    assert missing == []


def test_pywb_finds_every_page(large: tuple[Path, dict[str, str]]) -> None:
    """Each odd one, and one of each hundred of the others; the validator accepts the file."""
    folder, pages = large
    assert "is valid" in installed("wacz", "validate", "-f", "large.wacz", folder=folder)
    installed("wb-manager", "init", "shop", folder=folder)
    added = folder / "large.wacz"
    installed("wb-manager", "add", "--unpack-wacz", "shop", added, folder=folder)
    chosen = [*list(pages)[: len(ODD_PATHS)], *list(pages)[len(ODD_PATHS) :: 100]]
    with wayback(folder) as collection:
        for url in chosen:
            status, content = replayed(f"{collection}/2030id_/{url}")
            assert (status, pages[url].encode() in content) == (200, True), url
