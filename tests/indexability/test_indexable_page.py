"""The report on one URL: an answer for each robot, and who says so."""

from datetime import datetime, timezone
from typing import Any

import pytest

import goodbot
from goodbot.errors import MisuseError, WrongTypeError, WrongValueError
from goodbot.indexability import (
    ASPECTS,
    Aspect,
    IndexabilityReport,
    RobotIndexability,
    finding_codes,
    indexability_report,
)

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
URL = "https://a.example/drafts/a"
NOTHING = b"<p>Fish."


def policy(content: bytes = b"", status: int = 200) -> goodbot.Policy:
    """Return the policy of the site."""
    url = "https://a.example/robots.txt"
    return goodbot.Policy.from_response(url, status, {}, content or b"User-agent: *", now=NOW)


def report(
    body: bytes | None = NOTHING,
    robots_txt: bytes = b"",
    **more: Any,  # noqa: ANN401  arguments of `indexability_report`
) -> IndexabilityReport:
    """Return the report on a page."""
    return indexability_report(URL, policy(robots_txt), body, now=NOW, **more)


def answers(found: IndexabilityReport) -> dict[str, tuple[bool | None, str]]:
    """Return whether each robot may index the page, and who says so."""
    return {one.robot: (one.indexable, one.source) for one in found.answers}


def aspect(answer: RobotIndexability, name: str) -> Aspect:
    """Return one aspect of an answer."""
    return next(one for one in answer.aspects if one.name == name)


# Who decides.


def test_a_page_of_which_nobody_says_anything_is_indexable() -> None:
    """Any robot may index it, and every aspect is in the order of the table."""
    found = report()
    assert found
    assert found.indexable is True
    assert answers(found) == {"*": (True, "")}
    assert [one.name for one in found.answers[0].aspects] == list(ASPECTS)
    assert aspect(found.answers[0], "status").said == "200"


@pytest.mark.parametrize(
    ("body", "more", "reason", "source"),
    [
        (b"<meta name=robots content=noindex>", {}, "directive-forbids", "META robots, line 1: n"),
        (NOTHING, {"headers": {"X-Robots-Tag": "none"}}, "directive-forbids", "X-Robots-Tag: none"),
        (NOTHING, {"status": 404}, "no-document", "status: 404"),
        (
            NOTHING,
            {"status": 301, "headers": {"Location": "/b"}},
            "redirect",
            "redirects to https://a.example/b",
        ),
        (b"<link rel=canonical href=/b>", {}, "canonical", "canonical: https://a.example/b"),
        (
            b"<meta name=robots content='unavailable_after: 2025-12-31'>",
            {},
            "too-late",
            "META robots, line 1: unavailable_after",
        ),
        (
            b"%PDF-1.7",
            {"headers": {"Content-Type": "application/pdf", "X-Robots-Tag": "noindex"}},
            "directive-forbids",
            "X-Robots-Tag: noindex",
        ),
    ],
)
def test_the_first_that_forbids_decides(
    body: bytes, more: dict[str, Any], reason: str, source: str
) -> None:
    """Status, redirect, header, META, date and canonical each forbid, with their place."""
    (answer,) = report(body, **more).answers
    assert (answer.indexable, answer.reason) == (False, reason)
    assert answer.source.startswith(source)


def test_robots_txt_comes_before_the_page() -> None:
    """A robot that must not fetch the URL sees nothing of the page."""
    (answer,) = report(robots_txt=b"User-agent: *\nDisallow: /drafts").answers
    assert (answer.indexable, answer.reason) == (False, "rule-disallows")
    assert (answer.source, answer.is_seen) == ("robots.txt line 2", False)
    unseen = [one.name for one in answer.aspects if one.said == "not seen"]
    assert unseen[:5] == ["status", "header", "meta", "canonical", "sections"]


def test_sections_are_counted() -> None:
    """Marks on parts of the page leave the rest; all parts marked leave nothing."""
    body = b"<p>Fish<!--googleoff: index--><p>Shark<!--googleon: index--><p>Crab"
    found = aspect(report(body).answers[0], "sections")
    assert (found.allowed, found.said) == (True, "2 of 3")
    assert found.source.startswith("googleoff")
    body = b"<!--googleoff: index--><p>Shark"
    assert aspect(report(body).answers[0], "sections").allowed is False


def test_a_directive_that_allows_is_named() -> None:
    """`index` is what META says, not silence."""
    (answer,) = report(b"<meta name=robots content=index>").answers
    found = aspect(answer, "meta")
    assert (found.allowed, found.said) == (True, "index")
    assert aspect(answer, "header") == Aspect("header", None, "", "")


def test_the_uses_of_the_content_are_aspects() -> None:
    """They are those of `goodbot.uses`, from robots.txt, header and page."""
    (answer,) = report(headers={"Content-Usage": "train-ai=n"}).answers
    found = aspect(answer, "use-train")
    assert (found.allowed, found.said) == (False, "reserved")
    assert "Content-Usage" in found.source
    assert aspect(answer, "use-search").allowed is None


# Which robots.


def test_robots_that_the_page_addresses_have_an_answer() -> None:
    """META and header name them; a known one is written as its operator writes it."""
    body = b"<meta name=googlebot content=noindex>"
    found = report(body, headers={"X-Robots-Tag": "otherbot: nofollow"})
    assert list(answers(found)) == ["*", "otherbot", "Googlebot"]
    assert found.indexable is False
    assert answers(found)["*"] == (True, "")
    assert answers(found)["Googlebot"] == (False, "META googlebot, line 1: noindex")
    assert aspect(found.answers[1], "follow").allowed is False


def test_search_engines_that_robots_txt_answers_otherwise_have_an_answer() -> None:
    """Those that it answers alike have none, and neither have robots that do not search."""
    file = (
        b"User-agent: Googlebot\nDisallow: /drafts\n\nUser-agent: bingbot\nDisallow: /x\n\n"
        b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: Nobody\nDisallow: /\n"
    )
    assert list(answers(report(robots_txt=file))) == ["*", "Googlebot"]


def test_named_robots_replace_the_choice() -> None:
    """Each has its family: Googlebot-News obeys the group of Googlebot."""
    file = b"User-agent: Googlebot\nDisallow: /drafts"
    found = report(robots_txt=file, robots=["Googlebot-News", "ExampleBot/1.0"])
    assert answers(found) == {
        "Googlebot-News": (False, "robots.txt line 2"),
        "ExampleBot/1.0": (True, ""),
    }


def test_at_most_twelve_robots_are_chosen() -> None:
    """Each costs a reading of the page, so a page cannot ask for a thousand."""
    body = b"".join(b"<meta name=bot%d content=noindex>" % number for number in range(100))
    assert len(report(body).answers) == 12


@pytest.mark.parametrize(
    "name",
    [
        "https://bot.example/",
        "bot://",
        "*bot*",
        "-- bot",
        "b\x1b[1mot",
        "a" * 99 + "bot",
        "\u202ebot",
        "0bot ",
    ],
)
def test_odd_names_in_a_page_raise_nothing(name: str) -> None:
    """Content of a site is never an error, and what is no name has no column."""
    body = f"<meta name='{name}' content=noindex>".encode()
    header = {"X-Robots-Tag": f"{name}: noindex".encode()}
    found = report(body, headers=header)
    assert set(answers(found)) <= {"*", "0bot", "-- bot", "b"}
    found = report(body, f"User-agent: {name}\nDisallow: /".encode())
    assert answers(found)["*"] == (True, "")


# What robots do not see.


def test_a_noindex_behind_robots_txt_is_a_finding() -> None:
    """It is one finding for all robots that are blind, and names the line that blocks them."""
    body = b"<meta name=robots content=noindex>"
    file = b"User-agent: *\nDisallow: /drafts\n\nUser-agent: ExampleBot\nDisallow:\n"
    found = report(body, file, robots=["*", "Googlebot", "ExampleBot"])
    (finding,) = [one for one in found.findings if one.code == "hidden-noindex"]
    assert finding.severity == "warning"
    assert "is not seen by any robot, Googlebot: robots.txt line 2 disallows" in finding.message
    assert answers(found)["ExampleBot"] == (False, "META robots, line 1: noindex")
    (finding,) = report(NOTHING, file).findings
    assert finding.code == "may-be-listed"
    assert not report(body).findings


def test_a_robot_for_which_the_page_says_nothing_is_not_blind() -> None:
    """`googlebot: noindex` is hidden from Googlebot alone."""
    found = report(b"<meta name=googlebot content=noindex>", b"User-agent: *\nDisallow: /drafts")
    (finding,) = [one for one in found.findings if one.code == "hidden-noindex"]
    assert "is not seen by Googlebot: " in finding.message


def test_a_redirect_behind_robots_txt_is_a_finding() -> None:
    """Of each URL on the way, by its own policy; unreachable ones are no answer."""
    rules = policy(b"User-agent: Googlebot\nDisallow: /old\n")
    way = [("https://a.example/old", rules), ("https://a.example/older", policy(status=503))]
    found = report(robots=["*", "Googlebot"], before=way)
    assert found.indexable is True
    (finding,) = found.findings
    assert (finding.code, finding.severity) == ("hidden-redirect", "info")
    assert finding.message.startswith(
        "the redirect of https://a.example/old is not seen by Googlebot: robots.txt line 2"
    )


# What is not known.


def test_what_was_not_fetched_is_not_known() -> None:
    """Unless robots.txt forbids it, which is an answer."""
    found = report(None)
    assert (found.indexable, found.answers[0].reason) == (None, "not-fetched")
    assert not found
    file = b"User-agent: *\nDisallow: /drafts\n\nUser-agent: Googlebot\nDisallow:\n"
    assert answers(report(None, file)) == {
        "*": (False, "robots.txt line 2"),
        "Googlebot": (None, ""),
    }


def test_an_unreachable_robots_txt_is_no_answer() -> None:
    """Neither yes nor no, although nothing may be fetched."""
    found = indexability_report(URL, policy(status=503), NOTHING, now=NOW)
    assert found.indexable is None
    assert found.answers[0].source == "robots.txt returned status 503"


# Values and misuse.


def test_everything_is_plain_values_for_json() -> None:
    """The dictionary has what the table has."""
    found = report(b"<meta name=robots content=noindex>").as_dict()
    assert (found["indexable"], found["status"], found["content_type"]) == (False, 200, "text/html")
    assert found["robots"][0]["aspects"][0] == {
        "name": "robots-txt",
        "allowed": True,
        "said": "",
        "source": "robots.txt",
    }
    assert "Who may index" in report()._repr_html_()
    assert report(None).as_dict()["status"] is None


@pytest.mark.parametrize(
    ("more", "error", "cure"),
    [
        ({"robots": []}, WrongValueError, "name one, such as"),
        ({"robots": [""]}, MisuseError, "product token"),
        ({"url": "nowhere"}, MisuseError, "nowhere"),
        ({"url": "https://b.example/"}, MisuseError, "make a policy of"),
        ({"policy": None}, WrongTypeError, "must be a Policy"),
        ({"now": datetime(2026, 1, 1)}, WrongValueError, "time zone"),  # noqa: DTZ001
    ],
)
def test_misuse_is_told_with_the_cure(more: dict[str, Any], error: type, cure: str) -> None:
    """The message says what to pass."""
    arguments: dict[str, Any] = {"url": URL, "policy": policy(), "body": NOTHING, "now": NOW}
    with pytest.raises(error, match=cure):
        indexability_report(**(arguments | more))


def test_every_code_is_listed() -> None:
    """The list has code, severity and meaning."""
    codes = {code: severity for code, severity, _ in finding_codes()}
    assert codes == {
        "hidden-noindex": "warning",
        "may-be-listed": "info",
        "hidden-redirect": "info",
    }
    assert all("robots.txt" in meaning for _, _, meaning in finding_codes())


@pytest.mark.parametrize("status", [204, 205])
def test_an_answer_without_content_is_not_indexable(status: int) -> None:
    """Such a response has no content (RFC 9110 sections 15.3.5 and 15.3.6), so nothing to index."""
    found = report(b"", status=status)
    (answer,) = found.answers
    assert (answer.indexable, answer.reason, answer.source) == (
        False,
        "no-content",
        f"status {status}",
    )
    assert aspect(answer, "status").allowed is False
    assert report(b"").answers[0].indexable


def test_a_disallowed_page_that_was_not_fetched_may_still_be_listed() -> None:
    """Nobody knows what it says, and a noindex on it would not be read."""
    file = policy(b"User-agent: *\nDisallow: /")
    found = indexability_report(URL, file, robots=["Googlebot"], now=NOW)
    (finding,) = found.findings
    assert finding.code == "may-be-listed"
    assert "may still be listed by Googlebot" in finding.message
    assert "noindex on it cannot be read" in finding.message
    for other in (policy(b"User-agent: *\nDisallow:"), policy(status=503)):
        assert not indexability_report(URL, other, robots=["Googlebot"], now=NOW).findings
