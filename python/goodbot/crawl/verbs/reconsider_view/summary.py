"""The summary of `goodbot reconsider` on a terminal, and as JSON.

Scope: counting rows, and words.
"""

from collections import Counter
from typing import Any, NamedTuple

from goodbot.cli.shared import warnings
from goodbot.cli.shared.printing import Printer, Styled, cut_line, print_table
from goodbot.http.amounts import counted
from goodbot.reconsidering import HELD_USES, Reconsidered

__all__ = ["HeldCounts", "print_summary", "warn_of_unreached"]

NO_ORIGIN = "no-origin"
SHOWN = 10
"""How many of the things that must not stay are printed."""
ADVICE = {
    "expired": "what is known of the site is older than it permits anything: a table of policies "
    "answers for --at TIME, or ask the sites themselves",
    "not-asked": "nothing is known of the site: build its policies ('goodbot tables build'), or "
    "ask it",
    "page-not-read": "the page itself may say it, and was not read",
    "tdmrep-not-read": "tdmrep.json may say it, and was not read: ask the sites themselves",
    "robots-txt-unreachable": "robots.txt could not be fetched, which is no opt-out and no "
    "permission: ask again later",
    NO_ORIGIN: "a URL begins with https:// or http:// and names a host; mend what does not, or "
    "leave it out",
}
"""What to do about unknown answers, by their reason."""
LATER = "the site gave no answer, which is no opt-out and no permission: try again later"
CURES = {
    "failure-private-address": "to visit private networks, add --allow-private; to visit one "
    "network, add --allow-network CIDR",
    "failure-timeout": "try again later, or allow more time with --timeout",
}
"""What else to do about a site that gave no answer, by the reason."""
OF_SITES = {"robots-txt-unreachable", "not-asked", "expired"}
"""The reasons of answers that are unknown because the site gave none."""


class CountedKey(NamedTuple):
    """What is counted together."""

    use: str
    then: str
    now: str
    reason: str
    do: str


class HeldCounts:
    """How often each use had an answer, then and now."""

    def __init__(self) -> None:
        """Start at 0."""
        self.rows: Counter[CountedKey] = Counter()
        self.first: list[Reconsidered] = []
        """The first things that must not stay."""
        self.unreached: Counter[str] = Counter()
        """How many sites were asked and gave no answer, by the reason."""

    def add(self, row: Reconsidered, number: int = 1) -> None:
        """Add a row."""
        self.rows[CountedKey(row.use, row.then, row.now, row.reason, row.do)] += number
        if row.do != "keep" and len(self.first) < SHOWN:
            self.first.append(row)

    @property
    def is_clear(self) -> bool:
        """Whether everything may stay, as far as is known."""
        return all(key.do == "keep" for key in self.rows)

    @property
    def lacks_answers(self) -> bool:
        """Whether some answers are unknown because a site gave none."""
        unknown = (key.reason for key in self.rows if key.now == "unknown")
        return bool(self.unreached) and any(reason != NO_ORIGIN for reason in unknown)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        uses: dict[str, Any] = {}
        for key, count in self.rows.items():
            use = uses.setdefault(key.use, {"do": {}, "now": {}, "unknown": {}})
            use["do"][key.do] = use["do"].get(key.do, 0) + count
            use["now"][key.now] = use["now"].get(key.now, 0) + count
            if key.now == "unknown":
                use["unknown"][key.reason] = use["unknown"].get(key.reason, 0) + count
        return {"uses": uses}


def print_summary(counts: HeldCounts, robot: str, printer: Printer) -> None:
    """Print how many things may stay for each use, what changed, and what is unknown."""
    totals: dict[str, Counter[str]] = {}
    for key, count in counts.rows.items():
        totals.setdefault(key.use, Counter())[answer_of(key)] += count
    rows = [
        (
            use,
            *(f"{totals[use][name]:,}" for name in ("may stay", "unknown", "no longer", "never")),
            HELD_USES[use].action,
        )
        for use in HELD_USES
        if use in totals
    ]
    if not rows:
        printer.line("Nothing is held.")
        return
    heads = ("use", "may stay", "unknown", "no longer", "never", "if not")
    print_table(heads, rows, printer)
    printer.line()
    for one in counts.first:
        where = "" if not one.source else f" ({one.source})"
        printer.line(
            Styled(f"{one.do:<21} ", "disallowed"), cut_line(one.url),
            Styled(f"  {one.use}: {one.then or 'not listed'} then, {one.now} now{where}", "faint"),
        )  # fmt: skip
    gone = sum(count for key, count in counts.rows.items() if key.do != "keep")
    if gone > len(counts.first):
        printer.line(f"and {gone - len(counts.first):,} more: --json, --csv or --parquet list all")
    if counts.first:
        printer.line()
    printer.prose(f"Reconsidered for {robot}.")
    print_unknown(counts, printer)


def answer_of(key: CountedKey) -> str:
    """Return the column that a row is counted in."""
    if key.now == "unknown":
        return "unknown"
    if key.now in {"allowed", "unmentioned"}:
        return "may stay"
    return "never" if key.then == key.now else "no longer"


def print_unknown(counts: HeldCounts, printer: Printer) -> None:
    """Print why answers are unknown, and what to do about it."""
    reasons: Counter[str] = Counter()
    for key, count in counts.rows.items():
        if key.now == "unknown":
            reasons[key.reason] += count
    for reason, count in reasons.most_common(5):
        advice = advice_on(reason, counts)
        printer.prose(f"{counted(count, 'answer')} unknown, {reason}{advice and f': {advice}'}.")


def advice_on(reason: str, counts: HeldCounts) -> str:
    """Return what to do about answers that are unknown for a reason; empty if nothing helps."""
    if reason in counts.unreached:
        return CURES.get(reason, LATER)
    if reason in OF_SITES and counts.unreached:
        return "; ".join(dict.fromkeys(CURES.get(one, LATER) for one in counts.unreached))
    return ADVICE.get(reason, "")


def warn_of_unreached(counts: HeldCounts) -> None:
    """Print on standard error how many sites gave no answer, and what to do."""
    for reason, count in counts.unreached.most_common(5):
        warnings.warn(
            f"{counted(count, 'site')} gave no answer ({reason}), so the exit status is 2; "
            f"{CURES.get(reason, 'try again later')}"
        )
