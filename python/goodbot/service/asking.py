"""Many questions to many sites at once: what is known is answered, what is not is fetched once.

Scope: in which order memory, store and sites are asked, and how many at once. `goodbot.robot`
fetches and `goodbot.bots` decides. Nothing here permits anything: a site that was not
reached in time, that defers visits, or that nobody asked yet is `unknown`.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Coroutine, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

import goodbot
from goodbot._core import Judge, Verdict
from goodbot.bots.asking import ObeyedRules, ask_as_fetcher, rules_for
from goodbot.content_use import uses
from goodbot.errors import Deferred, Disallowed, NoOriginError
from goodbot.grounds import UNKNOWN, Grounds
from goodbot.history.store_timelines import read_timeline
from goodbot.http.address import address_of
from goodbot.http.fields import is_unicode
from goodbot.live import SitemapUrls, SitePolicy
from goodbot.pace import Manners, Pace, Turn
from goodbot.policy import Policy
from goodbot.policy.holds import HoldList
from goodbot.policy.size import size_of
from goodbot.robot import Robot
from goodbot.robot.origin_state import or_later
from goodbot.robot.store_executor import StoreExecutor
from goodbot.service.egress import PARTLY, of_origin
from goodbot.service.problems import BUSY, TOO_LARGE, UNKNOWN_SITE, ServiceProblem
from goodbot.service.questions import LONGEST_WAIT, USUAL_WAIT, FetchQuestion
from goodbot.service.standing import RobotStanding, render, word_of

if TYPE_CHECKING:
    from goodbot.history.policy_timeline import PolicyTimeline

__all__ = ["Asker", "RenderedAnswers"]

MOST_LOOKUPS = 256
"""How many sites are asked for robots.txt at the same time."""
MOST_QUEUED = 20_000
"""How many sites may wait to be asked, of all requests together."""
MOST_PAIRS = 10_000
"""The most pairs of a robot and a site in one question."""
MOST_STANDINGS = 16 * 1024 * 1024
"""Roughly how many bytes the policies of the sites may have that were asked about last."""
HOLDS_FOR = 1.0
"""The seconds for which a next visit is used: other processes may visit in between."""
AT_ONCE = 256
"""How many verdicts are rendered before other tasks run."""
PAIRS_AT_ONCE = 16
"""How many sites are reckoned before other tasks run."""
NO_ORIGIN = "no-origin"
"""The reason of a verdict on what is no absolute URL of http or https."""
RETRY_AFTER = ((b"retry-after", b"1"),)


class Asker:
    """RenderedAnswers questions by an open robot.

    Args:
        robot: Who fetches robots.txt.
        manners: The manners by which the next visit is reckoned.

    """

    def __init__(self, robot: Robot, manners: Manners | None = None) -> None:
        """Start with nothing known."""
        self._robot = robot
        self._context = robot._context  # noqa: SLF001  the robot is the service's own
        self._manners = manners or Manners()
        self._store = StoreExecutor(self._context.store)
        self._standings: dict[tuple[str, str], RobotStanding] = {}
        self._origins: dict[str, list[str]] = {}
        """The robots that were asked about at each site."""
        self._size = 0
        self._slots = asyncio.Semaphore(MOST_LOOKUPS)
        self._lookups: dict[str, Lookup] = {}
        """What asks a site for robots.txt, by its origin."""

    def __len__(self) -> int:
        """Return how many sites are known at the moment."""
        return len(self._origins)

    @property
    def queued(self) -> int:
        """How many sites are asked, or wait to be asked."""
        return len(self._lookups)

    async def close(self) -> None:
        """Stop asking sites."""
        tasks = [one.task for one in self._lookups.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def now(self) -> datetime:
        """Return the time of day, in UTC."""
        return self._context.now()

    def forget(self, origin: str) -> None:
        """Reckon the next visit to a site anew: a turn was taken or ended."""
        for robot in self._origins.get(origin, ()):
            standing = self._standings.get((origin, robot))
            if standing is not None:
                standing.until = 0.0

    def holds(self) -> Awaitable[HoldList]:
        """Return the operator's decisions.

        Raises:
            StoreError: The store cannot be read: then nothing is known to be allowed.

        """
        return self._context.holds.current()

    def at_once(self, url: str, robot: str) -> RobotStanding | None:
        """Return what decides about a URL, if all is current and the operator decided nothing."""
        origin = start_of(url)
        standing = self.warm(origin, robot)
        if standing is None:
            return None
        holds = self._context.holds.recent(self._context.timeline.seconds())
        return None if holds is None or holds.has(origin) else standing

    def warm(self, origin: str, robot: str) -> RobotStanding | None:
        """Return what is known of a robot at a site, if that is still current."""
        standing = self._standings.get((origin, robot))
        if standing is None or standing.until <= self._context.timeline.seconds():
            return None
        return standing

    def origin(self, url: str) -> str:
        """Return the origin of a URL.

        Raises:
            NoOriginError: It has none.

        """
        start = start_of(url)
        return start if start in self._origins else address_of(url)[0]

    async def warm_answers(self, question: FetchQuestion) -> "RenderedAnswers | None":
        """Return the answers to a small question if everything is known; else `None`.

        Raises:
            StoreError: The store cannot be read.

        """
        if question.at is not None or len(question.urls) * len(question.robots) > AT_ONCE:
            return None
        answers = RenderedAnswers(question, [], await self.holds(), self._context.now())
        for url in question.urls:
            start = start_of(url)
            if start not in self._origins or not is_unicode(url):
                return None
            for robot in question.robots:
                standing = self.warm(start, robot)
                if standing is None:
                    return None
                answers.standings[start, robot] = standing
            answers.origins.append(start)
        return answers

    async def ask(self, question: FetchQuestion, *, fetches: bool) -> "RenderedAnswers":
        """Return the answers to a question.

        Args:
            question: The question.
            fetches: Whether sites may be asked for robots.txt that is not known.

        Raises:
            ServiceProblem: The question is too large, or too many sites wait already.
            RobotNameError: A robot's name is none.
            StoreError: The store cannot be read or written.

        """
        origins: dict[str, None] = {}
        asked: list[str | None] = []
        for number, url in enumerate(question.urls):
            try:
                origin = self.origin(url) if is_unicode(url) else ""
            except NoOriginError:
                origin = ""
            if not origin:
                asked.append(None)
                continue
            asked.append(origin)
            origins[origin] = None
            if number % AT_ONCE == AT_ONCE - 1:
                await asyncio.sleep(0)
        if len(origins) * len(question.robots) > MOST_PAIRS:
            detail = (
                f"The question has {len(origins):,} sites and {len(question.robots):,} robots; "
                f"their product may be {MOST_PAIRS:,}. Ask about fewer at once."
            )
            raise ServiceProblem(TOO_LARGE, detail)
        for robot in question.robots:
            rules_for(NO_FILE, robot)  # raises if it is no name
        cold = [one for one in origins if any(self.warm(one, r) is None for r in question.robots)]
        learned: dict[str, Policy | Unanswered] = {}
        if question.at is None:
            learned = await self._learn(cold, question.wait if fetches else 0.0)
        # Read only now: the operator may have decided while sites were asked.
        holds = await self.holds()
        answers = RenderedAnswers(question, asked, holds, self._context.timeline.read().wall)
        if question.at is not None:
            for origin in origins:
                answers.timelines[origin] = await self._store.call(
                    lambda origin=origin: read_timeline(  # type: ignore[misc]  # mypy: lambda with a default
                        self._context.store, origin, dialect=self._context.dialect
                    )
                )
            return answers
        for number, origin in enumerate(origins):
            for robot in question.robots:
                standing = self.warm(origin, robot)
                if standing is None:
                    standing = await self._standing(origin, robot, learned[origin])
                answers.standings[origin, robot] = standing
            if number % PAIRS_AT_ONCE == PAIRS_AT_ONCE - 1:
                await asyncio.sleep(0)
        return answers

    async def may_leave(self, url: str, robot: str, *, is_whole: bool) -> tuple[bool, Verdict, str]:
        """Return whether a gateway may let a request through, the verdict, and the reason.

        The robot is about to fetch: it obeys the literal reading of its name, too.

        Args:
            url: The URL.
            robot: The robot.
            is_whole: Whether only the origin of the URL is known.

        Raises:
            NoOriginError: The URL has no origin.
            RobotNameError: The robot's name is none.
            StoreError: The store cannot be read or written.

        """
        rules_for(NO_FILE, robot)
        origin, address = address_of(url)
        holds = await self.holds()
        if holds.find(origin, address) is None:
            learned = (await self._learn([origin], USUAL_WAIT))[origin]
            holds = await self.holds()  # the operator may have decided meanwhile
        hold = holds.find(origin, address)
        if hold is not None:
            verdict = hold.verdict(url, robot, "")
            return False, verdict, verdict.reason
        if isinstance(learned, Unanswered):
            verdict = learned.judge(robot, self._dialect).verdict(url)
            return False, verdict, verdict.reason
        verdict = ask_as_fetcher(learned, url, robot)
        if is_whole and verdict.is_answer:
            is_allowed, reason = of_origin(rules_for(learned, robot, fetching=True), verdict)
            if is_allowed and holds.has(origin):  # a decision about a part of it
                is_allowed, reason = False, PARTLY
            return is_allowed, verdict, reason
        return verdict.allowed and verdict.is_answer, verdict, verdict.reason

    async def policy(
        self, url: str, robot: str, wait: float, *, fetches: bool
    ) -> tuple[SitePolicy, Turn, bool]:
        """Return the policy of a site for a robot, its next visit, and if the site was just asked.

        Raises:
            NoOriginError: The URL has no origin.
            RobotNameError: The robot's name is none.
            ServiceProblem: Nothing is known of the site.
            StoreError: The store cannot be read or written.

        """
        origin = self.origin(url)
        rules_for(NO_FILE, robot)
        is_new = await self._robot.known_policy(origin) is None
        learned = (await self._learn([origin], wait if fetches else 0.0))[origin]
        if isinstance(learned, Unanswered):
            raise ServiceProblem(UNKNOWN_SITE, f"{learned.said[:1].upper()}{learned.said[1:]}.")
        rules = rules_for(learned, robot)
        pace = Pace(rules.rules, robots_txt=learned.robots_txt, manners=self._manners)
        turn = await self._turn(origin, learned, rules, pace)
        history = await self._store.call(lambda: self._context.store.history(origin))
        found = SitePolicy(robot, learned, rules, SitemapUrls(), tuple(history))
        return found, turn, is_new

    async def _learn(self, origins: list[str], wait: float) -> dict[str, "Policy | Unanswered"]:
        """Return the policies of sites, or why there is none yet."""
        found: dict[str, Policy | Unanswered] = {}
        unknown: list[str] = []
        for origin in origins:
            policy = await self._robot.known_policy(origin)
            if policy is not None:
                found[origin] = policy
            elif wait > 0:
                unknown.append(origin)
            else:
                found[origin] = Unanswered(UNKNOWN, "robots.txt of the site is not known yet")
        if not unknown:
            return found
        new = [one for one in unknown if one not in self._lookups]
        if self.queued + len(new) > MOST_QUEUED:
            detail = f"{self.queued:,} sites wait to be asked for robots.txt already."
            raise ServiceProblem(BUSY, detail, RETRY_AFTER)
        for origin in new:
            self._lookups[origin] = Lookup(self._in_turn(origin), self._lookups, origin)
        ends = asyncio.get_running_loop().time() + wait
        lookups = [self._lookups[one] for one in unknown]
        tasks = [asyncio.ensure_future(self._fetched(one, wait, ends)) for one in lookups]
        try:
            results = await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        return found | dict(zip(unknown, results, strict=True))

    async def _fetched(self, lookup: "Lookup", wait: float, ends: float) -> "Policy | Unanswered":
        """Return the policy that a site is asked for, or why there is none yet."""
        try:
            return await lookup.result(ends - asyncio.get_running_loop().time())
        except asyncio.TimeoutError:
            said = f"robots.txt of the site was not fetched within {wait:g} seconds"
            return Unanswered(UNKNOWN, said)
        except Deferred as error:
            said = f"the site must not be visited yet ({error.because})"
            return Unanswered(error.reason, said, error.until)
        except Disallowed as error:
            return Unanswered(error.verdict.reason, error.verdict.said)

    async def _in_turn(self, origin: str) -> Policy:
        """Return the policy of a site once fewer others are asked."""
        async with self._slots:
            self._lookups[origin].is_under_way = True
            policy = self._robot.policy(f"{origin}/robots.txt")
            return await asyncio.wait_for(policy, LONGEST_WAIT)

    async def _standing(
        self, origin: str, robot: str, learned: "Policy | Unanswered"
    ) -> RobotStanding:
        """Return what a robot may do at a site now, and keep it."""
        if isinstance(learned, Unanswered):
            return RobotStanding(robot, learned.judge(robot, self._dialect), None, None, None, 0.0)
        before = self._standings.get((origin, robot))
        if before and before.policy is learned and before.rules and before.pace:
            rules, pace = before.rules, before.pace
        else:
            rules = rules_for(learned, robot)
            pace = Pace(rules.rules, robots_txt=learned.robots_txt, manners=self._manners)
        turn = await self._turn(origin, learned, rules, pace)
        now = self._context.timeline.read().wall
        left = (learned.fresh_until - now).total_seconds()
        until = self._context.timeline.seconds() + min(HOLDS_FOR, left)
        standing = RobotStanding(robot, rules.judge, rules, learned, turn, until, pace)
        # The last one comes last, so that `_drop` forgets the others first.
        before = self._standings.pop((origin, robot), None)
        self._size += size_of(learned) - (0 if before is None else size_of(before.policy))
        if before is None:
            self._origins.setdefault(origin, []).append(robot)
        self._standings[origin, robot] = standing
        if self._size > MOST_STANDINGS:
            self._drop()
        return standing

    def _drop(self) -> None:
        """Forget the half that was reckoned first."""
        for key in list(self._standings)[: len(self._standings) // 2 + 1]:
            del self._standings[key]
        self._origins = {}
        for origin, robot in self._standings:
            self._origins.setdefault(origin, []).append(robot)
        self._size = sum(size_of(one.policy) for one in self._standings.values())

    async def _turn(self, origin: str, policy: Policy, rules: ObeyedRules, pace: Pace) -> Turn:
        """Return when a robot may visit a site next."""
        history = await self._context.leases.visits(origin)
        now = self._context.timeline.read()
        turn = pace.turn(history.shifted(now.microseconds_ahead), now=now.wall)
        return or_later(turn, rules.verdict(f"{policy.origin}/"), now.wall)

    @property
    def _dialect(self) -> str:
        dialect = self._context.dialect
        return dialect if isinstance(dialect, str) else dialect.name


def start_of(url: str) -> str:
    """Return what comes before the path of a URL: its origin, if that is written in normal form.

    Behind a whole origin and its slash, nothing changes the origin any more.

    >>> start_of("https://a.example/b"), start_of("https://a.example")
    ('https://a.example', '')
    """
    return url[: max(url.find("/", 8), 0)]


NO_FILE = goodbot.RobotsTxt(b"")


class Lookup:
    """One site that is asked for robots.txt, for all who wait for it.

    Once it is under way it goes on though nobody waits any longer: a site that answers slowly, or
    redirects and is then visited at its pace, would otherwise be asked anew for each question and
    never be known. It ends if all who waited have left.

    Args:
        work: What asks the site.
        lookups: All lookups by their origins, without those that have ended.
        origin: The origin.

    """

    __slots__ = ("_waiters", "is_under_way", "task")

    def __init__(
        self, work: Coroutine[Any, Any, Policy], lookups: "dict[str, Lookup]", origin: str
    ) -> None:
        """Begin."""
        self.task = asyncio.ensure_future(work)
        self.is_under_way = False
        self._waiters = 0

        def end(task: "asyncio.Task[Policy]") -> None:
            del lookups[origin]
            if not task.cancelled():
                task.exception()  # who still waits hears of it

        self.task.add_done_callback(end)

    async def result(self, seconds: float) -> Policy:
        """Wait for the policy, no longer than some seconds.

        Raises:
            TimeoutError: There is none yet.
            GoodbotError: The site must not be asked.

        """
        self._waiters += 1
        try:
            return await asyncio.wait_for(asyncio.shield(self.task), seconds)
        except asyncio.TimeoutError:
            if self._waiters == 1 and not self.is_under_way:
                await self._end()
            raise
        except asyncio.CancelledError:
            if self._waiters == 1:
                await self._end()
            raise
        finally:
            self._waiters -= 1

    async def _end(self) -> None:
        """End it."""
        self.task.cancel()
        await asyncio.wait({self.task})


class Unanswered:
    """Why nothing is known of a site: no permission."""

    __slots__ = ("reason", "retry_at", "said")

    def __init__(self, reason: str, said: str, retry_at: datetime | None = None) -> None:
        """Store why."""
        self.reason = reason
        self.said = said
        self.retry_at = retry_at

    def judge(self, robot: str, dialect: str) -> Judge:
        """Return the judge that allows nothing."""
        grounds = Grounds(
            robot,
            dialect,
            access="defer",
            policy_reason=self.reason,
            said=self.said,
            retry_at=self.retry_at,
            is_answer=False,
        )
        return Judge(grounds, [], statement=(False, self.reason))


class RenderedAnswers:
    """The answers to one question.

    Args:
        question: The question.
        origins: The origin of each URL; `None` if it has none.
        holds: The operator's decisions.
        now: The time.

    """

    def __init__(
        self, question: FetchQuestion, origins: list[str | None], holds: HoldList, now: datetime
    ) -> None:
        """Start without what is known of the sites."""
        self.question = question
        self.origins = origins
        self.holds = holds
        self.now = now
        self.standings: dict[tuple[str, str], RobotStanding] = {}
        self.timelines: dict[str, PolicyTimeline] = {}

    def parts(self, counts: Counter[str]) -> Iterator[bytes]:
        """Yield the content of the response in parts."""
        before = b'{"verdicts": ['
        rows: list[str] = []
        for url, origin in zip(self.question.urls, self.origins, strict=True):
            for robot in self.question.robots:
                rows.append(self.row(url, origin, robot, counts))
                if len(rows) == AT_ONCE:
                    yield before + ", ".join(rows).encode()
                    before = b", "
                    rows = []
        yield (before + ", ".join(rows).encode() if rows else b"") + b"]}"

    def row(self, url: str, origin: str | None, robot: str, counts: Counter[str]) -> str:
        """Return one verdict as JSON, and count its word."""
        is_plain = not (self.question.uses or self.question.explain)
        if origin is not None and is_plain and not self.holds.has(origin):
            standing = self.standings.get((origin, robot))
            if standing is not None:
                return standing.render(url, counts)
        verdict, standing, turn = self.verdict(url, origin, robot)
        counts[word_of(verdict)] += 1
        more: dict[str, Any] = {"sentence": str(verdict)}
        policy = None if standing is None else standing.policy
        if self.question.uses:
            more["uses"] = None if policy is None else self.uses(url, robot, policy)
        if self.question.explain:
            more["answer"] = verdict.as_dict()
            more["considered"] = [
                {"rule": one.rule.as_dict(), "decides": one.decides, "why": one.why}
                for one in verdict.considered
            ]
        return render(url, verdict, turn, more)

    def verdict(
        self, url: str, origin: str | None, robot: str
    ) -> tuple[Verdict, RobotStanding | None, Turn | None]:
        """Return one verdict, what is known of the robot at the site, and its next visit."""
        if origin is None:
            return not_a_url(robot), None, None
        if self.question.at is not None:
            then = goodbot.verdict(self.timelines[origin], url, robot, self.question.at)
            return then, None, None
        standing = self.standings[origin, robot]
        hold = self.holds.find(origin, address_of(url)[1])
        if hold is not None:
            return hold.verdict(url, robot, ""), standing, None
        return standing.judge.verdict(url), standing, standing.turn

    def uses(self, url: str, robot: str, policy: Policy) -> dict[str, Any]:
        """Return what robots.txt says of the uses of a URL's content."""
        found = uses(url, robots_txt=policy, robot=robot, now=self.now)
        return {use: verdict.as_dict() for use, verdict in found.verdicts.items()}


def not_a_url(robot: str) -> Verdict:
    """Return the verdict on what is no URL: it cannot be fetched."""
    said = "this is no absolute URL of http or https"
    return Unanswered(NO_ORIGIN, said).judge(robot, "").verdict("http://invalid/")
