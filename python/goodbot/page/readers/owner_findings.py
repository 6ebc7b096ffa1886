"""What an owner expects of a document and robots do not find: links in scripts, broken data.

Scope: findings on what was read. They decide nothing.
"""

import json
from collections.abc import Iterable

from goodbot._core import Link
from goodbot.http.address import resolve
from goodbot.page.finding_codes import Findings
from goodbot.page.readers.script_navigation import leads_elsewhere, redirect_in

__all__ = [
    "report_leading_scripts",
    "report_refreshes",
    "report_script_links",
    "report_structured_data",
]

SCRIPT = "javascript:"
REFRESHES = {"html-refresh": "META refresh", "header-refresh": "the header field Refresh"}
"""The kinds of links to which browsers go by themselves."""
LONGEST_SHOWN = 60


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


def report_leading_scripts(
    leading: Iterable[tuple[str, str, int]], base: str, url: str, findings: Findings
) -> None:
    """Report elements that lead to another page by a script alone, and a redirect by a script.

    Source: Google, SEO link best practices (elements other than A with an HREF are no links), and
    redirects and Google Search (use a JavaScript redirect only if no other one is possible).
    """
    pressed: list[tuple[str, str, int]] = []
    is_redirected = False
    for element, script, line in leading:
        target = redirect_in(script) if element in {"", "body"} else None
        if element not in {"", "body"}:
            if leads_elsewhere(script):
                pressed.append((element, script, line))
        elif target is not None and not is_redirected:
            address, _ = resolve(base, target)
            if address is not None and address[1].partition("#")[0] != url.partition("#")[0]:
                is_redirected = True
                shown = address[1][:LONGEST_SHOWN]
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
