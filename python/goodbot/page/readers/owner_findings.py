"""What an owner expects of a document and robots do not find: links in scripts, broken data.

Scope: findings on what was read. They decide nothing.
"""

import json
from collections.abc import Iterable
from functools import cached_property

from goodbot._core import Link
from goodbot.http.address import resolve
from goodbot.page.finding_codes import Findings
from goodbot.page.readers.script_navigation import addresses_in, leads_elsewhere, redirect_in

__all__ = [
    "Linked",
    "report_leading_scripts",
    "report_refreshes",
    "report_script_links",
    "report_structured_data",
    "report_unlinked",
]

SCRIPT = "javascript:"
REFRESHES = {"html-refresh": "META refresh", "header-refresh": "the header field Refresh"}
"""The kinds of links to which browsers go by themselves."""
LONGEST_SHOWN = 60
NO_ADDRESS = {"role", "ui-sref"}
"""The attributes whose value is no address."""
UNLINKED = {
    "link-without-href": (
        "element leads to a page as links do and no robot follows it",
        "elements lead to a page as links do and no robot follows them",
    ),
    "link-by-form": (
        "form without a field leads to a page and no robot sends it",
        "forms without a field lead to a page and no robot sends them",
    ),
}
"""The findings on what is no link, with what is said of one and of several."""


def report_script_links(links: Iterable[Link], findings: Findings) -> None:
    """Report links that lead to a script, once, with their number.

    Source: Google, SEO link best practices ("Google can only crawl your link if it's an <a> HTML
    element with an href attribute", whose value resolves into an actual web address).
    """
    found = [link for link in links if link.url[: len(SCRIPT)].lower() == SCRIPT]
    if found:
        count = "1 link leads" if len(found) == 1 else f"{len(found):,} links lead"
        shown = found[0].url[:LONGEST_SHOWN]
        message = f"{count} to a script, such as {shown!r}, which no robot follows; write a URL"
        findings.add("link-to-script", message, found[0].line)


def report_refreshes(links: Iterable[Link], url: str, findings: Findings) -> None:
    """Report that a document redirects by itself, to another address than its own.

    Source: Google, redirects and Google Search (a server-side redirect is the most reliable).
    """
    for link in links:
        by = REFRESHES.get(link.kind)
        if by is not None and link.resolved and link.url != url:
            shown = link.url[:LONGEST_SHOWN]
            message = f"{by} leads to {shown!r}; answer with status 301 or 308 instead"
            findings.add("refresh-redirect", message, link.line)
            return


class Linked:
    """The addresses to which the links of a page lead, and how others are resolved.

    Args:
        base: The URL against which addresses are resolved.
        url: The URL of the page.
        links: The links of the page.

    """

    def __init__(self, base: str, url: str, links: Iterable[Link]) -> None:
        """Store the parts."""
        self._base, self._url, self._links = base, url, links

    @cached_property
    def _known(self) -> set[str]:
        """The addresses to which robots find a way, without fragments."""
        return {without_fragment(one) for one in (self._url, *(link.url for link in self._links))}

    def resolved(self, address: str) -> str | None:
        """Return a URL without its fragment; `None` if it is the page's own, or not of HTTP."""
        found, _ = resolve(self._base, address)
        url = None if found is None else without_fragment(found[1])
        return None if url == without_fragment(self._url) else url

    def lacks(self, address: str) -> bool:
        """Return whether an address is one of HTTP, and no link of the page leads there."""
        url = self.resolved(address)
        return url is not None and url not in self._known


def without_fragment(url: str) -> str:
    """Return a URL without its fragment."""
    return url.partition("#")[0]


def report_unlinked(
    unlinked: Iterable[tuple[str, str, str, int]], at: Linked, findings: Findings
) -> None:
    """Report addresses that are in no HREF of an A, and forms that lead to a page like a link.

    An address to which a link of the page leads as well is not lost, and is not reported.

    Source: Google, SEO link best practices: neither an A without an HREF (its example has a
    routerLink) nor another element (SPAN with HREF) is a link; ARIA 1.2, role link.
    """
    lost = {"link-by-form": list[str](), "link-without-href": list[str]()}
    lines = dict[str, int]()
    for element, attribute, address, line in unlinked:
        has_address = attribute not in NO_ADDRESS
        if has_address and not at.lacks(address):
            continue
        code = "link-by-form" if element == "form" else "link-without-href"
        shown = f"{element.upper()} with {attribute.upper()} {address[:LONGEST_SHOWN]!r}"
        lost[code].append(shown)
        lines.setdefault(code, line)
    for code, found in lost.items():
        if found:
            one, several = UNLINKED[code]
            count = f"1 {one}" if len(found) == 1 else f"{len(found):,} {several}"
            message = f"{count}, such as {found[0]}; write an A with an HREF"
            findings.add(code, message, lines[code])


def report_leading_scripts(
    leading: Iterable[tuple[str, str, int]], at: Linked, findings: Findings
) -> None:
    """Report elements that lead to another page by a script alone, and a redirect by a script.

    An A without an HREF leads to the address in its script, whatever function is called with it.

    Source: Google, SEO link best practices (elements other than A with an HREF are no links), and
    redirects and Google Search (use a JavaScript redirect only if no other one is possible).
    """
    pressed: list[tuple[str, str, int]] = []
    is_redirected = False
    for element, script, line in leading:
        target = redirect_in(script) if element in {"", "body"} else None
        if element not in {"", "body"}:
            if leads_elsewhere(script) or (
                element == "a" and any(map(at.lacks, addresses_in(script)))
            ):
                pressed.append((element, script, line))
        elif target is not None and not is_redirected:
            address = at.resolved(target)
            if address is not None:
                is_redirected = True
                shown = address[:LONGEST_SHOWN]
                message = f"a script leads to {shown!r}; answer with status 301 or 308 instead"
                findings.add("script-redirect", message, line)
    if pressed:
        element, script, line = pressed[0]
        count = "1 element leads" if len(pressed) == 1 else f"{len(pressed):,} elements lead"
        shown = " ".join(script.split())[:LONGEST_SHOWN]
        message = (
            f"{count} to a page by a script alone, such as {element.upper()} with {shown!r}, which "
            "no robot follows; write an A with an HREF"
        )
        findings.add("link-by-script", message, line)


def report_structured_data(json_ld: Iterable[tuple[str, int]], findings: Findings) -> None:
    """Report JSON-LD that is no JSON.

    Source: JSON-LD 1.1 section 7 (the content of the script element must be JSON); RFC 8259.
    """
    for text, line in json_ld:
        if not text.strip():
            continue
        try:
            # Numbers stay texts: to read a long one takes long in some versions of Python.
            json.loads(text, parse_int=str, parse_float=str, parse_constant=refuse_constant)
        except (ValueError, RecursionError) as error:
            why = error.msg if isinstance(error, json.JSONDecodeError) else "it cannot be read"
            message = f"JSON-LD is not JSON ({why}), so that nobody reads it; correct it"
            findings.add("structured-data-malformed", message, line)


def refuse_constant(name: str) -> None:
    """Refuse NaN and the infinities, which JSON does not have.

    Raises:
        ValueError: Always.

    """
    message = f"{name} is not JSON"
    raise ValueError(message)
