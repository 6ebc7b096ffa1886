"""A policy with very many paths: the work grows with their number, not with its square."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.content_use.statement import Use
from goodbot.site.gate import GateRule, documents, group_rules, use_statements
from goodbot.site.gate.path_patterns import covering
from tests.support.examples import examples

PATHS = st.from_regex(r"/[ab/]{0,4}(\*[ab/]{1,2})?\$?", fullmatch=True)


def covers(broad: str, narrow: str) -> bool:
    """Return whether a pattern covers another one, compared with it alone."""
    return not ("*" in broad or broad.endswith("$")) and narrow.startswith(broad)


@given(PATHS, st.sets(PATHS))
@examples(500)
def test_the_covering_patterns_are_those_of_a_comparison_with_each(
    narrow: str, patterns: set[str]
) -> None:
    """The longest comes first."""
    expected = sorted((one for one in patterns if covers(one, narrow)), key=len, reverse=True)
    assert list(covering(narrow, patterns)) == expected


class Lookups(set[str]):
    """Patterns that count how often one is sought, and are never listed."""

    count = 0

    def __contains__(self, one: object) -> bool:
        """Count."""
        self.count += 1
        return super().__contains__(one)

    __iter__ = None  # type: ignore[assignment]


def test_a_path_is_not_compared_with_each_other_one() -> None:
    """Only its beginnings are sought."""
    patterns = Lookups(f"/{number}" for number in range(1_000))
    assert list(covering("/999/b", patterns)) == ["/999", "/99", "/9"]
    assert patterns.count == len("/999/b")


def test_parts_are_not_compared_with_each_other_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of one length refuse one of a few sets of uses: each is considered once."""
    count = 0
    sayable = use_statements.sayable

    def counted(answers: Mapping[Use, bool]) -> dict[Use, bool]:
        nonlocal count
        count += 1
        return sayable(answers)

    monkeypatch.setattr(group_rules, "sayable", counted)
    paths = tuple(f"/*{number:03}" for number in range(500))
    rule = GateRule(paths=paths, uses={"train": False, "preview": False})
    found = group_rules.group_rules([(0, rule)])
    assert len(found.parts) == len(paths)
    assert count <= 4 * len(paths)
    fetch = tuple((path, False) for path in paths)
    assert documents.needed_rules(fetch) == list(fetch)
