"""Posting a few bytes to a URL that the user chose, such as that of a time-stamping authority.

Scope: one request by the standard library. No redirect is followed.
"""

import http.client
import urllib.error
import urllib.request
from typing import Any

from goodbot.errors import FetchError, WrongValueError

__all__ = ["post", "post_timestamp_query"]

SECONDS = 30.0
LARGEST = 1024 * 1024
OK = 200


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect."""

    def redirect_request(self, *_given: Any) -> None:  # noqa: ANN401  as in the standard library
        """Return nothing: the redirect is the answer."""


def post(url: str, content: bytes, kind: str, answer_kind: str) -> bytes:
    """Send some bytes, and return the content of the answer.

    Args:
        url: The URL, of http or https.
        content: The bytes.
        kind: Their media type.
        answer_kind: The media type of the answer.

    Raises:
        FetchError: There was no answer, it has another status than 200 or another type, or it is
            larger than a mebibyte.
        WrongValueError: The URL is not one of http or https.

    """
    if not url.lower().startswith(("http://", "https://")):
        message = f"{url[:200]!r} is not a URL; pass one that begins with https:// or http://"
        raise WrongValueError(message)
    fields = {"Content-Type": kind, "Accept": answer_kind, "User-Agent": "goodbot"}
    request = urllib.request.Request(url, content, fields)  # noqa: S310  checked above
    opener = urllib.request.build_opener(NoRedirects(), urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=SECONDS) as answer:
            found: bytes = answer.read(LARGEST + 1)
            told = answer.headers.get_content_type()
            status = answer.status
    except urllib.error.HTTPError as error:
        raise failed(url, "protocol-error", f"the status is {error.code}, not {OK}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise failed(url, "reset", f"no answer came ({error})") from error
    if status != OK or told != answer_kind:
        what = f"the answer has status {status} and type {told}, not {OK} and {answer_kind}"
        raise failed(url, "protocol-error", what)
    if len(found) > LARGEST:
        raise failed(url, "too-large", "the answer is larger than a mebibyte")
    return found


def failed(url: str, kind: str, what: str) -> FetchError:
    """Return the exception for a request that failed."""
    return FetchError(kind, url, f"{url}: {what}", "try again, or use another server")


def post_timestamp_query(url: str, query: bytes) -> bytes:
    """Send a request for a time stamp to an authority, and return its response; see `post`.

    Source: RFC 3161 section 3.4.

    """
    return post(url, query, "application/timestamp-query", "application/timestamp-reply")
