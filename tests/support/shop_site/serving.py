"""The shop, served: in memory by a fake clock, or by sockets on loopback."""

from collections.abc import Callable, Iterator
from functools import partial
from http import HTTPStatus

from goodbot.net import DEFAULT_LIMITS, HeaderFields, Limits, Response, failure
from goodbot.net.decoding import DecodingError, decoder_of
from goodbot.testing import Answer, Behaviour, FakeClock, FakeSite, FakeVisit, LoopbackSite
from goodbot.testing.loopback import LoopbackVisit
from goodbot.testing.steps import CLOSE, Pause, Script, ScriptStep, http
from tests.support.shop_site.answers import ODD_ANSWERS
from tests.support.shop_site.markup import ODD_MARKUP
from tests.support.shop_site.page import ShopPage
from tests.support.shop_site.pages import ORDINARY, OTHER_ROBOTS_TXT, RETRY_AFTER, ROBOTS_TXT
from tests.support.shop_site.rendering import Rendered, filled, rendered

__all__ = ["OTHER", "PAGES", "SITE", "ShopSite", "loopback_shop", "shop_in_memory"]

SITE, OTHER = "https://shop.example", "https://elsewhere.example"
"""The origins of the shop and of the other site, in memory."""

PAGES: tuple[ShopPage, ...] = (*ORDINARY, *ODD_ANSWERS, *ODD_MARKUP)
"""Every page of both sites."""

FAILING = {"dropped": "reset", "too-short": "reset", "too-long": "protocol-error"}
"""The failures that follow from how an answer is sent."""

MOST = 16 * 1024 * 1024
NOT_FOUND = ShopPage(path="", why="all else", title="Not found", status=404)


# In memory.


class ShopSite(FakeSite):
    """The shop in memory."""

    async def fetch(
        self, url: str, *, headers: HeaderFields = (), limits: Limits = DEFAULT_LIMITS
    ) -> Response:
        """Return the answer; content that is not what its Content-Encoding says is a failure."""
        try:
            return await super().fetch(url, headers=headers, limits=limits)
        except DecodingError as error:
            raise failure(url, "bad-encoding", str(error)) from error


def shop_in_memory(clock: FakeClock | None = None) -> ShopSite:
    """Return the shop at `SITE`, and the other site at `OTHER`."""
    at = clock or FakeClock()
    site = ShopSite(
        {f"{SITE}/robots.txt": filled(ROBOTS_TXT, SITE, OTHER)}
        | {f"{OTHER}/robots.txt": OTHER_ROBOTS_TXT},
        clock=at,
    )
    for page in PAGES:
        url = page.path if page.path.startswith("{other}") else f"{{site}}{page.path}"
        site.routes[filled(url, SITE, OTHER)] = partial(answer_in_memory, page, site)
    return site


def answer_in_memory(page: ShopPage, site: FakeSite, visit: FakeVisit) -> Answer:
    """Return the answer of a page to one request."""
    before = len(site.visits_to(visit.url)) - 1
    if before < len(page.first):
        status = page.first[before]
        if status == "dropped":
            return Answer(failure="reset")
        return Answer(status=status, headers=again_after(status))
    if page.sends in FAILING:
        return Answer(failure=FAILING[page.sends])
    answer = rendered(page, SITE, OTHER)
    fields = answer.fields
    decoder = decoder_of([value for name, value in fields if name == "Content-Encoding"])
    body = decoder.feed(answer.wire, MOST)
    return Answer(
        status=answer.status,
        headers=fields,
        body=body,
        wire=answer.wire,
        seconds=page.seconds,
    )


def again_after(status: int) -> list[tuple[str, str]]:
    """Return the header of a temporary failure."""
    return [("Retry-After", str(RETRY_AFTER))] if status == HTTPStatus.TOO_MANY_REQUESTS else []


# On loopback.


def loopback_shop(robots_txt: str = ROBOTS_TXT, *, is_slow: bool = False) -> LoopbackSite:
    """Return the shop on loopback, for `async with`; the other site is at its other origin.

    Args:
        robots_txt: The shop's robots.txt.
        is_slow: Whether slow pages take their time; otherwise they answer at once.

    """
    pages = {page.path: page for page in PAGES}
    site: LoopbackSite

    def script_of(path: str) -> Script:
        return lambda visit: on_loopback(pages, path, site.origin, visit, is_slow=is_slow)

    def of_robots_txt(visit: LoopbackVisit) -> Iterator[ScriptStep]:
        is_shop = visit.origin == site.origin
        text = filled(robots_txt, site.origin, site.other_origin) if is_shop else OTHER_ROBOTS_TXT
        yield http(200, text.encode(), "Content-Type: text/plain")

    paths = {path.removeprefix("{other}") for path in pages}
    behaviour = Behaviour(
        name="shop",
        does="It is the shop.",
        must="What `expected` says.",
        access="rules",
        authority="the shop",
        answer=of_robots_txt,
    )
    site = LoopbackSite(behaviour, pages={path: script_of(path) for path in paths})
    return site


def on_loopback(
    pages: dict[str, ShopPage], path: str, shop: str, visit: LoopbackVisit, *, is_slow: bool
) -> Iterator[ScriptStep]:
    """Send the answer of a page to one request."""
    is_shop = visit.origin == shop
    page = pages.get(path if is_shop else f"{{other}}{path}", NOT_FOUND)
    other = visit.other_origin if is_shop else visit.origin
    if visit.number <= len(page.first):
        status = page.first[visit.number - 1]
        if status == "dropped":
            yield CLOSE
            return
        yield http(status, b"", *(f"{name}: {value}" for name, value in again_after(status)))
        return
    if is_slow and page.seconds:
        yield Pause(page.seconds)
    yield from FRAMED[page.sends](rendered(page, shop, other))


def head_of(answer: Rendered, *more: str) -> bytes:
    """Return the status line and the header of an answer."""
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in answer.fields]
    return "".join(f"{line}\r\n" for line in [*lines, *more, ""]).encode("latin-1")


def whole(answer: Rendered) -> Iterator[ScriptStep]:
    """Send an answer with its length."""
    yield head_of(answer, f"Content-Length: {len(answer.wire)}") + answer.wire


def chunked(answer: Rendered) -> Iterator[ScriptStep]:
    """Send an answer in chunks of 100 bytes."""
    yield head_of(answer, "Transfer-Encoding: chunked")
    for at in range(0, len(answer.wire), 100):
        piece = answer.wire[at : at + 100]
        yield f"{len(piece):x}\r\n".encode() + piece + b"\r\n"
    yield b"0\r\n\r\n"


def dropped(_: Rendered) -> Iterator[ScriptStep]:
    """Close the connection."""
    yield CLOSE


def too_short(answer: Rendered) -> Iterator[ScriptStep]:
    """Close the connection before the end of the content."""
    yield head_of(answer, f"Content-Length: {len(answer.wire)}") + answer.wire[:50]
    yield CLOSE


def too_long(answer: Rendered) -> Iterator[ScriptStep]:
    """Send more than the length says."""
    yield head_of(answer, f"Content-Length: {len(answer.wire)}") + answer.wire + b"<p>More"


FRAMED: dict[str, Callable[[Rendered], Iterator[ScriptStep]]] = {
    "whole": whole,
    "chunked": chunked,
    "dropped": dropped,
    "too-short": too_short,
    "too-long": too_long,
}
"""How each way of sending sends an answer."""
