"""What is called the same is the same in every dialect, tried with many robots and paths.

The slow twin has no proof: it asks each file, in each dialect, for each robot and each path.
"""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot._core import compared_names, rules_memory
from goodbot.bots.asking import allow_many
from goodbot.site.lint import lint
from goodbot.site.reasoning import compare_files, simplify
from goodbot.site.reasoning.dialect_proof import FilesProof, Proof
from goodbot.site.reasoning.robot_classes import MOST_MEMORY, RulesBudget, robot_classes
from goodbot.site.reasoning.sample_robots import MOST_PAIRS, TooManyPairs, names_of_two
from tests.core.test_corpus import FOLDER, files
from tests.support.examples import examples, share_of

NAMES = ["*", "A", "B", "C", "AB", "a-x", "Foo Bar", "MJ12bot", "bingbot", "Yandex", "A/1.0", "a*"]
ROBOTS = [
    *NAMES,
    *(f"{one}~{other}" for one, other in itertools.permutations(["A", "B", "C", "Yandex"], 2)),
    *("Unheard", "zq", "a-x0", "A x", "xAyB", "ABC", "Foo", "Foo Barx", "MJ13bot", "YandexBot"),
    *("Googlebot", "applebot", "msnbot", "C/2.0 (B; A)", "b_a_c", "bingbot~A", "Yandex~a-x~B"),
]
PATTERNS = st.text("/ab*$", max_size=4).map(lambda text: f"/{text}") | st.sampled_from(
    ["", "/", "/*", "*", "*.b", "/%61", "/ä", "/a?b", "/index.html", "/~", "/%7e", "a",
     "https://example.com/a", "//h/b", "/a /b", "/a # c", "/%2Fa"]
)  # fmt: skip
RULES = st.tuples(st.sampled_from(["Disallow", "Disallow", "Allow"]), PATTERNS).map(": ".join)
OTHERS = st.sampled_from(
    ["Crawl-delay: 2", "Robot-version: 2.0.0", "Robot-version: 2.1.0", "Robot-version: x",
     "Robot-version: 1.0.0", "Request-rate: 1/5", "Visit-time: 0600-0845", "Comment: hello",
     "# note", "", "", "Noindex: /a", "x", "Content-Usage: train-ai=n", "Disalow: /a",
     "Content-Signal: ai-train=no", "User-agnet: B", "Sitemap: https://a.example/s", "Useragent: C"]
)  # fmt: skip
AGENTS = st.sampled_from(NAMES).map("User-agent: {}".format) | st.sampled_from(
    ["User-agent: A, B", "User-agent: A B", "User-agent:", "User-agent: * x"]
)
LINES = st.one_of(AGENTS, RULES, RULES, RULES, OTHERS)
TEXTS = st.lists(LINES, min_size=2, max_size=14).map("\n".join)

# As a client sends them: what no client sends makes no difference.
PATHS = [f"/{''.join(one)}" for size in range(4) for one in itertools.product("ab/", repeat=size)]
PATHS += [
    "/%61",
    "/%C3%A4",
    "/ä",
    "/~x",
    "/a?b",
    "/b?",
    "/index.html",
    "/robots.txt",
    "/a%2",
    "/a%2fb",
]
PATHS += ["/*", "/a*", "/a$", "/b*a", "/a.b", "/%2Fa", "//h/b", "/https://example.com/a"]
URLS = [f"https://example.com{path}" for path in PATHS] + ["http://h/b", "https://example.com"]


def differing(one: str, other: str, dialects: list[goodbot.Dialect]) -> tuple[str, ...] | None:
    """Return a dialect, robot and URL for which two files differ; `None` if none was found.

    URLs are judged as `goodbot.verdict` does it: as they are sent and as they are written.
    """
    for dialect in dialects:
        before, after = (goodbot.RobotsTxt(text.encode(), dialect=dialect) for text in (one, other))
        for robot in ROBOTS:
            old, new = before.rules_for(robot), after.rules_for(robot)
            sides = zip(URLS, allow_many(old, URLS), allow_many(new, URLS), strict=True)
            for url, was, now in sides:
                if was != now:
                    return dialect.name, robot, url
            if asked(old) != asked(new):
                return dialect.name, robot, f"{asked(old)} {asked(new)}"
    return None


def asked(rules: goodbot.Rules) -> object:
    """Return what a robot is asked beside access, in an order that does not matter."""
    usage = rules.usage("/")
    lists = (rules.request_rates, rules.visit_times, rules.comments, rules.please_visit)
    of_use = (usage.content_usage, usage.content_signal, usage.licenses)
    return rules.crawl_delay, [sorted(map(str, one)) for one in lists], of_use


@examples(150)
@given(TEXTS)
def test_a_simplified_file_says_the_same_in_every_dialect(text: str) -> None:
    """No robot of any name, and no dialect, reads something else."""
    found = simplify(text.encode())
    assert found.dialects == tuple(one.name for one in goodbot.dialects())
    assert differing(text, found.content.decode(), goodbot.dialects()) is None, found.content


def changed(text: str, chance: random.Random) -> str:
    """Return a text with a small change: a line that is gone, moves, is repeated or changes."""
    lines = text.split("\n")
    place = chance.randrange(len(lines))
    line = lines.pop(place)
    kind = chance.randrange(6)
    if kind == 1:
        lines.insert(chance.randrange(len(lines) + 1), line)
    elif kind == 2:
        lines[place:place] = [line, line]
    elif kind == 3:
        lines[place:place] = [line.removesuffix("*")]
    elif kind == 4:
        lines[place:place] = [f"{line}*"]
    elif kind == 5:
        lines[place:place] = [line, ""]
    return "\n".join(lines)


@examples(300)
@given(TEXTS, st.integers(0, 1 << 30))
def test_what_is_called_the_same_is_so_in_every_dialect(text: str, seed: int) -> None:
    """For each pair that `compare_files` calls the same, and each dialect of any pair."""
    other = changed(text, random.Random(seed))  # noqa: S311  a seed for each case
    found = compare_files(*(goodbot.RobotsTxt(one.encode()) for one in (text, other)))
    if not found and found.effect == "same":
        assert differing(text, other, goodbot.dialects()) is None, other
    same = [goodbot.dialect(one.dialect) for one in found.dialects if one.is_same]
    if not found.changes:
        assert differing(text, other, same) is None, other
    for one in found.dialects:
        files = [goodbot.RobotsTxt(side.encode(), dialect=one.dialect) for side in (text, other)]
        for each in one.differences:
            answers = [file.rules_for(each.after.robot).allows(each.url) for file in files]
            assert (
                answers
                == [each.before.allowed, each.after.allowed]
                == [
                    not each.after.allowed,
                    each.after.allowed,
                ]
            )


@examples(150)
@given(TEXTS)
def test_what_lint_says_to_remove_can_be_removed_in_every_dialect(text: str) -> None:
    """Without the line, each dialect says the same to every robot."""
    codes = {"redundant-rule", "never-decides", "repeated-rule", "matches-nothing"}
    lines = text.split("\n")
    for finding in lint(text).findings:
        if finding.code in codes and removes(finding.message):
            rest = "\n".join(lines[: finding.line - 1] + lines[finding.line :])
            assert differing(text, rest, goodbot.dialects()) is None, finding


def removes(message: str) -> bool:
    """Return whether a message says that a line can go, whatever a robot reads."""
    return "Remove it" in message or "or remove the rule" in message


@pytest.mark.skipif(
    not (FOLDER / "robots-txt.tar.xz").is_file(),
    reason="the corpus of real robots.txt files is not available; set GOODBOT_CORPUS to its folder",
)
def test_files_of_the_web_say_the_same_when_simplified() -> None:
    """The same of files as they are found, with the robots that they name."""
    contents = [content for _, content in sorted(files().items())]
    for content in contents[:: len(contents) // share_of(24)]:
        says_the_same(content, simplify(content).content)


def says_the_same(content: bytes, other: bytes) -> None:
    """Check that two files say the same, of paths that their rules match and robots in them."""
    for dialect in goodbot.dialects():
        before = goodbot.RobotsTxt(content, dialect=dialect)
        after = goodbot.RobotsTxt(other, dialect=dialect)
        names = [name for group in before.groups for name in group.agents][:40]
        for robot in [*ROBOTS, *names, *(f"{one}~{two}" for one, two in itertools.pairwise(names))]:
            try:
                old, new = before.rules_for(robot), after.rules_for(robot)
            except goodbot.RobotNameError:
                continue
            urls = [f"https://example.com{path_of(rule.pattern)}" for rule in old]
            assert old.allows_many(urls) == new.allows_many(urls), (dialect, robot)


def path_of(pattern: str) -> str:
    """Return a path that a pattern matches in most dialects."""
    path = pattern.removesuffix("$").replace("*", "x")
    return path if path.startswith("/") else f"/{path}"


# Single cases.

ALFRED = """\
User-agent: Alfred
Robot-version: 2.0.0
Allow: /blackhole/index.html
Allow: /blackhole/info*
Disallow: *.shtml
Disallow: /blackhole/info99*
Disallow: /blackhole/info8.html

User-agent: *
Disallow: /
"""


def test_conners_own_record_stays_as_it_is() -> None:
    """Without a star, an Allow is explicit, so that what no rule matches would be allowed (004)."""
    assert simplify(ALFRED.encode()).content == ALFRED.encode()
    other = ALFRED.replace("/blackhole/info*", "/blackhole/info")
    found = compare_files(goodbot.RobotsTxt(ALFRED), goodbot.RobotsTxt(other))
    answers = {one.dialect: one for one in found.dialects}
    assert found.effect == "laxer"
    assert answers["rfc9309"].is_same is True
    assert answers["conner1996"].robot == "Alfred"
    rules = goodbot.RobotsTxt(other, dialect="conner1996").rules_for("Alfred")
    (example,) = (one for one in answers["conner1996"].differences if not one.is_stricter)
    assert rules.allows(example.url)


def test_lint_says_where_a_rule_decides_that_others_need_not() -> None:
    """`Allow: /` is the default of RFC 9309, and opens a site where the first match decides."""
    text = "User-agent: *\nAllow: /b\nDisallow: /b*c\nAllow: /b*c$\nDisallow: /b/private\n"
    (finding,) = (one for one in lint(text).findings if one.line == 2)
    assert finding.code == "redundant-rule"
    assert "changes nothing for robots that follow RFC 9309" in finding.message
    assert "draft1996" in finding.message
    (finding,) = lint("User-agent: *\nDisallow: /shop/\nDisallow: /shop/cart/\n").findings
    assert "in every dialect" in finding.message


def test_a_robot_of_two_names_is_compared() -> None:
    """Where a part of a name is enough, the order of groups matters to a robot of both names."""
    one = "User-agent: A\nDisallow: /a\n\nUser-agent: B\nDisallow: /b\n"
    other = "User-agent: B\nDisallow: /b\n\nUser-agent: A\nDisallow: /a\n"
    found = compare_files(goodbot.RobotsTxt(one), goodbot.RobotsTxt(other))
    different = {one.dialect: one.robot for one in found.dialects if not one.is_same}
    assert set(different) >= {"koster1994", "draft1996", "kollar1996", "lwp"}
    assert not {"rfc9309", "google", "conner1996", "yandex"} & set(different)
    assert set(different.values()) == {"a~b"}
    assert found.effect == "both"


def test_a_robot_of_two_names_of_a_divided_group_is_compared() -> None:
    """It obeys the fields of both; if the names are of two groups, those of the first alone."""
    one = "User-agent: B\nCrawl-delay: 2\nUser-agent: A\nContent-Usage: train-ai=n\n"
    other = one.replace("User-agent: B\n", "User-agent: B\n\n")
    for before, after in ((one, other), (other, one)):
        found = compare_files(goodbot.RobotsTxt(before), goodbot.RobotsTxt(after))
        different = {each.dialect: each.robot for each in found.dialects if not each.is_same}
        assert set(different) == {"koster1994", "draft1996"}
        assert set(different.values()) <= {"a~b", "b~a"}


def test_a_longer_name_decides_before_a_shorter_one() -> None:
    """A name that obeys what `*` does is needed by a robot that has a shorter one (Yandex)."""
    text = (
        "User-agent: Shorter\nDisallow: /b\n\nUser-agent: VeryLongName\nDisallow: /a\n\n"
        "User-agent: *\nDisallow: /a\n"
    )
    assert b"User-agent: VeryLongName" in simplify(text.encode(), dialects=["yandex"]).content
    other = text.replace("User-agent: VeryLongName\nDisallow: /a\n\n", "")
    found = compare_files(goodbot.RobotsTxt(text), goodbot.RobotsTxt(other))
    (yandex,) = (one for one in found.dialects if one.dialect == "yandex")
    assert yandex.robot == "verylongname~shorter"


def test_more_pairs_than_the_bound_are_undecided() -> None:
    """A thousand groups in another order are half a million robots; none of them is tried."""
    groups = [f"User-agent: r{number:03}x\nDisallow: /{number}\n" for number in range(100)]
    before, after = (
        goodbot.RobotsTxt("\n".join(one), dialect="lwp") for one in (groups, groups[::-1])
    )
    tried = names_of_two(before, after, lambda name: (name, name))
    with pytest.raises(TooManyPairs):
        list(tried)
    assert (
        len(list(itertools.islice(names_of_two(before, after, lambda name: (name, name)), 9))) == 9
    )
    files = [goodbot.RobotsTxt(side.content) for side in (before, after)]
    answers = {one.dialect: one.is_same for one in compare_files(*files).dialects}
    assert answers["rfc9309"] is True
    assert answers["lwp"] is None
    assert MOST_PAIRS < 100 * 99 / 2


def test_names_are_those_that_are_compared() -> None:
    """Without versions that are ignored; `*` and records that are not obeyed are omitted."""
    text = "User-agent: A/1\nUser-agent: *\nDisallow: /\n\nUser-agent: B\nRobot-version: 2.1.0\n"
    assert names_in(text, "rfc9309") == [[["a"], ["b"]]]
    assert names_in(text, "conner1996") == [[["a"]]]
    assert names_in(text, "lwp") == [[["a/1"], ["b"]]]


def names_in(text: str, dialect: str) -> list[list[list[str]]]:
    """Return the names of groups that are compared."""
    return compared_names(goodbot.RobotsTxt(text, dialect=dialect))


@pytest.mark.parametrize(
    ("field", "effect"),
    [
        ("Content-Signal: ai-train=no", "Content-Signal"),
        ("License: https://example.com/license", "License"),
        ("Clean-param: a /b", "Clean-param"),
    ],
)
def test_a_field_of_the_whole_file_is_a_difference(field: str, effect: str) -> None:
    """What stands before every group says something to every robot."""
    text = "User-agent: *\nDisallow: /a\n"
    found = compare_files(goodbot.RobotsTxt(text), goodbot.RobotsTxt(f"{field}\n{text}"))
    assert [one.field for one in found.changes] == [effect]
    assert found.effect == "same"
    assert bool(found)


# Work that grows with a product.


def many_agents(names: int, filler: int) -> bytes:
    """Return a file in which each of many robots obeys a group that names thousands."""
    robots = [f"{number:x}" for number in range(0x1000, 0x1000 + names)]
    rest = "".join(f"User-agent: {name}\nAllow: /{name}\n" for name in robots)
    return f"User-agent: {','.join(robots)}{',a' * filler}\nAllow: /\n\n{rest}".encode()


def many_rules(names: int, rules: int) -> bytes:
    """Return a file in which each of many robots obeys a group of thousands of rules."""
    robots = [f"{number:x}" for number in range(0x1000, 0x1000 + names)]
    heads = "".join(f"User-agent: {name}\n" for name in robots)
    body = "".join(f"Disallow: /{number:x}\n" for number in range(rules))
    # Further lines without rules make the average group of a name small.
    rest = "".join(f"User-agent: {name}\n" * 40 + f"Allow: /{name}\n" for name in robots)
    return f"{heads}{body}\n{rest}".encode()


@pytest.mark.stress
@pytest.mark.parametrize(
    "content", [many_agents(400, 60_000), many_rules(150, 6_000)], ids=["agents", "rules"]
)
def test_the_memory_of_all_robots_is_bounded(content: bytes) -> None:
    """The classes that exceed it have no rules; their names are said to be not compared."""
    file = goodbot.RobotsTxt(content)
    other = goodbot.RobotsTxt(content + b"\nUser-agent: z\nDisallow: /\n")
    budget = RulesBudget()
    classes = robot_classes(file, other, budget=budget)
    one_more = max(memory_of(rules) for one in classes for rules in one.rules)
    kept = {id(rules): rules for one in classes for rules in one.rules}
    assert sum(map(memory_of, kept.values())) <= MOST_MEMORY + 2 * one_more
    found = compare_files(file, other)
    assert set(budget.omitted) <= set(found.unexamined)
    assert budget.omitted
    assert not found.is_complete


def memory_of(rules: goodbot.Rules | None) -> int:
    """Return how many bytes rules take."""
    return 0 if rules is None else rules_memory(rules)


@pytest.mark.stress
def test_the_proof_in_dialects_reads_no_more_than_its_bound() -> None:
    """Beyond the bound of bytes, a dialect is undecided."""
    content = many_rules(150, 6_000)
    proof = FilesProof(content, goodbot.dialects())
    answers = list(proof.answers(content + b"# another file\n"))
    assert all(one.is_same in {True, None} for one in answers)
    assert proof.before.memory < 64 << 20
    assert isinstance(proof, Proof)
