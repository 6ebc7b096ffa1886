"""How many responses are recorded together, and when, changes nothing of what is recorded."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl.folder.added_rows import AddedRows
from goodbot.crawl.run import batch_writer
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.scheduler import Scheduler
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.folder_rows import folder_rows
from tests.support.crawls.memory_crawls import SITE, crawl
from tests.support.example_sites import ServedInMemory, crawl_in
from tests.support.shop_site.crawled import crawl_shop

NAMES = ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
REFUSALS = '<meta name=robots content="{}">'


def page(name: str, head: str = "") -> Answer:
    """Return a page with links to all others, to a redirect and to what is not there."""
    links = "".join(f"<a href=/{one}>The lamp {one} of {name}</a>" for one in NAMES)
    body = (
        f"<title>{name}</title>{head}<p>Lamp {name}{links}<a href=/gone>x</a><a href=/moved>y</a>"
    )
    return Answer(
        body=body.encode(), headers=(("Content-Type", "text/html"), ("ETag", f'"{name}"'))
    )


def site() -> FakeSite:
    """Return a site with a page of each kind: marks, parts, validators, redirects, what is gone."""
    answers: dict[str, Any] = {f"/{name}": page(name) for name in NAMES}
    answers["/"] = page("home")
    answers["/b"] = page("b", REFUSALS.format("noindex"))
    answers["/c"] = page("c", REFUSALS.format("noarchive"))
    answers["/d"] = page("d", "<span data-nosnippet>not to be quoted</span>")
    answers["/e"] = page("e", "<!--googleoff: all-->not to be kept<!--googleon: all-->")
    answers["/f"] = page("f", "<link rel=canonical href=/a>")
    answers["/g"] = page("g", REFUSALS.format("nofollow, unknown-word"))
    answers["/moved"] = Answer(status=301, headers=(("Location", "/h"),))
    answers["/robots.txt"] = "User-agent: *\nDisallow: /j\nSitemap: /sitemap.xml"
    answers["/sitemap.xml"] = f"{SITE}/k\n"
    return FakeSite(answers, clock=FakeClock())


def crawl_twice(folder: Path) -> None:
    """Crawl the site, and once more after its pages are due again."""
    served = site()
    crawl(folder, served, workers=4)
    served.clock.advance(3 * 86_400)
    crawl(folder, served, workers=4, again=True)


def crawl_examples(folder: Path) -> None:
    """Crawl the example sites."""
    served = ServedInMemory()
    crawl_in(folder, served, served.sites.starts)


def assert_alike(one: Path, other: Path) -> None:
    """Check that two folders have the same rows in each table, and the same records."""
    expected, found = folder_rows(one), folder_rows(other)
    assert found.keys() == expected.keys()
    for name, rows in expected.items():
        assert found[name] == rows, name


def test_a_batch_writes_what_single_responses_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Responses that are recorded together leave the same folder as each by itself."""
    sizes: list[int] = []
    visited = Recorder.visited

    def counted(self: Recorder, answers: Any, read: Any) -> Any:  # noqa: ANN401  as it has them
        sizes.append(len(answers))
        return visited(self, answers, read)

    monkeypatch.setattr(Recorder, "visited", counted)
    crawl_twice(tmp_path / "together")
    assert max(sizes) > 4
    sizes.clear()
    monkeypatch.setattr(batch_writer, "MOST_ANSWERS", 1)
    crawl_twice(tmp_path / "one by one")
    assert set(sizes) == {1}
    assert_alike(tmp_path / "one by one", tmp_path / "together")


@pytest.mark.parametrize("workers", [1, 4])
def test_a_batch_that_waits_for_a_visit_that_never_comes_is_recorded(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers of two sites may each count on the other's next URL, which is then held back."""
    monkeypatch.setattr(Scheduler, "is_another_next", lambda _: True)
    done = crawl(tmp_path, site(), workers=workers)
    assert (done.summary.ended, done.summary.pages) == ("nothing-left", 10)


@pytest.mark.stress
@pytest.mark.parametrize("crawled", [crawl_twice, crawl_examples, crawl_shop])
def test_rows_that_wait_are_the_rows_of_a_slow_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crawled: Callable[[Path], object]
) -> None:
    """A writer that executes a statement for each row at once leaves the same folder."""
    crawled(tmp_path / "at the end")
    add = AddedRows.add

    def add_at_once(self: AddedRows, row: tuple[Any, ...]) -> None:
        add(self, row)
        self.write()

    monkeypatch.setattr(AddedRows, "add", add_at_once)
    crawled(tmp_path / "at once")
    assert_alike(tmp_path / "at once", tmp_path / "at the end")
