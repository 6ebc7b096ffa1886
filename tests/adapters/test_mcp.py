"""The tool for AI assistants, by the real client of the protocol, with sites in memory.

The library is loaded by the tests: every worker that collects them would wait for it otherwise.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.robot import Robot
from goodbot.testing import Answer, FakeClock, FakeSite, LoopbackSite
from tests.support.program import WHO_ASKS
from tests.support.robot_sites import gaps, robot_at, run
from tests.support.signed_requests import URL, new_identity, outcomes

if TYPE_CHECKING:
    from mcp import Client

HERE = "https://a.example"
HTML = [("Content-Type", "text/html")]


def page(head: str, body: str) -> Answer:
    """Return a page."""
    return Answer(body=f"<title>T</title>{head}<p>{body}".encode(), headers=HTML)


def site(more: dict[str, Any] | None = None) -> FakeSite:
    """Return a site with pages that allow more or less."""
    routes: dict[str, Any] = {
        "/robots.txt": "User-agent: *\nDisallow: /private\nCrawl-delay: 5",
        "/open": page("", "Open words <span data-nosnippet>hidden words</span> more"),
        "/shut": page("<meta name=robots content=nosnippet>", "Shut words"),
        "/unlisted": page("<meta name=robots content=noindex>", "Unlisted words"),
        "/short": page("<meta name=robots content='max-snippet:8'>", "Eight letters and more"),
        "/expired": page("<meta name=robots content='unavailable_after: 2001-01-01'>", "Old words"),
        "/unkept": page("<meta name=robots content=noarchive>", "Unkept words"),
        "/long": page("", "word " * 50_000),
        "/moved": Answer(status=302, headers=[("Location", "/private")]),
    }
    return FakeSite(routes | (more or {}), clock=FakeClock())


def client_of(robot: Robot) -> "Client":
    """Return a client of the server that offers the tool."""
    from mcp import Client  # noqa: PLC0415  see above

    from goodbot.adapters.mcp import fetch_tool_server  # noqa: PLC0415

    return Client(fetch_tool_server(robot))


def asked(path: str, **more: Any) -> tuple[bool, str]:  # noqa: ANN401
    """Request a page by the tool; return whether it is an error, and the text."""

    async def main() -> tuple[bool, str]:
        async with robot_at(site()) as robot, client_of(robot) as client:
            return said(await client.call_tool("fetch", {"url": HERE + path, **more}))

    return run(main())


def said(result: Any) -> tuple[bool, str]:  # noqa: ANN401  the result of a tool
    """Return whether a result is an error, and its text."""
    return bool(result.is_error), "".join(part.text for part in result.content)


def test_what_an_assistant_reads_is_signed(tmp_path: Path) -> None:
    """Robots.txt, the page and the target of a redirect, each for its own URL."""
    mine = new_identity(tmp_path / "me")
    shop = site({"/there": Answer(status=302, headers=[("Location", "/open")])})

    async def main() -> None:
        async with robot_at(shop, identity=mine) as robot, client_of(robot) as client:
            await client.call_tool("fetch", {"url": f"{HERE}/there"})

    run(main())
    assert [one.path for one in shop.visits] == ["/robots.txt", "/there", "/open"]
    asked = [(one.url, one.headers) for one in shop.visits]
    now = shop.clock.now()
    assert outcomes(mine, asked, now) == {("signature-valid", URL)}


def test_a_page_is_text_with_what_it_allows() -> None:
    """Without the parts that may not be quoted."""
    is_error, text = asked("/open")
    assert not is_error
    assert text.startswith(f"URL: {HERE}/open\nStatus: 200\nTitle: T\n")
    assert "Open words" in text
    assert "hidden" not in text


@pytest.mark.parametrize(
    ("path", "words", "never"),
    [
        ("/shut", "No text may be quoted.", "Shut words"),
        ("/unlisted", "No text may be quoted.", "Unlisted words"),
        ("/unlisted", "index: Disallowed", "Title"),
        ("/short", "Eigh …", "letters"),
        ("/expired", "index: Disallowed", "Title"),
        ("/expired", "No text may be quoted.", "Old words"),
        ("/unkept", "No text may be quoted.", "Unkept words"),
        ("/nowhere", "Status: 404\nThere is no page at this URL.", "Title"),
    ],
)
def test_what_a_page_does_not_allow_is_not_told(path: str, words: str, never: str) -> None:
    """The reason is."""
    is_error, text = asked(path)
    assert not is_error
    assert words in text
    assert never not in text


@pytest.mark.parametrize("path", ["/private", "/moved"])
def test_what_robots_txt_disallows_is_an_error_with_the_reason(path: str) -> None:
    """Also at the end of a redirect."""
    is_error, text = asked(path)
    assert is_error
    assert 'line 2, "Disallow: /private"' in text


def test_the_assistant_chooses_the_url_and_the_length_only() -> None:
    """There is no other argument, and the length has a bound."""
    from goodbot.adapters.mcp import LONGEST  # noqa: PLC0415  see above

    async def main() -> None:
        async with robot_at(site()) as robot, client_of(robot) as client:
            [tool] = (await client.list_tools()).tools
            assert set(tool.input_schema["properties"]) == {"url", "max_characters"}
            given = {"url": f"{HERE}/long", "max_characters": LONGEST}
            text = said(await client.call_tool("fetch", given))[1]
            assert 50_000 < len(text) < LONGEST + 1_000

    run(main())


@pytest.mark.parametrize(
    "given",
    [
        {"max_characters": 0},
        {"max_characters": -1},
        {"max_characters": 100_001},
        {"max_characters": 10**30},
        {"max_characters": "many"},
        {"url": HERE + "/" + "a" * 8_000},
    ],
)
def test_arguments_have_ranges(given: dict[str, Any]) -> None:
    """What is outside is an error, and nothing is requested; the schema has the ranges."""
    shop = site()

    async def main() -> None:
        async with robot_at(shop) as robot, client_of(robot) as client:
            [tool] = (await client.list_tools()).tools
            shapes = tool.input_schema["properties"]
            assert (shapes["max_characters"]["minimum"], shapes["url"]["maxLength"]) == (1, 8_000)
            is_error, _ = said(await client.call_tool("fetch", {"url": f"{HERE}/open", **given}))
            assert is_error

    run(main())
    assert not shop.visits


@pytest.mark.parametrize(
    "where", ["{}:22/open", "{}:8443/open", "http://a.example:25/", "http://a.example:443443/"]
)
def test_ports_that_are_not_those_of_the_web_are_refused(where: str) -> None:
    """Nothing is requested, not even robots.txt; the message says which ports there are."""
    shop = site()

    async def main() -> tuple[bool, str]:
        async with robot_at(shop) as robot, client_of(robot) as client:
            return said(await client.call_tool("fetch", {"url": where.format(HERE)}))

    is_error, text = run(main())
    assert is_error
    assert "443443" in where or "port 80 and 443" in text
    assert not shop.visits


def test_a_redirect_to_another_port_is_refused() -> None:
    """After the redirect itself; one to the same port is followed, but not for ever."""
    places = {"/away": f"{HERE}:6379/open", "/here": "/open", "/loop": "/loop"}
    moved = {path: Answer(status=302, headers=[("Location", to)]) for path, to in places.items()}
    shop = site(moved)

    async def main() -> None:
        async with robot_at(shop) as robot, client_of(robot) as client:

            async def ask(path: str) -> tuple[bool, str]:
                return said(await client.call_tool("fetch", {"url": HERE + path}))

            assert (await ask("/away"))[1].endswith("use a URL with port 80 and 443.")
            assert "Open words" in (await ask("/here"))[1]
            assert "There is no page" in (await ask("/loop"))[1]

    run(main())
    assert [visit.path for visit in shop.visits].count("/loop") <= 11


def test_a_person_can_see_what_the_assistant_reads() -> None:
    """No control characters and no changes of direction, wherever they come from."""
    steering = "\x1b[31m\x00\x9b\u202e\u2066\u200f\u061c\ufeff\U000e0041\u2028"
    # Marks that are not drawn: 256 of them write any bytes.
    steering += (
        "".join(map(chr, (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0)))) + "\u3164\u115f"
    )
    kept = "\u0645\u06cc\u200c\u062e \U0001f469\ufe0f\u200d\U0001f680"
    body = f"<title>T{steering}</title><p>A{steering}B {kept}".encode()
    rules = f"User-agent: *\nDisallow: /private{steering}*\nDisallow: /p"
    html = [("Content-Type", "text/html; charset=utf-8")]
    shop = site({"/robots.txt": rules, "/steered": Answer(body=body, headers=html)})

    async def main() -> list[str]:
        async with robot_at(shop) as robot, client_of(robot) as client:
            urls = [f"{HERE}/steered", f"{HERE}/p{steering}", f"{HERE}/private{steering}x"]
            urls.append(f"x{steering}:/")
            return [said(await client.call_tool("fetch", {"url": url}))[1] for url in urls]

    texts = run(main())
    assert kept in texts[0]
    for text in texts:
        assert not set(text) & set(steering) - set("[31m"), text


@pytest.mark.parametrize("url", ["file:///etc/passwd", "a.example", "", "http://[::1"])
def test_other_addresses_are_an_error(url: str) -> None:
    """The message says what a URL looks like."""

    async def main() -> tuple[bool, str]:
        async with robot_at(site()) as robot, client_of(robot) as client:
            return said(await client.call_tool("fetch", {"url": url}))

    is_error, text = run(main())
    assert is_error
    assert "http" in text


def test_pauses_are_kept() -> None:
    """One page after another, as the site asks."""
    shop = site()

    async def main() -> None:
        async with robot_at(shop) as robot, client_of(robot) as client:
            for path in ("/open", "/short"):
                await client.call_tool("fetch", {"url": HERE + path})

    run(main())
    assert min(gaps(shop.visits)) >= 5.0


def test_the_command_serves_it_and_opens_no_private_address() -> None:
    """A whole program; without --allow-private, loopback is refused, whatever is asked."""
    from mcp import Client, StdioServerParameters  # noqa: PLC0415  see above

    words = ["-m", "goodbot", "robot", "mcp", "-r", "ExampleBot/1.0"]
    command = StdioServerParameters(command=sys.executable, args=words, env=WHO_ASKS)

    async def main() -> None:
        async with LoopbackSite() as there, Client(command) as client:
            is_error, text = said(await client.call_tool("fetch", {"url": f"{there.origin}/"}))
            assert is_error
            assert "not public" in text or "private" in text
            assert not there.visits

    run(main())


def test_runs_of_joiners_hide_nothing() -> None:
    """Two of them write any bits, so that a run keeps no more than a script or an emoji needs."""
    from goodbot.adapters.mcp import shown  # noqa: PLC0415  see above

    bits = "\u200c\u200d\u200d\u200c\ufe0f\u200d\ufe0e" * 9
    assert shown(f"a{bits}b") == "a\u200cb"
    assert shown(f"a\ufe0f{bits}b") == "a\ufe0f\u200cb"
