"""What users ask the index for: read, and compiled into what FTS5 is asked.

What may live here: the language of queries, and how a text becomes words. No table, disk or clock.
Nothing that a user writes reaches FTS5 but as words between quotation marks.

========================  =====================================================
`deep sea`                both words, wherever they are
`"deep sea"`              the words one behind the other: a phrase
`-shark`, `-"deep sea"`   without it
`title:lamp`              in the title; also `text:` and `anchor:` (what links say of it)
`lam*`                    words that begin so, of three letters or more
========================  =====================================================

Everything else is words and what parts them: AND, OR, NOT and NEAR are words like any other, and
words that hang together (`don't`, `half-timbered`) are a phrase.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from goodbot._core import Finding
from goodbot.page.words import GAP, pieces_of

__all__ = ["FINDING_CODES", "GAP_WORD", "Query", "Term", "cleaned", "folded", "spaced", "words_in"]

GAP_WORD = "\uedad"
"""A word that stands in the index where a phrase may not go on. It is of the private use area, and
is taken out of every document and every query, so that nobody can write it or ask for it."""

MOST_CHARACTERS = 2_000
MOST_WORDS = 64
SHORTEST_PREFIX = 3
"""A shorter one begins so many words that the answer takes seconds and tells nothing."""

FIELDS = {"title": "title", "text": "text", "anchor": "anchors", "anchors": "anchors"}
"""What users write before a colon, and the column that it is."""

FINDING_CODES: dict[str, tuple[str, str]] = {
    "no-words": ("warning", "There is no word in the query that a page could have."),
    "only-excluded": ("warning", "The query only says what a page should not have."),
    "unclosed-quote": ("info", "A quotation mark is not closed; the phrase goes on to the end."),
    "short-prefix": ("info", "Too few letters stand before a *; the word itself is looked for."),
    "query-cut": ("warning", "The query is over the limit; what stands behind it does not count."),
    "not-up-to-date": ("warning", "Some pages that were visited are not in the index yet."),
}
"""Every code of a finding on a search: how much it matters, and what it means."""

UNSPACED = re.compile(
    # Scripts that part no words: Thai, Lao, Tibetan, Burmese, Khmer; kana and Chinese characters.
    "[\u0e00-\u0eff\u0f40-\u0fbc\u1000-\u109f\u1780-\u17d3"
    "\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U000323af]"
)
LETTERS = re.compile(f"({UNSPACED.pattern})")
ODD = re.compile(f"[\0{GAP_WORD}\ud800-\udfff]")
DIACRITICS = re.compile("[\u0300-\u036f]")
QUOTES = str.maketrans(dict.fromkeys("“”„‟«»\uff02", '"'))
PART = re.compile(
    r"\s*(?P<minus>-*)(?:(?P<field>title|text|anchors?):)?"
    r'(?:"(?P<phrase>[^"]*)(?P<end>"?)|(?P<word>[^\s"]+))',
    re.IGNORECASE,
)


def cleaned(text: str) -> str:
    """Take out what the index cannot hold: its own gap, NUL, and halves of characters."""
    if text.isascii() and "\0" not in text:
        return text
    return "".join(ODD.sub(" ", piece) for piece in pieces_of(text))


def spaced(text: str) -> str:
    """Make each letter a word where a script parts no words.

    So a word of Chinese, Japanese or Thai is a phrase of its letters, in documents as in queries:
    it is found wherever they follow one another, also within a longer word.

    >>> spaced("a 東京 b").split()
    ['a', '東', '京', 'b']
    """
    if text.isascii():
        return text
    return "".join(UNSPACED.sub(r" \g<0> ", piece) for piece in pieces_of(text))


def words_in(text: str) -> list[str]:
    """Part a text into words, as the index does: letters, digits and marks that hang together.

    >>> words_in("Half-timbered, 3 km")
    ['Half', 'timbered', '3', 'km']
    """
    return ["".join(one) for is_word, one in groupby(spaced(text), in_word) if is_word]


def in_word(character: str) -> bool:
    """Whether a character is a part of a word: the categories of the table `words`."""
    category = unicodedata.category(character)
    return category[0] in "LN" or category in {"Co", "Mn", "Mc"}


def folded(word: str) -> str:
    """Give a word without what does not count: case and diacritics.

    >>> folded("Café") == folded("CAFE")
    True
    """
    if word.isascii():
        return word.lower()
    return DIACRITICS.sub("", unicodedata.normalize("NFD", word.lower()))


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a query: a word, or words in a row."""

    phrases: tuple[tuple[str, ...], ...]
    """The words. There are several phrases where something is left out between them (`…`): no
    phrase goes across that, and all of them are looked for."""
    field: str = ""
    """The column; empty: any."""
    is_prefix: bool = False
    is_excluded: bool = False

    def __str__(self) -> str:
        """Write it as a user would."""
        text = f" {GAP} ".join(" ".join(words) for words in self.phrases)
        quoted = f'"{text}"' if " " in text else text + "*" * self.is_prefix
        field = f"{self.field.removesuffix('s')}:" if self.field else ""
        return f"{'-' * self.is_excluded}{field}{quoted}"

    @property
    def match(self) -> str:
        """The same for FTS5."""
        star, field = " *" * self.is_prefix, f"{self.field} : " * bool(self.field)
        strings = [f'{field}"{" ".join(words)}"{star}' for words in self.phrases]
        return f"({' AND '.join(strings)})"


@dataclass(frozen=True, slots=True)
class Query:
    """A query that has been read. `str()` gives it as it was understood.

    >>> query = Query.of('Lamps "of brass" -shade OR')
    >>> str(query), query.match
    ('Lamps "of brass" OR -shade', '(("Lamps") AND ("of brass") AND ("OR")) NOT (("shade"))')
    """

    wanted: tuple[Term, ...]
    excluded: tuple[Term, ...]
    findings: tuple[Finding, ...]
    words: frozenset[str]
    """The words that are wanted, folded."""
    beginnings: tuple[str, ...]
    """How words may begin that are wanted, folded."""

    @classmethod
    def of(cls, text: str) -> "Query":
        """Read a query; any `str` is one."""
        findings: list[Finding] = []
        if len(text) > MOST_CHARACTERS:
            found(findings, "query-cut", f"the first {MOST_CHARACTERS} characters count")
        terms = tuple(dict.fromkeys(bounded(parts(text[:MOST_CHARACTERS], findings), findings)))
        wanted = tuple(one for one in terms if not one.is_excluded)
        if not terms:
            found(findings, "no-words", "write a word that the page has")
        elif not wanted:
            found(findings, "only-excluded", "add a word that the page has")
        excluded = tuple(one for one in terms if one.is_excluded)
        words = frozenset(folded(word) for one in wanted for row in one.phrases for word in row)
        beginnings = tuple(folded(one.phrases[-1][-1]) for one in wanted if one.is_prefix)
        return cls(wanted, excluded, tuple(findings), words, beginnings)

    def __str__(self) -> str:
        """Write it as a user would."""
        return " ".join(map(str, (*self.wanted, *self.excluded)))

    @property
    def match(self) -> str:
        """The query for FTS5; empty, if nothing can be found."""
        return self._match(f"({all_of(self.wanted)})" if self.wanted else "")

    @property
    def title_match(self) -> str:
        """The same for pages whose title alone has all of it; empty, if nothing can be found."""
        everywhere = all_of(self.wanted)
        return self._match(f"(({everywhere}) AND title : ({everywhere}))" if self.wanted else "")

    @property
    def other_match(self) -> str:
        """The same for all other pages; empty, if nothing can be found."""
        everywhere = all_of(self.wanted)
        return self._match(f"(({everywhere}) NOT title : ({everywhere}))" if self.wanted else "")

    def _match(self, wanted: str) -> str:
        if not wanted or not self.excluded:
            return wanted
        return f"{wanted} NOT ({' OR '.join(one.match for one in self.excluded)})"

    def spoken_of(self, word: str) -> bool:
        """Whether a word of a text is one that is looked for, or begins as one should."""
        plain = folded(word)
        return plain in self.words or plain.startswith(self.beginnings)

    def marked(self, text: str) -> Iterator[tuple[str, bool]]:
        """Part a text into what is looked for and the rest.

        >>> list(Query.of("lamp").marked("A lamp!"))
        [('A', False), (' ', False), ('lamp', True), ('!', False)]
        """
        for is_word, characters in groupby(text, in_word):
            whole = "".join(characters)
            for part in filter(None, LETTERS.split(whole) if is_word else [whole]):
                yield part, is_word and self.spoken_of(part)


def all_of(terms: Iterable[Term]) -> str:
    """Join what must all match."""
    return " AND ".join(one.match for one in terms)


def found(findings: list[Finding], code: str, cure: str) -> None:
    """Add a finding: what its code means, and what to do about it."""
    severity, meaning = FINDING_CODES[code]
    findings.append(Finding(code, severity, f"{meaning.rstrip('.')}; {cure}"))


def parts(text: str, findings: list[Finding]) -> Iterator[Term]:
    """Read the terms of a query, from left to right."""
    for part in PART.finditer(cleaned(text.translate(QUOTES))):
        written = part["word"] if part["phrase"] is None else part["phrase"]
        phrases = tuple(tuple(words) for one in written.split(GAP) if (words := words_in(one)))
        if part["phrase"] is not None and not part["end"]:
            found(findings, "unclosed-quote", 'write another " behind it')
        if not phrases:
            continue
        is_prefix = part["phrase"] is None and written.endswith("*")
        if is_prefix and len(phrases[-1][-1]) < SHORTEST_PREFIX:
            is_prefix = False
            found(findings, "short-prefix", f"write {SHORTEST_PREFIX} letters or more")
        field = FIELDS.get((part["field"] or "").lower(), "")
        yield Term(phrases, field, is_prefix, bool(part["minus"]))


def bounded(terms: Iterable[Term], findings: list[Finding]) -> Iterator[Term]:
    """Take terms as long as they do not have too many words."""
    left = MOST_WORDS
    for term in terms:
        left -= sum(map(len, term.phrases))
        if left < 0:
            found(findings, "query-cut", f"the first {MOST_WORDS} words count")
            return
        yield term
