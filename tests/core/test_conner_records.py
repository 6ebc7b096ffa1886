"""Which record of a file a robot obeys by Conner's proposal: a plain twin of the choice.

Source: Conner 1996, User-agent and Robot-version ("ignore that rule set and use the default").
"""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from tests.support.examples import examples

PATHS = ("/x", "/y", "/z")
NOT_UNDERSTOOD = ("2.1.0", "3.0.0")
SEVERAL_ROBOTS = [f"Q{number}" for number in range(6)]
"""Names that no record has: a large file has an index once a few robots were asked about."""


class Record(NamedTuple):
    """One record: a name, a version if it states one, and a path that it forbids."""

    name: str
    version: str | None
    path: str

    @property
    def is_understood(self) -> bool:
        """Whether its version is one that goodbot reads."""
        return self.version not in NOT_UNDERSTOOD

    def __str__(self) -> str:
        """Return its lines."""
        version = f"Robot-version: {self.version}\n" if self.version else ""
        star = "*" if self.version == "2.0.0" else ""
        return f"User-agent: {self.name}\n{version}Disallow: {self.path}{star}\n"


def obeyed(records: list[Record], robot: str) -> Record | None:
    """Return the record that a robot obeys."""
    named = [one for one in records if one.name != "*" and robot.startswith(one.name)]
    defaults = [one for one in records if one.name == "*"]
    default = next((one for one in defaults if one.is_understood), next(iter(defaults), None))
    if named and named[0].is_understood:
        return named[0]
    if default is None:
        return next((one for one in named if one.is_understood), None)
    return default


RECORDS = st.builds(
    Record,
    st.sampled_from(["A", "Ab", "B", "*"]),
    st.sampled_from([None, "1.0.0", "2.0.0", *NOT_UNDERSTOOD]),
    st.sampled_from(PATHS),
)


@pytest.mark.parametrize("filler", [0, 300])
@given(st.lists(RECORDS, max_size=5), st.sampled_from(["A", "Abc", "B", "Q"]))
@examples(100)
def test_a_robot_obeys_the_record_that_the_proposal_names(
    filler: int, records: list[Record], robot: str
) -> None:
    """In a small file, and in one that is large enough for an index of names."""
    others = [Record(f"Z{number}", None, "/q") for number in range(filler)]
    text = "\n".join(map(str, [*others, *records]))
    robots_txt = goodbot.RobotsTxt(text, dialect="conner1996")
    for other in SEVERAL_ROBOTS:
        robots_txt.rules_for(other)
    record = obeyed(records, robot)
    forbidden = {path for path in PATHS if not robots_txt.allows(f"{path}1", robot)}
    if record is None or record.is_understood:
        assert forbidden == ({record.path} if record else set())
    else:  # the only default, which nothing can replace, is read as both versions
        assert forbidden <= {record.path}
