"""What a crawl tells, as JSON: an object for each event.

Each has `event`, a slug; `at`, when it was, as ISO 8601 in UTC; and what `OBJECTS` adds. URLs are
absolute; seconds and bytes are numbers; what is not known is null. The last one is `ended`, with
the summary. Fields may be added; none of these goes away or changes its meaning.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from goodbot.crawl.run.events import Ended, FindingsReported, SiteAlert, Started, UrlSettled
from goodbot.robot import Asked, Failed, Fetched, Refused, Remark, VisitDeferred, Waited

__all__ = ["OBJECTS", "object_of"]

Plain = dict[str, Any]


def iso(time: datetime | None) -> str | None:
    """Write a time."""
    return None if time is None else time.isoformat()


def started(event: Started) -> Plain:
    """Report where it goes on, how many URLs wait, and how many were removed."""
    plain = {"at": iso(event.at), "folder": event.folder, "waiting": event.waiting}
    return plain | ({"removed": event.removed} if event.removed else {})


def asked(event: Asked) -> Plain:
    """Tell what a robots.txt comes to: `access` and `reason` are those of a policy."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "access": event.access,
        "reason": event.reason,
        "status": event.status,
        "hops": event.hops,
    }


def waited(event: Waited) -> Plain:
    """Tell how long a visit waited for its turn, and why."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "seconds": event.seconds,
        "reason": event.reason,
    }


def fetched(event: Fetched) -> Plain:
    """Tell of an answer to a request for a page, a sitemap or a robots.txt."""
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
    """Tell of a request to which no answer came."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "purpose": event.purpose,
        "kind": event.kind,
        "started": iso(event.started),
    }


def refused(event: Refused) -> Plain:
    """Tell of a URL that may not be visited, and who says so."""
    verdict = event.verdict
    return {
        "at": iso(event.at),
        "url": event.url,
        "reason": verdict.reason,
        "source": verdict.source,
        "sentence": str(verdict),
    }


def deferred(event: VisitDeferred) -> Plain:
    """Tell of a visit whose turn has not come; `until` is null if it never comes."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "until": iso(event.until),
        "reason": event.reason,
    }


def settled(event: UrlSettled) -> Plain:
    """Return what has become of a URL; `state` is a `goodbot.crawl.folder.states.State`."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "origin": event.origin,
        "state": event.state,
        "reason": event.reason,
        "source": event.source,
        "status": event.status,
        "bytes": event.bytes,
    }


def findings(event: FindingsReported) -> Plain:
    """Return what is odd about a page: `findings`, and how many more there are by code."""
    return {
        "at": iso(event.at),
        "url": event.url,
        "origin": event.origin,
        **event.findings.as_dict(),
    }


def alert(event: SiteAlert) -> Plain:
    """Return what the operator should look at; `text` of a `message` is the site's own."""
    return {"at": iso(event.at), "origin": event.origin, "kind": event.kind, "text": event.text}


def remark(event: Remark) -> Plain:
    """Tell what a site has to say to the robot's operator; it has no time."""
    return {"origin": event.origin, "kind": event.kind, "text": event.text}


def ended(event: Ended) -> Plain:
    """Tell what the crawl came to; `ended` says why it ended."""
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
    FindingsReported: ("findings", findings),
    SiteAlert: ("alert", alert),
    Remark: ("remark", remark),
    Ended: ("ended", ended),
}
"""The slug of each event, and what makes an object of it."""


def object_of(event: object) -> Plain:
    """Make an object of an event.

    >>> object_of(Remark("https://a.example", "comment", "Please write to us."))["event"]
    'remark'
    """
    slug, plain = OBJECTS[type(event)]
    return {"event": slug, **plain(event)}
