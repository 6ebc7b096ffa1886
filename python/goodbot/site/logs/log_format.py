"""The formats of logs: by name, or as a server's configuration writes them.

Scope: from a text to what the core reads. The formats that are known, and how one of them is
detected, are in the core.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from goodbot._core import CODES, LogScan, UserAgentNames, log_formats
from goodbot.display import short_repr, shown_value
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.site.logs.configured_format import configured_format

__all__ = ["LOG_FIELDS", "LOG_FORMATS", "FormatArguments", "LogFormat", "format_arguments"]


class LogFormat(NamedTuple):
    """A known format."""

    name: str
    """Its name."""
    about: str
    """Who writes it."""
    written: str
    """A `LogFormat`, a `log_format`, or the paths in a line of JSON and what stands there."""

    def __repr__(self) -> str:
        """Return a short text, whatever a file says."""
        return short_repr(self)


BEGINS_OF_DIRECTIVES = ("log_format", "logformat", "escape=")
"""How directives begin: what begins so, and is no complete one, is not read as a part of one."""

FIELDS = "#fields:"
"""How the line of a W3C extended log begins that names the fields."""

LOG_FORMATS = tuple(LogFormat(*row) for row in log_formats())
"""The known formats; of two that fit a log equally well, the first is detected."""


LOG_FIELDS = CODES["log_field"]
"""What a mapping says of the value at a path."""


class FormatArguments(NamedTuple):
    """A format, as the core takes it."""

    kind: str
    text: str = ""
    pairs: tuple[tuple[str, str], ...] = ()


def format_arguments(written: str) -> FormatArguments:
    """Return a format from its name, a `log_format`, a `LogFormat` or a mapping for lines of JSON.

    A text with `$` is one of nginx, one with `%` is one of Apache; a whole directive, as it stands
    in the configuration, is understood, too. A mapping is JSON itself: from the path of a value,
    with dots, to what it is, such as `{"ts": "time", "req.uri": "target"}`. The line `#Fields: …`
    is that of a W3C extended log that was cut off.

    Raises:
        WrongTypeError: It is not a `str`.
        WrongValueError: It is not a format.

    >>> format_arguments('$remote_addr [$time_local] "$request"').kind
    'nginx'
    >>> format_arguments("escape=none '$msec $request_uri'").kind
    'nginx-escape-none'
    >>> format_arguments('{"ts": "time", "req.uri": "target"}').pairs
    (('ts', 'time'), ('req.uri', 'target'))
    """
    if not isinstance(written, str):
        message = f'format must be a str such as "combined", not {type(written).__name__}'
        raise WrongTypeError(message)
    found = arguments_of(written.strip())
    if found is None:
        names = ", ".join(known.name for known in LOG_FORMATS)
        message = (
            f"{shown_value(written)} is not a format of logs; use one of {names}, a log_format of "
            f"nginx, a LogFormat of Apache, a mapping in JSON, or a line #Fields: of W3C logs"
        )
        raise WrongValueError(message)
    try:
        scan = LogScan(
            UserAgentNames([]), [], [],
            rows=False, unknown=False, robots_txt=False, proxies=0, threads=1,
        )  # fmt: skip
        scan.set_format(*found)
    except WrongValueError as error:
        message = f"the format {shown_value(written)} has {error}; correct it"
        raise WrongValueError(message) from None
    return found


def arguments_of(written: str) -> FormatArguments | None:
    """Return what the core takes; `None` if it is none of these forms."""
    if any(known.name == written for known in LOG_FORMATS):
        return FormatArguments("known", written)
    if written.lower().startswith(FIELDS):
        return FormatArguments("w3c", written)
    configured = configured_format(written)
    if configured is not None:
        return FormatArguments(*configured)
    if written.lower().startswith(BEGINS_OF_DIRECTIVES):
        return None
    if written.startswith("{") and "$" not in written:
        return mapping_of(written)
    return pattern_of(written)


def pattern_of(written: str) -> FormatArguments | None:
    """Return what the core takes of a format in the form of nginx or Apache."""
    if "$" in written:
        return FormatArguments("nginx-escape-json" if written[0] == "{" else "nginx", written)
    return FormatArguments("apache", written) if "%" in written else None


def mapping_of(written: str) -> FormatArguments | None:
    """Return the mapping of a text of JSON; `None` if it is none.

    Raises:
        WrongValueError: It names a field that does not exist.

    """
    try:
        mapping: Any = json.loads(written)
    except (ValueError, RecursionError):
        return None
    if not isinstance(mapping, Mapping) or not all(
        isinstance(one, str) for one in mapping.values()
    ):
        return None
    unknown = next((one for one in mapping.values() if one not in LOG_FIELDS), None)
    if unknown is not None:
        message = (
            f"the mapping of a log has {shown_value(unknown)}; what stands at a path is one of "
            f"{', '.join(LOG_FIELDS)}"
        )
        raise WrongValueError(message)
    return FormatArguments("json", "", tuple(mapping.items()))
