"""What each reason means, as tables and reports print it."""

from collections.abc import Iterator

import goodbot
from goodbot import pace, page, policy, store
from tests.words.writing import entries

TABLES = {
    "Verdicts of rules (goodbot.reasons)": goodbot.reasons(),
    "Ways in which a group is chosen (goodbot.selection_ways)": goodbot.selection_ways(),
    "Policies (goodbot.policy.reasons)": policy.reasons(),
    "Decisions of the operator (goodbot.policy.HOLD_REASONS)": policy.HOLD_REASONS.items(),
    "What a policy comes to (goodbot.policy.ACCESSES)": policy.ACCESSES.items(),
    "Treatments of outcomes (goodbot.policy.TREATMENTS)": policy.TREATMENTS.items(),
    "Pages (goodbot.page.reasons)": page.reasons(),
    "Turns (goodbot.pace.REASONS)": pace.REASONS.items(),
    "Visits that a store refuses (goodbot.store.LATER_REASONS)": store.LATER_REASONS.items(),
}


def lines() -> Iterator[str]:
    """Yield each table."""
    for title, rows in TABLES.items():
        yield from entries(title, rows)
