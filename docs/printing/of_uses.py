"""The page on uses of content, from the tables of goodbot.content_use.

Scope: Markdown; the words come from the tables.
"""

from collections.abc import Iterator

from goodbot.content_use import (
    FINDING_CODES,
    REASONS,
    SPECIFICATIONS,
    STATUSES,
    USE_LEVELS,
    USE_WORDS,
    USES,
)
from goodbot.content_use.precedence import CHOICE, COMBINED, ORDERED
from goodbot.content_use.use_words import OPERATORS, UNSETTLED
from printing.as_markdown import code, table

READ = {
    "content-usage": "the working group's source, with the labels of -08, on 22 and 29 November 2026; -05 of the draft on attaching itself in a digest. Both drafts say that they do not reflect consensus and may change",
    "content-signal": "the policy's text, as sites carry it in robots.txt, on 22 November 2026. As a response header it is documented by Cloudflare only (Markdown for Agents). The signal `use` was read in the change of Cloudflare's documentation of 30 June 2026 that introduces it. A path before the signals (contentsignals.org, Protect specific pages; read in a digest of October 2026) limits them to URLs that it matches; of each signal the longest path decides, which is goodbot's choice, as the site names no order",
    "purpose-token": "**not verified**: of the draft only title, abstract and dates were within reach, on 29 November 2026, in four copies. Google announced on 30 October 2026 that it intends to support the signal (changelog of its documentation on crawling). The spelling of the token is that of one implementation. What such a group disallows is reserved, for every robot; what it allows, and a file without such a group, say nothing",
    "robots-meta": "see [Pages](pages.md). What nosnippet means to Google's AI features, and noarchive to Bing's chat, was read in quotations and in Bing's announcement on 22 November 2026. Google's setting of June 2026 that keeps a site out of AI Overviews and AI Mode stands in Search Console, so that no file and no page shows it; neither operator was found to have a new page value in 2026",
    "tdmrep": "the report's source in its repository, on 22 November 2026, and its section on policies on 29 November 2026. A machine-readable policy (an offer in ODRL) is read for its duties, purposes, contact and holder of rights; it never lifts the reservation. EPUB and PDF metadata are not read",
    "rsl": "**not verified in the original**, which was out of reach: digests of sections 1 to 4 and of the errata to 7 August 2026, made in September and October 2026, were read on 22 and 29 November 2026; the list of errata was read in the original as of 27 May 2026. The grammar follows the element tables of those digests, as the text of its appendix A (RELAX NG) was not among them. Licences in RSS feeds and in files (XMP, ID3, EPUB, PNG) are not read, and tokens are neither obtained nor checked (OLP, CAP, EMS). `ai-index` is read, but it is no use of its own here: grounding asks for `ai-input`",
}
"""Where each specification was read, and what is not covered."""
WHERE = {
    "content-usage": "robots.txt; header `Content-Usage`",
    "content-signal": "robots.txt; header `Content-Signal`",
    "purpose-token": "robots.txt, a group whose `User-agent` is the token",
    "robots-meta": "header `X-Robots-Tag`, `Robots-Tag`; META",
    "tdmrep": "`/.well-known/tdmrep.json`; headers `tdm-reservation`, `tdm-policy`; META of the same names",
    "rsl": "robots.txt `License`; header `Link` and LINK element, `rel=license` with type `application/rsl+xml`; SCRIPT of that type",
}
"""Where the statements of each specification stand."""


def uses_page() -> Iterator[str]:
    """Yield which statement says what about which use, and which one counts."""
    yield "# Uses of content"
    yield ""
    yield (
        "For anyone who wants to know what a site says about training AI on its pages, putting them into AI models, indexing, "
        "archiving or quoting them. `goodbot.uses` returns one answer per use, from all that is said in robots.txt, header, "
        "document, tdmrep.json and licences; `goodbot page uses` prints them."
    )
    yield ""
    yield "## The uses"
    yield ""
    yield from table(["use", "you may …"], [[code(use), text] for use, text in USES.items()])
    yield "## The answers"
    yield ""
    yield from table(["answer", "meaning"], [[code(one), text] for one, text in STATUSES.items()])
    yield (
        "Whether a robot may *fetch* a page is another question: `Allow` and `Disallow` say nothing about use, also in the group of a "
        "robot that trains models. `access` answers it beside the uses."
    )
    yield ""
    yield from table(["reason", "meaning"], [[code(one), text] for one, text in REASONS.items()])
    yield from words()
    yield from precedence()
    yield "## Prices"
    yield ""
    yield (
        "A response may ask for a payment (402, `crawler-price`; Cloudflare, pay per crawl) or for a licence (401 or 402 with "
        "`WWW-Authenticate: License`; RSL 1.0, section 6.3). What it asks for is shown as `payment`, with `crawler-error` and "
        "`crawler-charged`, and nothing is ever paid or signed for. Such a document was not fetched, so every use that no statement "
        "restricts is `unknown` for the reason `priced`, and `declared` has what the statements alone say: declared `allowed`, served "
        "`priced`. A price is read in the form `USD 0.01`; one that no machine can read is shown as it is written. A crawl counts such "
        "URLs as not fetched, under the reason `priced`."
    )
    yield ""
    yield "## Reported, not obeyed"
    yield ""
    yield (
        "`ai.txt` and `llms.txt` have no rule that a robot must obey; that they are there is reported. So are `noimageai`, "
        "`noimageindex`, `max-image-preview` and `max-video-preview`, which are about images and videos only, and links to licences "
        "that are not RSL. Marks on parts of a page are in [Pages](pages.md)."
    )
    yield ""
    yield "## Findings"
    yield ""
    rows = [[code(one), severity, text] for one, (severity, text) in FINDING_CODES.items()]
    yield from table(["code", "severity", "meaning"], rows)
    yield ""
    yield ("The finding `illegal-robots-pi` on a page is listed here, too; see [Pages](pages.md).")


def words() -> Iterator[str]:
    """Yield which word is about which use, by specification."""
    yield "## Which statement is about which use"
    yield ""
    yield (
        "Words of one specification are not translated into another's. A *preference* is a wish whose legal effect its document leaves "
        "open; a *reservation* is one of rights under Article 4 of Directive (EU) 2019/790, as its document says of itself; a "
        "*convention* is what operators of robots promise to obey; a *licence* offers terms."
    )
    yield ""
    for name, (title, force, document) in SPECIFICATIONS.items():
        yield f"### {title}"
        yield ""
        yield f"{document} ({force}). Where: {WHERE[name]}. Read: {READ[name]}."
        yield ""
        for (specification, use), what in UNSETTLED.items():
            if specification == name:
                yield f"Unsettled ({code(use)}): {what}."
                yield ""
        if name == "content-signal":
            yield from levels()
        rows = [
            [code(one.word), code(one.use), one.source]
            for one in USE_WORDS
            if one.specification == name
        ]
        if name == "robots-meta":
            rows += [
                [f"`{word}` in dialect `{dialect}`", ", ".join(map(code, about)), source]
                for dialect, several in OPERATORS.items()
                for word, about, source in several
            ]
        yield from table(["word", "use", "source"], rows)


def levels() -> Iterator[str]:
    """Yield the levels of the signal `use`."""
    yield (
        "The signal `use` states a level: what AI systems may do with the content at most. No document says which of the uses a "
        "level is about, so it decides none of them, and the answer has it beside them as `level`. Of several the most restrictive "
        "counts, which is goodbot's choice."
    )
    yield ""
    yield from table(
        ["level", "at most"], [[code(f"use={one}"), text] for one, text in USE_LEVELS.items()]
    )


def precedence() -> Iterator[str]:
    """Yield which statement counts where several contradict one another."""
    yield "## Which one counts"
    yield ""
    yield (
        "Each answer has the statements that say otherwise, and by which document they lose. Within one specification its own "
        f"document decides, where it does. Between specifications {CHOICE}: *reserved* before *licensed* before *allowed*."
    )
    yield ""
    titles = {name: title for name, (title, _, _) in SPECIFICATIONS.items()}
    rows = []
    for name, title in titles.items():
        ordered = ORDERED.get(name, "—").format(
            conflicts="the more restrictive directive applies, or in `yandex` the one that allows"
        )
        rows.append([title, ordered, COMBINED.get(name, "goodbot's choice: the more restrictive")])
    yield from table(["specification", "one is above the other", "both rank alike"], rows)
    yield (
        "A failed fetch is never permission: if robots.txt is unreachable, or the response is not the document, only what restricts a "
        "use counts, and the rest is `unknown`. A licence that is named but was not read, or that is older than its `max-age`, makes "
        "every use need a licence whose terms are unknown; one that is not valid leaves the content unlicensed (RSL 1.0, section "
        "4.3). In doubt a licence is read so that it grants less: a list that permits is closed for every use that RSL has a word for; a word that RSL does not define permits nothing, and where it "
        "prohibits something, only what a list permits by the use's own word is permitted, while a condition or a payment is shown as it "
        "is written; "
        "within one `license` element a prohibition prevails, however broad; between two of them the one that is narrower in path and "
        "in use prevails; a licence for a part of a page never allows the whole."
    )
    yield ""
