"""The polite client: the public face of this layer."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, cast

from goodbot._core import Dialect
from goodbot.errors import Disallowed, MisuseError, WrongTypeError
from goodbot.http.address import address_of, spelling_of
from goodbot.net import Clock, Fetcher, Limits, Response, SystemClock
from goodbot.pace import Manners, Turn
from goodbot.page import PageOptions
from goodbot.page.dialects import PageDialect
from goodbot.page.dialects import page_dialect as named_page_dialect
from goodbot.page.inputs import is_document_type
from goodbot.policy import Policy, PolicyVerdict, policy_dialect
from goodbot.policy.holds import Hold
from goodbot.policy.inquiry import LIMIT
from goodbot.robot.attempt import Attempt
from goodbot.robot.context import RobotContext, Store
from goodbot.robot.events import Event, Remark
from goodbot.robot.hold_cache import HoldCache
from goodbot.robot.identity import Identity, identity_of
from goodbot.robot.leases import Leases
from goodbot.robot.origin_state import OriginCache, OriginState, or_later
from goodbot.robot.policy_lookup import Blocked, PolicyLookup
from goodbot.robot.timeline import Timeline
from goodbot.robot.visit import Visit
from goodbot.robot.visiting import MOST_REDIRECTS, Visiting, deferred
from goodbot.store import MemoryStore

__all__ = ["Robot"]


class Robot:
    r"""A robot that asks for robots.txt first, waits its turn, and says who it is.

    Use it within `async with`. It may be asked by many tasks of one event loop at once.

    Args:
        name: Its name and perhaps its version: `ExampleBot/1.0`. Groups of robots.txt are for the
            part before the slash.
        info_url: The page that explains it; it stands in User-Agent.
        contact: The address of mail at which somebody reads what sites write; it stands in From.
        store: Where policies, visits and turns are kept: `MemoryStore` by default. Robots that
            share a `SQLiteStore` are polite together.
        fetcher: What fetches; by default an `AiohttpFetcher` (the extra `robot`), which the robot
            closes.
        clock: Where time comes from; the machine's by default.
        manners: The robot's own settings of its pace.
        dialect: How robots.txt is read: the name of a dialect, or a `Dialect`.
        page_dialect: How pages are read: the name of a page dialect, or a `PageDialect`.
        page_options: How else they are read: `goodbot.page.PageOptions`, or a mapping of some.
        on_event: Is given what happens: `goodbot.robot.Event`.
        on_comment: Is given what sites want the operator to know, each once:
            `goodbot.robot.Remark`. The log `goodbot.robot` has it too.
        allow_private: Whether the fetcher that the robot makes may ask loopback and private
            networks; see `goodbot.net.AddressGuard`. Your own fetcher has its own bounds.
        allow_networks: Other networks that it may ask, such as `100.64.0.0/10`.
        timeout: Seconds that one request may take.
        documents_only: Whether nothing is read of a success whose Content-Type is of no document,
            such as an image: `Response.unread` then says so. By default everything is read.

    Raises:
        RobotNameError: The name is no product token, or a browser's, or another's.
        WrongValueError: `info_url` or `contact` is none; `timeout` is not above 0; one of
            `allow_networks` is no network.
        WrongTypeError: An argument is of a type that is not taken.
        UnknownDialectError: There is no dialect of this name.
        MissingExtraError: aiohttp is not installed, and no fetcher is given.

    >>> import asyncio
    >>> import goodbot
    >>> from goodbot.testing import FakeClock, FakeSite
    >>> clock = FakeClock()
    >>> rules = "User-agent: *\nCrawl-delay: 60\nDisallow: /private"
    >>> site = FakeSite({"/robots.txt": rules, "/a": "Hello"}, clock=clock)
    >>> async def main() -> None:
    ...     async with goodbot.Robot(
    ...         "ExampleBot/1.0",
    ...         info_url="https://example.com/bot",
    ...         contact="bot@example.com",
    ...         fetcher=site,
    ...         clock=clock,
    ...     ) as robot:
    ...         verdict = await robot.may_fetch("https://a.example/x/../private")
    ...         print(bool(verdict), verdict.source)
    ...         print(await robot.when("https://a.example/a"))
    ...         visit = await robot.visit("https://a.example/a")
    ...         print(visit.response.status, visit.page.text(), f"{clock.now():%H:%M:%S}")
    >>> asyncio.run(main())
    False robots.txt line 3
    Not before 2026-01-01 00:01:00 UTC: robots.txt line 2 asks for 1 minute between visits.
    200 Hello 00:01:00

    Source: RFC 9309; A Standard for Robot Exclusion, 1994; Guidelines for Robot Writers, 1993
    (identify yourself, don't hog resources).
    """

    __module__ = "goodbot"  # where users have it from
    _loop: asyncio.AbstractEventLoop | None = None

    def __init__(  # noqa: PLR0913  each is documented above
        self,
        name: str,
        *,
        info_url: str,
        contact: str,
        store: Store | None = None,
        fetcher: Fetcher | None = None,
        clock: Clock | None = None,
        manners: Manners | None = None,
        dialect: str | Dialect = "rfc9309",
        page_dialect: str | PageDialect = "google",
        page_options: PageOptions | Mapping[str, Any] | None = None,
        on_event: Callable[[Event], object] | None = None,
        on_comment: Callable[[Remark], object] | None = None,
        allow_private: bool = False,
        allow_networks: Sequence[str] = (),
        timeout: float = 30.0,
        documents_only: bool = False,
    ) -> None:
        """Check what is given; nothing is asked before `async with`."""
        self.identity: Identity = identity_of(name, info_url, contact)
        policy_dialect(dialect)
        named_page_dialect(page_dialect)
        self._clock = clock or SystemClock()
        self._limits = Limits(seconds=timeout, reads=is_document_type if documents_only else None)
        self._made: Fetcher | None = None
        if fetcher is None:
            ours = made_fetcher(self._clock, private=allow_private, networks=allow_networks)
            fetcher = self._made = ours
        self._store = MemoryStore() if store is None else store
        timeline = Timeline(self._clock)
        self._states = OriginCache(self.identity.product, checked_manners(manners))
        self._context = RobotContext(
            identity=self.identity,
            clock=self._clock,
            timeline=timeline,
            fetcher=fetcher,
            store=self._store,
            leases=Leases(self._store, timeline, self.identity.name, lease_seconds(timeout)),
            origins=self._states,
            holds=HoldCache(self._store, timeline, self.identity.product, dialect),
            limits=self._limits,
            robots_txt_limits=replace(self._limits, bytes=LIMIT, reads=None),
            dialect=dialect,
            on_event=on_event,
            on_comment=on_comment,
        )
        self._policies = PolicyLookup(self._context, patience=timeout)
        self._visiting = Visiting(self._context, self._policies, page_dialect, page_options)

    async def __aenter__(self) -> "Robot":  # noqa: PYI034  Self is of Python 3.11
        """Give itself."""
        if self._loop is not None:
            message = "a robot is entered once; make another"
            raise MisuseError(message)
        await self._context.leases.keep_time()
        self._loop = asyncio.get_running_loop()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        await self.close()

    async def close(self) -> None:
        """Break off what is under way, and close the fetcher that the robot made."""
        await self._policies.close()
        close = getattr(self._made, "close", None)
        if close is not None:
            await close()

    async def may_fetch(self, url: str) -> PolicyVerdict:
        """Tell whether the robot may fetch a URL, and who says so.

        It takes microseconds while the policy of the origin is fresh; else the site is asked.

        Args:
            url: An absolute URL of http or https. It is resolved first, so that what is asked about
                is what would be sent.

        Returns:
            A verdict, truthy if the URL is allowed. A robots.txt that cannot be had allows nothing.

        Raises:
            NoOriginError: The URL is not absolute, or neither of http nor of https.
            Deferred: The server wants nobody to come for longer than a question can wait
                (`timeout`), and what was known of robots.txt is no longer fresh; or the operator
                has paused the site.
            StoreError: The store cannot be read or written.

        """
        origin, address = address_of(url)
        try:
            await self._context.holds.heed(origin, address)
        except Disallowed as error:
            return cast("PolicyVerdict", error.verdict)
        state = self._states.get(origin)
        if state is None or state.fresh(self._clock.now()) is None:
            state = await self._known(origin, address)
        return state.verdict(address, spelling_of(url))

    async def policy(self, url: str) -> Policy:
        """Give the policy of the origin of a URL: fresh, from the store or from the site.

        Args:
            url: An absolute URL of http or https.

        Raises:
            Disallowed: The operator has blocked the URL or its site: nobody is asked.
            NoOriginError: See `may_fetch`.
            Deferred: See `may_fetch`.
            StoreError: See `may_fetch`.

        """
        state = await self._known(*address_of(url))
        assert state.policy is not None  # noqa: S101  it is known
        return state.policy

    async def when(self, url: str) -> Turn:
        """Tell when the URL may be visited: not before when, and why.

        Whether it may be is told by `may_fetch`.

        Args:
            url: An absolute URL of http or https.

        Returns:
            A turn, truthy if it is now.

        Raises:
            Disallowed: The operator has blocked the URL or its site: nobody is asked.
            NoOriginError: See `may_fetch`.
            Deferred: See `may_fetch`.
            StoreError: See `may_fetch`.

        """
        state = await self._known(*address_of(url))
        history = await self._context.leases.visits(state.origin)
        now = self._context.read()
        return or_later(state.turn(history, now), state.verdict(state.origin + "/"), now.wall)

    async def visit(
        self,
        url: str,
        *,
        longest_wait: float | None = None,
        redirects: int = MOST_REDIRECTS,
        stored: Response | None = None,
    ) -> Visit:
        """Visit a URL: ask, wait for the turn, fetch; and the same for each redirect.

        Visits of one origin come one after the other, in the order in which they are asked for.

        Args:
            url: An absolute URL of http or https.
            longest_wait: Seconds for which it may wait for its turn; `None` for as long as it
                takes. For 0 it is visited now, or not.
            redirects: How many are followed in a row; for 0 the first answer is the answer
                (`Visit.location` tells where it leads).
            stored: An earlier answer of this URL, such as `Visit.response`. If it suffices to judge
                the page again, the request is conditional; where a 304 confirms it, it is the
                answer, with the fields as the 304 updates them, and `Visit.not_modified` is the
                304.

        Returns:
            The visit. Every status is an answer, 404 and 500 as well.

        Raises:
            Disallowed: The URL, or one to which it redirects, is forbidden; `verdict` says by whom.
            Deferred: The site puts visits off, or wants more time between them than the robot bears
                (`Manners.patience`, `longest_wait`); `until` says when to come again.
            FetchError: No answer came.
            NoOriginError: See `may_fetch`.
            StoreError: See `may_fetch`.
            WrongTypeError: `stored` is no `Response`.

        """
        self._refuse_outside()
        if stored is not None and not isinstance(stored, Response):
            message = (
                f"stored must be a Response, such as Visit.response, not {type(stored).__name__}"
            )
            raise WrongTypeError(message)
        return await self._visiting.visit(url, longest_wait, redirects=redirects, stored=stored)

    def attempt(
        self, url: str, *, longest_wait: float | None = None, reads_all: bool = False
    ) -> Attempt:
        """Begin a visit whose steps are called one by one: `Attempt.ask`, then `Attempt.fetch`.

        It is for a caller that records what was done: `Attempt.log` has the requests, and the
        policies that were learned, which are then not stored by the robot.

        Args:
            url: An absolute URL of http or https.
            longest_wait: See `visit`.
            reads_all: Whether an answer of any type is read, also with `documents_only`.

        Raises:
            NoOriginError: See `may_fetch`.

        """
        self._refuse_outside()
        return Attempt(self._visiting, url, longest_wait, reads_all=reads_all)

    async def _known(self, origin: str, url: str) -> OriginState:
        """Return the state of an origin, with a policy."""
        self._refuse_outside()
        await self._context.holds.heed(origin, url)
        state = self._states.of(origin)
        try:
            await self._policies.policy(state)
        except Blocked as blocked:
            raise deferred(url, blocked.turn) from None
        return state

    # What the operator decides.

    async def block(self, place: str, why: str, *, by: str = "") -> Hold:
        """Leave a site or a URL alone from now on: nobody there is asked for anything.

        It is kept in the store, and holds for all robots that share it until `unblock`.

        Args:
            place: An origin or the URL of its first page, for all of a site; another URL, for that
                alone, or with a `*` at its end for all that begins so.
            why: The reason.
            by: Who decides.

        Returns:
            The decision.

        Raises:
            MisuseError: The store keeps no decisions; it has the methods of
                `goodbot.store.HoldKeeper`.
            NoOriginError: The place is no absolute URL of http or https.
            StoreError: The store cannot be written.
            WrongValueError: There is no reason.

        """
        return await self._context.holds.keep(place, "block", why, by)

    async def unblock(self, place: str) -> bool:
        """Take a block back; return whether there was one. See `block`."""
        return await self._context.holds.lift(place, "block")

    async def pause(self, site: str, why: str = "", *, by: str = "") -> Hold:
        """Make no more visits to a site until `resume`; each is deferred. See `block`."""
        return await self._context.holds.keep(site, "pause", why, by)

    async def resume(self, site: str) -> bool:
        """Visit a site again that was paused; return whether it was."""
        return await self._context.holds.lift(site, "pause")

    def reload_holds(self) -> None:
        """Read the operator's decisions again at the next question, and not only after a second."""
        self._context.holds.expire()

    def _refuse_outside(self) -> None:
        if self._loop is None:
            message = (
                "the robot is not open; ask and visit within `async with Robot(...) as robot:`"
            )
            raise MisuseError(message)
        if asyncio.get_running_loop() is not self._loop:
            message = "the robot belongs to another event loop; make one in each"
            raise MisuseError(message)

    def __repr__(self) -> str:
        """Show who it is."""
        return f"<Robot {self.identity}>"


def lease_seconds(timeout: float) -> float:
    """Return how long a visit may take: its request, and before that the wait for a connection."""
    return 2 * timeout + 60


def checked_manners(manners: object) -> Manners:
    """Take manners; the usual ones, if none are given."""
    if manners is None:
        return Manners()
    if not isinstance(manners, Manners):
        message = f"manners must be Manners or None, not {type(manners).__name__}"
        raise WrongTypeError(message)
    return manners


def made_fetcher(clock: Clock, *, private: bool, networks: Sequence[str] = ()) -> Fetcher:
    """Make the fetcher of those who bring none.

    Raises:
        MissingExtraError: aiohttp is not installed.

    """
    from goodbot.net import AiohttpFetcher  # noqa: PLC0415  only now is aiohttp needed

    return AiohttpFetcher(allow_private=private, allow_networks=networks, clock=clock)
