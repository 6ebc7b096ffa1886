"""What is known of a site and how fresh it is: lines that follow a verdict, and JSON."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from goodbot import RobotsTxt
from goodbot.bots.family import any_rules_for
from goodbot.cli.shared.live_sites import CURES, LiveAnswer
from goodbot.cli.shared.printing import Printer, Styled
from goodbot.cli.shared.site_comments import comment_rows
from goodbot.cli.shared.time_format import span
from goodbot.cli.shared.verdict_output import considered_object, family_object
from goodbot.http.instants import format_time
from goodbot.policy import Policy, reasons

__all__ = [
    "NO_REQUEST",
    "LabelledRow",
    "answer_in_words",
    "answer_object",
    "came_from",
    "origin_rows",
    "policy_object",
    "print_rows",
    "until",
]

LabelledRow = tuple[str, str]
"""A label and a text."""

NO_FILE = RobotsTxt(b"")
"""The file of a site whose policy has no rules."""

NO_REQUEST = "failure-private-address"
"""The outcome of a request that was not made."""


def print_rows(rows: list[LabelledRow], printer: Printer) -> None:
    """Print rows in two columns."""
    width = max(len(label) for label, _told in rows)
    for label, told in rows:
        text = f"{label:<{width}}  {told}"
        if " " in told:
            printer.prose(text, "  ", Styled(label, "faint"), hanging=width + 2)
        else:  # a digest or a URL stays on the line of its label
            printer.line("  ", Styled(label, "faint"), text[len(label) :])


def origin_rows(answer: LiveAnswer, store: str | None) -> Iterator[LabelledRow]:
    """Yield the state of a site: its policy, the source, until when, and the next visit."""
    policy = answer.policy
    if policy is not None:
        yield "policy", f"{policy.access} ({policy.reason}): {answer_in_words(policy)}"
        yield from came_from(answer, policy, store)
        if policy.outcome != NO_REQUEST:
            yield "fresh until", until(policy.fresh_until, answer.now)
        yield from cure(answer, policy)
    yield "next visit", next_visit(answer)
    rules = None if answer.family is None else answer.family.rules
    yield from comment_rows([] if rules is None else rules.comments)


def cure(answer: LiveAnswer, policy: Policy) -> Iterator[LabelledRow]:
    """Yield how to fix a failure, unless it is an old one from a store."""
    if answer.came_from == "site" and policy.outcome in CURES:
        yield "what to do", CURES[policy.outcome]


def next_visit(answer: LiveAnswer) -> str:
    """Return when the robot may visit the site next."""
    if answer.policy is not None and answer.policy.access == "disallow-all":
        return "none while everything is disallowed"
    return str(answer.turn)


def answer_in_words(policy: Policy) -> str:
    """Describe the last response, and where it came from."""
    where = f" at {policy.hops[-1]}" if policy.hops else ""
    if policy.status is None:
        meaning = dict(reasons())[policy.outcome].rstrip(".")
        return f"{meaning[0].lower()}{meaning[1:]}{where}"
    return f"robots.txt{where} returned status {policy.status}"


def came_from(answer: LiveAnswer, policy: Policy, store: str | None) -> Iterator[LabelledRow]:
    """Yield where the policy comes from, and how old it is."""
    age = span((answer.now - policy.fetched_at).total_seconds())
    done = "fetched" if policy.status is not None else "requested without a response"
    if policy.outcome == NO_REQUEST:
        yield "source", "this machine; no request was made"
    elif answer.came_from == "site":
        yield "source", f"the site, {done} just now"
    else:
        yield "source", f"{store or 'this run'}, {done} {age} ago"
    copied = policy.copy_fetched_at
    if policy.access == "rules" and copied is not None and copied != policy.fetched_at:
        age = span((answer.now - copied).total_seconds())
        yield "copy of", f"{format_time(copied)}, {age} ago"


def until(then: datetime, now: datetime) -> str:
    """Format a time in the future, and how far away it is."""
    seconds = (then - now).total_seconds()
    return f"{format_time(then)}, " + (f"in {span(seconds)}" if seconds > 0 else "which is past")


def policy_object(answer: LiveAnswer, policy: Policy) -> dict[str, Any]:
    """Return a policy as plain values."""
    told = {"came_from": answer.came_from, "age": (answer.now - policy.fetched_at).total_seconds()}
    return {**policy.as_dict(), **told}


def answer_object(answer: LiveAnswer, *, full: bool) -> dict[str, Any]:
    """Return an answer as plain values: those of a verdict on a file, and those of the site."""
    verdict = answer.verdict
    told = verdict.as_dict()
    rules = told.pop("rules") or {"rule": None, "group": None}
    family = answer.family or any_rules_for(NO_FILE, verdict.robot)
    found: dict[str, Any] = {
        **told,
        **family_object(family),
        "rule": rules["rule"],
        "group": rules["group"],
    }
    if full:
        considered = [] if verdict.rules is None else verdict.rules.considered
        found["considered"] = [considered_object(one) for one in considered]
    policy = answer.policy
    found["policy"] = None if policy is None else policy_object(answer, policy)
    found["next_visit"] = answer.turn.as_dict()
    return found
