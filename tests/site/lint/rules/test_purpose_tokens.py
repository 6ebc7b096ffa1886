"""Groups for purposes are named, and are not taken for groups of robots."""

from goodbot.site.lint import lint

TRAINING = "User-agent: __usage_ai-training\n"


def codes(text: str) -> list[str]:
    """Return the codes of the findings."""
    return [one.code for one in lint(text).findings]


def test_each_purpose_is_reported_once_with_its_line() -> None:
    """A known one as not verified, another as not known."""
    text = f"{TRAINING}User-agent: __usage_other\nDisallow: /a\n\n{TRAINING}Disallow: /b\n"
    found = {one.code: one.line for one in lint(text).findings if "purpose" in one.code}
    assert found == {"unverified-purpose-token": 1, "unknown-purpose-token": 2}


def test_a_purpose_need_not_repeat_the_rules_for_all() -> None:
    """Reserving what no robot may fetch is needless; a robot beside it must repeat them."""
    text = f"User-agent: *\nDisallow: /cart\n\n{TRAINING}Disallow: /reports\n"
    assert codes(text) == ["unverified-purpose-token"]
    (dropped,) = (
        one
        for one in lint(text.replace(TRAINING, f"{TRAINING}User-agent: ExampleBot\n")).findings
        if one.code == "default-rules-dropped"
    )
    assert dropped.robots == ("ExampleBot",)


def test_a_purpose_may_not_come_in() -> None:
    """It is no robot, so it is no exception of what everybody is kept from."""
    text = f"User-agent: *\nDisallow: /\n\n{TRAINING}Disallow: /\n"
    (found,) = (one for one in lint(text).findings if one.code == "everything-disallowed")
    assert "may come in" not in found.message
    assert "same-as-default" not in codes(text)
