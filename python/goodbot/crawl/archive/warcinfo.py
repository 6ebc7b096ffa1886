"""The facts that begin each WARC file of a crawl: who crawled, with what, and by which rules.

Scope: the fields of the warcinfo record.

Source: WARC 1.1 section 6.2; its field `robots` is free text, in which Heritrix writes `obey`.
"""

from collections.abc import Mapping

import goodbot
from goodbot._core import dialect
from goodbot.errors import MisuseError

__all__ = ["MARK", "USER_AGENT", "robots_policy", "warcinfo_fields"]

MARK, USER_AGENT = "archive-mark", "archive-user-agent"
"""The settings with values that the first record of every file of a crawl has."""

CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"

DEFAULT = ": the default"
"""What the title of the default dialect adds to the name of its document."""


def warcinfo_fields(settings: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the fields of the warcinfo record.

    Args:
        settings: The settings of the crawl.

    """
    fields = [
        ("software", f"goodbot/{goodbot.__version__}"),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", CONFORMS_TO),
        ("isPartOf", settings.get(MARK, "")),
        ("robots", robots_policy(settings.get("dialect", ""))),
        ("http-header-user-agent", settings.get(USER_AGENT, "")),
    ]
    return [(name, value) for name, value in fields if value]


def robots_policy(name: str) -> str:
    """Return the value of `robots`: that it was obeyed, and the document by which it was read.

    Args:
        name: The name of the dialect, as the settings have it; empty if it is not known.

    >>> robots_policy("rfc9309")
    'obey; RFC 9309, Robots Exclusion Protocol (September 2022)'
    >>> robots_policy("own:strict")
    "obey; the operator's own dialect 'strict'"
    """
    if not name:
        return "obey"
    try:
        title = dialect(name).title.removesuffix(DEFAULT)
    except MisuseError:
        own = name.rpartition(":")[2]
        title = f"the operator's own dialect {own!r:.80}"
    return f"obey; {title}"
