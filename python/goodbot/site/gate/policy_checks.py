"""Checks of the values of a policy, each with a message that says what to write.

Scope: text, hosts and URLs that will stand in header fields, markup and configurations. Characters
that end a line there are refused here, once, whatever the document.
"""

import re
from collections.abc import Iterable

from goodbot._core import origin
from goodbot.errors import NoOriginError, WrongTypeError
from goodbot.files.toml_input import wrong

__all__ = ["checked_host", "checked_url", "texts"]

LONGEST_TEXT = 2_000
"""The most characters of a text of a policy."""
MOST_TEXTS = 10_000
"""The most names or paths of a rule."""
UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that end or hide a part of a line in some document."""
HOST = re.compile(r"(?i)(?:[a-z0-9_][a-z0-9_.-]{0,252}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?")
URL = re.compile(r"(?i)https?://[a-z0-9!$&'()*+,\-./:;=?@_~%\[\]]+")


def texts(name: str, given: Iterable[str], place: str) -> tuple[str, ...]:
    """Return some texts; none may be empty or contain what ends a line.

    Raises:
        WrongTypeError: It is not a list of texts.
        WrongValueError: A text is empty, too long, or has a control character.

    """
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        message = f'{place}: {name} must be a list of texts; write {name} = ["..."]'
        raise WrongTypeError(message)
    found = tuple(given)
    if not all(isinstance(one, str) for one in found):
        message = f"{place}: {name} must be a list of texts; put each in quotation marks"
        raise WrongTypeError(message)
    if len(found) > MOST_TEXTS:
        raise wrong(place, f"{name} has more than {MOST_TEXTS:,} entries; divide the rule")
    for one in found:
        if not one.strip() or len(one) > LONGEST_TEXT:
            raise wrong(
                place, f"{name} has an empty text, or one of over {LONGEST_TEXT:,} characters"
            )
        if UNSAFE.search(one):
            raise wrong(place, f"{name} has a line break or control character; remove it")
    return found


def checked_host(text: str, place: str) -> str:
    """Return a host in lower case, with its port if there is one.

    Raises:
        WrongValueError: It is no host.

    >>> checked_host("Shop.Example.com", "rule 1")
    'shop.example.com'

    """
    if not HOST.fullmatch(text):
        message = f"{text[:60]!r} is no host; write 'shop.example.com', in ASCII and without a path"
        raise wrong(place, message)
    return text.lower().rstrip(".")


def checked_url(text: str, place: str) -> str:
    """Return an absolute URL of http or https.

    Raises:
        WrongValueError: It is none.

    """
    try:
        valid = isinstance(text, str) and URL.fullmatch(text) and origin(text)
    except NoOriginError:
        valid = None
    if not valid or len(text) > LONGEST_TEXT:
        shown = str(text)[:60]
        raise wrong(place, f"{shown!r} is no URL; write 'https://example.com/...', escaped")
    return text
