"""The short way into each reference page: what people look for, and where to find it.

Scope: a table of sentences that docs/generate.py puts beneath the first paragraph of a page.
"""

ENTRANCES = {
    "audit-requests.md": (
        "Looking for a column? See [columns](#columns). Looking for an outcome or a reason? See [audits of logs](audits.md)."
    ),
    "dialects.md": (
        "Looking for a dialect? Find its name in the first table. Looking for one choice? [What each chooses](#what-each-chooses) links to what it means. "
        "Looking for the document behind an answer? See [who says so](#who-says-so)."
    ),
    "evidence.md": (
        "Looking for a column? See [the columns of the export](#columns-of-the-export). Looking for an event of a URL's history? See "
        "[results of a visit](#results-of-a-visit). Looking for a state? See [states of a URL](#states-of-a-url)."
    ),
    "crawl-settings.md": (
        "Looking for what an option does? See [the command](command.md#goodbot-crawl). Looking for `goodbot.toml`? See [the config file](#the-config-file). "
        "Looking for what `--resume` keeps? See [every option](#every-option)."
    ),
    "fields.md": (
        "Looking for a field? Its row says what it means, and which document defines it. Looking for a label of Content-Usage? See "
        "[the vocabularies](#vocabularies-of-content-usage)."
    ),
    "findings.md": (
        "Looking for a code? The table links to an example of each. Looking for a code of a page? See [the findings on pages](pages.md#findings); of a sitemap or a "
        "search, [here](#findings-on-sitemaps) and [here](#findings-on-searches); of the answer to a request for robots.txt, "
        "[the page on statuses](statuses.md#findings-of-answers)."
    ),
    "inventory.md": (
        "Looking for a column? See [columns](#columns). Looking for a code? See [findings](#findings). Looking for how pages are compared? See "
        "[pages with nearly the same text](#pages-with-nearly-the-same-text)."
    ),
    "reconsidering.md": (
        "Looking for a column? See [columns](#columns). Looking for an answer such as `unmentioned`? See [answers](#answers). Looking for what to do? See "
        "[what to do](#what-to-do)."
    ),
    "uses.md": (
        "Looking for a word such as `ai-train` or `noarchive`? See [which statement is about which use](#which-statement-is-about-which-use). Looking for what "
        "counts if two statements disagree? See [which one counts](#which-one-counts). Looking for a code? See [findings](#findings)."
    ),
    "known-robots.md": (
        "Looking for a robot? Search the [table](#robots) for its name. Looking for all robots of one kind? See [purposes](#purposes). Looking for the page behind a "
        "fact? See [sources](#sources)."
    ),
    "knowledge.md": (
        "Looking for a document? Search the page for its name or number. Looking for a draft? See [drafts](#drafts). Looking for the pages behind a robot? See "
        "[documents of operators](#documents-of-operators), or [known robots](known-robots.md)."
    ),
    "pace.md": (
        "Looking for a reason to wait? See [reasons](#reasons). Looking for what a failure does to the pace? See [back-off](#back-off-whose-fault-was-it). "
        "Looking for a failure of a request? See [what can come of a fetch](#what-can-come-of-a-fetch)."
    ),
    "pages.md": (
        "Looking for a directive such as `noindex`? See [directives](#directives). Looking for a class, attribute or comment? See [marks on a part](#marks-on-a-part). "
        "Looking for a reason or a code? See [reasons](#reasons) and [findings](#findings)."
    ),
    "reasons.md": (
        "Looking for the reason of a verdict from robots.txt? It is below. Looking for that of a page? See [the reasons of pages](pages.md#reasons); of a policy, "
        "[statuses](statuses.md#reasons); of a pause, [pace](pace.md#reasons)."
    ),
    "seeds.md": (
        "Looking for a document? Find it in the first table. Looking for a case or a test? Search the page for its name."
    ),
    "verdicts.md": (
        "Looking for who asks which reading? See [who asks which](#who-asks-which). Looking for a robot whose answer surprises you? See [hard cases](#hard-cases)."
    ),
    "sites.md": (
        "Looking for a behaviour? Its row says what the site does, and what a robot must do."
    ),
    "traps.md": (
        "Looking for a trap by name? See [the rules](#the-rules). Looking for duplicates? See [pages with the same content](#pages-with-the-same-content)."
    ),
}


def with_entrance(name: str, lines: list[str]) -> list[str]:
    """Put the entrance of a page beneath its first paragraph."""
    if name not in ENTRANCES:
        return lines
    title = next(number for number, line in enumerate(lines) if line.startswith("# "))
    below = lines.index("", title + 2)
    return [*lines[:below], "", ENTRANCES[name], *lines[below:]]
