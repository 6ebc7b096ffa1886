"""Parsers of HTTP header fields: X-Robots-Tag, Robots-Tag, Link, Content-Type."""

import re
from collections.abc import Iterator
from functools import lru_cache

from goodbot.page.directives import DIRECTIVES, VALUED, entries

__all__ = ["charset_of", "link_values", "links_of", "robots_tag", "x_robots_tag"]

PREFIX = re.compile(r"\s*([A-Za-z*][^:]*?)\s*:(.*)", re.DOTALL)
"""A name before a colon. It begins with a letter, so that the rest of a date is not one."""
TARGET = re.compile(r"[\s,]*<([^<>]*)>\s*")
PARAMETER = re.compile(
    r'\s*;\s*(?:([\w*!#$&+.^`|~-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?)?'
)
REST = re.compile(r'(?:[^,"]|"(?:[^"\\]|\\.)*"?)*,?')
"""Anything between the parameters and the comma that ends a link."""


def x_robots_tag(value: str) -> Iterator[tuple[str | None, str, str]]:
    """Parse one `X-Robots-Tag` field line.

    A name before a colon is the name of a robot, unless it is a directive that takes a value. It
    applies until the next such name, and never beyond the line.

    Yields:
        The robot in lower case, or `None` for all; the directive in lower case; its value.

    >>> list(x_robots_tag("BadBot: noindex, nofollow, googlebot: max-snippet:20"))
    [('badbot', 'noindex', ''), ('badbot', 'nofollow', ''), ('googlebot', 'max-snippet', '20')]
    >>> list(x_robots_tag("unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, noindex"))
    [(None, 'unavailable_after', 'Wed, 03 Dec 2025 13:09:53 GMT'), (None, 'noindex', '')]

    Source: Google, robots meta tag, X-Robots-Tag; MDN, X-Robots-Tag.

    """
    robot: str | None = None
    for name, directive_value in entries_with_robots(value):
        if directive_value is None:
            robot = name
        elif name:
            yield robot, name, directive_value


def entries_with_robots(value: str) -> Iterator[tuple[str | None, str | None]]:
    """Split a field line into directives with values, and names of robots with `None` as value.

    The name is `None` for all robots, which `all`, `robots` and `*` stand for. A name may end in a
    version or a star, as in robots.txt. A directive in the place of a name (`noindex: true`) counts
    as a directive.
    """
    waiting: list[str] = []
    for piece in value.split(","):
        found = PREFIX.match(piece)
        name = found[1].lower() if found else ""
        if found is None or name in VALUED or not name:
            waiting.append(piece)
            continue
        yield from entries(",".join(waiting), spaces=False)
        if name in {"all", "robots", "*"}:
            yield None, None
        elif name in DIRECTIVES:
            yield name, ""
        else:
            yield name.partition("/")[0].rstrip("*").strip(), None
        waiting = [found[2]]
    yield from entries(",".join(waiting), spaces=False)


def robots_tag(value: str) -> Iterator[tuple[str | None, str, str]]:
    """Parse one `Robots-Tag` field line, in either form of the draft.

    >>> list(robots_tag("*;noindex;nosnippet, ExampleBot;nosnippet"))
    [(None, 'noindex', ''), (None, 'nosnippet', ''), ('examplebot', 'nosnippet', '')]
    >>> list(robots_tag("*=noindex, nosnippet; ExampleBot=;"))
    [(None, 'noindex', ''), (None, 'nosnippet', '')]

    Source: draft-illyes-repext-00, and its later form of a structured list.

    """
    is_first_form = "=" in value.partition(";")[0]
    for group in value.split(";" if is_first_form else ","):
        name, *rules = group.split("=", 1) if is_first_form else group.split(";")
        words = ",".join(rules).split(",")
        name = name.strip().strip('"').lower()
        for word in words:
            directive, _, directive_value = word.strip().lower().removesuffix("=?1").partition("=")
            if name and directive and directive_value != "?0":
                yield None if name == "*" else name, directive.strip(), directive_value.strip()


def links_of(value: str) -> Iterator[tuple[str, set[str], str]]:
    """Parse one `Link` field line.

    If a parameter occurs twice, the first one counts. A link with an `anchor` belongs to another
    document and is skipped.

    Yields:
        The target as written, its relations in lower case, and its type.

    >>> list(links_of('<https://example.com/l>; rel="license"; type="application/rsl+xml"'))
    [('https://example.com/l', {'license'}, 'application/rsl+xml')]
    >>> list(links_of('</a>; title="x, </b>; rel=canonical"; rel=next'))
    [('/a', {'next'}, '')]

    Source: RFC 8288 sections 3 and 3.2, appendix B.2.

    """
    for target, parameters in link_values(value):
        relations = set(parameters.get("rel", "").lower().split())
        yield target, relations, parameters.get("type", "")


def link_values(value: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the targets of one `Link` field line with their parameters; see `links_of`."""
    at = 0
    while (found := TARGET.match(value, at)) is not None:
        target, at = found[1].strip(), found.end()
        parameters: dict[str, str] = {}
        while (part := PARAMETER.match(value, at)) is not None and part.end() > at:
            name, quoted, plain = part.groups()
            text = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain
            parameters.setdefault((name or "").lower(), text or "")
            at = part.end()
        if "anchor" not in parameters:
            yield target, parameters
        rest = REST.match(value, at)
        at = rest.end() if rest else len(value)


@lru_cache(maxsize=64)
def charset_of(content_type: str) -> str | None:
    """Return the charset of a `Content-Type` value; `None` if it has none.

    >>> charset_of('text/html; charset="utf-8"')
    'utf-8'
    """
    _, semicolon, parameters = content_type.partition(";")
    for name, quoted, plain in PARAMETER.findall(semicolon + parameters):
        if name.lower() == "charset":
            return quoted or plain or None
    return None
