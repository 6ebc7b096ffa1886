"""Robots are in one class exactly if they obey the same groups in each file."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import bots
from goodbot.errors import WrongTypeError
from goodbot.site.reasoning import robot_classes, robot_names
from goodbot.site.reasoning.robot_classes import choices, family_choice, leading_token

NAMES = ["*", "a", "b", "a-x", "ab", "Foo Bar", "Foo", "MJ", "MJ12bot", "Googlebot/2.1"]
GROUPS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
        st.lists(
            st.sampled_from(["Disallow: /1", "Allow: /2", "Crawl-delay: 3", "User-agnet: b"]),
            max_size=3,
        ),
    ),
    max_size=4,
)
DIALECTS = ["rfc9309", "google", "yandex", "koster1994", "conner1996", "lwp"]


def file_of(groups: list[tuple[list[str], list[str]]], dialect: str) -> goodbot.RobotsTxt:
    """Return a file with these groups."""
    parts = [[*(f"User-agent: {name}" for name in names), *lines] for names, lines in groups]
    return goodbot.RobotsTxt("\n".join(itertools.chain(*parts)), dialect=dialect)


def files(*texts: str) -> list[goodbot.RobotsTxt]:
    """Return files with these texts."""
    return [goodbot.RobotsTxt(text) for text in texts]


def obeyed(file: goodbot.RobotsTxt, robot: str) -> object:
    """Return which groups, rules and fields a robot obeys."""
    rules = file.rules_for(robot)
    groups = [group.lines for group in rules.selection.groups]
    return groups, [rule.line for rule in rules], file.fields_for(robot)


@given(GROUPS, GROUPS, st.sampled_from(DIALECTS))
def test_classes_are_those_of_equal_groups(
    before: list[tuple[list[str], list[str]]],
    after: list[tuple[list[str], list[str]]],
    dialect: str,
) -> None:
    """Members of a class obey the same lines in each file; each name is in one class."""
    both = file_of(before, dialect), file_of(after, dialect)
    found = robot_classes(*both, families=False)
    named = [name for one in found for name in one.names]
    assert len(set(named)) == len(named)
    assert set(robot_names(*both)) <= set(named)
    # In google, a group for MJ12bot is that of the robot MJ.
    others = set(named) - set(robot_names(*both))
    assert all(
        name.startswith(tuple(map(leading_token, robot_names(*both)[1:]))) for name in others
    )
    assert found[0].names[0] == "*"
    kinds: list[str] = []
    for one in found:
        kind = {str([obeyed(file, name) for file in both]) for name in one.names}
        assert len(kind) == 1
        kinds += kind
        for file, rules in zip(both, one.rules, strict=True):
            assert rules is not None
            assert obeyed(file, rules.robot) == obeyed(file, one.names[0])
    # A misspelt User-agent line is a guess, and robots may differ only in the reading without it.
    guessed = any("agnet" in str(file.content) for file in both)
    assert len(set(kinds)) == len(kinds) or guessed


def test_names_are_those_of_the_files() -> None:
    """A name is returned as it is first written, without repetition."""
    one, other = files("User-agent: GPTBot\nUser-agent: *\nDisallow: /", "User-agent: gptbot\n")
    assert robot_names(one, other) == ("*", "GPTBot")
    assert [found.names for found in robot_classes(one, other, families=False)] == [
        ("*",),
        ("GPTBot",),
    ]


def test_a_name_that_shares_the_group_of_everyone_is_one_of_them() -> None:
    """It obeys what `*` does, so there is no need to speak of it apart."""
    (file,) = files("User-agent: *\nUser-agent: CCBot\nDisallow: /\nUser-agent: a\nAllow: /")
    assert [one.names for one in robot_classes(file, families=False)] == [("*", "CCBot"), ("a",)]


@pytest.mark.parametrize(
    ("text", "robot", "names", "rules"),
    [
        ("User-agent: Googlebot\nDisallow: /", "Googlebot-News", ("Googlebot",), 1),
        ("User-agent: *\nDisallow: /", "AdsBot-Google", (), None),
        ("User-agent: Googlebot\nDisallow: /a\nAllow: /b", "Applebot", ("Googlebot",), 2),
    ],
)
def test_families_and_exceptions_decide(
    text: str, robot: str, names: tuple[str, ...], rules: int | None
) -> None:
    """A known robot is in the class whose groups it obeys, as `goodbot.bots` has it."""
    (file,) = files(text)
    (found,) = [one for one in robot_classes(file) if robot in one.robots]
    assert found.names == names
    assert found.members == found.names + found.robots
    (chosen,) = found.rules
    assert (None if chosen is None else len(chosen)) == rules
    url = "https://example.com/a"
    allowed = bots.rules_for(file, robot, dialect=file.dialect).allows(url)
    assert (chosen is None or chosen.allows(url)) is allowed


def test_a_family_member_moves_between_groups() -> None:
    """A robot that loses its own group falls into that of its family, not into that of `*`."""
    shared = "User-agent: *\nDisallow: /\nUser-agent: Googlebot\nDisallow: /a\n"
    before, after = files(shared + "User-agent: Googlebot-News\nAllow: /", shared)
    found = {one.members: one for one in robot_classes(before, after)}
    assert ("Googlebot-News",) in found
    moved = found[("Googlebot-News",)]
    assert [rules and [rule.text for rule in rules] for rules in moved.rules] == [
        ["Allow: /"],
        ["Disallow: /a"],
    ]
    assert ("Googlebot-News",) in [
        one.names for one in robot_classes(before, after, families=False)
    ]


@pytest.mark.parametrize("name", ["Foo*", "Foo Bar", "Foo 1.0"])
def test_a_group_that_names_a_robot_by_its_token_only_is_compared(name: str) -> None:
    """No robot is called so, but the group is that of Foo."""
    file = goodbot.RobotsTxt(f"User-agent: {name}\nDisallow: /", dialect="google")
    found = robot_classes(file, families=False)
    assert [one.names for one in found] == [("*", name), ("Foo",)]


def test_what_no_robot_is_called_is_in_no_class() -> None:
    """A URL in a User-agent line names nobody."""
    (file,) = files("User-agent: https://a.example/\nDisallow: /")
    assert "https://a.example/" in robot_names(file)
    assert [one.names for one in robot_classes(file, families=False)] == [("*",)]


def test_the_number_of_names_is_bounded() -> None:
    """The first names are classified, and `robot_names` has all of them."""
    (file,) = files("".join(f"User-agent: a{n}\nDisallow: /{n}\n" for n in range(50)))
    assert len(robot_classes(file, most_names=10, families=False)) == 10
    assert len(robot_names(file)) == 51


def test_a_text_is_no_file() -> None:
    """The message says what to pass."""
    with pytest.raises(WrongTypeError, match="must be RobotsTxt, not str"):
        robot_classes("User-agent: *")  # type: ignore[arg-type]


def test_robots_that_obey_the_same_lines_share_one_list() -> None:
    """A file may have thousands of lines for every robot; no robot keeps a list of its own."""
    file = goodbot.RobotsTxt("User-agent: *\n" + "Crawl-delay: 5\n" * 500 + "Disallow: /")
    found = list(choices([file], [f"bot{number}" for number in range(20)]))
    assert len({id(one) for one in found}) == 1
    families = [one for one in bots.every() if len(one.tokens) > 1]
    (plain,) = found[0] or ()
    assert families
    assert all(family_choice(file, one, plain) in (plain, None) for one in families)
    kept = [family_choice(file, one, plain) for one in families]
    assert {id(one) for one in kept if one is not None} == {id(plain)}
