"""Rewrite the relative links of a Markdown file, for a page that is shown elsewhere.

    python release/absolute_links.py README.md PAGES FILES

PAGES is the address under which a reader sees the files of the release, FILES the one under which
a browser gets their bytes: images are linked there. The release workflow knows both.
"""

import re
import sys
from pathlib import Path

__all__ = ["rewritten"]

LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
FENCE = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
ABSOLUTE = ("https://", "http://", "mailto:", "#")


def rewritten(text: str, pages: str, files: str) -> str:
    """Return the text with absolute links; blocks of code stay as they are.

    >>> rewritten("[docs](docs/a.md#b) ![](x.png) [RFC](https://a.example)", "http://p/", "http://f")
    '[docs](http://p/docs/a.md#b) ![](http://f/x.png) [RFC](https://a.example)'
    """

    def absolute(link: re.Match[str]) -> str:
        target = link["target"]
        if not target.startswith(ABSOLUTE):
            base = files if link["image"] else pages
            target = f"{base.rstrip('/')}/{target}"
        return f"{link['image']}[{link['text']}]({target})"

    parts = FENCE.split(text)
    return "".join(part if part.startswith("```") else LINK.sub(absolute, part) for part in parts)


if __name__ == "__main__":
    path, *bases = Path(sys.argv[1]), *sys.argv[2:]
    path.write_text(rewritten(path.read_text(encoding="utf-8"), *bases), encoding="utf-8")
