"""The conformance cases of policies, and their surroundings: stores, redirects, misuse."""

import datetime as dt
import json
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

import goodbot
import goodbot.policy
from goodbot.policy import Policy, PolicyDialect, freshness, http_date, next_hop, policy_dialect
from tests.support import conformance_cases as data

NOON = dt.datetime(2025, 1, 1, tzinfo=dt.timezone.utc)
HOUR = dt.timedelta(hours=1)
URL = "http://h.example/robots.txt"
FILE = "User-agent: *\nDisallow: /private\n"


def by_id(case: data.Case) -> str:
    """Name a test by its case."""
    return str(case["id"])


def expanded(folder: str) -> Iterator[data.Case]:
    """Yield the cases of a folder; those of several statuses or failures one by one."""
    for case in data.cases(folder):
        several = [("status", one) for one in case.get("statuses", [])]
        several += [("failure", one) for one in case.get("failures", [])]
        for name, one in several:
            yield case | {name: one, "id": f"{case['id']}-{one}"}
        if not several:
            yield case


def octets(step: dict[str, Any], default: str = "") -> bytes:
    """Return the body of an answer, which can be written in any of three ways."""
    if "body_hex" in step:
        return bytes.fromhex(step["body_hex"])
    if "body_parts" in step:
        return "".join(text * times for text, times in step["body_parts"]).encode()
    return str(step.get("body", default)).encode()


def choices(case: data.Case) -> dict[str, Any]:
    """Return the dialect of a case, with the choices that the case changes."""
    name = case.get("dialect", "rfc9309")
    changed = {key: case[key] for key in ("outcomes", "ladder") if key in case}
    if "ladder" in changed:
        changed["ladder"] = [
            (None if until == "for ever" else until, *answers)
            for until, *answers in changed["ladder"]
        ]
    return {"dialect": name, "policy_dialect": policy_dialect(name).replace(**changed)}


def play(case: data.Case) -> Policy:
    """Make the policies of a case, one after the other, and return the last."""
    policy: Policy | None = None
    for step in case.get("steps", [case]):
        given: dict[str, Any] = choices(case) | {
            "now": NOON + step.get("at", 0) * HOUR,
            "previous": policy,
            "site_reachable": step.get("site_reachable"),
        }
        if "failure" in step:
            policy = Policy.from_failure(URL, step["failure"], **given)
        else:
            headers = step.get("headers", {})
            given["truncated"] = step.get("truncated", False)
            policy = Policy.from_response(URL, step["status"], headers, octets(step), **given)
    assert policy is not None
    return policy


def walk(case: data.Case) -> Policy:
    """Follow the redirects of a case hop by hop, and return the policy of the last answer."""
    hops, last = [URL], len(case["walk"]) - 1
    limit = case.get("limit", policy_dialect(case.get("dialect", "rfc9309")).redirect_limit)
    for place, (status, location) in enumerate(case["walk"]):
        headers = {"Location": location} if location else {}
        hop = next_hop(hops[-1], status, headers, hops, limit=limit)
        assert bool(hop) is (place < last), hop
        if hop.url is not None:
            hops.append(hop.url)
    assert hop.outcome == case["hop"]
    assert hops == case.get("urls", hops)
    return Policy.from_response(
        URL, status, headers, octets(case), now=NOON, hops=hops, **choices(case)
    )


def judge(case: data.Case, policy: Policy) -> None:
    """Compare a policy with the expectations of a case."""
    told = f"{case['authority']}: {case['why']}\n{policy}"
    assert policy.access == case["access"], told
    for name in ("reason", "outcome"):
        assert getattr(policy, name) == case.get(name, getattr(policy, name)), told
    if "retry_seconds" in case:
        assert policy.retry_at is not None, told
        assert (policy.retry_at - policy.fetched_at).total_seconds() == case["retry_seconds"], told
        assert policy.fresh_until == policy.retry_at, told
    codes = [finding.code for finding in policy.findings]
    assert [code for code in case.get("findings", []) if code not in codes] == [], told
    for robot, url, allowed in case.get("checks", []):
        verdict = policy.verdict(url, robot)
        assert verdict.allowed is allowed, f"{told}\n{verdict}"
        assert policy.allows(url, robot) is allowed
    assert Policy.from_record(policy.as_record()) == policy


@pytest.mark.parametrize("case", list(expanded("status")), ids=by_id)
def test_status(case: data.Case) -> None:
    """Every outcome means what the documents of the dialect say."""
    judge(case, walk(case) if "walk" in case else play(case))


def freshness_cases(kind: str) -> list[data.Case]:
    """Return the cases of conformance/freshness that have this key."""
    return [case for case in data.cases("freshness") if kind in case]


@pytest.mark.parametrize("case", freshness_cases("expect"), ids=by_id)
def test_freshness(case: data.Case) -> None:
    """A header means what RFC 9111 states."""
    received = NOON - dt.timedelta(seconds=case.get("received_before", 0))
    requested = received - dt.timedelta(seconds=case.get("requested_before", 0))
    told = freshness(
        case["headers"],
        now=NOON,
        received=received,
        requested=requested,
        shared=case.get("shared", False),
    )
    for name, expected in case["expect"].items():
        value = getattr(told, name)
        if value is None:
            value = "none"
        value = list(value) if isinstance(value, tuple) else value
        assert value == expected, (name, case["why"], told)


@pytest.mark.parametrize("case", freshness_cases("text"), ids=by_id)
def test_date(case: data.Case) -> None:
    """A date is read in three forms, and in no other."""
    date = http_date(case["text"], now=NOON)
    assert ("none" if date is None else date.isoformat()) == case["date"]


LIVES = [case for case in freshness_cases("seconds") if "stored" not in case]


@pytest.mark.parametrize("case", LIVES, ids=by_id)
def test_life(case: data.Case) -> None:
    """A policy lives as long as the dialect states."""
    now = dt.datetime.fromisoformat(case.get("now", NOON.isoformat()))
    policy = Policy.from_response(
        URL,
        case.get("status", 200),
        case.get("headers", {}),
        octets(case, FILE),
        now=now,
        dialect=case.get("dialect", "rfc9309"),
    )
    told = (case["authority"], case["why"], policy.freshness)
    assert (policy.fresh_until - now).total_seconds() == case["seconds"], told
    assert policy.is_fresh(policy.fresh_until - dt.timedelta(microseconds=1))
    assert not policy.is_fresh(policy.fresh_until)
    assert policy.storable is case.get("storable", True)
    codes = [finding.code for finding in policy.findings]
    assert [code for code in case.get("findings", []) if code not in codes] == []


@pytest.mark.parametrize("case", freshness_cases("stored"), ids=by_id)
def test_revalidation(case: data.Case) -> None:
    """A 304 keeps the body and starts new lifetimes; any other answer replaces it."""
    dialect = case.get("dialect", "rfc9309")
    first = Policy.from_response(URL, 200, case["stored"], FILE, now=NOON, dialect=dialect)
    assert first.conditional_headers() == case["asks"]
    now = NOON + case["after"] * HOUR
    status = case.get("status", 304)
    body = FILE if status == 200 else ""
    second = Policy.from_response(
        URL, status, case.get("headers", {}), body, now=now, dialect=dialect, previous=first
    )
    judge(case, second)
    assert (second.fresh_until - now).total_seconds() == case["seconds"], case["why"]
    if second.access == "rules":
        assert second.robots_txt is not None
        assert second.robots_txt.content == FILE.encode()
    if second.outcome == "not-modified":
        assert second.robots_txt is first.robots_txt, "it is not read again"
    assert second.conditional_headers() == case.get("asks_again", case["asks"])


def test_every_case_is_tried_and_has_its_own_id() -> None:
    """No case is ignored because of its keys."""
    kinds = [freshness_cases(kind) for kind in ("expect", "text", "stored")]
    assert sum(map(len, kinds)) + len(LIVES) == len(data.cases("freshness"))
    ids = [case["id"] for folder in ("status", "freshness") for case in data.cases(folder)]
    assert len(set(ids)) == len(ids)


# Tables.


@pytest.mark.parametrize("dialect", goodbot.dialects(), ids=lambda dialect: str(dialect.name))
def test_every_dialect_says_what_every_outcome_means(dialect: goodbot.Dialect) -> None:
    """There is a complete table for each dialect, with the source of each row."""
    table = goodbot.policy.status_table(dialect)
    assert [row[0] for row in table] == list(goodbot.policy.OUTCOMES)
    for outcome, _, treatment, source in table:
        assert treatment in goodbot.policy.TREATMENTS, outcome
        assert source, outcome


def test_the_dialects_are_those_of_the_core() -> None:
    """The names are the same, and each has sources."""
    names = [dialect.name for dialect in goodbot.dialects()]
    assert list(goodbot.policy.POLICY_DIALECTS) == names
    assert all(one.sources for one in goodbot.policy.POLICY_DIALECTS.values())


def test_slugs_of_policies_are_not_those_of_rules() -> None:
    """A verdict has one reason, and states which list it is from."""
    rules = {slug for slug, _ in goodbot.reasons()}
    assert not rules & {slug for slug, _ in goodbot.policy.reasons()}


def test_a_dialect_with_other_choices_has_the_policy_of_its_base() -> None:
    """`Dialect.replace` changes how rules are read; the meaning of statuses stays the same."""
    dialect = goodbot.dialect("draft1996").replace(tie="disallow")
    policy = Policy.from_response(URL, 403, {}, b"", now=NOON, dialect=dialect)
    assert (policy.access, policy.dialect) == ("disallow-all", dialect)


def test_a_dialect_of_another_name_must_say_which_policy_it_has() -> None:
    """A wrong choice raises, and the message says how to fix it."""
    dialect = goodbot.dialect("google").replace(name="mine")
    with pytest.raises(goodbot.UnknownDialectError, match="policy_dialect="):
        Policy.from_response(URL, 404, {}, b"", now=NOON, dialect=dialect)
    policy = Policy.from_response(
        URL, 404, {}, b"", now=NOON, dialect=dialect, policy_dialect="google"
    )
    assert Policy.from_record(policy.as_record()) == policy


# The face.


def test_a_verdict_is_one_of_rules_where_there_are_rules() -> None:
    """The rule, its line and its reason are those of the file; all of it converts to JSON."""
    policy = Policy.from_response(URL, 200, {}, FILE, now=NOON)
    verdict = policy.verdict("http://h.example/private/a", "ExampleBot")
    assert not verdict
    assert (verdict.reason, verdict.source) == ("rule-disallows", "robots.txt line 2")
    assert verdict.rule is not None
    assert verdict.rule.line == 2
    assert verdict.rules is not None
    assert str(verdict) == str(verdict.rules)
    assert json.loads(json.dumps(verdict.as_dict()))["rules"]["reason"] == "rule-disallows"
    rules = policy.rules_for("ExampleBot")
    assert rules is not None
    assert not rules.allows("/private")


RETRY = "2025-01-01 00:05:00 UTC"
SENTENCES = [
    (404, "Allowed: ", "not-found", ""),
    (429, "Disallowed: ", "too-many-requests", RETRY),
    ("dns", "Disallowed: ", "failure-dns", RETRY),
]


@pytest.mark.parametrize(("answer", "outcome", "reason", "retry"), SENTENCES)
def test_a_verdict_is_a_sentence(answer: int | str, outcome: str, reason: str, retry: str) -> None:
    """The outcome comes first, then the result of the request, then when to repeat it.

    The words are in tests/words.
    """
    if isinstance(answer, int):
        policy = Policy.from_response(URL, answer, {}, b"", now=NOON)
    else:
        policy = Policy.from_failure(URL, answer, now=NOON)
    verdict = policy.verdict("http://h.example/a", "ExampleBot")
    assert str(verdict).startswith(f"{outcome}{verdict.source}")
    assert f"({reason}; dialect rfc9309)" in str(verdict)
    assert str(verdict).endswith(f" {retry}." if retry else ").")
    assert verdict.rules is None
    assert policy.rules_for("ExampleBot") is None
    assert policy.robots_txt is None


def test_a_sentence_of_a_stored_copy_says_so() -> None:
    """The sentence says that the request failed, and why."""
    first = Policy.from_response(URL, 200, {}, FILE, now=NOON)
    second = Policy.from_failure(URL, "timeout", now=NOON + 24 * HOUR, previous=first)
    said = str(second.verdict("http://h.example/private", "ExampleBot"))
    assert said.startswith("Disallowed: line 2")
    assert " This is from a stored copy, because robots.txt could not be fetched: " in said


def test_robots_txt_itself_is_as_the_dialect_has_it() -> None:
    """RFC 9309 always allows it, or it could not be fetched again; google/robotstxt does not."""
    closed = Policy.from_response(URL, 503, {}, b"", now=NOON)
    assert closed.verdict(URL, "ExampleBot").reason == "robots-txt-itself"
    google = Policy.from_response(URL, 503, {}, b"", now=NOON, dialect="google")
    assert not google.allows(URL, "ExampleBot")


def test_an_origin_is_scheme_host_and_port() -> None:
    """A policy answers for its own origin, in any spelling, and for no other."""
    policy = Policy.from_response("http://H.example:80/robots.txt", 404, {}, b"", now=NOON)
    assert (policy.url, policy.origin) == (URL, "http://h.example")
    assert policy.allows("HTTP://h.EXAMPLE/a", "ExampleBot")
    for other in ("https://h.example/", "http://h.example:8080/", "http://www.h.example/"):
        with pytest.raises(goodbot.OtherOriginError, match="make a policy of"):
            policy.allows(other, "ExampleBot")


def test_time_has_a_zone() -> None:
    """Any zone is accepted, and reported in UTC; naive times are refused everywhere."""
    zone = dt.timezone(dt.timedelta(hours=5))
    policy = Policy.from_response(URL, 404, {}, b"", now=NOON.astimezone(zone))
    assert policy.fetched_at == NOON
    assert policy.fetched_at.tzinfo is dt.timezone.utc
    naive = NOON.replace(tzinfo=None)
    for misuse in (
        lambda: policy.is_fresh(naive),
        lambda: freshness({}, now=naive),
        lambda: Policy.from_failure(URL, "dns", now=naive),
    ):
        with pytest.raises(goodbot.WrongValueError, match=r"datetime.now\(timezone.utc\)"):
            misuse()


def test_headers_come_in_many_forms() -> None:
    """A mapping, pairs, bytes, lists, nothing: all are accepted as a header."""
    forms = (
        {"Retry-After": "600"},
        {b"retry-after": b"600"},
        [("RETRY-AFTER", " 600 ")],
        {"Retry-After": ["600", "900"]},
        {"Retry-After": ("600",)},
    )
    for headers in forms:
        policy = Policy.from_response(URL, 503, headers, None, now=NOON)
        assert policy.retry_at == NOON + dt.timedelta(minutes=10), headers
    assert Policy.from_response(URL, 404, None, None, now=NOON).access == "allow-all"


@pytest.mark.parametrize("headers", ["Retry-After: 5", [("a",)], ["ab"], {"a": 1}, 5])
def test_headers_that_are_none_are_refused(headers: object) -> None:
    """The message shows how to pass a header."""
    with pytest.raises(goodbot.WrongTypeError, match="max-age=3600"):
        Policy.from_response(URL, 404, headers, b"", now=NOON)


def test_hops_may_begin_with_the_address_or_leave_it_out() -> None:
    """Both mean the same redirects."""
    given = [[URL, "https://www.example/r"], ["https://www.example/r"]]
    policies = [Policy.from_response(URL, 404, {}, b"", now=NOON, hops=hops) for hops in given]
    assert policies[0] == policies[1]
    assert policies[0].hops == ("https://www.example/r",)


def test_another_dialect_reads_the_stored_copy_anew() -> None:
    """A 304 confirms the bytes; their meaning depends on the dialect in use."""
    body = "User-agent: *\nDisallow: /*.gif\n"
    first = Policy.from_response(URL, 200, {"ETag": '"a"'}, body, now=NOON)
    second = Policy.from_response(
        URL, 304, {}, b"", now=NOON + HOUR, previous=first, dialect="koster1994"
    )
    assert not first.allows("http://h.example/a.gif", "ExampleBot")
    assert second.allows("http://h.example/a.gif", "ExampleBot")


# Stores.


def test_a_record_is_plain_and_whole() -> None:
    """Except the bytes of the body it is JSON; the policy that it restores is equal."""
    mine = policy_dialect("google").replace(
        outcomes={"not-found": "defer"}, shortest_life=60, ladder=[(None, "copy", "disallow-all")]
    )
    policy = Policy.from_response(
        URL,
        200,
        {"ETag": '"a"', "Cache-Control": "max-age=7", "Set-Cookie": "secret"},
        FILE,
        now=NOON,
        dialect=goodbot.dialect("google").replace(tie="disallow"),
        policy_dialect=mine,
        hops=["https://www.example/r"],
    )
    record = policy.as_record()
    assert record["copy"].pop("body") == FILE.encode()
    plain = json.dumps(record)
    assert "secret" not in plain
    again = json.loads(plain)
    again["copy"]["body"] = FILE.encode()
    restored = Policy.from_record(again)
    assert restored == policy
    assert restored.policy_dialect == mine
    assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301 - our own
    assert restored.as_dict() == policy.as_dict()
    json.dumps(policy.as_dict())


DAMAGES: list[dict[str, Any]] = [
    {"form": 2},
    {"access": "everything"},
    {"reason": "because"},
    {"outcome": "none"},
    {"copy": None},
    {"copy": {"body": None}},
    {"fresh_until": None},
    {"fresh_until": "tomorrow"},
    {"fresh_until": "2025-01-01T00:00:00"},
    {"dialect": {"base": "x"}},
    {"policy_dialect": {"base": "rfc9309", "choices": {"x": 1}}},
    {"findings": [1]},
    {"url": None},
    {"status": "200"},
]


@pytest.mark.parametrize("damage", DAMAGES, ids=str)
def test_a_record_that_is_not_whole_is_no_permission(damage: dict[str, Any]) -> None:
    """It is refused, and the message says how to fix it."""
    record = Policy.from_response(URL, 200, {}, FILE, now=NOON).as_record() | damage
    with pytest.raises(goodbot.WrongValueError, match=r"fetch robots\.txt again"):
        Policy.from_record(record)


def test_a_policy_does_not_change() -> None:
    """No attribute can be set."""
    policy = Policy.from_failure(URL, "dns", now=NOON)
    with pytest.raises(AttributeError, match="immutable"):
        policy.access = "allow-all"  # type: ignore[misc]


BAD_CHOICES: list[tuple[dict[str, Any], str]] = [
    ({"x": 1}, "choose one of name, outcomes"),
    ({"default_life": -1}, "a number, 0 or more"),
    ({"shortest_life": "5"}, "a number, 0 or more"),
    ({"outcomes": {"x": "defer"}}, "use one of found"),
    ({"outcomes": {"not-found": "x"}}, "use one of parse"),
    ({"ladder": []}, "until=None"),
    ({"ladder": [(5, "copy", "allow-all")]}, "until=None"),
    ({"ladder": [(None, "copy", "copy")]}, "copy needs a copy"),
]


@pytest.mark.parametrize(("changed", "cure"), BAD_CHOICES, ids=str)
def test_a_choice_that_is_none_is_refused(changed: dict[str, Any], cure: str) -> None:
    """The message lists the choices."""
    dialect: PolicyDialect = policy_dialect("rfc9309")
    with pytest.raises(goodbot.DialectChoiceError, match=cure):
        dialect.replace(**changed)
