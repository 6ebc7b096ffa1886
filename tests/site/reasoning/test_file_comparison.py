"""A change of robots.txt is reported for every robot that it concerns, and for no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import bots
from goodbot.site.reasoning import (
    FieldChange,
    FileComparison,
    RobotComparison,
    RulesComparison,
    case_comparisons,
    compare,
    compare_files,
    count_url_changes,
)
from goodbot.site.reasoning.difference import counted_comparison
from goodbot.site.reasoning.path_reader import path_reader
from tests.support.examples import examples

SITE = "https://example.com"
LINES = st.lists(
    st.builds(
        "{}: {}".format,
        st.sampled_from(["Allow", "Disallow"]),
        st.sampled_from(["/", "/a", "/a/", "/*.pdf$", "/a*b", "/c?d=", "/%61", ""]),
    )
    | st.sampled_from(["Crawl-delay: 5", "Content-Usage: train-ai=n", "User-agnet: c"]),
    max_size=4,
)
GROUPS = st.lists(
    st.tuples(st.sampled_from(["*", "Googlebot", "AdsBot-Google", "GPTBot", "b"]), LINES),
    max_size=4,
)
TURNED = {"stricter": "laxer", "laxer": "stricter"}


def text_of(groups: list[tuple[str, list[str]]]) -> str:
    """Return a file with these groups."""
    return "\n".join(line for name, lines in groups for line in (f"User-agent: {name}", *lines))


def compared(before: str, after: str, dialect: str = "rfc9309") -> FileComparison:
    """Compare two texts."""
    return compare_files(
        *(goodbot.RobotsTxt(text.encode(), dialect=dialect) for text in (before, after))
    )


def of(found: FileComparison, name: str) -> RobotComparison:
    """Return the comparison for a robot."""
    (one,) = [one for one in found.robots if name in one.members]
    return one


@examples(200)
@given(GROUPS, GROUPS)
def test_examples_are_confirmed_and_turn_with_the_files(
    before: list[tuple[str, list[str]]], after: list[tuple[str, list[str]]]
) -> None:
    """Every example differs in the rules of each member; swapped, stricter is laxer."""
    one, other = (goodbot.RobotsTxt(text_of(groups)) for groups in (before, after))
    found, turned = compare_files(one, other), compare_files(other, one)
    assert turned.effect == TURNED.get(found.effect, found.effect)
    assert bool(found) == bool(turned)
    effects = {who(each): each.effect for each in turned.robots}
    assert effects == {who(each): TURNED.get(each.effect, each.effect) for each in found.robots}
    for each in found.robots:
        for difference in each.differences:
            url = difference.url
            verdicts = [rules.allows(url) for rules in each.rules]
            assert verdicts == [difference.before.allowed, difference.after.allowed]
            for name in each.names:
                assert verdicts == [file.allows(url, name) for file in (one, other)]
            for name in each.known:
                files = [goodbot.RobotsTxt(f.content, dialect=each.dialect) for f in (one, other)]
                assert verdicts == [
                    bots.rules_for(file, name, dialect=each.dialect).allows(url) for file in files
                ]


def who(each: RobotComparison) -> tuple[frozenset[str], str]:
    """Return which robots a comparison is about; a dialect may read robots apart."""
    return frozenset(each.members), each.dialect


@given(GROUPS, st.sampled_from(["rfc9309", "google", "yandex", "conner1996"]))
def test_a_file_is_the_same_as_itself(groups: list[tuple[str, list[str]]], dialect: str) -> None:
    """Nothing changes, for no robot, and that is certain; also if a comment is added."""
    text = text_of(groups)
    for other in (text, "# a comment\n" + text):
        found = compared(text, other, dialect)
        assert (found.effect, bool(found), found.is_complete) == ("same", False, True)


@examples(100)
@given(GROUPS, GROUPS)
def test_robots_that_no_class_names_obey_the_star(
    before: list[tuple[str, list[str]]], after: list[tuple[str, list[str]]]
) -> None:
    """For every robot asked about, the answer is that of its class."""
    one, other = (goodbot.RobotsTxt(text_of(groups)) for groups in (before, after))
    found = compare_files(one, other, own_dialects=False)
    for name in ("*", "Unknown", "GPTBot", "b"):
        known = [each for each in found.robots if name in each.names]
        each = known[0] if known else of(found, "*")
        for path in ("/", "/a", "/a/", "/x.pdf", "/ab", "/c?d=e"):
            pair = [file.allows(SITE + path, name) for file in (one, other)]
            assert pair == [rules.allows(SITE + path) for rules in each.rules]
            if pair[0] != pair[1]:
                assert each.effect != "same"


@pytest.mark.parametrize(
    ("before", "after", "effects"),
    [
        # A robot that is named obeys its own group only (RFC 9309 section 2.2.1).
        (
            "User-agent: *\nDisallow: /a",
            "User-agent: *\nDisallow: /a\nUser-agent: GPTBot\nDisallow: /b",
            {"*": "same", "GPTBot": "both"},
        ),
        (
            "User-agent: *\nDisallow: /",
            "User-agent: *\nDisallow: /\nUser-agent: Googlebot\nAllow: /",
            {"*": "same", "Googlebot": "laxer", "Googlebot-News": "laxer", "AdsBot-Google": "same"},
        ),
        # Robots that ignore the group for `*` are not concerned by it.
        ("", "User-agent: *\nDisallow: /", {"*": "stricter", "AdsBot-Google": "same"}),
    ],
)
def test_each_robot_has_its_own_effect(before: str, after: str, effects: dict[str, str]) -> None:
    """The effect is that on the groups which the robot obeys."""
    found = compared(before, after)
    assert {name: of(found, name).effect for name in effects} == effects


def test_rules_are_compared_as_bytes() -> None:
    """Two bytes that are shown alike are not the same rule."""
    one, other = (goodbot.RobotsTxt(b"User-agent: *\nDisallow: /" + b) for b in (b"\xff", b"\xfe"))
    assert compare_files(one, other).effect == "both"


def test_robots_with_equal_rules_are_reported_together() -> None:
    """Many groups that say the same are one entry, also where they were not before."""
    before = "User-agent: *\nDisallow: /a"
    after = before + "".join(f"\nUser-agent: bot{letter}\nDisallow: /" for letter in "abc")
    found = compared(before, after)
    assert of(found, "bota").names == ("bota", "botb", "botc")
    assert of(found, "bota").effect == "stricter"


def test_a_dialect_is_apart_only_where_it_matters() -> None:
    """Google reads no escape behind the path as RFC 9309 does; its robots are named then."""
    same = compared("User-agent: *\nDisallow: /a", "User-agent: *\nDisallow: /b")
    assert {one.dialect for one in same.robots} == {"rfc9309"}
    before, after = "User-agent: *\nDisallow: /a b", "User-agent: *\nDisallow: /a%20b"
    found = compared(before, after)
    usual = {one.dialect: one.effect for one in found.robots}
    assert usual["rfc9309"] == of(found, "*").effect
    for one in found.robots:
        if one.dialect != "rfc9309":
            assert one.known
            assert one.effect != of(found, "*").effect


def test_what_changes_beside_access_is_named() -> None:
    """Typed values are compared: another spelling of the same pace is no change."""
    head = "User-agent: *\nDisallow: /a\n"
    found = compared(
        head + "Crawl-delay: 120\nVisit-time: 0600-0845\nContent-Signal: ai-train=yes\n",
        head
        + "Crawl-delay: 2 minutes\nContent-Signal: ai-train=no\nSitemap: https://a.example/s\n",
    )
    assert found.effect == "same"
    assert bool(found)
    changes = [(one.field, one.before, one.after) for one in of(found, "*").changes]
    assert [name for name, _, _ in changes] == ["Visit-time", "Content-Signal"]
    assert changes[1] == ("Content-Signal", ("ai-train=yes",), ("ai-train=no",))
    assert [(one.field, one.after) for one in found.changes if one.field == "Sitemap"] == [
        ("Sitemap", ("https://a.example/s",))
    ]


def test_findings_alone_are_no_difference() -> None:
    """A new finding is named, but robots do what they did."""
    before, after = "User-agent: *\nDisallow: /a", "User-agent: *\nDisallow: /a\nNoise: x"
    found = compare_files(*map(goodbot.RobotsTxt, (before, after)), own_dialects=False)
    assert not found
    # Kollar's draft drops a record with a field that it does not know.
    every = compared(before, after)
    assert [one.dialect for one in every.dialects if not one.is_same] == ["kollar1996"]
    assert [one.field for one in found.changes] == ["findings"]


def test_undecided_is_not_the_same() -> None:
    """Beyond the bound of states the effect is unknown, and nothing says that it is none."""
    lines = [f"Disallow: /*{a}*{b}" for a in "abcd" for b in "efgh"]
    before = "\n".join(["User-agent: *", *lines])
    one, other = (
        goodbot.RobotsTxt(text) for text in (before, before + "\nAllow: /*abcd*abcd*abcd*x$")
    )
    found = compare_files(one, other, own_dialects=False, most_states=20)
    assert (found.effect, found.is_complete) == ("unknown", False)
    assert found.may_be("stricter") is None


def test_names_beyond_the_bound_are_named() -> None:
    """What was not compared is not called the same."""
    before = "".join(f"User-agent: a{n}\nDisallow: /{n}\n" for n in range(5))
    one, other = goodbot.RobotsTxt(before), goodbot.RobotsTxt(before)
    found = compare_files(one, other, most_names=3)
    assert found.unexamined == ("a2", "a3", "a4")
    assert (found.effect, found.may_be("laxer")) == ("unknown", None)


def test_many_names_share_the_rules_of_everyone() -> None:
    """The rules for `*` are kept once, however many robots leave them."""
    star = "User-agent: *\n" + "".join(f"Disallow: /{n}\n" for n in range(100))
    after = star + "".join(f"User-agent: a{n}\nDisallow: /b{n}\n" for n in range(300))
    found = compared(star, after)
    assert (len(found.robots) >= 301, found.is_complete) == (True, True)
    assert len({id(one.rules[0]) for one in found.robots if one.dialect == "rfc9309"}) <= 2


def test_urls_are_counted() -> None:
    """Each URL counts for the robots for which it changes, in any number of batches."""
    before = "User-agent: *\nDisallow: /a"
    found = compared(before, "User-agent: *\nDisallow: /b\nUser-agent: GPTBot\nDisallow: /")
    urls = [f"{SITE}/{letter}/{n}" for n in range(7000) for letter in "abc"]
    counted = count_url_changes(found, iter(urls))
    assert counted.urls == len(urls)
    by_name = {one.robots.members[0]: one for one in counted.counts}
    star, named = by_name["*"], by_name["GPTBot"]
    assert (star.newly_disallowed, star.newly_allowed) == (7000, 7000)
    assert (named.newly_disallowed, named.newly_allowed) == (14000, 0)
    assert star.allowed_examples[0] == f"{SITE}/a/0"
    assert len(star.disallowed_examples) == 5
    assert bool(counted)
    assert not count_url_changes(compared(before, before), urls)


def test_dialects_that_compare_paths_alike_are_compared_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Equal rules are searched once for all robots, whatever their dialects and other fields."""
    searched: list[tuple[str, ...]] = []

    def counted(
        before: goodbot.Rules, after: goodbot.Rules, most: int
    ) -> tuple[RulesComparison, int]:
        searched.append((path_reader_name(before), *(rule.text for rule in before)))
        return counted_comparison(before, after, most)

    monkeypatch.setattr(case_comparisons, "counted_comparison", counted)
    group = "User-agent: {}\nDisallow: /x\nCrawl-delay: {}\n"
    text = "".join(group.format(name, delay) for delay, name in enumerate("AB", start=1))
    found = compared(text, text.replace("/x", "/y").replace("delay: 2", "delay: 3"))
    assert len(searched) == len(set(searched))
    each = {one.names: one for one in found.robots if one.dialect == "rfc9309"}
    assert [rule.line for rule in each["A",].rules[0]] == [2]
    assert [one.before.rule.line for one in each["B",].differences if one.before.rule] == [5]
    assert each["B",].changes == (FieldChange("Crawl-delay", ("2",), ("3",)),)


def path_reader_name(rules: goodbot.Rules) -> str:
    """Return what names the way in which the dialect of rules compares paths."""
    return repr(path_reader(goodbot.dialect(rules.dialect)))


@examples(60)
@given(GROUPS, GROUPS)
def test_shared_comparisons_are_those_of_each_robot(
    before: list[tuple[str, list[str]]], after: list[tuple[str, list[str]]]
) -> None:
    """Each result is what a comparison of these two sets of rules alone finds, line by line."""
    files = [goodbot.RobotsTxt(text_of(groups)) for groups in (before, after)]
    for each in compare_files(*files).robots:
        alone = compare(*each.rules)
        assert each.access.is_complete
        assert each.effect == alone.effect
        assert {
            (one.before.allowed, one.after.allowed, len(one.path)) for one in each.differences
        } == {(one.before.allowed, one.after.allowed, len(one.path)) for one in alone.differences}
        for one in each.differences:
            verdicts = [rules.verdict(one.url) for rules in each.rules]
            assert [str(one.before), str(one.after)] == [str(verdict) for verdict in verdicts]


@examples(60)
@given(GROUPS, GROUPS)
def test_known_robots_read_what_their_dialects_say(
    before: list[tuple[str, list[str]]], after: list[tuple[str, list[str]]]
) -> None:
    """A robot that is not reported apart differs on no path from the robots that it belongs to."""
    files = [goodbot.RobotsTxt(text_of(groups)) for groups in (before, after)]
    found = compare_files(*files)
    for robot in ("bingbot", "Googlebot", "YandexBot", "Applebot"):
        known = bots.get(robot)
        own = [
            bots.rules_for(goodbot.RobotsTxt(file.content, dialect=known.dialect), known).rules
            for file in files
        ]
        if None in own:
            continue
        named = [one for one in found.robots if robot in one.members] or [of(found, "*")]
        # Where its dialect makes a difference, the robot is named once more, with that dialect.
        each = next((one for one in named if one.dialect == known.dialect), named[0])
        truth = compare(*(one for one in own if one is not None))
        assert (truth.effect == "same") == (each.effect == "same")
