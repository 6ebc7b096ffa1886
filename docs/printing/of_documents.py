"""The page on what a document may say to a robot, from the tables of goodbot.page."""

import dataclasses
from collections.abc import Iterator

from goodbot import indexability, page
from printing.as_markdown import code, table
from printing.of_examples import examples_of_pages

ACT_OF_BIT = ("index", "follow", "anchor", "archive", "snippet")

DOCUMENT = """\
# What a document may say to a robot

For anyone who indexes, quotes, copies or trains on fetched documents. robots.txt says whether a document may be fetched. The document and its HTTP header say what
may be done with it then: whether a robot may index it, follow its links, keep a copy, quote it or train a model on it, as a whole or in part.
`goodbot.Page` reads all of this, and has a verdict for each act, with its source.

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

## Where directives are stated

| where | what it is | source |
| --- | --- | --- |
| `X-Robots-Tag` | header fields; a robot's name and a colon address the directives after it to that robot, until the end of the field line | Google, robots meta tag |
| `Robots-Tag` | header fields, in either form of the draft | draft-illyes-repext-00 |
| META `robots`, META with the robot's name | a list of directives; the page dialect says where it counts and what separates the directives | Spidering BOF report, 1996; Google |
| `<?robots index="yes" follow="no"?>` | in XML: exactly four legal forms, of which the first counts; without a legal one the robot may index and follow; see also [SAX handlers](../how-to/sax.md) | A Robots Processing Instruction for XML Documents, 1999 |
| marks | classes, attributes, relations, elements and comments that concern a part of the page | [below](#marks-on-a-part) |
| `Content-Usage`, `tdm-reservation`, `tdm-policy`, `Link: rel=license` | statements on use, each kept apart in `page.usage` | draft-ietf-aipref-attach; TDMRep; RSL 1.0 |

All directives that address the robot apply together. If two contradict each other, the dialect decides which one holds, and a finding reports it. A mark
can only narrow what the document as a whole allows. In XHTML the parser decides: META holds in HTML, the processing instruction in XML. If the status is
not a success, every act is forbidden, because a failed fetch never gives permission; the same applies to content that is clearly not of its declared type.

Pass the header as pairs, one for each field line: `response.headers.multi_items()` of httpx, `response.raw.headers.items()` of requests,
`response.headers.items()` of urllib. Joined lines cannot be separated again: `otherbot: noindex` and `nofollow` would become one line,
which addresses otherbot alone.

## What a page has

| | |
| --- | --- |
| `page.index`, `follow`, `archive`, `snippet`, `image_index`, `translate`, `embed`, `train`, `train_images` | a `PageVerdict` each: true if allowed, with `reason` and `source`; `page.index_at(now)` applies `unavailable_after` |
| `page.limits` | how much may be quoted or previewed, and until when |
| `page.runs` | the visible text in order, each run with its own verdicts |
| `page.text()` | the text that may be indexed, one line for each block; `…` stands for an omission within a line, so that no phrase continues across it |
| `page.links` | address, text, relations; whether a robot may follow the link, and whether its text may describe the target |
| `page.archive_copy()` | the document with visible words in place of every part that must not be kept, and the list of cuts |
| `page.snippet_for(query, width)` | a quotation of text that may be indexed, kept and quoted |
| `page.title`, `title_run` | the title as it may be shown; as it is written, with its verdicts |
| `page.names_needed` | the page to fetch first, which says whom classes such as `robot1-noindex` address |
| `page.canonical`, `description`, `keywords`, `revisit_after`, `index_instead`, `spider_by`, `names_url`, `payment`, `usage` | the document's description of itself |
| `page.findings` | what is odd about it, and what to do |
| `page.facts` | what the owner of a site wants to know: title, description, heading and language where they may be indexed; words, resources, `hreflang` |

Text counts as visible if HTML shows it without style sheets; attributes such as `hidden` make no difference. The `alt` of an image counts in the text of a link
only. At most 16 MiB are read, 512 levels of elements, 1,000,000 nodes, 256 attributes of a tag, 50,000 links and 200,000 runs. If a limit is exceeded, a finding
says so, and nothing after it (or deeper) is in any text, link or copy, because its marks were not read.
"""

NESTING = """\
A mark forbids something for a part of the page; only classes of the Robot Exclusion Profile can also allow it again within such a part.

Classes of the Robot Exclusion Profile nest: the nearest element with a class for an act decides. On the same element, a class for this robot overrides
one for all robots; [departures.md](../explanation/departures.md#the-robot-exclusion-profile) has the details. They count on every element, even on TITLE and HEAD:
`page.title` is empty if a class forbids indexing or quoting it, and `page.title_run` has it as it is written, with its verdicts.

The classes have no effect unless the HEAD names the Profile: by its `profile` attribute with one of the Profile's addresses (or yours, with `profile_uris=`), or by
`link rel="schema.RobotExclusion"`. With `profile_links=True`, `rel=profile` and the Link header count, too.

`robot1-noindex` addresses the robot that META `RobotExclusion.RobotName1` names, in the document or on the page of names of its site. If a page depends on that
page, `page.names_needed` is its URL: fetch it once, and pass its content as `names_page=`. Until then each class `robotN-no…` with an unknown number forbids. A crawl and
`Robot.visit` do this for you.

Comments and `<noindex>` are paired by their place in the source, regardless of nesting; without an end they extend to the end of the page.
With `marks=` you choose the marks that count, by name."""


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
    heads = ["mark", "form", "written", "forbids", "allows", "meaning", "source"]
    yield from table(heads, rows)
    yield "## Reasons"
    yield ""
    yield from table(["reason", "meaning"], [[code(slug), why] for slug, why in page.reasons()])
    yield "## Findings"
    yield ""
    rows = [[code(slug), severity, meaning] for slug, severity, meaning in page.finding_codes()]
    yield from table(["code", "severity", "meaning"], rows)
    yield from examples_of_pages()
    yield from who_may_index()


def who_may_index() -> Iterator[str]:
    """Yield what `goodbot page URL` and `goodbot.indexability` decide from."""
    yield "## Who may index a page"
    yield ""
    yield (
        "`goodbot page URL` and `goodbot.indexability` answer for each robot, aspect by aspect. The first of robots.txt, redirect, status, "
        "header, META, date and canonical URL that forbids decides. [A guide](../how-to/is-my-page-indexable.md) shows it."
    )
    yield ""
    aspects = indexability.ASPECTS.items()
    yield from table(["aspect", "its question"], [[code(name), asked] for name, asked in aspects])
    rows = [
        [code(slug), severity, meaning] for slug, severity, meaning in indexability.finding_codes()
    ]
    yield from table(["finding", "severity", "meaning"], rows)


def page_dialects() -> Iterator[str]:
    """Yield the page dialects and what each chooses."""
    every = list(page.PAGE_DIALECTS.values())
    yield "## Page dialects"
    yield ""
    yield "`goodbot.page.page_dialect(name).replace(...)` returns a dialect of your own."
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
