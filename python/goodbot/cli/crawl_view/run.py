"""Running a crawl from the command line: its settings, what one sees of it, and Ctrl-C.

It is imported only when a crawl runs: `goodbot.crawl` and aiohttp are slow to load.
"""

import asyncio
import json
import os
import shlex
import signal
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import goodbot
from goodbot.cli.crawl_view.args import PAUSE, Words
from goodbot.cli.crawl_view.figures import Figures
from goodbot.cli.crawl_view.summary import is_refused_here
from goodbot.cli.crawl_view.view import Lines, Objects, Silence, View
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.identity import EXAMPLE_CONTACT, EXAMPLE_URL, identity_in
from goodbot.cli.shared.options import SiteOptions, network_args
from goodbot.cli.verbs.page import as_utf_8
from goodbot.crawl.folder.database import NOT_BEGUN
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.run.crawl import Crawl
from goodbot.crawl.run.settings import Permissions, lacking
from goodbot.errors import (
    MisuseError,
    NoCrawlError,
    NotAStoreError,
    StoreFullError,
    StoreUnavailableError,
)
from goodbot.http.address import address_of
from goodbot.net import SystemClock
from goodbot.pace import Manners
from goodbot.page.dialects import page_dialect
from goodbot.robot.identity import Identity, name_of

__all__ = ["run"]

OCTETS = 1_000_000
"""In a megabyte."""

GENTLE = "finishing what is under way"
AGAIN = "; Ctrl-C again to stop at once"
AT_ONCE = "stopping at once; --resume goes on"


@dataclass(frozen=True)
class Former:
    """What is known of the crawl that is in the folder already."""

    settings: dict[str, str] = field(default_factory=dict)
    is_there: bool = False

    @property
    def bounds(self) -> Bounds:
        """Its bounds."""
        kept = self.settings.get("bounds")
        return Bounds() if kept is None else Bounds.from_dict(json.loads(kept))

    @property
    def manners(self) -> Manners:
        """Its manners."""
        return Manners(**json.loads(self.settings.get("manners", "{}")))


def run(words: Words) -> ExitStatus:
    """Crawl as the words of the command line say.

    Raises:
        MisuseError: They cannot be meant.
        StoreError: The folder cannot be used, is full, or another crawl is at work in it.
        MissingExtraError: What a crawl needs is not installed.
        OSError: The output takes no more.

    """
    start = [start_in(url) for url in words.urls]
    refuse_unknown(words)
    former = former_in(words)
    refuse_lacking(words, former)
    identity = identity_for(words, former)
    bounds = bounds_for(words, former, [origin for origin, _ in start])
    refuse_mixture(words, former, start)
    view = view_for(words, identity.product)
    crawl = Crawl(
        words.folder,
        identity.name,
        info_url=identity.info_url,
        contact=identity.contact,
        start=[url for _, url in start],
        bounds=bounds,
        sitemaps=not words.no_sitemaps and former.settings.get("sitemaps") != "no",
        workers=words.workers,
        patience=None if words.patience == float("inf") else words.patience,
        manners=manners_for(words, former),
        dialect=words.dialect or former.settings.get("dialect", "rfc9309"),
        page_dialect=words.page_dialect or former.settings.get("page_dialect", "google"),
        on_event=view.hear,
        on_comment=view.remark,
        allow_private=words.allow_private,
        allow_networks=words.allow_network,
        timeout=options.SECONDS if words.timeout is None else words.timeout,
    )
    return asyncio.run(watched(crawl, view, again=words.due))


async def watched(crawl: Crawl, view: View, *, again: bool) -> ExitStatus:
    """Run a crawl, show it, and end it when the user wants that."""
    view.follow(crawl)
    interruptions: list[int] = []

    def interrupt(again: str = AGAIN) -> None:
        interruptions.append(1)
        view.note(f"{GENTLE}{again}" if len(interruptions) == 1 else AT_ONCE)
        crawl.stop()

    def terminate() -> None:
        interrupt(again="")

    def hang_up() -> None:
        leave_terminal()
        terminate()

    with heeding(interrupt, terminate, hang_up):
        try:
            async with view:
                summary = await crawl.run(again=again)
        except (StoreFullError, StoreUnavailableError) as error:
            if not view.figures.events:
                raise
            message = f"{error}\n{how_to_go_on(view.folder, view.allowed())}"
            raise type(error)(message) from error
    view.finish(summary)
    if interruptions:
        return ExitStatus.INTERRUPTED
    return ExitStatus.MISUSE if is_refused_here(summary) else ExitStatus.ALLOWED


def how_to_go_on(folder: str, allowed: Sequence[str]) -> str:
    """Say that nothing is lost."""
    command = shlex.join(["goodbot", "crawl", "--resume", "--out", folder, *allowed])
    return f"what was visited before is whole; to go on:\n{command}"


def leave_terminal() -> None:
    """Write no more to a terminal that has gone: every attempt would fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            # A terminal that has gone is none any more, but is still a character device.
            if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode):
                os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


@contextmanager
def heeding(
    interrupt: Callable[[], None], terminate: Callable[[], None], hang_up: Callable[[], None]
) -> Iterator[None]:
    """Have Ctrl-C, SIGTERM and SIGHUP call something, in the loop that runs.

    A signal that was ignored when the program started stays ignored: so `nohup` does it.
    """
    loop = asyncio.get_running_loop()
    wanted = {signal.SIGINT: interrupt, signal.SIGTERM: terminate}
    if hasattr(signal, "SIGHUP"):
        wanted[signal.SIGHUP] = hang_up
    signals = [one for one in wanted if signal.getsignal(one) is not signal.SIG_IGN]
    try:
        for one in signals:
            loop.add_signal_handler(one, wanted[one])
    except (NotImplementedError, RuntimeError):  # Windows; a thread that is not the main one
        with heeding_plainly(loop, interrupt):
            yield
        return
    try:
        yield
    finally:
        for one in signals:
            loop.remove_signal_handler(one)


@contextmanager
def heeding_plainly(
    loop: asyncio.AbstractEventLoop, interrupt: Callable[[], None]
) -> Iterator[None]:
    """Have Ctrl-C call something, where a loop cannot see to that."""

    def handler(_number: int, _frame: object) -> None:
        loop.call_soon_threadsafe(interrupt)

    try:
        before = signal.signal(signal.SIGINT, handler)
    except ValueError:  # not the main thread: nobody can press Ctrl-C here
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# What the words say.


def start_in(word: str) -> tuple[str, str]:
    """Give origin and URL of a word of the user.

    Raises:
        MisuseError: It is no URL; the message says what to write.
        NoOriginError: It is one, but of no site.

    """
    word = as_utf_8(word)
    if "://" in word or word.lower().startswith(("http:", "https:")):
        return address_of(word)
    if word.startswith("/"):
        message = f"{word} is a path; write it with its site: https://example.com{word}"
    elif os.path.isfile(word):  # noqa: PTH113  whatever it is
        message = (
            f"{word} is a file, and a crawl begins at a URL such as https://example.com/; to read "
            f"a robots.txt file: goodbot rules {shlex.quote(word)}"
        )
    else:
        message = f"{word} has no scheme; write https://{word}"
    raise goodbot.MisuseError(message)


def refuse_unknown(words: Words) -> None:
    """Refuse what there is not, before anything is made.

    Raises:
        MisuseError: There is no such dialect, or the folder is a file.

    """
    if words.dialect is not None:
        goodbot.RobotsTxt(b"", dialect=words.dialect)
    if words.page_dialect is not None:
        page_dialect(words.page_dialect)
    if Path(words.folder).exists() and not Path(words.folder).is_dir():
        message = f"{words.folder} is a file; name a folder with --out"
        raise goodbot.MisuseError(message)


def former_in(words: Words) -> Former:
    """Look what crawl is in the folder already.

    Raises:
        NoCrawlError: There is none, and it was to go on.
        StoreError: Its file cannot be read.

    """
    try:
        with open_readonly(words.folder) as database:
            settings = database.settings()
            former = Former(settings, is_there="bounds" in settings)
            # What does not make sense is found here, and not in the middle of a crawl.
            _ = former.bounds, former.manners
            if words.goes_on:
                refuse_not_begun(former, database.path)
    except NoCrawlError:
        if words.goes_on:
            raise
        return Former()
    except MisuseError as error:
        message = (
            f"{words.folder} has settings that goodbot does not write ({error}); restore it from a "
            "copy, or crawl anew"
        )
        raise NotAStoreError(message) from error
    return former


def refuse_not_begun(former: Former, path: str) -> None:
    """Refuse to go on with a crawl that was killed before it wrote down what it is.

    Raises:
        NoCrawlError: It was.

    """
    if not former.is_there:
        raise NoCrawlError(NOT_BEGUN.format(path=path))


def identity_for(words: Words, former: Former) -> Identity:
    """Say who crawls: who is named, or who did so before.

    Raises:
        MisuseError: It is not said, or cannot be so.

    """
    kept = former.settings if words.goes_on else {}
    robot = words.robot or kept.get("robot")
    info_url = words.info_url or kept.get("info_url")
    contact = words.contact or kept.get("contact")
    about = words.urls[0] if words.urls else "https://example.com/"
    if robot is None:
        named = ["--info-url", info_url or EXAMPLE_URL, "--contact", contact or EXAMPLE_CONTACT]
        cure = shlex.join(["goodbot", "crawl", "--robot", "ExampleBot/1.0", *named, about])
        message = f"a crawl has a robot, and the robot a name; give it yours:\n{cure}"
        raise goodbot.MisuseError(message)
    name_of(robot)
    terms = SiteOptions(
        info_url, contact, None, words.allow_private, words.timeout, words.allow_network
    )
    return identity_in("crawl", robot, terms, about)


def bounds_for(words: Words, former: Former, start: list[str]) -> Bounds:
    """Give the bounds: those that are named, and for the others those of the crawl that goes on."""
    octets = words.max_megabytes
    given: dict[str, Any] = {
        "pages": words.max_pages,
        "depth": words.max_depth,
        "seconds": words.max_seconds,
        "octets": None if octets is None else max(int(octets * OCTETS), 1),
        "disk": None if words.max_disk is None else max(int(words.max_disk * OCTETS), 1),
        "include": words.include or None,
        "exclude": words.exclude or None,
    }
    given = {name: value for name, value in given.items() if value is not None}
    bounds = replace(former.bounds, **given)
    if words.any_origin or (bounds.any_origin and not words.origins):
        return replace(bounds, any_origin=True, origins=None)
    others = [start_in(origin)[0] for origin in words.origins]
    origins = (bounds.origins or frozenset()) | {*start, *others}
    return replace(bounds, any_origin=False, origins=origins)


def refuse_mixture(words: Words, former: Former, start: list[tuple[str, str]]) -> None:
    """Refuse to begin a crawl in the folder of another.

    Raises:
        MisuseError: The crawl in the folder is of other sites, and nobody said that it goes on.

    """
    if not former.is_there or words.goes_on:
        return
    bounds = former.bounds
    if bounds.any_origin or all(origin in (bounds.origins or ()) for origin, _ in start):
        return
    message = (
        f"there is a crawl of other sites in {words.folder}; name another folder with --out, or "
        "add --resume to take these URLs into it"
    )
    raise goodbot.MisuseError(message)


def refuse_lacking(words: Words, former: Former) -> None:
    """Refuse to go on without what the crawl was allowed before.

    Raises:
        MisuseError: A permission is lacking; the message has the words to add.

    """
    now = Permissions(words.allow_private, words.allow_network)
    private, networks = lacking(former.settings, now)
    if not private and not networks:
        return
    added = network_args(private=private, networks=networks)
    given = network_args(private=words.allow_private, networks=words.allow_network)
    verb = ["--due" if words.due else "--resume"] if words.goes_on else list(words.urls)
    command = shlex.join(["goodbot", "crawl", *verb, "--out", words.folder, *given, *added])
    message = (
        f"the crawl in {words.folder} was begun with {shlex.join(added)}, which is not taken from "
        f"a folder; if it still holds, add it:\n{command}"
    )
    raise goodbot.MisuseError(message)


def manners_for(words: Words, former: Former) -> Manners:
    """Return the manners: those that are named, and for the others those of before."""
    before = former.manners if former.is_there else Manners(default=PAUSE)
    named: dict[str, Any] = {
        "default": words.pause,
        "back_off_after": words.back_off_after,
        "back_off_first": words.back_off,
        "back_off_longest": words.max_back_off,
    }
    named = {name: value for name, value in named.items() if value is not None}
    # Who names one end of the back-off alone moves the other with it.
    if words.max_back_off is None and words.back_off is not None:
        named["back_off_longest"] = max(words.back_off, before.back_off_longest)
    elif words.back_off is None and words.max_back_off is not None:
        named["back_off_first"] = min(words.max_back_off, before.back_off_first)
    return replace(before, **named)


def view_for(words: Words, product: str) -> View:
    """Choose what is seen of the crawl."""
    figures = Figures(product)
    if words.as_json:
        return Objects(sys.stdout, words.folder, figures, every=not words.quiet)
    if words.quiet:
        return Silence(sys.stdout, words.folder, figures)
    if not is_screen():
        return Lines(sys.stdout, words.folder, figures)
    from goodbot.cli.crawl_view.table import LiveTable  # noqa: PLC0415  rich is slow to load

    return LiveTable(sys.stdout, words.folder, figures, SystemClock().now)


def is_screen() -> bool:
    """Whether a table can be drawn again and again where answers go."""
    return sys.stdout.isatty() and os.environ.get("TERM") not in {None, "", "dumb"}
