"""Policies in TOML: what is wrong is refused, and the message says what to write."""

from contextlib import suppress
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.errors import MisuseError
from goodbot.site.gate import GatePolicy, GateRule, read_policy
from tests.support.examples import examples

SITE = 'site = "https://example.com"\n'

WRONG = {
    "": 'it names no site; write site = "https://example.com"',
    "site = ": "it is not valid TOML",
    'sight = "x"': "there is no key 'sight'; did you mean site?",
    'site = "example.com"': "'example.com' is no URL; write 'https://example.com/...'",
    'site = "https://example.com/a"': "has a path; a policy is for a whole site",
    SITE + "max-age = 100000": "write whole seconds from 0 to 86,400",
    SITE + "last-modified = 2026-01-01T00:00:00": "last-modified has no time zone",
    SITE + 'last-modified = "2026-01-01"': "must be a date or a time, not a text",
    SITE + "rule = 1": "write [[rule]] in a line of its own",
    SITE + "[[rule]]\nfetch = false\nagent = 1": "rule 1: there is no key 'agent'",
    SITE + "[[rule]]\nrobots = ['GPTBot']": "rule 1: it says nothing; add fetch = false",
    SITE + "[[rule]]\nrobots = 'GPTBot'\nfetch = false": "robots must be a list of texts",
    SITE + "[[rule]]\nrobots = ['Bad Bot']\nfetch = false": "'Bad Bot' is no known robot",
    SITE + "[[rule]]\nrobots = ['Stripe webhook']\nfetch = false": "obeys no group",
    SITE + "[[rule]]\npurposes = ['training']\nfetch = false": "there is no purpose 'training'",
    SITE + "[[rule]]\noperators = ['OpenIA']\nfetch = false": "did you mean OpenAI?",
    SITE + "[[rule]]\npaths = ['a']\nfetch = false": "the path 'a' does not begin with /",
    SITE + "[[rule]]\npaths = '/a'\nfetch = false": "paths must be a list of texts",
    SITE + "[[rule]]\npaths = ['/a#b']\nfetch = false": "has a # or a control character",
    SITE + "[[rule]]\npaths = ['/robots.txt']\nfetch = false": "no rule may name it",
    SITE + "[[rule]]\npaths = ['/robots.txt*']\nfetch = true": "no rule may name it",
    SITE + "[[rule]]\npaths = ['/%72obots.txt$']\nuses.train = true": "no rule may name it",
    SITE + "[[rule]]\npaths = ['/a%']\nfetch = false": "write %25 for a percent sign",
    SITE + "[[rule]]\npaths = ['/a$b']\nfetch = false": "write %24 for a dollar sign",
    SITE + '[[rule]]\npaths = ["/a\\nDisallow: /"]\nfetch = false': "line break or control",
    SITE + "[[rule]]\nparts = ['shop']\nfetch = false": "there is no part 'shop'",
    SITE + "[[rule]]\nfetch = 'no'": "write fetch = true or fetch = false",
    SITE + "[[rule]]\ndelay = 0": "delay must be seconds, above 0",
    SITE + "[[rule]]\ndelay = 5\npaths = ['/a']": "a delay is for the whole site",
    SITE + "[[rule]]\nuses = {index = true}": "there is no use 'index'; the uses are train",
    SITE + "[[rule]]\nuses = {train = 'no'}": "write uses.train = true",
    SITE + "[[rule]]\nfetch = false\nfrom = 2026-02-01\nuntil = 2026-01-01": "ends before it",
    SITE + "[[rule]]\nfetch = false\nhosts = ['a/b']": "'a/b' is no host",
    SITE + "[[rule]]\nuses = {search = true, preview = false}\n[rsl]": "answer both alike",
    SITE + "[rsl]\nterms = 'x'": "rsl: terms: 'x' is no URL",
    SITE + "[enforce]\nfail = 'ajar'": "fail must be open or closed",
    SITE + "[enforce]\nproxies = ['x']": "the proxy 'x' is no address",
    SITE + "[enforce]\nacess = true": "there is no key 'acess'; did you mean access?",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_refused_with_its_cure(text: str) -> None:
    """Each mistake has a message that names the place and what to write."""
    with pytest.raises(MisuseError) as caught:
        read_policy(text.encode(), "gate.toml")
    assert str(caught.value).startswith("gate.toml")
    assert WRONG[text] in str(caught.value)


@given(st.binary(max_size=200))
@examples(200)
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    """Nothing but goodbot's own exceptions leaves the reader."""
    with suppress(MisuseError):
        assert isinstance(read_policy(content), GatePolicy)


def test_toml_and_python_say_the_same() -> None:
    """Every key of a rule is a field; parts become paths, and dates midnights in UTC."""
    text = (
        SITE
        + """
        [parts]
        shop = ["/shop/", "/cart/*"]
        [[rule]]
        robots = ["gptbot"]
        parts = ["shop"]
        paths = ["/caf\u00e9"]
        fetch = false
        from = 2026-02-01
        until = 2026-03-01T12:00:00Z
        uses = { search = true }
        why = "seasonal"
    """
    )
    rule = GateRule(
        robots=("gptbot",),
        paths=("/caf%C3%A9", "/shop/", "/cart/"),
        fetch=False,
        starts=datetime(2026, 2, 1, tzinfo=timezone.utc),
        ends=datetime(2026, 3, 1, 12, tzinfo=timezone.utc),
        uses={"search": True, "preview": True},
        why="seasonal",
    )
    assert read_policy(text.encode()) == GatePolicy(site="https://example.com", rules=(rule,))
