"""`goodbot robot block`, `pause`, `resume` and `forget`, on crawls that rest and on one at work."""

import json
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

from tests.support import program
from tests.support.loopback_shop import PAGES, ROBOT, Shop, begun, crawl, open_shop
from tests.support.program import environment
from tests.support.waiting import HANGS, wait_until


def told(*words: str | Path, status: int = 0) -> str:
    """Run a verb, which ends with a status and without a complaint; return what it prints."""
    done = program.run(*words, env=environment())
    assert (done.returncode, done.stderr) == (status, b""), done
    return done.stdout.decode()


def crawled(shop: Shop, folder: Path, *words: str) -> str:
    """Crawl the shop, to the end."""
    status, printed, _ = crawl(f"{shop.origin}/", *ROBOT, "--out", str(folder), *words)
    assert status == 0
    return printed


def bytes_of_archive(folder: Path) -> int:
    """Return how many bytes the archive of pages has."""
    return sum(path.stat().st_size for path in folder.glob("pages-*.warc.gz"))


def test_a_block_takes_down_what_is_kept(tmp_path: Path) -> None:
    """Index, archive and the bytes on the disk; the evidence says who, when and why."""
    folder = tmp_path / "c"
    with open_shop() as shop:
        crawled(shop, folder)
        before = bytes_of_archive(folder)
        said = told(
            "robot",
            "block",
            "add",
            folder,
            f"{shop.origin}/lamps",
            "--why",
            "a mail",
            "--by",
            "ada",
        )
        assert f"{shop.origin}/lamps was blocked on " in said
        assert "by ada: a mail. Removed from the crawl: 1 URL." in said
        assert shop.origin not in told("search", folder, "brass", status=1)
        assert f"{shop.origin}/lamps" not in told("archive", "list", folder)
        assert told("archive", "check", folder)
        assert bytes_of_archive(folder) < before
        assert told("search", folder, "oak")
        skipped = told("report", "skipped", folder, "--reason", "operator-block", "--urls")
        assert "/lamps  (operator-block" in skipped
        assert "by ada: a mail" in skipped
        shown = program.run("archive", "show", folder, f"{shop.origin}/lamps", env=environment())
        assert (shown.returncode, b"by ada: a mail" in shown.stderr) == (1, True)
        history = told("evidence", folder, f"{shop.origin}/lamps")
        assert "Not fetched: it is disallowed." in history
        assert "by ada: a mail" in history
        told("evidence", folder, "--export", tmp_path / "rows.jsonl")
        exported = map(json.loads, (tmp_path / "rows.jsonl").read_text("utf-8").splitlines())
        verdicts = [one for line in exported for one in line["verdicts"]]
        (row,) = [one for one in verdicts if one["reason"] == "operator-block"]
        assert (row["allowed"], "by ada: a mail" in row["source"]) == (False, True)
        told("report", folder, "-o", tmp_path / "report.html")
        report = (tmp_path / "report.html").read_text("utf-8")
        assert '<td data-label="by">ada</td><td data-label="reason">a mail</td>' in report
        asked = len(shop.asked)
        crawl("--due", "--allow-private", "--out", str(folder))
        assert "/lamps" not in shop.asked[asked:]
        words = ("--why", "a mail", "--by", "ada")
        again = told("robot", "block", "add", folder, f"{shop.origin}/lamps", *words)
        assert "Removed from the crawl: 0 URLs." in again


def test_a_blocked_site_is_asked_for_nothing(tmp_path: Path) -> None:
    """Not when the crawl goes on, until the block is taken back."""
    folder = tmp_path / "c"
    with open_shop() as shop:
        crawled(shop, folder, "--max-pages", "1")
        assert shop.asked == ["/robots.txt", "/"]
        told("robot", "block", "add", folder, shop.origin, "--why", "a test")
        (hold,) = told("robot", "block", "list", folder, "--json").splitlines()
        assert json.loads(hold)["scope"] == shop.origin
        crawl("--resume", "--allow-private", "--out", str(folder))
        assert shop.asked == ["/robots.txt", "/"]
        told("robot", "block", "remove", folder, f"{shop.origin}/", status=0)
        told("robot", "block", "remove", folder, f"{shop.origin}/", status=1)
        assert told("robot", "block", "list", folder) == "Nothing is blocked or paused.\n"
        assert "operator-block" not in told("report", "skipped", folder)
        crawl("--resume", "--allow-private", "--out", str(folder), "--max-pages", "9")
        assert set(shop.asked) == {"/robots.txt", "/", "/lamps", "/chairs", "/gone"}


def test_what_is_forgotten_is_visited_again(tmp_path: Path) -> None:
    """It is gone from index and archive, and known."""
    folder = tmp_path / "c"
    with open_shop() as shop:
        crawled(shop, folder)
        told("robot", "forget", folder, f"{shop.origin}/lamps")
        assert f"{shop.origin}/lamps" not in told("archive", "list", folder)
        told("search", folder, "brass", status=1)
        history = told("evidence", folder, f"{shop.origin}/lamps")
        assert "It was removed from the index and the archive." in history
        assert "The operator ran `goodbot robot forget`." in history
        assert "is not in the crawl" in told(
            "robot", "forget", folder, f"{shop.origin}/none", status=1
        )


def test_a_store_of_robots_has_blocks_too(tmp_path: Path) -> None:
    """`goodbot check --store` obeys them, and makes no request."""
    store = tmp_path / "robots.db"
    with open_shop() as shop:
        check = ("check", "--allow-private", "--store", store, f"{shop.origin}/lamps")
        told(*check)
        asked = len(shop.asked)
        told("robot", "block", "add", store, shop.origin, "--why", "a test", "--by", "ada")
        assert "was blocked on" in told(*check, status=1)
        assert len(shop.asked) == asked
        assert "by ada: a test" in told("robot", "block", "list", store)
        told("robot", "block", "remove", store, shop.origin)
        told(*check)
    done = program.run("robot", "block", "list", str(tmp_path / "nothing"), env=environment())
    assert done.returncode == 2
    assert b"does not exist" in done.stderr


def test_a_site_is_paused_in_the_store_of_a_robot(tmp_path: Path) -> None:
    """By the words of a crawl: no page is requested until it is resumed."""
    store = tmp_path / "store.db"
    with open_shop() as shop:
        words = ("--allow-private", "--store", str(store), "-r", "ExampleBot")
        told("check", f"{shop.origin}/", *words)
        said = told("robot", "pause", store, shop.origin, "--why", "they move", "--by", "ada")
        assert "by ada: they move" in said
        assert "was paused on" in told("robot", "block", "list", store)
        assert "they move" in told("check", f"{shop.origin}/", *words, status=2)
        told("robot", "resume", store, shop.origin)
        told("robot", "resume", store, shop.origin, status=1)
        told("check", f"{shop.origin}/", *words)


def test_a_crawl_at_work_obeys(tmp_path: Path) -> None:
    """One site is paused and goes on when it is resumed; what is blocked meanwhile goes."""
    folder = tmp_path / "c"
    slow = PAGES | {"/robots.txt": b"User-agent: *\nCrawl-delay: 0.3\n"}
    with open_shop(slow) as shop, open_shop() as other:
        shop.hold("/")
        words = (f"{shop.origin}/", f"{other.origin}/", *ROBOT, "--out", str(folder))
        with begun(*words, "--patience", "inf") as process:
            assert shop.at_gate.wait(HANGS)
            wait_until(lambda: len(other.asked) == 5)
            told("robot", "pause", folder, shop.origin, "--why", "they move", "--by", "ada")
            told("robot", "block", "add", folder, f"{other.origin}/lamps", "--why", "a mail")
            shop.gate.set()
            assert f"{other.origin}/lamps" not in told("archive", "list", folder)
            time.sleep(1.5)
            assert shop.asked == ["/robots.txt", "/"]
            assert "they move" in told(
                "report", "skipped", folder, "--reason", "operator-pause", "--urls"
            )
            told("robot", "resume", folder, shop.origin)
            assert process.wait(HANGS) == 0
        assert set(shop.asked) >= {"/lamps", "/chairs"}
        told("search", folder, f"brass site:{other.origin}", status=1)


def test_a_crawl_says_that_a_site_is_paused_or_its_hours_have_not_begun(tmp_path: Path) -> None:
    """At its end and in `skipped`, with what to do."""
    folder = tmp_path / "c"
    words = ("--resume", "--allow-private", "--out", str(folder), "--patience", "0")
    with open_shop() as shop:
        crawled(shop, folder, "--max-pages", "1")
        told("robot", "pause", folder, shop.origin, "--why", "they move", "--by", "ada")
        paused = f"To resume the visits: goodbot robot resume {folder} {shop.origin}\n"
        for printed in (crawl(*words)[1], told("report", "skipped", folder)):
            assert "by ada: they move. " in printed
            assert paused in printed
        told("robot", "resume", folder, shop.origin)
        assert paused not in told("report", "skipped", folder)
        now = datetime.now(timezone.utc)
        later = f"{now + timedelta(hours=2):%H}:00"
        hours = f"{later}-{now + timedelta(hours=3):%H}:00"
        for printed in (crawl(*words, "--hours", hours)[1], told("report", "skipped", folder)):
            assert f"--hours allows visits at {hours} UT only; the next ones start " in printed
            assert f" {later}:00 UTC." in printed
