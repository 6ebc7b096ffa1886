"""From the XML of a licence in RSL to what it says, element by element.

Scope: one pass of Expat over a document whose declarations the core has resolved within bounds;
nothing is fetched. A document that does not follow the grammar is unusable, with the reason. A word
that RSL does not define is one unknown word: a finding, and those beside it stand.

Source: RSL 1.0, sections 1.2, 2.2, 3.1 to 3.17.
"""

import re
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any
from xml.parsers import expat

from goodbot._core import Finding, not_known, xml_without_declarations
from goodbot.content_use.file_octets import file_octets
from goodbot.content_use.finding_codes import MOST_FINDINGS, finding
from goodbot.content_use.rsl_grammar import (
    CHILDREN,
    NAMESPACE,
    PAYMENTS,
    TYPES,
    is_defined,
)
from goodbot.display import short_repr
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass
from goodbot.page.encoding import text_of_xml
from goodbot.page.finding_codes import Findings

__all__ = ["MOST_LICENSE_BYTES", "RslContent", "RslLicense", "RslTerms", "read_license"]

MOST_LICENSE_BYTES = 1024 * 1024
"""The most bytes of a licence that are read."""
DEEPEST = 32
MOST_DAYS = 36_500
DEFAULT_DAYS = 30
"""The `max-age` of a licence that states none, in days (section 3.2)."""
MOST_TEXT = 4_096
"""The most characters of the text of one element."""
MOST_ELEMENTS = 50_000
CURRENCY = re.compile(r"[A-Z]{3}")
AMOUNT = re.compile(r"\d{1,12}(\.\d{1,12})?")
NOT_READ = "[…]"
"""What the core writes in place of an entity that it does not resolve: not one word, but any."""
LISTS = frozenset({"permits", "prohibits"})
FREE_TEXT = frozenset({"schema", "accepts"})
"""Elements whose content may be anything: JSON, or XML of others."""


class UnusableError(Exception):
    """The document is not a valid licence; the message says why."""


@dataclass(slots=True)
class Element:
    """An element of RSL that is being read."""

    name: str
    attributes: dict[str, str]
    line: int
    text: list[str] = field(default_factory=list)
    length: int = 0
    children: list["Element"] = field(default_factory=list)

    @property
    def words(self) -> str:
        """Its text, without white space at the ends."""
        return "".join(self.text).strip()

    def named(self, name: str) -> list["Element"]:
        """Return its children of a name."""
        return [one for one in self.children if one.name == name]

    def text_of(self, name: str) -> str | None:
        """Return the text of its first child of a name; `None` if there is none, or no text."""
        return next((one.words for one in self.named(name) if one.words), None)


@dataclass(frozen=True, slots=True, repr=False)
class RslTerms:
    """One `license` element: one set of terms."""

    permits: dict[str, tuple[str, ...]]
    """What is permitted, by type (`usage`, `user`, `geo`, or one that RSL does not define), as
    written; other values of the type are not."""
    prohibits: dict[str, tuple[str, ...]]
    """What is prohibited, by type, as written."""
    payment: str | None
    amount: str | None
    currency: str | None
    standard: str | None
    custom: str | None
    accepts: str | None
    reports: tuple[str, ...]
    """The reports that are required."""
    line: int

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class RslContent:
    """One `content` element: what the terms are about."""

    url: str
    """A path pattern, an absolute URL, or empty for the page that the licence belongs to."""
    server: str | None
    encrypted: bool
    licenses: tuple[RslTerms, ...]
    copyright: str | None
    terms: str | None
    line: int

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class RslLicense:
    """A licence in RSL, as it was read."""

    contents: tuple[RslContent, ...] = ()
    """What it is about, in order."""
    max_age_days: int = DEFAULT_DAYS
    """After how many days it must be fetched again (section 3.2)."""
    fault: str | None = None
    """Why it cannot be used; `None` if it can."""
    findings: tuple[Finding, ...] = ()
    """What is odd about it."""
    fetched: datetime | None = None
    """When it was fetched, if that is known."""

    __repr__ = short_repr

    @property
    def expires(self) -> datetime | None:
        """The time from which it must be fetched again; `None` if it is not known."""
        return self.fetched and self.fetched + timedelta(days=self.max_age_days)


def read_license(content: bytes | str, *, fetched: datetime | None = None) -> RslLicense:
    """Parse a licence in RSL.

    Args:
        content: The document, whatever its Content-Type (section 2.2).
        fetched: When it was fetched, an aware `datetime`: from then on its `max-age` counts.

    >>> from goodbot.content_use import read_license
    >>> rsl = "<rsl xmlns='https://rslstandard.org/rsl'><content url='/'><license>"
    >>> rsl += "<prohibits type='usage'>ai-all</prohibits></license></content></rsl>"
    >>> read_license(rsl).contents[0].licenses[0].prohibits
    {'usage': ('ai-all',)}
    >>> read_license("<html/>").fault
    'the root element is html, not rsl of the namespace https://rslstandard.org/rsl'

    """
    encoded = file_octets(content)
    found: list[Finding] = []
    try:
        root = root_of(encoded)
        check_grammar(root)
        contents = tuple(content_of(one, found) for one in root.named("content"))
        days = days_of(root)
    except UnusableError as error:
        return RslLicense(fault=str(error), fetched=fetched)
    return RslLicense(contents, days, None, tuple(found[:MOST_FINDINGS]), fetched)


def root_of(content: bytes) -> Element:
    """Return the root element, with its children of RSL."""
    if len(content) > MOST_LICENSE_BYTES:
        message = f"it has more than {MOST_LICENSE_BYTES:,} bytes"
        raise UnusableError(message)
    utf8, _encoding = text_of_xml(content, None, Findings())
    reader = Reader()
    try:
        reader.parser.Parse(xml_without_declarations(utf8) or utf8, True)  # noqa: FBT003
    except expat.ExpatError as error:
        message = f"it is not well-formed XML: {shortened(str(error), 80)}"
        raise UnusableError(message) from None
    except LookupError:
        message = "it declares an encoding that is not known"
        raise UnusableError(message) from None
    if reader.root is None:
        message = "it has no root element"
        raise UnusableError(message)
    return reader.root


class Reader:
    """Handlers of Expat that build the elements of RSL and pass over those of other namespaces."""

    def __init__(self) -> None:
        """Start before the root element."""
        self.root: Element | None = None
        self.open: list[Element | None] = []
        self.count = 0
        # The encoding is that of the converted text, whatever the declaration says.
        self.parser: Any = expat.ParserCreate("utf-8", " ")
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        # The core has written out what the document declared; what is left is not ours to resolve.
        self.parser.EntityDeclHandler = self.declared

    def declared(self, *_declaration: object) -> None:
        """Refuse entities that the core has not resolved."""
        message = "it declares entities"
        raise UnusableError(message)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Open an element."""
        namespace, _, local = name.rpartition(" ")
        self.count += 1
        if len(self.open) >= DEEPEST or self.count > MOST_ELEMENTS:
            message = "its elements are nested too deep, or too many"
            raise UnusableError(message)
        if not self.open:
            if (namespace, local) != (NAMESPACE, "rsl"):
                shown = shortened(local, 40)
                message = f"the root element is {shown}, not rsl of the namespace {NAMESPACE}"
                raise UnusableError(message)
            self.root = Element("rsl", attributes, self.parser.CurrentLineNumber)
            self.open.append(self.root)
            return
        parent = self.open[-1]
        if namespace != NAMESPACE or parent is None:
            self.open.append(None)  # of others, with all that is in it
            return
        if parent.name in FREE_TEXT:
            self.open.append(None)
            return
        element = Element(local, attributes, self.parser.CurrentLineNumber)
        parent.children.append(element)
        self.open.append(element)

    def end(self, _name: str) -> None:
        """Close an element."""
        self.open.pop()

    def characters(self, text: str) -> None:
        """Add text to the element that is open."""
        element = self.open[-1] if self.open else None
        if element is None:
            return
        if element.name in LISTS and element.length + len(text) > MOST_TEXT:
            # Cut off, a word could be another one, and what is prohibited could be missing.
            message = f"line {element.line}: {element.name} has more than {MOST_TEXT:,} characters"
            raise UnusableError(message)
        if element.length >= MOST_TEXT:
            return
        element.text.append(text[: MOST_TEXT - element.length])
        element.length += len(text)


def check_grammar(element: Element) -> None:
    """Check an element and all that is in it against the grammar."""
    allowed = CHILDREN[element.name]
    counted: dict[str, int] = {}
    for child in element.children:
        if child.name not in allowed:
            name = shortened(child.name, 40)
            message = f"line {child.line}: {name} is not an element of RSL within {element.name}"
            raise UnusableError(message)
        counted[child.name] = counted.get(child.name, 0) + 1
        check_grammar(child)
    for name, (least, most) in allowed.items():
        if not least <= counted.get(name, 0) <= most:
            message = (
                f"line {element.line}: {element.name} has {counted.get(name, 0)} elements {name}, "
                f"but needs {least} to {most}"
            )
            if most > MOST_ELEMENTS:
                message = f"line {element.line}: {element.name} has no element {name}"
            raise UnusableError(message)


def days_of(root: Element) -> int:
    """Return the `max-age` of a licence in days (section 3.2)."""
    written = root.attributes.get("max-age")
    if written is None:
        return DEFAULT_DAYS
    if not re.fullmatch(r"0*[1-9]\d{0,8}", written.strip()):
        message = f"max-age {shortened(written, 20)!r} is not a positive number of days"
        raise UnusableError(message)
    return min(int(written), MOST_DAYS)


def content_of(element: Element, findings: list[Finding]) -> RslContent:
    """Return one `content` element (section 3.3)."""
    url = element.attributes.get("url")
    if url is None:
        message = f"line {element.line}: content has no url"
        raise UnusableError(message)
    return RslContent(
        url=url.strip(),
        server=element.attributes.get("server", "").strip() or None,
        encrypted=element.attributes.get("encrypted", "").strip().lower() == "true",
        licenses=tuple(terms_of(one, findings) for one in element.named("license")),
        copyright=element.text_of("copyright"),
        terms=element.text_of("terms"),
        line=element.line,
    )


def terms_of(element: Element, findings: list[Finding]) -> RslTerms:
    """Return one `license` element (sections 3.4 to 3.13)."""
    payment = next(iter(element.named("payment")), None)
    kind, amount, currency = payment_of(payment, findings)
    return RslTerms(
        permits=lists_of(element, "permits", findings),
        prohibits=lists_of(element, "prohibits", findings),
        payment=kind,
        amount=amount,
        currency=currency,
        standard=payment.text_of("standard") if payment else None,
        custom=payment.text_of("custom") if payment else None,
        accepts=next((one.attributes.get("type", "") for one in payment.named("accepts")), None)
        if payment
        else None,
        reports=tuple(one.attributes.get("type", "") for one in element.named("reporting")),
        line=element.line,
    )


def payment_of(
    payment: Element | None, findings: list[Finding]
) -> tuple[str | None, str | None, str | None]:
    """Return the type, the amount and the currency of a payment (sections 3.7 and 3.10).

    A type that RSL does not define is still one: the use is not free.
    """
    if payment is None:
        return None, None, None
    kind = payment.attributes.get("type")
    if kind is not None and kind not in PAYMENTS:
        what = "is no type of payment that RSL 1.0 defines; the use needs a licence"
        note_unknown(findings, payment, kind, what)
    kind = "use" if kind == "inference" else kind
    amount = next(iter(payment.named("amount")), None)
    if amount is None:
        return kind, None, None
    currency = amount.attributes.get("currency", "")
    if not AMOUNT.fullmatch(amount.words) or not CURRENCY.fullmatch(currency):
        message = (
            f"line {amount.line}: amount needs a decimal number and a currency of three letters"
        )
        raise UnusableError(message)
    return kind, amount.words, currency


def lists_of(element: Element, name: str, findings: list[Finding]) -> dict[str, tuple[str, ...]]:
    """Return the lists of `permits` or `prohibits`, by type, as written (sections 3.5 and 3.6)."""
    lists: dict[str, tuple[str, ...]] = {}
    for one in element.named(name):
        kind = one.attributes.get("type", "").strip()
        if not kind or kind in lists:
            message = (
                f"line {one.line}: {name} needs one type of {', '.join(TYPES)}, each at most once"
            )
            raise UnusableError(message)
        text = one.words
        if NOT_READ in text:
            message = f"line {one.line}: {name} has an entity that was not read"
            raise UnusableError(message)
        if "," in text:
            message = f"{name} of the licence has commas; RSL 1.0 separates by spaces"
            findings.append(finding("license-list-with-commas", message, one.line))
        words = tuple(text.replace(",", " ").split())
        if kind not in TYPES:
            what = f"is no type of {name} that RSL 1.0 defines; it is a condition of the licence"
            note_unknown(findings, one, kind, what)
        for word in words if kind in TYPES else ():
            if not is_defined(kind, word):
                what = f"is no word of type {kind} that RSL 1.0 defines; {THEN[name]}"
                note_unknown(findings, one, word, what)
        lists[kind] = words
    return lists


THEN = {
    "permits": "it permits nothing, and the other words of the list stand",
    "prohibits": "what it prohibits is unknown, and the other words of the list stand",
}
"""What an unknown word of a list means."""


def note_unknown(findings: list[Finding], element: Element, word: str, what: str) -> None:
    """Add the finding on a word that RSL does not define, unless there are enough."""
    if len(findings) < MOST_FINDINGS:
        message = f"{not_known(f'{shortened(word, 40)!r} of the licence')}: it {what}"
        findings.append(finding("license-unknown-word", message, element.line))
