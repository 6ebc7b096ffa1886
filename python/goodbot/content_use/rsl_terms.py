"""What a licence in RSL says about each use of one URL.

Scope: from what was read to statements. Of two statements the more specific one prevails, by path
and by use; what is both permitted and prohibited is not licensed; when in doubt, rights are not
expanded (RSL 1.0, sections 3.1.1, 3.5 and 3.6).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goodbot._core import matching_octets, origin
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
"""The breadth of what a closed list omits: broader than every word."""


@dataclass(frozen=True, slots=True)
class Association:
    """How a licence belongs to a URL."""

    url: str
    """The URL of the licence, or of the page that contains it."""
    place: str
    """The place where it is named."""
    of_page: bool = False
    """Whether the page names it, and not robots.txt: then it prevails (RSL 1.0, section 4.9)."""
    of_part: bool = False
    """Whether it is about a part of the page only."""


def statements_of_license(
    license_: "RslLicense", association: Association, url: str
) -> Iterator[UseStatement]:
    """Yield what a licence says about each use of a URL, each with its rank.

    The rank is (of the page, bytes of the path pattern, how few uses the word covers). What is
    permitted only because nothing prohibits it ranks below everything.
    """
    for number, content in enumerate(license_.contents, 1):
        octets = octets_of(content, url)
        for terms in content.licenses if octets is not None else ():
            named = f"{association.place}, licence {shortened(association.url)}"
            where = f"{named}, content {number}, line {terms.line}"
            for use in USES:
                for says, word, breadth in said_of(terms, use):
                    yield UseStatement(
                        use,
                        settled(says, content, terms, association),
                        "rsl",
                        where,
                        word,
                        license_.expires,
                        terms_in_words(content, terms, association),
                        (0, 0, -breadth)
                        if breadth > CLOSED
                        else (int(association.of_page), octets or 0, -breadth),
                    )


def octets_of(content: "RslContent", url: str) -> int | None:
    """Return the bytes of the path pattern that matches a URL; `None` if it does not match.

    An empty one is about the page that names the licence (sections 3.3.1 and 4.6). A whole URL, as
    the drafts of 2025 had them, is about its own site.
    """
    pattern = content.url
    if not pattern:
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


def said_of(terms: "RslTerms", use: Use) -> Iterator[tuple[UseStatus, str, int]]:
    """Yield what one `license` element says about a use: the answer, the words, their breadth.

    Without `permits` of type usage, what is not prohibited is permitted: the example "search only,
    no AI use" of section 1.1 prohibits ai-all and permits nothing. With it, only what it lists.
    """
    words = OF_USE[use]
    prohibited = [word for word in terms.prohibits.get("usage", ()) if word in words]
    if prohibited:
        # In one licence the prohibition prevails, however broad (section 3.6).
        narrow = min(words[word].breadth for word in prohibited)
        permitted = [words[one].breadth for one in terms.permits.get("usage", ()) if one in words]
        yield "reserved", f"prohibits {' '.join(prohibited)}", min([narrow, *permitted])
        return
    listed = terms.permits.get("usage")
    if listed is None:
        yield "allowed", "permits what it does not prohibit", CLOSED + 1
        return
    permitting = [word for word in listed if word in words]
    if permitting:
        breadth = min(words[word].breadth for word in permitting)
        yield "allowed", f"permits {' '.join(permitting)}", breadth
    elif len(words) > 1:
        # A use for which RSL has no word of its own is not excluded by a list of others.
        yield "reserved", f"permits only {' '.join(listed) or 'nothing'}", CLOSED


def settled(
    says: UseStatus, content: "RslContent", terms: "RslTerms", association: Association
) -> UseStatus:
    """Return `licensed` instead of `allowed` where the licence asks for something."""
    if says != "allowed":
        return says
    return "allowed" if terms_in_words(content, terms, association).is_free else "licensed"


def terms_in_words(
    content: "RslContent", terms: "RslTerms", association: Association
) -> LicenseTerms:
    """Return the terms of a `license` element."""
    conditions = [
        f"{'users' if kind == 'user' else 'countries'}: {' '.join(lists[kind])}"
        if lists is terms.permits
        else f"not for {'users' if kind == 'user' else 'countries'}: {' '.join(lists[kind])}"
        for lists in (terms.permits, terms.prohibits)
        for kind in ("user", "geo")
        if lists.get(kind) is not None
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
