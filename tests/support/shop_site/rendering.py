"""Pages of the shop as answers: their HTML, their header, their content as it is sent."""

import gzip
import random
import zlib
from functools import partial
from html import escape
from typing import Any, NamedTuple

from goodbot.net import decoding
from tests.support.shop_site.page import Link, ShopPage
from tests.support.shop_site.pages import NAVIGATION

__all__ = ["Rendered", "filled", "rendered"]

brotli: Any = decoding.BROTLI
zstd: Any = decoding.ZSTD

WORDS = (  # noqa: SIM905  shorter than a list
    "brass oak lamp chair table light shade wood hand made house harbour green blue old new "
    "warm small large room window evening letter paper wire switch foot leg back seat edge glass "
    "silk linen cotton stone copper iron steel polish wax oil colour white black grey north south "
    "winter summer morning street garden kitchen hall stair corner floor wall door roof bench "
    "drawer shelf mirror frame clock candle flame glow shine quiet heavy thin round square "
    "narrow wide deep high low soft rough plain carved turned woven bent joined sawn planed"
).split()
"""The words of which texts are made."""


class Rendered(NamedTuple):
    """An answer."""

    status: int
    fields: tuple[tuple[str, str], ...]
    """The header, without what frames the content."""
    wire: bytes
    """The content as it is sent."""


def filled(text: str, site: str, other: str) -> str:
    """Return a text with the two origins in place of their names."""
    return text.replace("{site}", site).replace("{other}", other)


def rendered(page: ShopPage, site: str, other: str) -> Rendered:
    """Return the answer of a page; `site` and `other` are the two origins."""
    content = page.raw
    if content is None:
        content = filled(html(page), site, other).encode(page.charset)
    elif page.type.endswith(("xml", "gzip")):
        content = filled(content.decode(), site, other).encode()
    fields = [("Content-Type", page.type)] if page.type else []
    said = page.coding if page.says is None else page.says
    fields += [("Content-Encoding", said)] if said else []
    fields += [(name, filled(value, site, other)) for name, value in page.fields]
    return Rendered(page.status, tuple(fields), coded(content, page.coding))


def coded(content: bytes, coding: str) -> bytes:
    """Return content in a coding."""
    encoders: dict[str, Any] = {
        "gzip": partial(gzip.compress, mtime=0),
        "deflate": zlib.compress,
        "br": brotli.compress,
        "zstd": zstd.compress,
    }
    encoded: bytes = encoders[coding](content) if coding else content
    return encoded


def html(page: ShopPage) -> str:
    """Return the HTML of a page."""
    title = f"<title>{escape(page.title)}</title>\n" if page.title else ""
    described = f'<meta name="description" content="{escape(page.description)}">\n'
    head = title + (described if page.description else "") + page.head
    headings = page.h1 if page.h1 is not None else (page.title,) if page.title else ()
    parts = [f"<h1>{escape(one)}</h1>" for one in headings]
    if page.has_navigation:
        parts.insert(0, f"<nav>{''.join(map(anchor, map(Link, NAVIGATION)))}</nav>")
    parts.append(f"<p>{escape(page.text or text_of(page.path))}</p>")
    parts += [f"<p>{anchor(link)}</p>" for link in page.links]
    body = "\n".join([*parts, page.body])
    return (
        f'<!DOCTYPE html>\n<html lang="{page.lang}">\n<head>\n{head}\n</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def anchor(link: Link) -> str:
    """Return the HTML of a link."""
    rel = f' rel="{link.rel}"' if link.rel else ""
    return f'<a href="{escape(link.to)}"{rel}>{escape(link.text or link.to)}</a> '


def text_of(path: str) -> str:
    """Return the text of a page: 80 words, always the same ones for a path."""
    chosen = random.Random(path).choices(WORDS, k=80)  # noqa: S311  not a secret
    return " ".join(chosen).capitalize() + "."
