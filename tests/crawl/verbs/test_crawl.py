"""`goodbot crawl`, the whole program, against a real site on loopback."""

import gzip
import json
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import IO

import pytest

from goodbot.crawl import Database
from goodbot.crawl.folder.database import FILE
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.reading import entries
from goodbot.crawl.verbs.crawl_view.option_rows import BACK_OFF, BACK_OFF_AFTER, MAX_BACK_OFF
from goodbot.pace import Manners
from tests.support import program
from tests.support.loopback_shop import PAGES, ROBOT, Screen, Shop, begun, crawl, open_shop
from tests.support.program import GOODBOT, WHO_ASKS, environment
from tests.support.waiting import HANGS

WINDOWS = sys.platform == "win32"
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (\S+) +(\S+)(?:  (.*))?")
FIELDS = {
    "started": {"event", "at", "folder", "waiting"},
    "asked": {"event", "at", "url", "access", "reason", "status", "hops"},
    "fetched": {"event", "at", "url", "purpose", "status", "bytes", "seconds", "started"},
    "refused": {"event", "at", "url", "reason", "source", "sentence"},
    "settled": {
        *("event", "at", "url", "origin", "state", "reason", "source", "status", "bytes", "due"),
    },
    "waiting": {"event", "at", "until", "queued"},
    "deferred": {"event", "at", "url", "until", "reason"},
    "waited": {"event", "at", "url", "seconds", "reason"},
    "remark": {"event", "origin", "kind", "text"},
    "findings": {"event", "at", "url", "origin", "findings", "not_listed"},
    "alert": {"event", "at", "origin", "kind", "text"},
    "ended": {
        "event",
        "at",
        "ended",
        "started",
        "finished",
        "seconds",
        "pages",
        "requests",
        "bytes",
        "urls",
        "not_kept",
        "traps",
        "reasons",
        "findings",
        "answers",
        "earliest",
        "next_revisit",
    },
}


def states(folder: str) -> dict[str, str]:
    """Return the state of each path."""
    connection = sqlite3.connect(Path(folder) / FILE)
    try:
        rows = connection.execute("SELECT url, state FROM urls").fetchall()
    finally:
        connection.close()
    return {url.split("/", 3)[3]: state for url, state in rows}


def seen(stream: IO[bytes] | None, words: bytes) -> None:
    """Read lines until one has these words."""
    assert stream is not None
    for line in stream:
        if words in line:
            return
    raise AssertionError(words)


def test_a_line_for_each_url_and_a_summary(shop: Shop, folder: str) -> None:
    """Without a terminal, each URL is a line, and the summary follows."""
    status, told, complaints = crawl(shop.origin, *ROBOT, "--out", folder)
    assert status == 0
    assert complaints == f"{shop.origin} says: Please write to us.\n"
    lines, _, summary = told.partition("Finished: no URLs are left to visit now.\n")
    found = {}
    for line in lines.splitlines():
        match = LINE.fullmatch(line)
        assert match, line
        found[match[2].removeprefix(shop.origin)] = (match[1], match[3])
    assert found == {
        "/": ("200", None),
        "/lamps": ("200", None),
        "/chairs": ("200", None),
        "/till": ("disallowed", "rule disallows: robots.txt line 2"),
        "/gone": ("404", "no success"),
    }
    assert "This run: 3 pages from 1 site in " in summary
    assert "The whole crawl: 5 URLs (4 answered, 1 disallowed).\n" in summary
    assert f"  goodbot search {shlex.quote(folder)} 'some words'\n" in summary
    assert "To go on" not in summary
    assert shop.agents == {"ExampleBot/1.0 (+https://example.com/bot)"}


def test_every_event_is_an_object_of_a_stable_shape(shop: Shop, folder: str) -> None:
    """--json prints what happens in its order, each kind with its fields, the summary last."""
    status, told, complaints = crawl(shop.origin, *ROBOT, "--out", folder, "--json")
    assert (status, complaints) == (0, "")
    objects = [json.loads(line) for line in told.splitlines()]
    for one in objects:
        assert set(one) == FIELDS[one["event"]], one
    slugs = [one["event"] for one in objects]
    assert (slugs[0], slugs[-1]) == ("started", "ended")
    assert {"asked", "remark", "fetched", "refused", "settled"} <= set(slugs)
    settled = {one["url"]: one["state"] for one in objects if one["event"] == "settled"}
    assert settled[shop.origin + "/till"] == "disallowed"
    fetched = [one["bytes"] for one in objects if one["event"] == "fetched"]
    assert objects[-1]["bytes"] == sum(fetched) > len(PAGES["/"])
    assert (objects[-1]["pages"], objects[-1]["requests"], objects[-1]["ended"]) == (
        3,
        5,
        "nothing-left",
    )


def test_quiet_prints_the_summary_alone(shop: Shop, folder: str) -> None:
    """--quiet prints the summary, and the comments of sites (Conner 1996)."""
    status, told, complaints = crawl(shop.origin, *ROBOT, "--out", folder, "--quiet")
    assert (status, complaints) == (0, f"{shop.origin} says: Please write to us.\n")
    assert told.startswith("Finished: no URLs are left to visit now.\n")
    status, told, _ = crawl("--resume", "--out", folder, "--quiet", "--json", "--allow-private")
    assert json.loads(told)["pages"] == 0


def test_resume_goes_on_as_the_same_robot(shop: Shop, folder: str) -> None:
    """Queued URLs are visited, none twice, and the identity is read from the folder."""
    status, told, _ = crawl(shop.origin, *ROBOT, "--out", folder, "--max-pages", "1")
    assert status == 0
    assert "Stopped: --max-pages was reached." in told
    assert f"  goodbot crawl --resume --out {shlex.quote(folder)} --allow-private\n" in told
    nobody = dict.fromkeys(WHO_ASKS, "")
    words = ("--resume", "--out", folder, "--allow-private", "--max-pages", "9")
    status, told, complaints = crawl(*words, **nobody)
    assert (status, complaints) == (0, f"{shop.origin} says: Please write to us.\n")
    assert sorted(shop.asked) == ["/", "/chairs", "/gone", "/lamps", "/robots.txt"]
    assert shop.agents == {"ExampleBot/1.0 (+https://example.com/bot)"}


def test_the_same_words_again_go_on_too(shop: Shop, folder: str) -> None:
    """The same command again loses nothing and visits nothing twice."""
    words = (shop.origin, *ROBOT, "--out", folder)
    assert crawl(*words, "--max-pages", "2")[0] == 0
    assert crawl(*words, "--max-pages", "9")[0] == 0
    assert sorted(shop.asked) == ["/", "/chairs", "/gone", "/lamps", "/robots.txt"]


def test_due_visits_again_what_is_due(shop: Shop, folder: str) -> None:
    """--due visits what is due, --resume does not."""
    assert crawl(shop.origin, *ROBOT, "--out", folder)[0] == 0
    connection = sqlite3.connect(Path(folder) / FILE)
    with connection:
        connection.execute("UPDATE urls SET due = 0 WHERE url LIKE '%/lamps'")
    connection.close()
    shop.asked.clear()
    words = ("--out", folder, "--allow-private")
    status, told, _ = crawl("--resume", *words)
    assert (status, shop.asked) == (0, [])
    assert "Pages are due to be visited again. To visit them:\n  goodbot crawl --due" in told
    assert crawl("--due", *words)[0] == 0
    assert shop.asked == ["/lamps"]


def test_a_crawl_without_due_pages_says_when_and_how_to_visit_now(shop: Shop, folder: str) -> None:
    """--again visits all, due or not; --strict makes a missing page a status of its own."""
    assert crawl(shop.origin, *ROBOT, "--out", folder)[0] == 0
    words = ("--out", folder, "--allow-private")
    shop.asked.clear()
    status, told, _ = crawl("--due", *words)
    assert (status, shop.asked) == (0, [])
    assert "Nothing was visited: no page is due. The next page is due to be visited again" in told
    again = f"goodbot crawl --again --out {shlex.quote(folder)} --allow-private\n"
    assert f"in 24 hours. To visit all pages again now:\n  {again}" in told
    status, told, complaints = crawl("--again", *words, "--strict")
    assert (status, " ".join(sorted(shop.asked))) == (3, "/ /chairs /gone /lamps /robots.txt")
    assert complaints.endswith("--strict: 1 URL could not be fetched (404: 1).\n")
    assert "To visit what is due then:\n  goodbot crawl --due" in told


def due_now(folder: str) -> None:
    """Make every page due at once."""
    connection = sqlite3.connect(Path(folder) / FILE)
    with connection:
        connection.execute("UPDATE urls SET due = 0 WHERE state = 'done'")
    connection.close()


def test_due_asks_with_a_condition(shop: Shop, folder: str) -> None:
    """An unchanged page is not sent again, and stays in the index."""
    shop.tags["/lamps"] = '"1"'
    assert crawl(shop.origin, *ROBOT, "--out", folder)[0] == 0
    due_now(folder)
    status, told, _ = crawl("--due", "--out", folder, "--allow-private", "--pause", "0")
    assert status == 0
    assert f"304        {shop.origin}/lamps  not modified\n" in told
    found = program.run("search", folder, "brass")
    assert f"{shop.origin}/lamps" in found.stdout.decode()
    shown = program.run("evidence", folder, f"{shop.origin}/lamps").stdout.decode()
    assert "304" in shown


def test_what_is_excluded_later_stays_or_is_removed(shop: Shop, folder: str) -> None:
    """It is visited while it is kept; --remove takes it out at once."""
    assert crawl(shop.origin, *ROBOT, "--out", folder)[0] == 0
    words = ("--out", folder, "--allow-private", "--pause", "0", "--exclude", "/lamps")
    due_now(folder)
    shop.asked.clear()
    assert crawl("--due", *words)[0] == 0
    assert "/lamps" in shop.asked
    assert program.run("search", folder, "brass").returncode == 0
    assert b"brass" in words_of_archive(folder)
    status, _, complaints = crawl("--resume", *words, "--remove")
    assert (status, complaints) == (
        0,
        "Removed 1 URL outside the bounds from the index and the archive.\n",
    )
    assert program.run("search", folder, "brass").returncode == 1
    assert program.run("archive", "show", folder, f"{shop.origin}/lamps").returncode != 0
    assert b"brass" not in words_of_archive(folder)
    history = program.run("evidence", folder, f"{shop.origin}/lamps").stdout
    assert b"The operator removed everything outside the bounds of the crawl." in history
    assert b"oak" in words_of_archive(folder)
    assert program.run("archive", "check", folder).returncode == 0


def words_of_archive(folder: str) -> bytes:
    """Return what the WARC files of pages have, decompressed."""
    return b"".join(
        gzip.decompress(one.read_bytes()) for one in sorted(Path(folder).glob("pages-*.warc.gz"))
    )


def test_a_site_that_is_added_is_visited(shop: Shop, folder: str) -> None:
    """Its links that were skipped before are queued, without being found again."""
    with open_shop({"/": b"<p>osprey"}) as other:
        shop.pages = {**PAGES, "/": f'<a href="{other.origin}/">other</a>'.encode()}
        assert crawl(shop.origin, *ROBOT, "--out", folder)[0] == 0
        assert other.asked == []
        words = ("--out", folder, "--allow-private", "--pause", "0", "--origin", other.origin)
        assert crawl("--resume", *words)[0] == 0
        assert other.asked == ["/robots.txt", "/"]


def test_bounds_of_before_hold_on(shop: Shop, folder: str) -> None:
    """Excluded URLs stay excluded in a resumed crawl; so do sitemaps."""
    words = (shop.origin, *ROBOT, "--out", folder, "--exclude", "/chairs", "--max-pages", "1")
    assert crawl(*words, "--include", "/lamps", "--no-sitemaps")[0] == 0
    assert crawl("--resume", "--out", folder, "--allow-private", "--max-pages", "9")[0] == 0
    assert states(folder) == {
        "": "done",
        "lamps": "done",
        "chairs": "skipped",
        "till": "skipped",
        "gone": "skipped",
    }


def test_sitemaps_are_visited_unless_unwanted(tmp_path: Path) -> None:
    """A sitemap that robots.txt names is visited; not with --no-sitemaps."""
    pages = dict(PAGES)
    with open_shop(pages) as site:
        pages["/robots.txt"] += f"Sitemap: {site.origin}/map.txt\n".encode()
        pages["/map.txt"] = f"{site.origin}/attic\n".encode()
        pages["/attic"] = b"A chest."
        for words, expected in (((), True), (("--no-sitemaps",), False)):
            site.asked.clear()
            out = str(tmp_path / f"of {len(words)}")
            assert crawl(site.origin, *ROBOT, "--out", out, *words)[0] == 0
            assert ("/map.txt" in site.asked) is expected


@pytest.mark.skipif(WINDOWS, reason="Windows has no signal to send to one process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_once_it_finishes_what_is_under_way(
    shop: Shop, folder: str, number: signal.Signals
) -> None:
    """Ctrl-C once: the running request finishes and its page is kept; no other is made."""
    shop.hold("/lamps")
    with begun(shop.origin, *ROBOT, "--out", folder, "--no-sitemaps") as process:
        assert shop.at_gate.wait(HANGS)
        process.send_signal(number)
        again = b"; press Ctrl-C again to stop at once" if number == signal.SIGINT else b""
        seen(process.stderr, b"Finishing running requests" + again + b"\n")
        shop.gate.set()
        told, _ = process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert "Stopped. Nothing was lost." in told.decode()
    assert "To continue:" in told.decode()
    found = states(folder)
    assert found["lamps"] == "done"
    assert "leased" not in found.values()
    assert "/gone" not in shop.asked


@pytest.mark.skipif(WINDOWS, reason="Windows has no signal to send to one process")
def test_interrupted_twice_it_stops_at_once(shop: Shop, folder: str) -> None:
    """Ctrl-C twice: the running request is cancelled, and its page stays queued."""
    shop.hold("/lamps")
    with begun(shop.origin, *ROBOT, "--out", folder) as process:
        assert shop.at_gate.wait(HANGS)
        process.send_signal(signal.SIGINT)
        seen(process.stderr, b"Finishing")
        process.send_signal(signal.SIGINT)
        seen(process.stderr, b"Stopping at once")
        process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert states(folder)["lamps"] == "queued"
    shop.gate.set()
    assert crawl("--resume", "--out", folder, "--allow-private")[0] == 0
    assert states(folder)["lamps"] == "done"


@pytest.mark.skipif(WINDOWS, reason="Windows has no pseudo-terminal of this kind")
def test_table_on_a_terminal(shop: Shop, folder: str) -> None:
    """On a terminal there is a table, and the summary behind it."""
    screen = Screen(shop.origin, *ROBOT, "--out", folder)
    assert screen.end() == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.text)
    assert re.search(r"site +pages +queue +denied +errors +last +now", plain)
    assert "3 pages at 1 site" in screen.text
    assert "This run: 3 pages from 1 site" in screen.text
    assert "Please write to us." in screen.text
    assert "\x1b[?25h" in screen.text  # the cursor is back


@pytest.mark.skipif(WINDOWS, reason="Windows has no pseudo-terminal of this kind")
def test_ctrl_c_twice_on_a_terminal(shop: Shop, folder: str) -> None:
    """Ctrl-C on a terminal: the table says what it does, and the terminal is restored."""
    shop.hold("/lamps")
    screen = Screen(shop.origin, *ROBOT, "--out", folder)
    assert shop.at_gate.wait(HANGS)
    screen.type(b"\x03")
    screen.until("Finishing running requests; press Ctrl-C again to stop at once")
    screen.type(b"\x03")
    assert screen.end() == 130
    assert "Stopped. Nothing was lost." in screen.text
    assert "Traceback" not in screen.text
    assert screen.text.rfind("\x1b[?25h") > screen.text.rfind("\x1b[?25l")
    assert states(folder)["lamps"] == "queued"


def test_another_crawl_at_work_is_told(shop: Shop, folder: str) -> None:
    """A second crawl in the same folder is refused, and makes no request."""
    assert crawl(shop.origin, *ROBOT, "--out", folder, "--max-pages", "1")[0] == 0
    shop.asked.clear()
    with FolderLock(Path(folder)):
        status, told, complaints = crawl("--resume", "--out", folder, "--allow-private")
    assert (status, told, shop.asked) == (2, "", [])
    assert complaints.startswith(f"Error: another crawl is running in {folder}; ")


SMALL_FILES = (
    "import resource, os, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)); "
    "os.execv(sys.executable, sys.argv[1:])"
)
"""Lets no file grow beyond that, as a disk that fails does."""

SMALL_DISK = """
mount -t tmpfs -o "size=$ROOM" none "$0" || exit 77
"$@" --out "$0/crawl" && exit 78
mount -o remount,size=100m "$0"
exec "$1" -m goodbot crawl --resume --allow-private --quiet --json --out "$0/crawl"
"""
"""Crawls on a disk of a size, and goes on when it is larger."""


def large_pages() -> dict[str, bytes]:
    """Return forty pages of some 30 kB each, which cannot be compressed much."""
    links = b" ".join(b"<a href=/%d>%d</a>" % (number, number) for number in range(40))
    texts = {
        f"/{number}": b" ".join(
            sha256(b"%d %d" % (number, word)).hexdigest().encode() for word in range(450)
        )
        for number in range(40)
    }
    return {"/": links, **texts}


IN_ONE_OR_TWO = pytest.mark.parametrize(
    "processes", [(), pytest.param(("--processes", "2"), marks=pytest.mark.stress)]
)


@IN_ONE_OR_TWO
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds files so")
def test_failing_disk_is_told_and_nothing_is_lost(folder: str, processes: tuple[str, ...]) -> None:
    """A failure to write ends with 2, and the message says how to fix it; then it resumes."""
    with open_shop(large_pages()) as site:
        words = [*GOODBOT, "crawl", site.origin, *ROBOT, "--out", folder, *processes]
        done = subprocess.run(  # noqa: S603  our own program
            [sys.executable, "-c", SMALL_FILES, *words],
            capture_output=True,
            check=False,
            env=environment(),
            timeout=HANGS,
        )
        assert done.returncode == 2
        complaint = done.stderr.decode()
        assert complaint.startswith("Error: ")
        assert "Traceback" not in complaint
        assert (
            f"  goodbot crawl --resume --out {shlex.quote(folder)} --allow-private\n" in complaint
        )
        assert crawl("--resume", "--out", folder, "--allow-private")[0] == 0
    with open_readonly(folder) as database:
        found = list(entries(database))
    assert len(found) == 41
    assert {one.state for one in found} == {"done"}


@pytest.mark.stress
@pytest.mark.parametrize(("room", "processes"), [("500k", ()), ("1500k", ("--processes", "2"))])
@pytest.mark.skipif(not shutil.which("unshare"), reason="there is no unshare to mount a disk with")
def test_full_disk_is_told_and_nothing_is_lost(
    room: str, processes: tuple[str, ...], tmp_path: Path
) -> None:
    """A full disk ends with 2, and the message says how to fix it; then it resumes."""
    with open_shop(large_pages()) as site:
        words = [*GOODBOT, "crawl", *ROBOT, site.origin, *processes]
        done = subprocess.run(  # noqa: S603  our own program
            ["unshare", "-rm", "sh", "-c", SMALL_DISK, str(tmp_path), *words],  # noqa: S607  of this machine
            capture_output=True,
            check=False,
            env=environment(ROOM=room),
            timeout=HANGS,
        )
    if done.returncode == 77 or b"unshare" in done.stderr:
        pytest.skip("this system lets nobody mount a small disk")
    complaint = done.stderr.decode()
    assert done.returncode == 0, complaint
    assert "Traceback" not in complaint
    assert "Error: there is no room for " in complaint
    assert "goodbot crawl --resume --out " in complaint
    assert json.loads(done.stdout.splitlines()[-1])["urls"] == {"done": 41}


@pytest.mark.skipif(WINDOWS, reason="Windows has no such pipes")
def test_reader_that_goes_away_ends_it(shop: Shop, folder: str) -> None:
    """When the pipe closes, the crawl ends in order, with 141 and without a message."""
    shop.hold("/lamps")
    with begun(shop.origin, *ROBOT, "--out", folder) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert shop.at_gate.wait(HANGS)
        shop.gate.set()
        complaints = process.stderr.read().decode()
        process.wait(HANGS)
    assert process.returncode == 141
    assert complaints == f"{shop.origin} says: Please write to us.\n"
    assert "leased" not in states(folder).values()


@pytest.mark.stress
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("more", [(), ("--json",), ("--quiet",)])
def test_output_that_takes_no_more_is_told(shop: Shop, folder: str, more: tuple[str, ...]) -> None:
    """An output that is full ends the crawl with 2 and one line."""
    words = [*GOODBOT, "crawl", shop.origin, *ROBOT, "--out", folder, *more]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(  # noqa: S603  our own program
            words, stdout=full, stderr=subprocess.PIPE, check=False, env=environment()
        )
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last == b"Error: the output could not be written: No space left on device"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "Usage: goodbot crawl"),
        (("--out", "x"), "write the URL to start at"),
        (("example.com", *ROBOT), "write https://example.com"),
        (("/lamps", *ROBOT), "is a path; write a whole URL"),
        (("ftp://a.example/", *ROBOT), "is not an absolute http or https URL"),
        (("", *ROBOT), "an argument is empty"),
        (("https://a.example/",), "needs the name of your robot"),
        (("https://a.example/", "-r", "Googlebot"), "is the name of a known robot"),
        (("https://a.example/", *ROBOT, "--any-origin", "--origin", "https://b.example"), "one of"),
        (("https://a.example/", *ROBOT, "--max-pages", "0"), "--max-pages"),
        (("https://a.example/", *ROBOT, "--max-seconds", "inf"), "write a finite number"),
        (("https://a.example/", *ROBOT, "--patience", "nan"), "write a finite number"),
        (("https://a.example/", *ROBOT, "--bandwidth", "nan"), "--bandwidth nan is not possible"),
        (("https://a.example/", *ROBOT, "--hours", ""), "--hours is empty"),
        (("https://a.example/", *ROBOT, "--exclude", "lamps"), "must begin with"),
        (("https://a.example/", *ROBOT, "--dialect", "klingon"), "klingon"),
        (("https://a.example/", *ROBOT, "--page-dialect", "klingon"), "klingon"),
        (("https://a.example/", *ROBOT, "--contact", "nobody"), "--contact"),
        (
            ("https://a.example/", *ROBOT, "--traps", "bogus"),
            "there is no trap 'bogus'",
        ),
        (("--resume", "--out", "no-such-folder"), "there is no crawl in no-such-folder"),
        (("--due", "--out", "no-such-folder"), "there is no crawl in no-such-folder"),
        (("https://a.example/", *ROBOT, "--out", "a-file"), "a-file is a file; name a folder"),
        (("https://a.example/", *ROBOT, "--out", "a-file/x"), "cannot be created"),
    ],
)
def test_misuse_is_told_with_the_cure(
    words: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Contradictions are reported before any request is made or any file is created."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-file").write_text("x")
    status, output, complaints = crawl(*words)
    assert status == 2
    assert told in output + complaints
    assert "Traceback" not in complaints
    assert [path.name for path in tmp_path.iterdir()] == ["a-file"]


def test_a_crawl_of_other_sites_is_not_mixed_in(shop: Shop, folder: str) -> None:
    """A second site in the same folder must be confirmed."""
    assert crawl(shop.origin, *ROBOT, "--out", folder)[0] == 0
    with open_shop() as other:
        status, _, complaints = crawl(other.origin, *ROBOT, "--out", folder)
        assert (status, other.asked) == (2, [])
        assert f"started at {shop.origin}/, not at {other.origin}; to add it" in complaints
        assert crawl(other.origin, *ROBOT, "--out", folder, "--resume")[0] == 0
        assert "/lamps" in other.asked


def test_url_that_is_not_utf_8_is_sent_as_it_is(folder: str) -> None:
    """Bytes of an argument that are not UTF-8 are percent-encoded."""
    with open_shop({"/caf%E9": b"Coffee."}) as site:
        word = f"{site.origin}/caf\udce9"
        assert crawl(word, *ROBOT, "--out", folder)[0] == 0
        assert "/caf%E9" in site.asked


def test_private_addresses_are_not_asked_unless_allowed(shop: Shop, folder: str) -> None:
    """Without --allow-private, no request to loopback is made, and the message says why."""
    words = (shop.origin, "--robot", "ExampleBot/1.0", "--out", folder, "--patience", "0")
    status, told, complaints = crawl(*words)
    assert (status, shop.asked) == (2, [])
    assert "--allow-private" in told + complaints
    # With the permission, the URLs that were refused are requested at once.
    soon = ("--pause", "0", "--patience", "5", "--max-pages", "1")
    status, told, _ = crawl(*words, "--allow-private", *soon)
    assert (status, shop.asked) == (0, ["/robots.txt", "/"])
    assert f"goodbot crawl --resume --out {shlex.quote(folder)} " in told
    assert "--allow-private" in told.partition("goodbot crawl --resume")[2].partition("\n")[0]


def test_back_off_is_set_by_options_and_kept(shop: Shop, folder: str) -> None:
    """A resumed crawl has them again; naming some leaves the others unchanged."""
    manners = Manners()
    assert (
        manners.back_off_first,
        manners.back_off_longest,
        manners.back_off_after,
    ) == (BACK_OFF, MAX_BACK_OFF, BACK_OFF_AFTER)
    said = ("--back-off", "90", "--back-off-after", "5")
    assert crawl(shop.origin, *ROBOT, "--out", folder, "--max-pages", "1", *said)[0] == 0
    assert kept_manners(folder) == Manners(
        default=0, back_off_first=90, back_off_after=5, back_off_longest=MAX_BACK_OFF
    )
    again = ("--resume", "--allow-private", "--out", folder, "--max-back-off", "60")
    assert crawl(*again)[0] == 0
    assert kept_manners(folder) == Manners(
        default=0, back_off_first=60, back_off_after=5, back_off_longest=60
    )


def kept_manners(folder: str) -> Manners:
    """Return the manners of a resumed crawl."""
    with Database(folder) as database:
        row = database.connection.execute("SELECT value FROM settings WHERE name = 'manners'")
        return Manners(**json.loads(row.fetchone()[0]))


def test_back_off_that_contradicts_itself_is_refused(shop: Shop, folder: str) -> None:
    """The message names the options."""
    said = ("--back-off", "90", "--max-back-off", "60")
    status, _, complaints = crawl(shop.origin, *ROBOT, "--out", folder, *said)
    assert (status, shop.asked) == (2, [])
    assert "--max-back-off is shorter than --back-off" in complaints
    assert crawl(shop.origin, *ROBOT, "--out", folder, "--back-off", "inf")[0] == 2


def test_no_foreign_octet_steers_the_terminal(tmp_path: Path) -> None:
    """Comments and URLs of a site are printed without control characters."""
    steering = b"\x1b[2J\x07"
    pages = {
        "/robots.txt": b"User-agent: *\nCrawl-delay: 0\nComment: red" + steering + b"\n",
        "/": b"<a href='/a" + steering + b"'>a</a><a href=/\xc2\x9bb>b</a>",
    }
    with open_shop(pages) as site:
        for more in ((), ("--json",)):
            out = str(tmp_path / f"of {len(more)}")
            status, told, complaints = crawl(site.origin, *ROBOT, "--out", out, *more)
            assert status == 0
            assert not set(told + complaints) & set("\x00\x07\x1b\r\x7f\x9b")


def test_urls_may_be_in_a_file(shop: Shop, folder: str, tmp_path: Path) -> None:
    """One a line; empty lines, comments and the mark of UTF-8 are nothing."""
    file = tmp_path / "urls.txt"
    text = f"\n{shop.origin}/lamps#l # all of them\n #x\n\n  {shop.origin}/chairs\n"
    file.write_text(text, "utf-8-sig")
    status, _, _ = crawl("--urls", str(file), *ROBOT, "--max-depth", "0", "--out", folder)
    assert status == 0
    assert {path for path, state in states(folder).items() if state == "done"} == {
        "lamps",
        "chairs",
    }
    file.write_text("\n", "utf-8")
    status, _, complaints = crawl("--urls", str(file), *ROBOT, "--out", folder)
    assert status == 2
    assert "has no URL; write one a line" in complaints
