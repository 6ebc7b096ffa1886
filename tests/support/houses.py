"""The houses of the package, and what each needs: its tests run with no other extra installed.

With `--house NAME`, a test that needs a library of another extra is skipped, and the reason names
the extra. Without the option everything is installed, and a missing library is an error.
"""

import re
from importlib.util import find_spec

import pytest

from goodbot.errors import MissingExtraError
from tests.support.paths import ROOT

__all__ = ["EXTRAS", "LIBRARIES", "choose", "folders", "missing_extra", "need", "skip_if_missing"]

EXTRAS = {
    "base": ("robot", "encodings", "postgres"),
    "crawl": ("crawl", "dns", "encodings", "parquet", "signatures", "timestamps"),
    "site": ("audit", "django", "dns", "encodings", "signatures"),
    "tables": ("columns", "duckdb", "pandas", "polars"),
}
"""The extras of each house."""

TESTS_OWN = ("group tests",)
LIBRARIES = {
    "anyio": ("httpx",),
    "aiohttp": ("robot", "crawl"),
    "asn1crypto": ("timestamps",),
    "backports": ("encodings",),
    "brotli": ("encodings",),
    "crawlee": ("crawlee",),
    "cryptography": ("signatures", "timestamps"),
    "django": ("django",),
    "dns": ("dns",),
    "duckdb": ("duckdb",),
    "fastapi": TESTS_OWN,
    "granian": ("serve",),
    "gunicorn": TESTS_OWN,
    "quart": TESTS_OWN,
    "uvicorn": TESTS_OWN,
    "fastwarc": TESTS_OWN,
    "flask": TESTS_OWN,
    "httpx": ("httpx",),
    "mcp": ("mcp",),
    "numpy": ("duckdb", "pandas"),
    "pandas": ("pandas",),
    "playwright": ("playwright",),
    "polars": ("polars",),
    "protego": TESTS_OWN,
    "psycopg": ("postgres",),
    "psycopg_pool": ("postgres",),
    "pyarrow": ("columns", "audit", "parquet"),
    "requests": ("requests",),
    "schemathesis": TESTS_OWN,
    "scrapy": ("scrapy",),
    "selectolax": TESTS_OWN,
    "starlette": TESTS_OWN,
    "twisted": ("scrapy",),
    "warcio": ("crawl",),
}
"""The libraries that may be absent, each with the extras that bring it."""

ABOUT_ALL = {"fixtures", "project", "support", "system", "typing", "words"}
"""Folders whose tests ask about the project as a whole, or which have no tests."""

SAID = re.compile(r"(\w+) is not installed; run pip install 'goodbot\[")

chosen: list[str] = []
"""The house whose tests run; empty for all."""


def choose(house: str) -> None:
    """Run the tests of a house."""
    chosen[:] = [house]


def folders(house: str) -> list[str]:
    """Return the folders of tests of a house; the base has all that no other one has."""
    if house != "base":
        return [f"tests/{house}"]
    found = sorted(path.parent.name for path in (ROOT / "tests").glob("*/__init__.py"))
    return [f"tests/{name}" for name in found if name not in ABOUT_ALL | EXTRAS.keys()]


def reason_without(library: str) -> str:
    """Return why a test is skipped without a library; empty if the house must have it."""
    extras = LIBRARIES.get(library)
    if not chosen or extras is None or not set(EXTRAS[chosen[0]]).isdisjoint(extras):
        return ""
    if extras == TESTS_OWN:
        return f"it needs {library}, which no extra of the house brings, but the group `tests`"
    return f"it needs {library}, of the extra {' or '.join(extras)}, which is of another house"


def missing_extra(error: BaseException | None) -> str:
    """Return why a test is skipped that raised this error; empty if it failed."""
    while error is not None:
        name = ""
        if isinstance(error, ModuleNotFoundError) and error.name:
            name = error.name.partition(".")[0]
        elif isinstance(error, MissingExtraError) and (said := SAID.search(str(error))):
            name = said[1]
        if reason := reason_without(name):
            return reason
        error = error.__cause__ or error.__context__
    return ""


def need(*libraries: str) -> None:
    """Skip a test that starts other programs, if a library of another house is missing for them."""
    for library in libraries:
        if find_spec(library) is None and (reason := reason_without(library)):
            pytest.skip(reason)


def skip_if_missing(said: bytes) -> None:
    """Skip a test whose program says that a library of another house is not installed."""
    found = SAID.search(said.decode(errors="replace")) if chosen else None
    if found is not None and (reason := reason_without(found[1])):
        pytest.skip(reason)
