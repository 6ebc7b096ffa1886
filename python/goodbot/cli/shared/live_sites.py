"""Live sites, for the verbs that visit them: who visits, the result, what a terminal shows.

Only those verbs import it, because `goodbot.robot` and aiohttp are slow to load.
"""

import os
import re
import shlex
import sys
from contextlib import ExitStack
from datetime import datetime
from types import TracebackType
from typing import Any, Literal

import goodbot
from goodbot._core import Verdict
from goodbot.blocking import BlockingReader, Robot
from goodbot.bots import ObeyedRules, rules_for
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.identity import identity_for_robots_txt, names_no_operator
from goodbot.cli.shared.options import SiteOptions
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.errors import Deferred, Disallowed
from goodbot.files.file_input import STANDARD_INPUT
from goodbot.grounds import Grounds
from goodbot.http.address import address_of, spelling_of, url_text
from goodbot.http.status import status_of
from goodbot.lazy_dataclass import dataclass
from goodbot.net import SystemClock
from goodbot.pace import Pace, Turn
from goodbot.policy import Policy
from goodbot.robot import Asked, Event, Fetched, Identity, Store, Visit
from goodbot.robot.origin_state import or_later
from goodbot.robot.policy_lookup import POLL
from goodbot.store import MemoryStore, open_store
from goodbot.store.opening import close_store, store_name

__all__ = ["CURES", "NOT_ROBOTS_TXT", "LiveSites", "SiteState", "address_in"]

SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:(?![0-9])")
"""The scheme of a URL; a colon before digits belongs to a host with a port."""

CURES = {
    "failure-dns": "check the spelling of the host",
    "failure-refused": "check the host and the port",
    "failure-private-address": "to visit private networks, add --allow-private; to visit one "
    "network, add --allow-network CIDR",
    "failure-blocked-port": "use the port of a web server",
    "failure-timeout": "allow more time with --timeout",
}
"""How to fix a failure, by its outcome."""


READS_SITE = {
    "check": "without --robots-txt FILE, robots.txt is fetched from the site",
    "policy": "this command fetches robots.txt from the site",
    "rules": "robots.txt is fetched from the site",
    "page": "the page is fetched from the site",
}
"""Why a path is not enough, by verb."""

NOT_ROBOTS_TXT = {"not-robots-txt", "unreadable-body"}
"""Findings of a response that is clearly not a robots.txt."""


@dataclass(frozen=True, slots=True)
class SiteState:
    """What is known of a site when a URL of it was asked about."""

    turn: Turn
    """The time from which the site may be visited again."""
    now: datetime
    """The time of the question, in UTC."""
    policy: Policy | None = None
    """The policy of the site; `None` if the site must not be visited yet."""
    came_from: Literal["site", "store", ""] = ""
    """Where the policy comes from."""
    rules: ObeyedRules | None = None
    """What the robot obeys there; `None` without a policy."""


class LiveSites:
    """Fetches the robots.txt of sites and checks URLs against them; for `with`.

    Args:
        robot: The robot to check for.
        site_options: How sites are visited.
        dialect: The dialect in which robots.txt is read.
        identity: Who visits; by default who requests robots.txt alone.
        **settings: Further arguments of `Robot`.

    Raises:
        MisuseError: `robot` is not a name, or the identity of the robot cannot be used.
        MissingExtraError: aiohttp is not installed.
        StoreError: The store cannot be opened.

    """

    def __init__(
        self,
        robot: str,
        site_options: SiteOptions,
        dialect: str,
        *,
        identity: Identity | None = None,
        **settings: Any,  # noqa: ANN401  those of `Robot`
    ) -> None:
        """Check the arguments before any request is made."""
        warnings.of_name([options.obeyed_rules(goodbot.RobotsTxt(b"", dialect=dialect), robot)])
        warnings.of_dialect(robot, dialect)
        self.robot = robot
        self.identity = identity or identity_for_robots_txt(site_options)
        self.progress = ProgressLine(sys.stderr)
        self.open = ExitStack()
        self.store: Store = MemoryStore()
        self.store_name: str | None = None
        if site_options.store is not None:
            self.store = open_store(site_options.store)
            self.store_name = store_name(site_options.store)
            self.open.callback(close_store, self.store)
        self.clock = ProgressClock(self.progress)
        try:
            self.asker = robot_as(
                self.identity,
                store=self.store,
                clock=self.clock,
                dialect=dialect,
                on_event=self.note,
                allow_private=site_options.allow_private,
                allow_networks=site_options.allow_network,
                timeout=site_options.seconds,
                **settings,
            )
        except BaseException:
            self.open.close()
            raise
        self.dialect = dialect
        self.asked: dict[str, datetime] = {}
        self.was_seen = False
        """Whether a site has seen a request."""
        self.paced: tuple[Policy, Pace] | None = None
        self.ruled: tuple[Policy, ObeyedRules] | None = None

    def __enter__(self) -> "LiveSites":  # noqa: PYI034  Self is of Python 3.11
        """Open the robot and the progress line."""
        self.open.enter_context(self.asker)
        self.open.enter_context(self.progress)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Cancel requests, close the store, and say how to name an operator."""
        self.open.close()
        lacks = names_no_operator(self.identity)
        if self.was_seen and lacks is not None and kind is None:
            warnings.note(lacks)

    def note(self, event: Event) -> None:
        """Note which robots.txt was fetched, and show redirects."""
        if isinstance(event, Asked):
            self.asked[event.url] = event.at
        elif isinstance(event, Fetched):
            self.was_seen = True
            if status_of(event.status).is_redirect:
                self.progress.ask(f"the target of {event.url}")

    def ask(self, address: str) -> tuple[Verdict, SiteState]:
        """Check one URL, as `address_in` returns it; return the verdict and the state of its site.

        Raises:
            StoreError: The store cannot be read or written.

        """
        try:
            policy = self.policy(address)
        except Deferred as error:
            return self.defer(address, error)
        except Disallowed as error:  # the operator blocked it: no request was made
            verdict: Verdict = error.verdict
            turn = Turn(None, verdict.reason, "", 0, float("inf"), verdict.said)
            return verdict, SiteState(turn, self.clock.now())
        return self.rules(policy).verdict(address), self.state(policy)

    def state(self, policy: Policy) -> SiteState:
        """Return what is known of the site of a policy."""
        now = self.clock.now()
        came_from: Literal["site", "store"] = "store"
        if self.asked.get(policy.url) == policy.fetched_at:
            came_from = "site"
        return SiteState(self.turn(policy, now), now, policy, came_from, self.rules(policy))

    def policy(self, address: str) -> Policy:
        """Return the policy of the site of a URL.

        Raises:
            Deferred: The site must not be visited for longer than this command waits.

        """
        with self.progress.asking(goodbot.robots_txt_url(address)):
            return self.asker.policy(address)

    def visit(self, url: str, **options: Any) -> Visit:  # noqa: ANN401  those of `Robot.visit`
        """Visit a URL; see `goodbot.Robot`."""
        with self.progress.asking(url):
            return self.asker.visit(url, **options)

    def when(self, url: str) -> Turn:
        """Return when goodbot may visit a URL; see `goodbot.Robot`."""
        return self.asker.when(url)

    def rules(self, policy: Policy) -> ObeyedRules:
        """Return what the robot obeys at the site of a policy; the last one is kept."""
        if self.ruled is None or self.ruled[0] is not policy:
            self.ruled = policy, rules_for(policy, self.robot)
        return self.ruled[1]

    def turn(self, policy: Policy, now: datetime) -> Turn:
        """Return when the robot may visit the site next."""
        if self.paced is None or self.paced[0] is not policy:
            rules = self.rules(policy).rules
            self.paced = (policy, Pace(rules, robots_txt=policy.robots_txt))
        turn = self.paced[1].turn(self.store.visits(policy.origin), now=now)
        return or_later(turn, policy.verdict(f"{policy.origin}/", self.robot), now)

    def defer(self, address: str, error: Deferred) -> tuple[Verdict, SiteState]:
        """Return the verdict for a site that must not be visited yet: it is not a permission."""
        grounds = Grounds(
            self.robot,
            self.dialect,
            access="defer",
            policy_reason=error.reason,
            said=f"the site must not be visited yet ({error.because})",
            retry_at=error.until,
            is_answer=False,
        )
        now = self.clock.now()
        wait = float("inf") if error.until is None else (error.until - now).total_seconds()
        turn = Turn(error.until, error.reason, "", 0, wait, error.because)
        return grounds.state(address, error.reason), SiteState(turn, now)


def robot_as(identity: Identity, **settings: Any) -> Robot:  # noqa: ANN401  those of `Robot`
    """Return a robot with an identity; one without an operator requests robots.txt only."""
    named = {"info_url": identity.info_url, "contact": identity.contact}
    if not all(named.values()):
        return BlockingReader(**named, **settings)
    return Robot(identity.name, **named, **settings)


class ProgressClock(SystemClock):
    """The clock of the machine, which shows on a terminal what it waits for."""

    def __init__(self, progress: ProgressLine) -> None:
        """Store what shows the wait."""
        self.progress = progress

    async def sleep(self, seconds: float) -> None:
        """Wait this many seconds."""
        # A robot checks every `POLL` seconds whether the visit of another program is over.
        others = "another program is visiting the site"
        why = others if seconds <= POLL else "the site must not be visited sooner"
        self.progress.wait(seconds, why)
        await super().sleep(seconds)
        self.progress.ask(self.progress.url)


def address_in(typed: bytes, verb: str = "check") -> str:
    """Return the URL that an argument names.

    Args:
        typed: The argument.
        verb: The verb, `check` or `policy`, for messages.

    Raises:
        MisuseError: It is not a URL; the message says what to write.

    """
    text = url_text(typed)
    path = typed.startswith(b"/") and not typed.startswith(b"//")
    if os.path.isfile(typed):  # noqa: PTH113  bytes
        message = f"{text} is a file, not a URL; {how_to_read(text, verb)}"
    elif path:
        message = (
            f"{text} is a path, and {READS_SITE[verb]}; write a whole URL such as "
            f"https://example.com{text}"
        )
    elif typed == STANDARD_INPUT.encode() or not typed:
        message = "write a URL such as https://example.com/page"
    elif b"://" in typed or SCHEME.match(typed):
        address = address_of(text)[1]
        return spelling_of(text) or address
    else:
        message = f"{text} has no scheme; write https://{text.lstrip('/')}"
    raise goodbot.MisuseError(message)


def how_to_read(file: str, verb: str) -> str:
    """Return how to read a file that was named instead of a URL."""
    if verb == "check":
        return f"to read it, write {shlex.join(['--robots-txt', file])}"
    rules = suggest(file, verb="rules", keep=("robot", "dialect", "every_finding", "as_json"))
    check = suggest("--robots-txt", file, "URL", verb="check", keep=("robot", "dialect"))
    return f"to see its rules: {rules}; to check a URL: {check}"
