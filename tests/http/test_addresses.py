"""The one reading of URLs: the cases, and that every user of an address gets the same."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import _core
from goodbot.http.address import UrlFault, address_of, resolve
from goodbot.net.failures import fetchable
from goodbot.policy import next_hop
from tests.support import conformance_cases as data
from tests.support.examples import examples

CASES = data.cases("address")
BASES = ("http://h.example/robots.txt", "https://h.example/a//b;p?q", "http://H.example:80")

references = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "/", "//", "http:", "http://", "HTTPS://", "ftp://", "?", "#", "\\"]),
    st.sampled_from(["", "a.example", "é.example", "[::1]", "u:p@a.example", "u;x@a.example:80"]),
    st.sampled_from(["", "/", "/x/../", "/%2E%2e/", "//", ";p", ":99999"]),
    st.text(alphabet="/?#%a.é:[]@ |^'\\\t", max_size=8),
).map(str.strip)  # a field has no white space around it


def text_of(case: data.Case) -> str | bytes:
    """Return the reference of a case."""
    if "reference_hex" in case:
        return bytes.fromhex(str(case["reference_hex"]))
    part, times = case.get("repeat", ["", 0])
    return f"{case['reference']}{part * times}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_an_address_is_what_the_documents_say(case: data.Case) -> None:
    """RFC 3986 and the URL standard say where a text leads, and what leads nowhere."""
    for reference, expected in case.get("examples", []):
        address, _ = resolve(case["base"], reference)
        assert address is not None, reference
        assert address[1] == expected, reference
    if "examples" in case:
        return
    found, fault = (
        _core.read_address(case["url"])
        if "url" in case
        else resolve(case.get("base"), text_of(case))
    )
    assert fault == case.get("fault", "")
    assert (None if found is None else found[1]) == case.get("address")


def test_the_cases_have_ids_of_their_own_and_every_fault() -> None:
    """A case can be identified by its id, and each fault has one."""
    ids = [case["id"] for case in CASES]
    assert len(set(ids)) == len(ids)
    assert {case["fault"] for case in CASES if "fault" in case} == set(_core.CODES["url_fault"])


def test_the_faults_are_those_of_the_core() -> None:
    """The names that Python knows are the core's."""
    assert set(get_args(UrlFault)) == {"", *_core.CODES["url_fault"]}


@given(st.sampled_from(BASES), references)
@examples(400)
def test_whoever_asks_for_an_address_gets_the_same(base: str, reference: str) -> None:
    """The target of a redirect is checked and sent as the same address, and is in normal form."""
    address, fault = resolve(base, reference)
    assert (address is None) is bool(fault)
    hop = next_hop(base, 301, {"Location": reference.encode()}, limit=9)
    if address is None:
        assert not hop
        return
    origin, url = address
    assert hop.url == url or hop.outcome in {"redirect-loop", "redirect-without-location"}
    assert address_of(url) == fetchable(url) == resolve(base, url)[0] == address
    assert goodbot.origin(url) == origin


@given(references)
@examples(400)
def test_what_is_sent_is_what_is_asked_about(url: str) -> None:
    """A URL that a fetcher accepts is sent to the address that a robot checks.

    Only the spelling of escapes may differ: a URL is sent as it is written.
    """
    try:
        origin, sent = fetchable(url)
    except goodbot.FetchError:
        return
    assert address_of(sent) == address_of(url)
    assert origin == address_of(url)[0]


def test_escapes_are_sent_as_they_are_written() -> None:
    """Their spelling is not changed on the way, though the robot checks the normal form too."""
    assert fetchable("http://a.example/%aa") == ("http://a.example", "http://a.example/%aa")


def test_half_a_character_is_in_no_address() -> None:
    """A lone surrogate has no bytes that could be sent."""
    assert resolve(None, "http://a.example/\ud800") == (None, "malformed")
    assert resolve("http://a.example/\ud800", "/a") == (None, "malformed")
    with pytest.raises(goodbot.NoOriginError, match=r"ud800' has a lone surrogate.*%C3%A9"):
        address_of("http://a.example/\ud800")


@pytest.mark.parametrize(
    "url", ["http:a.example/x", "HTTP:/a.example/x", "http:\\\\a.example\\x", "http:///a.example/x"]
)
def test_an_error_names_the_url_that_is_meant(url: str) -> None:
    """If a slash is missing, the message shows the correct URL, in the core too."""
    for read in (goodbot.origin, goodbot.robots_txt_url, address_of):
        with pytest.raises(goodbot.NoOriginError, match=r"write http://a\.example/x"):
            read(url)


RULES = """\
User-agent: *
Disallow: /a
Disallow: /*.b
Disallow: /x/
Allow: /a/a
Disallow: /?a
"""
AS_SENT = [
    one.name
    for one in goodbot.dialects()
    if one.choices["url_form"] == "as-sent" and one.choices["escapes"] != "none"
]


def test_only_code_takes_a_url_as_it_is_given() -> None:
    """Dialects that are a program's code judge a URL as that does; all others judge it as sent."""
    given = [one.name for one in goodbot.dialects() if one.choices["url_form"] == "as-given"]
    assert given == ["google", "lwp"]


@given(references, st.sampled_from(AS_SENT))
@examples(600)
def test_a_url_is_judged_as_it_is_sent(url: str, dialect: str) -> None:
    """The answer for a URL is the one for the address that would be sent."""
    address, _ = _core.read_address(url)
    if address is None:
        return
    rules = goodbot.RobotsTxt(RULES, dialect=dialect).rules_for("ExampleBot")
    assert rules.allows(url) == rules.allows(address[1])
    assert rules.allows_many([url, address[1], url]) == [rules.allows(url)] * 3
