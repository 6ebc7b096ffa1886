"""One request under a lease: made, reported and recorded, and the lease always given back."""

from collections.abc import Callable
from datetime import datetime

from goodbot.errors import FetchError
from goodbot.net import HeaderFields, Limits, Response
from goodbot.pace import History, PastVisit, Turn
from goodbot.policy.inquiry import NOT_ASKED
from goodbot.robot.context import RobotContext
from goodbot.robot.events import Failed, Fetched, Purpose
from goodbot.robot.leases import Made, due_of
from goodbot.robot.origin_state import OriginState
from goodbot.robot.timeline import NOTHING, UTC, Now
from goodbot.robot.visit_log import VisitLog
from goodbot.signatures.signing import SignatureDemand
from goodbot.store import Lease

__all__ = ["CANCELLED", "fetch", "record"]

CANCELLED = "cancelled"
"""The failure of a request that the robot cancelled, one of `goodbot.net.FAILURES`."""

NO_STATUS = 0
"""The status of a visit that the robot cancelled; `None` would be a failure of the server."""

ACCEPT: dict[Purpose, tuple[str, str]] = {
    "page": (
        "Accept",
        "text/html, application/xhtml+xml, application/xml;q=0.9, text/*;q=0.8, */*;q=0.1",
    ),
    "robots-txt": ("Accept", "text/plain, */*;q=0.1"),
}
"""The preferred types (RFC 9110 section 12.5.1; Guidelines for Robot Writers, 1993: ask for what
you want)."""

NextTurn = Callable[[History, Now], Turn]


async def fetch(
    context: RobotContext,
    state: OriginState,
    lease: Lease,
    url: str,
    *,
    begun: Now,
    headers: HeaderFields,
    limits: Limits,
    next_turn: NextTurn,
    purpose: Purpose,
    log: VisitLog | None = None,
    demand: SignatureDemand | None = None,
) -> Response:
    """Make one request, and give the lease back.

    Args:
        context: The context of the robot.
        state: The state of the URL's origin.
        lease: The lease.
        url: The URL.
        begun: The time, by which the request begins.
        headers: Header fields in addition to those that identify the robot.
        limits: The limits of the fetch.
        next_turn: Returns the time at which a lease may be granted next.
        purpose: The purpose of the request.
        log: The record to which the request is added, if it was made.
        demand: The signature that the site asks for.

    Raises:
        FetchError: There was no response.
        CancelledError: The task was cancelled; the lease was given back.

    """
    now = begun
    made: Made | None = None
    try:
        response = await context.fetch(url, (ACCEPT[purpose], *headers), limits, demand)
        now = context.read()
        made = Made(visit_of(response, url, begun, now))
    except FetchError as error:
        now = context.read()
        visit = PastVisit(start_of(begun, now), now.wall, None, url=url, failure=error.kind)
        made = None if error.kind in NOT_ASKED else Made(visit)
        report(context, failed(visit, error.kind, purpose, begun), log if made else None)
        raise
    except BaseException:
        now = context.read()
        visit = PastVisit(start_of(begun, now), now.wall, NO_STATUS, url=url)
        made = Made(visit, interrupted=True)
        # The site may have received it.
        report(context, failed(visit, CANCELLED, purpose, begun), log)
        raise
    else:
        # Before the lease is given back: the task may be cancelled while it waits for the store.
        signed_by = None if context.signing is None else context.signing.signer.key.thumbprint
        report(context, fetched(url, made.visit, now, response, purpose, signed_by), log)
    finally:
        await record(context, state, lease, made, now, next_turn)
    return response


def report(context: RobotContext, event: Fetched | Failed, log: VisitLog | None) -> None:
    """Add a request to the log of its visit, and report it to `on_event`."""
    if log is not None:
        log.requests.append(event)
    context.tell(event)


def failed(visit: PastVisit, kind: str, purpose: Purpose, begun: Now) -> Failed:
    """Return the event of a request without a response."""
    return Failed(visit.url, visit.ended, kind, purpose, visit.started, begun.steady)


def fetched(
    url: str,
    visit: PastVisit,
    now: Now,
    response: Response,
    purpose: Purpose,
    signed_by: str | None,
) -> Fetched:
    """Return the event of a request with a response; see `Fetched` about `signed_by`."""
    return Fetched(
        url,
        visit.ended,
        response.status,
        response.wire_bytes,
        response.elapsed,
        purpose,
        visit.started,
        response,
        now.steady_of(visit.started),
        signed_by,
    )


def start_of(begun: Now, now: Now) -> datetime:
    """Return the start of something, by the clock as it is set now."""
    return now.wall_of(min(begun.steady, now.steady))


def visit_of(response: Response, url: str, begun: Now, now: Now) -> PastVisit:
    """Return the past visit of a response, by the robot's own clock.

    The fetcher may have waited for a free connection: the visit starts when the request was sent.
    """
    started, sent = start_of(begun, now), response.started
    waited = (sent if sent.tzinfo is UTC else sent.astimezone(UTC)) - begun.wall
    if (
        NOTHING <= waited <= now.wall - started
    ):  # otherwise the fetcher's clock is another one, or was set
        started += waited
    return PastVisit(
        started,
        now.wall,
        response.status,
        response.field("Retry-After"),
        url,
        bytes=response.wire_bytes,
    )


async def record(
    context: RobotContext,
    state: OriginState,
    lease: Lease,
    made: Made | None,
    now: Now,
    next_turn: NextTurn,
) -> None:
    """Record a visit that ended now, and give its lease back."""
    leases = context.leases
    if made is None:
        await leases.give_back(lease, now)
        return
    try:
        history = state.after(lease.history, made.visit, now, interrupted=made.interrupted)
        turn = next_turn(history, now)
    except BaseException:  # such as a jitter that is not a number
        await leases.give_back(lease, now)
        raise
    due = due_of(turn, now)
    if not leases.release_at_once(lease, now, due, turn.reason, history):
        await leases.release(lease, now, due, turn.reason, history)
