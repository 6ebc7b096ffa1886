"""The page on policies of a gate, from the tables of goodbot.site.gate.

Scope: Markdown; the words come from the tables.
"""

from collections.abc import Iterator

from goodbot.content_use import USES
from goodbot.site.gate import CHECK_CODES
from goodbot.site.gate.policy_toml import TABLES
from goodbot.site.gate.use_statements import (
    content_signal,
    content_usage,
    directives,
    reservation,
)
from printing.as_markdown import code, table

HEAD = """\
# The gate: policies of a site

For owners of sites who write a policy for `goodbot gate` or its middleware: every key, and what each answer becomes.

Looking for a key? See [the keys](#the-keys). Looking for what a header field says? See [what is written](#what-is-written). Looking for a code of `goodbot gate check`? See
[findings](#findings). A guide is in [Declare a policy for robots](../how-to/declare-a-policy.md).

## Which rule counts

1. All rules that are about a robot count together, and the longest path decides (RFC 9309 section 2.2.2). So a robot keeps the rules of everyone when it is named.
2. Of rules with the same path, the one for fewer robots decides: a name before a family, a family before a purpose or an operator, those before everyone. Between equals, what forbids
   counts.
3. A permission for more robots ends where a prohibition for fewer begins: a robot that may fetch nothing may not fetch what everyone may.

A name stands for its family: `Googlebot` is also Googlebot-News, unless a rule says otherwise. A robot that would obey the group of another one by mistake, as Applebot obeys Googlebot's,
gets a group of its own. A part of the site takes the answers on uses of the parts that contain it, as far as it has none of its own."""

WITHOUT = """\
A word is written only if it says what was declared and no more. `search` of Content-Usage is about search and previews; where those differ, directives say it. What may be found but not
quoted has `nosnippet`, by which Google also keeps a page from AI Overviews; an answer that allows `ground` is not written beside it. Bing reads `noarchive` as "not in chat, not in
training", but not beside `nocache`, which is therefore written with it where an answer allows `ground` or `train`. `tdmrep.json` and the licence `/license.xml` are for everyone. A group with other answers names its own licence, and its requests get the header field `TDM-Reservation`, which
prevails over the file (TDMRep, Processing priority). RSL has no word for copies. Content-Signal states the same in robots.txt, by path, with the level of the key `use-level`; a signal that a part of the site
cannot state is not stated for a path around it. As a response header it is documented by Cloudflare (Markdown for Agents), and sent too. `Link` names the licence in RSL of a page. What is reserved from training for everyone is also a group for the shared training token (`__usage_ai-training`, unverified), unless some robot may train. `Vary: User-Agent` is sent where robots get different fields.

An offer (`[[rsl.offer]]`, `[tdm]`) lifts no reservation: Content-Usage, Content-Signal, the shared token and TDMRep go on to reserve, and the licence and `/tdm-policy.json` say on which terms an
agreement is available. To a robot that reads all of it the use is *reserved*, with the price."""


def gate_page() -> Iterator[str]:
    """Yield every key of a policy, and what becomes of each answer."""
    yield from HEAD.splitlines()
    yield ""
    yield "## The keys"
    yield ""
    yield "An unknown key is an error. `[parts]` has names of your own, each with a list of paths."
    yield ""
    for name, (about, keys) in TABLES.items():
        yield f"### {code(name) if name else 'The file'}"
        yield ""
        yield about
        yield ""
        yield from table(["key", "meaning"], [[code(key), text] for key, (_, text) in keys.items()])
    yield "## What is written"
    yield ""
    rows = []
    for use in USES:
        for answer in (False, True):
            said = {use: answer}
            words = (
                content_usage(said), content_signal(said), directives(said), reservation(said)
            )  # fmt: skip
            shown = [code(word) if word else "—" for word in words]
            rows.append([code(f"{use} = {str(answer).lower()}"), *shown])
    for answer in (False, True):
        said = {"search": answer, "preview": answer}
        words = (content_usage(said), content_signal(said), directives(said), "")
        shown = [code(word) if word else "—" for word in words]
        rows.append([f"`search` and `preview` = `{str(answer).lower()}`", *shown])
    heads = [
        "answer", "Content-Usage", "Content-Signal", "X-Robots-Tag, META robots", "tdm-reservation"
    ]  # fmt: skip
    yield from table(heads, rows)
    yield from WITHOUT.splitlines()
    yield ""
    yield "## Findings"
    yield ""
    yield from table(["code", "meaning"], [[code(one), text] for one, text in CHECK_CODES.items()])
