"""Findings on pages: one table of codes, and the list to which a reader adds them."""

from typing import Literal

from goodbot._core import LONGEST_URL, Finding

__all__ = ["FINDING_CODES", "MOST_FINDINGS", "NOT_READ", "Findings", "finding_codes"]

Severity = Literal["info", "warning", "error"]

MOST_FINDINGS = 1_000
"""The most findings that are listed for one document, besides the one that says so."""

FINDING_CODES: dict[str, tuple[Severity, str]] = {
    "unknown-directive": ("info", "A directive is not known and has no effect; check its spelling, or remove it."),
    "misspelt-directive": ("warning", "A directive is not known and has no effect, but it resembles a known one; correct its spelling."),
    "doubtful-prefix": ("warning", "A directive stands before a colon in X-Robots-Tag, where a robot's name belongs; it is obeyed as a directive. Write a comma after it."),
    "for-others": ("info", "Directives are addressed to another robot; this robot ignores them."),
    "no-document": ("error", "The content is not what its type says, so nothing in it could be read; correct the Content-Type or the content."),
    "malformed-value": ("warning", "The value of a directive cannot be read, so the directive has no effect; correct the value."),
    "unreadable-revisit-after": ("info", "META REVISIT-AFTER is not a number of days, so it has no effect; write a number and its unit, such as 10 days."),
    "without-effect": ("info", "A directive no longer has any effect; remove it."),
    "conflicting-directives": ("warning", "Directives contradict each other, and the dialect decides which one holds; remove one of them."),
    "meta-without-content": ("warning", "A META element for robots has VALUE instead of CONTENT, so it has no effect; write CONTENT."),
    "repeated-directive": ("info", "META elements of one name have the same directive twice; remove one of them."),
    "meta-outside-head": ("warning", "A META element for robots is in the body, where this dialect ignores it; move it to the HEAD."),
    "meta-in-body": ("info", "A META element for robots is in the body. It is obeyed here, but other robots read the HEAD only; move it there."),
    "space-separated": ("warning", "Directives are separated by spaces, so this dialect does not understand them; write commas."),
    "wrong-separator": ("warning", "Directives are not separated by commas and have no effect; write commas."),
    "robot-in-list": ("warning", "The name of a robot stands where a directive belongs, and what comes with it has no effect; write the name before a colon in X-Robots-Tag, or as the name of a META element."),
    "misspelt-field": ("warning", "The name of a header field or META element resembles one for robots and is none, so that robots do not read it; correct its spelling."),
    "unknown-signal": ("info", "A signal of Content-Signal is not known, so it decides nothing; check its spelling, or see whether a newer goodbot knows it."),
    "unknown-usage-label": ("warning", "A label of Content-Usage is not in the newest vocabulary, so it decides nothing; write one that is."),
    "unknown-reservation": ("info", "A name of a header field or META element begins with tdm- and is not known, so it decides nothing; check its spelling."),
    "unknown-language": ("warning", "A language tag has no known language or region, so the version is not offered to its readers; write a tag such as en-GB."),
    "text-needs-scripts": ("warning", "Without scripts the page has hardly a word besides NOSCRIPT: robots that run no scripts find nothing to index; send the text in the HTML."),
    "conflicting-classes": ("warning", "Classes of one element contradict each other, and the one that forbids holds; remove one of them."),
    "classes-without-profile": ("warning", "Classes of the Robot Exclusion Profile have no effect, because the HEAD does not name the Profile; name it in the HEAD's profile attribute."),
    "misspelt-class": ("warning", "A class resembles one of the Robot Exclusion Profile but is none of them, so it has no effect; correct its spelling."),
    "undeclared-robot": ("warning", "A class addresses a robot by a number that the page does not declare, so it has no effect; declare the robot in a META RobotExclusion.RobotName with that number."),
    "listed-robots": ("warning", "One META gives a number to several robots: classes with it that forbid apply to each of them, and classes that allow apply to none; write one META for each robot."),
    "names-not-read": ("warning", "Classes address robots by numbers that another page declares, and that page was not read or names no robot: classes that forbid apply to every robot; fetch that page, or declare the names on this one."),
    "illegal-robots-pi": ("error", "A robots processing instruction has none of the four legal forms, so it has no effect; correct it."),
    "late-robots-pi": ("warning", "The robots processing instruction comes after the content has begun; move it before the root element."),
    "robots-pi-in-entity": ("warning", "The robots processing instruction is in an entity. It is obeyed here, but robots that do not read entities miss it; move it into the document itself."),
    "repeated-robots-pi": ("warning", "A robots processing instruction follows another legal one, so it has no effect; remove one of them."),
    "spaced-robots-pi": ("warning", "A robots processing instruction has white space before ?>, which its grammar does not allow. It is obeyed here, but other robots may ignore it; remove the white space."),
    "pi-in-html": ("warning", "A robots processing instruction has no effect in HTML; write META robots instead."),
    "pi-contradicts-meta": ("warning", "The processing instruction and META robots disagree: in XML the instruction holds, in HTML META does; make them say the same."),
    "excluded-text-repeated": ("warning", "Text that robots must not index appears again in the title, the description or JSON-LD; remove it there."),
    "encoding-undeclared": ("info", "The document does not declare its encoding; declare it, best as UTF-8."),
    "encoding-unknown": ("warning", "The declared encoding is not known; declare UTF-8."),
    "encoding-contradicted": ("warning", "The HTTP header and META declare different encodings, and the header holds; make them agree."),
    "encoding-broken": ("warning", "Some bytes are not valid in the encoding; correct the content or the declaration."),
    "not-well-formed": ("error", "The XML is not well-formed, and only what comes before the error was read; correct it."),
    "unsafe-entity": ("warning", "An XML entity was not read, because it is long, has markup, refers to other entities or is defined elsewhere; its text is missing, and an attribute for robots that uses it forbids. Write the text itself."),
    "escaped-html": ("info", "A feed contains HTML that is escaped as text; it was not read, and marks in it have no effect on the feed."),
    "too-large": ("error", "The document is larger than the size limit, and the rest was not read; split it."),
    "too-deep": ("error", "Elements are nested too deep, and the deeper ones were not read; nest them less deep."),
    "too-many-nodes": ("error", "The document has too many nodes, and the rest was not read; split it."),
    "too-many-attributes": ("warning", "A tag has too many attributes, and the rest was not read; remove some."),
    "too-many-parts": ("error", "The document has too many links or runs of text, and the rest was not kept; split it."),
    "unresolved-link": ("info", "The address of a link is not a valid URL; correct it."),
    "link-too-long": ("info", f"The URL of a link is longer than {LONGEST_URL:,} bytes, so it cannot be followed; shorten it."),
    "links-not-resolved": ("error", "The URLs of all links together are longer than four times the document and 1 MiB, and the rest were not resolved; shorten the base URL or the links."),
    "link-to-script": ("warning", "Links lead to scripts (javascript:), which no robot follows; write the URL of a page in HREF."),
    "link-by-script": ("warning", "Elements such as BUTTON lead to a page by a script alone (onclick), which no robot follows; write an A with an HREF."),
    "link-without-href": ("warning", "Elements lead to a page as links do, by another attribute than HREF, such as routerLink or data-href, or on another element than A, such as SPAN with HREF or role=link, and no robot follows them; write an A with an HREF."),
    "link-by-form": ("warning", "Forms without a field lead to a page when their button is pressed, and no robot sends them; write an A with an HREF."),
    "script-redirect": ("info", "A script leads to another address by itself; answer with status 301 or 308 instead."),
    "refresh-redirect": ("info", "META refresh or the header field Refresh leads to another address; answer with status 301 or 308 instead."),
    "structured-data-malformed": ("warning", "JSON-LD is not JSON, so that nobody reads it; correct it."),
    "findings-cut": ("info", f"There are more findings than the first {MOST_FINDINGS:,}; fix these first."),
}  # fmt: skip
"""The severity and the meaning of every code."""

NOT_READ = frozenset({
    "not-well-formed",
    "unsafe-entity",
    "too-large",
    "too-deep",
    "too-many-nodes",
    "too-many-attributes",
    "too-many-parts",
    "links-not-resolved",
})  # fmt: skip
"""The codes of findings after which a part of the document was not read."""


class Findings:
    """The findings on one document, at most 1,000."""

    def __init__(self) -> None:
        """Start with an empty list."""
        self.list: list[Finding] = []
        self.others: dict[str, None] = {}
        """The names of other robots to which directives are addressed, at most 1,000."""

    def add_for_others(self, name: str, message: str, line: int = 0) -> None:
        """Add the finding that a directive is addressed to another robot."""
        if len(self.others) < MOST_FINDINGS:
            self.others[name] = None
        self.add("for-others", message, line)

    @property
    def are_full(self) -> bool:
        """Whether the list is full."""
        return len(self.list) > MOST_FINDINGS

    def add(self, code: str, message: str, line: int = 0) -> None:
        """Add a finding, unless the list is full."""
        if len(self.list) >= MOST_FINDINGS:
            if len(self.list) == MOST_FINDINGS:
                self.list.append(Finding("findings-cut", "info", FINDING_CODES["findings-cut"][1]))
            return
        severity, _ = FINDING_CODES[code]
        self.list.append(Finding(code, severity, message, line=line))

    def include(self, found: "Findings") -> None:
        """Add other findings, and the names of robots to which others are addressed."""
        for name in found.others:
            if len(self.others) < MOST_FINDINGS:
                self.others[name] = None
        for one in found.list:
            self.add(one.code, one.message, one.line)

    def add_of_xml(self, unsafe_entity: str | None, fault: tuple[str, int] | None) -> None:
        """Add the findings on XML syntax.

        Args:
            unsafe_entity: The name of the first entity that was not read.
            fault: The first error of well-formedness, and its line.

        Source: XML 1.0, sections 2.1 and 4.4.

        """
        if unsafe_entity is not None:
            shown = repr(unsafe_entity[:60])
            message = (
                f"the entity {shown} was not read: only short texts that the document itself "
                "declares are; write the text instead"
            )
            self.add("unsafe-entity", message)
        if fault is not None:
            what, line = fault
            message = f"the XML is not well-formed, and the rest was not read: {what}"
            self.add("not-well-formed", message, line)


def finding_codes() -> list[tuple[str, str, str]]:
    """List every code that a finding on a page can have: code, severity, meaning.

    >>> finding_codes()[0][:2]
    ('unknown-directive', 'info')
    """
    return [(code, severity, meaning) for code, (severity, meaning) in FINDING_CODES.items()]
