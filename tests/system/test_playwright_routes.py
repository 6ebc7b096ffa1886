"""The route handler for Playwright, with headless Chromium and a site on loopback."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Error, Page, async_playwright

import goodbot
from goodbot.adapters.playwright import RobotsRoutes
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.testing import LoopbackSite, LoopbackVisit
from goodbot.testing.steps import Script, ScriptStep, http
from tests.support.adapter_sites import says
from tests.support.signed_requests import URL, new_identity, outcomes
from tests.support.waiting import HANGS
from tests.system.browser import PROGRAMS, QUIET

LOOPBACK_ONLY = [*QUIET[:-1], f"{QUIET[-1]}, EXCLUDE 127.0.0.1"]

RULES = b"User-agent: *\nDisallow: /private/\nDisallow: /*.png$\n"
HTML = "Content-Type: text/html"
HOME = (
    b"<title>Home</title><img src=/seen.gif><img src=/hidden.png><script src=/moved.js></script>"
    b"<script src=/to-private.js></script><script>document.title += ' ran'</script>"
)


def moved(path: str) -> Script:
    """Return a script that redirects."""
    return lambda _: iter([http(302, b"", f"Location: {path}")])


PAGES: dict[str, bytes | Script] = {
    "/": lambda _: iter([http(200, HOME, HTML)]),
    "/seen.gif": b"GIF89a",
    "/hidden.png": b"x",
    "/moved.js": moved("/end.js"),
    "/end.js": lambda _: iter(
        [http(200, b"document.title += ' moved'", "Content-Type: text/javascript")]
    ),
    "/to-private.js": moved("/private/a.js"),
    "/private/a.js": b"document.title += ' private'",
    "/twice": moved("/once"),
    "/once": moved("/end"),
    "/end": lambda _: iter([http(200, b"<title>End</title>", HTML)]),
    "/loop": moved("/loop"),
}


@asynccontextmanager
async def browsing(
    *, options: bool = True, is_cut_off: bool = False, identity: SigningIdentity | None = None
) -> AsyncIterator[tuple[Page, RobotsRoutes]]:
    """Open a page of a browser whose requests are checked.

    The context has the options or not, and the browser a network or none.
    """
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    assert program is not None, "there is no Chromium; `make test-system` installs it"
    me: dict[str, Any] = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
    async with (
        goodbot.Robot("ExampleBot/1.0", allow_private=True, identity=identity, **me) as robot,
        async_playwright() as playwright,
    ):
        routes = RobotsRoutes(robot)
        args = [*QUIET[:-1], *routes.launch_options["args"]] if is_cut_off else LOOPBACK_ONLY
        browser = await playwright.chromium.launch(executable_path=program, args=args)
        try:
            context = await browser.new_context(**(routes.context_options if options else {}))
            await context.route("**/*", routes)
            yield await context.new_page(), routes
        finally:
            await browser.close()


def test_the_page_and_what_it_loads_are_checked() -> None:
    """What is not allowed is not requested, also at the end of a redirect."""

    async def main() -> None:
        async with (
            LoopbackSite(says(200, RULES), pages=PAGES) as site,
            browsing() as (page, routes),
        ):
            await page.goto(f"{site.origin}/", wait_until="load")
            assert await page.title() == "Home moved ran"
            asked = {visit.target for visit in site.visits}
            assert {"/robots.txt", "/", "/seen.gif", "/moved.js", "/end.js"} <= asked
            assert not asked & {"/hidden.png", "/private/a.js"}
            refused = {one.url.removeprefix(site.origin): one.reason for one in routes.refused}
            assert refused == {"/hidden.png": "rule-disallows", "/private/a.js": "rule-disallows"}

    asyncio.run(main())


@pytest.mark.parametrize("options", [True, False])
def test_every_request_says_who_asks(*, options: bool) -> None:
    """The page, what it loads, redirects and robots.txt, in a context of any options."""

    async def main() -> None:
        async with (
            LoopbackSite(says(200, RULES), pages=PAGES) as site,
            browsing(options=options) as (page, _),
        ):
            await page.context.add_cookies([{"name": "a", "value": "b", "url": site.origin}])
            await page.goto(f"{site.origin}/", wait_until="load")
            assert len(site.visits) >= len({"/robots.txt", "/", "/seen.gif", "/moved.js"})
            agents = {visit.field("User-Agent") for visit in site.visits}
            assert agents == {"ExampleBot/1.0 (+https://example.com/bot)"}
            assert {visit.field("From") for visit in site.visits} == {"bot@example.com"}
            assert site.visits_to("/")[0].field("Cookie") == "a=b"

    asyncio.run(main())


def test_every_request_is_signed_for_its_own_url(tmp_path: Path) -> None:
    """Of the browser, of what its page loads, and of redirects, also to another site."""
    mine = new_identity(tmp_path / "me")

    async def main() -> None:
        async with LoopbackSite(says(200, RULES), pages=PAGES) as other:
            elsewhere = other.origin.replace("127.0.0.1", "localhost")
            pages = PAGES | {"/moved.js": moved(f"{elsewhere}/end.js"), "/out": moved(elsewhere)}
            async with (
                LoopbackSite(says(200, RULES), pages=pages) as site,
                browsing(identity=mine) as (page, _),
            ):
                for path in ("/", "/twice", "/out"):
                    await page.goto(f"{site.origin}{path}", wait_until="load")
                asked = [(f"{site.origin}{one.target}", one.headers) for one in site.visits]
                away = [(f"{elsewhere}{one.target}", one.headers) for one in other.visits]
        assert {
            "/robots.txt",
            "/",
            "/seen.gif",
            "/moved.js",
            "/twice",
            "/once",
            "/end",
            "/out",
        } <= {url.removeprefix(site.origin) for url, _ in asked}
        assert {"/robots.txt", "/end.js", "/"} <= {url.removeprefix(elsewhere) for url, _ in away}
        assert outcomes(mine, [*asked, *away]) == {("signature-valid", URL)}
        # What was signed for one site is not valid at the other.
        swapped = [(url.replace(site.origin, elsewhere), lines) for url, lines in asked]
        assert outcomes(mine, swapped) == {("signature-invalid", None)}

    asyncio.run(main())


def test_a_page_that_is_not_allowed_is_an_error() -> None:
    """Navigating to it fails, and no request is sent."""

    async def main() -> None:
        async with (
            LoopbackSite(says(200, RULES), pages=PAGES) as site,
            browsing() as (page, routes),
        ):
            with pytest.raises(Error, match="ERR_BLOCKED_BY_CLIENT"):
                await page.goto(f"{site.origin}/private/a.js")
            assert {visit.target for visit in site.visits} == {"/robots.txt"}
            assert len(routes.refused) == 1

    asyncio.run(main())


def test_a_robots_txt_that_fails_is_no_permission() -> None:
    """Nothing else is requested."""

    async def main() -> None:
        async with LoopbackSite("unavailable", pages=PAGES) as site, browsing() as (page, _):
            with pytest.raises(Error, match="ERR_BLOCKED_BY_CLIENT"):
                await page.goto(f"{site.origin}/")
            assert {visit.target for visit in site.visits} == {"/robots.txt"}

    asyncio.run(main())


def test_the_browser_comes_to_the_end_of_a_redirect() -> None:
    """The page has the address of the end; a redirect in a circle is an error."""

    async def main() -> None:
        async with LoopbackSite(says(200, RULES), pages=PAGES) as site, browsing() as (page, _):
            await page.goto(f"{site.origin}/twice")
            assert page.url == f"{site.origin}/end"
            assert await page.title() == "End"
            with suppress(Error):
                await page.goto(f"{site.origin}/loop", wait_until="networkidle")
            assert len(site.visits_to("/loop")) == 1

    asyncio.run(main())


def test_nothing_secret_is_sent_to_the_target_of_a_redirect() -> None:
    """Neither credentials nor a body, also when a page posts them."""
    script = (
        b"<script>const secret = {headers: {authorization: 'Bearer SECRET', 'x-own': 'SECRET'}};"
        b"Promise.allSettled([fetch('/away', secret),"
        b" fetch('/away', {method: 'POST', body: 'SECRET', ...secret})])"
        b".then(() => document.title = 'done')</script>"
    )
    away = lambda visit: iter([http(302, b"", f"Location: {visit.other_origin}/got")])  # noqa: E731
    pages: dict[str, bytes | Script] = {
        "/posting": lambda _: iter([http(200, script, HTML)]),
        "/away": away,
        "/got": b"got",
    }

    async def main() -> None:
        async with LoopbackSite(says(200, RULES), pages=pages) as site, browsing() as (page, _):
            await page.goto(f"{site.origin}/posting")
            await page.wait_for_function("document.title == 'done'")
            got = site.visits_to("/got")
            assert [visit.method for visit in got] == ["GET"]
            assert not any("SECRET" in value for visit in got for _, value in visit.headers)

    asyncio.run(main())


def test_a_page_that_moves_again_is_checked_again() -> None:
    """The end of a redirect answers otherwise the second time; each request has been checked."""

    def cloaked(visit: LoopbackVisit) -> Iterator[ScriptStep]:
        if visit.number == 1:
            yield http(200, b"<title>First</title>", HTML)
        else:
            yield http(302, b"", "Location: /private/a.js")

    pages = {**PAGES, "/start": moved("/cloak"), "/cloak": cloaked}

    async def main() -> None:
        async with (
            LoopbackSite(says(200, RULES), pages=pages) as site,
            browsing() as (page, routes),
        ):
            await page.goto(f"{site.origin}/start")
            assert await page.title() == "First"
            assert len(site.visits_to("/cloak")) == 1
            with suppress(Error):
                await page.goto(f"{site.origin}/cloak", wait_until="networkidle")
            assert not site.visits_to("/private/a.js")
            assert [one.reason for one in routes.refused] == ["rule-disallows"]

    asyncio.run(main())


RULED = """<script type=speculationrules>{"prefetch": [{"source": "list", "eagerness": "immediate",
"urls": ["/private/prefetched", "/prefetched"]}], "prerender": [{"source": "list",
"eagerness": "immediate", "urls": ["/private/prerendered", "/prerendered"]}]}</script>"""
UNROUTED = f"""<!doctype html><title>Unrouted</title>{RULED}
<div><template shadowrootmode=open>{RULED}</template></div>
<a href=/private/download download>a</a><a href=/download download>b</a><script>
const made = document.createElement("script");
made.type = "speculationrules";
made.textContent = JSON.stringify({{prefetch: [{{source: "list", eagerness: "immediate",
  urls: ["/private/made", "/made"]}}]}});
document.head.append(made);
const within = document.createElement("div").attachShadow({{mode: "closed"}});
document.head.append(within.host);
within.append(Object.assign(document.createElement("script"),
  {{type: "speculationrules", textContent: made.textContent}}));
for (const path of ["/private/shared.js", "/shared.js"]) new SharedWorker(path);
for (const path of ["/private/worker.js", "/worker.js"]) new Worker(path);
const blob = (code) => URL.createObjectURL(new Blob([code], {{type: "text/javascript"}}));
new SharedWorker(blob(`fetch("${{origin}}/private/by-blob"); fetch("${{origin}}/by-blob")`));
const audio = new OfflineAudioContext(1, 1, 44100).audioWorklet;
for (const path of ["/private/audio.js", "/audio.js"]) audio.addModule(path).catch(() => 0);
new WebSocket(`ws://${{location.host}}/socket`).onclose = () => document.title += " closed";
addEventListener("pagehide", () => {{
  for (const way of ["/private/", "/"]) {{
    navigator.sendBeacon(way + "beacon", "x");
    fetch(way + "kept", {{keepalive: true}});
  }}
}});
</script>""".encode()
SCRIPT = "Content-Type: text/javascript"


def script(code: bytes) -> Script:
    """Return a script of JavaScript."""
    return lambda _: iter([http(200, code, SCRIPT)])


UNSEEN: dict[str, bytes | Script] = {
    "/": lambda _: iter([http(200, UNROUTED, HTML, 'Speculation-Rules: "/rules.json"')]),
    "/shared.js": script(b"fetch('/private/by-shared'); fetch('/by-shared')"),
    "/worker.js": script(b"fetch('/private/by-worker'); fetch('/by-worker')"),
    "/audio.js": script(b"import '/private/audio-import.js'"),
    "/download": lambda _: iter([http(200, b"x", "Content-Disposition: attachment")]),
    "/rules.json": lambda _: iter(
        [
            http(
                200,
                b'{"prefetch": [{"source": "list", "eagerness": "immediate", "urls": ["/ruled"]}]}',
                "Content-Type: application/speculationrules+json",
            )
        ]
    ),
    "/next": lambda _: iter([http(200, b"<title>Next</title>", HTML)]),
}
BY_ROUTE = {"/robots.txt", "/", "/shared.js", "/worker.js", "/by-worker", "/next"}
BY_BROWSER = {"/by-shared", "/by-blob", "/audio.js", "/download", "/beacon", "/kept"}
REFUSED = {
    "/private/shared.js": "route",
    "/private/worker.js": "route",
    "/private/by-worker": "route",
    "/private/by-shared": "browser",
    "/private/by-blob": "browser",
    "/private/audio.js": "browser",
    "/private/audio-import.js": "browser",
    "/private/download": "browser",
    "/private/beacon": "browser",
    "/private/kept": "browser",
}
"""What is not allowed, and who sees it."""


async def until(what: Any) -> None:  # noqa: ANN401  a condition
    """Wait for a condition, at most as long as anything may hang."""

    async def wait() -> None:
        while not what():  # noqa: ASYNC110  a site tells nobody
            await asyncio.sleep(0.02)

    await asyncio.wait_for(wait(), HANGS)


@pytest.mark.parametrize(("options", "is_cut_off"), [(True, False), (False, False), (True, True)])
def test_what_no_route_sees_is_checked_or_does_not_happen(
    *, options: bool, is_cut_off: bool
) -> None:
    """Workers, worklets, downloads, beacons: by rules, with the robot's name; no speculation."""

    async def main() -> None:
        async with (
            LoopbackSite(says(200, RULES), pages=UNSEEN) as site,
            browsing(options=options, is_cut_off=is_cut_off) as (page, routes),
        ):

            def refused() -> set[str]:
                return {one.url.removeprefix(site.origin) for one in routes.refused}

            def asked() -> set[str]:
                return {visit.target for visit in site.visits} - {"/favicon.ico"}

            got = await page.goto(f"{site.origin}/")
            assert got is not None
            assert got.status == 200
            await page.wait_for_function("document.title == 'Unrouted closed'")
            for link in await page.locator("a").all():
                await link.evaluate("link => link.click()")
                await until(lambda: "/private/download" in refused())
            missing = set() if is_cut_off else BY_BROWSER - {"/beacon", "/kept"}
            await until(lambda: missing | BY_ROUTE - {"/next"} <= asked())
            early = {"/private/beacon", "/private/kept"}
            early |= {"/private/audio-import.js", "/private/by-shared"} if is_cut_off else set()
            await until(lambda: set(REFUSED) - early <= refused())
            await page.goto(f"{site.origin}/next")
            assert await page.title() == "Next"
            await until(lambda: {"/private/beacon", "/private/kept"} <= refused())
            await until(lambda: (set() if is_cut_off else BY_BROWSER) <= asked())
            assert asked() == BY_ROUTE | (set() if is_cut_off else BY_BROWSER)
            assert len(site.visits_to("/")) == 1
            for visit in site.visits:
                assert visit.field("User-Agent") == "ExampleBot/1.0 (+https://example.com/bot)"
                assert visit.field("From") == "bot@example.com"

    asyncio.run(main())


def test_a_guarded_context_passes_its_first_page_on() -> None:
    """Also a page without a request; its status, and one of a page that is not there, are kept."""

    async def main() -> None:
        async with (
            LoopbackSite(says(200, RULES), pages=UNSEEN) as site,
            browsing() as (first, routes),
        ):
            await routes.guard(first.context)
            page = await first.context.new_page()
            await page.set_content(f"<base href={site.origin}/>{RULED}<img src=/seen.gif>")
            await until(lambda: site.visits_to("/seen.gif"))
            for path, status in (("/nowhere", 404), ("/next", 200)):
                got = await page.goto(f"{site.origin}{path}")
                assert got is not None
                assert got.status == status
            asked = {visit.target for visit in site.visits} - {"/favicon.ico"}
            assert asked == {"/robots.txt", "/seen.gif", "/nowhere", "/next"}
            got = await first.goto(f"{site.origin}/next")
            assert got is not None
            assert await got.text() == "<title>Next</title>"

    asyncio.run(main())
