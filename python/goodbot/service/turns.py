"""Turns for workers in other languages: each has a number, ends with what came, or expires.

Scope: which turns are out, within bounds, and their JSON. `goodbot.robot.turn_lending` lends them.
"""

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from goodbot.errors import Deferred, Disallowed
from goodbot.http.instants import written
from goodbot.net.failures import FAILURES
from goodbot.pace import Turn
from goodbot.robot.turn_lending import LentTurn, TurnLender
from goodbot.service.asking import Asker
from goodbot.service.problems import BUSY, INVALID, UNKNOWN_TURN, ServiceProblem
from goodbot.service.questions import check_names, take, wait_of
from goodbot.service.standing import plain_verdict

__all__ = ["LEASE_SECONDS", "MOST_TURNS", "Turns"]

LEASE_SECONDS = 120.0
"""The most seconds from a turn to its end; then the site counts as visited all that time."""
REMEMBERED = timedelta(minutes=10)
"""How long a turn is remembered after its lease: a late end still tells of Retry-After."""
MOST_TURNS = 20_000
"""How many turns may be out at the same time."""
RANDOM_BYTES = 18
MOST_SECONDS = 86_400.0
MOST_SIZE = 2**53
LONGEST_FIELD = 256
"""The most characters of a Retry-After."""

ASKED: dict[str, type | tuple[type, ...]] = {"url": str, "robot": str, "wait": (int, float)}
ENDED: dict[str, type | tuple[type, ...]] = {
    "status": int,
    "retry_after": str,
    "seconds": (int, float),
    "bytes": int,
    "failure": str,
    "unused": bool,
}


class Turns:
    """The turns that are out.

    Args:
        lender: What lends them.
        asker: What reckons next visits, which change with each turn.

    """

    def __init__(self, lender: TurnLender, asker: Asker) -> None:
        """Start with none."""
        self._lender = lender
        self._asker = asker
        self._out: dict[str, LentTurn] = {}
        self._random = b""

    def __len__(self) -> int:
        """Return how many are out."""
        return len(self._out)

    async def begin(self, given: Mapping[str, Any], robot: str) -> tuple[str, dict[str, Any]]:
        """Lend a turn, or say when to ask again.

        Args:
            given: The content of the request.
            robot: The robot if it names none.

        Returns:
            The number of the turn, empty if there is none, and the answer.

        Raises:
            NoOriginError: The URL has no origin.
            RobotNameError: The robot's name is none.
            ServiceProblem: The request is invalid, or too many turns are out.
            StoreError: The store cannot be read or written.

        """
        take(given, ASKED)
        url, name, wait = given.get("url", ""), given.get("robot", robot), wait_of(given, 0.0)
        if not url:
            raise ServiceProblem(INVALID, "'url' is missing; write the URL that is to be fetched.")
        check_names([name])
        if len(self._out) >= MOST_TURNS:
            self._forget(self._lender.now())
        if len(self._out) >= MOST_TURNS:
            detail = f"{MOST_TURNS:,} turns are out; end some, or wait until they expire."
            raise ServiceProblem(BUSY, detail, ((b"retry-after", b"10"),))
        try:
            lent = await self._lender.lend(url, name, wait)
        except Disallowed as error:
            verdict = plain_verdict(error.verdict, name, None)
            return "", {"turn": "refused", "url": url, **verdict, "sentence": str(error.verdict)}
        except Deferred as error:
            return "", later(url, name, error)
        self._forget(lent.granted)
        number = self._number()
        self._out[number] = lent
        self._asker.forget(lent.state.origin)
        return number, {
            "turn": "granted",
            "id": number,
            "url": url,
            "send": lent.url,
            "robot": name,
            "granted": written(lent.granted),
            "lease_until": written(lent.expires),
            "waited_for": lent.waited_for or None,
            "reason": lent.verdict.reason,
            "source": lent.verdict.source,
            "until": written(lent.verdict.until),
        }

    async def end(self, number: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """End a turn, with its result; return when the site may be visited next.

        Raises:
            ServiceProblem: The request is invalid, or there is no such turn.
            StoreError: The store cannot be written; the turn is still out.

        """
        take({key: value for key, value in given.items() if value is not None}, ENDED)
        check_end(given)
        lent = self._out.pop(number, None)
        if lent is None:
            raise ServiceProblem(UNKNOWN_TURN)
        try:
            turn = await self._ended(lent, given)
        except Exception:
            self._out[number] = lent
            raise
        return {"turn": "ended", "id": number, "next_visit": turn.as_dict()}

    async def _ended(self, lent: LentTurn, given: Mapping[str, Any]) -> Turn:
        """Release the lease."""
        try:
            if given.get("unused"):
                return await self._lender.give_back(lent)
            return await self._lender.end(
                lent,
                status=None if given.get("status") is None else int(given["status"]),
                retry_after=given.get("retry_after"),
                seconds=given.get("seconds"),
                size=int(given.get("bytes") or 0),
                failure=given.get("failure") or "",
            )
        finally:
            self._asker.forget(lent.state.origin)

    async def give_back(self, begun: tuple[str, dict[str, Any]]) -> None:
        """Release a turn whose client left before it heard of it."""
        lent = self._out.pop(begun[0], None)
        if lent is not None:
            await self._ended(lent, {"unused": True})

    def _number(self) -> str:
        """Return a number that nobody can guess; random bytes are read from the system in stock."""
        if not self._random:
            self._random = secrets.token_bytes(RANDOM_BYTES * 64)
        taken, self._random = self._random[:RANDOM_BYTES], self._random[RANDOM_BYTES:]
        return urlsafe_b64encode(taken).decode()

    def _forget(self, now: datetime) -> None:
        """Forget the turns that expired some time ago; they are in the order of their grants."""
        while self._out:
            number, first = next(iter(self._out.items()))
            if first.expires + REMEMBERED > now:
                return
            del self._out[number]


def later(url: str, robot: str, error: Deferred) -> dict[str, Any]:
    """Return that a turn comes later, and why."""
    return {
        "turn": "later",
        "url": url,
        "robot": robot,
        "not_before": written(error.until),
        "reason": error.reason,
        "sentence": str(error),
    }


def check_end(given: Mapping[str, Any]) -> None:
    """Check the result of a turn.

    Raises:
        ServiceProblem: A value is out of bounds, or nothing is said.

    """
    status, failure = given.get("status"), given.get("failure")
    if given.get("unused"):
        if len(given) > 1:
            detail = 'A turn that was not used has no other keys; send {"unused": true} alone.'
            raise ServiceProblem(INVALID, detail)
        return
    if "status" not in given:
        detail = "'status' is missing; write the status of the response, or null if none came."
        raise ServiceProblem(INVALID, detail)
    if status is not None and not 100 <= status <= 999:  # noqa: PLR2004  RFC 9110 section 15
        raise ServiceProblem(INVALID, "'status' must be from 100 to 999, or null if none came.")
    if failure is not None and failure not in FAILURES:
        raise ServiceProblem(INVALID, f"'failure' must be one of {', '.join(FAILURES)}.")
    if len(given.get("retry_after") or "") > LONGEST_FIELD:
        raise ServiceProblem(INVALID, f"'retry_after' has at most {LONGEST_FIELD} characters.")
    for key, most in (("seconds", MOST_SECONDS), ("bytes", MOST_SIZE)):
        if not 0 <= (given.get(key) or 0) <= most:
            raise ServiceProblem(INVALID, f"{key!r} must be from 0 to {most:,.0f}.")
