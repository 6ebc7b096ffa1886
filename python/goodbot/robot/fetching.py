"""One request, under a lease: made, told, recorded, and the lease given back whatever happens."""

from collections.abc import Callable
from datetime import datetime, timezone

from goodbot.errors import FetchError
from goodbot.net import HeaderFields, Limits, Response
from goodbot.pace import History, Turn, Visit
from goodbot.policy.inquiry import NOT_ASKED
from goodbot.robot.door import Door
from goodbot.robot.events import Failed, Fetched, Purpose
from goodbot.robot.leases import Made
from goodbot.robot.means import Means
from goodbot.store import Lease

__all__ = ["fetch"]

NO_STATUS = 0
"""Of a visit that the robot itself broke off; `None` would be the server's failure."""

NextTurn = Callable[[History, datetime], Turn]


async def fetch(  # noqa: PLR0913  each is documented below
    means: Means,
    door: Door,
    lease: Lease,
    url: str,
    *,
    headers: HeaderFields,
    limits: Limits,
    next_turn: NextTurn,
    purpose: Purpose,
) -> Response:
    """Make one request, and give the lease back.

    Args:
        means: What to work with.
        door: The origin of the URL.
        lease: The lease.
        url: The URL.
        headers: Fields beside those that say who asks.
        limits: How much the fetch may take.
        next_turn: Tells when a lease may be granted next.
        purpose: What it is for.

    Raises:
        FetchError: No answer came.
        CancelledError: The task was cancelled; the lease is given back.

    """
    started = means.now()
    made: Made | None = None
    try:
        fields = (*means.identity.headers, *headers)
        response = await means.fetcher.fetch(url, headers=fields, limits=limits)
        made = Made(visit_of(response, url, started, means.now()))
    except FetchError as error:
        ended = max(started, means.now())
        if error.kind not in NOT_ASKED:
            made = Made(Visit(started, ended, None, url=url, failure=error.kind))
        means.tell(Failed(url, ended, error.kind, purpose, started))
        raise
    except BaseException:
        made = Made(Visit(started, max(started, means.now()), NO_STATUS), interrupted=True)
        raise
    finally:
        await record(means, door, lease, made, next_turn)
    means.tell(fetched(url, made.visit, response, purpose))
    return response


def fetched(url: str, visit: Visit, response: Response, purpose: Purpose) -> Fetched:
    """Tell of an answer."""
    return Fetched(
        url,
        visit.ended,
        response.status,
        response.wire_octets,
        response.elapsed,
        purpose,
        visit.started,
        response,
    )


def visit_of(response: Response, url: str, started: datetime, ended: datetime) -> Visit:
    """Make a visit of an answer, by the robot's own clock.

    The fetcher may have waited for a free connection: the visit starts when it asked.
    """
    ended = max(started, ended)
    asked = response.started.astimezone(timezone.utc)
    if not started <= asked <= ended:  # it has another clock
        asked = started
    return Visit(asked, ended, response.status, response.field("Retry-After"), url)


async def record(
    means: Means, door: Door, lease: Lease, made: Made | None, next_turn: NextTurn
) -> None:
    """Record a visit, and give the lease back."""
    if made is None:
        await means.leases.give_back(lease, means.now())
        return
    try:
        history = door.after(lease.history, made.visit, interrupted=made.interrupted)
        turn = next_turn(history, made.visit.ended)
    except BaseException:  # a jitter that is none
        await means.leases.give_back(lease, made.visit.ended)
        raise
    await means.leases.used(lease, made, history, turn)
