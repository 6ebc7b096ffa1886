r"""May this robot do this to that URL, and who says so?

>>> import goodbot
>>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /private")
>>> verdict = robots.verdict("https://example.com/private/a", "ExampleBot")
>>> verdict.allowed, verdict.reason, verdict.rule.line
(False, 'rule-disallows', 2)

Importing this loads the compiled core and nothing else; `goodbot.Page`,
`goodbot.Policy` and `goodbot.Robot` come when they are asked for.
"""

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
    OtherOriginError,
    RobotNameError,
    UnknownDialectError,
    UnknownVocabularyError,
    WrongTypeError,
    WrongValueError,
)

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.page import Page
    from goodbot.policy import Policy
    from goodbot.robot import Robot

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
    "OtherOriginError",
    "Page",
    "Policy",
    "RequestRate",
    "Robot",
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


_LAZY = {"Page": "goodbot.page", "Policy": "goodbot.policy", "Robot": "goodbot.robot"}
"""What is not the core, and the module that it is in."""


def __getattr__(name: str) -> object:
    """Load what is not the core only when it is asked for (PEP 562)."""
    if name in _LAZY:
        from importlib import import_module  # noqa: PLC0415  the core needs none

        value: object = getattr(import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    """List the public names, also of what is not loaded yet (PEP 562)."""
    return sorted({*globals(), *_LAZY})
