"""What a crawl left out, and why: counted, with a few examples of each reason."""

from dataclasses import dataclass, field

__all__ = ["Skipped"]

MOST_EXAMPLES = 5
"""Of each reason."""


@dataclass(slots=True)
class Skipped:
    """What was left out.

    >>> skipped = Skipped()
    >>> skipped.add("rule-disallows", "ExampleBot may not fetch http://a.example/b: line 2.")
    >>> print(skipped)
    1 left out: rule-disallows 1
      rule-disallows: ExampleBot may not fetch http://a.example/b: line 2.
    """

    counts: dict[str, int] = field(default_factory=dict)
    """How many, by reason."""
    examples: dict[str, list[str]] = field(default_factory=dict)
    """The first few sentences of each reason."""

    def add(self, reason: str, sentence: str) -> None:
        """Note one that is left out."""
        self.counts[reason] = self.counts.get(reason, 0) + 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < MOST_EXAMPLES:
            examples.append(sentence)

    def __str__(self) -> str:
        """Write the report: a line of numbers, and the examples."""
        numbers = ", ".join(f"{reason} {count}" for reason, count in sorted(self.counts.items()))
        lines = [f"{sum(self.counts.values())} left out: {numbers or 'nothing'}"]
        for reason, examples in sorted(self.examples.items()):
            lines += [f"  {reason}: {example}" for example in examples]
        return "\n".join(lines)
