"""Snippets: nothing of a policy leaves its quotation marks, and what cannot be said is refused."""

import re
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.errors import MisuseError, WrongValueError
from goodbot.http.request_target import spellings
from goodbot.site.gate import GatePolicy, GateRule, Rendered, render
from goodbot.site.gate.path_patterns import normal_pattern
from goodbot.site.gate.snippets import SERVERS
from goodbot.site.gate.snippets.server_rows import path_regex, server_rows
from tests.site.gate.policies import PATHS, WILD, policies
from tests.support.examples import examples

NOW = datetime(2026, 12, 1, tzinfo=timezone.utc)


def said(*rules: GateRule) -> Rendered:
    """Return a rendered policy."""
    return render(GatePolicy(site="https://example.com", rules=rules), now=NOW)


@given(st.text(max_size=30), st.text(max_size=30))
@examples(200)
def test_no_path_leaves_its_place(path: str, host: str) -> None:
    """A path is refused, or stands between quotation marks without one of its own."""
    try:
        rule = GateRule(paths=(f"/{path}",), uses={"archive": False})
        policy = GatePolicy(site=f"https://{host}", rules=(rule,))
    except MisuseError:
        rule = GateRule(paths=("/a",), uses={"archive": False})
        policy = GatePolicy(site="https://example.com", rules=(rule,))
    rendered = render(policy, now=NOW)
    for write in (SERVERS["nginx"], SERVERS["apache"], SERVERS["caddy"]):
        for text in write(rendered, "/srv/gate").values():
            assert text.isascii()
            assert all(line.isprintable() for line in text.splitlines())
            for line in text.splitlines():
                assert not line.replace("\\\\", "").replace('\\"', "").count('"') % 2, line
                assert not line.count("`") % 2, line


@given(st.sampled_from(WILD), st.sampled_from(PATHS))
def test_a_path_means_the_same_as_a_regular_expression(pattern: str, path: str) -> None:
    """On paths in the spelling in which clients send them."""
    from goodbot._core import matching_octets  # noqa: PLC0415  the reference

    normal = normal_pattern(pattern, "test")
    found = re.match(path_regex(normal).replace("$", r"\Z"), path) is not None
    ways = [matching_octets(normal, one) is not None for one in spellings(path)]
    # A pattern with an escaped slash may match a path of which another slash is escaped.
    assert found == any(ways) or (found and "%2F" in normal)


@given(policies(), st.sampled_from(PATHS))
@examples(200)
def test_the_rows_say_what_the_headers_say(policy: GatePolicy, path: str) -> None:
    """The first row of a group that matches has the fields of the group."""
    rendered = render(policy, now=NOW)
    rows = server_rows(rendered)
    for number, group in enumerate(rendered.groups):
        matching = (
            row.values
            for row in rows.paths
            if row.group == number
            and all(re.match(path_regex(one).replace("$", r"\Z"), path) for one in row.paths)
        )
        values = [one for one in next(matching, ("", "", "", "")) if one]
        # With an escaped slash, those of the target as sent, or of the page that is served.
        assert values in [
            [value for name, value in rendered.fields_for(group, page) if name != "Vary"]
            for page in spellings(path)
        ]


@pytest.mark.parametrize("folder", ["gate", "/srv/$x", '/srv/"', "/srv/{a}", "/srv/\n", ""])
@pytest.mark.parametrize("server", SERVERS)
def test_a_folder_that_cannot_be_named_is_refused(server: str, folder: str) -> None:
    """With what is possible instead."""
    with pytest.raises(WrongValueError, match="use an absolute path of letters"):
        SERVERS[server](said(), folder)


def test_caddy_refuses_what_it_cannot_tell() -> None:
    """Two paths of one length that may match together, unless they say the same."""
    first = GateRule(paths=("/a*c",), uses={"archive": False})
    other = GateRule(paths=("/abc",), uses={"train": False})
    with pytest.raises(WrongValueError, match="make one of them longer"):
        SERVERS["caddy"](said(first, other), "/srv")
    assert "(?=" in SERVERS["nginx"](said(first, other), "/srv")["gate-http.conf"]
    assert SERVERS["caddy"](said(first), "/srv")
