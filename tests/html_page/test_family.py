"""The pages of goodbot are one family: what they have in common stands in one style sheet."""

import re

from goodbot.html_page import family_style
from tests.support.paths import ROOT

SHEETS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for folder in ("python/goodbot", "docs/site/static")
    for path in sorted((ROOT / folder).rglob("*.css"))
}
FAMILY = "python/goodbot/html_page/family.css"
NAMES = re.compile(r"(--[a-z-]+):")


def test_each_colour_and_typeface_stands_once() -> None:
    """Only the style sheet of the family has values for its names."""
    family = set(NAMES.findall(family_style()))
    assert {"--paper", "--ink", "--serif", "--good", "--bad", "--odd"} <= family
    others = {name: set(NAMES.findall(sheet)) for name, sheet in SHEETS.items() if name != FAMILY}
    assert len(others) > 2
    assert {name for name, names in others.items() if names & family} == set()


def test_no_page_has_colours_of_its_own_in_code() -> None:
    """Styles in Python name the colours of the family."""
    colour = re.compile(r"(?:color|background)[a-z-]*: ?#[0-9a-f]{3}")
    package = ROOT / "python" / "goodbot"
    found = {
        path.name
        for path in package.rglob("*.py")
        if colour.search(path.read_text(encoding="utf-8"))
    }
    assert found == set()
