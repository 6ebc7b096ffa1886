"""What one robot may do at one site at the moment, and its verdicts as JSON.

Scope: rendering. What is the same for many URLs is rendered once: a verdict takes two microseconds.
"""

import json
from collections import Counter
from collections.abc import Mapping
from json.encoder import encode_basestring_ascii as quote
from typing import Any

from goodbot._core import Judge, Verdict
from goodbot.bots.asking import ObeyedRules
from goodbot.http.instants import written
from goodbot.pace import Pace, Turn
from goodbot.policy import Policy

__all__ = ["RobotStanding", "describe", "plain_verdict", "render", "word_of"]

MOST_RENDERED = 1_024
"""How many different grounds of one robot at one site are kept rendered."""


class RobotStanding:
    """One robot at one site, for a second or until its policy is no longer fresh.

    Args:
        robot: The robot as it was asked about.
        judge: What decides.
        rules: What the robot obeys; `None` without a policy.
        policy: The policy of the site; `None` if none is known.
        turn: When the site may be visited next; `None` if that is not known.
        pace: The pace that it keeps there; `None` without a policy.
        until: The time, in seconds of the steady clock, until which this holds.

    """

    __slots__ = ("_rendered", "judge", "pace", "policy", "robot", "rules", "turn", "until")

    def __init__(
        self,
        robot: str,
        judge: Judge,
        rules: ObeyedRules | None,
        policy: Policy | None,
        turn: Turn | None,
        until: float,
        pace: Pace | None = None,
    ) -> None:
        """Start with nothing rendered."""
        self.robot = robot
        self.judge = judge
        self.rules = rules
        self.policy = policy
        self.turn = turn
        self.until = until
        self.pace = pace
        self._rendered: dict[tuple[bool, str, str], tuple[str, str]] = {}

    def render(self, url: str, counts: Counter[str]) -> str:
        """Return the verdict on a URL as JSON, and count its word."""
        verdict = self.judge.verdict(url)
        key = (verdict.allowed, verdict.reason, verdict.source)
        found = self._rendered.get(key)
        if found is None:
            found = describe(verdict, self.robot, self.turn), word_of(verdict)
            if len(self._rendered) < MOST_RENDERED:
                self._rendered[key] = found
        rest, word = found
        counts[word] += 1
        return f'{{"url": {quote(url)}, {rest}'


def word_of(verdict: Verdict) -> str:
    """Return a verdict as a word: `unknown` is no permission."""
    if not verdict.is_answer:
        return "unknown"
    return "allowed" if verdict.allowed else "disallowed"


def plain_verdict(verdict: Verdict, robot: str, turn: Turn | None) -> dict[str, Any]:
    """Return what a verdict has beside its URL as plain values."""
    rule = verdict.rule
    return {
        "robot": robot,
        "verdict": word_of(verdict),
        "allowed": verdict.allowed and verdict.is_answer,
        "reason": verdict.reason,
        "source": verdict.source,
        "line": None if rule is None else rule.line,
        "dialect": verdict.dialect,
        "until": written(verdict.until),
        "retry_at": written(verdict.retry_at),
        "next_visit": None if turn is None else turn.as_dict(),
    }


def describe(verdict: Verdict, robot: str, turn: Turn | None) -> str:
    """Return what follows the URL in the JSON of a verdict."""
    return json.dumps(plain_verdict(verdict, robot, turn))[1:]


def render(url: str, verdict: Verdict, turn: Turn | None, more: Mapping[str, Any]) -> str:
    """Return a verdict as JSON, with further keys."""
    plain = plain_verdict(verdict, verdict.robot, turn)
    return json.dumps({"url": url, **plain, **more})
