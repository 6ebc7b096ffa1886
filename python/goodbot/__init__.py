r"""May this robot do this to that URL, and who says so?

>>> import goodbot
>>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /private")
>>> verdict = robots.verdict("https://example.com/private/a", "ExampleBot")
>>> verdict.allowed, verdict.reason, verdict.rule.line
(False, 'rule-disallows', 2)

Importing this loads the compiled core and nothing else.
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
    GoodbotError,
    MisuseError,
    NoOriginError,
    RobotNameError,
    UnknownDialectError,
    UnknownVocabularyError,
    WrongTypeError,
    WrongValueError,
)

__all__ = [
    "ArrowColumn",
    "Considered",
    "Dialect",
    "DialectChoiceError",
    "Finding",
    "GoodbotError",
    "Group",
    "Line",
    "MisuseError",
    "NoOriginError",
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
