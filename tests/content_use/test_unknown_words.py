"""No unknown word ever permits more: in any place, for any reader, in any dialect."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import goodbot
from goodbot._core import KNOWN_AS_OF
from goodbot.content_use.unknown_words import UNKNOWN_CODES

if TYPE_CHECKING:
    from goodbot.content_use import Uses

URL = "https://example.com/a"
PERMISSION = {"reserved": 0, "unknown": 1, "licensed": 2, "allowed": 3}
"""The answers, from the one that permits least."""
WORDS = st.from_regex(r"z[qxjkv][a-z]{2,8}", fullmatch=True)
"""Words that resemble none of those that any document defines."""
SIGNALS = ("search", "ai-input", "ai-train")
LABELS = ("train-ai", "ai-use", "search")
USES = ("all", "ai-all", "ai-train", "ai-input", "ai-index", "search")
DIALECTS = [one.name for one in goodbot.dialects() if one.name != "kollar1996"]
"""Kollar, Leavitt and Mauldin drop a whole record that has anything beside their fields: that an
unknown field permits more there is what their text says (docs/explanation/departures.md)."""


def signals_with(word: str) -> st.SearchStrategy[tuple[str, str]]:
    """Return values of Content-Signal, each without and with an unknown signal at any place."""
    known = st.lists(
        st.tuples(st.sampled_from(SIGNALS), st.sampled_from(("yes", "no"))), min_size=1, max_size=3
    )
    unknown = st.sampled_from((f"{word}=yes", f"{word}=no", f"{word}=full", word, f"search={word}"))
    return st.tuples(known, unknown, st.integers(0, 3)).map(
        lambda made: with_part([f"{name}={answer}" for name, answer in made[0]], *made[1:])
    )


def labels_with(word: str) -> st.SearchStrategy[tuple[str, str]]:
    """Return values of Content-Usage, each without and with an unknown label or parameter."""
    known = st.dictionaries(st.sampled_from(LABELS), st.sampled_from("yn"), min_size=1)
    unknown = st.sampled_from((f"{word}=y", f"{word}=n", word, f"{word}=?1", f"{word}=y;{word}"))
    return st.tuples(known, unknown, st.integers(0, 3)).map(
        lambda made: with_part([f"{key}={value}" for key, value in made[0].items()], *made[1:])
    )


def with_part(parts: list[str], part: str, place: int) -> tuple[str, str]:
    """Return a list as text, without and with one more part at a place."""
    return ", ".join(parts), ", ".join([*parts[:place], part, *parts[place:]])


def permits_no_more(before: Uses, after: Uses) -> None:
    """Check that no use is permitted that was not, nor restricted less."""
    for use, verdict in before.verdicts.items():
        now = after.verdicts[use]
        assert PERMISSION[now.status] <= PERMISSION[verdict.status], (use, verdict, now)


def is_named(word: str, answer: Uses) -> bool:
    """Return whether a word is named as unknown, with the day."""
    found = [*answer.unknown, *answer.findings]
    return any(word in one.message and KNOWN_AS_OF in one.message for one in found)


@given(st.data(), WORDS, st.sampled_from(["", "User-agent: *\n"]))
def test_an_unknown_signal_in_robots_txt(data: st.DataObject, word: str, start: str) -> None:
    """Beside the others, or alone in a group below a line of the whole file, it permits nothing."""
    without, value = data.draw(signals_with(word))
    above = data.draw(st.sampled_from(["", "Content-Signal: ai-train=no\n"]))
    before = f"{above}{start}Content-Signal: {without}\nAllow: /\n"
    after = f"{above}{start}Content-Signal: {value}\nAllow: /\n"
    answers = [goodbot.uses(URL, robots_txt=goodbot.RobotsTxt(one)) for one in (before, after)]
    permits_no_more(*answers)
    assert is_named(word, answers[1]) or f"search={word}" in value or f"{word}," in f"{value},"


@given(WORDS, st.sampled_from(("yes", "no")))
def test_a_group_with_an_unknown_signal_alone(word: str, answer: str) -> None:
    """It does not hide what the file says to all."""
    file = "Content-Signal: ai-train=no, search=no\nUser-agent: *\nAllow: /\n"
    both = [file, f"{file}Content-Signal: {word}={answer}\n"]
    found = [goodbot.uses(URL, robots_txt=goodbot.RobotsTxt(one)) for one in both]
    permits_no_more(*found)
    assert found[1].train.status == found[1].search.status == "reserved"
    stated = goodbot.RobotsTxt(both[1]).rules_for("*").usage(URL).content_signal
    assert stated["ai-train"] == "no"


def test_many_unknown_signals_displace_no_known_one() -> None:
    """However many there are, the known one behind them counts."""
    value = ", ".join([*(f"zq{number}=yes" for number in range(200)), "ai-train=no"])
    robots = goodbot.RobotsTxt(f"User-agent: *\nContent-Signal: {value}\nAllow: /\n")
    assert goodbot.uses(URL, robots_txt=robots).train.status == "reserved"
    assert robots.rules_for("*").usage(URL).content_signal["ai-train"] == "no"
    header = {"Content-Signal": value}
    assert goodbot.uses(URL, headers=header).train.status == "reserved"


@given(st.data(), WORDS)
def test_an_unknown_label_in_robots_txt(data: st.DataObject, word: str) -> None:
    """Unknown labels and parameters are ignored (draft-ietf-aipref-vocab)."""
    without, value = data.draw(labels_with(word))
    files = [f"User-agent: *\nContent-Usage: {one}\nAllow: /\n" for one in (without, value)]
    found = [goodbot.uses(URL, robots_txt=goodbot.RobotsTxt(one)) for one in files]
    permits_no_more(*found)
    assert is_named(word, found[1])


@given(
    st.sampled_from(("train-ai=n", "train-ai=n, search=y", "search=n")),
    WORDS,
    st.sampled_from(("/a {0}=y", "/a {0}", "/a {0}=", "/a", "/a train-ai={0}", "/a {0}=y, {0}x=n")),
)
def test_a_longer_path_with_nothing_known(labels: str, word: str, form: str) -> None:
    """A line that states no known preference hides no reservation, and leaves no permission."""
    before = f"User-agent: *\nContent-Usage: {labels}\nContent-Signal: ai-train=yes\nAllow: /\n"
    after = f"{before}Content-Usage: {form.format(word)}\n"
    found = [goodbot.uses(URL, robots_txt=goodbot.RobotsTxt(one)) for one in (before, after)]
    permits_no_more(*found)
    for use, before_it in found[0].verdicts.items():
        expected = "unknown" if before_it.status == "allowed" else before_it.status
        is_by_signal = (
            before_it.said is not None and before_it.said.specification == "content-signal"
        )
        assert found[1].verdicts[use].status == (before_it.status if is_by_signal else expected)


@given(st.data(), WORDS)
def test_unknown_words_in_header_fields(data: st.DataObject, word: str) -> None:
    """The same for a response: fields for uses, X-Robots-Tag, and fields of TDMRep."""
    signals, labels = data.draw(signals_with(word)), data.draw(labels_with(word))
    reservation = data.draw(st.sampled_from(("0", "1")))
    plain = [("Content-Signal", signals[0]), ("Content-Usage", labels[0])]
    plain += [("tdm-reservation", reservation), ("X-Robots-Tag", "noindex, noai")]
    more = [("Content-Signal", signals[1]), ("Content-Usage", labels[1]), (f"tdm-{word}", "0")]
    more += [
        ("tdm-reservation", reservation),
        ("X-Robots-Tag", f"{word}, noindex, noai, {word}: 1"),
    ]
    found = [goodbot.uses(URL, headers=fields) for fields in (plain, more)]
    permits_no_more(*found)
    assert is_named(word, found[1])


@given(
    st.sampled_from(("noindex", "noai", "nosnippet", "noarchive", "all")),
    WORDS,
    st.sampled_from(("{word}, {known}", "{known}, {word}: all")),
)
def test_an_unknown_directive_of_a_page(directive: str, word: str, form: str) -> None:
    """In a META element it changes no answer, whatever its value."""
    content = form.format(word=word, known=directive)
    metas = f"<meta name=robots content='{content}'><meta name=tdm-{word} content=0>"
    pages = [f"<meta name=robots content='{directive}'>", metas]
    read = [goodbot.Page(URL, page.encode(), content_type="text/html") for page in pages]
    found = [goodbot.uses(URL, page) for page in read]
    permits_no_more(*found)
    assert is_named(word, found[1])
    for act, verdict in read[0].verdicts.items():
        assert verdict.allowed >= read[1].verdicts[act].allowed


@given(st.sampled_from((0, 1, None, "x")), WORDS)
def test_an_unknown_key_of_tdmrep(reservation: object, word: str) -> None:
    """A rule says what its own keys say."""
    rule = {"location": "/", "tdm-reservation": reservation}
    files = [json.dumps([one]) for one in (rule, rule | {f"tdm-{word}": 0, word: "allow"})]
    found = [goodbot.uses(URL, tdmrep=file) for file in files]
    permits_no_more(*found)
    assert is_named(word, found[1])


@given(st.data(), WORDS, st.sampled_from(("permits", "prohibits", "payment", "kind")))
def test_an_unknown_word_of_a_licence(data: st.DataObject, word: str, place: str) -> None:
    """It permits nothing, and what it might prohibit is not permitted (RSL 1.0, section 3.1.1)."""
    words = st.lists(st.sampled_from(USES), max_size=3, unique=True).map(" ".join)
    permitted, prohibited = data.draw(words), data.draw(words)

    def licence(permits: str, prohibits: str, more: str = "", payment: str = "free") -> str:
        lists = f"<permits type='usage'>{permits}</permits>" if permits else ""
        lists += f"<prohibits type='usage'>{prohibits}</prohibits>" if prohibits else ""
        start = "<rsl xmlns='https://rslstandard.org/rsl'><content url='/'><license>"
        return f"{start}{lists}{more}<payment type='{payment}'/></license></content></rsl>"

    assume(place != "permits" or permitted)
    changed = {
        "permits": licence(f"{permitted} {word}", prohibited),
        "prohibits": licence(permitted, f"{prohibited} {word}"),
        "payment": licence(permitted, prohibited, payment=word),
        "kind": licence(permitted, prohibited, f"<permits type='{word}'>all</permits>"),
    }[place]
    robots = goodbot.RobotsTxt("License: https://example.com/l\nUser-agent: *\nAllow: /\n")
    found = [
        goodbot.uses(URL, robots_txt=robots, licenses={"https://example.com/l": one})
        for one in (licence(permitted, prohibited), changed)
    ]
    permits_no_more(*found)
    assert is_named(word, found[1])


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data(), WORDS)
def test_an_unknown_field_of_robots_txt(dialect: str, data: st.DataObject, word: str) -> None:
    """At any place of the file it lets no robot fetch what it may not fetch without it."""
    line = st.sampled_from(
        ("User-agent: *", "User-agent: ExampleBot", "Disallow: /a", "Disallow: /", "Allow: /a",
         "Disallow:", "Content-Signal: ai-train=no", "Content-Usage: train-ai=n", "")
    )  # fmt: skip
    lines = data.draw(st.lists(line, max_size=8))
    place = data.draw(st.integers(0, len(lines)))
    value = data.draw(st.sampled_from(("/", "*", "yes", "no", "ExampleBot", "")))
    more = [*lines[:place], f"{word.capitalize()}: {value}", *lines[place:]]
    read = [goodbot.RobotsTxt("\n".join(one) + "\n", dialect=dialect) for one in (lines, more)]
    assume(any(one.code == "unknown-field" for one in read[1].findings))
    for robot in ("ExampleBot", "OtherBot"):
        assert read[1].allows(URL, robot) <= read[0].allows(URL, robot)
        permits_no_more(*(goodbot.uses(URL, robots_txt=one, robot=robot) for one in read))
    if dialect == "rfc9309":
        assert is_named(word.capitalize(), goodbot.uses(URL, robots_txt=read[1]))


FILE = (
    "User-agent: *\nContent-Signal: ai-train=yes, search=yes\n"
    "Content-Usage: ai-use=y\nDisallow: /b\n"
)


@given(
    WORDS, st.sampled_from(("Allow: /", "Disallow:", "Disallow: /", "Content-Signal: ai-train=yes"))
)
def test_an_unknown_purpose_in_robots_txt(word: str, rule: str) -> None:
    """A group for it decides nothing, whatever it allows, and it is named."""
    reserving = "\nUser-agent: __usage_ai-training\nDisallow: /a\n"
    for file in (FILE, FILE + reserving):
        more = f"{file}\nUser-agent: __usage_{word}\n{rule}\n"
        found = [goodbot.uses(URL, robots_txt=goodbot.RobotsTxt(one)) for one in (file, more)]
        permits_no_more(*found)
        assert is_named(word, found[1])
        assert found[0].access == found[1].access


@given(WORDS, st.sampled_from(("{0}", "__usage_ai-training-{0}", "__usage_{0}-ai-training")))
def test_a_purpose_that_only_begins_like_a_known_one(word: str, name: str) -> None:
    """Another token beside the known one in the same group lifts nothing."""
    group = f"User-agent: __usage_ai-training\nUser-agent: {name.format(word)}\nDisallow: /\n"
    assert goodbot.uses(URL, robots_txt=goodbot.RobotsTxt(group)).train.status == "reserved"
    other = f"{group}\nUser-agent: {name.format(word)}\nAllow: /a\n"
    assert goodbot.uses(URL, robots_txt=goodbot.RobotsTxt(other)).train.status == "reserved"


@given(WORDS, st.sampled_from(("use={0}, use=reference", "use=reference, use={0}", "use={0}")))
def test_an_unknown_level(word: str, form: str) -> None:
    """It neither widens a level that is stated nor is one itself."""
    value = form.format(word)
    expected = "reference" if "reference" in form else None
    robots = goodbot.RobotsTxt(f"User-agent: *\nContent-Signal: {value}\nAllow: /\n")
    for found in (
        goodbot.uses(URL, robots_txt=robots), goodbot.uses(URL, headers={"Content-Signal": value})
    ):  # fmt: skip
        assert (found.level and found.level.level) == expected


@given(
    WORDS, st.sampled_from(("action", "duty", "constraint", "operator", "key", "type", "profile"))
)
def test_an_unknown_word_of_a_tdm_policy(word: str, place: str) -> None:
    """Whatever a policy says, the reservation that names it stands."""
    permission: dict[str, object] = {"action": "tdm:mine"}
    offer: dict[str, object] = {
        "@type": "Offer", "profile": "http://www.w3.org/ns/tdmrep", "permission": [permission],
    }  # fmt: skip
    constraint = {"leftOperand": "purpose", "operator": "eq", "rightOperand": "tdm:research"}
    changed: dict[str, tuple[dict[str, object], str, object]] = {
        "action": (permission, "action", f"tdm:{word}"),
        "duty": (permission, "duty", [{"action": word}]),
        "constraint": (permission, "constraint", [constraint | {"rightOperand": word}]),
        "operator": (permission, "constraint", [constraint | {"operator": word}]),
        "key": (offer, word, "allow"),
        "type": (offer, "@type", word),
        "profile": (offer, "profile", word),
    }
    target, key, value = changed[place]
    target[key] = value
    header = {"tdm-reservation": "1", "tdm-policy": "https://example.com/p"}
    found = goodbot.uses(
        URL, headers=header, tdm_policies={"https://example.com/p": json.dumps(offer)}
    )
    assert found.train.status == "reserved"


@given(WORDS, st.sampled_from((401, 402)))
def test_an_unknown_word_of_a_price(word: str, status: int) -> None:
    """A field or a challenge that no document defines serves nothing, and is no price."""
    fields = [("crawler-price", f"{word} 0"), (f"crawler-{word}", "free")]
    fields += [("WWW-Authenticate", f'License error="{word}", {word} realm="free"')]
    page = goodbot.Page(URL, "", headers=fields, status=status)
    found = goodbot.uses(URL, page, robots_txt=goodbot.RobotsTxt(FILE))
    assert {one.status for one in found.verdicts.values()} == {"unknown"}
    assert found.payment is not None
    assert not found.payment.is_readable


@given(WORDS, st.sampled_from(("<{0}/>", "<{0}>all</{0}>", "<x:{0} xmlns:x='urn:x'>all</x:{0}>")))
def test_an_unknown_element_of_a_licence(word: str, form: str) -> None:
    """Beside what a licence prohibits it lifts nothing, in whichever namespace it is."""
    element = form.format(word)
    start = "<rsl xmlns='https://rslstandard.org/rsl'><content url='/'><license>"
    lists = "<permits type='usage'>search</permits><prohibits type='usage'>ai-all</prohibits>"
    texts = [f"{start}{one}</license></content></rsl>" for one in (lists, lists + element)]
    robots = goodbot.RobotsTxt("License: https://example.com/l\nUser-agent: *\nAllow: /\n")
    found = [
        goodbot.uses(URL, robots_txt=robots, licenses={"https://example.com/l": one})
        for one in texts
    ]
    permits_no_more(*found)


@given(WORDS, st.sampled_from(("{0}='yes'", "{0}='no'", "index='{0}'")))
def test_an_unknown_word_of_the_robots_pi(word: str, form: str) -> None:
    """An attribute that it does not define makes an XML page say no more than before."""
    found = []
    for more in ("", f" {form.format(word)}"):
        text = f"<?robots index='no' follow='no'{more}?><a/>"
        page = goodbot.Page(URL, text, content_type="application/xml")
        found.append(goodbot.uses(URL, page))
    for use, verdict in found[1].verdicts.items():
        assert verdict.status != "allowed" or found[0].verdicts[use].status == "allowed"


def test_every_finding_on_an_unknown_word_has_the_day() -> None:
    """The sentence has one form, wherever the word is."""
    page = goodbot.Page(
        URL, b"<meta name=robots content=zqx><meta name=tdm-zqx content=1>",
        headers={"Content-Type": "text/html", "Content-Signal": "zqx=no", "Content-Usage": "zqx=n"},
    )  # fmt: skip
    robots = goodbot.RobotsTxt("User-agent: *\nZqx: 1\nContent-Signal: zqx=no\nDisallow: /b\n")
    tdmrep = b'[{"location": "/", "zqx": 1}]'
    answer = goodbot.uses(URL, page, robots_txt=robots, tdmrep=tdmrep)
    assert {one.code for one in answer.unknown} == UNKNOWN_CODES
    for one in answer.unknown:
        pattern = rf"zqx.* not known to goodbot as of {KNOWN_AS_OF}"
        assert re.search(pattern, one.message, re.IGNORECASE)
    assert answer.as_dict()["unknown"] == [one.as_dict() for one in answer.unknown]
