"""A policy and its history, as plain values for JSON."""

import hashlib
from datetime import datetime
from typing import Any

from goodbot._core import Finding
from goodbot.live.policy_fetching import SitePolicy
from goodbot.pace import Turn
from goodbot.pace.plain_requests import plain_requests
from goodbot.policy import Policy
from goodbot.store.protocols import StoredPolicy

__all__ = ["plain_policy", "plain_site_policy", "plain_version"]


def plain_policy(policy: Policy, *, came_from: str, now: datetime) -> dict[str, Any]:
    """Return a policy, where it came from and its age in seconds."""
    age = (now - policy.fetched_at).total_seconds()
    return {**policy.as_dict(), "came_from": came_from, "age": age}


def plain_site_policy(
    answer: SitePolicy,
    *,
    came_from: str,
    now: datetime,
    asks_as: str,
    turn: Turn,
    findings: list[Finding] | None = None,
    has_history: bool = True,
) -> dict[str, Any]:
    """Return all that is known of the robots.txt of a site.

    Args:
        answer: What it means for a robot.
        came_from: Where it comes from: `site` if it was requested just now.
        now: The time.
        asks_as: The name under which robots.txt is requested.
        turn: When the robot may visit the site next.
        findings: The findings; by default those of the answer.
        has_history: Whether there is a store with its history.

    """
    rules, file = answer.rules.rules, answer.policy.robots_txt
    content = None if file is None else file.content
    return {
        **plain_policy(answer.policy, came_from=came_from, now=now),
        "sentence": str(answer.policy),
        "asks_as": asks_as,
        "robot": answer.robot,
        "robots_txt": None
        if content is None
        else {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()},
        "asks": None if rules is None else plain_requests(rules),
        "findings": [one.as_dict() for one in (answer.findings if findings is None else findings)],
        "next_visit": turn.as_dict(),
        "history": [plain_version(one) for one in answer.history] if has_history else None,
    }


def plain_version(seen: StoredPolicy) -> dict[str, Any]:
    """Return a robots.txt that a store has seen."""
    record = seen.record
    copy = record.get("copy")
    return {
        "first": seen.first.isoformat(),
        "last": seen.last.isoformat(),
        "access": record.get("access"),
        "reason": record.get("reason"),
        "status": record.get("status"),
        "sha256": seen.sha256,
        "size": None if copy is None else len(copy["body"]),
    }
