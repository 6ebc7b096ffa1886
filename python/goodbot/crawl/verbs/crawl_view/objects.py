"""The events of a crawl as JSON objects.

Each has `event`, a slug; `at`, its time as ISO 8601 in UTC; and the keys that `OBJECTS` adds. URLs
are absolute; seconds and bytes are numbers; unknown values are null. The last one is `ended`, with
the summary. Keys may be added; existing ones keep their names and meanings.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from goodbot.crawl.run.events import (
    Ended,
    FindingsReported,
    SiteAlert,
    Started,
    UrlSettled,
    WaitBegan,
)
from goodbot.robot import Asked, Failed, Fetched, Refused, Remark, VisitDeferred, Waited

__all__ = ["OBJECTS", "object_of"]

Plain = dict[str, Any]


def iso(time: datetime | None) -> str | None:
    """Format a time."""
    return None if time is None else time.isoformat()


def started(event: Started) -> Plain:
    """Return the folder, how many URLs are queued, and how many were removed."""
    plain = {"at": iso(event.at), "folder": event.folder, "waiting": event.waiting}
    return plain | ({"removed": event.removed} if event.removed else {})


def asked(event: Asked) -> Plain:
    """Return what a robots.txt allows: `access` and `reason` are those of its policy."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "access": event.access,
        "reason": event.reason,
        "status": event.status,
        "hops": event.hops,
    }


def waited(event: Waited) -> Plain:
    """Return how long a visit was delayed, and why."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "seconds": event.seconds,
        "reason": event.reason,
    }


def fetched(event: Fetched) -> Plain:
    """Return the response to a request for a page, a sitemap or a robots.txt."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "purpose": event.purpose,
        "status": event.status,
        "bytes": event.bytes,
        "seconds": event.seconds,
        "started": iso(event.started),
    }


def failed(event: Failed) -> Plain:
    """Return a request without a response."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "purpose": event.purpose,
        "kind": event.kind,
        "started": iso(event.started),
    }


def refused(event: Refused) -> Plain:
    """Return a URL that must not be visited, and which line decides."""
    verdict = event.verdict
    return {
        "at": iso(event.at),
        "url": event.url,
        "reason": verdict.reason,
        "source": verdict.source,
        "sentence": str(verdict),
    }


def deferred(event: VisitDeferred) -> Plain:
    """Return a visit that was deferred; `until` is null if it is never allowed."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "until": iso(event.until),
        "reason": event.reason,
    }


def settled(event: UrlSettled) -> Plain:
    """Return the new state of a URL; `state` is a `goodbot.crawl.folder.states.State`."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "origin": event.origin,
        "state": event.state,
        "reason": event.reason,
        "source": event.source,
        "status": event.status,
        "bytes": event.bytes,
        "due": iso(event.due),
    }


def waiting(event: WaitBegan) -> Plain:
    """Return until when the whole crawl waits, and how many URLs are queued."""
    return {"at": iso(event.at), "until": iso(event.until), "queued": event.queued}


def findings(event: FindingsReported) -> Plain:
    """Return the findings on a page, and how many more there are by code."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "origin": event.origin,
        **event.findings.as_dict(),
    }


def alert(event: SiteAlert) -> Plain:
    """Return an alert for the operator; the `text` of a `message` is the site's own."""
    return {"at": iso(event.at), "origin": event.origin, "kind": event.kind, "text": event.text}


def remark(event: Remark) -> Plain:
    """Return a comment of a site for the operator; it has no time."""
    return {"origin": event.origin, "kind": event.kind, "text": event.text}


def ended(event: Ended) -> Plain:
    """Return the summary of the crawl; `ended` is the reason why it ended."""
    return {"at": iso(event.at), **event.summary.as_dict()}


OBJECTS: dict[type, tuple[str, Callable[[Any], Plain]]] = {
    Started: ("started", started),
    Asked: ("asked", asked),
    Waited: ("waited", waited),
    Fetched: ("fetched", fetched),
    Failed: ("failed", failed),
    Refused: ("refused", refused),
    VisitDeferred: ("deferred", deferred),
    UrlSettled: ("settled", settled),
    WaitBegan: ("waiting", waiting),
    FindingsReported: ("findings", findings),
    SiteAlert: ("alert", alert),
    Remark: ("remark", remark),
    Ended: ("ended", ended),
}
"""The slug of each event, and the function that makes its object."""


def object_of(event: object) -> Plain:
    """Return the object of an event.

    >>> object_of(Remark("https://a.example", "comment", "Please write to us."))["event"]
    'remark'
    """
    slug, plain = OBJECTS[type(event)]
    return {"event": slug, **plain(event)}
