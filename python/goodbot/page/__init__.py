"""Pages: what a robot may do with one fetched document, as a whole or in part.

>>> from goodbot.page import Page
>>> page = Page("https://example.com/", b"<meta name=robots content='noindex, max-snippet:20'>")
>>> page.index.allowed, page.follow.allowed, page.limits.max_snippet
(False, True, 20)

Scope: this package decides; it uses no clock, socket or disk.
"""

from goodbot.lazy_names import lazy_names
from goodbot.page.finding_codes import finding_codes

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.page.combine import DisplayLimits
    from goodbot.page.dialects import PAGE_DIALECTS, PageDialect, page_dialect
    from goodbot.page.directives import DIRECTIVES, Directive
    from goodbot.page.document import Page
    from goodbot.page.marks import MARKS, PROFILE_URIS, Mark
    from goodbot.page.page_facts import PageFacts
    from goodbot.page.page_options import PageOptions
    from goodbot.page.parts import Copy, Cut, Link, Run
    from goodbot.page.usage import PageUsage, Payment, UsageLine
    from goodbot.page.verdict import PageVerdict, Source, Statement, reasons

__all__ = [
    "DIRECTIVES",
    "MARKS",
    "PAGE_DIALECTS",
    "PROFILE_URIS",
    "Copy",
    "Cut",
    "Directive",
    "DisplayLimits",
    "Link",
    "Mark",
    "Page",
    "PageDialect",
    "PageFacts",
    "PageOptions",
    "PageUsage",
    "PageVerdict",
    "Payment",
    "Run",
    "Source",
    "Statement",
    "UsageLine",
    "finding_codes",
    "page_dialect",
    "reasons",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "combine": ("DisplayLimits",),
        "dialects": ("PAGE_DIALECTS", "PageDialect", "page_dialect"),
        "directives": ("DIRECTIVES", "Directive"),
        "document": ("Page",),
        "marks": ("MARKS", "PROFILE_URIS", "Mark"),
        "page_facts": ("PageFacts",),
        "page_options": ("PageOptions",),
        "parts": ("Copy", "Cut", "Link", "Run"),
        "usage": ("PageUsage", "Payment", "UsageLine"),
        "verdict": ("PageVerdict", "Source", "Statement", "reasons"),
    },
)
