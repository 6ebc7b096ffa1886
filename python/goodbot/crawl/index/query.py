"""Queries of users: parsed, and compiled into queries for FTS5.

Scope: the query language, and how text is split into words. There is no table, disk or clock. User
input reaches FTS5 only as words between quotation marks.

========================  =====================================================
`deep sea`                both words, anywhere on the page
`"deep sea"`              the words in this order: a phrase
`-shark`, `-"deep sea"`   pages without the word or phrase
`title:lamp`              in the title; also `text:` and `anchor:` (texts of links to the page)
`lam*`                    words that begin with these letters, at least three
========================  =====================================================

Everything else is words and separators: AND, OR, NOT and NEAR are ordinary words, and words joined
by a punctuation mark (`don't`, `half-timbered`) are a phrase.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby

from goodbot._core import Finding
from goodbot.crawl.index.phrase_marks import MARK_LETTER, marks_of_phrase
from goodbot.lazy_dataclass import dataclass
from goodbot.page.words import GAP, pieces_of

__all__ = ["FINDING_CODES", "GAP_WORD", "Query", "Term", "cleaned", "folded", "spaced", "words_in"]

GAP_WORD = "\uedad"
"""A word that marks gaps in the index, which no phrase may cross. It is from the private use area
and removed from every document and every query, so that no one can write it or search for it."""

MOST_CHARACTERS = 2_000
"""The maximum length of a query in characters."""
MOST_WORDS = 64
"""The maximum number of words in a query."""
SHORTEST_PREFIX = 3
"""The minimum length of a prefix: shorter ones match so many words that a search takes seconds."""

FIELDS = {"title": "title", "text": "text", "anchor": "anchors", "anchors": "anchors"}
"""The field names users may write before a colon, with the columns they stand for."""

FINDING_CODES: dict[str, tuple[str, str]] = {
    "no-words": ("warning", "The query has no word that a page could have."),
    "only-excluded": ("warning", "The query only excludes words."),
    "unclosed-quote": ("info", "A quotation mark is not closed; the phrase extends to the end."),
    "short-prefix": ("info", "There are too few letters before *; the exact word is searched for."),
    "query-cut": ("warning", "The query is too long; the rest of it is ignored."),
    "not-up-to-date": ("warning", "Some pages that were visited are not in the index yet."),
}
"""Every code of a finding on a search, with its severity and meaning."""

UNSPACED = re.compile(
    # Scripts without spaces: Thai, Lao, Tibetan, Burmese, Khmer; kana and Chinese characters.
    "[\u0e00-\u0eff\u0f40-\u0fbc\u1000-\u109f\u1780-\u17d3"
    "\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U000323af]"
)
LETTERS = re.compile(f"({UNSPACED.pattern})")
ODD = re.compile(f"[\0{GAP_WORD}{MARK_LETTER}\ud800-\udfff]")
DIACRITICS = re.compile("[\u0300-\u036f]")
QUOTES = str.maketrans(dict.fromkeys("“”„‟«»\uff02", '"'))
PART = re.compile(
    r"\s*(?P<minus>-*)(?:(?P<field>title|text|anchors?):)?"
    r'(?:"(?P<phrase>[^"]*)(?P<end>"?)|(?P<word>[^\s"]+))',
    re.IGNORECASE,
)


def cleaned(text: str) -> str:
    """Remove characters that the index cannot store: its gap word, NUL, and lone surrogates."""
    if text.isascii() and "\0" not in text:
        return text
    return "".join(ODD.sub(" ", piece) for piece in pieces_of(text))


def spaced(text: str) -> str:
    """Make each letter a word in scripts that do not separate words.

    So a Chinese, Japanese or Thai word is a phrase of its letters, in documents as in queries. It
    is found wherever the letters follow one another, also within a longer word.

    >>> spaced("a 東京 b").split()
    ['a', '東', '京', 'b']
    """
    if text.isascii():
        return text
    return "".join(UNSPACED.sub(r" \g<0> ", piece) for piece in pieces_of(text))


def words_in(text: str) -> list[str]:
    """Split a text into words as the index does: sequences of letters, digits and marks.

    >>> words_in("Half-timbered, 3 km")
    ['Half', 'timbered', '3', 'km']
    """
    return ["".join(one) for is_word, one in groupby(spaced(text), in_word) if is_word]


def in_word(character: str) -> bool:
    """Whether a character can be part of a word, by the categories of the table `words`."""
    category = unicodedata.category(character)
    return category[0] in "LN" or category in {"Co", "Mn", "Mc"}


def folded(word: str) -> str:
    """Return a word in lower case and without diacritics, which do not count.

    >>> folded("Café") == folded("CAFE")
    True
    """
    if word.isascii():
        return word.lower()
    return DIACRITICS.sub("", unicodedata.normalize("NFD", word.lower()))


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a query: a word, or a phrase."""

    phrases: tuple[tuple[str, ...], ...]
    """The words. A phrase with a gap (`…`) becomes several phrases, because no phrase crosses a
    gap; all of them must match."""
    field: str = ""
    """The column; empty: any column."""
    is_prefix: bool = False
    """Whether the last word is a prefix."""
    is_excluded: bool = False
    """Whether pages with it are excluded."""

    def __str__(self) -> str:
        """Return the term as a user would write it."""
        if self.is_prefix:
            # Only a word outside quotation marks can be a prefix; marks in it join its words.
            quoted = GAP.join(".".join(words) for words in self.phrases) + "*"
        else:
            text = f" {GAP} ".join(" ".join(words) for words in self.phrases)
            quoted = f'"{text}"' if " " in text else text
        field = f"{self.field.removesuffix('s')}:" if self.field else ""
        return f"{'-' * self.is_excluded}{field}{quoted}"

    @property
    def match(self) -> str:
        """The term as an FTS5 expression."""
        *phrases, last = self.phrases
        matches = [*map(self._match, phrases), self._match(last, is_prefix=self.is_prefix)]
        return f"({' AND '.join(matches)})"

    def _match(self, words: tuple[str, ...], *, is_prefix: bool = False) -> str:
        """Return one phrase as an FTS5 expression: in a text, or by the marks of one."""
        star, field = " *" * is_prefix, f"{self.field} : " * bool(self.field)
        as_written = f'{field}"{" ".join(words)}"{star}'
        if len(words) == 1 or is_prefix or self.field not in {"", "text"}:
            return as_written
        marks = (f'text : "{mark}"' for mark in marks_of_phrase([*map(folded, words)]))
        return f"({as_written} OR ({' AND '.join(marks)}))"


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. `str()` returns it as it was understood.

    >>> query = Query.of('Lamps "of brass" -shade OR')
    >>> str(query), Query.of("Lamps -shade OR").match
    ('Lamps "of brass" OR -shade', '(("Lamps") AND ("OR")) NOT (("shade"))')
    """

    wanted: tuple[Term, ...]
    """The terms that must match."""
    excluded: tuple[Term, ...]
    """The terms that must not match."""
    findings: tuple[Finding, ...]
    """Findings on the query."""
    words: frozenset[str]
    """The wanted words, folded."""
    beginnings: tuple[str, ...]
    """The wanted prefixes, folded."""

    @classmethod
    def of(cls, text: str) -> "Query":
        """Parse a query; any `str` is valid."""
        findings: list[Finding] = []
        if len(text) > MOST_CHARACTERS:
            found(findings, "query-cut", f"only the first {MOST_CHARACTERS:,} characters count")
        terms = tuple(dict.fromkeys(bounded(parts(text[:MOST_CHARACTERS], findings), findings)))
        wanted = tuple(one for one in terms if not one.is_excluded)
        if not terms:
            found(findings, "no-words", "add a word that the page should have")
        elif not wanted:
            found(findings, "only-excluded", "add a word that the page should have")
        excluded = tuple(one for one in terms if one.is_excluded)
        words = frozenset(folded(word) for one in wanted for row in one.phrases for word in row)
        beginnings = tuple(folded(one.phrases[-1][-1]) for one in wanted if one.is_prefix)
        return cls(wanted, excluded, tuple(findings), words, beginnings)

    def __str__(self) -> str:
        """Return the query as a user would write it."""
        return " ".join(map(str, (*self.wanted, *self.excluded)))

    @property
    def match(self) -> str:
        """The FTS5 query; empty if nothing can match."""
        return self._match(f"({all_of(self.wanted)})" if self.wanted else "")

    @property
    def title_match(self) -> str:
        """The FTS5 query for pages whose title has all terms; empty if nothing can match."""
        everywhere = all_of(self.wanted)
        return self._match(f"(({everywhere}) AND title : ({everywhere}))" if self.wanted else "")

    @property
    def other_match(self) -> str:
        """The FTS5 query for all other matching pages; empty if nothing can match."""
        everywhere = all_of(self.wanted)
        return self._match(f"(({everywhere}) NOT title : ({everywhere}))" if self.wanted else "")

    def _match(self, wanted: str) -> str:
        if not wanted or not self.excluded:
            return wanted
        return f"{wanted} NOT ({' OR '.join(one.match for one in self.excluded)})"

    def is_wanted(self, word: str) -> bool:
        """Whether a word of a text matches a wanted word or prefix."""
        plain = folded(word)
        return plain in self.words or plain.startswith(self.beginnings)

    def marked(self, text: str) -> Iterator[tuple[str, bool]]:
        """Split a text into pieces; yield each with whether it matches the query.

        >>> list(Query.of("lamp").marked("A lamp!"))
        [('A', False), (' ', False), ('lamp', True), ('!', False)]
        """
        for is_word, characters in groupby(text, in_word):
            whole = "".join(characters)
            for part in filter(None, LETTERS.split(whole) if is_word else [whole]):
                yield part, is_word and self.is_wanted(part)


def all_of(terms: Iterable[Term]) -> str:
    """Join terms that must all match."""
    return " AND ".join(one.match for one in terms)


def found(findings: list[Finding], code: str, advice: str) -> None:
    """Add a finding: the meaning of its code, and what to do about it."""
    severity, meaning = FINDING_CODES[code]
    findings.append(Finding(code, severity, f"{meaning.rstrip('.')}; {advice}"))


def parts(text: str, findings: list[Finding]) -> Iterator[Term]:
    """Yield the terms of a query, from left to right."""
    for part in PART.finditer(cleaned(text.translate(QUOTES))):
        written = part["word"] if part["phrase"] is None else part["phrase"]
        phrases = tuple(tuple(words) for one in written.split(GAP) if (words := words_in(one)))
        if part["phrase"] is not None and not part["end"]:
            found(findings, "unclosed-quote", 'add a closing "')
        if not phrases:
            continue
        is_prefix = part["phrase"] is None and written.endswith("*")
        if is_prefix and len(phrases[-1][-1]) < SHORTEST_PREFIX:
            is_prefix = False
            found(findings, "short-prefix", f"write at least {SHORTEST_PREFIX} letters")
        field = FIELDS.get((part["field"] or "").lower(), "")
        yield Term(phrases, field, is_prefix, bool(part["minus"]))


def bounded(terms: Iterable[Term], findings: list[Finding]) -> Iterator[Term]:
    """Yield terms until they have too many words together."""
    left = MOST_WORDS
    for term in terms:
        left -= sum(map(len, term.phrases))
        if left < 0:
            found(findings, "query-cut", f"only the first {MOST_WORDS} words count")
            return
        yield term
