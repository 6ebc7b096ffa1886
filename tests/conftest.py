"""Fixtures that tests of more than one command share."""

import gc
import os
import signal
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tests.support.examples  # noqa: F401  it loads the profile of Hypothesis
from tests.support import program
from tests.support.houses import EXTRAS, choose, missing_extra
from tests.support.loopback_shop import Shop, open_shop

if TYPE_CHECKING:
    from tests.support.shop_site.crawled import ShopCrawl

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
def shop_crawl(tmp_path_factory: pytest.TempPathFactory) -> "ShopCrawl":
    """Crawl the shop of 130 pages once; tests that write copy its folder (`shop_crawl.copy`)."""
    from tests.support.shop_site.crawled import crawl_shop  # noqa: PLC0415  only crawls need warcio

    return crawl_shop(tmp_path_factory.mktemp("shop") / "crawl")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option by which one house is tested with its own extras alone."""
    parser.addoption("--house", choices=tuple(EXTRAS), help="skip what needs extras of others")


def pytest_configure(config: pytest.Config) -> None:
    """Store the house that was chosen, and where the program is forked."""
    if house := config.getoption("house"):
        choose(house)
    program.shared[:] = getattr(config, "workerinput", {}).get("program_server", ())


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:  # noqa: ANN401  a type of xdist
    """Name the one process that forks for each run of the program to all processes of tests."""
    if hasattr(os, "fork"):
        node.workerinput["program_server"] = [shared_server().path]


@cache
def shared_server() -> program.Server:
    """Return the process that forks, started when it is first needed."""
    return program.Server()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a file that imports a library of another house."""
    report = yield
    call: pytest.CallInfo[object] | None = report.__dict__.get("call")
    error = None if call is None or call.excinfo is None else call.excinfo.value
    if reason := missing_extra(error):
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, f"Skipped: {reason}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip a test that needs a library of another house."""
    report = yield
    error = call.excinfo.value if report.failed and call.excinfo is not None else None
    if reason := missing_extra(error):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"Skipped: {reason}")
    return report


SLOW = (
    "tests/crawl/fleet/",
    "tests/store/",
    "tests/service/",
    "tests/crawl/run/",
    "tests/crawl/",
    "tests/core/",
    "tests/site/",
    "tests/tables/",
    "tests/cli/",
    "tests/system/test_wheels",
    "tests/system/test_benchmarks",
    "tests/system/test_demo_fleet",
    "tests/system/test_fleet_",
    "tests/system/spark/",
    "tests/system/test_newer_postgres",
    "tests/system/test_kills",
    "tests/system/test_replay",
)
"""The files and folders with the longest tests, longest first."""


TOGETHER = ("tests/system/spark/",)
"""The folders whose tests one worker runs, because they share a costly fixture."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slow ones first, so that no worker is left with one of them at the end."""
    items.sort(key=lambda item: [not item.nodeid.startswith(folder) for folder in SLOW])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:  # noqa: ANN401  types of xdist
    """Divide the tests among the workers by files, and some by folders."""
    from xdist.scheduler import LoadFileScheduling  # noqa: PLC0415  only where it is installed

    if config.getoption("dist") != "loadfile":
        return None

    class FolderScheduling(LoadFileScheduling):  # type: ignore[misc]  # it has no types
        def _split_scope(self, nodeid: str) -> str:
            folder = next((one for one in TOGETHER if nodeid.startswith(one)), None)
            return folder or str(super()._split_scope(nodeid))

    return FolderScheduling(config, log)


def pytest_collection_finish() -> None:
    """Start the garbage collector, for what the tests make."""
    gc.freeze()
    gc.enable()
