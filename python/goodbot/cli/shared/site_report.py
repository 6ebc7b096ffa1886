"""What is known of a site and how fresh it is: lines that follow a verdict, and JSON."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from goodbot import RobotsTxt, Verdict
from goodbot.bots import rules_for
from goodbot.cli.shared.live_sites import CURES, SiteState
from goodbot.cli.shared.printing import Printer, Styled
from goodbot.cli.shared.site_comments import comment_rows
from goodbot.cli.shared.time_format import span
from goodbot.cli.shared.verdict_output import considered_object, robot_object
from goodbot.grounds import NEVER_ASKED
from goodbot.http.instants import format_time
from goodbot.live.plain_policy import plain_policy
from goodbot.policy import Policy, reasons

__all__ = [
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


def print_rows(rows: list[LabelledRow], printer: Printer) -> None:
    """Print rows in two columns."""
    width = max(len(label) for label, _told in rows)
    for label, told in rows:
        text = f"{label:<{width}}  {told}"
        if " " in told:
            printer.prose(text, "  ", Styled(label, "faint"), hanging=width + 2)
        else:  # a digest or a URL stays on the line of its label
            printer.line("  ", Styled(label, "faint"), text[len(label) :])


def origin_rows(site: SiteState, store: str | None) -> Iterator[LabelledRow]:
    """Yield the state of a site: its policy, the source, until when, and the next visit."""
    policy = site.policy
    if policy is not None:
        yield "policy", f"{policy.access} ({policy.reason}): {answer_in_words(policy)}"
        yield from came_from(site, policy, store)
        if policy.outcome not in NEVER_ASKED:
            yield "fresh until", until(policy.fresh_until, site.now)
        yield from cure(site, policy)
    yield "next visit", next_visit(site)
    rules = None if site.rules is None else site.rules.rules
    yield from comment_rows([] if rules is None else rules.comments)


def cure(site: SiteState, policy: Policy) -> Iterator[LabelledRow]:
    """Yield how to fix a failure, unless it is an old one from a store."""
    if site.came_from == "site" and policy.outcome in CURES:
        yield "what to do", CURES[policy.outcome]


def next_visit(site: SiteState) -> str:
    """Return when the robot may visit the site next."""
    if site.policy is not None and site.policy.access == "disallow-all":
        return "none while everything is disallowed"
    return str(site.turn)


def answer_in_words(policy: Policy) -> str:
    """Describe the last response, and where it came from."""
    where = f" at {policy.hops[-1]}" if policy.hops else ""
    if policy.status is None:
        meaning = dict(reasons())[policy.outcome].rstrip(".")
        return f"{meaning[0].lower()}{meaning[1:]}{where}"
    return f"robots.txt{where} returned status {policy.status}"


def came_from(site: SiteState, policy: Policy, store: str | None) -> Iterator[LabelledRow]:
    """Yield where the policy comes from, and how old it is."""
    age = span((site.now - policy.fetched_at).total_seconds())
    done = "fetched" if policy.status is not None else "requested without a response"
    if policy.outcome in NEVER_ASKED:
        yield "source", "this machine; no request was made"
    elif site.came_from == "site":
        yield "source", f"the site, {done} just now"
    else:
        yield "source", f"{store or 'this run'}, {done} {age} ago"
    copied = policy.copy_fetched_at
    if policy.access == "rules" and copied is not None and copied != policy.fetched_at:
        age = span((site.now - copied).total_seconds())
        yield "copy of", f"{format_time(copied)}, {age} ago"


def until(then: datetime, now: datetime) -> str:
    """Format a time in the future, and how far away it is."""
    seconds = (then - now).total_seconds()
    return f"{format_time(then)}, " + (f"in {span(seconds)}" if seconds > 0 else "which is past")


def policy_object(site: SiteState, policy: Policy) -> dict[str, Any]:
    """Return a policy as plain values."""
    return plain_policy(policy, came_from=site.came_from, now=site.now)


def answer_object(verdict: Verdict, site: SiteState, *, full: bool) -> dict[str, Any]:
    """Return an answer as plain values: those of a verdict on a file, and those of the site."""
    told = verdict.as_dict()
    rules = told.pop("rules") or {"rule": None, "group": None}
    if not verdict.tried:  # without a file, too: what the robot would look for
        told |= robot_object(rules_for(NO_FILE, verdict.robot))
    found: dict[str, Any] = {**told, "rule": rules["rule"], "group": rules["group"]}
    if full:
        found["considered"] = [considered_object(one) for one in verdict.considered]
    found["policy"] = None if site.policy is None else policy_object(site, site.policy)
    found["next_visit"] = site.turn.as_dict()
    return found
