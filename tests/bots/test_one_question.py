"""`goodbot.verdict` against a plain twin, which chooses the group by hand and compares twice."""

import copy
import pickle
import threading
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import bots
from goodbot.errors import NoOriginError, OtherOriginError, RobotNameError, UnknownDialectError
from goodbot.history import PolicyTimeline
from goodbot.policy import Policy
from tests.support.examples import examples
from tests.support.spellings import spellings_of

SITE = "https://a.example"
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
ROBOTS = st.sampled_from(
    ["ExampleBot", "examplebot/2.0", "Googlebot", "Googlebot-News", "AdsBot-Google", "Applebot",
     "AdsBot-Google-clone", "YandexBot", "YandexCalendar", "DuckDuckBot", "GPTBot", "bingbot",
     "Google-Extended", "*"]
)  # fmt: skip
AGENTS = st.sampled_from(
    ["*", "ExampleBot", "Googlebot", "Googlebot-News", "AdsBot-Google", "Yandex", "YandexBot",
     "GPTBot", "bingbot", "Applebot"]
)  # fmt: skip
PIECES = st.sampled_from(["/", "a", "b", "%61", "%2F", "*", "$", "?", "é", ".", "..", "~", "%7E"])
PATHS = st.lists(PIECES, max_size=4).map(lambda pieces: "/" + "".join(pieces))
RULES = st.tuples(st.sampled_from(["Allow", "Disallow"]), PATHS).map(": ".join)
GROUPS = st.tuples(st.lists(AGENTS, min_size=1, max_size=2), st.lists(RULES, max_size=3))
FILES = st.lists(GROUPS, max_size=3)
DIALECTS = st.sampled_from(["rfc9309", "google", "lwp", "yandex", "koster1994"])
STATUSES = st.sampled_from([200, 200, 200, 404, 403, 429, 503])


def text_of(groups: list[tuple[list[str], list[str]]]) -> bytes:
    """Return a file with these groups."""
    blocks = ["\n".join([*(f"User-agent: {one}" for one in names), *rules])
              for names, rules in groups]  # fmt: skip
    return "\n\n".join(blocks).encode()


def allowed_by_name(file: goodbot.RobotsTxt, url: str, name: str) -> bool:
    """Return the literal answer on every spelling of a URL."""
    return all(file.verdict(one, name).allowed for one in spellings_of(url))


def allowed_by_hand(file: goodbot.RobotsTxt, url: str, robot: str) -> bool:
    """Return the answer of the operator: the first token that a group names, or the rest."""
    known = bots.known(robot)
    if known is None:
        return allowed_by_name(file, url, robot)
    read = file
    if known.dialect is not None:
        read = goodbot.RobotsTxt(file.content, dialect=known.dialect)
    tokens = known.tokens or (known.name,)
    for token in tokens:
        if read.rules_for(token).selection.how in {"named", "leading-token"}:
            return allowed_by_name(read, url, token)
    return known.ignores_star is True or allowed_by_name(read, url, tokens[0])


@examples(300)
@given(FILES, DIALECTS, PATHS, ROBOTS)
def test_a_file_is_asked_as_by_hand(
    groups: list[tuple[list[str], list[str]]], dialect: str, path: str, robot: str
) -> None:
    """Whichever group is obeyed, in whichever dialect; asked again, and for many URLs."""
    file = goodbot.RobotsTxt(text_of(groups), dialect=dialect)
    url = SITE + path
    expected = allowed_by_hand(file, url, robot)
    found = goodbot.verdict(file, url, robot)
    assert found.allowed is expected
    assert goodbot.verdict(file, url.encode(), robot).allowed is expected
    assert goodbot.verdict(file, url, robot) == found
    assert bots.rules_for(file, robot).allows_many([url, url.encode()]) == [expected, expected]
    check_value(found)


@examples(300)
@given(FILES, DIALECTS, PATHS, ROBOTS, STATUSES)
def test_who_fetches_is_never_laxer(
    groups: list[tuple[list[str], list[str]]], dialect: str, path: str, robot: str, status: int
) -> None:
    """Neither than the operator says, nor than the names in the file."""
    body = text_of(groups) if status == 200 else b""
    policy = Policy.from_response(f"{SITE}/robots.txt", status, {}, body, now=NOON, dialect=dialect)
    url = SITE + path
    found, fetching = goodbot.verdict(policy, url, robot), policy.may_fetch(url, robot)
    assert policy.allows(url, robot) is found.allowed
    if policy.robots_txt is not None:
        literal = allowed_by_name(policy.robots_txt, url, robot)
        assert found.allowed is allowed_by_hand(policy.robots_txt, url, robot)
    else:
        literal = policy.access == "allow-all"
    assert fetching.allowed is (found.allowed and literal)
    for verdict in (found, fetching):
        check_value(verdict)
    timeline = PolicyTimeline.of([policy])
    assert goodbot.verdict(timeline, url, robot, NOON).allowed is found.allowed
    check_value(goodbot.verdict(timeline, url, robot, NOON - timedelta(days=1)))


def check_value(verdict: goodbot.Verdict) -> None:
    """Check that a verdict is a value, and can be shown in every way."""
    unpickled = pickle.loads(pickle.dumps(verdict))  # noqa: S301  its own
    for other in (unpickled, copy.copy(verdict), copy.deepcopy(verdict)):
        assert other == verdict
        assert hash(other) == hash(verdict)
        assert other.as_dict() == verdict.as_dict()
    assert bool(verdict) is verdict.allowed is verdict.as_dict()["allowed"]
    assert str(verdict).startswith("Allowed" if verdict else "Disallowed")
    assert verdict.reason in repr(verdict)
    assert verdict._repr_html_()


@pytest.mark.parametrize("hours", [-1, 1, 99])
def test_misuse_is_misuse_at_any_time(hours: int) -> None:
    """Also where nothing is known of the time that is asked about."""
    body = b"User-agent: *\nAllow: /"
    policy = Policy.from_response(f"{SITE}/robots.txt", 200, {}, body, now=NOON)
    at = NOON + timedelta(hours=hours)
    for source in (policy, PolicyTimeline.of([policy])):
        for robot in ("", " ", "https://example.com/bot"):
            with pytest.raises(RobotNameError):
                goodbot.verdict(source, f"{SITE}/a", robot, at)
        with pytest.raises(NoOriginError):
            goodbot.verdict(source, "/a", "ExampleBot", at)
        with pytest.raises(OtherOriginError):
            goodbot.verdict(source, "https://b.example/a", "ExampleBot", at)
        with pytest.raises(UnknownDialectError):
            goodbot.verdict(source, f"{SITE}/a", "ExampleBot", at, dialect="")


def kept_by(source: goodbot.RobotsTxt | Policy) -> dict[str, object]:
    """Return what a source keeps for the robots that it was asked about."""
    return dict(source._judges)  # noqa: SLF001  nobody else sees it


def test_a_source_keeps_few_robots_and_small_rules() -> None:
    """However many are asked about, and however large their rules are."""
    large = "".join(f"Disallow: /{number:>040}\n" for number in range(3_000))
    file = goodbot.RobotsTxt(f"User-agent: Large\n{large}\nUser-agent: *\nDisallow: /a")
    policy = Policy.from_response(f"{SITE}/robots.txt", 200, {}, file.content, now=NOON)
    names = ["Large", *(f"robot{number}" for number in range(1_000)), "x" * 1_000]
    for source in (file, policy):
        for name in names:
            assert goodbot.verdict(source, f"{SITE}/a", name).allowed is (name == "Large")
        assert 0 < len(kept_by(source)) <= 256
        assert not {"Large", names[-1]} & set(kept_by(source))
    for name in names:
        policy.may_fetch(f"{SITE}/a", name)
    assert 0 < len(policy._fetchers) <= 256  # noqa: SLF001  nobody else sees it


def test_threads_may_share_a_source() -> None:
    """Each has its answer, whatever is kept and dropped meanwhile."""
    file = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /a\nUser-agent: Googlebot\nDisallow: /b")
    wrong = []

    def ask(first: int) -> None:
        for number in range(2_000):
            name = f"robot{(first + number * 7) % 400}"
            if goodbot.verdict(file, f"{SITE}/a", name) or not goodbot.verdict(
                file, f"{SITE}/b", name
            ):
                wrong.append(name)
            if goodbot.verdict(file, f"{SITE}/b", "Googlebot-News"):
                wrong.append("Googlebot-News")

    threads = [threading.Thread(target=ask, args=(first,)) for first in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong
    assert len(kept_by(file)) <= 256 + len(threads)


def test_what_a_robot_obeys_is_a_value() -> None:
    """It is equal only if it decides alike: what a fetcher obeys, too, is part of it."""
    file = goodbot.RobotsTxt(b"User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /")
    policy = Policy.from_response(f"{SITE}/robots.txt", 200, {}, file.content, now=NOON)
    for source in (file, policy):
        asked = bots.rules_for(source, "Applebot")
        fetching = bots.rules_for(source, "Applebot", fetching=True)
        assert (asked.allows(f"{SITE}/b"), fetching.allows(f"{SITE}/b")) == (True, False)
        assert asked != fetching
        for one in (asked, fetching):
            same = pickle.loads(pickle.dumps(one))  # noqa: S301  its own
            assert (same, hash(same), copy.deepcopy(one)) == (one, hash(one), one)
            assert same.verdict(f"{SITE}/b") == one.verdict(f"{SITE}/b")


def test_a_known_robot_is_named_whatever_the_site_answers() -> None:
    """Also where no file decides, and where nothing is known of the time."""
    answers = [(200, b"User-agent: *\nDisallow: /a"), (404, b""), (429, b""), (503, b"")]
    for status, body in answers:
        policy = Policy.from_response(f"{SITE}/robots.txt", status, {}, body, now=NOON)
        for at in (None, NOON, NOON - timedelta(days=1)):
            found = goodbot.verdict(policy, f"{SITE}/a", "Googlebot-News/2.0", at)
            assert (found.known_robot, found.robot) == ("Googlebot-News", "Googlebot-News/2.0")
            assert found.obeys is True
            other = goodbot.verdict(policy, f"{SITE}/a", "ExampleBot", at)
            assert (other.known_robot, other.obeys) == (None, None)


@pytest.mark.parametrize("robot", ["\ud800", "\ud800bot", "Bot\udfff/1.0"])
def test_a_name_with_a_lone_surrogate_can_be_shown(robot: str) -> None:
    """No table of robots has it, so it obeys the group for everyone."""
    body = b"User-agent: *\nDisallow: /a"
    policy = Policy.from_response(f"{SITE}/robots.txt", 200, {}, body, now=NOON)
    missing = Policy.from_response(f"{SITE}/robots.txt", 404, {}, b"", now=NOON)
    for source in (goodbot.RobotsTxt(body), policy, missing):
        found = goodbot.verdict(source, f"{SITE}/a", robot)
        assert found.allowed is (source is missing)
        check_value(found)
