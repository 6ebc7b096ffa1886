"""Tools for authors: the written text says what was wished, and losses are reported."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.page import DIRECTIVES
from goodbot.page.directives import VALUED
from goodbot.site.writing import (
    FORMS,
    LOSSES,
    Wish,
    profile_document,
    profile_findings,
    wish_of,
    write,
)

URL = "https://example.com/page"
ROBOTS = [None, "examplebot", "otherreader"]

WITH_EFFECT = [
    name
    for name, row in DIRECTIVES.items()
    if row.forbids or row.allows or name in VALUED or name == "indexifembedded"
]
VALUES = {
    "max-snippet": ["0", "20", "-1"],
    "max-video-preview": ["0", "-1", "7"],
    "max-image-preview": ["none", "standard", "large"],
    "unavailable_after": [
        "25 Jun 2030 15:00:00 PST",
        "2031-01-02",
        "Wed, 03 Dec 2025 13:09:53 GMT",
    ],
}
stated = st.tuples(st.sampled_from(ROBOTS), st.sampled_from(sorted(DIRECTIVES))).flatmap(
    lambda pair: st.sampled_from(VALUES.get(pair[1], [""])).map(lambda value: (*pair, value))
)
wishes = st.lists(stated, max_size=6).map(Wish.of)


def document(form: str, text: str) -> dict[str, Any]:
    """Return the arguments of a page that has the written text in its place."""
    if form == "header":
        fields = [line.split(": ", 1) for line in text.splitlines()]
        return {"body": "<p>text", "headers": [(name, value) for name, value in fields]}
    if form == "pi":
        xml = f'{text}<html xmlns="http://www.w3.org/1999/xhtml"><body><p>text</p></body></html>'
        return {"body": xml, "content_type": "application/xml"}
    if form == "data-nosnippet":
        return {"body": f"<body>{text}<p>text <a href=/x>a</a></div>"}
    if form == "profile":
        head, _, body = text.rpartition("\n")
        return {"body": f"{head}</head>{body}<p>text <a href=/x>a</a>"}
    return {"body": f"<head>{text}</head><p>text"}


def heard(wish: Wish, robot: str) -> list[tuple[str, Any]]:
    """Return the directives for a robot: those for all, and those for itself."""
    return [(one.directive, one.value) for one in wish.stated if one.robot in {None, robot}]


@given(wishes, st.sampled_from(["meta", "header"]), st.sampled_from(["examplebot", "otherreader"]))
def test_what_page_reads_is_the_wish(wish: Wish, form: str, robot: str) -> None:
    """With META and X-Robots-Tag: every directive, with its value, for each robot."""
    written = write(wish, form)
    page = goodbot.Page(URL, robot=robot, **document(form, written.text))
    found = {(one.directive, one.value) for one in page.statements}
    assert found == set(heard(written.said, robot))
    lost = [one for one in wish.stated if one not in written.said.stated]
    assert {loss.code for loss in written.losses} <= {"without-effect", "contradiction"}
    assert len(written.losses) == len(lost)
    assert not [one for one in page.findings if one.severity == "warning"] or has_conflict(page)


def has_conflict(page: goodbot.Page) -> bool:
    """Return whether the wish itself is odd."""
    return {one.code for one in page.findings} <= {"conflicting-directives", "for-others"}


@given(wishes)
def test_the_instruction_says_index_and_follow(wish: Wish) -> None:
    """As far as all robots are addressed."""
    written = write(wish, "pi")
    page = goodbot.Page(URL, **document("pi", written.text))
    said = {one.directive for one in written.said.stated}
    assert page.index.allowed is not bool(said & {"noindex", "none"})
    assert page.follow.allowed is not bool(said & {"nofollow", "none"})
    assert bool(written.text) is bool(said)


@given(wishes, st.sampled_from(["examplebot", "otherreader"]))
def test_the_profile_says_it_of_all_that_is_in_the_body(wish: Wish, robot: str) -> None:
    """For all robots, and for single ones by number: the more specific class takes precedence."""
    written = write(wish, "profile")
    page = goodbot.Page(URL, robot=robot, **document("profile", written.text))
    run, link = page.runs[0], page.links[0]
    for act, allowed in (
        ("index", run.index.allowed),
        ("follow", link.follow.allowed),
        ("archive", run.archive.allowed),
    ):
        assert allowed is expected(written.said, robot, act), (written.text, act)
    assert not [one for one in profile_findings(page) if one.code != "conflicting-classes"]


def expected(wish: Wish, robot: str, act: str) -> bool:
    """Return whether the classes of a wish allow an act."""
    for addressed in (robot, None):
        said = [DIRECTIVES[one.directive] for one in wish.of_robot(addressed)]
        if any(act in row.forbids for row in said):
            return False
        if any(act in row.allows for row in said):
            return True
    return True


@given(wishes)
def test_the_attribute_forbids_to_quote(wish: Wish) -> None:
    """And nothing else."""
    written = write(wish, "data-nosnippet")
    page = goodbot.Page(URL, **document("data-nosnippet", written.text))
    assert page.runs[0].snippet.allowed is not bool(written.said.stated)
    assert page.runs[0].index.allowed


@given(wishes, st.sampled_from(sorted(FORMS)))
def test_everything_is_said_or_told(wish: Wish, form: str) -> None:
    """Every part of a wish is written or reported as lost."""
    written = write(wish, form)
    lost = [one for one in wish.stated if one not in written.said.stated]
    # What is left of an `all` that something contradicts may be lost as well.
    left = len([one for one in written.losses if one.code == "contradiction"])
    assert len(lost) <= len(written.losses) <= len(lost) + left
    assert all(loss.code in LOSSES for loss in written.losses)


@pytest.mark.parametrize("form", ["meta", "header", "pi", "profile"])
def test_of_a_contradiction_the_one_that_forbids_is_said(form: str) -> None:
    """And only that one; another robot's permission is not a contradiction."""
    written = write(Wish.parse("noindex, index"), form)
    assert written.text == write(Wish.parse("noindex"), form).text
    assert [loss.code for loss in written.losses] == ["contradiction"]
    assert str(write(Wish.parse("all, noindex"), form).said) == "follow, noindex"
    assert not write(Wish.parse("noindex, googlebot: index"), "header").losses


@pytest.mark.parametrize("name", ["description", "keywords", "viewport", "url"])
def test_a_meta_name_of_something_else_addresses_no_robot(name: str) -> None:
    """Directives for such a robot are lost in META, and reported; the header has them."""
    wish = Wish.parse(f"noindex, {name}: nofollow")
    written = write(wish, "meta")
    assert written.text == '<meta name="robots" content="noindex">'
    assert [loss.code for loss in written.losses] == ["not-for-one-robot"]
    assert not write(wish, "header").losses


@given(wishes, st.sampled_from(["meta", "header"]))
def test_a_wish_is_read_from_what_was_written(wish: Wish, form: str) -> None:
    """For all robots at once, so that it can be written in another form."""
    written = write(wish, form)
    given_to_page = document(form, written.text)
    page = goodbot.Page(URL, **given_to_page)
    found = wish_of(page, given_to_page["body"], headers=given_to_page.get("headers", ()))
    assert set(found.wish.stated) == set(written.said.stated)
    assert found.losses == ()
    assert Wish.parse(str(wish)).stated == tuple(
        sorted(wish.stated, key=lambda one: wish_order(wish, one))
    )


def wish_order(wish: Wish, one: Any) -> tuple[int, int]:  # noqa: ANN401  a Wished
    """Order the directives as `str` does: those for all robots first."""
    robots = sorted(wish.robots, key=lambda name: name is not None)
    return robots.index(one.robot), wish.stated.index(one)


HEAD = '<head profile="http://example.org/xmdp/robots-profile#"></head>'
XHTML = (
    '<html xmlns="http://www.w3.org/1999/xhtml"><head><meta name="robots" content="{}"/></head>'
    "</html>"
)


@pytest.mark.parametrize(
    ("body", "stated", "codes"),
    [
        (HEAD + '<body class="robots-noindex">x', "noindex", []),
        ('<body class="robots-noindex">x', "", ["of-a-part"]),
        (HEAD + '<p class="robots-noindex">x', "", ["of-a-part"]),
        ("<p><span data-nosnippet>x</span>", "", ["of-a-part"]),
        ("<meta name=robots content='noindex, nofolow'>", "noindex", ["not-a-wish"]),
        ("<meta name=description content='index, follow and none'>", "", []),
        ("<p class='robotics robot'>x", "", []),
        ('<?robots index="no" follow="yes"?><d/>', "noindex, follow", []),
        # In XML the instruction decides on index and follow, and META on the rest.
        (
            f'<?robots index="no" follow="yes"?>{XHTML.format("none, noarchive")}',
            "noindex, follow, noarchive",
            [],
        ),
        ("<?robots index='no' follow='no'?><d/>", "", ["not-a-wish"]),
        ('<!DOCTYPE html><?robots index="no" follow="no"?><p>x', "", ["without-effect"]),
        ('<META NAME="SPIDER BY" CONTENT="NONE">', "none", []),
        ('<META NAME="SPIDER BY" CONTENT="ALL">', "", []),
        ('<META NAME="URL" CONTENT="https://example.com/real">', "", ["not-sayable"]),
    ],
)  # fmt: skip
def test_what_a_document_wishes(body: str, stated: str, codes: list[str]) -> None:
    """As a whole; marks on parts are reported as lost."""
    kind = "application/xml" if body.startswith("<?") else "text/html"
    found = wish_of(goodbot.Page(URL, body, content_type=kind), body)
    assert (str(found.wish), [loss.code for loss in found.losses]) == (stated, codes)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<p data-nosnippet>x", "line 1: data-nosnippet on <p> is not converted"),
        ("<!--googleoff: all-->a<!--noindex-->b", "line 1: <!--noindex--> is not converted"),
        ("a\n<noindex>b</noindex>", "line 2: <noindex> is not converted"),
        ("a\n<a href=/x rel='ugc nofollow'>b</a>", "line 2: rel=nofollow is not converted"),
        ("<b class=robots-nocontent>x", "robots-nocontent on <b> is not converted: it marks"),
        ("<b class=robots-noindex>x", "it has no effect, because the HEAD does not name the Robot"),
        (HEAD + "<b class=robot7-noindex>x", "Robots must not index this content"),
        (HEAD + "<b class=robots-noidex>x", "no such class is known"),
        (HEAD + "<body class=robots-noanchortext>x", "no directive for a whole page corresponds"),
    ],
)  # fmt: skip
def test_each_mark_on_a_part_is_reported_with_its_line_and_meaning(body: str, message: str) -> None:
    """Whatever its form: none is lost in silence, not even one within another."""
    found = wish_of(goodbot.Page(URL, body), body)
    assert {loss.code for loss in found.losses} == {"of-a-part"}
    assert [one.message for one in found.losses if message in one.message]


@pytest.mark.parametrize(
    ("wish", "form", "codes"),
    [
        ("noindex, max-snippet: 20", "pi", ["not-sayable"]),
        ("examplebot: noindex", "pi", ["not-for-one-robot"]),
        ("noarchive", "profile", ["says-more"]),
        ("noarchive, nosnippet", "profile", []),
        ("noodp", "meta", ["without-effect"]),
        ("noindex, index", "pi", ["contradiction"]),
        ("nosnippet, noindex", "data-nosnippet", ["not-sayable"]),
        ("examplebot: nosnippet", "data-nosnippet", ["not-for-one-robot"]),
    ],
)
def test_each_loss_has_its_code(wish: str, form: str, codes: list[str]) -> None:
    """The table of codes, row by row."""
    assert [loss.code for loss in write(Wish.parse(wish), form).losses] == codes


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("noidex", "there is no directive 'noidex'; did you mean noindex"),
        ("max-snippet: many", "'many' is not a value of max-snippet"),
        ("a bot: noindex", "'a bot' is not the name of a robot"),
    ],
)
def test_a_wish_of_ones_own_must_be_right(text: str, told: str) -> None:
    """A wish of one's own is not content of a site, so it raises."""
    with pytest.raises(WrongValueError, match=told):
        Wish.parse(text)


def test_misuse_is_told() -> None:
    """The message says what to pass."""
    wrong: Any = "noindex"
    with pytest.raises(WrongTypeError, match=r"write Wish\.parse"):
        write(wrong, "meta")
    with pytest.raises(WrongValueError, match="choose from meta, header, pi, profile"):
        write(Wish(), "xmeta")
    with pytest.raises(WrongTypeError, match="a wish must be a str"):
        Wish.parse(wrong.encode())


def test_the_profile_document_defines_every_class() -> None:
    """The classes of the Profile."""
    for act in ("index", "follow", "anchortext", "archive"):
        for no in ("", "no"):
            assert f'<dt id="robots-{no}{act}">' in profile_document()
