"""`goodbot.uses`: what is not known is no permission, misuse raises, foreign content never does."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.content_use import RslLicense, UseVerdict, read_license, read_tdmrep
from goodbot.content_use.precedence import MOST_SHOWN
from goodbot.content_use.rsl_reader import DEEPEST, MOST_LICENSE_BYTES
from goodbot.content_use.sources import MOST_LICENSES
from goodbot.content_use.tdmrep import MOST_RULES, MOST_TDMREP_BYTES
from goodbot.errors import RobotNameError, WrongTypeError, WrongValueError

URL = "https://example.com/a"
ROBOTS = "https://example.com/robots.txt"
NOW = datetime(2026, 11, 22, tzinfo=timezone.utc)
RSL = "https://rslstandard.org/rsl"


def statuses(answer: goodbot.content_use.Uses) -> set[str]:
    """Return the different answers."""
    return {verdict.status for verdict in answer.verdicts.values()}


def test_an_unreachable_robots_txt_is_no_permission() -> None:
    """Whatever the header allows is unknown, because robots.txt could say otherwise."""
    policy = goodbot.Policy.from_failure(ROBOTS, "timeout", now=NOW)
    allowing = {"Content-Usage": "train-ai=y, search=y, ai-use=y"}
    answer = goodbot.uses(URL, robots_txt=policy, headers=allowing, now=NOW)
    assert statuses(answer) == {"unknown"}
    assert answer.train.reason == "robots-txt-unreachable"
    assert not answer.train
    assert answer.access is not None
    assert not answer.access


def test_a_reservation_holds_while_robots_txt_is_unreachable() -> None:
    """What restricts a use counts, whatever else could not be read."""
    policy = goodbot.Policy.from_response(ROBOTS, 503, {}, b"", now=NOW)
    answer = goodbot.uses(URL, robots_txt=policy, headers={"tdm-reservation": "1"})
    assert (answer.train.status, answer.train.reason) == ("reserved", "statement-reserves")


def test_a_missing_robots_txt_says_nothing() -> None:
    """A 404 allows fetching, and leaves uses to the others."""
    policy = goodbot.Policy.from_response(ROBOTS, 404, {}, b"", now=NOW)
    answer = goodbot.uses(URL, robots_txt=policy, headers={"Content-Usage": "train-ai=y"})
    assert (answer.train.status, answer.search.status) == ("allowed", "unknown")


def test_statements_of_robots_txt_expire_with_its_policy() -> None:
    """An answer that rests on robots.txt holds as long as the copy of it does."""
    body = b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /"
    policy = goodbot.Policy.from_response(ROBOTS, 200, {}, body, now=NOW)
    answer = goodbot.uses(URL, robots_txt=policy)
    assert answer.train.expires == policy.fresh_until == NOW + timedelta(days=1)


def test_what_was_not_passed_is_named() -> None:
    """The answer lists what could say more."""
    link = '<https://example.com/l.xml>; rel=license; type="application/rsl+xml"'
    answer = goodbot.uses(URL, headers={"Link": link})
    assert answer.not_consulted == ("robots.txt", "tdmrep.json", "https://example.com/l.xml")
    whole = goodbot.uses(
        URL, goodbot.Page(URL, ""), robots_txt=goodbot.RobotsTxt(""), tdmrep=b"", present=["ai.txt"]
    )
    assert whole.not_consulted == ()
    assert whole.reported == ("ai.txt is there; it decides nothing",)


def test_answers_are_plain_values() -> None:
    """As JSON, in a set, and as HTML."""
    answer = goodbot.uses(URL, robots_txt=goodbot.RobotsTxt(""), headers={"tdm-reservation": "1"})
    plain = json.loads(json.dumps(answer.as_dict()))
    assert plain["uses"]["train"]["said"]["place"] == "header tdm-reservation"
    assert len({answer, answer}) == 1
    assert "train" in answer._repr_html_()
    assert str(answer).splitlines()[0].startswith("fetch: Allowed")


def test_only_allowed_is_true() -> None:
    """A licence, a reservation and silence are no permission."""
    for status in ("licensed", "reserved", "unknown"):
        assert not UseVerdict("train", status, "nobody-says", None)
    assert UseVerdict("train", "allowed", "statement-allows", None)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"page": "<p>"}, WrongTypeError),
        ({"robots_txt": "User-agent: *"}, WrongTypeError),
        ({"licenses": {"https://example.com/l": 1}}, WrongTypeError),
        ({"present": "ai.txt"}, WrongTypeError),
        ({"page": goodbot.Page(URL, ""), "headers": {}}, WrongValueError),
        ({"now": datetime(2026, 1, 1)}, WrongValueError),  # noqa: DTZ001  that is the misuse
        ({"robots_txt": goodbot.RobotsTxt(""), "robot": "https://x"}, RobotNameError),
        ({"url": b"https://example.com/"}, WrongTypeError),
    ],
)
def test_misuse_raises(arguments: dict[str, object], error: type[Exception]) -> None:
    """Arguments of the wrong type or value raise the tree of errors."""
    with pytest.raises(error):
        goodbot.uses(**{"url": URL} | arguments)  # type: ignore[arg-type]


HOSTILE = [
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'[{"location": "/", "tdm-reservation": ' + b"9" * 100_000 + b"}]",
    b'[{"location": "' + b"/*" * 5_000 + b'$", "tdm-reservation": 1}]',
    b"[" + b'{"location": "/a*b", "tdm-reservation": 1},' * 11_000 + b"1]",
    b"[1e999, NaN, null, [], {}]",
    b" " * (MOST_TDMREP_BYTES + 1) + b"[]",
]


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_tdmrep_json_never_raises(content: bytes) -> None:
    """Whatever it is, it is read within bounds, and allows nothing."""
    file = read_tdmrep(content)
    assert len(file.rules) <= MOST_RULES
    assert goodbot.uses(URL, tdmrep=content).train.status in {"unknown", "reserved"}


def bomb() -> str:
    """Return a document whose entities would grow to gigabytes."""
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    declared = f'<!DOCTYPE rsl [<!ENTITY e0 "all">{entities}]>'
    return f"{declared}<rsl xmlns='{RSL}'><content url='&e11;'/></rsl>"


LICENSES = [
    "",
    "<rsl",
    f"<rsl xmlns='{RSL}'/>",
    "<rsl/>",
    bomb(),
    f"<!DOCTYPE rsl SYSTEM 'file:///etc/hosts'><rsl xmlns='{RSL}'><content url='/'/></rsl>",
    f"<rsl xmlns='{RSL}'>" + "<x xmlns='y'>" * (DEEPEST + 1),
    f"<rsl xmlns='{RSL}'>" + "<content url='/'><license/></content>" * 30_000 + "</rsl>",
    f"<rsl xmlns='{RSL}' max-age='0'/>",
    f"<rsl xmlns='{RSL}' max-age='{'9' * 5_000}'/>",
    " " * (MOST_LICENSE_BYTES + 1),
]


@pytest.mark.parametrize("text", LICENSES, ids=range(len(LICENSES)))
def test_a_hostile_licence_grants_nothing(text: str) -> None:
    """It never raises, is read within bounds, and no use is allowed by it."""
    robots = goodbot.RobotsTxt("License: https://example.com/l.xml")
    answer = goodbot.uses(URL, robots_txt=robots, licenses={"https://example.com/l.xml": text})
    assert "allowed" not in statuses(answer)


def test_entities_are_read_as_the_core_reads_them() -> None:
    """An entity of plain text stands for its text; nothing else is resolved or fetched."""
    content = "<content url='/'><license><permits type='usage'>&w;</permits></license></content>"
    text = f"<!DOCTYPE rsl [<!ENTITY w 'search'>]><rsl xmlns='{RSL}'>{content}</rsl>"
    assert read_license(text).contents[0].licenses[0].permits == {"usage": ("search",)}
    outside = text.replace("'search'", "SYSTEM 'https://example.com/what'")
    assert read_license(outside).fault is not None


def test_encodings_of_licences() -> None:
    """A licence in UTF-16, or in Latin-1 by its declaration, is read."""
    text = f"<rsl xmlns='{RSL}'><content url='/é'><license/></content></rsl>"
    for encoded in (
        text.encode("utf-16"),
        b'<?xml version="1.0" encoding="latin-1"?>' + text.encode("latin-1"),
        text.encode("utf-8-sig"),
    ):
        assert read_license(encoded).contents[0].url == "/é"


def test_a_licence_may_be_passed_read_or_not() -> None:
    """Bytes, text and what `read_license` returns are the same."""
    text = f"<rsl xmlns='{RSL}'><content url='/'><license/></content></rsl>"
    robots = goodbot.RobotsTxt("License: https://example.com/l.xml")
    given: list[str | bytes | RslLicense] = [text, text.encode(), read_license(text)]
    answers = [
        goodbot.uses(URL, robots_txt=robots, licenses={"https://example.com/l.xml": one})
        for one in given
    ]
    assert {one.train.status for one in answers} == {"allowed"}


def test_importing_goodbot_does_not_load_it() -> None:
    """The room is loaded when `goodbot.uses` is first used."""
    code = (
        "import sys, goodbot\n"
        "assert 'goodbot.content_use' not in sys.modules\n"
        "goodbot.uses('https://example.com/')\n"
        "assert 'goodbot.content_use' in sys.modules and 'uses' in dir(goodbot)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  our own code


LICENSE = "https://example.com/l.xml"
FLOODS: list[tuple[str, str, str]] = [
    ("", "<content url='/'><license/></content>" * 25_000, ""),
    (
        "",
        "".join(f"<content url='/{'*' * n}'><license/></content>" for n in range(1, 1_400)),
        "",
    ),
    (
        "User-agent: *\n" + "Content-Signal: ai-train=yes\nContent-Signal: ai-train=no\n" * 9_000,
        "",
        "",
    ),
    ("".join(f"License: https://example.com/{n}\n" for n in range(10_000)), "", ""),
    ("", "", "<meta name=robots content='index,noindex'>" * 20_000),
    ("", "", "<meta name=tdm-reservation content=1><meta name=tdm-reservation content=0>" * 9_000),
    (
        "",
        "",
        f"<script type='application/rsl+xml'><rsl xmlns='{RSL}'><content url=''><license/>"
        "</content>"
        "</rsl></script>" * 5_000,
    ),
]
"""robots.txt, what a licence contains, a page."""


@pytest.mark.stress
@pytest.mark.parametrize(("robots", "contents", "html"), FLOODS, ids=range(len(FLOODS)))
def test_a_flood_of_statements_has_bounds(robots: str, contents: str, html: str) -> None:
    """However many statements there are, each answer has few, and takes linear time."""
    text = f"License: {LICENSE}\n{robots}" if contents else robots
    answer = goodbot.uses(
        URL,
        goodbot.Page(URL, html),
        robots_txt=goodbot.RobotsTxt(text),
        licenses={LICENSE: f"<rsl xmlns='{RSL}'>{contents}</rsl>"},
    )
    for verdict in answer.verdicts.values():
        assert len(verdict.agreeing) <= MOST_SHOWN
        assert len(verdict.conflicts) <= MOST_SHOWN
    assert len(answer.findings) <= 2_000
    assert len(answer.not_consulted) <= MOST_LICENSES + 4


@given(
    st.lists(st.sampled_from(["ai-train=no", "ai-train=yes", "search=no"]), max_size=4),
    st.lists(st.sampled_from(["train-ai=n", "train-ai=y", "search=y"]), max_size=3),
    st.sampled_from(["", "noai", "index", "noindex", "noarchive", "nosnippet"]),
    st.sampled_from([None, 0, 1]),
)
def test_a_further_reservation_never_permits_more(
    signals: list[str], preferences: list[str], directive: str, reservation: int | None
) -> None:
    """Whatever is said, one more statement that restricts makes no answer more permissive."""
    lines = [
        *(f"Content-Signal: {one}" for one in signals),
        *(f"Content-Usage: {one}" for one in preferences),
    ]
    robots = goodbot.RobotsTxt("\n".join(["User-agent: *", *lines, "Allow: /"]))
    header = {} if reservation is None else {"tdm-reservation": str(reservation)}
    page = goodbot.Page(URL, f"<meta name=robots content='{directive}'>", headers=header)
    before = goodbot.uses(URL, page, robots_txt=robots)
    more = "\n".join(
        ["User-agent: *", *lines, "Content-Signal: ai-train=no, search=no, ai-input=no", "Allow: /"]
    )
    after = goodbot.uses(URL, page, robots_txt=goodbot.RobotsTxt(more))
    for use in ("train", "ground", "search", "preview"):
        assert after.verdicts[use].status == "reserved"
        assert not (before.verdicts[use].status == "reserved" and after.verdicts[use])
    assert after.archive.status == before.archive.status


USAGE_WORDS = ["all", "ai-all", "ai-train", "ai-input", "search"]


def listed(name: str, words: list[str] | None) -> str:
    """Return a list of a licence; nothing for `None`."""
    return "" if words is None else f"<{name} type='usage'>{' '.join(words)}</{name}>"


@given(
    st.none() | st.lists(st.sampled_from(USAGE_WORDS), max_size=3),
    st.none() | st.lists(st.sampled_from(USAGE_WORDS), max_size=3),
    st.sampled_from(["permits", "prohibits"]),
)
def test_an_unknown_word_of_a_licence_permits_nothing(
    permitted: list[str] | None, prohibited: list[str] | None, name: str
) -> None:
    """Wherever it stands, no use is allowed that was not, and each prohibition stands."""
    lists = {"permits": permitted, "prohibits": prohibited}

    def answer(stated: dict[str, list[str] | None]) -> dict[str, str]:
        """Return the status of each use."""
        terms = "".join(listed(*one) for one in stated.items())
        text = f"<rsl xmlns='{RSL}'><content url='/'><license>{terms}</license></content></rsl>"
        robots = goodbot.RobotsTxt(f"License: {LICENSE}")
        found = goodbot.uses(URL, robots_txt=robots, licenses={LICENSE: text})
        return {use: one.status for use, one in found.verdicts.items()}

    before = answer(lists)
    after = answer(lists | {name: [*(lists[name] or []), "ai-draw"]})
    for use, status in after.items():
        assert status != "allowed" or before[use] == "allowed"
        assert before[use] != "reserved" or status == "reserved"


FAMILY = (
    "Content-Signal: ai-input=no\n"
    "User-agent: Googlebot\nContent-Signal: ai-train=no\nDisallow: /a\n"
    "User-agent: *\nContent-Signal: ai-train=yes, search=yes\nAllow: /\n"
)


@pytest.mark.parametrize("source", ["file", "policy"])
@pytest.mark.parametrize(
    ("robot", "is_allowed", "train", "search"),
    [
        ("Googlebot", False, "reserved", "unknown"),
        ("Googlebot-News", False, "reserved", "unknown"),
        ("Applebot", False, "reserved", "unknown"),
        ("AdsBot-Google", True, "unknown", "unknown"),
        ("ExampleBot", True, "allowed", "allowed"),
        ("*", True, "allowed", "allowed"),
    ],
)
def test_a_known_robot_brings_its_family(
    robot: str,
    is_allowed: bool,  # noqa: FBT001  a parameter
    train: str,
    search: str,
    source: str,
) -> None:
    """Googlebot-News and Applebot obey Googlebot's group, and AdsBot-Google not the one for `*`."""
    file: goodbot.RobotsTxt | goodbot.Policy = goodbot.RobotsTxt(FAMILY)
    if source == "policy":
        file = goodbot.Policy.from_response(ROBOTS, 200, {}, FAMILY.encode(), now=NOW)
    answer = goodbot.uses(URL, robots_txt=file, robot=robot)
    assert answer.access is not None
    assert answer.access.allowed is is_allowed
    assert (answer.train.status, answer.search.status) == (train, search)
    # A signal before all groups is the site's, for whom no group says another.
    assert answer.ground.status == ("reserved" if robot == "AdsBot-Google" else "unknown")


def test_a_failed_robots_txt_is_read_in_the_dialect_of_a_known_robot() -> None:
    """A 404 allows everything to anyone; a 503 allows nothing to anyone."""
    for status, is_allowed in ((404, True), (503, False)):
        policy = goodbot.Policy.from_response(ROBOTS, status, {}, b"", now=NOW)
        answer = goodbot.uses(URL, robots_txt=policy, robot="Googlebot")
        assert answer.access is not None
        assert answer.access.allowed is is_allowed
        assert (answer.train.reason == "robots-txt-unreachable") is not is_allowed


def test_an_instruction_of_no_legal_form_is_reported_with_its_url() -> None:
    """With the syntax error, also if the page says nothing else (Robots PI, Syntax)."""
    page = goodbot.Page(URL, "<?robots index='no' follow='no'?><d/>", content_type="text/xml")
    answer = goodbot.uses(URL, page)
    assert answer.search.status == "unknown"
    (told,) = answer.findings
    assert (told.code, told.line) == ("illegal-robots-pi", 1)
    assert told.message.startswith(f"{URL}: <?robots index='no'")
    assert told.message.endswith("the values must be in double quotes")
