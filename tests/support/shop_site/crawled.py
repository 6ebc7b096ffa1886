"""One crawl of the shop in memory, which tests copy or read."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.crawls.memory_crawls import Crawled, crawl
from tests.support.shop_site.serving import OTHER, PAGES, SITE, ShopSite, shop_in_memory

__all__ = ["ShopCrawl", "crawl_shop", "expected", "outcomes", "path_of"]


class ShopCrawl(NamedTuple):
    """A crawl of the shop that has ended. Do not write to its folder: use `copy`."""

    folder: Path
    site: ShopSite
    done: Crawled
    seconds: float
    """How long it took by the fake clock."""

    def copy(self, to: Path) -> Path:
        """Copy the folder, so that a test may change it; return the copy."""
        return Path(shutil.copytree(self.folder, to))


def crawl_shop(folder: Path, **options: Any) -> ShopCrawl:  # noqa: ANN401  of many types
    """Crawl the shop in memory, at its own pace by a fake clock."""
    site = shop_in_memory()
    options = {"manners": {"default": 1.0}, **options}
    done = crawl(folder, site, f"{SITE}/", **options)
    return ShopCrawl(folder, site, done, site.clock.monotonic())


def path_of(url: str, site: str = SITE, other: str = OTHER) -> str:
    """Return a URL as the tables have it: a path, or `{other}` and a path."""
    return url.replace(other, "{other}").removeprefix(site)


def outcomes(found: Mapping[str, Any], site: str = SITE, other: str = OTHER) -> dict[str, Any]:
    """Return the state and reason of each URL of a crawl, by its path."""
    return {path_of(url, site, other): (row.state, row.reason) for url, row in found.items()}


def expected() -> dict[str, Any]:
    """Return what must become of each page that a crawl finds."""
    return {page.path: tuple(page.outcome) for page in PAGES if page.outcome is not None}
