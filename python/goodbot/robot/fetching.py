"""One request, under a lease: made, told, recorded, and the lease given back whatever happens."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from goodbot.errors import FetchError
from goodbot.net import HeaderFields, Limits, Response
from goodbot.pace import History, PastVisit, Turn
from goodbot.policy.inquiry import NOT_ASKED
from goodbot.robot.context import RobotContext
from goodbot.robot.events import Failed, Fetched, Purpose
from goodbot.robot.leases import Made
from goodbot.robot.origin_state import OriginState
from goodbot.robot.timeline import Now
from goodbot.robot.visit_log import VisitLog
from goodbot.store import Lease

__all__ = ["fetch"]

NO_STATUS = 0
"""Of a visit that the robot itself broke off; `None` would be the server's failure."""

ACCEPT: dict[Purpose, str] = {
    "page": "text/html, application/xhtml+xml, application/xml;q=0.9, text/*;q=0.8, */*;q=0.1",
    "robots-txt": "text/plain, */*;q=0.1",
}
"""What is read best (RFC 9110 section 12.5.1; Guidelines for Robot Writers, 1993: ask for what you
want)."""

NextTurn = Callable[[History, Now], Turn]


async def fetch(  # noqa: PLR0913  each is documented below
    context: RobotContext,
    state: OriginState,
    lease: Lease,
    url: str,
    *,
    headers: HeaderFields,
    limits: Limits,
    next_turn: NextTurn,
    purpose: Purpose,
    log: VisitLog | None = None,
) -> Response:
    """Make one request, and give the lease back.

    Args:
        context: What to work with.
        state: The state of the URL's origin.
        lease: The lease.
        url: The URL.
        headers: Fields beside those that say who asks.
        limits: How much the fetch may take.
        next_turn: Tells when a lease may be granted next.
        purpose: What it is for.
        log: Where the request is noted, if it was made.

    Raises:
        FetchError: No answer came.
        CancelledError: The task was cancelled; the lease is given back.

    """
    begun = now = context.read()
    made: Made | None = None
    try:
        response = await context.fetch(url, (("Accept", ACCEPT[purpose]), *headers), limits)
        now = context.read()
        made = Made(visit_of(response, url, begun, now))
    except FetchError as error:
        now = context.read()
        visit = PastVisit(start_of(begun, now), now.wall, None, url=url, failure=error.kind)
        made = None if error.kind in NOT_ASKED else Made(visit)
        report(context, failed(visit, error, purpose, begun), log if made else None)
        raise
    except BaseException:
        now = context.read()
        made = Made(PastVisit(start_of(begun, now), now.wall, NO_STATUS), interrupted=True)
        raise
    finally:
        await record(context, state, lease, made, now, next_turn)
    report(context, fetched(url, made.visit, now, response, purpose), log)
    return response


def report(context: RobotContext, event: Fetched | Failed, log: VisitLog | None) -> None:
    """Note a request that was made in the log of its visit, and tell who listens."""
    if log is not None:
        log.requests.append(event)
    context.tell(event)


def failed(visit: PastVisit, error: FetchError, purpose: Purpose, begun: Now) -> Failed:
    """Make the event of a request to which no answer came."""
    return Failed(visit.url, visit.ended, error.kind, purpose, visit.started, begun.steady)


def fetched(url: str, visit: PastVisit, now: Now, response: Response, purpose: Purpose) -> Fetched:
    """Tell of an answer."""
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
    )


def start_of(begun: Now, now: Now) -> datetime:
    """Return when something began, by the time of day as it is now."""
    return now.wall_of(min(begun.steady, now.steady))


def visit_of(response: Response, url: str, begun: Now, now: Now) -> PastVisit:
    """Make a visit of an answer, by the robot's own clock.

    The fetcher may have waited for a free connection: the visit starts when it asked.
    """
    started = start_of(begun, now)
    waited = response.started.astimezone(timezone.utc) - begun.wall
    if timedelta(0) <= waited <= now.wall - started:  # else it has another clock, or that was set
        started += waited
    return PastVisit(
        started,
        now.wall,
        response.status,
        response.field("Retry-After"),
        url,
        bytes=response.wire_bytes,
    )


async def record(  # noqa: PLR0913, PLR0917  what is known of a visit
    context: RobotContext,
    state: OriginState,
    lease: Lease,
    made: Made | None,
    now: Now,
    next_turn: NextTurn,
) -> None:
    """Record a visit that ended now, and give the lease back."""
    if made is None:
        await context.leases.give_back(lease, now)
        return
    try:
        history = state.after(lease.history, made.visit, now, interrupted=made.interrupted)
        turn = next_turn(history, now)
    except BaseException:  # a jitter that is none
        await context.leases.give_back(lease, now)
        raise
    await context.leases.used(lease, now, history, turn)
