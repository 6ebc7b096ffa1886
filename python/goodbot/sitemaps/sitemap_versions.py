"""The versions of pages in other languages that a sitemap names (xhtml:link with hreflang).

Scope: what is wrong with them within one sitemap. A page of another sitemap may name its versions
there, so nothing is said of it.

Source: Google, localized versions of your pages ("each language version must list itself as well as
all other language versions"; "if two pages don't both point to each other, the tags are ignored").
"""

from collections.abc import Callable, Collection, Sequence

from goodbot.errors import NoOriginError
from goodbot.http.address import address_of
from goodbot.page.languages import language_fault

__all__ = ["SitemapVersion", "report_versions"]

SitemapVersion = tuple[int, str, str, int]
"""The number of the entry, the language, the address, and the line."""
MAX_ADDRESS = 2_048

NoteVersion = Callable[..., None]


def report_versions(
    versions: Sequence[SitemapVersion], addresses: Sequence[str], note: NoteVersion
) -> None:
    """Report what is wrong with the versions that a sitemap names.

    Args:
        versions: The versions, in the order of their entries.
        addresses: The address of each entry, as written.
        note: Notes a finding: its code, an example and the line.

    """
    named: dict[str, set[str]] = {}
    lines: dict[tuple[str, str], int] = {}
    for number, language, written, line in versions:
        page = normal(addresses[number]) if number < len(addresses) else None
        if page is None:
            continue
        of_page = named.setdefault(page, set())
        if not language or language_fault(language):
            note("version-without-tag", language, line)
        version = normal(written)
        if version is None:
            note("version-without-address", written, line)
            continue
        of_page.add(version)
        lines.setdefault((page, version), line)
    report_unreturned(named, lines, note)


def report_unreturned(
    named: dict[str, set[str]],
    lines: dict[tuple[str, str], int],
    note: NoteVersion,
) -> None:
    """Report pages that do not name themselves, and those that are named and do not name back."""
    told: set[str] = set()
    for (page, version), line in lines.items():
        if page not in named[page] and page not in told:
            told.add(page)
            note("version-without-itself", page, line)
        if version != page and is_silent(named.get(version), page):
            note("version-not-returned", version, line)


def is_silent(named: Collection[str] | None, page: str) -> bool:
    """Return whether a page that names versions does not name this one."""
    return named is not None and page not in named


def normal(written: str) -> str | None:
    """Return an address in its normal form; `None` if it is none of http or https."""
    if len(written) > MAX_ADDRESS:
        return None
    try:
        return address_of(written.strip())[1]
    except NoOriginError:
        return None
