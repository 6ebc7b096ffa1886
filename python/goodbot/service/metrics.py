"""What the service counts, in the text format of Prometheus.

Scope: counters, and their text. The format is a page of its documentation, so it needs no library.
Source: Prometheus, Exposition formats, text format 0.0.4.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

__all__ = ["METRICS_TYPE", "Metrics"]

METRICS_TYPE = b"text/plain; version=0.0.4; charset=utf-8"

COUNTERS = {
    "requests": ("goodbot_requests_total", "path", "Requests, by path."),
    "problems": ("goodbot_problems_total", "problem", "Requests that had a problem, by its kind."),
    "verdicts": ("goodbot_verdicts_total", "verdict", "Verdicts, by their word."),
    "turns": ("goodbot_turns_total", "turn", "Answers to requests for turns and their ends."),
}
GAUGES = {
    "goodbot_requests_working": "Requests that are worked on.",
    "goodbot_sites_waiting": "Sites that wait to be asked for robots.txt.",
    "goodbot_sites_known": "Sites whose verdicts are ready.",
    "goodbot_turns_out": "Turns that are out.",
}


class Metrics:
    """Counts of one service since it started.

    >>> metrics = Metrics()
    >>> metrics.turns["granted"] += 1
    >>> print(metrics.text({"goodbot_turns_out": 1}).splitlines()[-1])
    goodbot_turns_out 1
    """

    def __init__(self) -> None:
        """Start at zero."""
        self.requests: Counter[str] = Counter()
        self.problems: Counter[str] = Counter()
        self.verdicts: Counter[str] = Counter()
        self.turns: Counter[str] = Counter()

    def text(self, gauges: Mapping[str, int]) -> str:
        """Return all counts as text.

        Args:
            gauges: The present values of `GAUGES`.

        """
        return "".join(f"{line}\n" for line in self._lines(gauges))

    def _lines(self, gauges: Mapping[str, int]) -> Iterator[str]:
        for attribute, (name, label, about) in COUNTERS.items():
            yield f"# HELP {name} {about}"
            yield f"# TYPE {name} counter"
            counts: Counter[str] = getattr(self, attribute)
            for value, count in sorted(counts.items()):
                yield f'{name}{{{label}="{value}"}} {count}'
        for name, number in gauges.items():
            yield f"# HELP {name} {GAUGES[name]}"
            yield f"# TYPE {name} gauge"
            yield f"{name} {number}"
