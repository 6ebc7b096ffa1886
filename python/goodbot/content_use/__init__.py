r"""Uses of content: may it be trained on, put into AI models, indexed, archived, quoted?

>>> import goodbot
>>> robots = goodbot.RobotsTxt("User-agent: *\nContent-Usage: train-ai=n\nAllow: /")
>>> answer = goodbot.uses("https://example.com/a", robots_txt=robots)
>>> answer.train.status, answer.search.status
('reserved', 'unknown')
>>> print(answer.train)
Reserved: do not train or fine-tune AI models on it: robots.txt, line 2: train-ai=n (Content-Usage, a preference).

Within a specification its own document decides between contradictory statements. Between
specifications none does: the more restrictive one counts, which is goodbot's choice, and the answer
has the others.

>>> robots = goodbot.RobotsTxt("User-agent: *\nContent-Signal: ai-train=yes, search=yes\nAllow: /")
>>> header = {"tdm-reservation": "1"}
>>> answer = goodbot.uses("https://example.com/a", robots_txt=robots, headers=header)
>>> answer.search.status, answer.train.status, answer.ground.status
('allowed', 'reserved', 'unknown')
>>> print(answer.train.conflicts[0].statement)
robots.txt, line 2: ai-train=yes

Scope: this package decides; it uses no clock, socket or disk. Files such as tdmrep.json and
licences are fetched by others and passed in.
"""  # noqa: E501  a sentence is a line

from goodbot.lazy_names import lazy_names

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.content_use.finding_codes import FINDING_CODES
    from goodbot.content_use.one_answer import uses
    from goodbot.content_use.page_reading import statements_of_page
    from goodbot.content_use.page_statements import PageStatements, unpack_statements
    from goodbot.content_use.precedence import REASONS, UseConflict, UseVerdict
    from goodbot.content_use.rsl_reader import RslContent, RslLicense, RslTerms, read_license
    from goodbot.content_use.sources import Uses, UseSources
    from goodbot.content_use.statement import (
        SPECIFICATIONS,
        STATUSES,
        USES,
        LicenseTerms,
        UseStatement,
    )
    from goodbot.content_use.tdm_policy import TdmPermission, TdmPolicy, read_tdm_policy
    from goodbot.content_use.tdmrep import TdmRep, TdmRule, read_tdmrep
    from goodbot.content_use.use_level import USE_LEVELS, UseLevel
    from goodbot.content_use.use_words import USE_WORDS, UseWord

__all__ = [
    "FINDING_CODES",
    "REASONS",
    "SPECIFICATIONS",
    "STATUSES",
    "USES",
    "USE_LEVELS",
    "USE_WORDS",
    "LicenseTerms",
    "PageStatements",
    "RslContent",
    "RslLicense",
    "RslTerms",
    "TdmPermission",
    "TdmPolicy",
    "TdmRep",
    "TdmRule",
    "UseConflict",
    "UseLevel",
    "UseSources",
    "UseStatement",
    "UseVerdict",
    "UseWord",
    "Uses",
    "read_license",
    "read_tdm_policy",
    "read_tdmrep",
    "statements_of_page",
    "unpack_statements",
    "uses",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "finding_codes": ("FINDING_CODES",),
        "one_answer": ("uses",),
        "page_reading": ("statements_of_page",),
        "page_statements": ("PageStatements", "unpack_statements"),
        "precedence": ("REASONS", "UseConflict", "UseVerdict"),
        "rsl_reader": ("RslContent", "RslLicense", "RslTerms", "read_license"),
        "sources": ("UseSources", "Uses"),
        "statement": ("SPECIFICATIONS", "STATUSES", "USES", "LicenseTerms", "UseStatement"),
        "tdm_policy": ("TdmPermission", "TdmPolicy", "read_tdm_policy"),
        "tdmrep": ("TdmRep", "TdmRule", "read_tdmrep"),
        "use_level": ("USE_LEVELS", "UseLevel"),
        "use_words": ("USE_WORDS", "UseWord"),
    },
)
