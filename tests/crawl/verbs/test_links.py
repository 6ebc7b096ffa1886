"""`goodbot links`: as text, JSON lines, CSV and Parquet."""

import csv
import json
import shutil
from datetime import datetime, timezone
from pathlib import Path

from goodbot.crawl import Database
from goodbot.crawl.frontier.sqlite import SQLiteFrontier
from tests.support import program
from tests.support.paths import FIXTURES
from tests.support.shop_site.crawled import ShopCrawl
from tests.support.shop_site.expected import BROKEN_UNLINKED
from tests.support.shop_site.serving import SITE

LAMP = f"{SITE}/missing-lamp"


def run(*words: str) -> tuple[int, str, str]:
    """Run `goodbot links`."""
    done = program.run("links", *words)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_first_screen_says_which_links_are_broken_and_where(shop_crawl: ShopCrawl) -> None:
    """The answer, the URL, and each page with the line and the text of the link."""
    status, text, _ = run(str(shop_crawl.folder), "--broken")
    assert status == 0
    head, _, url, first, *_ = text.splitlines()
    assert head.startswith("Links lead to ")
    assert head.endswith(" URLs that are broken:")
    assert url == f"404   {LAMP}"
    assert first == f"      {SITE}/, line 30: The lamp of the month"
    assert f"\n301 > 404  {SITE}/to-missing\n      redirects to {SITE}/missing-target\n" in text
    assert f"\n410   {SITE}/discontinued\n" in text
    assert text.endswith(f"goodbot links --to URL {shop_crawl.folder}\n")


def test_what_is_broken_and_has_no_link_is_named(shop_crawl: ShopCrawl) -> None:
    """After the links, so that the number is that of the findings and the report."""
    _, text, _ = run(str(shop_crawl.folder), "--broken")
    head, *urls = text.partition("more URLs are broken")[2].splitlines()[:3]
    assert head == ", but no page or sitemap links to them:"
    assert {url.split()[1] for url in urls} == {SITE + path for path in BROKEN_UNLINKED}
    linked = int(text.removeprefix("Links lead to ").partition(" ")[0])
    done = program.run("inventory", str(shop_crawl.folder), "--limit", "1")
    assert linked + len(urls) == 21
    assert "16 with an error or no answer" in done.stdout.decode()  # and 5 redirects


def test_a_list_says_what_is_queued(shop_crawl: ShopCrawl, tmp_path: Path) -> None:
    """On standard error, so that rows stay rows; they are those of before, and marked."""
    folder = shop_crawl.copy(tmp_path / "shop")
    before = run(str(folder), "--broken", "--json")
    assert before[2] == ""
    with Database(folder) as database:
        now = datetime(2030, 1, 1, tzinfo=timezone.utc)
        SQLiteFrontier(database, now).again(now, early=True)
    _, rows, note = run(str(folder), "--broken", "--json")
    assert note.startswith("note: ")
    assert "URLs are queued for another visit" in note
    assert rows.replace('"queued_again": true', '"queued_again": false') == before[1] != rows
    for verb in ("inventory", "report findings"):
        assert program.run(*verb.split(), str(folder)).stderr.decode() == note


def test_long_lists_are_cut_and_the_command_for_the_rest_is_named(shop_crawl: ShopCrawl) -> None:
    """By URL and by page; the command works."""
    folder = str(shop_crawl.folder)
    _, text, _ = run(folder, "--broken", "--limit", "2")
    assert text.count("\n404 ") + text.count("\n410 ") == 2
    more = next(line for line in text.splitlines() if " more: goodbot links" in line)
    words = more.partition("goodbot ")[2].split()
    assert program.run(*words).stdout.count(b"\n404 ") > 2
    _, text, _ = run(folder, "--redirects", "--limit", "1")
    assert "URLs that redirect:" in text
    _, text, _ = run(folder, "--from", f"{SITE}/", "--limit", "3")
    head, *lines = text.splitlines()
    assert head == f"{SITE}/"
    assert len(lines) == 4
    assert lines[-1].startswith("There are more links: goodbot links --limit 30 ")


def test_links_are_listed_page_by_page(shop_crawl: ShopCrawl) -> None:
    """With the status of each target, or why it was not requested."""
    folder = str(shop_crawl.folder)
    _, text, _ = run(folder, "--external")
    assert f"{SITE}/\n      31  other-origin  https://elsewhere.example/  Our friends\n" in text
    _, text, _ = run(folder, "--to", LAMP)
    assert f"      30  404  {LAMP}  The lamp of the month\n" in text
    assert run(folder, "--external", "--broken") == (0, "There is no such link.\n", "")


def test_a_url_that_is_not_in_the_crawl_is_told(shop_crawl: ShopCrawl) -> None:
    """With similar ones, and status 1; one that is no URL is misuse."""
    folder = str(shop_crawl.folder)
    status, text, _ = run(folder, "--to", f"{SITE}/missing-lamps")
    assert status == 1
    assert f"similar: {LAMP}" in text
    assert run(folder, "--to", f"{SITE}/missing-lamps", "--json") == (1, "", "")
    assert run(folder, "--to", "/missing-lamp")[0] == 2
    assert run(folder, "--json", "--csv")[0] == 2


def test_json_csv_and_parquet_have_the_same_rows(shop_crawl: ShopCrawl, tmp_path: Path) -> None:
    """The keys are the columns; --limit holds for each."""
    folder = str(shop_crawl.folder)
    objects = [json.loads(line) for line in run(folder, "--broken", "--json")[1].splitlines()]
    head, *found = csv.reader(run(folder, "--broken", "--csv")[1].splitlines())
    assert head == list(objects[0])
    assert [row[:2] for row in found] == [[one["from"], one["to"]] for one in objects]
    assert objects[0]["to"] == LAMP
    path = tmp_path / "links.parquet"
    status, text, _ = run(folder, "--broken", "--parquet", str(path), "--limit", "3")
    assert (status, text) == (0, f"{path}: 3 links\n")
    assert path.read_bytes().startswith(b"PAR1")
    assert run(folder, "--json", "--limit", "5")[1].count("\n") == 5


def test_a_folder_of_an_older_version_has_no_links(tmp_path: Path) -> None:
    """The message says so; nothing looks as if no link were broken."""
    folder = str(shutil.copytree(FIXTURES / "0.1.0" / "crawl", tmp_path / "old"))
    status, text, _ = run(folder, "--broken")
    assert (status, text.split(":")[0]) == (0, "No links are stored in this folder")
    assert run(folder, "--json")[:2] == (0, "")
