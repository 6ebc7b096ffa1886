"""Takedown lists: URLs, sites, patterns and hashes."""

from typing import Any

import pytest

from goodbot.errors import MisuseError
from goodbot.reconsidering import read_takedown
from tests.support import conformance_cases

CASES = [one for one in conformance_cases.cases("reconsidering") if "list" in one]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_each_case_is_on_its_line_or_on_none(case: dict[str, Any]) -> None:
    """An entry is found by the number of its line."""
    listed = read_takedown(case["list"])
    for url in case["urls"]:
        found = listed.entry_of(url, case.get("digests", ()))
        assert (None if found is None else found[0]) == case.get("line"), url


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("https://", "not an absolute"),
        ("a b", "is no URL, host or digest"),
        ("/private/*", "is no URL, host or digest"),
        ("sha1:abc", "no whole digest"),
        ("ftp://example.com/", "not an absolute"),
    ],
)
def test_a_line_that_would_do_nothing_is_refused(line: str, what: str) -> None:
    """An entry that is silently ignored would leave what must go."""
    with pytest.raises(MisuseError, match=what):
        read_takedown(f"example.com\n{line}\n")


def test_content_is_found_by_its_own_digest() -> None:
    """What a record states may be wrong; the content is not."""
    listed = read_takedown(
        "sha256:" + "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    )
    assert listed.entry_of_content(b"test") is not None
    assert listed.entry_of_content(b"tests") is None
