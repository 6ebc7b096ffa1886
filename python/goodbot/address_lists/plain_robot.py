"""A known robot, and how old the copies of its lists of addresses are, as plain values."""

from typing import Any

from goodbot.address_lists.list_folder import ListFolder
from goodbot.bots import AddressList, KnownRobot

__all__ = ["plain_copy", "plain_robot"]


def plain_robot(robot: KnownRobot) -> dict[str, Any]:
    """Return a robot, with the age of the copies of its lists."""
    lists = [one.as_dict() | {"copy": plain_copy(one)} for one in robot.addresses]
    return robot.as_dict() | {"addresses": lists}


def plain_copy(published: AddressList) -> dict[str, Any] | None:
    """Return what is in the cache of a list; `None` if nothing is."""
    copy = ListFolder().read(published.url)
    if copy is None:
        return None
    record = copy.as_record()
    return {key: record[key] for key in ("fetched", "confirmed", "created", "refused")} | {
        "prefixes": len(copy.prefixes)
    }
