"""The messages of errors are short, however long what a caller names: it may be from others."""

from collections.abc import Callable

import pytest

import goodbot
from goodbot.page.dialects import page_dialect
from goodbot.policy import policy_dialect

LONG = "x" * 100_000
MOST = 1_000
"""The most characters of a message, of which most are the names that there are."""


@pytest.mark.parametrize(
    "use",
    [
        lambda: goodbot.dialect(LONG),
        lambda: goodbot.dialect("google").replace(**{LONG: "x"}),
        lambda: goodbot.dialect("google").replace(tie=LONG),
        lambda: goodbot.dialect("google").replace(tie={LONG}),  # type: ignore[arg-type]
        lambda: goodbot.RobotsTxt(b"", dialect=LONG),
        lambda: goodbot.Page("https://example.com/", b"", dialect=LONG),
        lambda: page_dialect("google").replace(**{LONG: "x"}),
        lambda: policy_dialect(LONG),
        lambda: policy_dialect("google").replace(**{LONG: "x"}),
        lambda: policy_dialect("google").replace(outcomes={LONG: "x"}),
        lambda: goodbot.RobotsTxt(b"").rules_for("ExampleBot").usage("/", vocabulary=LONG),
        lambda: goodbot.VisitTime.parse(LONG),
        lambda: goodbot.RequestRate.parse(LONG),
    ],
)
def test_a_message_quotes_only_the_beginning_of_a_name(use: Callable[[], object]) -> None:
    """Whatever it names: a file of settings can come from somebody else."""
    with pytest.raises(goodbot.MisuseError) as told:
        use()
    assert len(str(told.value)) < MOST
    assert "xxx" in str(told.value)
