"""The field that is another one is found as by a plain search, in linear time."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.site.reasoning.dialect_proof import changed, changed_values
from tests.support.examples import examples

NAMES = ["Comment", "Crawl-delay", "License"]
FIELDS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from("abc")), max_size=5)
MANY = 2_000

Fields = Sequence[tuple[str, str]]


class CountedText(str):
    """A text that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        """Compare, and count."""
        CountedText.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def plainly_changed(before: Fields, after: Fields) -> str:
    """Return the first field that is not what it was, by a search in the lists."""
    if list(before) == list(after):
        return ""
    missing = [one for one in before if one not in after]
    added = [one for one in after if one not in before]
    return next(chain(missing, added, before, after))[0]


def values_of(fields: Fields) -> Mapping[str, list[str]]:
    """Return the values of each field."""
    found: dict[str, list[str]] = {}
    for name, value in fields:
        found.setdefault(name, []).append(value)
    return found


def by_values(before: Fields, after: Fields) -> str:
    """Compare the values of each field."""
    return changed_values(values_of(before), values_of(after))


@examples(300)
@given(FIELDS, FIELDS)
def test_a_plain_search_agrees(before: Fields, after: Fields) -> None:
    """In the order of the lines, or by name where their order does not matter."""
    assert changed(tuple(before), tuple(after)) == plainly_changed(before, after)
    assert by_values(before, after) == plainly_changed(sorted(before), sorted(after))


@pytest.mark.parametrize("ask", [lambda old, new: changed(tuple(old), tuple(new)), by_values])
@pytest.mark.parametrize("last", ["0", "z"])
def test_thousands_of_lines_are_compared_once(
    ask: Callable[[Fields, Fields], str], last: str
) -> None:
    """Also if all but the last one are the same."""
    before = [("Comment", CountedText(number)) for number in range(MANY)]
    after = [
        *((name, CountedText(value)) for name, value in before[:-1]),
        ("Comment", CountedText(last)),
    ]
    CountedText.compared = 0
    assert ask(before, after) == "Comment"
    assert CountedText.compared < 10 * MANY
