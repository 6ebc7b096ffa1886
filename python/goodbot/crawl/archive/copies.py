"""Decide what the archive may keep of a response.

Scope: the decision, from the response and its page. No file or table is used, so that it can be
made in a thread.

| what the page says | what is kept |
|---|---|
| it allows a copy | the response as received |
| some parts must not be kept | a copy without them, and a list of the cuts |
| some of it could not be parsed | the same: the part that was not parsed is not kept |
| no copy may be kept, or not any more | nothing, and earlier copies are deleted |

Source: Google, robots meta tag (noarchive, unavailable_after); Robot Exclusion Profile.
"""

import json
import re
from datetime import datetime
from typing import Any, Literal

from goodbot.http.fields import field_lines
from goodbot.http.status import answer_status
from goodbot.http.validators import Validators
from goodbot.lazy_dataclass import dataclass
from goodbot.net.fetcher import Response
from goodbot.page import Copy, Page
from goodbot.page.finding_codes import NOT_READ
from goodbot.robot.revisit import revisit_validators

__all__ = ["DOUBTFUL", "CopyToKeep", "PartialCopy", "copy_to_keep", "partial_copy"]

DOUBTFUL = NOT_READ | {"findings-cut"}
"""Findings with which a page is not kept as received: if not all of it was read, or not all
findings are listed, a statement that forbids a copy may have been missed."""

TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")
"""RFC 6838 section 4.2."""


@dataclass(frozen=True, slots=True)
class PartialCopy:
    """A copy without the parts that must not be kept."""

    content: bytes
    """The bytes of the copy."""
    content_type: str
    """The type of the copy."""
    metadata: dict[str, Any]
    """A description of the original and of the cuts, as plain values."""


@dataclass(frozen=True, slots=True)
class CopyToKeep:
    """What is to be kept of one response."""

    url: str
    """The URL of the response and of its record."""
    response: Response
    """The response; with `Limits.keep_wire`, including its bytes as received."""
    until: datetime | None
    """When to stop showing it (`unavailable_after`); `None`: never."""
    reason: str
    """The slug of the reason why it may be kept."""
    source: str
    """The statement that decided."""
    parts: PartialCopy | None = None
    """The copy to keep in place of the response; `None` if all of it may be kept."""
    validators: Validators | None = None
    """The validators for a conditional request; `None` if the copy would not suffice to evaluate
    the page again."""
    not_modified: Response | None = None
    """The 304 that confirmed `response`, if it was kept before."""


def copy_to_keep(
    url: str,
    response: Response,
    page: Page,
    at: datetime,
    *,
    copy: Copy | None,
    not_modified: Response | None = None,
) -> CopyToKeep | Literal["forget"] | None:
    """Decide what to keep of a response.

    Args:
        url: The URL of the response.
        response: The response.
        page: The response as a page, which says what may be kept.
        at: The current time; an aware `datetime`.
        copy: The result of `partial_copy` for the page.
        not_modified: The 304 that confirmed `response`, if there was one.

    Returns:
        What to keep; `"forget"` if nothing may be kept, neither of this response nor of earlier
        ones; `None` if the response says nothing about the page, so that earlier copies stay.

    """
    row = answer_status(response.status, field_lines(response.headers), len(response.body))
    until, archive = page.limits.unavailable_after, page.archive
    is_expired = until is not None and at >= until
    if not row.is_success or not archive.allowed or is_expired:
        return "forget" if row.speaks_of_page else None
    parts = None if copy is None else parts_of(response, page, copy)
    return CopyToKeep(
        url,
        response,
        until,
        archive.reason,
        archive.source,
        parts,
        # A page is evaluated by all of its content, and by the page of names that it points to.
        revisit_validators(response) if parts is None and page.names_url is None else None,
        not_modified,
    )


def partial_copy(page: Page) -> Copy | None:
    """Return the copy to keep in place of a response; `None` if all of the response may be kept."""
    not_read = not DOUBTFUL.isdisjoint([finding.code for finding in page.findings])
    if not not_read and (page.is_uniform or not page.may_have_cuts):
        return None
    copy = page.archive_copy()
    # Only text has such a copy; an image, for example, is kept as it is or not at all.
    return copy if copy.html is not None and (copy.cuts or not_read) else None


def parts_of(response: Response, page: Page, copy: Copy) -> PartialCopy:
    """Return a partial copy with the description of its cuts."""
    kind = page.content_type if TYPE.fullmatch(page.content_type) else "application/xml"
    # The byte order mark of utf-8-sig overrides what the document declares (HTML 13.2.3.2).
    content = (copy.html or "").encode("utf-8-sig", "replace")
    return PartialCopy(content, f"{kind}; charset=utf-8", described(response, page, copy))


def described(response: Response, page: Page, copy: Copy) -> dict[str, Any]:
    """Return a description of the original of a copy, and of its cuts."""
    not_read = [str(finding) for finding in page.findings if finding.code in DOUBTFUL]
    description = {
        "status": response.status,
        "headers": [list(field) for field in response.headers],
        "encoding": page.encoding,
        "verdict": page.archive.as_dict(),
        "cuts": [
            {"line": cut.line, "octets": cut.bytes, "source": cut.verdict.source}
            for cut in copy.cuts
        ],
        "not_read": not_read,
    }
    # As it will be read back: another client's header fields may contain lone surrogates.
    return dict(json.loads(json.dumps(description)))
