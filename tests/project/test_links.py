"""Links within the project work, and `make check` finds those that do not."""

from pathlib import Path

import pytest
from links import anchors, main

from tests.support.paths import ROOT


def test_every_page_of_the_documentation_is_reached_from_its_entrance() -> None:
    """docs/index.md links to each page, or to a page that does."""
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").as_posix()
        assert name == "index.md" or name.startswith("site/api/") or f"({name})" in index, name


def test_broken_links_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Missing files and missing headings are reported; code and other sites are ignored."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(
        "# A\n\n## Same\n\n## Same\n\n[b](../b.md) [c](c.md) [d](#same-1) [e](#same-2)\n"
        "`[f](f.md)` [g](https://example.com/g)\n\n```text\n[h](h.md)\n```\n"
    )
    (tmp_path / "b.md").write_text("# B\n\n[a](docs/a.md#a) [none](docs/a.md#none)\n")
    assert main(tmp_path) == 1
    assert capsys.readouterr().err.splitlines() == [
        "b.md: the link to docs/a.md#none is broken: there is no such heading",
        "docs/a.md: the link to c.md is broken: there is no such file",
        "docs/a.md: the link to #same-2 is broken: there is no such heading",
    ]


def test_anchors_are_those_of_forges(tmp_path: Path) -> None:
    """Punctuation is removed, spaces become hyphens, and the text of a link stays."""
    page = tmp_path / "page.md"
    page.write_text("# What's `new`? (2 things)\n\n## See [this](x.md)\n")
    assert anchors(page) == {"whats-new-2-things", "see-this"}
