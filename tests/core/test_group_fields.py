"""Fields of a group that say nothing on access, as the founding documents have them."""

import pytest

import goodbot


@pytest.mark.parametrize("dialect", ["rfc9309", "koster1994"])
def test_please_visit_may_be_absolute_or_relative(dialect: str) -> None:
    """Koster's reply of 4 June 1996: "with either an absolute or relative URL"."""
    text = "User-agent: *\nPleaseVisit: http://example.com/new\nPleaseVisit: /news\nDisallow: /a\n"
    rules = goodbot.RobotsTxt(text, dialect=dialect).rules_for("ExampleBot")
    assert rules.please_visit == ["http://example.com/new", "/news"]
    assert (rules.allows("/news"), rules.allows("/a")) == (True, False)
