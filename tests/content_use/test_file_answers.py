"""Answers of one file on many URLs are those that the library has for each of them."""

from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.content_use.file_answers import LEAST_FIRST, UsesOfFile, strictest_statuses

LINES = (
    "User-agent: *", "User-agent: GPTBot", "User-agent: __usage_ai-training", "", "Disallow: /a",
    "Allow: /a/b", "Disallow: /", "Content-Signal: ai-train=no", "Content-Signal: search=yes",
    "Content-Signal: /a/ ai-train=yes, use=full", "Content-Usage: train-ai=n",
    "Content-Usage: /a train-ai=y, search=y", "License: https://example.com/l.xml",
    "License: /l.xml", "Zqx: 1",
)  # fmt: skip
URLS = tuple(f"https://example.com{path}" for path in ("/", "/a", "/a/b", "/b?x"))
FILES = st.lists(st.sampled_from(LINES), max_size=9).map("\n".join)


@given(FILES, st.sampled_from(["*", "GPTBot", "AdsBot-Google", "ExampleBot"]))
def test_each_answer_is_that_of_the_library(text: str, robot: str) -> None:
    """Also where one answer is given for the whole site."""
    read = UsesOfFile(text.encode(), robot)
    for url in URLS:
        asked = goodbot.uses(url, robots_txt=goodbot.RobotsTxt(text), robot=robot)
        statuses = {use: one.status for use, one in asked.verdicts.items()}
        assert read.answer(url) == (statuses, asked.level and asked.level.level)
        if read.says_nothing:
            assert set(statuses.values()) == {"unknown"}


@given(FILES, FILES)
def test_of_two_files_the_one_that_permits_least_counts(one: str, other: str) -> None:
    """Use by use, in any order; alone each file counts as it is."""
    for url in URLS:
        both = [UsesOfFile(text.encode(), "*").answer(url)[0] for text in (one, other)]
        found = strictest_statuses(both)
        assert found == strictest_statuses(both[::-1])
        assert strictest_statuses(both[:1]) == both[0]
        for use, status in found.items():
            assert LEAST_FIRST.index(status) == min(LEAST_FIRST.index(two[use]) for two in both)
