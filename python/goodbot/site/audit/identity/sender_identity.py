"""The answer to who sent a request, with what decided it.

Scope: values.
"""

from datetime import datetime
from typing import Any

from goodbot.display import short_repr
from goodbot.http.instants import written
from goodbot.lazy_dataclass import dataclass
from goodbot.site.audit.identity.identity_outcomes import IDENTITY_REASONS, IdentityOutcome

LONGEST_SHOWN = 120
"""How many characters of a name are shown."""


@dataclass(frozen=True, slots=True, repr=False)
class IdentityPlace:
    """What decided: a list, a DNS answer, or the fields of a signature, with its dates."""

    source: str
    """The address of the list, `reverse DNS`, or the header field."""
    entry: str = ""
    """The prefix, the name, or the key."""
    begins: datetime | None = None
    """From when it holds."""
    ends: datetime | None = None
    """The time before which it holds."""

    __repr__ = short_repr

    def __str__(self) -> str:
        """Return it as text, with foreign names cut."""
        entry = f" {self.entry[:LONGEST_SHOWN]}" if self.entry else ""
        if self.begins is None or self.ends is None:
            return f"{self.source}{entry}"
        return f"{self.source}{entry}, {written(self.begins)} to {written(self.ends)}"

    def as_dict(self) -> dict[str, str | None]:
        """Return plain values, for JSON."""
        return {
            "source": self.source,
            "entry": self.entry,
            "begins": None if self.begins is None else written(self.begins),
            "ends": None if self.ends is None else written(self.ends),
        }


@dataclass(frozen=True, slots=True, repr=False)
class IdentityTest:
    """The result of one test."""

    test: str
    """The test, a key of `IDENTITY_TESTS`; empty if none could be made."""
    reason: str
    """The reason, a key of `IDENTITY_REASONS`."""
    place: IdentityPlace | None = None
    """What decided; `None` if nothing is at hand."""

    __repr__ = short_repr

    @property
    def outcome(self) -> IdentityOutcome:
        """The outcome that the reason has."""
        return IDENTITY_REASONS[self.reason][0]


@dataclass(frozen=True, slots=True, repr=False)
class SenderIdentity:
    """Who sent a request.

    >>> from goodbot.site.audit.identity import SenderIdentity, IdentityTest
    >>> found = SenderIdentity("Googlebot", "203.0.113.9", (IdentityTest("list", "not-listed"),))
    >>> found.outcome, found.is_operators
    ('spoofed', False)
    """

    robot: str
    """The robot that the request names."""
    address: str
    """The address that it came from, as the log has it."""
    tests: tuple[IdentityTest, ...]
    """The results of the tests; the first decides."""

    __repr__ = short_repr

    @property
    def outcome(self) -> IdentityOutcome:
        """`verified`, `spoofed`, `invalid` or `unverifiable`."""
        return self.tests[0].outcome

    @property
    def test(self) -> str:
        """The test that decided."""
        return self.tests[0].test

    @property
    def reason(self) -> str:
        """The reason, a key of `IDENTITY_REASONS`."""
        return self.tests[0].reason

    @property
    def place(self) -> IdentityPlace | None:
        """What decided."""
        return self.tests[0].place

    @property
    def is_operators(self) -> bool | None:
        """Whether the operator answers for the request; `None` if that is not known.

        A violation under a spoofed name is never laid on the owner of the name.
        """
        return {"verified": True, "spoofed": False}.get(self.outcome)

    def __str__(self) -> str:
        """Return it as a sentence."""
        meaning = IDENTITY_REASONS[self.reason][1]
        where = f" ({self.place})" if self.place else ""
        who = f"{self.robot[:LONGEST_SHOWN]} from {self.address[:LONGEST_SHOWN]}"
        return f"{who} is {self.outcome}: {meaning}{where}."

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "robot": self.robot,
            "address": self.address,
            "outcome": self.outcome,
            "test": self.test,
            "reason": self.reason,
            "place": None if self.place is None else self.place.as_dict(),
        }
