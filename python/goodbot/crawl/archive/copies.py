"""What the archive may keep of an answer.

What may live here: the decision, made of the answer and its page. No file and no table is touched,
so that a thread may make it.

| what the page says | what is kept |
|---|---|
| nothing against a copy | the answer as received |
| some parts may not be kept | the copy without them, and the list of the cuts |
| part of it was not understood | the same: what nobody read is not kept |
| no copy is to be kept, or it asked to be forgotten by now | nothing, and what was kept goes |

Source: Google, robots meta tag (noarchive, unavailable_after); Robot Exclusion Profile.
"""

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from goodbot.http.fields import field_lines
from goodbot.http.status import answer_status
from goodbot.http.validators import Validators
from goodbot.net.fetcher import Response
from goodbot.page import Copy, Page
from goodbot.page.finding_codes import NOT_READ
from goodbot.robot.revisit import revisit_validators

__all__ = ["DOUBTFUL", "CopyToKeep", "PartialCopy", "copy_to_keep", "partial_copy"]

DOUBTFUL = NOT_READ | {"findings-cut"}
"""What must not be found for a page to be kept as received: whoever did not read all of it, or
lists only some findings, may have missed what forbids."""

TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")
"""RFC 6838 section 4.2."""


@dataclass(frozen=True, slots=True)
class PartialCopy:
    """A copy without what may not be kept."""

    content: bytes
    content_type: str
    metadata: dict[str, Any]
    """What it is a copy of, and what is left out; plain values."""


@dataclass(frozen=True, slots=True)
class CopyToKeep:
    """What is to be kept of one answer."""

    url: str
    """The URL that answered, of which the record is."""
    response: Response
    """The answer; with `Limits.keep_wire`, as it came."""
    until: datetime | None
    """From when on it is not to be shown (`unavailable_after`); `None`: for ever."""
    reason: str
    """Why it may be kept, a slug."""
    source: str
    """Who says so."""
    parts: PartialCopy | None = None
    """The copy to keep in place of the answer; `None` if all of it may be kept."""
    validators: Validators | None = None
    """With what to ask for the page again; `None` if what is kept would not suffice to judge it."""
    not_modified: Response | None = None
    """The 304 by which `response` was confirmed, if it was kept before."""


def copy_to_keep(  # noqa: PLR0913  each is documented below
    url: str,
    response: Response,
    page: Page,
    at: datetime,
    *,
    copy: Copy | None,
    not_modified: Response | None = None,
) -> CopyToKeep | Literal["forget"] | None:
    """Decide what to keep of an answer.

    Args:
        url: The URL that answered.
        response: The answer.
        page: The same as a page: it says what may be kept.
        at: When it is now, aware.
        copy: The copy that `partial_copy` makes of the page.
        not_modified: The 304 that confirmed `response`, if there was one.

    Returns:
        What to keep; `"forget"` if nothing may be kept, neither of this answer nor of those before;
        `None` if the answer says nothing of the page, so that what is kept of it stays.

    """
    row = answer_status(response.status, field_lines(response.headers), len(response.body))
    until = page.limits.unavailable_after
    is_expired = until is not None and at >= until
    if not row.is_success or not page.archive or is_expired:
        return "forget" if row.speaks_of_page else None
    parts = None if copy is None else parts_of(response, page, copy)
    return CopyToKeep(
        url,
        response,
        until,
        page.archive.reason,
        page.archive.source,
        parts,
        # A page is judged by all of its content, and by the page of names to which it points.
        revisit_validators(response) if parts is None and page.names_url is None else None,
        not_modified,
    )


def partial_copy(page: Page) -> Copy | None:
    """Make the copy that is to be kept in place of the answer; `None` if all of it may be kept."""
    not_read = any(finding.code in DOUBTFUL for finding in page.findings)
    if not (not_read or page.may_have_cuts):
        return None
    copy = page.archive_copy()
    # What is no text, such as an image, has none: its bytes are the copy.
    return copy if copy.html is not None and (copy.cuts or not_read) else None


def parts_of(response: Response, page: Page, copy: Copy) -> PartialCopy:
    """Write a copy down, and what is left out of it."""
    kind = page.content_type if TYPE.fullmatch(page.content_type) else "application/xml"
    # The mark of utf-8-sig counts before what the document declares (HTML 13.2.3.2).
    content = (copy.html or "").encode("utf-8-sig", "replace")
    return PartialCopy(content, f"{kind}; charset=utf-8", described(response, page, copy))


def described(response: Response, page: Page, copy: Copy) -> dict[str, Any]:
    """Describe what a copy is of, and what is left out of it."""
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
    # As it will be read: a field may have half a pair of surrogates from another client.
    return dict(json.loads(json.dumps(description)))
