"""Prints the pages of the documentation that are printed from the package's own records.

What may live here: how a record becomes Markdown. What the records say is in the core, and the
examples of findings are in conformance/findings.

    python docs/generate.py            writes the pages
    python docs/generate.py --check    names those that are not current, and exits with 1
"""

import dataclasses
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import goodbot
from goodbot import page

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "conformance" / "findings" / "findings.toml"

NOTICE = (
    "<!-- Printed by docs/generate.py from the package's records. Change those: `make docs`. -->"
)
AS_DEFAULT = "="
LONGEST_EXAMPLE = 400
README = HERE.parent / "README.md"


def cell(text: str) -> str:
    """Give a text as it may stand in a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(cell, row))} |"
    yield ""


def code(text: str) -> str:
    """Give a slug in the letters of code."""
    return f"`{text}`" if text else "none"


def dialects_page() -> Iterator[str]:
    """Yield what every dialect chooses, what each choice means, and who says so."""
    every = goodbot.dialects()
    default = every[0]
    yield "# Dialects"
    yield ""
    yield (
        "A dialect is a record of named choices. `goodbot.dialect(name)` gives one, and its method "
        "`replace` gives another with some choices made otherwise."
    )
    yield ""
    yield from table(
        ["dialect", "what it is"],
        [[f"[`{one.name}`](#{one.name})", one.title] for one in every],
    )
    yield from choices_of(every, default)
    yield from fields_of(every)
    yield "## What the choices mean"
    yield ""
    for choice in goodbot.choices():
        yield from choice_section(choice, every)
    yield "## Who says so"
    yield ""
    for one in every:
        yield from sources_section(one)


def choices_of(every: Sequence[goodbot.Dialect], default: goodbot.Dialect) -> Iterator[str]:
    """Yield the table of choices by dialects."""
    yield "## What each chooses"
    yield ""
    yield f"`{AS_DEFAULT}` is what `{default.name}`, the default, chooses."
    yield ""
    rows = []
    for name, _, _ in goodbot.choices():
        if name == "fields":
            continue
        chosen = [code(default.choices[name])]
        for one in every[1:]:
            same = one.choices[name] == default.choices[name]
            chosen.append(AS_DEFAULT if same else code(one.choices[name]))
        rows.append([f"[`{name}`](#{name})", *chosen])
    yield from table(["choice", *(f"`{one.name}`" for one in every)], rows)


def fields_of(every: Sequence[goodbot.Dialect]) -> Iterator[str]:
    """Yield the table of fields by dialects."""
    yield "## Which fields each reads"
    yield ""
    yield "This is the choice `fields`. What each field is for stands in [fields.md](fields.md)."
    yield ""
    rows = []
    for name, _, _, _ in goodbot.fields():
        read = [name.lower() in one.choices["fields"].split() for one in every]
        rows.append([f"`{name}`", *("read" if flag else "—" for flag in read)])
    yield from table(["field", *(f"`{one.name}`" for one in every)], rows)


def choice_section(
    choice: tuple[str, str, list[tuple[str, str]]], every: Sequence[goodbot.Dialect]
) -> Iterator[str]:
    """Yield one choice: its question, its values, and who chooses each."""
    name, question, values = choice
    yield f"### {name}"
    yield ""
    yield question
    yield ""
    slugs = {value for value, _ in values if is_slug(value)}
    rows = []
    for value, meaning in values:
        # What is described, and not given, is chosen by whoever chooses none of the slugs.
        chosen = {one.name: one.choices[name] for one in every}
        choosers = [
            chooser
            for chooser, choice_made in chosen.items()
            if choice_made == value or (not is_slug(value) and choice_made not in {*slugs, ""})
        ]
        rows.append([code(value) if is_slug(value) else value, meaning, said(choosers)])
    yield from table(["value", "meaning", "chosen by"], rows)


def is_slug(value: str) -> bool:
    """Tell a value that can be given from the description of one."""
    return " " not in value


def said(names: Sequence[str]) -> str:
    """Give names of dialects as a list."""
    return ", ".join(f"`{name}`" for name in names) or "—"


def sources_section(one: goodbot.Dialect) -> Iterator[str]:
    """Yield the documents of one dialect."""
    yield f"### {one.name}"
    yield ""
    yield f"{one.title}."
    yield ""
    yield from table(["what", "where"], one.sources)


def findings_page() -> Iterator[str]:
    """Yield every code of a finding, with an example where there is one."""
    codes = goodbot.finding_codes()
    examples = finding_examples()
    yield "# Findings"
    yield ""
    yield (
        "Content never raises: what is odd about a file is a finding, in `RobotsTxt.findings` or, "
        "where it is about a question, in `Rules.findings`. The codes are stable."
    )
    yield ""
    yield from table(
        ["severity", "meaning"],
        [
            ["info", "Good to know."],
            ["warning", "Likely not what the author meant."],
            ["error", "What is written has no effect, or another than it says."],
        ],
    )
    yield from table(
        ["code", "severity", "meaning"],
        [[f"[`{slug}`](#{slug})", severity, meaning] for slug, severity, meaning in codes],
    )
    for slug, severity, meaning in codes:
        yield f"## {slug}"
        yield ""
        yield f"{meaning} ({severity})"
        yield ""
        if slug in examples:
            yield from example_section(slug, examples[slug])


def finding_examples() -> dict[str, dict[str, Any]]:
    """Give the first short case of conformance/findings for each code."""
    chosen: dict[str, dict[str, Any]] = {}
    for case in tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))["case"]:
        if "robots_txt" in case or "robots_txt_hex" in case:
            content = octets_of(case)
            if len(content) <= LONGEST_EXAMPLE:
                for finding in goodbot.RobotsTxt(content, dialect=case["dialect"]).findings:
                    if [finding.code, finding.line] in case["findings"]:
                        chosen.setdefault(finding.code, case)
    return chosen


def octets_of(case: dict[str, Any]) -> bytes:
    """Give the file of a case."""
    if "robots_txt_hex" in case:
        return bytes.fromhex(case["robots_txt_hex"])
    text: str = case["robots_txt"]
    return text.encode()


def example_section(slug: str, case: dict[str, Any]) -> Iterator[str]:
    """Yield a file that has a finding, and the finding."""
    content = octets_of(case)
    robots = goodbot.RobotsTxt(content, dialect=case["dialect"])
    found = next(finding for finding in robots.findings if finding.code == slug)
    why = case["why"][0].upper() + case["why"][1:]
    yield f"{why}. Source: {case['authority']}.".replace("<", "&lt;")
    yield ""
    yield f"In `{case['dialect']}` this file"
    yield ""
    yield "```text"
    yield from (printable(line.raw) for line in robots.lines)
    yield "```"
    yield ""
    yield "gives"
    yield ""
    yield "```text"
    yield str(found)
    yield "```"
    yield ""


def printable(line: bytes) -> str:
    """Give a line of a file; what has no form of its own is written as an escape of Python."""
    text = line.decode("utf-8", "backslashreplace").rstrip("\r\n")
    shown = (character if character.isprintable() else ascii(character)[1:-1] for character in text)
    return "".join(shown)


def reasons_page() -> Iterator[str]:
    """Yield the reasons of verdicts, and the ways in which groups are chosen."""
    yield "# Reasons"
    yield ""
    yield "Every `Verdict` has a `reason`, and every `Selection` a `how`. The slugs are stable."
    yield ""
    yield "## Reasons of verdicts"
    yield ""
    rows = [[code(slug), meaning] for slug, meaning in goodbot.reasons()]
    yield from table(["reason", "meaning"], rows)
    yield "## Ways in which groups are chosen"
    yield ""
    rows = [[code(slug), meaning] for slug, meaning in goodbot.selection_ways()]
    yield from table(["how", "meaning"], rows)


def fields_page() -> Iterator[str]:
    """Yield every field, and the vocabularies of Content-Usage."""
    yield "# Fields"
    yield ""
    yield (
        "The fields of robots.txt that goodbot knows. Which dialect reads which stands in "
        "[dialects.md](dialects.md#which-fields-each-reads)."
    )
    yield ""
    rows = [
        [code(name), scope, meaning, source] for name, scope, meaning, source in goodbot.fields()
    ]
    yield from table(["field", "it bears on", "meaning", "source"], rows)
    yield "## Vocabularies of Content-Usage"
    yield ""
    yield (
        "The labels that `Rules.usage(url, vocabulary=...)` knows, by revision of "
        "draft-ietf-aipref-vocab, the newest first."
    )
    yield ""
    rows = [
        [code(name), ", ".join(code(label) for label in labels)]
        for name, labels in goodbot.vocabularies()
    ]
    yield from table(["vocabulary", "labels"], rows)


ACT_OF_BIT = ("index", "follow", "anchor", "archive", "snippet")

DOCUMENT = """\
# What a document may say to a robot

robots.txt says whether a document may be fetched. The document itself, and the header it came with, say what may be done with it then:
whether it may be indexed, its links followed, a copy kept, a passage quoted, a model trained on it; as a whole, or in part.
`goodbot.Page` reads all of it and gives a verdict for each act, with its source.

```python
>>> import goodbot
>>> body = b'''<head profile="http://example.org/xmdp/robots-profile#"><meta name="robots" content="max-snippet:20">
... <p>Fish, <b class="robots-noindex">shark,</b> mackerel. <a href="/more" rel="nofollow">More</a>'''
>>> page = goodbot.Page("https://example.com/a", body, headers=[("X-Robots-Tag", "noarchive")], robot="ExampleBot")
>>> bool(page.index), bool(page.archive), page.archive.source, page.limits.max_snippet
(True, False, 'X-Robots-Tag: noarchive', 20)
>>> page.text()
'Fish, … mackerel. More'
>>> [(link.url, bool(link.follow), link.follow.source) for link in page.links]
[('https://example.com/more', False, 'nofollow, line 2')]
>>> print(page.archive)
ExampleBot may not keep a copy of https://example.com/a: X-Robots-Tag: noarchive (google).

```

## Who speaks

| where | what it is | source |
| --- | --- | --- |
| `X-Robots-Tag` | fields of the header; a robot's name and a colon before directives address them to it, to the end of that field line | Google, robots meta tag |
| `Robots-Tag` | both forms of the draft | draft-illyes-repext-00 |
| META `robots`, META with the robot's name | a list of directives; the page dialect says where it counts and what divides it | Spidering BOF report, 1996; Google |
| `<?robots index="yes" follow="no"?>` | in XML: four legal forms, and only they; the first counts, others are findings, and then the robot may index and follow | A Robots Processing Instruction for XML Documents, 1999 |
| marks | classes, attributes, relations, elements and comments that speak of a part | below |
| `Content-Usage`, `tdm-reservation`, `tdm-policy`, `Link: rel=license` | statements on use, each kept apart in `page.usage` | draft-ietf-aipref-attach; TDMRep; RSL 1.0 |

Directives of all that address the robot add up. Where they contradict each other the dialect says which holds, and a finding tells it. A mark
can only narrow what the document as a whole allows. In XHTML the parser in use decides: META in HTML, the processing instruction in XML. With
a status that is no success every act is forbidden: a failed fetch is no leave.

## What you get

| | |
| --- | --- |
| `page.index`, `follow`, `archive`, `snippet`, `image_index`, `translate`, `embed`, `train`, `train_images` | a `PageVerdict` each: true if allowed, with `reason` and `source`; `page.index_at(now)` heeds `unavailable_after` |
| `page.limits` | how much may be quoted or previewed, and until when |
| `page.runs` | the visible text in order, each run with what may be done with it |
| `page.text()` | the text that may be indexed, a line a block; `…` where something within a line is left out, so that no phrase goes across it |
| `page.links` | address, text, relations; whether it may be followed, and whether its text may describe the target |
| `page.archive_copy()` | the document with a locution in the place of every part that may not be kept, and the list of cuts |
| `page.snippet_for(query, width)` | a quotation of what may be indexed, archived and quoted |
| `page.canonical`, `description`, `keywords`, `revisit_after`, `index_instead`, `spider_by`, `names_url`, `payment`, `usage` | what the document says of itself |
| `page.findings` | what is odd about it |

Visible is what HTML shows without style: attributes such as `hidden` and style sheets are not asked. Images stand for their `alt` in the texts
of links alone. At most 16 MiB, 512 elements deep, 1,000,000 nodes, 256 attributes a tag, 50,000 links and 200,000 runs are read; each limit
met is a finding, and what stands behind it, or deeper, is in no text, link or copy: a mark that was not read cannot be heeded.
"""

NESTING = """\
Classes of the Robot Exclusion Profile nest: the nearest element that speaks of an act decides, and one that names the robot outweighs one that
names all, on the same element. They mean nothing unless the `profile` of the HEAD has one of the Profile's addresses
(`profile_uris=` takes your own). `robot1-noindex` names the robot that META `RobotExclusion.RobotName1` declares, in the document or in
the page of names that you hand in as `names_page=`; `page.names_url` says where that is. All other marks know only "no": what stands within
cannot allow again. Comments and `<noindex>` pair by their place in the source, whatever the nesting; what nothing closes goes to the end.
`marks=` takes the names of those that you heed."""


def document_page() -> Iterator[str]:
    """Yield what a document may say: every directive, mark, reason and finding."""
    yield from DOCUMENT.splitlines()
    yield ""
    yield "## Directives"
    yield ""
    rows = [
        [
            code(one.name) if one.kind == "flag" else f"`{one.name}:` {one.kind}",
            ", ".join(one.forbids) or "—",
            ", ".join(one.allows) or "—",
            one.meaning,
            one.source,
        ]
        for one in page.DIRECTIVES.values()
    ]
    yield from table(["directive", "forbids", "allows", "meaning", "source"], rows)
    yield from page_dialects()
    yield "## Marks on a part"
    yield ""
    yield from NESTING.splitlines()
    yield ""
    rows = [
        [
            code(one.name),
            one.form,
            written(one),
            acts(one.forbids),
            acts(one.allows),
            one.meaning,
            one.source,
        ]
        for one in page.MARKS
    ]
    heads = ["mark", "what it is", "written", "forbids", "allows", "meaning", "source"]
    yield from table(heads, rows)
    yield "## Reasons"
    yield ""
    yield from table(["reason", "meaning"], [[code(slug), why] for slug, why in page.reasons()])
    yield "## Findings"
    yield ""
    rows = [[code(slug), severity, meaning] for slug, severity, meaning in page.finding_codes()]
    yield from table(["code", "severity", "meaning"], rows)


def page_dialects() -> Iterator[str]:
    """Yield the page dialects and what each chooses."""
    every = list(page.PAGE_DIALECTS.values())
    yield "## Page dialects"
    yield ""
    yield "`goodbot.page.page_dialect(name).replace(...)` gives you your own."
    yield ""
    yield from table(["dialect", "what it is"], [[code(one.name), one.title] for one in every])
    hidden = {"name", "title", "sources"}
    names = [one.name for one in dataclasses.fields(every[0]) if one.name not in hidden]
    rows = [[code(name), *(chosen(getattr(one, name)) for one in every)] for name in names]
    yield from table(["choice", *(code(one.name) for one in every)], rows)
    rows = [[code(one.name), what, where] for one in every for what, where in one.sources]
    yield from table(["dialect", "what", "where"], rows)


def chosen(value: object) -> str:
    """Give a choice of a page dialect in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return code(value)
    parts = [" ".join(words_of(one)) for one in value] if isinstance(value, tuple) else []
    return ", ".join(map(code, parts)) or "—"


def words_of(value: object) -> Iterator[str]:
    """Yield the words of a choice that is made of several."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from words_of(one)


def acts(bits: int) -> str:
    """Give a set of acts in words."""
    return ", ".join(act for bit, act in enumerate(ACT_OF_BIT) if bits >> bit & 1) or "—"


def written(mark: page.Mark) -> str:
    """Say how a mark is written."""
    first, *rest = mark.written
    forms = {
        "comments": f"`<!--{first}-->` … `<!--{rest[0] if rest else first}-->`",
        "element": f"`<{first}>`",
        "relation": f'`rel="{first}"`',
        "attribute": code(first),
    }
    return forms.get(mark.form, f'`class="{first}"`')


PAGES = {
    "pages.md": document_page,
    "dialects.md": dialects_page,
    "findings.md": findings_page,
    "reasons.md": reasons_page,
    "fields.md": fields_page,
}


def readme_table() -> Iterator[str]:
    """Yield the table of dialects as it stands in README.md."""
    yield ""
    yield from table(
        ["dialect", "what it is"],
        [[code(one.name), one.title] for one in goodbot.dialects()],
    )


def printed_readme(text: str) -> str:
    """Give README.md with its table of dialects printed anew."""
    begins, ends = "<!-- dialects -->", "<!-- /dialects -->"
    before, rest = text.split(begins)
    _, after = rest.split(ends)
    return "\n".join([before + begins, *readme_table(), ends + after])


def printed(name: str) -> str:
    """Give the text of a page."""
    return "\n".join([NOTICE, "", *PAGES[name]()]).rstrip("\n") + "\n"


def pages() -> Iterator[tuple[Path, str]]:
    """Yield every page with the text that it should have."""
    for name in PAGES:
        yield HERE / name, printed(name)
    yield README, printed_readme(README.read_text(encoding="utf-8"))


def is_current(path: Path, text: str) -> bool:
    """Tell whether the page on disk is the page that would be printed."""
    return path.is_file() and path.read_text(encoding="utf-8") == text


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or check them; give the exit code."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate.py [--check]", file=sys.stderr)
        return 2
    if not arguments:
        for path, text in pages():
            path.write_text(text, encoding="utf-8", newline="\n")
        return 0
    stale = [path for path, text in pages() if not is_current(path, text)]
    for path in stale:
        folder = "docs/" if path.parent == HERE else ""
        print(
            f"{folder}{path.name} is not current; print it again with `make docs`", file=sys.stderr
        )
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
