"""The findings of the core on a file, as rules of lint.

Scope: why each matters, an example, and what to write instead. The code, the severity and the
meaning are the core's: `goodbot.finding_codes()`.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from goodbot._core import finding_codes
from goodbot.bots.robot_table import known_names
from goodbot.site.lint.checked_file import CheckedFile
from goodbot.site.lint.lint_rule import (
    MOST_OF_A_RULE,
    LintProblem,
    LintRule,
    LintSeverity,
    unlisted,
)
from goodbot.site.lint.rules.misspelt_robot import exact_tokens
from goodbot.site.lint.rules.non_standard_field import FIELDS

__all__ = ["OTHER_DIALECTS", "RULES"]


class CoreExplanation(NamedTuple):
    """What lint says of a code of the core."""

    why: str
    example: str
    instead: str
    source: str


GOOD = "User-agent: *\nDisallow: /cart/\n"
"""A file without findings."""

RFC = "RFC 9309 section "

EXPLANATIONS = {
    "byte-order-mark": CoreExplanation(
        "Robots that do not expect it do not recognise the first line.",
        f"\ufeff{GOOD}",
        GOOD,
        "Google: how Google interprets the robots.txt specification, file format",
    ),
    "partial-byte-order-mark": CoreExplanation(
        "A program has damaged the file, and some robots do not recognise the first line.",
        f"\udcef\udcbb{GOOD}",
        GOOD,
        "google/robotstxt, which ignores it",
    ),
    "not-utf-8": CoreExplanation(
        "robots.txt is UTF-8. Other bytes match nothing that a client sends.",
        "User-agent: *\nDisallow: /caf\udce9/\n",
        "User-agent: *\nDisallow: /caf%C3%A9/\n",
        f"{RFC}2.3",
    ),
    "nul-byte": CoreExplanation(
        "Robots differ in what they read behind a NUL.",
        "User-agent: *\nDisallow: /ca\x00rt/\n",
        GOOD,
        f"{RFC}3",
    ),
    "control-character": CoreExplanation(
        "It is invisible in an editor, and the pattern matches nothing that a client sends.",
        "User-agent: *\nDisallow: /ca\x07rt/*\n",
        GOOD,
        f"{RFC}2.2 (UTF8-char-noctl)",
    ),
    "invisible-character": CoreExplanation(
        "Pages and word processors put such characters into what is copied. In a name or a path "
        "they "
        "are one more character, so that the line looks right and most robots do not understand "
        "it.",
        "User-agent: *\nDisallow\u200b: /login/\nDisallow: /cart/\n",
        f"{GOOD}Disallow: /login/\n",
        f"{RFC}2.2; Unicode Standard Annex #44, White_Space and Default_Ignorable_Code_Point",
    ),
    "looks-like-html": CoreExplanation(
        "A page stands where robots.txt should be, so there are no rules: robots fetch everything.",
        "<!DOCTYPE html>\n<title>Not found</title>\n",
        GOOD,
        "Google: how Google interprets the robots.txt specification, file format",
    ),
    "looks-compressed": CoreExplanation(
        "Robots read it as it is and find no rules.",
        "\x1f\udc8b\x08\x00\x00\x00\x00\x00\x00\x03",
        GOOD,
        f"{RFC}2.3",
    ),
    "looks-like-utf-16": CoreExplanation(
        "robots.txt is UTF-8; in UTF-16 robots find no rules.",
        "\udcff\udcfeU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00",
        GOOD,
        f"{RFC}2.3",
    ),
    "no-known-field": CoreExplanation(
        "It is probably an error page, and robots fetch everything.",
        "404 Not found\n",
        GOOD,
        f"{RFC}2.2",
    ),
    "looks-like-address": CoreExplanation(
        "The name of a file or a URL stands where its content should be.",
        "https://example.com/robots.txt",
        GOOD,
        f"{RFC}2.2",
    ),
    "missing-colon": CoreExplanation(
        "Some robots understand the line, and others ignore it.",
        "User-agent: *\nDisallow /cart/\n",
        GOOD,
        f"{RFC}2.2; google/robotstxt, which accepts it",
    ),
    "space-before-colon": CoreExplanation(
        "RFC 9309 allows it; robots of older documents may not recognise the field.",
        "User-agent: *\nDisallow : /cart/\n",
        GOOD,
        "Koster 1994, the format",
    ),
    "misspelt-field": CoreExplanation(
        "Some robots understand the misspelling, and others ignore the line.",
        "User-agent: *\nDisalow: /cart/\n",
        GOOD,
        "google/robotstxt, which accepts some misspellings",
    ),
    "unknown-field": CoreExplanation(
        "No robot that follows a document known to goodbot reads the line.",
        f"{GOOD}Colour: blue\n",
        GOOD,
        f"{RFC}2.2.4",
    ),
    "several-fields": CoreExplanation(
        "Only the first field of a line is one; the rest is part of its value.",
        "User-agent: *\nDisallow: /cart/ Disallow: /login/\n",
        f"{GOOD}Disallow: /login/\n",
        f"{RFC}2.2 (rule, startgroupline)",
    ),
    "quoted-value": CoreExplanation(
        "Quotation marks have no meaning in robots.txt: they are part of the name or the path.",
        "User-agent: *\nDisallow: \u201c/login/\u201d\nDisallow: /cart/\n",
        f"{GOOD}Disallow: /login/\n",
        f"{RFC}2.2",
    ),
    "line-without-field": CoreExplanation(
        "Robots ignore the line. A comment begins with `#`, and a rule with its field.",
        f"{GOOD}/login/\n",
        f"{GOOD}Disallow: /login/\n",
        f"{RFC}2.2",
    ),
    "rule-outside-group": CoreExplanation(
        "A rule applies to the robots of the User-agent lines above it. Without them it applies to "
        "none.",
        f"Disallow: /login/\n\n{GOOD}",
        f"{GOOD}Disallow: /login/\n",
        f"{RFC}2.2.2",
    ),
    "empty-user-agent": CoreExplanation(
        "The group reaches no robot. To address all of them, write `*`.",
        "User-agent: *\nUser-agent:\nDisallow: /cart/\n",
        GOOD,
        f"{RFC}2.2.1",
    ),
    "invalid-product-token": CoreExplanation(
        "Robots compare their product token, which has letters, `_` and `-` only. Versions and "
        "further words are ignored by some robots, and keep others from finding their group.",
        "User-agent: ExampleBot/1.0\nDisallow: /cart/\n",
        "User-agent: ExampleBot\nDisallow: /cart/\n",
        f"{RFC}2.2.1",
    ),
    "user-agent-string": CoreExplanation(
        "A group is found by the product token, such as ExampleBot, and not by what the robot "
        "sends as "
        "its User-Agent.",
        "User-agent: Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)\n"
        "Disallow: /cart/\n",
        "User-agent: ExampleBot\nDisallow: /cart/\n",
        f"{RFC}2.2.1",
    ),
    "url-as-name": CoreExplanation(
        "A group is found by the product token of a robot. Paths belong in Allow and Disallow.",
        "User-agent: https://example.com/bot\nDisallow: /cart/\n",
        "User-agent: ExampleBot\nDisallow: /cart/\n",
        f"{RFC}2.2.1",
    ),
    "part-of-many-names": CoreExplanation(
        "Robots of the older documents look for the value within their own name, or the other way "
        "round: the group then holds for robots that nobody thought of. Others compare whole "
        "names.",
        "User-agent: bot\nDisallow: /cart/\n",
        "User-agent: ExampleBot\nDisallow: /cart/\n",
        "Koster 1994, User-agent; HTTP: The Definitive Guide, chapter 9",
    ),
    "several-agents": CoreExplanation(
        "Most robots read the line as one name, which nobody has.",
        "User-agent: AlphaBot, BetaBot\nDisallow: /cart/\n",
        "User-agent: AlphaBot\nUser-agent: BetaBot\nDisallow: /cart/\n",
        f"{RFC}2.2.1; erratum 8895",
    ),
    "several-paths": CoreExplanation(
        "A line has one path or URL; robots read what stands between several as a part of it.",
        "User-agent: *\nDisallow: /cart/ /login/\n",
        "User-agent: *\nDisallow: /cart/\nDisallow: /login/\n",
        "Koster's reply to Kollar, 4 June 1996",
    ),
    "character-not-in-urls": CoreExplanation(
        "Clients send such characters as escapes. Most robots compare both as equal; some do not, "
        "and "
        "Google recommends to write the escape.",
        "User-agent: *\nDisallow: /café/\n",
        "User-agent: *\nDisallow: /caf%C3%A9/\n",
        "RFC 3986 section 2; Google: how Google interprets the robots.txt specification, "
        "2026-10-23",
    ),
    "rule-for-robots-txt": CoreExplanation(
        "A robot must fetch robots.txt to read the rule.",
        f"{GOOD}Disallow: /robots.txt\n",
        GOOD,
        f"{RFC}2.2.2",
    ),
    "pattern-without-slash": CoreExplanation(
        "Every path begins with a slash, so the rule matches nothing.",
        "User-agent: *\nDisallow: cart/\n",
        GOOD,
        f"{RFC}2.2 (path-pattern)",
    ),
    "absolute-url-pattern": CoreExplanation(
        "Rules are compared with paths, so a whole URL matches nothing.",
        "User-agent: *\nDisallow: https://example.com/cart/\n",
        GOOD,
        f"{RFC}2.2 (path-pattern)",
    ),
    "without-effect": CoreExplanation(
        "The author believes that the line does something.",
        f"{GOOD}Noindex: /drafts/\n",
        GOOD,
        "Google, 2 July 2019: a note on unsupported rules in robots.txt",
    ),
    "ignored-by-dialect": CoreExplanation(
        "The field belongs to another document, which today's robots do not follow.",
        "User-agent: ExampleBot\nRobot-version: 2.0.0\nDisallow: /cart/\n",
        "User-agent: ExampleBot\nDisallow: /cart/\n",
        f"{RFC}2.2.4",
    ),
    "malformed-value": CoreExplanation(
        "Robots ignore what they cannot read.",
        "User-agent: *\nCrawl-delay: ten\nDisallow: /cart/\n",
        "User-agent: *\nCrawl-delay: 10\nDisallow: /cart/\n",
        f"{RFC}2.2.4, and the document of the field",
    ),
    "unusual-value": CoreExplanation(
        "goodbot understands it; other robots may not.",
        "User-agent: *\nCrawl-delay: 2s\nDisallow: /cart/\n",
        "User-agent: *\nCrawl-delay: 2\nDisallow: /cart/\n",
        "the document of the field",
    ),
    "long-crawl-delay": CoreExplanation(
        "Apache Nutch and StormCrawler read robots.txt with crawler-commons, which then takes the "
        "site "
        "as closed.",
        "User-agent: *\nCrawl-delay: 3600\nDisallow: /cart/\n",
        "User-agent: *\nCrawl-delay: 60\nDisallow: /cart/\n",
        "crawler-commons, SimpleRobotRulesParser, maxCrawlDelay",
    ),
    "unreadable-times": CoreExplanation(
        "The rate then applies at all times.",
        "User-agent: *\nRequest-rate: 1/10m noon\nDisallow: /cart/\n",
        "User-agent: *\nRequest-rate: 1/10m 1200-1300\nDisallow: /cart/\n",
        "Conner 1996, Request-rate",
    ),
    "repeated-visit-time": CoreExplanation(
        "Only the first one applies.",
        "User-agent: *\nVisit-time: 0100-0200\nVisit-time: 0300-0400\nDisallow: /cart/\n",
        "User-agent: *\nVisit-time: 0100-0400\nDisallow: /cart/\n",
        "Conner 1996, Visit-time",
    ),
    "too-large": CoreExplanation(
        "Robots read 500 KiB. Most ignore what is behind; Yandex takes the file as if it allowed "
        "everything.",
        GOOD + ("# " + "-" * 1_000 + "\n") * 520,
        GOOD,
        f"{RFC}2.5",
    ),
    "default-in-new-version": CoreExplanation(
        "Robots that know only version 1.0.0 read the record for * if no other names them, and "
        "misunderstand its patterns.",
        "User-agent: *\nRobot-version: 2.0.0\nDisallow: /cart/\n",
        GOOD,
        "Conner 1996, User-agent: the default rule set should follow the format of 1.0.0",
    ),
    "group-without-rules": CoreExplanation(
        "The robots of the group may fetch everything, also what the rules for `*` disallow.",
        "User-agent: ExampleBot\n",
        "User-agent: ExampleBot\nAllow: /\n",
        f"{RFC}2.2.1",
    ),
    "emptied-group": CoreExplanation(
        "A robot obeys its own group and nothing else. With an empty rule it may fetch what all "
        "others "
        "must not. It may be meant; it is also what is left when rules are removed.",
        "User-agent: *\nDisallow: /cart/\n\nUser-agent: ExampleBot\nDisallow:\n",
        "User-agent: *\nDisallow: /cart/\n\nUser-agent: ExampleBot\nAllow: /\n",
        f"{RFC}2.2.1; Koster 1994, Disallow",
    ),
    "merged-groups": CoreExplanation(
        "A group ends where a User-agent line follows a rule. Other fields, comments and blank "
        "lines "
        "are no rules.",
        "User-agent: AlphaBot\nContent-Usage: train-ai=n\nUser-agent: BetaBot\nDisallow: /cart/\n",
        "User-agent: AlphaBot\nContent-Usage: train-ai=n\nAllow: /\n\n"
        "User-agent: BetaBot\nDisallow: /cart/\n",
        f"{RFC}2.2.4; draft-ietf-aipref-attach-05 section 3",
    ),
    "unknown-usage-label": CoreExplanation(
        "Unknown labels are ignored.",
        "User-agent: *\nContent-Usage: genai=n\nDisallow: /cart/\n",
        "User-agent: *\nContent-Usage: train-ai=n\nDisallow: /cart/\n",
        "draft-ietf-aipref-vocab-08",
    ),
    "unknown-signal": CoreExplanation(
        "Few robots know a signal that no document defines; the other signals of the line apply.",
        "User-agent: *\nContent-Signal: ai-train=no, ai-draw=no\nDisallow: /cart/\n",
        "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /cart/\n",
        "Content Signals Policy; Cloudflare, managed robots.txt",
    ),
    "several-default-groups": CoreExplanation(
        "RFC 9309 joins them; robots that follow older documents read only the first.",
        f"{GOOD}\nUser-agent: ExampleBot\nAllow: /\n\nUser-agent: *\nDisallow: /login/\n",
        f"{GOOD}Disallow: /login/\n\nUser-agent: ExampleBot\nAllow: /\n",
        f"{RFC}2.2.1",
    ),
    "findings-cut": CoreExplanation(
        "The file has so many findings that further ones are not listed.",
        GOOD + "Colour: blue\n" * 10_001,
        GOOD,
        "goodbot: at most 10,000 findings are listed",
    ),
}
"""The codes that a file in RFC 9309's dialect can have."""

OTHER_DIALECTS = {
    "line-too-long",
    "robot-version-misplaced",
    "repeated-robot-version",
    "experimental-version",
    "unsupported-version",
    "too-many-rules",
    "record-dropped",
    "name-never-matches",
}
"""Codes of other dialects, and of questions about a robot's name."""

BETTER_SAID = {"unknown-field": FIELDS}
"""Names of fields, by code, of which another rule says more."""


def check(code: str, file: CheckedFile) -> Iterator[LintProblem]:
    """Report the findings with a code."""
    elsewhere, found = BETTER_SAID.get(code, {}), file.findings.get(code, [])
    if code == "invalid-product-token":
        # Some known robots have such names, so that their groups must be named so.
        found = [one for one in found if not is_token(file.lines[one.line - 1].value or b"")]
    if elsewhere:
        names = ((file.lines[one.line - 1].name or b"").strip().lower() for one in found)
        found = [one for one, name in zip(found, names, strict=True) if name not in elsewhere]
    for finding in found[:MOST_OF_A_RULE]:
        message = f"{finding.message[:1].upper()}{finding.message[1:]}"
        yield LintProblem(finding.line, message, finding.column)
    yield from unlisted(len(found))


def is_token(value: bytes) -> bool:
    """Return whether a value is the product token of a known robot, as it is in the table."""
    name = value.decode("utf-8", "replace").casefold()
    return name in exact_tokens() or name in known_names()


def severity(word: str) -> LintSeverity:
    """Return the severity that the core calls so."""
    return {"error": "error", "warning": "warning"}.get(word, "note")  # type: ignore[return-value]


RULES = tuple(
    LintRule(
        code=code,
        severity=severity(word),
        finds=meaning,
        why=EXPLANATIONS[code].why,
        example=EXPLANATIONS[code].example,
        instead=EXPLANATIONS[code].instead,
        source=EXPLANATIONS[code].source,
        check=partial(check, code),
    )
    for code, word, meaning in finding_codes()
    if code in EXPLANATIONS
)
