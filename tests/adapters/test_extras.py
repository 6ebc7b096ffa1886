"""What adapters need and import, and that the documentation has their tables of differences."""

import importlib
import subprocess
import sys

import pytest

from tests.support.houses import skip_if_missing
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "how-to" / "adapters.md"
WITH_TABLES = ("robotparser", "protego", "robotrules", "scrapy")

ABSENT = """
import sys
sys.modules[sys.argv[1]] = None  # as if it were not installed
import goodbot.errors
try:
    __import__("goodbot.adapters." + sys.argv[1])
except goodbot.errors.MissingExtraError as error:
    print(error)
"""

WITHOUT_ENCODINGS = """
import sys
for name in ("brotli", "compression.zstd", "backports.zstd"):
    sys.modules[name] = None  # as if it were not installed
from goodbot.net.decoding import ACCEPT_ENCODING, DecodingError, decoder_of
print(ACCEPT_ENCODING)
for name in ("br", "zstd", "compress"):
    try:
        decoder_of([name])
    except DecodingError as error:
        print(error)
"""

LOADED = """
import sys
import goodbot.adapters.robotparser, goodbot.adapters.protego, goodbot.adapters.robotrules
print(sorted({"aiohttp", "httpx", "scrapy", "protego", "urllib.robotparser"} & set(sys.modules)))
"""


def printed(program: str, *words: str) -> str:
    """Run a program in a fresh interpreter, and return what it prints."""
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


LIBRARIES = (
    "aiohttp",
    "crawlee",
    "duckdb",
    "httpx",
    "mcp",
    "pandas",
    "playwright",
    "requests",
    "scrapy",
)
EXTRAS = {library: library for library in LIBRARIES} | {"pyarrow": "columns"}


@pytest.mark.parametrize("library", EXTRAS)
def test_an_absent_library_tells_the_cure(library: str) -> None:
    """The message names the extra."""
    said = printed(ABSENT, library)
    if not said.startswith(library):
        skip_if_missing(said.encode())  # another library of the same extra comes first
    extra = EXTRAS[library]
    cure = f"run pip install 'goodbot[{extra}]', or '.[{extra}]' in a checkout"
    assert said == f"{library} is not installed; {cure}"


def test_absent_encodings_are_not_requested_and_the_message_names_the_extra() -> None:
    """Codings that cannot be decoded are not requested; if one comes, the extra is named."""
    asked, *said = printed(WITHOUT_ENCODINGS).splitlines()
    cure = "; pip install 'goodbot[encodings]' decodes br and zstd"
    assert asked == "gzip, deflate"
    assert said == [
        f"Content-Encoding: br; requested was gzip, deflate{cure}",
        f"Content-Encoding: zstd; requested was gzip, deflate{cure}",
        "Content-Encoding: compress; requested was gzip, deflate",
    ]


def test_the_others_load_no_library() -> None:
    """A replacement for a library does not need that library."""
    assert printed(LOADED) == "[]"


@pytest.mark.parametrize("name", WITH_TABLES)
def test_the_departures_stand_in_the_docs(name: str) -> None:
    """Each row of a module's table is in docs/how-to/adapters.md."""
    words = importlib.import_module(f"goodbot.adapters.{name}").__doc__ or ""
    rows = [line for line in words.splitlines() if line.startswith("|")]
    assert len(rows) > 6
    assert "\n".join(rows) in PAGE.read_text(encoding="utf-8")
