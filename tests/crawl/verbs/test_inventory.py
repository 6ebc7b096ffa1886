"""`goodbot inventory`: as text, JSON lines, CSV and Parquet, and its exit status for a CI."""

import csv
import json
from pathlib import Path

import pytest

from goodbot.crawl.inventory.inventory_row import COLUMNS
from tests.support import program
from tests.support.shop_site.crawled import ShopCrawl
from tests.support.shop_site.serving import SITE


def run(*words: str) -> tuple[int, str, str]:
    """Run `goodbot inventory`."""
    done = program.run("inventory", *words)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_table_has_a_line_a_page_and_names_the_commands_for_the_rest(
    shop_crawl: ShopCrawl,
) -> None:
    """Numbers and URL; below them the title, or why the page must not be indexed."""
    folder = str(shop_crawl.folder)
    status, text, _ = run(folder, "--limit", "9")
    head, page, title, *_ = text.splitlines()
    assert status == 0
    assert head.split() == [
        *["status", "indexable", "depth", "links", "words", "bytes", "ms", "URL"]
    ]
    assert page.split()[:3] == ["200", "yes", "0"]
    assert page.endswith(f"  {SITE}/")
    assert title.strip() == "Lamps, chairs and tables"
    assert title.index("L") == page.index("https") == head.index("URL")
    assert f"redirects to {SITE}/lamps" in text
    assert " more: goodbot inventory --limit " in text
    assert "URLs: 130 indexable, 11 not to be indexed, " in text
    assert text.endswith(f"What is wrong: goodbot inventory --findings {folder}\n")


def test_json_and_csv_have_every_column(shop_crawl: ShopCrawl) -> None:
    """Lists are lists in JSON, and stand in one cell of CSV; what is unknown is null or empty."""
    folder = str(shop_crawl.folder)
    _, text, _ = run(folder, "--json")
    rows = {row["url"]: row for row in map(json.loads, text.splitlines())}
    mixed = rows[f"{SITE}/odd/mixed"]
    assert list(mixed) == [one.name for one in COLUMNS]
    assert len(mixed["mixed_content"]) == 3
    assert rows[f"{SITE}/marked/noindex"]["title"] is None
    _, text, _ = run(folder, "--csv")
    cells = {row["url"]: row for row in csv.DictReader(text.splitlines())}
    assert cells.keys() == rows.keys()
    assert cells[f"{SITE}/odd/mixed"]["mixed_content"] == " | ".join(mixed["mixed_content"])
    assert cells[f"{SITE}/marked/noindex"]["title"] == ""
    assert cells[f"{SITE}/marked/noindex"]["withheld"].startswith("META robots")


def test_parquet_has_every_column_with_its_meaning(shop_crawl: ShopCrawl, tmp_path: Path) -> None:
    """The same rows."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra")
    file = tmp_path / "pages.parquet"
    status, text, _ = run(str(shop_crawl.folder), "--parquet", str(file))
    table = parquet.read_table(file)
    assert (status, text) == (0, f"{file}: {table.num_rows} pages\n")
    assert table.column_names == [one.name for one in COLUMNS]
    assert table.schema.field("words").metadata[b"meaning"].startswith(b"How many words")
    assert f"{SITE}/" in table.column("url").to_pylist()


def test_findings_are_those_of_goodbot_findings(shop_crawl: ShopCrawl) -> None:
    """One list: on marks, on the site, and traps; as text, JSON and CSV."""
    folder = str(shop_crawl.folder)
    for options in ([], ["--json"], ["--csv"]):
        done = program.run("report", "findings", folder, *options)
        assert run(folder, "--findings", *options)[1] == done.stdout.decode()
    text = run(folder, "--findings")[1]
    for code in ("page-missing", "mixed-content", "session-id"):
        assert f" {code}\n" in text
    done = program.run("report", "findings", folder, "--code", "mixed-content")
    assert done.stdout.decode().startswith(f"{SITE}/odd/mixed  error mixed-content: it loads ")


def test_a_finding_can_fail_a_build(shop_crawl: ShopCrawl) -> None:
    """Exit status 1 if there is one of the codes; those are named unless a program reads along."""
    folder = str(shop_crawl.folder)
    status, text, _ = run(folder, "--findings", "--fail-on", "slow, mixed-content,bad-robots-pi")
    assert status == 2
    status, text, _ = run(folder, "--limit", "1", "--fail-on", "slow, mixed-content")
    assert status == 1
    assert text.endswith("\nFailed: there are findings of mixed-content, slow.\n")
    status, text, _ = run(folder, "--json", "--fail-on", "any")
    assert status == 1
    assert "Failed" not in text
    assert run(folder, "--limit", "1", "--fail-on", "conflicting-classes")[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--fail-on", "nonsense"], "there is no code 'nonsense'; the codes are "),
        (["--fail-on", ","], "--fail-on names no code; write codes such as page-missing, or any"),
        (["--json", "--csv"], "--json, --csv and --parquet are three formats; use one of them"),
        (["--findings", "--limit", "7"], "--findings is printed whole"),
    ],
)
def test_wrong_options_are_refused(shop_crawl: ShopCrawl, words: list[str], message: str) -> None:
    """With what to do."""
    status, _, error = run(str(shop_crawl.folder), *words)
    assert status == 2
    assert message in " ".join(error.split())


def test_a_crawl_of_nothing_has_no_pages(tmp_path: Path) -> None:
    """A folder without a crawl is refused."""
    assert run(str(tmp_path))[0] == 2
