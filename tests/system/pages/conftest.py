"""What the tests of pages in a browser share."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.system.browser import browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Start a browser for all tests of a module."""
    with browser() as started:
        yield started
