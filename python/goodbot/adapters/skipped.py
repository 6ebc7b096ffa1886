"""What a crawl skipped: counts by reason, with a few examples of each."""

from dataclasses import dataclass, field

__all__ = ["Skipped"]

MOST_EXAMPLES = 5
"""The number of examples for each reason."""


@dataclass(slots=True)
class Skipped:
    """The requests that were skipped.

    >>> skipped = Skipped()
    >>> skipped.add("rule-disallows", "http://a.example/b: Disallowed: line 2.")
    >>> print(skipped)
    1 skipped: rule-disallows 1
      rule-disallows: http://a.example/b: Disallowed: line 2.
    """

    counts: dict[str, int] = field(default_factory=dict)
    """The number of requests by reason."""
    examples: dict[str, list[str]] = field(default_factory=dict)
    """The first few sentences for each reason."""

    def add(self, reason: str, sentence: str) -> None:
        """Count a request that is skipped."""
        self.counts[reason] = self.counts.get(reason, 0) + 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < MOST_EXAMPLES:
            examples.append(sentence)

    def __str__(self) -> str:
        """Return the report: a line of counts, then the examples."""
        numbers = ", ".join(f"{reason} {count}" for reason, count in sorted(self.counts.items()))
        lines = [f"{sum(self.counts.values())} skipped: {numbers or 'nothing'}"]
        for reason, examples in sorted(self.examples.items()):
            lines += [f"  {reason}: {example}" for example in examples]
        return "\n".join(lines)
