r"""The robot without `async`: the same methods, for synchronous programs.

>>> from goodbot.blocking import Robot
>>> from goodbot.testing import FakeClock, FakeSite
>>> clock = FakeClock()
>>> site = FakeSite({"/robots.txt": "User-agent: *\nDisallow: /private", "/a": "Hi"}, clock=clock)
>>> me = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
>>> with Robot("ExampleBot/1.0", **me, fetcher=site, clock=clock) as robot:
...     bool(robot.may_fetch("https://a.example/private")), robot.when("https://a.example/a").reason
...     robot.visit("https://a.example/a").page.text()
(False, 'manners')
'Hi'
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Any, TypeVar

from goodbot import robot
from goodbot._core import Verdict
from goodbot.errors import MisuseError
from goodbot.net import Response
from goodbot.pace import Turn
from goodbot.policy import Hold, Policy
from goodbot.robot import Identity, Visit
from goodbot.robot.robot import RobotsTxtReader
from goodbot.robot.visiting import MOST_REDIRECTS

__all__ = ["Robot"]

Result = TypeVar("Result")


class Robot:
    """A `goodbot.Robot` with blocking methods.

    It takes the same arguments, returns the same values and raises the same exceptions. It runs its
    own event loop in its own thread, which ends with the `with` block. Many threads may use it at
    the same time. Callbacks (`on_event`, `on_comment`) are called in the thread of the loop.

    Raises:
        MisuseError: It is used outside its `with` block, or from its own event loop.

    >>> Robot("Mozilla/5.0", info_url="https://example.com/bot", contact="bot@example.com")
    Traceback (most recent call last):
    ...
    goodbot.errors.RobotNameError: 'Mozilla/5.0' is the name of a browser; choose a name of your \
own, such as 'ExampleBot/1.0', so that sites can address your robot in robots.txt

    """

    def __init__(self, name: str, **options: Any) -> None:  # noqa: ANN401  those of goodbot.Robot
        """Check the arguments; see `goodbot.Robot`."""
        self._wrap(robot.Robot(name, **options))

    def _wrap(self, wrapped: robot.Robot) -> None:
        """Set the robot whose methods are called."""
        self._robot = wrapped
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def identity(self) -> Identity:
        """The name and addresses of the robot."""
        return self._robot.identity

    def __enter__(self) -> "Robot":  # noqa: PYI034  Self is of Python 3.11
        """Start the loop."""
        if self._thread is not None:
            message = "a robot can be entered only once; make another Robot"
            raise MisuseError(message)
        self._loop = asyncio.new_event_loop()
        name = f"goodbot {self.identity.name}"
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()
        self._waited(self._robot.__aenter__)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Cancel what is under way and end the loop. Closing twice does nothing."""
        loop, self._loop = self._loop, None
        if loop is None or self._thread is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(self._ended(), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
            loop.close()

    async def _ended(self) -> None:
        """Cancel every call, so that each releases its lease, and close the robot."""
        asking = asyncio.all_tasks() - {asyncio.current_task()}
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await self._robot.close()
        loop = asyncio.get_running_loop()
        await loop.shutdown_asyncgens()
        await loop.shutdown_default_executor()

    def may_fetch(self, url: str) -> Verdict:
        """Return the verdict on fetching a URL; see `goodbot.Robot`."""
        return self._waited(lambda: self._robot.may_fetch(url))

    def policy(self, url: str) -> Policy:
        """Return the policy of the origin of a URL; see `goodbot.Robot`."""
        return self._waited(lambda: self._robot.policy(url))

    def known_policy(self, url: str) -> Policy | None:
        """Return the fresh policy that is known of the origin of a URL; see `goodbot.Robot`."""
        return self._waited(lambda: self._robot.known_policy(url))

    def when(self, url: str) -> Turn:
        """Return when the URL may be visited and why not earlier; see `goodbot.Robot`."""
        return self._waited(lambda: self._robot.when(url))

    def visit(
        self,
        url: str,
        *,
        longest_wait: float | None = None,
        redirects: int = MOST_REDIRECTS,
        stored: Response | None = None,
    ) -> Visit:
        """Visit a URL as soon as the pace allows it; see `goodbot.Robot`."""
        return self._waited(
            lambda: self._robot.visit(
                url, longest_wait=longest_wait, redirects=redirects, stored=stored
            )
        )

    def block(self, place: str, why: str, *, by: str = "") -> Hold:
        """Block a site or a URL from now on; see `goodbot.Robot`."""
        return self._waited(lambda: self._robot.block(place, why, by=by))

    def unblock(self, place: str) -> bool:
        """Remove a block; see `goodbot.Robot`."""
        return self._waited(lambda: self._robot.unblock(place))

    def pause(self, site: str, why: str = "", *, by: str = "") -> Hold:
        """Stop visiting a site until `resume`; see `goodbot.Robot`."""
        return self._waited(lambda: self._robot.pause(site, why, by=by))

    def resume(self, site: str) -> bool:
        """End the pause of a site; see `goodbot.Robot`."""
        return self._waited(lambda: self._robot.resume(site))

    def _waited(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Wait for a result; an interrupt cancels the call."""
        loop = self._loop
        if loop is None:
            message = "the robot is not open; use it within `with Robot(...) as robot:`"
            raise MisuseError(message)
        if threading.current_thread() is self._thread:
            message = (
                "the robot would wait for itself; call it from another thread, or use goodbot.Robot"
            )
            raise MisuseError(message)
        asked = asyncio.run_coroutine_threadsafe(work(), loop)
        try:
            return asked.result()
        except CancelledError:
            message = "the robot was closed during the call; use it within its `with` block"
            raise MisuseError(message) from None
        except BaseException:
            asked.cancel()
            raise

    def __repr__(self) -> str:
        """Return a short description with its name."""
        return f"<blocking Robot {self.identity}>"


class BlockingReader(Robot):
    """A robot that requests robots.txt only, and names no operator, with blocking methods."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  those of the robot
        """Check the arguments; see `goodbot.robot.robot`."""
        self._wrap(RobotsTxtReader(**options))
