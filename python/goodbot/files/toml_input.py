r"""Files of TOML that people write: their tables, and what is wrong with them.

Scope: bytes to tables. What the keys mean is known to who reads the file: `goodbot.site.gate` for
policies, `goodbot.expectations` for expectations, `goodbot.cli.shared.config_toml` for
goodbot.toml.

>>> parse_toml(b"allow = true", "cases.toml")
{'allow': True}
>>> check_keys({"alow": True}, ("allow",), "cases.toml, case 2")
Traceback (most recent call last):
goodbot.errors.WrongValueError: cases.toml, case 2: there is no key 'alow'; did you mean allow?
"""

import re
import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from goodbot.errors import WrongValueError

__all__ = ["LARGEST_FILE", "MOST_NAMES", "check_keys", "parse_toml", "wrong"]

LARGEST_FILE = 1024 * 1024
"""The most bytes of a file."""
LONGEST_KEY = 40
"""The most characters of an unknown key that a message quotes."""
MOST_NAMES = 32
"""The most names that dots join in one key. Python's parser keeps each beginning of a key, so that
memory grows with the square of their number."""

OPENING = re.compile(r"\"{3}|'{3}|[\"'#]")
"""What begins a string or a comment (TOML 1.0, sections String and Comment)."""
CLOSING = {
    '"""': re.compile(r'\\.|"{3,5}', re.DOTALL),
    "'''": re.compile(r"'{3,5}"),
    '"': re.compile(r'\\.|["\n]'),
    "'": re.compile(r"['\n]"),
    "#": re.compile(r"\n"),
}
"""What ends it, or an escape within it."""
LONG_KEY = re.compile(rf"(?<![\w-])[\w-]+(?:[ \t]*\.[ \t]*[\w-]+){{{MOST_NAMES}}}")
"""More names than a key may have."""


def parse_toml(content: bytes, name: str) -> dict[str, Any]:
    """Return the tables of a file.

    Args:
        content: The bytes of the file.
        name: Its name, for messages.

    Raises:
        WrongValueError: It is too large, not UTF-8, or not TOML, a key of it joins too many
            names, or a text has NUL; the message says where.

    """
    # Slow to load, and most commands read no such file.
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415
    else:
        import tomli as tomllib  # noqa: PLC0415

    if len(content) > LARGEST_FILE:
        raise wrong(name, f"it has {len(content):,} bytes, and 1 MiB is the most; divide it")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise wrong(name, f"line {line} is not UTF-8; save the file as UTF-8") from error
    names = hide_strings(text)
    if long := LONG_KEY.search(names):
        line = names.count("\n", 0, long.start()) + 1
        raise wrong(name, f"line {line}: dots join more than {MOST_NAMES} names in one key")
    try:
        tables: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise wrong(name, f"it is not valid TOML: {error}") from error
    if found := next((one for one in texts_of(tables) if "\0" in one), None):
        message = f"{found[:LONGEST_KEY]!r} has NUL, which no name, path or URL has; remove it"
        raise wrong(name, message)
    return tables


def texts_of(tables: Mapping[str, Any]) -> Iterator[str]:
    """Yield all keys and texts of tables, however deep they are.

    >>> sorted(texts_of({"a": [{"b": "c"}, 1, ["d"]]}))
    ['a', 'b', 'c', 'd']
    """
    waiting: list[Any] = [tables]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            yield from one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def hide_strings(text: str) -> str:
    """Return a text of TOML with one letter for each string, without comments, line for line.

    A dot in what is left joins two names, or stands in a number.

    >>> hide_strings('a."b.c" = "d.e" # f.g')
    'a.s = s '
    """
    kept, place = [], 0
    while opening := OPENING.search(text, place):
        kept.append(text[place : opening.start()])
        closings = CLOSING[opening[0]].finditer(text, opening.end())
        closing = next((found for found in closings if not found[0].startswith("\\")), None)
        place = closing.end() if closing else len(text)
        is_comment = opening[0] == "#"
        kept.append(("" if is_comment else "s") + "\n" * text.count("\n", opening.start(), place))
    return "".join([*kept, text[place:]])


def check_keys(table: Mapping[str, Any], known: Collection[str], place: str) -> None:
    """Refuse a key that does not exist.

    Args:
        table: A table of the file.
        known: The keys that it may have.
        place: The file and the table, for the message.

    Raises:
        WrongValueError: There is one; the message names the nearest key that exists.

    """
    for key in table:
        if key not in known:
            from difflib import get_close_matches  # noqa: PLC0415  slow to load, and only mistakes need it

            near = get_close_matches(key, known, n=1)
            meant = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(known)}"
            raise wrong(place, f"there is no key {key[:LONGEST_KEY]!r}; {meant}")


def wrong(place: str, message: str) -> WrongValueError:
    """Return an error that says where a file is wrong."""
    return WrongValueError(f"{place}: {message}")
