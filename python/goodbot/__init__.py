r"""May this robot do this to that URL, and who says so?

>>> import goodbot
>>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /private")
>>> verdict = robots.verdict("https://example.com/private/a", "ExampleBot")
>>> verdict.allowed, verdict.reason, verdict.rule.line
(False, 'rule-disallows', 2)

Importing this loads the compiled core and nothing else; `goodbot.Page` comes when it is asked for.
"""

from typing import TYPE_CHECKING

from goodbot._core import (
    ArrowColumn,
    Considered,
    Dialect,
    Finding,
    Group,
    Line,
    RequestRate,
    RobotsTxt,
    Rule,
    Rules,
    Selection,
    Usage,
    Verdict,
    VisitTime,
    __version__,
    choices,
    dialect,
    dialects,
    fields,
    finding_codes,
    origin,
    reasons,
    robots_txt_url,
    selection_ways,
    vocabularies,
)
from goodbot.errors import (
    DialectChoiceError,
    FetchError,
    GoodbotError,
    MissingExtraError,
    MisuseError,
    NoOriginError,
    RobotNameError,
    UnknownDialectError,
    UnknownVocabularyError,
    WrongTypeError,
    WrongValueError,
)

if TYPE_CHECKING:
    from goodbot.page import Page

__all__ = [
    "ArrowColumn",
    "Considered",
    "Dialect",
    "DialectChoiceError",
    "FetchError",
    "Finding",
    "GoodbotError",
    "Group",
    "Line",
    "MissingExtraError",
    "MisuseError",
    "NoOriginError",
    "Page",
    "RequestRate",
    "RobotNameError",
    "RobotsTxt",
    "Rule",
    "Rules",
    "Selection",
    "UnknownDialectError",
    "UnknownVocabularyError",
    "Usage",
    "Verdict",
    "VisitTime",
    "WrongTypeError",
    "WrongValueError",
    "__version__",
    "choices",
    "dialect",
    "dialects",
    "fields",
    "finding_codes",
    "origin",
    "reasons",
    "robots_txt_url",
    "selection_ways",
    "vocabularies",
]


def __getattr__(name: str) -> object:
    """Load what is not the core only when it is asked for (PEP 562)."""
    if name == "Page":
        from goodbot.page import Page  # noqa: PLC0415  that is what this is for

        globals()[name] = Page
        return Page
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
