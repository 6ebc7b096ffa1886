"""Characters that cannot be seen: the table of the core against that of Python's Unicode."""

import sys
import unicodedata

import pytest

from goodbot import RobotsTxt
from tests.support.examples import some_of, thorough

VISIBLE = {
    *range(0x600, 0x606), *range(0x13430, 0x13440),
    *(0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD),
}  # fmt: skip
"""Format characters that have a form: signs that enclose numbers, and those of hieroglyphs."""

FILLERS = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10)}
"""Characters of other categories without a form (`DerivedCoreProperties.txt`)."""


def is_invisible(code: int) -> bool:
    """Return whether a character outside ASCII cannot be seen."""
    category = unicodedata.category(chr(code))
    return code in FILLERS or (category in {"Cc", "Cf", "Zs", "Zl", "Zp"} and code not in VISIBLE)


@thorough
def test_every_invisible_character_is_found_and_no_other() -> None:
    """In a path between letters of ASCII, of all characters that Unicode has assigned."""
    assigned = [
        code
        for code in range(0x80, sys.maxunicode + 1)
        if unicodedata.category(chr(code)) not in {"Cn", "Co", "Cs"}
    ]
    hidden = [code for code in assigned if is_invisible(code)]
    assigned = [*hidden, *some_of(assigned)]
    for start in range(0, len(assigned), 900):
        codes = assigned[start : start + 900]
        content = "User-agent: *\n" + "".join(f"Disallow: /a{chr(code)}b\n" for code in codes)
        found = RobotsTxt(content.encode()).findings
        lines = {one.line for one in found if one.code == "invisible-character"}
        for line, code in enumerate(codes, 2):
            is_selector = unicodedata.name(chr(code), "").startswith(("VARIATION SEL", "MONGOLIAN"))
            if not is_selector:
                assert (line in lines) == is_invisible(code), f"U+{code:04X}"


@pytest.mark.parametrize("code", [0xA0, 0x200B, 0xFEFF, 0xAD, 0x3000, 0x2028, 0x202E, 0xE0041])
@pytest.mark.parametrize(
    "line",
    ["{}Disallow: /a", "Dis{}allow: /a", "Disallow{}: /a", "Disallow:{}/a", "Disallow: /a{}"],
)
def test_it_is_found_wherever_it_stands_and_changes_no_verdict(code: int, line: str) -> None:
    """One warning names it; the line means what it did."""
    content = f"User-agent: *\nAllow: /\n{line.format(chr(code))}\n"
    found = [one for one in RobotsTxt(content).findings if one.line == 3]
    assert [(one.code, one.severity) for one in found] == [("invisible-character", "warning")]
    assert f"U+{code:04X}" in found[0].message


@pytest.mark.parametrize(
    "path", ["/\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645/", "/\u2764\ufe0f/", "/caf\u00e9"]
)
def test_joiners_where_scripts_and_symbols_need_them_are_no_finding(path: str) -> None:
    """Persian has a non-joiner within words, and symbols have a selector behind them."""
    found = RobotsTxt(f"User-agent: *\nDisallow: {path}\n").findings
    assert [one.code for one in found] == ["character-not-in-urls"]


def test_a_comment_may_have_them() -> None:
    """They do nothing there, unless they hide a rule."""
    found = RobotsTxt("User-agent: *\nDisallow: /a # b\u00a0c \u200b\n# d\u2028e\n").findings
    assert found == []
