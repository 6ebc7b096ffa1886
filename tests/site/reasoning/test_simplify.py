"""A simplified file says the same to every robot, and nothing more can be simplified in it."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import bots
from goodbot.bots.asking import allow_many
from goodbot.errors import UnknownDialectError, WrongTypeError, WrongValueError
from goodbot.site.reasoning import (
    MOST_NAMES,
    WEB_DIALECTS,
    Simplification,
    compare_files,
    is_same,
    simplify,
    simplify_edits,
)
from goodbot.site.reasoning.dialect_proof import ObeyedText, Proof, Version
from goodbot.site.reasoning.plain_rules import is_plainly_same
from goodbot.site.reasoning.simplification import MOST_UNDECIDED
from goodbot.site.reasoning.simplify_layout import Edit, NumberedLine, content_of, edited
from tests.support.examples import examples

STAR = "User-agent: *\n"


def content(text: str, **options: object) -> str:
    """Return a simplified file."""
    return simplify(text.encode(), **options).content.decode()  # type: ignore[arg-type]


# What is simplified.


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"{STAR}Disallow: /a\nDisallow: /a\n", f"{STAR}Disallow: /a\n"),
        (f"{STAR}Disallow: /a/b\nDisallow: /a\n", f"{STAR}Disallow: /a\n"),
        (f"{STAR}Disallow: /a\nAllow: /b\n", f"{STAR}Disallow: /a\n"),
        (f"{STAR}Disallow: /a*\nDisallow: /b**c*$\n", f"{STAR}Disallow: /a\nDisallow: /b*c\n"),
        (f"{STAR}Disallow: /*\nDisallow: /\n", f"{STAR}Disallow: /\n"),
        (f"{STAR}Disallow:\nDisallow:\nAllow: /\n", f"{STAR}Disallow:\n"),
        (
            f"{STAR}Disallow: /a\n\nUser-agent: Foo\nDisallow: /a\nDisallow: /a/b\n",
            f"{STAR}Disallow: /a\n",
        ),
        (
            f"User-agent: A\nDisallow: /a\n\nUser-agent: A\nDisallow: /a\n\n{STAR}Disallow: /\n",
            f"User-agent: A\nDisallow: /a\n\n{STAR}Disallow: /\n",
        ),
        (
            f"User-agent: A\nDisallow: /\n\nUser-agent: B\nDisallow: /\n\n{STAR}Disallow: /x\n",
            f"User-agent: A\nUser-agent: B\nDisallow: /\n\n{STAR}Disallow: /x\n",
        ),
        (
            f"User-agent: A\nUser-agent: B\nUser-agent: A\nDisallow: /\n\n{STAR}Disallow: /x\n",
            f"User-agent: A\nUser-agent: B\nDisallow: /\n\n{STAR}Disallow: /x\n",
        ),
        (
            "User-agent: Foo\nUser-agent: *\nDisallow: /x\n",
            f"{STAR}Disallow: /x\n",
        ),
    ],
)
def test_what_changes_nothing_is_omitted(text: str, wanted: str) -> None:
    """Rules, stars, names and groups; groups with equal rules are merged."""
    assert content(text, dialects=WEB_DIALECTS) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment\n",
        f"{STAR}Disallow:\n",
        f"{STAR}Disallow: /a\nAllow: /a/b\nDisallow: /a/b/c\n",
        # The longer pattern wins against the other field.
        f"{STAR}Disallow: /a/*\nAllow: /a/b\n",
        f"{STAR}Allow: /a*\nDisallow: /*c\n",
        # Google does not decode the escape.
        f"{STAR}Disallow: /%7Ea\nDisallow: /~a\n",
        # A pace of its own, or a use, is a difference.
        f"{STAR}Disallow: /a\nCrawl-delay: 5\n\nUser-agent: Foo\nDisallow: /a\n",
        f"{STAR}Disallow: /a\n\nUser-agent: Foo\nDisallow: /a\nContent-Usage: train-ai=n\n",
        f"{STAR}Disallow: /a\n\nUser-agent: Foo\nDisallow: /a\nVisit-time: 0600-0845\n",
        # What is unknown may mean something to somebody.
        f"{STAR}Disallow: /a\n\nUser-agent: Foo\nDisallow: /a\nNoindex: /b\n",
        # The group protects its robot from that for *.
        f"{STAR}Disallow: /\n\nUser-agent: Foo\nDisallow:\n",
    ],
)
def test_what_has_a_meaning_stays(text: str) -> None:
    """Nothing is simplified if a robot would notice."""
    assert content(text) == text


@pytest.mark.parametrize(
    ("name", "others"),
    [
        # It would fall back to the group of another robot of its family.
        ("Googlebot-News", "\nUser-agent: Googlebot\nDisallow: /b\n"),
        # It ignores the group for *.
        ("AdsBot-Google", ""),
        # google/robotstxt reads MJ12bot as MJ.
        ("MJ", "\nUser-agent: MJ12bot\nDisallow: /b\n"),
        # Bing's robot obeys that of msnbot if none names it.
        ("bingbot", "\nUser-agent: msnbot\nDisallow: /b\n"),
    ],
)
def test_a_robot_stays_named_if_it_would_obey_another_group(name: str, others: str) -> None:
    """Its group says the same as that for `*`, so they are merged, but the name stays."""
    text = f"{STAR}Disallow: /a\n{others}\nUser-agent: {name}\nDisallow: /a\n"
    wanted = f"{STAR}User-agent: {name}\nDisallow: /a\n{others}"
    assert content(text, dialects=WEB_DIALECTS) == wanted


def test_comments_order_and_other_lines_stay() -> None:
    """A comment on a line of its own stays, also if what it is about moves; so does a sitemap."""
    text = (
        "# Our rules\r\nUser-agent: *\r\nDisallow: /a # why\r\n# the press\r\nDisallow: /a/b\r\n"
        "Sitemap: https://a.example/s.xml\r\n\r\n"
        "# No training\r\nUser-agent: GPTBot\r\nDisallow: /\r\n\r\n"
        "# Nor here\r\nUser-agent: CCBot\r\nDisallow: /"
    )
    assert content(text) == (
        "# Our rules\r\nUser-agent: *\r\nDisallow: /a # why\r\n# the press\r\n"
        "Sitemap: https://a.example/s.xml\r\n\r\n"
        "# No training\r\nUser-agent: GPTBot\r\n# Nor here\r\nUser-agent: CCBot\r\nDisallow: /\r\n"
    )


def test_a_line_without_an_end_gets_one_where_it_moves() -> None:
    """The last line of a file may lack an end; within the file it needs one."""
    text = "User-agent: A\nDisallow: /\n\nUser-agent: *\nDisallow: /x\n\nUser-agent: B\nDisallow: /"
    assert content(text).startswith("User-agent: A\nUser-agent: B\nDisallow: /\n")


def test_a_robot_whose_name_has_two_names_obeys_the_first_of_them() -> None:
    """Where a part of a name is enough, groups are merged only if no other one comes between."""
    text = f"User-agent: A\nDisallow: /\n\n{{}}User-agent: B\nDisallow: /\n\n{STAR}Disallow: /x\n"
    other = "User-agent: C\nDisallow: /c\n\n"
    assert content(text.format("")).startswith("User-agent: A\nUser-agent: B\nDisallow: /\n")
    # BC would obey the group of B instead of that of C in koster1994 and others.
    assert content(text.format(other)) == text.format(other)
    merged = content(text.format(other), dialects=["rfc9309", "google"])
    assert merged.startswith("User-agent: A\nUser-agent: B\nDisallow: /\n")


def test_changes_name_the_lines_of_the_original() -> None:
    """The lines are those of the file as it was passed, after any number of steps."""
    text = "User-agent: X\nDisallow: /a*\nDisallow: /a\n"
    text += "\nUser-agent: Foo\nDisallow: /b\nDisallow: /a\n"
    text += "\nUser-agent: Bar\nDisallow: /b\nDisallow: /a\n"
    found = simplify(text.encode(), dialects=WEB_DIALECTS)
    assert [(one.kind, one.lines) for one in found.changes] == [
        ("star", (2,)),
        ("rule", (3,)),
        ("merge", (9, 10, 11)),
    ]
    assert str(found.changes[0]) == "line 2: the last or repeated * changes nothing"
    assert found.saved == len(found.before) - len(found.content) > 0


def test_dialects_that_read_more_literally_keep_more() -> None:
    """In the dialects of the 1990s a star is a star, and the first group that fits is obeyed."""
    text = f"{STAR}Disallow: /a*\nDisallow: /b\n"
    assert content(text, dialects=WEB_DIALECTS) == f"{STAR}Disallow: /a\nDisallow: /b\n"
    everything = [one.name for one in goodbot.dialects()]
    assert content(text) == content(text, dialects=everything) == text
    assert simplify(text.encode()).dialects == tuple(everything)
    assert content(f"{STAR}Disallow: /a\nDisallow: /a\n", dialects=everything) == (
        f"{STAR}Disallow: /a\n"
    )


# What is refused.


def test_a_file_that_is_cut_is_refused() -> None:
    """Robots disagree about what is behind their limit, so nothing is simplified."""
    text = f"{STAR}Disallow: /a\n".encode() + b"# \n" * 200_000
    found = simplify(text)
    assert (found.content, found.changes) == (text, ())
    assert "600,027 bytes, and robots read 512,000" in found.refusal


def test_a_file_of_very_many_names_is_refused() -> None:
    """Each name is a robot to compare."""
    words = itertools.islice(itertools.product("abcdefghijk", repeat=3), MOST_NAMES + 1)
    text = "".join(f"User-agent: bot-{''.join(word)}\n" for word in words)
    found = simplify(f"{text}Disallow: /\nDisallow: /a\n".encode())
    assert (found.content, found.changes) == (found.before, ())
    assert "1,000 are the most" in found.refusal


def test_what_cannot_be_proven_stays() -> None:
    """Rules that order letters have too many states; they are reported, the work is bounded."""
    letters = "abcdefghijklmnopq"
    rules = "".join(f"Disallow: /*{one}*{one.upper()}{'*' * 36}z\n" for one in letters)
    rules += f"Allow: /*{'*'.join(letters)}**z\nDisallow: /*{'*'.join(letters.upper())}*z\n"
    found = simplify(f"{STAR}{rules}".encode())
    assert found.undecided
    assert found.content == found.before
    assert not found.changes


def test_bounds_hold_for_any_number_of_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    """After some proofs without a result, no more are tried."""
    tried = []

    def never(_proof: Proof, lines: object) -> None:
        tried.append(lines)

    monkeypatch.setattr(Proof, "holds_for", never)
    rules = "".join(f"Disallow: /a{number}\n" * 2 for number in range(500))
    found = simplify(f"{STAR}{rules}".encode())
    assert len(tried) == MOST_UNDECIDED
    assert len(found.undecided) >= 500
    assert found.content == found.before


def test_wrong_arguments_are_refused() -> None:
    """The exception says what is accepted."""
    with pytest.raises(WrongTypeError, match="bytes or a RobotsTxt, not str"):
        simplify("User-agent: *")  # type: ignore[arg-type]
    with pytest.raises(UnknownDialectError):
        simplify(b"", dialects=["gogle"])
    with pytest.raises(WrongValueError, match="at least one dialect"):
        simplify(b"", dialects=[])


# Properties.

NAMES = [
    "*",
    "A",
    "B",
    "a-x",
    "AB",
    "Googlebot",
    "Googlebot-News",
    "AdsBot-Google",
    "MJ12bot",
    "MJ",
]
PATTERNS = st.text("/ab*$", max_size=4).map(lambda text: f"/{text}") | st.sampled_from(
    ["", "/", "/*", "*", "/%61", "/a%2", "/ä", "/a?b", "/a/../b", "/index.html", "/~", "/%7e"]
)
RULES = st.tuples(st.sampled_from(["Disallow", "Disallow", "Allow"]), PATTERNS).map(": ".join)
OTHERS = st.sampled_from(
    ["Crawl-delay: 2", "Sitemap: https://a.example/s", "# note", "", "Noindex: /a", "x",
     "Content-Usage: train-ai=n", "Request-rate: 1/5", "Disalow: /a", "Clean-param: a /b"]
)  # fmt: skip
AGENTS = st.sampled_from(NAMES).map("User-agent: {}".format) | st.just("User-agent: A, B")
LINES = st.one_of(AGENTS, RULES, RULES, OTHERS)
TEXTS = st.tuples(
    st.lists(LINES, max_size=16).map(lambda lines: ["User-agent: *", *lines]),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
).map(lambda pair: pair[1].join(pair[0]))

ROBOTS = [*NAMES, "Unheard", "a-x0", "A x", "Googlebot-Image", "Google", "bingbot", "MJ13bot"]
PATHS = [f"/{''.join(one)}" for size in range(4) for one in itertools.product("ab/", repeat=size)]
PATHS += ["/%61", "/ä", "/~x", "/a?b", "/b?", "/index.html", "/robots.txt", "/a%2", "/a%2f"]
URLS = [f"https://example.com{path}" for path in PATHS]


def says(content: bytes, dialect: str, robot: str) -> object:
    """Return everything that a file says to a robot; each URL is judged as sent and as written."""
    file = goodbot.RobotsTxt(content, dialect=dialect)
    rules = file.rules_for(robot)
    usage = [rules.usage(path).as_dict() for path in ("/", "/a", "/b/a")]
    for one in usage:
        one.pop("content_usage_lines", None)
    return (
        allow_many(rules, URLS),
        (rules.crawl_delay, rules.request_rates, rules.visit_times, rules.comments),
        (rules.sitemaps, rules.please_visit, rules.otherwise[0], rules.read_as),
        rules.clean_url("https://a.example/b?a=1&b=2"),
        usage,
    )


@examples(400)
@given(TEXTS)
def test_a_simplified_file_says_the_same(text: str) -> None:
    """Every robot gets the same in every dialect of the Web, also one that is named in part."""
    found = simplify(text.encode())
    for dialect, robot in itertools.product(WEB_DIALECTS, ROBOTS):
        if dialect == "yandex" and robot not in text:
            continue  # the dialect is that of Yandex's robots: see `names_compared`
        said = says(found.before, dialect, robot)
        assert says(found.content, dialect, robot) == said, (robot, dialect, found.content)
    files = [goodbot.RobotsTxt(one) for one in (found.before, found.content)]
    for name in ("AdsBot-Google", "Googlebot-News", "Googlebot-Image", "Applebot"):
        old, new = (bots.rules_for(file, name) for file in files)
        assert [old.allows(path) for path in PATHS] == [new.allows(path) for path in PATHS]


@examples(200)
@given(TEXTS)
def test_a_comparison_of_whole_files_finds_no_difference(text: str) -> None:
    """`compare_files` proves the same, in its own way."""
    found = simplify(text.encode())
    for dialect in WEB_DIALECTS:
        both = (goodbot.RobotsTxt(one, dialect=dialect) for one in (found.before, found.content))
        comparison = compare_files(*both)
        assert comparison.effect in {"same", "unknown"}, (dialect, found.content)


@examples(200)
@given(TEXTS)
def test_simplifying_again_changes_nothing(text: str) -> None:
    """Nothing is left that could be simplified."""
    once = simplify(text.encode())
    again = simplify(once.content)
    assert (again.content, again.changes) == (once.content, ())
    assert len(once.content) <= len(once.before) + 2


@examples(200)
@given(st.binary(max_size=300))
def test_any_bytes_can_be_simplified(text: bytes) -> None:
    """No content raises, and what is no robots.txt stays as it is."""
    found = simplify(text)
    assert isinstance(found, Simplification)
    assert simplify(found.content).content == found.content


@examples(400)
@given(st.lists(PATTERNS, max_size=6), st.lists(PATTERNS, max_size=6))
def test_what_is_the_same_without_a_search_is_the_same(one: list[str], other: list[str]) -> None:
    """The comparison of patterns by their texts agrees with the search wherever it says yes."""
    texts = ("".join(f"Disallow: {pattern}\n" for pattern in side) for side in (one, other))
    for dialect in map(goodbot.dialect, WEB_DIALECTS):
        sides = []
        for text in texts:
            version = Version(f"{STAR}{text}".encode(), [dialect])
            sides.append(version.reading(dialect.name, "*"))
        if len(sides) == 2 and plainly(sides, dialect):
            assert is_same(sides[0].rules, sides[1].rules) is True


def plainly(sides: list[ObeyedText], dialect: goodbot.Dialect) -> bool:
    """Return whether two readings are the same without a search."""
    return is_plainly_same(sides[0].rules, sides[1].rules, tuple(dialect.choices.items()))


def test_blank_lines_are_kept_between_what_stays() -> None:
    """A blank line goes with what it separated; others stay."""
    lines = [NumberedLine(number, raw) for number, raw in enumerate([b"a\n", b"\n", b"b\n", b"\n"])]
    assert content_of(edited(lines, [Edit("rule", dropped=(0,))])) == b"b\n\n"
    assert content_of(edited(lines, [Edit("rule", dropped=(2,))])) == b"a\n"
    assert content_of(edited(lines, [])) == b"a\n\nb\n\n"


def test_a_rule_that_names_a_server_stays_where_a_robot_reads_it() -> None:
    """WWW::RobotRules applies it to that server, and RFC 9309 to no path; the rest is proven."""
    text = b"User-agent: *\nDisallow: /a\nDisallow: /a/b\nDisallow: https://example.com/x\n"
    found = simplify(text)
    assert (found.content, found.undecided) == (text.replace(b"Disallow: /a/b\n", b""), ())
    covered = simplify(text.replace(b"com/x", b"com/a/x"))
    assert (covered.content, covered.undecided) == (b"User-agent: *\nDisallow: /a\n", ())


def test_a_file_with_too_many_lines_is_refused() -> None:
    """Each version that is tried has all lines, so their number is bounded."""
    found = simplify(b"# x\n" * 15_001)
    assert found.refusal == "it has 15,001 lines, and 15,000 are the most"
    assert not simplify(b"# x\n" * 15_000).refusal


def test_what_is_not_tried_within_the_bounds_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """If paths are tried for some rules only, there may be a smaller file; the result says so."""
    text = b"User-agent: *\nDisallow: /a\nDisallow: /b\n"
    assert simplify(text).is_complete
    monkeypatch.setattr(simplify_edits, "MOST_TRIED", 10)
    assert not simplify(text).is_complete


def test_a_dollar_before_the_last_star_stays_a_letter() -> None:
    """Without the star, it would say that the path ends there."""
    text = b"User-agent: *\nDisallow: /a$*\n"
    assert simplify(text).content == text


def test_patterns_with_many_stars_are_compared_in_linear_time() -> None:
    """No regular expression is made of a pattern: this one would try every way to split a path."""
    stars = b"Disallow: /" + b"*a" * 60 + b"b\n"
    found = simplify(b"User-agent: *\n" + stars + b"Disallow: /" + b"a" * 300 + b"\n" + stars)
    assert found.content.count(b"\n") == 3  # the second copy is gone


@pytest.mark.parametrize("token", ["__usage_ai-training", "__usage_something"])
def test_the_group_of_a_purpose_is_not_that_of_a_robot(token: str) -> None:
    """Without it nothing is reserved, whatever `*` disallows; it may share the group of `*`."""
    text = f"User-agent: *\nDisallow: /a\n\nUser-agent: {token}\nDisallow: /a\n"
    joined = f"User-agent: *\nUser-agent: {token}\nDisallow: /a\n".encode()
    assert simplify(text.encode()).content == joined
    assert token.encode() in simplify(text.encode(), dialects=["google"]).content
    without = text.partition("\n\n")[0]
    for before, after in ((text, without), (without, text)):
        found = compare_files(goodbot.RobotsTxt(before), goodbot.RobotsTxt(after))
        assert found.effect == "same"
        assert found
        assert [one.field for one in found.changes if one.field != "findings"] == ["User-agent"]
