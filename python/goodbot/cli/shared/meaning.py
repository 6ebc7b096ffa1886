"""What a robots.txt asks of a robot, in words: pace and hours."""

import goodbot

__all__ = ["pace_lines"]


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
