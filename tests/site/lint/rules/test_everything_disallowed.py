"""That everything is disallowed is said only if every path is."""

import pytest

from goodbot.site.lint import lint


@pytest.mark.parametrize(
    ("rules", "is_closed"),
    [
        ("Disallow: /", True),
        ("Disallow: *", True),
        ("Disallow: /a\nDisallow: /*", True),
        ("Disallow: /$\nDisallow: /*", True),
        ("Disallow: /\nAllow:", True),
        ("Disallow: /$", False),
        ("Disallow: /$\nDisallow: /a", False),
        ("Disallow: /*?\nDisallow: /$", False),
        ("Disallow: /\nAllow: /a", False),
        ("Disallow: /a\nAllow: /$", False),
    ],
)
def test_the_home_page_alone_is_not_everything(rules: str, *, is_closed: bool) -> None:
    """RFC 9309 section 2.2.3: `$` designates the end of the match pattern."""
    found = [one.code for one in lint(f"User-agent: *\n{rules}\n").findings]
    assert ("everything-disallowed" in found) == is_closed
