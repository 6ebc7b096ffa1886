"""The format in a directive that was copied from the configuration of nginx or Apache.

Scope: from a whole directive to the text of its format, and how it is escaped. What the text means
is the core's.
"""

import re
from typing import NamedTuple

__all__ = ["ConfiguredFormat", "configured_format"]

ESCAPES = {"default": "nginx", "json": "nginx-escape-json", "none": "nginx-escape-none"}
"""The values of `escape` (nginx, `ngx_http_log_module`, `log_format`), as the core calls them."""

NGINX = re.compile(
    r"(?:log_format\s+(?P<name>[^\s'\"{};]+)\s+)?(?:escape=(?P<escape>\w+)\s+)?(?P<rest>.+)",
    re.DOTALL,
)
WORD = re.compile(
    r"""\s*(?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s'"{};]+))""",
    re.DOTALL,
)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
APACHE = re.compile(
    r'LogFormat\s+"(?P<text>(?:[^"\\]|\\.)*)"(?:\s+[\w.-]+)?', re.IGNORECASE | re.DOTALL
)
OF_NGINX = {"t": "\t", "r": "\r", "n": "\n", "'": "'", '"': '"', "\\": "\\"}


class ConfiguredFormat(NamedTuple):
    """The text of a format, and what the core calls its kind."""

    kind: str
    text: str


def configured_format(written: str) -> ConfiguredFormat | None:
    r"""Return the format of a directive; `None` if it is not a directive, or not a complete one.

    The name of the directive may be omitted, but not that of the escapes. Source: nginx,
    `ngx_http_log_module`, `log_format`; Apache HTTP Server 2.4, `mod_log_config`, `LogFormat`.

    >>> configured_format("log_format main escape=none '$remote_addr ' '[$time_local] $request';")
    ConfiguredFormat(kind='nginx-escape-none', text='$remote_addr [$time_local] $request')
    >>> configured_format('LogFormat "%h %t %U%q" short')
    ConfiguredFormat(kind='apache', text='%h %t %U%q')
    >>> configured_format("$remote_addr")
    """
    apache = APACHE.fullmatch(written.strip())
    if apache is not None:
        # The core reads backslashes as Apache's configuration does.
        return ConfiguredFormat("apache", apache["text"])
    found = NGINX.fullmatch(written.strip())
    if found is None or not (found["name"] or found["escape"]):
        return None
    kind = ESCAPES.get(found["escape"] or "default")
    text = joined(found["rest"])
    return None if kind is None or not text else ConfiguredFormat(kind, text)


def joined(words: str) -> str | None:
    """Return what nginx makes of the words of a directive: it joins them, with nothing between."""
    rest, parts = words.strip().removesuffix(";").rstrip(), []
    while rest:
        word = WORD.match(rest)
        if word is None:
            return None
        text = next(part for part in word.groups() if part is not None)
        parts.append(ESCAPED.sub(lambda mark: OF_NGINX.get(mark[1], mark[0]), text))
        rest = rest[word.end() :].lstrip()
    return "".join(parts)
