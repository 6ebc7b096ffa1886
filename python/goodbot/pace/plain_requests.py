"""What a site asks of a robot, as plain values for JSON: pace, hours, comments."""

from typing import Any

from goodbot._core import RequestRate, Rules, VisitTime

__all__ = ["plain_requests"]


def plain_requests(rules: Rules) -> dict[str, Any]:
    """Return what a site asks of a robot: pace, hours, comments."""
    return {
        "crawl_delay": rules.crawl_delay,
        "request_rates": [plain_rate(rate) for rate in rules.request_rates],
        "visit_times": [plain_time(time) for time in rules.visit_times],
        "comments": rules.comments,
    }


def plain_rate(rate: RequestRate) -> dict[str, object]:
    """Return a request rate."""
    return {
        "documents": rate.documents,
        "seconds": rate.seconds,
        "window": None if rate.window is None else plain_time(rate.window),
        "doubtful": rate.doubtful,
    }


def plain_time(time: VisitTime) -> dict[str, object]:
    """Return a part of the day, in UT."""
    return {"start": time.start.isoformat("minutes"), "end": time.end.isoformat("minutes")}
