"""Misuse raises the exception for it, whose message says how to fix it."""

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import goodbot
import goodbot.errors

ROBOTS = goodbot.RobotsTxt("User-agent: *\nDisallow: /a")
RULES = ROBOTS.rules_for("ExampleBot")
GOOGLE = goodbot.dialect("google")

A_URL, A_ROBOTS = "https://a.example/x", "https://a.example/robots.txt"
B_URL, B_ROBOTS = "https://b.example/x", "https://b.example/robots.txt"
NOON = dt.datetime(2025, 1, 1, 12, tzinfo=dt.timezone.utc)


def policy(**changed: Any) -> goodbot.Policy:  # noqa: ANN401 - wrong ones too
    """Return a policy with some arguments that may be wrong."""
    given = {"url": A_ROBOTS, "status": 404, "headers": {}, "body": b"", "now": NOON, **changed}
    return goodbot.Policy.from_response(**given)


def failed(failure: str) -> goodbot.Policy:
    """Return the policy after a failure."""
    return goodbot.Policy.from_failure(A_ROBOTS, failure, now=NOON)


POLICY = policy()

# The exception, what raises it, and the advice that the message must contain.
MISUSES: list[tuple[type[goodbot.GoodbotError], Callable[[], object], str]] = [
    (goodbot.WrongTypeError, lambda: goodbot.RobotsTxt(1), "bytes, str or a buffer"),  # type: ignore[arg-type]
    (goodbot.WrongTypeError, lambda: goodbot.RobotsTxt("", dialect=1), "name of a dialect"),  # type: ignore[arg-type]
    (goodbot.WrongTypeError, lambda: ROBOTS.allows(1, "ExampleBot"), "bytes, str"),  # type: ignore[arg-type]
    (goodbot.WrongTypeError, lambda: ROBOTS.rules_for(1), 'such as "ExampleBot"'),  # type: ignore[arg-type]
    (goodbot.WrongTypeError, lambda: RULES.allows_many("/a"), "use allows(url)"),
    (goodbot.WrongTypeError, lambda: RULES.allows_many(1), "a sequence of str"),
    (goodbot.WrongTypeError, lambda: RULES.allows_many(np.array([1])), "astype(str)"),
    (goodbot.WrongValueError, lambda: RULES.allows_many([], threads=0), "1 or more"),
    (goodbot.WrongTypeError, lambda: RULES.allows_many([], threads="2"), "an int"),  # type: ignore[call-overload]
    (goodbot.WrongTypeError, lambda: RULES.allows_many({"/a": 1}), "one column"),
    (goodbot.UnknownDialectError, lambda: goodbot.dialect("\ud800"), "rfc9309, google"),
    (goodbot.UnknownDialectError, lambda: goodbot.RobotsTxt("", dialect="\ud800"), "rfc9309"),
    (goodbot.DialectChoiceError, lambda: GOOGLE.replace(tie="\ud800"), "allow or disallow"),
    (goodbot.DialectChoiceError, lambda: GOOGLE.replace(size_limit="x"), "0 or a number"),
    (goodbot.WrongValueError, lambda: goodbot.VisitTime.parse("x"), "such as 0600-0845"),
    (goodbot.WrongValueError, lambda: goodbot.RequestRate.parse("x"), "such as 1/10"),
    (goodbot.RobotNameError, lambda: ROBOTS.rules_for(""), 'such as "ExampleBot"'),
    (goodbot.RobotNameError, lambda: ROBOTS.allows("A", "https://a.example/"), "after the URL"),
    (goodbot.NoOriginError, lambda: goodbot.origin("/a"), "such as https://example.com/page"),
    (goodbot.NoOriginError, lambda: goodbot.robots_txt_url("mailto:a@b"), "http, https and ftp"),
    (goodbot.WrongTypeError, goodbot.Policy, "Policy.from_response"),
    (goodbot.WrongTypeError, lambda: policy(status="200"), "such as 200"),
    (goodbot.WrongTypeError, lambda: policy(now=1), "datetime.now(timezone.utc)"),
    (goodbot.WrongTypeError, lambda: policy(headers=1), "{'Cache-Control': 'max-age=3600'}"),
    (goodbot.WrongTypeError, lambda: policy(body=1), "bytes, str or a buffer"),
    (goodbot.WrongTypeError, lambda: policy(previous=1), "a Policy or None"),
    (goodbot.WrongValueError, lambda: policy(now=dt.datetime(2025, 1, 1)), "an aware datetime"),  # noqa: DTZ001
    (goodbot.WrongValueError, lambda: policy(url="https://a.example/"), "a.example/robots.txt"),
    (goodbot.WrongValueError, lambda: failed("x"), "dns, refused"),
    (goodbot.WrongValueError, lambda: goodbot.Policy.from_record({}), "fetch robots.txt again"),
    (goodbot.OtherOriginError, lambda: POLICY.allows(B_URL, "B"), "b.example/robots.txt"),
    (goodbot.OtherOriginError, lambda: policy(url=B_ROBOTS, previous=POLICY), "leave it out"),
    (goodbot.NoOriginError, lambda: POLICY.allows("/a", "ExampleBot"), "such as https://"),
    (goodbot.RobotNameError, lambda: POLICY.allows(A_URL, ""), 'such as "ExampleBot"'),
    (goodbot.UnknownDialectError, lambda: policy(policy_dialect="x"), "rfc9309, google"),
    (goodbot.UnknownDialectError, lambda: goodbot.dialect("x"), "rfc9309, google"),
    (goodbot.UnknownDialectError, lambda: goodbot.RobotsTxt("", dialect="x"), "rfc9309, google"),
    (goodbot.UnknownVocabularyError, lambda: RULES.usage("/", vocabulary="x"), "aipref-08"),
    (goodbot.DialectChoiceError, lambda: GOOGLE.replace(x="y"), "precedence, tie"),
    (goodbot.DialectChoiceError, lambda: GOOGLE.replace(tie="y"), "allow or disallow"),
    (goodbot.DialectChoiceError, lambda: GOOGLE.replace(size_limit=-1), "a number from 0"),
]


@pytest.mark.parametrize(("error", "misuse", "cure"), MISUSES)
def test_every_message_tells_the_cure(
    error: type[goodbot.GoodbotError], misuse: Callable[[], object], cure: str
) -> None:
    """Misuse raises the right exception, and the message says how to fix it."""
    with pytest.raises(error, match=re.escape(cure)) as caught:
        misuse()
    assert type(caught.value) is error


def test_every_exception_that_can_be_raised_is_tried() -> None:
    """Each exception below `MisuseError` is among the misuses above."""
    tried = {error for error, _, _ in MISUSES}
    classes = {getattr(goodbot.errors, name) for name in goodbot.errors.__all__}
    assert {one for one in classes if issubclass(one, goodbot.MisuseError)} - tried == {
        goodbot.MisuseError
    }
