"""The errors of the service, as problem details that say what to do.

Scope: one table of problems, and their JSON. Source: RFC 9457, Problem Details for HTTP APIs.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = [
    "BUSY",
    "CROSS_ORIGIN",
    "FAILED",
    "INVALID",
    "MEDIA_TYPE",
    "NOT_ALLOWED",
    "NOT_FOUND",
    "NOT_HELD",
    "NOT_JSON",
    "NO_METHOD",
    "NO_STORE",
    "PROBLEMS",
    "TOO_LARGE",
    "UNAUTHORIZED",
    "UNKNOWN_HOST",
    "UNKNOWN_SITE",
    "UNKNOWN_TURN",
    "ProblemRow",
    "ServiceProblem",
    "describe_problem",
]

INVALID = "invalid-request"
UNAUTHORIZED = "unauthorized"
CROSS_ORIGIN = "cross-origin"
NOT_ALLOWED = "not-allowed"
NOT_FOUND = "not-found"
NOT_HELD = "not-held"
NO_METHOD = "method-not-allowed"
TOO_LARGE = "too-large"
NOT_JSON = "unsupported-media-type"
UNKNOWN_HOST = "unknown-host"
UNKNOWN_SITE = "unknown-site"
UNKNOWN_TURN = "unknown-turn"
BUSY = "too-many-requests"
FAILED = "internal-error"
NO_STORE = "store-unavailable"

MEDIA_TYPE = b"application/problem+json"


class ProblemRow(NamedTuple):
    """What all problems of one type have in common."""

    status: int
    title: str
    cure: str


PROBLEMS: dict[str, ProblemRow] = {
    INVALID: ProblemRow(
        400, "The request is not one of this API.", "Change what `detail` names; see /openapi.json."
    ),
    UNAUTHORIZED: ProblemRow(
        401,
        "The token is missing or wrong.",
        "Send it in the field Authorization: Bearer TOKEN.",
    ),
    CROSS_ORIGIN: ProblemRow(
        403,
        "The request comes from a page of another site.",
        "Ask from a program, or from the service's own page.",
    ),
    NOT_ALLOWED: ProblemRow(
        403, "The robot may not fetch the URL.", "Do not fetch it; `detail` says who forbids it."
    ),
    NOT_FOUND: ProblemRow(404, "There is nothing at this path.", "See /openapi.json."),
    UNKNOWN_SITE: ProblemRow(
        404,
        "Nothing is known of the robots.txt of this site, so nothing is allowed.",
        "Send the question by POST, which asks the site; if it defers visits, ask again later.",
    ),
    UNKNOWN_TURN: ProblemRow(
        404,
        "There is no such turn: it was ended, it expired, or the service started again since.",
        "Ask for another turn. The site counts as visited until the old one expires.",
    ),
    NOT_HELD: ProblemRow(
        404,
        "There is no such block or pause.",
        "See /v1/block/list for those that there are.",
    ),
    NO_METHOD: ProblemRow(
        405, "The path has no such method.", "Use a method that the field Allow lists."
    ),
    TOO_LARGE: ProblemRow(413, "The request is too large.", "Divide it into several requests."),
    NOT_JSON: ProblemRow(415, "The content is not JSON.", "Send Content-Type: application/json."),
    UNKNOWN_HOST: ProblemRow(
        421,
        "The service does not go by this host name.",
        "Use the address that the service prints, or start it with --host-name NAME.",
    ),
    BUSY: ProblemRow(
        429,
        "The service has as many requests as it takes on at once.",
        "Repeat the request after the seconds in Retry-After.",
    ),
    FAILED: ProblemRow(
        500, "The service failed.", "Report it, with what its log says at this time."
    ),
    NO_STORE: ProblemRow(
        503,
        "The store cannot be read or written, so nothing is allowed.",
        "Mend what `detail` names, then repeat the request.",
    ),
}
"""The problems by their slug."""


@dataclass(slots=True)
class ServiceProblem(Exception):  # noqa: N818  as RFC 9457 has it
    """A request that is answered with an error."""

    slug: str
    """A key of `PROBLEMS`."""
    detail: str = ""
    """What is wrong with this request."""
    fields: Sequence[tuple[bytes, bytes]] = ()
    """Further fields of the response."""

    @property
    def status(self) -> int:
        """The status of the response."""
        return PROBLEMS[self.slug].status

    def body(self) -> bytes:
        """Return the content of the response."""
        return json.dumps(describe_problem(self.slug, self.detail)).encode()


def describe_problem(slug: str, detail: str = "") -> dict[str, Any]:
    """Return a problem as plain values.

    >>> describe_problem("not-found")["type"]
    '/v1/problems/not-found'
    """
    row = PROBLEMS[slug]
    plain = {"type": f"/v1/problems/{slug}", "title": row.title, "status": row.status}
    return {**plain, "detail": detail or row.title, "cure": row.cure}
