"""`goodbot reconsider`, of crawls, archives and tables, with sites on loopback."""

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goodbot.files.writing_lock import writing_lock
from goodbot.testing import LoopbackSite
from goodbot.testing.steps import LoopbackVisit, Script, ScriptStep, always
from tests.support.crawls.foreign_warcs import response, write_warc
from tests.support.live_sites import ask, open_site
from tests.support.program import bare_environment

HTML = "Content-Type: text/html"
PAGES: dict[str, Script] = {
    "/": always(200, b"<title>Home</title><a href=/lamp>l</a> <a href=/private/a>p</a>", HTML),
    "/lamp": always(200, b"<title>Lamp</title><p>brasslamp", HTML),
    "/private/a": always(200, b"<title>P</title><p>velvetsofa", HTML),
}


class Site:
    """A site whose owner changes robots.txt and tdmrep.json."""

    def __init__(self) -> None:
        """Start open."""
        self.robots_txt = b"User-agent: *\nAllow: /\n"
        self.tdmrep = b""

    def answer_robots_txt(self, visit: LoopbackVisit) -> Iterator[ScriptStep]:
        """Answer a request for robots.txt."""
        yield from always(200, self.robots_txt, "Content-Type: text/plain")(visit)

    def answer_tdmrep(self, visit: LoopbackVisit) -> Iterator[ScriptStep]:
        """Answer a request for tdmrep.json."""
        status = 200 if self.tdmrep else 404
        yield from always(status, self.tdmrep, "Content-Type: application/json")(visit)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[tuple[LoopbackSite, Site, Path]]:
    """Crawl a site on loopback while it is open."""
    owner = Site()
    pages = {**PAGES, "/.well-known/tdmrep.json": owner.answer_tdmrep}
    with open_site(owner.answer_robots_txt, pages) as site:
        folder = tmp_path / "shop"
        status, _, said = ask(
            "crawl", f"{site.origin}/", "--robot", "ExampleBot/1.0", "--out", str(folder),
            "--allow-private", "--include", "/lamp", "--include", "/private/*", "--include", "/$",
        )  # fmt: skip
        assert status == 0, said
        yield site, owner, folder


def test_a_crawl_is_reconsidered_by_what_its_site_says(
    shop: tuple[LoopbackSite, Site, Path],
) -> None:
    """The summary, each row, and the exit status; each file of the site is asked for once."""
    site, owner, folder = shop
    owner.robots_txt = b"User-agent: *\nDisallow: /private\n"
    owner.tdmrep = b'[{"location": "/lamp", "tdm-reservation": 1}]'
    before = len(site.visits)
    status, text, said = ask("reconsider", str(folder), "--allow-private")
    assert (status, said) == (1, "")
    assert "robots.txt, line 2: Disallow: /private" in text
    assert "reserved now (/.well-known/tdmrep.json, rule 1" in text
    assert [one.target for one in site.visits[before:]] == [
        "/robots.txt", "/.well-known/tdmrep.json",
    ]  # fmt: skip
    status, text, _ = ask("reconsider", str(folder), "--allow-private", "--json", "--gone")
    rows = [json.loads(line) for line in text.splitlines()]
    assert [(one["url"], one["use"], one["then"], one["now"], one["do"]) for one in rows] == [
        (f"{site.origin}/lamp", "train", "unknown", "reserved", "exclude-from-training"),
        (f"{site.origin}/private/a", "fetch", "allowed", "disallowed", "remove"),
    ]
    assert rows[1]["line"] == 2


def test_everything_may_stay_while_the_site_is_open(shop: tuple[LoopbackSite, Site, Path]) -> None:
    """Then the exit status is 0."""
    _, _, folder = shop
    assert ask("reconsider", str(folder), "--allow-private", "--use", "fetch")[0] == 0


def test_an_archive_needs_no_operator_for_robots_txt(shop: tuple[LoopbackSite, Site, Path]) -> None:
    """With --use fetch only robots.txt is asked for; otherwise the sites must see who asks."""
    site, owner, folder = shop
    owner.robots_txt = b"User-agent: *\nDisallow: /private\n"
    file = folder / "pages-00001.warc.gz"
    words = ("reconsider", str(file), "--allow-private")
    status, text, _ = ask(*words, "--use", "fetch", "--csv", env=bare_environment())
    rows = list(csv.DictReader(io.StringIO(text)))
    assert status == 1
    assert [one["do"] for one in rows if one["url"].endswith("/private/a")] == ["remove"]
    status, _, said = ask(*words, env=bare_environment())
    assert (status, "a site must be able to see who is visiting" in said) == (2, True)
    assert site.visits_to("/.well-known/tdmrep.json") == []


def test_a_site_that_fails_has_not_opted_out(shop: tuple[LoopbackSite, Site, Path]) -> None:
    """Unknown removes nothing, has its own answer, and can be withheld."""
    site, _, folder = shop
    site.behaviour = site.behaviour.__class__(
        name="own", does="", must="", access="rules", authority="", answer=always(503, b"")
    )
    words = ("reconsider", str(folder), "--allow-private", "--use", "fetch")
    status, text, _ = ask(*words)
    told = "3 answers unknown, service-unavailable: the site gave no answer"
    assert (status, told in text) == (2, True)
    status, text, said = ask(*words, "--unknown", "withhold", "--json")
    assert status == 2
    assert "1 site gave no answer (service-unavailable), so the exit status is 2" in said
    assert {json.loads(line)["do"] for line in text.splitlines()} == {"withhold"}


@pytest.mark.parametrize("words", [(), ("--use", "train"), ("--use", "fetch")])
@pytest.mark.parametrize("is_archive", [False, True])
def test_an_address_that_is_not_public_needs_permission(
    shop: tuple[LoopbackSite, Site, Path],
    words: tuple[str, ...],
    is_archive: bool,  # noqa: FBT001  a parameter
) -> None:
    """The summary says so, and there is no answer."""
    _, _, folder = shop
    source = folder / "pages-00001.warc.gz" if is_archive else folder
    status, text, said = ask("reconsider", str(source), *words)
    assert (status, "add --allow-private" in said) == (2, True)
    assert "--allow-private; to visit one network, add --allow-network CIDR" in " ".join(
        text.split()
    )


def test_what_is_asked_of_a_site_that_is_down_has_no_answer(tmp_path: Path) -> None:
    """Whatever else must not stay; what must go by your own list goes all the same."""
    folder, listed = tmp_path / "shop", tmp_path / "list.txt"
    with open_site(always(404, b""), PAGES) as site:
        words = ("crawl", f"{site.origin}/lamp", "--robot", "ExampleBot/1.0", "--allow-private")
        assert ask(*words, "--out", str(folder))[0] == 0
    listed.write_text(f"{site.origin}/lamp\n")
    words = ("reconsider", str(folder), "--allow-private", "--takedown", str(listed))
    status, text, _ = ask(*words)
    assert (status, "failure-refused: the site gave no answer" in text) == (2, True)
    assert "try again later" in text
    status, text, said = ask(*words, "--replace", "--json")
    assert (status, json.loads(text)["pages"]) == (2, 1)
    assert "1 site gave no answer (failure-refused)" in said
    # Where no site is asked, the list has all answers.
    assert ask(*words, "--use", "takedown")[0] == 0


def test_a_row_without_a_url_has_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For each use; the summary says what is wrong."""
    monkeypatch.chdir(tmp_path)
    may = datetime(2026, 5, 1, tzinfo=timezone.utc)
    policy = {
        "origin": ["https://a.example"], "valid_from": [may],
        "valid_until": [may + timedelta(days=1)], "access": ["rules"], "reason": ["found"],
        "stale": [False], "dialect": ["rfc9309"], "body": [b"User-agent: *\nAllow: /\n"],
    }  # fmt: skip
    pq.write_table(pa.table(policy), "policies.parquet")
    urls = [None, "lamp", "https://a.example/lamp", "https://b.example/"]
    pq.write_table(pa.table({"url": urls}), "urls.parquet")
    words = ("reconsider", "urls.parquet", "--policies", "policies.parquet", "--at", "2026-05-01")
    status, text, _ = ask(*words, "--json")
    found = [(one["use"], one["reason"]) for one in map(json.loads, text.splitlines())]
    assert (status, found) == (0, [
        ("fetch", "no-origin"), ("fetch", "no-origin"), ("fetch", "rule-allows"),
        ("fetch", "not-asked"), ("train", "no-origin"), ("train", "no-origin"),
        ("train", "tdmrep-not-read"), ("train", "not-asked"),
    ])  # fmt: skip
    text = ask(*words)[1]
    assert "4 answers unknown, no-origin: a URL begins with https:// or http://" in text


def test_a_table_is_reconsidered_by_a_table(
    shop: tuple[LoopbackSite, Site, Path], tmp_path: Path
) -> None:
    """URLs with their times, by policies that are built from what was fetched."""
    site, _, folder = shop
    urls, policies = tmp_path / "urls.parquet", tmp_path / "policies.parquet"
    pq.write_table(pa.table({"url": [f"{site.origin}/lamp"]}), urls)
    status, _, said = ask("reconsider", str(urls))
    assert (status, "add --policies FILE" in said) == (2, True)
    assert ask("tables", "build", str(folder), "-o", str(policies))[0] == 0
    words = ("reconsider", str(urls), "--policies", str(policies), "--json")
    status, text, said = ask(*words)
    assert (status, said) == (0, "")
    rows = [json.loads(line) for line in text.splitlines()]
    assert [(one["use"], one["then"], one["now"]) for one in rows] == [
        ("fetch", "unknown", "allowed"), ("train", "unknown", "unknown"),
    ]  # fmt: skip
    status, text, _ = ask(
        *words[:-1], "--at", "2020-01-01", "--parquet", str(tmp_path / "r.parquet")
    )
    assert (status, "2 answers unknown, not-asked" in text) == (0, True)
    assert pq.read_table(tmp_path / "r.parquet").num_rows == 2


@pytest.mark.parametrize("names", [(), ("--log", "own.jsonl"), ("--replace",)])
def test_the_log_has_each_row_that_goes_from_a_table(
    names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once each, with the statement, whether the log is named or not."""
    monkeypatch.chdir(tmp_path)
    may = datetime(2026, 5, 1, tzinfo=timezone.utc)
    policy = {
        "origin": ["https://a.example"], "valid_from": [may],
        "valid_until": [may + timedelta(days=1)], "access": ["rules"], "reason": ["found"],
        "stale": [False], "dialect": ["rfc9309"],
        "body": [b"User-agent: *\nContent-Signal: ai-train=no\nDisallow: /a\n"],
    }  # fmt: skip
    pq.write_table(pa.table(policy), "policies.parquet")
    urls = [f"https://a.example/{path}" for path in ("a/1", "b", "a/2")]
    pq.write_table(pa.table({"url": urls, "fetch_time": [may] * 3}), "urls.parquet")
    at = ("--policies", "policies.parquet", "--at", "2026-05-01T12:00")
    where = names if "--replace" in names else ("--apply", "new.parquet", *names)
    status, text, _ = ask("reconsider", "urls.parquet", *at, "--use", "fetch", *where)
    log = {"--log": "own.jsonl", "--replace": "removed.jsonl"}.get("".join(names[:1]))
    log = log or "new.parquet.removed.jsonl"
    assert (status, text.splitlines()[-1]) == (0, f"What was removed by which statement: {log}")
    lines = [json.loads(line) for line in Path(log).read_text("utf-8").splitlines()]
    assert [(one["url"], one["offset"], one["source"]) for one in lines] == [
        (urls[0], 0, "robots.txt, line 3: Disallow: /a"),
        (urls[2], 2, "robots.txt, line 3: Disallow: /a"),
    ]
    new = "urls.parquet" if "--replace" in names else "new.parquet"
    assert pq.read_table(new).column("url").to_pylist() == urls[1:2]


def test_another_time_asks_no_site(shop: tuple[LoopbackSite, Site, Path]) -> None:
    """Before the crawl began, nothing was known."""
    site, _, folder = shop
    before = len(site.visits)
    status, text, _ = ask(
        "reconsider", str(folder), "--at", "2020-01-01T00:00:00", "--use", "fetch"
    )
    assert (status, "3 answers unknown, not-asked" in text) == (0, True)
    assert len(site.visits) == before


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("missing.warc.gz",), "there is no missing.warc.gz"),
        ((".",), "nothing that goodbot can"),
        ((os.devnull,), "is a pipe or a device, and is read more than once; write it to a file"),
    ],
)
def test_what_is_not_held_is_told(tmp_path: Path, words: tuple[str, ...], what: str) -> None:
    """The message says what to name."""
    status, _, said = ask("reconsider", *words, cwd=str(tmp_path))
    assert (status, what in said) == (2, True)


def test_the_life_of_a_page(shop: tuple[LoopbackSite, Site, Path], tmp_path: Path) -> None:
    """Crawled while it was open; its site opts out; it goes from crawl, archive and table.

    Afterwards the same question finds nothing that must go, and everything else is there.
    """
    site, owner, folder = shop
    wacz, urls = tmp_path / "shop.wacz", tmp_path / "urls.parquet"
    assert ask("archive", "export", str(folder), "--wacz", str(wacz))[0] == 0
    pages = [f"{site.origin}{path}" for path in ("/", "/lamp", "/private/a")]
    pq.write_table(pa.table({"url": pages}), urls)
    owner.robots_txt = b"User-agent: *\nDisallow: /private\n"
    private = ("--allow-private",)
    for source, new in ((folder, tmp_path / "later"), (wacz, tmp_path / "later.wacz")):
        assert ask("reconsider", str(source), *private, "--use", "fetch")[0] == 1
        status, text, said = ask("reconsider", str(source), *private, "--apply", str(new), "--json")
        assert (status, said) == (0, "")
        done = json.loads(text)
        assert done["new"] == str(new)
        log = [json.loads(line) for line in Path(done["log"]).read_text().splitlines()]
        assert [(one["url"], one["source"]) for one in log] == [
            (f"{site.origin}/private/a", "robots.txt, line 2: Disallow: /private")
        ]
        assert ask("reconsider", str(new), *private, "--use", "fetch")[0] == 0
        assert ask("reconsider", str(source), *private, "--use", "fetch")[0] == 1
    later = str(tmp_path / "later")
    assert ask("archive", "check", later)[0] == 0
    assert ask("search", later, "velvetsofa")[0] == 1
    assert "/lamp" in ask("search", later, "brasslamp")[1]
    assert "Reconsidered: fetch is disallowed now" in ask("evidence", later, pages[2])[1]
    # The table, by policies that were built of the crawl after its site was asked again.
    asked, policies = tmp_path / "asked.db", tmp_path / "policies.parquet"
    assert ask("policy", pages[0], *private, "--store", str(asked))[0] == 0
    assert ask("tables", "build", str(asked), "-o", str(policies))[0] == 0
    words = ("reconsider", str(urls), "--policies", str(policies), "--use", "fetch", "--replace")
    status, text, said = ask(*words)
    assert (status, said) == (0, "")
    assert "2 of 3 rows, without 1" in text
    assert pq.read_table(urls).column("url").to_pylist() == pages[:2]


def test_a_takedown_list_asks_no_site(
    shop: tuple[LoopbackSite, Site, Path], tmp_path: Path
) -> None:
    """With --use takedown; its lines are the statements, and the old files are replaced."""
    site, _, folder = shop
    listed = tmp_path / "list.txt"
    listed.write_text(f"# by letter of 3 May\n{site.origin}/lamp\n")
    before = len(site.visits)
    words = ("reconsider", str(folder), "--use", "takedown", "--takedown", str(listed))
    status, text, _ = ask(*words, "--json", "--gone")
    assert status == 1
    (row,) = map(json.loads, text.splitlines())
    assert (row["url"], row["line"], row["do"]) == (f"{site.origin}/lamp", 2, "remove")
    status, text, _ = ask(*words, "--replace", "--log", str(tmp_path / "log.jsonl"))
    assert (status, "1 page removed" in text) == (0, True)
    assert len(site.visits) == before
    assert ask("search", str(folder), "brasslamp")[0] == 1
    assert f"{site.origin}/lamp" in (tmp_path / "log.jsonl").read_text()
    assert ask(*words)[0] == 0


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--apply", "new", "--replace"), "use one of them"),
        (("--replace", "--unknown", "withhold"), "what is unknown is never removed"),
        (("--tombstones",), "add --apply NEW or --replace"),
        (("--log", "x"), "add --apply NEW or --replace"),
        (("--apply", "new", "--csv"), "use --json for the numbers"),
        (("--use", "takedown"), "add --takedown FILE"),
    ],
)
def test_options_that_contradict_one_another_are_refused(
    tmp_path: Path, words: tuple[str, ...], what: str
) -> None:
    """The message says what to do."""
    pq.write_table(pa.table({"url": ["https://a.example/"]}), tmp_path / "urls.parquet")
    status, _, said = ask("reconsider", "urls.parquet", *words, cwd=str(tmp_path))
    assert (status, what in " ".join(said.split())) == (2, True)


def test_a_table_has_columns_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other names of columns, and digests of the content for the hashes of a takedown list."""
    monkeypatch.chdir(tmp_path)
    texts = [b"one", b"two", b"three"]
    table = {
        "URL": [f"https://a.example/{place}" for place in range(3)],
        "sha256": [hashlib.sha256(text).hexdigest() for text in texts],
        "payload": [f"sha1:{hashlib.sha1(text).hexdigest()}" for text in texts],  # noqa: S324  no secret
    }
    pq.write_table(pa.table(table), "urls.parquet")
    Path("list.txt").write_text(f"sha256:{table['sha256'][1]}\n{table['payload'][2]}\n", "utf-8")
    words = ("reconsider", "urls.parquet", "--use", "takedown", "--takedown", "list.txt")
    status, _, said = ask(*words)
    assert (status, "name that of the URLs with --url-column" in said) == (2, True)
    status, _, said = ask(*words, "--url-column", "URL", "--gone", "--json")
    assert (status, "hashes of the takedown list were not compared" in said) == (0, True)
    status, _, said = ask(*words, "--url-column", "URL", "--time-column", "payload")
    assert (status, "timestamps with --time-column, or convert it" in said) == (2, True)
    digests = ("--digest-column", "sha256", "--digest-column", "payload")
    status, text, said = ask(*words, "--url-column", "URL", *digests, "--gone", "--json")
    assert (status, said) == (1, "")
    assert [json.loads(line)["url"] for line in text.splitlines()] == table["URL"][1:]
    ask(*words, "--url-column", "URL", *digests, "--apply", "new.parquet")
    assert pq.read_table("new.parquet").to_pylist() == [
        {name: one[0] for name, one in table.items()}
    ]


@pytest.mark.parametrize("kind", ["crawl", "archive", "table"])
def test_what_exists_is_not_overwritten(
    shop: tuple[LoopbackSite, Site, Path], tmp_path: Path, kind: str
) -> None:
    """Whatever the source is, and before any site is asked."""
    site, _, folder = shop
    urls, listed = tmp_path / "urls.parquet", tmp_path / "list.txt"
    pq.write_table(pa.table({"url": [f"{site.origin}/lamp"]}), urls)
    listed.write_text(f"{site.origin}/lamp\n")
    source = {"crawl": folder, "archive": folder / "pages-00001.warc.gz", "table": urls}[kind]
    before = len(site.visits)
    new = tmp_path / "new"
    new.mkdir()
    (new / source.name).write_bytes(b"of another")
    uses = ("--use", "takedown") if kind == "table" else ()
    words = ("reconsider", str(source), "--allow-private", "--takedown", str(listed), *uses)
    status, text, said = ask(*words, "--apply", str(new))
    assert (status, text) == (2, "")
    assert f"{new} exists; name a folder that does not" in " ".join(said.split())
    if kind != "crawl":
        file = new / source.name
        status, _, said = ask(*words, "--apply", str(file))
        assert (status, f"{file} exists; name a file" in " ".join(said.split())) == (2, True)
    assert (new / source.name).read_bytes() == b"of another"
    assert len(site.visits) == before


@pytest.mark.parametrize("kind", ["archive", "table"])
def test_two_runs_do_not_replace_the_same_file(tmp_path: Path, kind: str) -> None:
    """The second one has the exit status 2, says what to do, and changes nothing."""
    source, listed = tmp_path / f"a.{'warc.gz' if kind == 'archive' else 'parquet'}", "list.txt"
    if kind == "table":
        pq.write_table(pa.table({"url": ["https://a.example/", "https://b.example/"]}), source)
    else:
        write_warc(source, [response(f"https://{name}.example/", "<p>") for name in "ab"])
    (tmp_path / listed).write_text("a.example\n")
    before = source.read_bytes()
    words = ("reconsider", source.name, "--use", "takedown", "--takedown", listed, "--replace")
    with writing_lock(source):
        status, _, said = ask(*words, cwd=str(tmp_path))
    assert (status, "wait until that ends, and run" in " ".join(said.split())) == (2, True)
    assert source.read_bytes() == before
    assert not (tmp_path / "removed.jsonl").exists()
    assert ask(*words, cwd=str(tmp_path))[0] == 0
    assert source.read_bytes() != before


def test_urls_of_a_table_may_be_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Older writers of Parquet do not say that a column is text."""
    monkeypatch.chdir(tmp_path)
    urls = [b"https://a.example/a", b"https://a.example/b\xff", None]
    pq.write_table(pa.table({"url": pa.array(urls, pa.binary())}), "urls.parquet")
    Path("list.txt").write_text("https://a.example/*\n", "utf-8")
    words = ("reconsider", "urls.parquet", "--use", "takedown", "--takedown", "list.txt")
    status, text, _ = ask(*words, "--json")
    rows = [json.loads(line) for line in text.splitlines()]
    assert (status, [one["now"] for one in rows]) == (1, ["listed", "listed", "allowed"])
    site = "https://a.example"
    assert [one["url"] for one in rows] == [f"{site}/a", f"{site}/b\ufffd", ""]
    assert ask(*words, "--apply", "new.parquet")[0] == 0
    assert pq.read_table("new.parquet").column("url").to_pylist() == [None]
