"""What a site's view says and what its policy says: neither is weakened, joined or line by line."""

from itertools import groupby

import pytest

from goodbot import Page, bots, uses
from goodbot.site.gate.field_merging import join_fields, merge_fields
from tests.support.examples import some_of, thorough

URL = "https://example.com/a"
HELD = (
    "",
    "otherbot: nofollow",
    "noarchive",
    "Googlebot: nofollow, bingbot: noarchive",
    "nofollow, otherbot: noindex",
    "max-snippet: 5, unavailable_after: 2030-01-02",
)
"""Values of X-Robots-Tag that a view sets."""
ADDED = ("noindex", "noarchive, nosnippet", "index, max-snippet: -1", "noai")
"""Values that the gate adds."""
NAMED = ("Googlebot", "bingbot", "otherbot", "OddBot")
ROBOTS = [robot.name for robot in bots.every()]
ACTS = ("index", "follow", "archive", "snippet")

Fields = list[tuple[str, str]]
GateFields = tuple[tuple[str, str], ...]


def joined_lines(fields: Fields) -> Fields:
    """Return the fields as a proxy joins lines of one name (RFC 9110 section 5.3)."""
    rows = sorted(fields, key=lambda field: field[0])
    return [
        (name, ", ".join(value for _, value in found))
        for name, found in groupby(rows, key=lambda field: field[0])
    ]


def forbidden(fields: Fields, robot: str) -> set[str]:
    """Return the acts that header fields forbid a robot."""
    page = Page(URL, b"<p>a", headers=fields, robot=robot)
    return {act for act in ACTS if not getattr(page, act)}


@thorough
@pytest.mark.parametrize("added", ADDED)
@pytest.mark.parametrize("held", HELD)
def test_no_robot_is_told_less(held: str, added: str) -> None:
    """Each known robot is forbidden what the view and what the policy forbid it alone."""
    theirs: Fields = [("X-Robots-Tag", held)] if held else []
    ours: GateFields = (("X-Robots-Tag", added),)
    lines = merge_fields(theirs, ours)
    for robot in {*NAMED, *some_of(ROBOTS)}:
        least = forbidden(theirs, robot) | forbidden(list(ours), robot)
        for answer in (lines, joined_lines(lines), join_fields(theirs, ours)):
            assert forbidden(answer, robot) >= least, (robot, answer)


@pytest.mark.parametrize("added", ["train-ai=y", "train-ai=n", "train-ai=n, search=y"])
@pytest.mark.parametrize("held", ["train-ai=n", "train-ai=y", "search=n;a=b, train-ai=y"])
def test_no_use_is_allowed_that_either_reserves(held: str, added: str) -> None:
    """Of members of Content-Usage with one key the last counts (RFC 9651 section 3.2)."""
    theirs: Fields = [("Content-Usage", held)]
    ours: GateFields = (("Content-Usage", added),)

    def reserved(fields: Fields) -> set[str]:
        found = uses(URL, robot="OddBot", headers=fields).verdicts
        return {use for use, verdict in found.items() if verdict.status == "reserved"}

    least = reserved(theirs) | reserved(list(ours))
    lines = merge_fields(theirs, ours)
    for answer in (lines, joined_lines(lines), join_fields(theirs, ours)):
        assert reserved(answer) == least, answer


@pytest.mark.parametrize(
    ("held", "added", "expected"),
    [("0", "1", ["1"]), ("1", "0", ["1"]), ("", "0", ["0"]), ("1", "1", ["1"])],
)
def test_a_reservation_is_stated_once(held: str, added: str, expected: list[str]) -> None:
    """TDMRep, section tdm-reservation: the value is 0 or 1. Who reserves prevails."""
    theirs = [("tdm-reservation", held)] if held else []
    merged = merge_fields(theirs, (("TDM-Reservation", added),))
    assert [value for _, value in merged] == expected
