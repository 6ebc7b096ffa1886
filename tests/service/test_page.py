"""The files of the page, as they are served; tests/system opens them in a browser."""

import re

import pytest

from goodbot.html_page import family_style
from goodbot.service.page_files import PAGE_FILES, read_page_file
from tests.service.test_guard import TOKEN, send


@pytest.mark.parametrize("path", PAGE_FILES)
def test_a_file_has_a_strict_policy_and_needs_no_token(path: str) -> None:
    """Nothing from elsewhere runs in it, and no other page frames it."""
    answer, _ = send("GET", path, token=TOKEN)
    assert answer.status == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert send("GET", path, {"host": "evil.example"})[0].status == 421


def test_it_is_of_the_family() -> None:
    """Its style sheet is that of all pages, and what it has beside them."""
    style = read_page_file("/page.css").decode()
    assert style.startswith(family_style())
    assert len(style) > len(family_style())


def test_nothing_in_the_page_is_inline_or_from_elsewhere() -> None:
    """Which the policy would block."""
    page = read_page_file("/").decode()
    assert not re.search(r"<style|style=|\son\w+=|<script(?! src=)|https?://(?!example\.com)", page)
    script = read_page_file("/page.js").decode()
    assert not re.search(r"innerHTML|insertAdjacentHTML|eval\(|document\.write|\.style\b", script)
