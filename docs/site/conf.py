"""The documentation site: Sphinx builds it from the Markdown files that forges show.

Scope: the settings of Sphinx, and the little that a forge's Markdown lacks for a site.
"""

import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import goodbot
from goodbot.html_page import family_style

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]

project = "goodbot"
version = release = goodbot.__version__
html_title = f"goodbot {version}"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

# Every page is a file of the project at its own path, so that relative links hold here and there.
root_doc = "docs/index"
include_patterns = ["*.md", "benchmarks/*.md", "docs/*.md", "docs/**/*.md"]
exclude_patterns = [".*", "build", "conformance", "crates", "examples", "target", "tests"]
html_additional_pages = {"index": "start.html"}
templates_path = ["templates"]

myst_heading_anchors = 4
# Words of documents stand as they were written; ours need no typographer.
myst_enable_extensions: list[str] = []
smartquotes = False
# Blocks of output and of grammars that no lexer knows are shown as they are.
highlight_language = "text"

autodoc_typehints = "none"  # they stand in the signature
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "imported-members": True}
default_role = "code"  # docstrings mark code by single backticks, as Markdown does
napoleon_numpy_docstring = False

html_theme = "furo"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]

FURO = {
    "color-background-primary": "paper",
    "color-background-secondary": "rail",
    "color-background-border": "rule",
    "color-background-hover": "rail",
    "color-card-background": "card",
    "color-code-background": "rail",
    "color-inline-code-background": "rail",
    "color-foreground-primary": "ink",
    "color-foreground-secondary": "faint",
    "color-foreground-muted": "faint",
    "color-brand-primary": "link",
    "color-brand-content": "link",
    "color-brand-visited": "link",
    "font-stack": "sans",
    "font-stack--monospace": "mono",
    "font-stack--headings": "serif",
}
"""Which value of the pages that goodbot prints each variable of the theme has."""


def read_palette(style: str) -> dict[str, str]:
    """Return the values of a style sheet's first `:root`, by their names."""
    root = style.partition(":root {")[2].partition("}")[0]
    return dict(re.findall(r"--([a-z-]+): ([^;]+);", root))


LIGHT = read_palette(family_style())
DARK = LIGHT | read_palette(family_style().partition("prefers-color-scheme: dark")[2])
html_theme_options = {
    "light_css_variables": {name: LIGHT[value] for name, value in FURO.items()},
    "dark_css_variables": {name: DARK[value] for name, value in FURO.items()},
}

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
API_PAGE = re.compile(r"(?m)^- \[[^\]]*\]\((api/[a-z]+\.md)\)")
TABLE = re.compile(r"(?m)^(?P<indent> *)\|.*\n *\|[-: |]+\n(?:^ *\|.*\n)+")
CODE_IN_WORD = re.compile(r"(?<!`)`[^`\n]+`(?=\w)")
FOREIGN = re.compile(r"[a-z][a-z0-9+.-]*:")


def contents(index: str) -> Iterator[str]:
    """Yield the tables of contents that the sections of docs/index.md stand for."""
    listed: set[str] = set()
    for section in re.split(r"(?m)^## ", index)[1:]:
        caption, _, text = section.partition("\n")
        pages = [as_document(link) for _, link in LINK.findall(text) if link.endswith(".md")]
        yield f"```{{toctree}}\n:hidden:\n:caption: {caption}"
        yield from (f"/{page}" for page in dict.fromkeys(pages) if page not in listed)
        yield "```\n"
        listed.update(pages)


def as_document(link: str) -> str:
    """Return the name that Sphinx has for a page that docs/index.md links to."""
    return str((ROOT / "docs" / link).resolve().relative_to(ROOT)).removesuffix(".md")


def read_page(app: "Sphinx", name: str, source: list[str]) -> None:
    """Change a page where a site needs what a forge does by itself."""
    folder = (Path(app.srcdir) / name).parent

    def without_folder(link: re.Match[str]) -> str:
        target = link[2].partition("#")[0]
        leads_to_folder = not FOREIGN.match(target) and (folder / target).is_dir()
        return link[1] if target and leads_to_folder else link[0]

    source[0] = LINK.sub(without_folder, source[0])
    if name == root_doc:
        source[0] += "\n" + "\n".join(contents(source[0]))


@cache
def homes() -> dict[int, str]:
    """Return which module documents each public object: the first that has it in `__all__`."""
    found: dict[int, str] = {}
    named = API_PAGE.findall((ROOT / "docs" / "site" / "api.md").read_text(encoding="utf-8"))
    for page in named:
        text = (ROOT / "docs" / "site" / page).read_text(encoding="utf-8")
        for module in re.findall(r"automodule:: (\S+)", text):
            public = importlib.import_module(module)
            for name in public.__all__:
                found.setdefault(id(getattr(public, name)), module)
    return found


def skip_elsewhere(
    app: "Sphinx",
    what: str,
    _name: str,
    value: object,
    skip: bool,  # noqa: FBT001  as Sphinx passes it
    _options: object,
) -> bool | None:
    """Leave out of a module what another one documents."""
    here = app.env.temp_data.get("autodoc:module")
    return True if what == "module" and homes().get(id(value), here) != here else skip or None


def read_docstring(
    _app: "Sphinx", _what: str, _name: str, _value: object, _options: object, lines: list[str]
) -> None:
    """Write in reStructuredText what a docstring has in Markdown: tables, and code before an s."""
    text = TABLE.sub(as_list_table, "\n".join(lines) + "\n")
    lines[:] = CODE_IN_WORD.sub(r"\g<0>\\ ", text).splitlines()


def as_list_table(table: re.Match[str]) -> str:
    """Return a table of Markdown as a directive."""
    indent = table["indent"]
    head, _, *body = table[0].splitlines()
    lines = ["", ".. list-table::", "   :header-rows: 1", ""]
    for row in (head, *body):
        cells = row.strip().strip("|").split("|")
        lines += [f"   {'  -' if n else '* -'} {cell.strip()}" for n, cell in enumerate(cells)]
    return "".join(f"{indent}{line}\n" for line in [*lines, ""])


def open_to_everyone(
    _app: "Sphinx", _page: str, _template: str, context: dict[str, Any], _tree: object
) -> None:
    """Make wide tables and code scroll by keyboard, and state the level of the sidebar's captions.

    Source: WCAG 2.2, 2.1.1; WAI-ARIA 1.2, `heading` requires `aria-level`.
    """
    table = '<div class="table-wrapper'
    named = table.replace(" ", ' tabindex="0" role="region" aria-label="Table" ')
    body = context.get("body", "").replace(table, named)
    context["body"] = body.replace("<pre>", '<pre tabindex="0">')
    tree = context.get("furo_navigation_tree", "")
    named = 'role="heading" aria-level="2"'
    context["furo_navigation_tree"] = tree.replace('role="heading"', named)


def setup(app: "Sphinx") -> None:
    """Connect what is done to each page."""
    app.connect("source-read", read_page)
    app.connect("autodoc-skip-member", skip_elsewhere)
    app.connect("autodoc-process-docstring", read_docstring, priority=100)
    app.connect("html-page-context", open_to_everyone, priority=900)  # when the theme is done
