"""What a licence in RSL says about each use of one URL.

Scope: from what was read to statements. Of two statements the more specific one prevails, by path
and by use; what is both permitted and prohibited is not licensed; when in doubt, rights are not
expanded (RSL 1.0, sections 3.1.1, 3.5 and 3.6). So a word that RSL does not define permits nothing,
and where it prohibits something, only what a list permits by the use's own word is permitted.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from goodbot._core import matching_octets, origin
from goodbot.content_use.rsl_grammar import TYPES, is_defined
from goodbot.content_use.statement import USES, LicenseTerms, Use, UseStatement, UseStatus
from goodbot.content_use.use_words import UseWord, words_of
from goodbot.errors import NoOriginError
from goodbot.http.quoting import shortened

if TYPE_CHECKING:
    from goodbot.content_use.rsl_reader import RslContent, RslLicense, RslTerms

__all__ = ["Association", "statements_of_license"]

OF_USE: dict[Use, dict[str, UseWord]] = {
    use: {one.word: one for one in words_of("rsl") if one.use == use} for use in USES
}
"""For each use the words that are about it."""
CLOSED = 9
"""The breadth of what a closed list omits, and of what an unknown word prohibits."""


class Association(NamedTuple):
    """How a licence belongs to a URL."""

    url: str
    """The URL of the licence, or of the page that contains it."""
    place: str
    """The place where it is named."""
    of_page: bool = False
    """Whether the page names it, and not robots.txt: then it prevails (RSL 1.0, section 4.9)."""
    of_part: bool = False
    """Whether it is about a part of the page only."""
    is_inline: bool = False
    """Whether the licence is within the page: a whole URL in it identifies the page, wherever a
    copy of that is served (RSL 1.0, sections 4.6 and 4.8, erratum of 27 May 2026)."""


def statements_of_license(
    license_: "RslLicense", association: Association, url: str
) -> Iterator[UseStatement]:
    """Yield what a licence says about each use of a URL, each with its rank.

    The rank is (of the page, bytes of the path pattern, how few uses the word covers). What is
    permitted only because nothing prohibits it ranks below everything.
    """
    seen = set()
    for number, content in enumerate(license_.contents, 1):
        octets = octets_of(content, url, is_inline=association.is_inline)
        for terms in content.licenses if octets is not None else ():
            named = f"{association.place}, licence {shortened(association.url)}"
            where = f"{named}, content {number}, line {terms.line}"
            offered = terms_in_words(content, terms, association)
            for use, (says, word, breadth) in said_of(terms):
                rank = (int(association.of_page), octets or 0, -breadth)
                if breadth > CLOSED:
                    rank = (0, 0, -breadth)
                status, needed = settled(says, offered)
                # Of thousands that rank alike the first is enough.
                if (use, status, rank) not in seen:
                    seen.add((use, status, rank))
                    expires = license_.expires
                    yield UseStatement(use, status, "rsl", where, word, expires, needed, rank)


def octets_of(content: "RslContent", url: str, *, is_inline: bool) -> int | None:
    """Return the bytes of the path pattern that matches a URL; `None` if it does not match.

    An empty one is about the page that names the licence (sections 3.3.1 and 4.6), as is a whole
    URL in a licence within the page. Elsewhere a whole URL, as the drafts of 2025 had them, is
    about its own site.
    """
    pattern = content.url
    if not pattern or (is_inline and "://" in pattern):
        return 0
    if pattern.startswith(("/", "*")):
        return matching_octets(pattern, url)
    try:
        own = origin(url)
        if origin(pattern) != own:
            return None
    except NoOriginError:
        return None
    path = pattern.partition("://")[2].partition("/")[2]
    return matching_octets(f"/{path}", url)


def said_of(terms: "RslTerms") -> Iterator[tuple[Use, tuple[UseStatus, str, int]]]:
    """Yield what one `license` element says about each use: the answer, the words, their breadth.

    Without `permits` of type usage, what is not prohibited is permitted: the example "search only,
    no AI use" of section 1.1 prohibits ai-all and permits nothing. With it, only what it lists.
    """
    listed = terms.permits.get("usage")
    unknown = unknown_prohibitions(terms)
    doubt = f"prohibits {shortened(unknown, 80)}, which RSL 1.0 does not define"
    for use, words in OF_USE.items():
        prohibited = [word for word in terms.prohibits.get("usage", ()) if word in words]
        permitted = [word for word in listed or () if word in words]
        breadths = [words[word].breadth for word in (*prohibited, *permitted)]
        if prohibited:
            # In one licence the prohibition prevails, however broad (section 3.6).
            yield use, ("reserved", f"prohibits {' '.join(prohibited)}", min(breadths))
        elif permitted and unknown and min(breadths) > 1:
            yield use, ("reserved", f"permits {' '.join(permitted)}, but {doubt}", CLOSED)
        elif permitted:
            yield use, ("allowed", f"permits {' '.join(permitted)}", min(breadths))
        elif listed is None and unknown:
            yield use, ("reserved", doubt, CLOSED)
        elif listed is None:
            yield use, ("allowed", "permits what it does not prohibit", CLOSED + 1)
        elif len(words) > 1:
            # A use for which RSL has no word of its own is not excluded by a list of others.
            yield use, ("reserved", f"permits only {' '.join(listed) or 'nothing'}", CLOSED)


def unknown_prohibitions(terms: "RslTerms") -> str:
    """Return the words that prohibit a usage and that RSL does not define; empty if none does."""
    words = terms.prohibits.get("usage", ())
    return " ".join(word for word in words if not is_defined("usage", word))


def settled(says: UseStatus, offered: LicenseTerms) -> tuple[UseStatus, LicenseTerms | None]:
    """Return `licensed` instead of `allowed` where the licence asks for something, and its terms.

    The price of a licence is not that of a use that it prohibits: only where to ask is kept then.
    """
    if says != "reserved":
        return "allowed" if offered.is_free else "licensed", offered
    if not (offered.custom or offered.terms):
        return says, None
    return says, LicenseTerms(offered.url, custom=offered.custom, terms=offered.terms)


NAMED = {"user": "users", "geo": "countries"}
"""The types of conditions in words; one that RSL does not define is named as it is written."""


def place_of_type(item: tuple[str, tuple[str, ...]]) -> tuple[int, str]:
    """Return the place of a list among the conditions: those of RSL's types first."""
    kind = item[0]
    return (TYPES.index(kind) if kind in TYPES else len(TYPES), kind)


def condition(kind: str, words: tuple[str, ...]) -> str:
    """Return a list of one type in words."""
    return f"{NAMED.get(kind, shortened(kind, 40))}: {' '.join(words)}"


def terms_in_words(
    content: "RslContent", terms: "RslTerms", association: Association
) -> LicenseTerms:
    """Return the terms of a `license` element."""
    conditions = [
        ("" if lists is terms.permits else "not for ") + condition(kind, words)
        for lists in (terms.permits, terms.prohibits)
        for kind, words in sorted(lists.items(), key=place_of_type)
        if kind != "usage"
    ]
    conditions += [f"report: {one}" for one in terms.reports]
    if content.encrypted:
        conditions.append("the content is encrypted")
    if terms.accepts:
        conditions.append(f"pays by {terms.accepts}")
    return LicenseTerms(
        url=association.url,
        payment=terms.payment,
        amount=terms.amount,
        currency=terms.currency,
        standard=terms.standard,
        custom=terms.custom,
        server=content.server,
        conditions=tuple(conditions),
        copyright=content.copyright,
        terms=content.terms,
    )
