"""The arguments of a page: checked, and read as far as the header goes."""

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from goodbot.errors import WrongTypeError
from goodbot.http.fields import Fields, field_lines, name_of, scalar, values_of
from goodbot.page.dialects import PageDialect, page_dialect
from goodbot.page.finding_codes import Findings
from goodbot.page.header import charset_of
from goodbot.page.inputs import (
    checked,
    checked_bytes,
    checked_uris,
    evidently,
    is_xml,
    sniffed,
    type_of,
)
from goodbot.page.robot_names import RobotNames, robot_of
from goodbot.page.verdict import Act, PageVerdict, Source

SIZE_LIMIT = 16 * 1024 * 1024
"""The most bytes of a document that are read."""

HTML_TYPES = {"text/html", "application/x-html", "text/xhtml", "text/x-html"}


class Given(NamedTuple):
    """The arguments of a page, apart from the content of the document."""

    url: str
    status: int
    dialect: PageDialect
    robot: RobotNames
    fields: Fields
    names: frozenset[str]
    """The names of the header fields: most pages have none of those that are looked for."""
    content_type: str
    charset: str | None
    """The encoding that the header declares; UTF-8 if the content is a `str`."""
    byte_count: int | None
    """The number of bytes of the content; `None` for a `str`, whose original encoding is lost."""
    is_not: str | None
    """What the content is, if it is clearly not what its type says; else `None`."""
    marks: frozenset[str]
    profile_uris: tuple[str, ...]
    profile_links: bool
    names_page: bytes | None
    lenient: bool
    vocabulary: str

    def verdict(
        self,
        act: Act,
        allowed: bool,  # noqa: FBT001
        reason: str,
        source: Source | None,
    ) -> PageVerdict:
        """Return a verdict on this document for this robot."""
        robot, dialect = self.robot.given, self.dialect.name
        return PageVerdict(act, allowed, reason, source, robot, self.url, dialect)


def read_arguments(
    url: str,
    body: Any,  # noqa: ANN401  a str or any buffer
    findings: Findings,
    *,
    headers: Any,  # noqa: ANN401  a mapping or pairs
    robot: str,
    status: int,
    content_type: str | None,
    dialect: str | PageDialect,
    marks: Collection[str] | None,
    profile_uris: Iterable[str],
    profile_links: bool,
    names_page: bytes | str | None,
    lenient: bool,
    vocabulary: str,
) -> tuple[Given, bytes]:
    """Check the arguments of a page; return them and the content, cut to the limit.

    Raises:
        GoodbotError: An argument is wrong, as documented for `Page`.

    """
    check_types(url, status, content_type)
    url = scalar(url)
    if type(robot) is type(dialect) is str:
        known_dialect, names = named_reader(robot, dialect)
    else:
        known_dialect = page_dialect(dialect)
        names = robot_of(robot, known_dialect)
    fields = field_lines(headers)
    uris, chosen = checked_uris(profile_uris), checked(marks)
    content = checked_bytes(body, "body")
    length = None if isinstance(body, str) else len(content)
    declared = scalar(content_type or ", ".join(values_of(fields, "content-type")))
    content = cut_to_limit(content, findings)
    kind = type_of(declared) or sniffed(url, content)
    return Given(
        url=url,
        status=status,
        dialect=known_dialect,
        robot=names,
        fields=fields,
        names=frozenset(map(name_of, fields)),
        content_type=kind,
        charset="utf-8" if length is None else charset_of(declared),
        byte_count=length,
        is_not=contradiction(kind, content, findings),
        marks=chosen,
        profile_uris=uris,
        profile_links=profile_links,
        names_page=None if names_page is None else checked_bytes(names_page, "names_page"),
        lenient=lenient,
        vocabulary=vocabulary,
    ), content


@lru_cache(maxsize=256)
def named_reader(robot: str, dialect: str) -> tuple[PageDialect, RobotNames]:
    """Return a dialect and a robot by their names, from a cache: one robot reads many pages.

    Raises:
        GoodbotError: There is no such dialect, or the robot has no name.

    """
    known = page_dialect(dialect)
    return known, robot_of(robot, known)


def check_types(url: object, status: object, content_type: object) -> None:
    """Check the types of the arguments that are used as they are.

    Raises:
        WrongTypeError: One of them has the wrong type.

    """
    if not isinstance(url, str):
        given = type(url).__name__
        message = f"url must be a str such as 'https://example.com/page', not {given}"
        raise WrongTypeError(message)
    if not isinstance(status, int) or not isinstance(content_type, (str, type(None))):
        message = "status must be an int such as 200, and content_type a str such as 'text/html'"
        raise WrongTypeError(message)


def cut_to_limit(content: bytes, findings: Findings) -> bytes:
    """Return the content, cut to the size limit."""
    if len(content) > SIZE_LIMIT:
        message = (
            f"the document has {len(content):,} bytes; only the first {SIZE_LIMIT:,} were read"
        )
        findings.add("too-large", message)
    return content[:SIZE_LIMIT]


def contradiction(kind: str, content: bytes, findings: Findings) -> str | None:
    """Return what the content is, if its type says text but it clearly is not; else `None`."""
    is_text = kind in HTML_TYPES or kind.startswith("text/") or is_xml(kind)
    what = evidently(content) if is_text else None
    if what:
        findings.add("no-document", f"the type is {kind}, but the content is {what}")
    return what
