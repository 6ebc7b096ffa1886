"""The licences that belong to a URL, and what each says about its uses.

Scope: from the places that name licences to statements. Licences are fetched by others.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from goodbot._core import Finding
from goodbot.content_use.finding_codes import finding
from goodbot.content_use.rsl_terms import Association, statements_of_license
from goodbot.content_use.site_statements import StatedLines
from goodbot.content_use.statement import USES, LicenseTerms, UseStatement, UseStatus
from goodbot.http.quoting import shortened

if TYPE_CHECKING:
    from goodbot.content_use.rsl_reader import RslLicense

__all__ = ["licenses_of_robots_txt", "of_license"]


def licenses_of_robots_txt(stated: StatedLines, url: str) -> Iterator[Association]:
    """Yield the licences that robots.txt names for a robot: those of its groups, or the file's."""
    lines = stated.licenses
    for one in stated.rules.usage(url).licenses:
        yield Association(one, f"robots.txt, line {lines[one]}" if one in lines else "robots.txt")


def of_license(
    association: Association,
    license_: "RslLicense | None",
    url: str,
    now: datetime | None,
    findings: list[Finding],
) -> Iterator[UseStatement]:
    """Yield what a licence says; one that was not read makes every use need a licence.

    A licence that is no valid document leaves the content unlicensed (RSL 1.0, section 4.3).
    """
    said: Iterable[UseStatement]
    shown = shortened(association.url)
    if license_ is not None:
        findings += license_.findings
    if license_ is None:
        message = f"the licence {shown} was not read, so its terms are unknown"
        findings.append(finding("license-not-read", message))
        said = of_whole(association, "licensed", "the licence was not read")
    elif is_expired(license_, now):
        message = f"the licence {shown} is older than its max-age, so its terms are unknown"
        findings.append(finding("license-expired", message))
        said = of_whole(association, "licensed", "the licence is older than its max-age")
    elif license_.fault is not None:
        message = f"the licence {shown} cannot be used: {license_.fault}"
        findings.append(finding("license-unusable", message))
        said = of_whole(association, "reserved", f"unlicensed: {license_.fault}")
    else:
        said = statements_of_license(license_, association, url)
    yield from of_association(said, association, findings)


def is_expired(license_: "RslLicense", now: datetime | None) -> bool:
    """Return whether a licence must be fetched again (RSL 1.0, section 3.2.1)."""
    return now is not None and license_.expires is not None and now >= license_.expires


def of_whole(association: Association, says: UseStatus, text: str) -> Iterator[UseStatement]:
    """Yield the same statement for every use that RSL has a word for."""
    terms = None if says == "reserved" else LicenseTerms(association.url, is_read=False)
    place = f"{association.place}, licence {shortened(association.url)}"
    for use in USES:
        rank = (int(association.of_page),)
        yield UseStatement(use, says, "rsl", place, text, None, terms, rank)


def of_association(
    statements: Iterable[UseStatement], association: Association, findings: list[Finding]
) -> Iterator[UseStatement]:
    """Yield the statements of a licence; those about a part only where they restrict.

    A part's licence cannot allow what is done with the whole page, and it is part of the page.
    """
    if not association.of_part:
        yield from statements
        return
    message = f"{association.place} is in the body, so it is about a part of the page"
    findings.append(finding("license-of-part", message))
    for one in statements:
        if one.says != "allowed":
            yield UseStatement(
                one.use, one.says, one.specification, one.place, one.text, one.expires, one.terms
            )
