r"""Files of TOML that people write: their tables, and what is wrong with them.

Scope: bytes to tables. What the keys mean is known to who reads the file: `goodbot.gate` for
policies, `goodbot.expectations` for expectations.

>>> parsed(b"allow = true", "cases.toml")
{'allow': True}
>>> check_keys({"alow": True}, ("allow",), "cases.toml, case 2")
Traceback (most recent call last):
goodbot.errors.WrongValueError: cases.toml, case 2: there is no key 'alow'; did you mean allow?
"""

import sys
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from goodbot.errors import WrongValueError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["LARGEST_FILE", "check_keys", "parsed", "wrong"]

LARGEST_FILE = 1024 * 1024
"""The most bytes of a file."""
LONGEST_KEY = 40
"""The most characters of an unknown key that a message quotes."""


def parsed(content: bytes, name: str) -> dict[str, Any]:
    """Return the tables of a file.

    Args:
        content: The bytes of the file.
        name: Its name, for messages.

    Raises:
        WrongValueError: It is too large, not UTF-8, or not TOML; the message says where.

    """
    if len(content) > LARGEST_FILE:
        raise wrong(name, f"it has {len(content):,} bytes, and 1 MiB is the most; divide it")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise wrong(name, f"line {line} is not UTF-8; save the file as UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise wrong(name, f"it is not valid TOML: {error}") from error


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
            near = get_close_matches(key, known, n=1)
            meant = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(known)}"
            raise wrong(place, f"there is no key {key[:LONGEST_KEY]!r}; {meant}")


def wrong(place: str, message: str) -> WrongValueError:
    """Return an error that says where a file is wrong."""
    return WrongValueError(f"{place}: {message}")
