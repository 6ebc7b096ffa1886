"""One reader for each kind of document, all with one interface."""

import pytest

import goodbot
from goodbot.page.finding_codes import Findings
from goodbot.page.marks import PROFILE_URIS
from goodbot.page.readers.arguments import read_arguments
from goodbot.page.readers.choice import choose_reader
from goodbot.page.readers.html import HtmlReader
from goodbot.page.readers.reader import DocumentReader, Reading
from goodbot.page.readers.text import TextReader
from goodbot.page.readers.xml import XmlReader

URL = "https://example.com/"
READERS = {
    "text/html; charset=utf-8": HtmlReader,
    "application/xhtml+xml": XmlReader,
    "text/xml": XmlReader,
    "text/plain": TextReader,
    "image/png": TextReader,
}


def made(kind: str, body: bytes) -> tuple[DocumentReader, Findings]:
    """Return the reader for a page of this type."""
    findings = Findings()
    given, content = read_arguments(
        URL,
        body,
        findings,
        headers=[("X-Robots-Tag", "noarchive")],
        robot="ExampleBot",
        status=200,
        content_type=kind,
        dialect="google",
        marks=None,
        profile_uris=PROFILE_URIS,
        profile_links=False,
        names_page=None,
        lenient=False,
        vocabulary="aipref-08",
    )
    return choose_reader(given, content, findings), findings


@pytest.mark.parametrize(("kind", "reader"), READERS.items())
def test_a_type_has_a_reader_and_its_reading_is_what_the_page_shows(
    kind: str, reader: type[DocumentReader]
) -> None:
    """Each returns a whole `Reading`, which begins with the statements of the header."""
    body = b"<html xmlns='http://www.w3.org/1999/xhtml'><p>one <a href='/x'>two</a></p></html>"
    found, findings = made(kind, body)
    assert type(found) is reader
    reading = found.read()
    assert isinstance(reading, Reading)
    fields = [("X-Robots-Tag", "noarchive")]
    page = goodbot.Page(URL, body, headers=fields, content_type=kind, robot="ExampleBot")
    assert page.runs == reading.marked.runs
    assert page.links == reading.marked.links
    assert page.statements == reading.decided.said
    assert [one.directive for one in reading.decided.said] == ["noarchive"]
    assert page.findings == findings.list


def test_a_page_is_a_facade() -> None:
    """A page has a reader and a reading; it inherits from neither, nor any reader from another."""
    assert goodbot.Page.__mro__ == (goodbot.Page, object)
    assert all(reader.__mro__ == (reader, object) for reader in READERS.values())


def test_a_copy_is_the_readers() -> None:
    """Of HTML and XML by the plan, of text as it is, of other content none."""
    for kind, copied in [("text/plain", "a"), ("image/png", None), ("application/xml", None)]:
        found, _ = made(kind, b"a")
        plan = found.read().marked.plan.as_dict(URL)
        assert found.copy(plan) == (copied, [])
