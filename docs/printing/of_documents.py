"""The page on what a document may say to a robot, from the tables of goodbot.page."""

import dataclasses
from collections.abc import Iterator

from goodbot import page
from printing.as_markdown import code, table

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
Disallowed: ExampleBot must not keep a copy of https://example.com/a: X-Robots-Tag: noarchive (dialect google).

```

## Who speaks

| where | what it is | source |
| --- | --- | --- |
| `X-Robots-Tag` | fields of the header; a robot's name and a colon before directives address them to it, to the end of that field line | Google, robots meta tag |
| `Robots-Tag` | both forms of the draft | draft-illyes-repext-00 |
| META `robots`, META with the robot's name | a list of directives; the page dialect says where it counts and what divides it | Spidering BOF report, 1996; Google |
| `<?robots index="yes" follow="no"?>` | in XML: four legal forms, and only they; the first legal one counts; if all are illegal, which are findings, the robot may index and follow; in a [SAX handler](../how-to/sax.md) | A Robots Processing Instruction for XML Documents, 1999 |
| marks | classes, attributes, relations, elements and comments that speak of a part | below |
| `Content-Usage`, `tdm-reservation`, `tdm-policy`, `Link: rel=license` | statements on use, each kept apart in `page.usage` | draft-ietf-aipref-attach; TDMRep; RSL 1.0 |

Directives of all that address the robot add up. Where they contradict each other the dialect says which holds, and a finding tells it. A mark
can only narrow what the document as a whole allows. In XHTML the parser in use decides: META in HTML, the processing instruction in XML. With
a status that is no success every act is forbidden: a failed fetch is no leave; and so with octets that are evidently not what their type says.

Give the header as pairs, a field line each: `response.headers.multi_items()` of httpx, `response.raw.headers.items()` of requests,
`response.headers.items()` of urllib. Lines that were joined before cannot be told apart: `otherbot: noindex` and `nofollow` become one line,
which speaks to otherbot alone.

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
| `page.title`, `title_run` | the title as it may be shown; as it is written, with its verdicts |
| `page.names_needed` | the page to read first, which says whom classes such as `robot1-noindex` are for |
| `page.canonical`, `description`, `keywords`, `revisit_after`, `index_instead`, `spider_by`, `names_url`, `payment`, `usage` | what the document says of itself |
| `page.findings` | what is odd about it |

Visible is what HTML shows without style: attributes such as `hidden` and style sheets are not asked. Images stand for their `alt` in the texts
of links alone. At most 16 MiB, 512 elements deep, 1,000,000 nodes, 256 attributes a tag, 50,000 links and 200,000 runs are read; each limit
met is a finding, and what stands behind it, or deeper, is in no text, link or copy: a mark that was not read cannot be heeded.
"""

NESTING = """\
Classes of the Robot Exclusion Profile nest: the nearest element that speaks of an act decides, and one that names the robot outweighs one that
names all, on the same element; [departures.md](../explanation/departures.md#the-robot-exclusion-profile) has the rest. They count on every element, on TITLE and HEAD
too: `page.title` is empty if a class forbids to index or to quote the title, and `page.title_run` has it as it is written, with its verdicts. They mean
nothing unless the `profile` of the HEAD has one of the Profile's addresses (`profile_uris=` takes your own), or a `link rel="schema.RobotExclusion"`
stands in the HEAD; `profile_links=True` takes `rel=profile` and the Link header as well. `robot1-noindex` names the robot that META
`RobotExclusion.RobotName1` declares, in the document or in the page of names of its site. Where a page depends on that page, `page.names_needed` is its
URL: fetch it once, and hand its content in as `names_page=`. Until then each class `robotN-no…` of an unknown number forbids. A crawl and
`Robot.visit` do so. All other marks know only "no": what stands within cannot allow again. Comments and `<noindex>` pair by their place in the source, whatever the nesting; what nothing closes goes to the end.
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
    """Return a choice of a page dialect in words."""
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
    """Return a set of acts in words."""
    return ", ".join(act for bit, act in enumerate(ACT_OF_BIT) if bits >> bit & 1) or "—"


def written(mark: page.Mark) -> str:
    """Return how a mark is written."""
    first, *rest = mark.written
    forms = {
        "comments": f"`<!--{first}-->` … `<!--{rest[0] if rest else first}-->`",
        "element": f"`<{first}>`",
        "relation": f'`rel="{first}"`',
        "attribute": code(first),
    }
    return forms.get(mark.form, f'`class="{first}"`')
