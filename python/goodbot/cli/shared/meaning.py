"""What a robots.txt asks of a robot, in words and as plain values: pace, hours, comments."""

from typing import Any

import goodbot

__all__ = ["asked_object", "pace_lines"]


def pace_lines(rules: goodbot.Rules) -> list[str]:
    """Return how often and when the robot should visit the site, a line each."""
    delay = rules.crawl_delay
    lines = []
    if delay is not None:
        lines.append(f"{delay:,g} second{'' if delay == 1 else 's'} between requests")
    lines += [f"at most {rate}{doubt_of(rate)}" for rate in rules.request_rates]
    return lines + [f"visits are welcome {time}" for time in rules.visit_times]


def doubt_of(rate: goodbot.RequestRate) -> str:
    """Return what follows if the hours of a rate cannot be read."""
    return " (its hours cannot be read, so it replaces no other pace)" if rate.doubtful else ""


def asked_object(rules: goodbot.Rules) -> dict[str, Any]:
    """Return what a site asks of the robot as plain values."""
    return {
        "crawl_delay": rules.crawl_delay,
        "request_rates": [rate_object(rate) for rate in rules.request_rates],
        "visit_times": [time_object(time) for time in rules.visit_times],
        "comments": rules.comments,
    }


def rate_object(rate: goodbot.RequestRate) -> dict[str, object]:
    """Return a request rate as plain values."""
    return {
        "documents": rate.documents,
        "seconds": rate.seconds,
        "window": None if rate.window is None else time_object(rate.window),
        "doubtful": rate.doubtful,
    }


def time_object(time: goodbot.VisitTime) -> dict[str, object]:
    """Return a part of the day, in UT, as plain values."""
    return {"start": time.start.isoformat("minutes"), "end": time.end.isoformat("minutes")}
