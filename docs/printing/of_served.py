"""The page on what is declared to robots and what they get, from the table of answers."""

from collections.abc import Iterator

from goodbot.http.served import ANSWERS, DECLARED, SERVED, is_contrary, pairs
from printing.as_markdown import code, table

__all__ = ["served_page"]


def served_page() -> Iterator[str]:
    """Yield the two words, and which answer means what."""
    yield "# Declared and served"
    yield ""
    yield (
        "For owners who compare what their robots.txt says with what robots really got: the two "
        "words that `goodbot audit` has for each request of a robot, and the crawl for its own."
    )
    yield ""
    yield (
        "Looking for a status? See [which answer means what](#which-answer-means-what). Looking "
        "for a pair such as *allowed and refused*? See [pairs](#pairs)."
    )
    yield ""
    yield "## What is declared"
    yield ""
    yield from table(["Word", "Meaning"], [[code(one), said] for one, said in DECLARED.items()])
    yield (
        "It is what the robots.txt in force says at the time of the request, whatever copy the "
        "robot held; whether the request was a violation is [another question](audits.md#outcomes). "
        "`/robots.txt` itself is allowed (RFC 9309 section 2.2.2)."
    )
    yield ""
    yield "## What is served"
    yield ""
    yield from table(["Word", "Meaning"], [[code(one), said] for one, said in SERVED.items()])
    yield "## Pairs"
    yield ""
    yield (
        "The site does otherwise than its robots.txt says where it withholds what it allows, and "
        "where it serves what it disallows."
    )
    yield ""
    rows = [[declared, served, "yes" if is_contrary(declared, served) else ""]
            for declared, served in pairs()]  # fmt: skip
    yield from table(["Declared", "Served", "Otherwise than robots.txt says"], rows)
    yield "## Which answer means what"
    yield ""
    yield (
        "A challenge counts before the status, and a status before its class "
        "(`goodbot.http.served.ANSWERS`). [Statuses](statuses.md#how-challenges-show) has the "
        "fields and marks of challenges. A log shows a challenge only if it has one of "
        "the fields `cf-mitigated`, `x-amzn-waf-action`, `x-vercel-mitigated` and `sg-captcha` of the answer, such as "
        "`$sent_http_cf_mitigated` of nginx, or SecurityAction of Cloudflare; otherwise the status "
        "counts. A log without WWW-Authenticate does not show that an answer asks for a licence."
    )
    yield ""
    answers = [[code(one.answer), code(one.served), one.why, one.source] for one in ANSWERS]
    yield from table(["Answer", "Served", "Why", "Source"], answers)
