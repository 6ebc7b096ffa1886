"""Decisions of the operator over HTTP, by the words of the command: block, pause, resume.

Scope: from the content of a request to the robot's own methods.
"""

from collections.abc import Mapping
from typing import Any

from goodbot.policy.holds import scope_of
from goodbot.robot import Robot
from goodbot.service.problems import INVALID, NOT_HELD, ServiceProblem
from goodbot.service.questions import check_texts, take

__all__ = ["add_block", "list_holds", "pause_site", "remove_block", "resume_site"]

TEXT: dict[str, type | tuple[type, ...]] = {"place": str, "why": str, "by": str}


def place_of(given: Mapping[str, Any], *, has_reason: bool) -> str:
    """Return the site or URL that a request is about.

    Raises:
        ServiceProblem: It names none.

    """
    take(given, TEXT if has_reason else {"place": str})
    check_texts(given.values())
    place: str = given.get("place", "")
    if not place:
        detail = "'place' is missing; write a site such as https://example.com, or a URL of it."
        raise ServiceProblem(INVALID, detail)
    return place


async def add_block(robot: Robot, given: Mapping[str, Any]) -> dict[str, Any]:
    """Block a site or a URL; see `Robot.block`."""
    place = place_of(given, has_reason=True)
    if not given.get("why", "").strip():
        detail = "'why' is missing; write the reason, for colleagues and for the evidence."
        raise ServiceProblem(INVALID, detail)
    return (await robot.block(place, given["why"], by=given.get("by", ""))).as_dict()


async def pause_site(robot: Robot, given: Mapping[str, Any]) -> dict[str, Any]:
    """Pause a site; see `Robot.pause`."""
    place = place_of(given, has_reason=True)
    hold = await robot.pause(place, given.get("why", ""), by=given.get("by", ""))
    return hold.as_dict()


async def remove_block(robot: Robot, given: Mapping[str, Any]) -> dict[str, Any]:
    """Remove a block; see `Robot.unblock`.

    Raises:
        ServiceProblem: There is none.

    """
    place = place_of(given, has_reason=False)
    if not await robot.unblock(place):
        raise ServiceProblem(NOT_HELD, f"{scope_of(place)[1]} is not blocked.")
    return {"removed": scope_of(place)[1]}


async def resume_site(robot: Robot, given: Mapping[str, Any]) -> dict[str, Any]:
    """End the pause of a site; see `Robot.resume`.

    Raises:
        ServiceProblem: It is not paused.

    """
    place = place_of(given, has_reason=False)
    if not await robot.resume(place):
        raise ServiceProblem(NOT_HELD, f"{scope_of(place)[1]} is not paused.")
    return {"resumed": scope_of(place)[1]}


async def list_holds(robot: Robot) -> dict[str, Any]:
    """List all decisions."""
    holds = await robot.holds()
    return {"holds": [one.as_dict() for one in holds]}
