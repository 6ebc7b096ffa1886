"""What documents state about robots is in the table, and each list is read in its form."""

import pytest

from goodbot import bots
from goodbot.bots.published_addresses import read_addresses
from tests.support import conformance_cases as data

FACTS = [case for case in data.cases("bots") if "fact" in case]
LISTS = [case for case in data.cases("bots") if "prefixes" in case]


@pytest.mark.parametrize("case", FACTS, ids=[case["id"] for case in FACTS])
def test_a_document_states_the_fact(case: data.Case) -> None:
    """The record has the fact, and names the document as its source."""
    robot = bots.get(case["robot"])
    value = getattr(robot, case["fact"])
    if case["fact"] == "addresses":
        value = [one.url for one in value]
    assert (list(value) if isinstance(value, tuple) else value) == case["expected"]
    assert robot.sources[case["fact"]].title == case["authority"]


@pytest.mark.parametrize("case", LISTS, ids=[case["id"] for case in LISTS])
def test_a_published_list_is_read_in_its_form(case: data.Case) -> None:
    """The robot has the list, and its prefixes are found in the form that the table states."""
    lists = {one.url: one for one in bots.get(case["robot"]).addresses}
    found = read_addresses(case["list"].encode(), lists[case["authority"]])
    assert [str(one) for one in found.prefixes] == case["prefixes"]
