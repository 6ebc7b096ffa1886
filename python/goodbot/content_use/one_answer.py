"""`uses`: one answer per use of a page's content. This is the public face of the room."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from goodbot._core import RobotsTxt
from goodbot.bots.page_reading import page_dialect_for
from goodbot.content_use.page_reading import statements_of_page
from goodbot.content_use.rsl_reader import RslLicense, read_license
from goodbot.content_use.sources import Uses, UseSources
from goodbot.content_use.tdm_policy import TdmPolicy, read_tdm_policy
from goodbot.content_use.tdmrep import TdmRep, read_tdmrep
from goodbot.content_use.unknown_words import unknown_words
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.argument_checks import list_of_str
from goodbot.http.fields import scalar
from goodbot.http.instants import checked_time
from goodbot.page import Page
from goodbot.policy import Policy

Parsed = TypeVar("Parsed")

__all__ = ["uses"]


def uses(
    url: str,
    page: Page | None = None,
    *,
    robots_txt: RobotsTxt | Policy | None = None,
    headers: Any = None,  # noqa: ANN401  a mapping or pairs
    tdmrep: TdmRep | bytes | str | None = None,
    licenses: Mapping[str, RslLicense | bytes | str] | None = None,
    tdm_policies: Mapping[str, TdmPolicy | bytes | str] | None = None,
    present: Iterable[str] = (),
    robot: str | None = None,
    now: datetime | None = None,
    vocabulary: str = "aipref-08",
) -> Uses:
    """Return one answer per use of a URL's content; see `goodbot.content_use`.

    Args:
        url: The URL of the content.
        page: The page, as it was read; without a dialect of its own, it is read in that of the
            robot.
        robots_txt: The site's robots.txt, or its policy, which also says when it was unreachable.
        headers: The HTTP header fields, instead of `page`, of content that is no page.
        tdmrep: The content of `/.well-known/tdmrep.json`; empty if the site has none.
        licenses: The licences that are named, by URL; see `goodbot.content_use.read_license`.
        tdm_policies: The TDM policies that reservations name, by URL; see
            `goodbot.content_use.read_tdm_policy`.
        present: Names of files that the site has and that decide nothing, such as `ai.txt`.
        robot: The robot: a product token. By default that of `page`, or `*`, any robot. A known
            robot (`goodbot.bots`) brings its family, its dialects and its exceptions.
        now: The time, for what expires: licences, `unavailable_after`.
        vocabulary: The revision of draft-ietf-aipref-vocab whose labels count.

    Raises:
        WrongTypeError: An argument has the wrong type.
        WrongValueError: Both `page` and `headers` are passed, or `now` has no time zone.
        RobotNameError: `robot` is empty, or a URL.
        UnknownVocabularyError: There is no vocabulary of this name.

    >>> import goodbot
    >>> goodbot.uses("https://example.com/a", headers={"tdm-reservation": "1"}).train.status
    'reserved'

    """
    page = checked_page(url, page, headers, robot, vocabulary)
    url = scalar(url)
    robot = robot or (page.robot if page is not None else "*")
    page = page if page is None or page.has_chosen_dialect else read_for(page, robot)
    if now is not None:
        checked_time(now, "now")
    read = {
        url: as_parsed("licence", url, given, RslLicense, read_license)
        for url, given in (licenses or {}).items()
    }
    said = None if page is None else statements_of_page(page, now)
    rules = tdmrep if isinstance(tdmrep, TdmRep) else read_tdmrep(tdmrep or b"")
    offers = {
        url: as_parsed("TDM policy", url, given, TdmPolicy, read_tdm_policy)
        for url, given in (tdm_policies or {}).items()
    }
    sources = UseSources(
        url,
        robot,
        said,
        robots_txt,
        None if tdmrep is None else rules,
        read,
        now,
        vocabulary,
        families=True,
        tdm_policies=offers,
    )
    answer = sources.answer(list_of_str("present", present))
    return replace(answer, unknown=unknown_words(robots_txt, page, rules))


def checked_page(
    url: str,
    page: Page | None,
    headers: Any,  # noqa: ANN401
    robot: str | None,
    vocabulary: str,
) -> Page | None:
    """Return the page, or one of nothing but header fields."""
    if not isinstance(url, str):
        message = f"url must be a str, not {type(url).__name__}"
        raise WrongTypeError(message)
    if page is not None and not isinstance(page, Page):
        message = f"page must be a goodbot.Page, not {type(page).__name__}"
        raise WrongTypeError(message)
    if headers is None:
        return page
    if page is not None:
        message = "pass page or headers, not both: a page has its header fields"
        raise WrongValueError(message)
    return Page(
        url,
        b"",
        headers=headers,
        robot=robot or "*",
        content_type="text/plain",
        vocabulary=vocabulary,
    )


def read_for(page: Page, robot: str) -> Page:
    """Return a page as a robot reads it, if it was read in another dialect."""
    dialect = page_dialect_for(robot)
    return page if page.dialect.name == dialect else page.read_in(dialect)


def as_parsed(
    name: str,
    url: str,
    given: Parsed | bytes | str,
    kind: type[Parsed],
    parse: Callable[[bytes | str], Parsed],
) -> Parsed:
    """Return a licence or a TDM policy, parsing it if it is not yet."""
    if isinstance(given, kind):
        return given
    if isinstance(given, bytes | bytearray | memoryview | str):
        return parse(given if isinstance(given, str) else bytes(given))
    message = (
        f"the {name} {url[:60]!r} must be bytes, str or {kind.__name__}, not {type(given).__name__}"
    )
    raise WrongTypeError(message)
