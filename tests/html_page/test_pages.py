"""A page of HTML is one file that loads and runs nothing, whatever it shows."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from goodbot import html_page

FOREIGN = "<script>alert(1)</script>\"'&\u202e</style>"


class Elements(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, text: str) -> None:
        """Read a page."""
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.text += data


def a_page() -> str:
    """Return a page that shows foreign texts everywhere."""
    rows = [[html_page.code(FOREIGN), html_page.badge(FOREIGN, "bad")]]
    body = [
        html_page.verdict(FOREIGN, "good"),
        *html_page.section(FOREIGN, html_page.table([FOREIGN, FOREIGN], rows, numbers=[1])),
    ]
    return "".join(html_page.page(FOREIGN, body, kicker=FOREIGN, lede=FOREIGN, foot=FOREIGN))


def test_foreign_text_is_escaped_everywhere() -> None:
    """No text becomes an element, an attribute or a change of the direction of writing."""
    page = a_page()
    found = Elements(page)
    assert "script" not in [tag for tag, _ in found.found]
    assert {name for _, attributes in found.found for name in attributes} <= {
        *("lang", "charset", "http-equiv", "content", "name", "class", "scope"),
        *("tabindex", "role", "aria-label", "data-label"),
    }
    assert "\u202e" not in page
    assert found.text.count("<script>alert(1)</script>") == 11


def test_the_policy_permits_the_style_alone() -> None:
    """Nothing is loaded, and only the one style sheet applies."""
    page = a_page()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style
    assert "@import" not in style
    assert "src=" not in page


@pytest.mark.parametrize(("columns", "most"), [(2, 1_000), (9, 1_000), (200, 50)])
def test_a_table_is_bounded_and_says_so(columns: int, most: int) -> None:
    """However many rows there are; a table of many columns has fewer of them."""
    heads = [f"head {n}" for n in range(columns)]
    rows = (["x"] * columns for _ in range(100_000))
    page = "".join(html_page.table(heads, rows, elsewhere="--csv has all"))
    assert page.count("<tr>") == 1 + most
    assert f"These are the first {most:,} of 100,000 rows; --csv has all." in page
    first = (["x"] * columns for _ in range(most))
    page = "".join(html_page.table(heads, first, count=most))
    assert "note" not in page
