"""The sentences that goodbot prints are those that were reviewed: the text files in this folder."""

import pytest

from tests.words.writing import HERE, SECTIONS, difference


@pytest.mark.parametrize("section", SECTIONS)
def test_the_sentences_are_those_that_were_reviewed(section: str) -> None:
    """A changed sentence shows up as a difference of its text file, to be reviewed."""
    changed = difference(section)
    assert not changed, f"run `make words` and review the difference:\n{changed}"


def test_every_file_has_a_section() -> None:
    """No text file is left behind when its section is renamed or removed."""
    assert {path.stem for path in HERE.glob("*.txt")} == set(SECTIONS)
