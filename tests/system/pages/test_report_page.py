"""The report of a crawl in a real browser: it can be used, and no foreign text does anything."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from goodbot.crawl.folder.database import Database
from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.crawl.inventory.sqlite import SQLiteInventory
from goodbot.crawl.report.rows.packed_tables import STATIC_ROWS
from tests.support import program
from tests.support.crawls.many_pages import copy_pages
from tests.support.crawls.sample_crawl import SHOP, sample
from tests.support.shop_site.crawled import crawl_shop
from tests.system.browser import PAPER, Tab, barriers, browser, check_on_paper, opened

WIDTHS = (1280, 390)
"""A desktop and a phone."""
EVIL = (
    "\"'></td></script><script>window.evil = 1</script><!--<script><img src=x "
    "onerror='window.evil = 2'>\u2028\u202e]]>{{evil}}${evil}"
)
QUOTED = f"{SHOP}/it's-$(touch%20x)-`a`"
MANY = 100_000
EIGHT = (
    *("Googlebot", "bingbot", "GPTBot", "CCBot"),
    *("ClaudeBot", "PerplexityBot", "Applebot", "DuckDuckBot"),
)
MOST_BYTES = 8_000_000
"""How large a report on `MANY` pages and eight robots may be."""
MOST_ELEMENTS = 20_000
"""How many elements its page may have at once, however many rows it has."""


def report_of(folder: Path, *options: str) -> Path:
    """Write the report of a crawl by the command."""
    page = folder / "report.html"
    assert program.run("report", str(folder), "-o", str(page), *options).returncode in {0, 1}
    return page


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of the sample, with hostile texts wherever a stranger's may be."""
    folder = tmp_path_factory.mktemp("crawl's folder")
    crawl = sample(folder)
    with crawl.database.changing() as connection:
        for statement in (
            "UPDATE urls SET url = ?, how = 'link' WHERE url LIKE '%/gone'",
            "UPDATE urls SET source = ? WHERE state = 'disallowed'",
            "UPDATE urls SET reason = ? WHERE state = 'failed'",
            "UPDATE settings SET value = ? WHERE name = 'contact'",
        ):
            connection.execute(statement, (EVIL,))
        connection.execute("UPDATE urls SET url = ? WHERE url LIKE '%/till'", (QUOTED,))
        (url_id,) = connection.execute("SELECT id FROM urls WHERE url LIKE '%/lamps'").fetchone()
    facts = PageRecord(200, 512, 2.5, "text/html", indexable=True, title=EVIL, words=9)
    SQLiteInventory(crawl.database).record(url_id, facts)
    crawl.database.close()
    return report_of(folder)


@pytest.fixture(scope="module")
def large_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of a crawl with many URLs."""
    folder = tmp_path_factory.mktemp("large")
    with Database(folder, create=True) as database, database.changing() as connection:
        connection.execute("INSERT INTO origins VALUES(1, ?)", (SHOP,))
        connection.executemany(
            "INSERT INTO urls(id, url, origin, depth, hops, how, state, status) "
            "VALUES(?, ?, 1, ?, 0, iif(?1 = 1, 'start', 'link'), 'done', ?)",
            ((n, f"{SHOP}/{n}", n % 7, 404 if n % 50 == 0 else 200) for n in range(1, MANY + 1)),
        )
    return report_of(folder)


@pytest.fixture(scope="module")
def shop_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of a crawl of a large shop, with eight robots compared."""
    folder = tmp_path_factory.mktemp("shop")
    crawl_shop(folder)
    with Database(folder) as database:
        copy_pages(database, MANY // count_urls(database))
        assert count_urls(database) > MANY
    return report_of(folder, "--for", ",".join(EIGHT))


def count_urls(database: Database) -> int:
    """Return how many URLs a crawl knows."""
    (count,) = database.connection.execute("SELECT count(*) FROM urls").fetchone()
    return int(count)


@pytest.fixture(scope="module")
def chromium(report: Path, large_report: Path, shop_report: Path) -> Iterator[Browser]:  # noqa: ARG001  made before
    """Start a browser for all tests; Playwright keeps an event loop, so crawls come before it."""
    with browser() as started:
        yield started


def live(chromium: Browser, report: Path, width: int = WIDTHS[0], **options: Any) -> Tab:  # noqa: ANN401  Playwright's
    """Open a report, and wait until each of its tables is there in full."""
    tab = opened(chromium, report.as_uri(), width, **options)
    for element in tab.page.query_selector_all("[data-table]"):
        element.scroll_into_view_if_needed()
        element.wait_for_selector(".frame")
    return tab


def rows_of(page: Page, table: str) -> list[list[str]]:
    """Return the texts of the rows of a table that are on the page."""
    cells = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    found: list[list[str]] = page.eval_on_selector_all(
        f"[data-table={table}] .frame tr[data-at]", cells
    )
    return found


def told(page: Page, table: str) -> str:
    """Return how many rows a table shows, as it says."""
    return page.text_content(f"[data-table={table}] output") or ""


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_report_fits_and_nothing_complains(
    chromium: Browser, report: Path, width: int, mode: str
) -> None:
    """Console and network show no problem, and the page fits the window; axe finds no barrier."""
    tab = live(chromium, report, width, color_scheme=mode)
    assert tab.complaints == []
    assert tab.page.title().startswith("shop.example")
    assert tab.overhang() <= 0
    assert barriers(tab.page) == []


def test_a_table_is_sorted_by_its_headings(chromium: Browser, report: Path) -> None:
    """The first click sorts, the second the other way; the heading says which."""
    page = live(chromium, report).page
    heading = page.locator("[data-table=urls] .frame th", has_text="URL")
    for way in ("ascending", "descending"):
        heading.locator("button").click()
        assert heading.get_attribute("aria-sort") == way
        urls = [row[0] for row in rows_of(page, "urls")]
        assert urls == sorted(urls, reverse=way == "descending")
    assert len(urls) == 17


def test_a_table_is_searched_as_one_types(chromium: Browser, report: Path) -> None:
    """Every word must be in the row, in either case; the address of the page has the search."""
    page = live(chromium, report).page
    page.fill("[data-table=urls] input", "LAMPS answered")
    assert told(page, "urls") == "1 of 17 rows"
    assert rows_of(page, "urls")[0][0] == f"{SHOP}/lamps"
    again = live(chromium, report).page
    again.goto(page.url)
    again.wait_for_selector("[data-table=urls] .frame")
    again.wait_for_function("document.querySelector('[data-table=urls] input').value")
    assert told(again, "urls") == "1 of 17 rows"
    page.click("[data-table=urls] button:text('Show all')")
    assert told(page, "urls") == "17 rows"


def test_every_number_leads_to_its_rows(chromium: Browser, report: Path) -> None:
    """As many rows are shown as the number says."""
    page = live(chromium, report).page
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    links = page.locator("a[data-where]")
    numbers = 0
    for index in range(links.count()):
        link = links.nth(index)
        text, table = link.text_content() or "", (link.get_attribute("href") or "")[1:]
        link.click()
        number = text.split(" ")[0].replace(",", "")
        if not number.isdigit():  # it names what is compared, and the table says how many there are
            assert table == "robots"
            continue
        shown = told(page, table).split(" · ")[-1].split(" ")[0]
        assert shown == number, link.get_attribute("data-where")
        numbers += 1
    assert numbers > 20
    for tile in page.query_selector_all(".tiles a"):
        table = (tile.get_attribute("href") or "")[1:]
        number = int((tile.text_content() or "").split(" ")[0])
        assert len(page.query_selector_all(f"[data-table={table}] .frame tr[data-at]")) == number


def test_the_way_back_undoes_a_filter(chromium: Browser, report: Path) -> None:
    """The browser's own way back leads to what was shown before."""
    page = live(chromium, report).page
    links = page.locator(".bars a[data-where]")
    links.nth(0).click()
    before = told(page, "urls")
    links.nth(1).click()
    assert told(page, "urls") != before
    page.go_back()
    page.wait_for_function(
        "text => document.querySelector('[data-table=urls] output').textContent === text",
        arg=before,
    )


def test_a_table_is_used_by_keyboard(chromium: Browser, report: Path) -> None:
    """Arrows, Home and End go through the rows, Enter opens one, Escape returns to it."""
    page = live(chromium, report).page
    where = "Number(document.activeElement.dataset.at)"
    page.locator("[data-table=urls] .frame th button").last.focus()
    page.keyboard.press("Tab")
    assert page.evaluate(where) == 0
    for key, at in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", 16), ("Home", 0)):
        page.keyboard.press(key)
        assert page.evaluate(where) == at
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    assert barriers(page) == []
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.evaluate(where) == 0


def test_a_row_names_the_commands_for_its_evidence_and_copy(
    chromium: Browser, report: Path
) -> None:
    """Each is safe in a shell, whatever the URL is; related rows of other tables are listed."""
    page = live(chromium, report).page
    folder = str(report.parent)
    for url in (QUOTED, f"{SHOP}/lamps"):
        page.fill("[data-table=urls] input", url)
        page.click("[data-table=urls] .frame tr[data-at]")
        page.wait_for_selector("dialog h3 a")
        commands = [shlex.split(text) for text in page.locator("dialog code").all_text_contents()]
        assert commands[:2] == [
            ["goodbot", "evidence", folder, url],
            ["goodbot", "archive", "show", folder, url],
        ]
        page.keyboard.press("Escape")
    page.click("[data-table=urls] .frame tr[data-at]")
    page.click("dialog h3 a:text('All requests')")
    page.wait_for_selector("dialog", state="detached")
    assert [row[0] for row in rows_of(page, "requests")] == [f"{SHOP}/lamps"]


def test_foreign_text_does_nothing(chromium: Browser, report: Path) -> None:
    """It is shown as text, in tables and in the panel of a row, and no script of it runs."""
    tab = live(chromium, report)
    page = tab.page
    for table in ("urls", "blocked", "broken", "slow"):
        page.locator(f"[data-table={table}] .frame tr[data-at]").first.click()
        page.wait_for_selector("dialog[open]")
        page.keyboard.press("Escape")
    page.fill("[data-table=urls] input", "window.evil = 1")
    assert len(rows_of(page, "urls")) == 3  # a URL, a reason, a title of a page
    page.locator("[data-table=urls] .frame td.url", has_text="onerror").click()
    title = page.text_content("dialog h2") or ""
    assert "</script><script>window.evil = 1</script><!--<script>" in title
    assert "\\u202e" in title
    assert not set(title) & {"\u202e", "\u2028"}
    assert page.locator("dialog a[target]").count() == 0
    assert page.evaluate("window.evil") is None
    assert page.locator("img, iframe, object").count() == 0
    assert tab.complaints == []


def test_the_policy_blocks_every_other_script(chromium: Browser, report: Path) -> None:
    """Scripts, handlers and images that get onto the page do nothing."""
    tab = live(chromium, report)
    tab.page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.evil = 1";
            document.body.append(script);
            const paragraph = document.createElement("p");
            paragraph.setAttribute("onclick", "window.evil = 2");
            document.body.append(paragraph);
            paragraph.click();
            const image = document.createElement("img");
            image.src = "file:///etc/hostname";
            document.body.append(image);
        }"""
    )
    assert tab.page.evaluate("window.evil") is None
    blocked = [one for one in tab.complaints if "Content Security Policy" in one]
    assert len(blocked) >= 3


def visible_rows(page: Page) -> dict[str, int]:
    """Return how many rows of each table are visible."""
    script = """tables => Object.fromEntries(tables.map(table => [table.dataset.table,
        [...table.querySelectorAll("tbody tr")].filter(row => row.offsetHeight > 0).length]))"""
    found: dict[str, int] = page.eval_on_selector_all("[data-table]", script)
    return found


def test_print_and_readers_without_scripts_have_the_first_rows(
    chromium: Browser, report: Path, large_report: Path
) -> None:
    """They stand there as HTML: all of a short table, the first of a long one."""
    for path, expected in ((report, 17), (large_report, STATIC_ROWS)):
        check_on_paper(chromium, path.as_uri())
        on_paper = live(chromium, path)
        printed = on_paper.page
        printed.emulate_media(media="print")
        printed.set_viewport_size({"width": PAPER, "height": 1_000})
        assert on_paper.overhang() <= 0
        plain = opened(chromium, path.as_uri(), WIDTHS[0], java_script_enabled=False)
        assert plain.overhang() <= 0
        for page in (printed, plain.page):
            assert visible_rows(page)["urls"] == expected
            assert not page.is_visible("[data-table=urls] input")
            assert page.is_visible("[data-table=urls] .first th >> nth=0")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_large_table_has_few_rows_on_the_page(
    chromium: Browser, large_report: Path, width: int
) -> None:
    """Of 100,000 rows only those of the window are elements; the last one can be reached."""
    page = live(chromium, large_report, width).page
    assert told(page, "urls") == "100,000 rows"
    assert told(page, "broken") == "2,000 rows"
    page.locator("[data-table=urls] .frame tr[data-at]").first.focus()
    page.keyboard.press("End")
    assert rows_of(page, "urls")[-1][0] == f"/{MANY}"
    assert len(rows_of(page, "urls")) < 100
    page.fill("[data-table=urls] input", f"/{MANY}")
    assert [row[0] for row in rows_of(page, "urls")] == [f"/{MANY}"]


@pytest.mark.parametrize("width", WIDTHS)
def test_many_pages_by_eight_robots_are_bounded(
    chromium: Browser, shop_report: Path, width: int
) -> None:
    """In bytes and elements; two filters compare two robots, and the last row is there."""
    assert shop_report.stat().st_size < MOST_BYTES
    tab = live(chromium, shop_report, width)
    page, elements = tab.page, "document.querySelectorAll('*').length"
    assert tab.overhang() <= 0
    assert page.evaluate(elements) < MOST_ELEMENTS
    every = int(told(page, "robots").split(" ")[0].replace(",", ""))
    assert every > MANY * 9 // 10
    for column, word in (("Googlebot", "indexed"), ("GPTBot", "not fetched")):
        filters = page.locator("[data-table=robots] select", has_text=f"{column}: any")
        filters.select_option(word)
    found = told(page, "robots")
    assert found.endswith(f" of {every:,} rows")
    assert 0 < int(found.split(" ")[0].replace(",", "")) < every
    page.click("[data-table=robots] button:text('Show all')")
    page.locator("[data-table=robots] .frame tr[data-at]").first.focus()
    page.keyboard.press("End")
    assert "copy=" in rows_of(page, "robots")[-1][0]
    assert page.evaluate(elements) < MOST_ELEMENTS
    assert tab.complaints == []


def test_urls_are_told_apart_and_values_named(
    chromium: Browser, report: Path, large_report: Path
) -> None:
    """The site of the title is omitted, the end of a long URL stays, and phones have labels."""
    page = live(chromium, large_report).page
    cell = page.locator("[data-table=urls] .frame td.url").first
    assert (cell.text_content(), cell.get_attribute("aria-label")) == ("/1", f"{SHOP}/1")
    page = live(chromium, report).page
    page.locator("[data-table=urls] input").fill("%3Cscript%3E")
    parts = page.locator("[data-table=urls] .frame td.url").first.locator("span span")
    assert parts.count() == 2
    end = "one => one.offsetWidth > 0 && one.scrollWidth <= one.offsetWidth"
    # The rows are drawn again when the browser next draws.
    assert any(parts.nth(1).evaluate(end) or page.wait_for_timeout(100) for _ in range(50))
    phone = live(chromium, report, WIDTHS[1]).page
    label = "cell => getComputedStyle(cell, '::before').content"
    cells = phone.locator("[data-table=requests] .frame tr[data-at]").first.locator("td.number")
    assert cells.first.evaluate(label) == '"pause before"'


def test_the_browser_sees_what_is_wrong(chromium: Browser, tmp_path: Path) -> None:
    """A page with an error, or wider than the window, is distinguished from one in order."""
    page = tmp_path / "wrong.html"
    page.write_text("<p style='width:2000px'>x<script>undefined.x</script>", encoding="utf-8")
    tab = opened(chromium, page.as_uri(), WIDTHS[0])
    assert tab.complaints
    assert tab.overhang() > 0
    assert barriers(tab.page)
