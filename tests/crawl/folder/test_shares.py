"""Every site belongs to one process, the same in every run."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.crawl.folder.shares import MOST_PARTS, Shares, first_number, part_of_number
from goodbot.errors import NotAStoreError, WrongValueError

NAMES = st.from_regex(r"https?://(www\.)?[a-z0-9.-]{1,20}(:[0-9]{1,4})?", fullmatch=True)


@given(count=st.integers(2, MOST_PARTS), first=st.lists(NAMES, max_size=9), names=st.lists(NAMES))
def test_a_site_stays_with_its_process(count: int, first: list[str], names: list[str]) -> None:
    """The stored form gives the same answers, for every scheme and with or without `www.`."""
    shares = Shares.of(count, first)
    again = Shares.from_json(shares.as_json())
    for origin in [*first, *names]:
        assert 0 <= shares.owner(origin) < count
        assert again.owner(origin) == shares.owner(origin)
        other = "http" if origin.startswith("https") else "https"
        plain = origin.partition("://")[2].removeprefix("www.")
        assert shares.owner(f"{other}://www.{plain}") == shares.owner(origin)


def test_the_first_sites_are_dealt_out_evenly() -> None:
    """With sixteen start URLs, each of four processes has four sites."""
    origins = [f"https://{number}.example" for number in range(16)]
    shares = Shares.of(4, origins)
    owners = [shares.owner(origin) for origin in origins]
    assert [owners.count(part) for part in range(4)] == [4, 4, 4, 4]


def test_other_sites_are_spread() -> None:
    """No process has much more than its share of a thousand sites."""
    shares = Shares.of(4)
    owners = [shares.owner(f"https://site{number}.example") for number in range(1_000)]
    assert all(200 < owners.count(part) < 300 for part in range(4))


@pytest.mark.parametrize(
    ("count", "cure"),
    [(-1, "use Crawl"), (0, "use Crawl"), (1, "use Crawl"), (MOST_PARTS + 1, "SQLite attaches")],
)
def test_only_a_few_processes_can_share(count: int, cure: str) -> None:
    """The message says how many, and why."""
    with pytest.raises(WrongValueError, match=f"2 to {MOST_PARTS}, not {count}; .*{cure}"):
        Shares.of(count)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "7", '{"count": "2", "dealt": {}}', '{"count": 2, "dealt": 7}'],
)
def test_damaged_shares_are_refused(text: str) -> None:
    """A folder that does not say whose a site is must not be crawled."""
    with pytest.raises(NotAStoreError, match="shared out"):
        Shares.from_json(text)


def test_numbers_of_urls_say_their_part() -> None:
    """No number is used in two parts."""
    for part in range(MOST_PARTS):
        assert part_of_number(first_number(part)) == part
        assert part_of_number(first_number(part + 1) - 2) == part
    assert json.loads(json.dumps(first_number(MOST_PARTS))) == first_number(MOST_PARTS)
