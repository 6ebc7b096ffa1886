"""Dialects differ by the rows of their tables: nothing else decides what a failure means."""

from goodbot.policy.outcome_tables import POLICY_DIALECTS, meaning_of, missing_after


def test_what_an_unreachable_robots_txt_means_follows_from_the_steps_of_the_dialect() -> None:
    """Google's first step ends after twelve hours; a table of one's own decides the same way."""
    for name, policy in POLICY_DIALECTS.items():
        first = policy.ladder[0].until
        assert missing_after(name) == (2_592_000 if first is None else first)
        is_unreachable = policy.outcomes["too-many-requests"].treatment == "unreachable"
        assert (meaning_of(429, name) == "unreachable") is is_unreachable
    own = POLICY_DIALECTS["rfc9309"].replace(ladder=POLICY_DIALECTS["google"].ladder)
    assert missing_after(own) == 43_200
