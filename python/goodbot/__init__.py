r"""May this robot do this to that URL, and who says so?

>>> import goodbot
>>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /private")
>>> verdict = goodbot.verdict(robots, "https://example.com/private/a", "ExampleBot")
>>> verdict.allowed, verdict.reason, verdict.rule.line
(False, 'rule-disallows', 2)

Importing goodbot loads only the compiled core; `goodbot.Page`, `goodbot.Policy`, `goodbot.Robot`,
`goodbot.uses` and `goodbot.bots` are loaded when they are first used.
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
    verdict,
    vocabularies,
)
from goodbot.earlier_names import find_earlier_names as _find_earlier_names
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
    from goodbot import bots as bots
    from goodbot.content_use import uses
    from goodbot.page import Page
    from goodbot.policy import Policy
    from goodbot.robot import Robot

_find_earlier_names()

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
    "uses",
    "verdict",
    "vocabularies",
]


_LAZY = {
    "Page": "goodbot.page",
    "Policy": "goodbot.policy",
    "Robot": "goodbot.robot",
    "uses": "goodbot.content_use",
}
"""Names outside the core, and the modules that they are in."""


def __getattr__(name: str) -> object:
    """Load a name outside the core on first use (PEP 562)."""
    if name in {*_LAZY, "bots"}:
        from importlib import import_module  # noqa: PLC0415  the core needs none

        module = import_module(_LAZY.get(name, "goodbot.bots"))
        value: object = getattr(module, name) if name in _LAZY else module
        globals()[name] = value
        return value
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    """List the public names, including those that are not loaded yet (PEP 562)."""
    return sorted({*globals(), *_LAZY})
