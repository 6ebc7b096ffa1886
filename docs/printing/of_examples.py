"""Examples of what an owner expects of pages and sitemaps, from the cases of conformance."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import goodbot
from goodbot.sitemaps.sitemaps import read_sitemap

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = Path(__file__).parents[2] / "conformance"
URL = "https://example.com/a"


def cases_of(name: str) -> list[dict[str, Any]]:
    """Return the cases of a file."""
    found: list[dict[str, Any]] = tomllib.loads((CASES / name).read_text(encoding="utf-8"))["case"]
    return found


def examples_of_pages() -> Iterator[str]:
    """Yield a page with each finding that owners expect, and the finding."""
    yield "### Examples for owners"
    yield ""
    yield (
        "Each is a case of [conformance/page/owners.toml](../../conformance/page/owners.toml): what a "
        "page has that readers meet and robots do not, and what goodbot says."
    )
    yield ""
    told: set[str] = set()
    for case in cases_of("page/owners.toml"):
        header = [tuple(one) for one in case.get("headers", [])]
        html = case["html"]
        page = goodbot.Page(URL, html.encode(), headers=[*header, ("Content-Type", "text/html")])
        found = [one for one in page.findings if one.code not in told]
        shown = [one for one in found if one.code in case_codes(case)]
        if shown:
            told.update(one.code for one in shown)
            lines = [f"{name}: {value}" for name, value in header]
            yield from block([*lines, *([""] if lines else []), *html.splitlines()], shown)


def examples_of_sitemaps() -> Iterator[str]:
    """Yield a sitemap whose versions in other languages are wrong, and the findings."""
    yield "### Versions in other languages"
    yield ""
    yield (
        "`xhtml:link` names the versions of a page. Pages that another sitemap lists may name theirs "
        "there, so only those of one sitemap are compared."
    )
    yield ""
    for case in cases_of("crawl/sitemaps.toml"):
        codes = {code for code in case.get("findings", ()) if code.startswith("version-")}
        if codes:
            read = read_sitemap(case["text"].encode(), case["at"])
            shown = [one for one in read.findings if one.code in codes]
            yield from block(case["text"].splitlines(), shown)


def case_codes(case: dict[str, Any]) -> set[str]:
    """Return the codes that a case expects."""
    codes = case["expect"].get("findings", ())
    return {one if isinstance(one, str) else one[0] for one in codes}


def block(lines: list[str], findings: list[goodbot.Finding]) -> Iterator[str]:
    """Yield lines as code, and the findings on them."""
    yield "```html"
    yield from lines
    yield "```"
    yield ""
    for one in findings:
        yield (
            f"- `{one.code}`, line {one.line}: {one.message}"
            if one.line
            else (f"- `{one.code}`: {one.message}")
        )
    yield ""
