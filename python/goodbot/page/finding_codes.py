"""What can be odd about a document: one table of codes."""

from typing import Literal

from goodbot._core import LONGEST_URL, Finding

__all__ = ["FINDING_CODES", "MOST_FINDINGS", "NOT_READ", "Findings", "finding_codes"]

Severity = Literal["info", "warning", "error"]

MOST_FINDINGS = 1_000
"""The most findings that are listed of one document, beside the one that says so."""

FINDING_CODES: dict[str, tuple[Severity, str]] = {
    "unknown-directive": ("info", "A directive that no document has."),
    "misspelt-directive": ("warning", "A directive that no document has, and that resembles one; it has no effect."),
    "doubtful-prefix": ("warning", "A directive stands where X-Robots-Tag has a robot's name; it is heeded as a directive."),
    "for-others": ("info", "Directives that are addressed to another robot."),
    "no-document": ("error", "The octets are not what their type says: nothing in them could be read."),
    "malformed-value": ("warning", "The value of a directive cannot be read; it has no effect."),
    "without-effect": ("info", "A directive that once meant something and does so no more."),
    "conflicting-directives": ("warning", "Directives contradict each other; the dialect says which holds."),
    "meta-without-content": ("warning", "A META element for robots has VALUE in place of CONTENT; it has no effect."),
    "repeated-directive": ("info", "A directive is stated twice in one list."),
    "meta-outside-head": ("warning", "A robots META stands in the body, where this dialect does not look."),
    "space-separated": ("warning", "Directives are divided by spaces, where this dialect wants commas."),
    "conflicting-classes": ("warning", "Classes of one element contradict each other; the one that forbids holds."),
    "classes-without-profile": ("warning", "There are classes of the Robot Exclusion Profile, and the HEAD does not name it."),
    "misspelt-class": ("warning", "A class resembles one of the Robot Exclusion Profile, and is none; it has no effect."),
    "undeclared-robot": ("warning", "A class names a robot by a number that nobody declares; it has no effect."),
    "listed-robots": ("warning", "One META gives a number to a list of robots; its classes that forbid hold for each of them, those that allow for nobody."),
    "names-not-read": ("warning", "Classes name robots by numbers whose names stand on another page, which was not read or names nobody; those that forbid hold for every robot."),
    "illegal-robots-pi": ("error", "A robots processing instruction is not one of the four legal forms; it has no effect."),
    "late-robots-pi": ("warning", "The robots processing instruction stands behind the beginning of the content."),
    "repeated-robots-pi": ("warning", "There is another robots processing instruction behind a legal one; the legal one holds."),
    "spaced-robots-pi": ("warning", "A robots processing instruction has white space before ?>, which its grammar lacks; it is heeded, and other robots may pass over it."),
    "pi-in-html": ("warning", "There is a robots processing instruction in HTML, where it has no effect, and no META robots."),
    "pi-contradicts-meta": ("warning", "The processing instruction and the META disagree; the parser in use decides."),
    "excluded-text-repeated": ("warning", "Text that is not to be indexed stands again in title, description or JSON-LD."),
    "encoding-undeclared": ("info", "Nobody declares the encoding."),
    "encoding-unknown": ("warning", "The declared encoding is none that is known."),
    "encoding-contradicted": ("warning", "Header and META declare different encodings; the header holds."),
    "encoding-broken": ("warning", "Some octets are no characters of the encoding."),
    "not-well-formed": ("error", "The XML is not well-formed; what stands before the error was read."),
    "unsafe-entity": ("warning", "An entity of XML is not read, as it is long, has markup, is made of others or stands elsewhere; there is a gap in its place, and an attribute that speaks to robots forbids."),
    "escaped-html": ("info", "A feed has HTML that is written as text; it is not read, as the marks in it are no marks of the feed."),
    "too-large": ("error", "The document is over the size limit; the rest was not read."),
    "too-deep": ("error", "Elements are nested too deep; what stands deeper is left out."),
    "too-many-nodes": ("error", "The document has too many nodes; the rest was not read."),
    "too-many-attributes": ("warning", "A tag has too many attributes; the rest was not read."),
    "too-many-parts": ("error", "There are more links or runs of text than are kept."),
    "unresolved-link": ("info", "The address of a link cannot be resolved."),
    "link-too-long": ("info", f"The URL of a link is over {LONGEST_URL:,} bytes long; it is not resolved, and cannot be followed."),
    "links-not-resolved": ("error", "The URLs of the links would take over four times the size of the document and 1 MiB; the rest were not resolved."),
    "findings-cut": ("info", f"Only the first {MOST_FINDINGS:,} findings are listed."),
}  # fmt: skip
"""Every code: how much it matters, and what it means."""

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
"""The codes that say that something in the document was not read."""


class Findings:
    """Findings as they are made, at most 1,000."""

    def __init__(self) -> None:
        """Begin without any."""
        self.list: list[Finding] = []

    @property
    def are_full(self) -> bool:
        """Whether no more are listed."""
        return len(self.list) > MOST_FINDINGS

    def add(self, code: str, message: str, line: int = 0) -> None:
        """Add one."""
        if len(self.list) >= MOST_FINDINGS:
            if len(self.list) == MOST_FINDINGS:
                self.list.append(Finding("findings-cut", "info", FINDING_CODES["findings-cut"][1]))
            return
        severity, _ = FINDING_CODES[code]
        self.list.append(Finding(code, severity, message, line=line))

    def add_of_xml(self, unsafe_entity: str | None, fault: tuple[str, int] | None) -> None:
        """Add what is wrong with a document of XML.

        Args:
            unsafe_entity: The name of the first entity that is not read.
            fault: What is not well-formed, and its line.

        Source: XML 1.0, sections 2.1 and 4.4.

        """
        if unsafe_entity is not None:
            shown = repr(unsafe_entity[:60])
            message = (
                f"the entity {shown} is not read: only short texts are that the document declares"
            )
            self.add("unsafe-entity", message)
        if fault is not None:
            what, line = fault
            self.add("not-well-formed", f"the XML is not well-formed: {what}", line)


def finding_codes() -> list[tuple[str, str, str]]:
    """List every code that a finding of a page can have: code, severity, meaning.

    >>> finding_codes()[0]
    ('unknown-directive', 'info', 'A directive that no document has.')
    """
    return [(code, severity, meaning) for code, (severity, meaning) in FINDING_CODES.items()]
