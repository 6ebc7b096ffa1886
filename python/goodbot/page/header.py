"""Fields of the HTTP header: X-Robots-Tag, Robots-Tag, Content-Usage, tdm-reservation, Link."""

import re
from collections.abc import Iterable, Iterator, Mapping

from goodbot.errors import WrongTypeError
from goodbot.page.directives import VALUED, entries

__all__ = ["charset_of", "field_lines", "links_of", "robots_tag", "x_robots_tag"]

PREFIX = re.compile(r"\s*([A-Za-z0-9._-]+)\s*:(.*)", re.DOTALL)
LINK = re.compile(r"\s*<([^>]*)>([^,<]*(?:\"[^\"]*\"[^,<]*)*)")
PARAMETER = re.compile(r";\s*([\w*-]+)\s*(?:=\s*(?:\"([^\"]*)\"|([^\s;,]*)))?")


def field_lines(headers: object) -> list[tuple[str, str]]:
    """Take the fields as they came: a mapping or pairs, `str` or `bytes`.

    Returns:
        Pairs of the name in lower case and the value, one for each field line.

    Raises:
        WrongTypeError: They are neither.

    """
    if isinstance(headers, Mapping):
        headers = headers.items()
    wrong = (
        "headers must be a mapping or pairs of name and value, "
        "such as [('X-Robots-Tag', 'noindex')]"
    )
    if isinstance(headers, (str, bytes)) or not isinstance(headers, Iterable):
        raise WrongTypeError(wrong)
    lines = []
    for pair in headers:
        if isinstance(pair, (str, bytes)):
            raise WrongTypeError(wrong)
        try:
            name, values = pair
        except (TypeError, ValueError):
            raise WrongTypeError(wrong) from None
        several = isinstance(values, (list, tuple))
        lines += [
            (text_of(name).lower(), text_of(one)) for one in (values if several else [values])
        ]
    return lines


def text_of(value: object) -> str:
    """Take the text of a name or value; octets are ISO 8859-1 (RFC 9110 section 5.5)."""
    if isinstance(value, bytes):
        return value.decode("latin-1").strip()
    if isinstance(value, str):
        return value.strip()
    message = f"a header field must be str or bytes, not {type(value).__name__}"
    raise WrongTypeError(message)


def x_robots_tag(value: str) -> Iterator[tuple[str | None, str, str]]:
    """Read one `X-Robots-Tag` field line.

    A name with a colon is a robot's, unless it is one of the directives with a value; it holds up
    to the next such name, and never beyond the line.

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
        else:
            yield robot, name, directive_value


def entries_with_robots(value: str) -> Iterator[tuple[str, str | None]]:
    """Divide a field line; a robot's name has no value, not even an empty one."""
    waiting: list[str] = []
    for piece in value.split(","):
        found = PREFIX.match(piece)
        if found and found[1].lower() not in VALUED:
            yield from entries(",".join(waiting), spaces=False)
            yield found[1].lower(), None
            waiting = [found[2]]
        else:
            waiting.append(piece)
    yield from entries(",".join(waiting), spaces=False)


def robots_tag(value: str) -> Iterator[tuple[str | None, str, str]]:
    """Read one `Robots-Tag` field line, in both forms of the draft.

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
        robot = None if name.strip() == "*" else name.strip().lower()
        for word in words:
            if name.strip() and word.strip():
                yield robot, word.strip().lower(), ""


def links_of(value: str) -> Iterator[tuple[str, set[str], str]]:
    """Read one `Link` field line.

    Yields:
        The target as written, its relations in lower case, its type.

    >>> list(links_of('<https://example.com/l>; rel="license"; type="application/rsl+xml"'))
    [('https://example.com/l', {'license'}, 'application/rsl+xml')]

    Source: RFC 8288 section 3.

    """
    for found in LINK.finditer(value):
        values = {
            name.lower(): quoted or plain for name, quoted, plain in PARAMETER.findall(found[2])
        }
        yield found[1].strip(), set(values.get("rel", "").lower().split()), values.get("type", "")


def charset_of(content_type: str) -> str | None:
    """Give the charset of a `Content-Type` value.

    >>> charset_of('text/html; charset="utf-8"')
    'utf-8'
    """
    for name, quoted, plain in PARAMETER.findall(content_type):
        if name.lower() == "charset":
            return quoted or plain or None
    return None
