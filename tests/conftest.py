"""Fixtures that tests of more than one command share."""

import gc
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import tests.support.examples  # noqa: F401  it loads the profile of Hypothesis
from tests.support.loopback_shop import Shop, open_shop
from tests.support.shop_site.crawled import ShopCrawl, crawl_shop

# If you run the tests in the background, these are ignored, and programs that are started inherit
# that; `nohup` stays in force for the tests themselves, which nobody interrupts then.
for name in ("SIGINT", "SIGHUP"):
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

gc.disable()  # while tests are collected, of which nothing is freed; see pytest_collection_finish


@pytest.fixture
def shop() -> Iterator[Shop]:
    """Open a site of three pages."""
    with open_shop() as site:
        yield site


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Return the path of a folder that does not exist yet."""
    return str(tmp_path / "crawl of a shop")


@pytest.fixture(scope="session")
def shop_crawl(tmp_path_factory: pytest.TempPathFactory) -> ShopCrawl:
    """Crawl the shop of 130 pages once; tests that write copy its folder (`shop_crawl.copy`)."""
    return crawl_shop(tmp_path_factory.mktemp("shop") / "crawl")


SLOW = ("tests/crawl/run/", "tests/cli/", "tests/crawl/verbs/", "tests/site/verbs/", "tests/page/")
"""The folders with the longest tests, slowest first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slow folders first, so that no worker is left with one of them at the end."""
    items.sort(key=lambda item: [not item.nodeid.startswith(folder) for folder in SLOW])


def pytest_collection_finish() -> None:
    """Start the garbage collector, for what the tests make."""
    gc.freeze()
    gc.enable()
