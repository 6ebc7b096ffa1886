"""Which word of which specification is about which use: one table.

Scope: data. The readers of each specification look their words up here, and docs are printed from
it. Words of one specification are not translated into another's: each is only compared with the
uses that goodbot asks about.
"""

from functools import lru_cache

from goodbot.content_use.statement import Use
from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

__all__ = ["USE_WORDS", "UseWord", "words_of"]


@dataclass(frozen=True, slots=True, repr=False)
class UseWord:
    """A word of a specification, and the use that it is about."""

    specification: str
    """The specification, a key of `SPECIFICATIONS`."""
    word: str
    """The word: a label, a signal, an act of a page, a token."""
    use: Use
    """The use."""
    breadth: int
    """How many uses the word covers; of two words, the one that covers fewer is more specific."""
    source: str
    """The document that says so."""

    __repr__ = short_repr


VOCABULARY = "draft-ietf-aipref-vocab-08, section 4"
SIGNALS = "Content Signals Policy, definitions"
PURPOSES = (
    "draft-kelley-aipref-training-preference-signal-00, abstract; the spelling is that of one "
    "implementation, and unverified"
)
TDM = "TDMRep, section tdm-reservation; its notes: archives, indexing and snippets are not mining"
RSL_USES = "RSL 1.0, section 3.4.1.1"
GOOGLE = "Google, robots meta tag"
BING = "Bing, 22 September 2023"

USE_WORDS: tuple[UseWord, ...] = (
    UseWord("content-usage", "train-ai", "train", 1, f"{VOCABULARY}, AI Training"),
    UseWord("content-usage", "ai-use", "ground", 1, f"{VOCABULARY}, AI Use"),
    UseWord("content-usage", "search", "search", 2, f"{VOCABULARY}, Search"),
    UseWord(
        "content-usage", "search", "preview", 2, f"{VOCABULARY}, Search: excerpts are included"
    ),
    UseWord("content-signal", "ai-train", "train", 1, SIGNALS),
    UseWord("content-signal", "ai-input", "ground", 1, SIGNALS),
    UseWord("content-signal", "search", "search", 2, SIGNALS),
    UseWord("content-signal", "search", "preview", 2, f"{SIGNALS}: short excerpts are included"),
    UseWord("purpose-token", "__usage_ai-training", "train", 1, PURPOSES),
    UseWord(
        "robots-meta", "train", "train", 1, "DeviantArt, November 2022 (noai); noml in the wild"
    ),
    UseWord("robots-meta", "index", "search", 1, "the Robots META tag of 1996; the page dialect"),
    UseWord(
        "robots-meta", "archive", "archive", 1, "HTTP book; the page dialect (noarchive, nocache)"
    ),
    UseWord("robots-meta", "snippet", "preview", 1, f"{GOOGLE} (nosnippet, max-snippet)"),
    UseWord("tdmrep", "tdm-reservation", "train", 1, TDM),
    UseWord("rsl", "ai-train", "train", 1, RSL_USES),
    UseWord("rsl", "ai-input", "ground", 1, RSL_USES),
    UseWord("rsl", "search", "search", 1, RSL_USES),
    UseWord("rsl", "search", "preview", 1, f"{RSL_USES}: short excerpts are included"),
    UseWord("rsl", "ai-all", "train", 3, RSL_USES),
    UseWord("rsl", "ai-all", "ground", 3, RSL_USES),
    UseWord("rsl", "all", "train", 5, RSL_USES),
    UseWord("rsl", "all", "ground", 5, RSL_USES),
    UseWord("rsl", "all", "search", 5, RSL_USES),
    UseWord("rsl", "all", "preview", 5, RSL_USES),
    UseWord("rsl", "all", "archive", 5, RSL_USES),
)
"""Every word, and what it is about."""

OPERATORS: dict[str, tuple[tuple[str, tuple[Use, ...], str], ...]] = {
    "google": (
        ("nosnippet", ("ground",), f"{GOOGLE}: not a direct input for AI Overviews and AI Mode"),
    ),
    "bing": (("noarchive", ("train", "ground"), f"{BING}: not in chat, not in training"),),
}
"""What directives mean beside that to the operator of one page dialect. Bing treats NOARCHIVE as
NOCACHE where both are written, so it then does not count."""

UNSETTLED: dict[tuple[str, Use], str] = {
    ("content-usage", "ground"): (
        "ai-use is read as draft-ietf-aipref-vocab-08 defines it. The working group has not "
        "settled how uses of AI are divided, and another revision may define the label otherwise"
    ),
}
"""What is said about a use in words that their own document may still define otherwise."""


@lru_cache(maxsize=16)
def words_of(specification: str) -> tuple[UseWord, ...]:
    """Return the rows of one specification."""
    return tuple(one for one in USE_WORDS if one.specification == specification)
