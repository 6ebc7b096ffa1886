"""Check the links of every page that stay within the project: `python docs/links.py`.

Scope: files and the anchors of headings, as forges make them. Nothing is fetched.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parents[1]
FOREIGN = {".git", ".venv", "build", "dist", "node_modules", "target"}
"""Folders beneath which no page is ours."""

FENCE = re.compile(r"^( *)(`{3,})[^\n]*\n.*?^\1\2", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:")


def pages(root: Path = ROOT) -> list[Path]:
    """Return every Markdown file of the project."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = set(folders) - FOREIGN
        found += [Path(folder, name) for name in files if name.endswith(".md")]
    return sorted(found)


def prose(page: Path) -> str:
    """Return the text of a page without its blocks of code."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings; the second of a name ends with -1."""
    counted: Counter[str] = Counter()
    found = set()
    for heading in HEADING.findall(prose(page)):
        text = LINK.sub(lambda link: link[0][1:].partition("]")[0], heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found.add(f"{slug}-{counted[slug]}" if counted[slug] else slug)
        counted[slug] += 1
    return frozenset(found)


def links(page: Path) -> Iterator[str]:
    """Yield the links of a page that stay within the project."""
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", prose(page))):
        if not SCHEME.match(target):
            yield unquote(target)


def broken(page: Path) -> Iterator[str]:
    """Yield a sentence for each link of a page that leads nowhere."""
    for target in links(page):
        file, _, anchor = target.partition("#")
        leads_to = page.parent / file if file else page
        if not leads_to.exists():
            yield f"the link to {target} is broken: there is no such file"
        elif anchor and leads_to.suffix == ".md" and anchor not in anchors(leads_to.resolve()):
            yield f"the link to {target} is broken: there is no such heading"


def main(root: Path = ROOT) -> int:
    """Print every broken link, and return the exit status."""
    found = [f"{page.relative_to(root)}: {fault}" for page in pages(root) for fault in broken(page)]
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
