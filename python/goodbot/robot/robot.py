"""`Robot`, the polite client: the public face of this layer; and one that reads robots.txt only."""

import asyncio
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, NoReturn, cast

from goodbot._core import Dialect, Verdict
from goodbot.errors import Disallowed, MisuseError, WrongTypeError
from goodbot.http.address import address_of, spelling_of
from goodbot.net import Clock, Fetcher, Limits, Response, SystemClock
from goodbot.pace import Manners, Turn
from goodbot.page import PageOptions
from goodbot.page.dialects import PageDialect
from goodbot.page.dialects import page_dialect as named_page_dialect
from goodbot.page.media_types import is_wanted, type_names
from goodbot.policy import Policy, policy_dialect
from goodbot.policy.holds import Hold
from goodbot.policy.inquiry import LIMIT
from goodbot.policy.size import MOST_BYTES
from goodbot.robot.attempt import Attempt
from goodbot.robot.context import RobotContext, Store
from goodbot.robot.events import Event, Remark
from goodbot.robot.group_lookup import GroupLookup
from goodbot.robot.hold_cache import HoldCache
from goodbot.robot.identity import Identity, identity_of, program_identity
from goodbot.robot.leases import Leases
from goodbot.robot.origin_state import OriginCache, OriginState, or_later
from goodbot.robot.policy_lookup import Blocked, PolicyLookup
from goodbot.robot.signing_identity import SigningIdentity, open_identity
from goodbot.robot.timeline import Timeline
from goodbot.robot.visit import Visit
from goodbot.robot.visiting import MOST_REDIRECTS, Reads, Visiting, deferred
from goodbot.signatures.signing import SignatureDemand
from goodbot.store import MemoryStore

__all__ = ["Robot", "RobotsTxtReader"]

ONLY_ROBOTS_TXT = (
    "this robot names no operator, so it requests nothing but robots.txt; make a Robot with "
    "{info_url} and {contact} to visit pages"
)
"""Why a robot without an operator visits no page."""


class Robot:
    r"""An HTTP client that fetches robots.txt first, obeys it, and identifies itself.

    Use it with `async with`. Many tasks of one event loop can use one robot at the same time.

    Args:
        name: The name of the robot, with or without a version: `ExampleBot/1.0`. Groups of
            robots.txt match the part before the slash.
        info_url: The URL of a page that explains the robot; it is sent in User-Agent.
        contact: An email address that you read; it is sent in From.
        store: The store of policies, visits and turns; by default a `MemoryStore` of 64 MiB.
            Robots that share a `SQLiteStore` share one pace for each site.
        fetcher: The fetcher that makes requests. The default is an `AiohttpFetcher`, which the
            robot closes; it requires `pip install 'goodbot[robot]'`.
        clock: The clock; the system's by default.
        manners: The robot's own settings of its pace.
        dialect: The name of the dialect in which robots.txt is read, or a `Dialect`.
        page_dialect: The name of the dialect in which pages are read, or a `PageDialect`.
        page_options: Further options for reading pages: `goodbot.page.PageOptions`, or a mapping.
        on_event: A function that is called with each `goodbot.robot.Event`.
        on_comment: A function that is called with each `goodbot.robot.Remark`: a message of a site
            to the operator. The logger `goodbot.robot` reports it, too.
        allow_private: Whether the default fetcher may connect to loopback and private networks; see
            `goodbot.net.AddressGuard`. Your own fetcher has its own rules.
        allow_networks: Further networks to which it may connect, such as `100.64.0.0/10`.
        timeout: The most seconds that one request may take.
        identity: The identity by which every request is signed: a `SigningIdentity`, or its folder
            ('goodbot robot identity new'). Requires `pip install 'goodbot[signatures]'`.
        types: The types of successful responses to read, such as `html`, `pdf` and `image/*`
            (`goodbot.page.media_types`). The connection is closed after the header of any other,
            whose `Response.unread` is then true. By default everything is read.

    Raises:
        RobotNameError: `name` is not a product token, or it belongs to a browser, a library or a
            known robot.
        WrongValueError: `info_url` is not a URL, `contact` is not an email address, `timeout` is
            not above 0, or one of `allow_networks` is not a network.
        WrongTypeError: An argument has the wrong type.
        UnknownDialectError: There is no dialect of this name.
        MissingExtraError: No fetcher is passed and aiohttp is not installed.

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

    __module__ = "goodbot"  # the name under which users import it
    _loop: asyncio.AbstractEventLoop | None = None
    _made: Fetcher | None = None

    def __init__(
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
        types: Collection[str] | None = None,
        identity: SigningIdentity | str | os.PathLike[str] | None = None,
    ) -> None:
        """Check the arguments; nothing is requested before `async with`."""
        self.identity: Identity = self._identified(name, info_url, contact)
        policy_dialect(dialect)
        named_page_dialect(page_dialect)
        self._clock = clock or SystemClock()
        self._limits = limits_of(timeout, types)
        if fetcher is None:
            fetcher = self._own_fetcher(private=allow_private, networks=allow_networks)
        self._store = MemoryStore(MOST_BYTES) if store is None else store
        timeline = Timeline(self._clock)
        own = checked_manners(manners)
        self._states = OriginCache(self.identity.product, own)
        self._context = RobotContext(
            identity=self.identity,
            clock=self._clock,
            timeline=timeline,
            fetcher=fetcher,
            store=self._store,
            leases=Leases(self._store, timeline, self.identity.name, lease_seconds(timeout), own),
            origins=self._states,
            groups=GroupLookup(tuple(own.groups), fetcher, self._clock),
            holds=HoldCache(self._store, timeline, self.identity.product, dialect),
            limits=self._limits,
            robots_txt_limits=replace(self._limits, bytes=LIMIT, reads=None),
            dialect=dialect,
            on_event=on_event,
            on_comment=on_comment,
            signing=open_identity(identity),
        )
        self._policies = self._lookup(timeout)
        self._visiting = Visiting(self._context, self._policies, page_dialect, page_options)

    def _identified(self, name: str, info_url: str, contact: str) -> Identity:
        """Return the identity that the robot sends; see `Robot`."""
        return identity_of(name, info_url, contact)

    def _lookup(self, patience: float) -> PolicyLookup:
        """Return what finds the policies of sites."""
        return PolicyLookup(self._context, patience=patience)

    def _own_fetcher(self, *, private: bool, networks: Sequence[str]) -> Fetcher:
        """Make a fetcher, to be closed with the robot."""
        self._made = made_fetcher(self._clock, private=private, networks=networks)
        return self._made

    async def __aenter__(self) -> "Robot":  # noqa: PYI034  Self is of Python 3.11
        """Open the robot, and return it."""
        if self._loop is not None:
            message = "a robot can be entered only once; make another Robot"
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
        """Close the robot."""
        await self.close()

    async def close(self) -> None:
        """Cancel all requests for robots.txt, and close the robot's own fetcher."""
        await self._policies.close()
        close = getattr(self._made, "close", None)
        if close is not None:
            await close()

    def sign(
        self,
        url: str,
        *,
        method: str = "GET",
        lines: Iterable[tuple[str, str]] = (),
        demand: SignatureDemand | None = None,
    ) -> tuple[tuple[str, str], ...]:
        """Return the fields that sign a request which something else sends, such as a browser.

        Args:
            url: The URL of the request, as it is sent.
            method: Its method.
            lines: Its header.
            demand: What the answer to the same request asked for; see `demanded_signature`.

        Returns:
            No field if the robot has no identity to sign by.

        """
        signing = self._context.signing
        if signing is None:
            return ()
        return signing.sign(url, self._clock.now(), method=method, lines=lines, demand=demand)

    def demanded_signature(
        self,
        status: int,
        headers: Iterable[tuple[str, str]],
        url: str,
        *,
        method: str = "GET",
        lines: Iterable[tuple[str, str]] = (),
    ) -> SignatureDemand | None:
        """Return the signature that an answer asks for (Accept-Signature), if the robot gives it.

        It is for requests that something else sends; the robot's own are answered by itself. The
        arguments are those of `goodbot.robot.signing_identity.SigningIdentity.demanded`.
        """
        signing = self._context.signing
        if signing is None:
            return None
        return signing.demanded(status, headers, url, method=method, lines=lines)

    async def may_fetch(self, url: str) -> Verdict:
        """Return whether the robot may fetch a URL, with the source of the answer.

        This takes microseconds while the policy of the site is fresh; otherwise the robot fetches
        its robots.txt first.

        Args:
            url: An absolute http or https URL. It is normalised first, so that the verdict is about
                the URL that would be sent.

        Returns:
            A verdict, which is true if the URL is allowed. If robots.txt cannot be fetched, nothing
            is allowed.

        Raises:
            NoOriginError: The URL is not an absolute http or https URL.
            Deferred: The known robots.txt is no longer fresh, and the server asked for a pause that
                is longer than `timeout`; or the operator has paused the site.
            StoreError: The store cannot be read or written.

        """
        origin, address = address_of(url)
        try:
            await self._context.holds.heed(origin, address)
            state = self._states.get(origin)
            if state is None or state.fresh(self._clock.now()) is None:
                state = await self._known(origin, address)
                # The operator may have decided while the site was asked.
                await self._context.holds.heed(origin, address)
        except Disallowed as error:
            return cast("Verdict", error.verdict)
        return state.verdict(address, spelling_of(url))

    async def policy(self, url: str) -> Policy:
        """Return the policy of a URL's origin: a fresh one, from memory, the store or the site.

        Args:
            url: An absolute http or https URL.

        Raises:
            Disallowed: The operator has blocked the URL or its site; nothing is requested.
            NoOriginError: See `may_fetch`.
            Deferred: See `may_fetch`.
            StoreError: See `may_fetch`.

        """
        state = await self._known(*address_of(url))
        assert state.policy is not None  # noqa: S101  `_known` sets it
        return state.policy

    async def known_policy(self, url: str) -> Policy | None:
        """Return the fresh policy of a URL's origin from memory or the store, without a request.

        Args:
            url: An absolute http or https URL.

        Returns:
            The policy; `None` if none is known, or it is no longer fresh.

        Raises:
            NoOriginError: See `may_fetch`.
            StoreError: See `may_fetch`.

        """
        self._refuse_outside()
        return await self._policies.known(self._states.of(address_of(url)[0]))

    async def when(self, url: str) -> Turn:
        """Return the earliest time at which the URL may be visited, and the reason.

        Use `may_fetch` to find out whether it may be visited at all.

        Args:
            url: An absolute http or https URL.

        Returns:
            A turn, which is true if the time is now.

        Raises:
            Disallowed: The operator has blocked the URL or its site; nothing is requested.
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
        """Visit a URL: check robots.txt, wait for the turn, fetch; then the same for each redirect.

        Visits to one origin are made one at a time, in the order of the calls.

        Args:
            url: An absolute http or https URL.
            longest_wait: The most seconds to wait for the turn; `None` for no limit. With 0 the URL
                is visited now or not at all.
            redirects: The most redirects to follow in a row. With 0 the first response is returned;
                `Visit.location` is the URL to which it redirects.
            stored: An earlier response from this URL, such as `Visit.response`. The request is then
                conditional if that response has everything that is needed to judge the page again.
                If a 304 confirms it, `Visit.response` is the earlier response with its header
                updated, and `Visit.not_modified` is the 304.

        Returns:
            The visit. A response with any status counts, 404 and 500 included.

        Raises:
            Disallowed: The URL, or one to which it redirects, is forbidden; `verdict` has the
                source.
            Deferred: The site asks for a later visit, or for a pause that is longer than
                `Manners.patience` or `longest_wait`; `until` is the time to try again.
            FetchError: There was no response.
            NoOriginError: See `may_fetch`.
            StoreError: See `may_fetch`.
            WrongTypeError: `stored` is not a `Response`.

        """
        self._refuse_outside()
        if stored is not None and not isinstance(stored, Response):
            given = type(stored).__name__
            message = f"stored must be a Response such as Visit.response, not {given}"
            raise WrongTypeError(message)
        return await self._visiting.visit(url, longest_wait, redirects=redirects, stored=stored)

    def attempt(
        self, url: str, *, longest_wait: float | None = None, reads: Reads = "types"
    ) -> Attempt:
        """Return a visit whose steps you call yourself: `Attempt.ask`, then `Attempt.fetch`.

        It is for callers that record what was done. `Attempt.log` has the requests, and the
        policies that were learned, which the robot then does not store itself.

        Args:
            url: An absolute http or https URL.
            longest_wait: See `visit`.
            reads: What to read: responses of the robot's `types`, `all` responses, or only the
                `header`.

        Raises:
            NoOriginError: See `may_fetch`.

        """
        self._refuse_outside()
        return Attempt(self._visiting, url, longest_wait, reads=reads)

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

    # Decisions of the operator.

    async def block(self, place: str, why: str, *, by: str = "") -> Hold:
        r"""Block a site or a URL: from now on the robot requests nothing there.

        The decision is kept in the store, and applies to all robots that share it until `unblock`.

        Args:
            place: The site or URL to block. An origin, or the URL of its first page, stands for the
                whole site; another URL for itself, or, with a `*` at its end, for all URLs that
                begin with it.
            why: The reason.
            by: The name of the person who decides.

        Returns:
            The decision.

        Raises:
            MisuseError: The store cannot keep decisions, because it lacks the methods of
                `goodbot.store.HoldKeeper`.
            NoOriginError: `place` is not an absolute http or https URL.
            StoreError: The store cannot be written.
            WrongValueError: `why` is empty.

        >>> import asyncio
        >>> import goodbot
        >>> from goodbot.testing import FakeClock, FakeSite
        >>> me = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
        >>> clock = FakeClock()
        >>> site = FakeSite({"/robots.txt": ""}, clock=clock)
        >>> async def main() -> bool:
        ...     async with goodbot.Robot("ExampleBot", **me, fetcher=site, clock=clock) as robot:
        ...         await robot.block("https://a.example/drafts/*", "its owner asked by mail")
        ...         return bool(await robot.may_fetch("https://a.example/drafts/1"))
        >>> asyncio.run(main())
        False

        """
        return await self._context.holds.keep(place, "block", why, by)

    async def unblock(self, place: str) -> bool:
        """Remove a block; return whether there was one. See `block`."""
        return await self._context.holds.lift(place, "block")

    async def pause(self, site: str, why: str = "", *, by: str = "") -> Hold:
        """Pause a site: each visit to it is deferred until `resume`. See `block`."""
        return await self._context.holds.keep(site, "pause", why, by)

    async def resume(self, site: str) -> bool:
        """End the pause of a site; return whether it was paused."""
        return await self._context.holds.lift(site, "pause")

    async def holds(self) -> list[Hold]:
        """Return every block and pause, by scope and kind; see `block`."""
        return await self._context.holds.read()

    def reload_holds(self) -> None:
        """Read the operator's decisions again before the next use, not only after 1 second."""
        self._context.holds.expire()

    def _refuse_outside(self) -> None:
        if self._loop is None:
            message = "the robot is not open; use it within `async with Robot(...) as robot:`"
            raise MisuseError(message)
        if asyncio.get_running_loop() is not self._loop:
            message = "the robot belongs to another event loop; make one Robot in each loop"
            raise MisuseError(message)

    def __repr__(self) -> str:
        """Return the identity of the robot."""
        return f"<Robot {self.identity}>"


def lease_seconds(timeout: float) -> float:
    """Return the most seconds a visit may take: waiting for a connection, and the request."""
    return 2 * timeout + 60


def checked_manners(manners: object) -> Manners:
    """Check the type of manners; return the default ones for `None`.

    Raises:
        WrongTypeError: They are neither `Manners` nor `None`.

    """
    if manners is None:
        return Manners()
    if not isinstance(manners, Manners):
        message = f"manners must be Manners or None, not {type(manners).__name__}"
        raise WrongTypeError(message)
    return manners


def limits_of(timeout: float, types: Collection[str] | None) -> Limits:
    """Return the limits of a request for a page; see `Robot`."""
    reads = None if types is None else partial(is_wanted, names=type_names(types))
    return Limits(seconds=timeout, reads=reads)


def made_fetcher(clock: Clock, *, private: bool, networks: Sequence[str] = ()) -> Fetcher:
    """Return the default fetcher.

    Raises:
        MissingExtraError: aiohttp is not installed.

    """
    from goodbot.net import AiohttpFetcher  # noqa: PLC0415  loads aiohttp only if needed

    return AiohttpFetcher(allow_private=private, allow_networks=networks, clock=clock)


class RobotsTxtReader(Robot):
    """A robot that requests robots.txt only, under the name of goodbot and its version.

    It takes the arguments of `Robot` but for the name; the page that explains it and the contact
    need not be known.

    >>> reader = RobotsTxtReader(fetcher=object())
    >>> reader.identity.contact, reader.identity.user_agent.startswith("goodbot/")
    ('', True)
    """

    def __init__(
        self,
        *,
        info_url: str = "",
        contact: str = "",
        **options: Any,  # noqa: ANN401  those of `Robot`
    ) -> None:
        """Check the arguments; see `Robot`."""
        super().__init__("", info_url=info_url, contact=contact, **options)

    def _identified(self, name: str, info_url: str, contact: str) -> Identity:  # noqa: ARG002
        """Return the identity of goodbot itself."""
        return program_identity(info_url or None, contact or None)

    async def visit(self, *_arguments: Any, **_options: Any) -> NoReturn:  # noqa: ANN401  as `Robot`
        """Refuse to visit a page.

        Raises:
            MisuseError: In every case.

        """
        raise only_robots_txt()

    def attempt(self, *_arguments: Any, **_options: Any) -> NoReturn:  # noqa: ANN401  as `Robot`
        """Refuse to visit a page.

        Raises:
            MisuseError: In every case.

        """
        raise only_robots_txt()


def only_robots_txt() -> MisuseError:
    """Return the error of a visit to a page."""
    return MisuseError(ONLY_ROBOTS_TXT, {"info_url": "info_url=", "contact": "contact="})
