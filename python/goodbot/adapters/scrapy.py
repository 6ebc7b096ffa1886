r"""Scrapy: middlewares that replace its own for robots.txt, and a parser for the latter.

The middlewares handle rules, statuses and failures, freshness, pace and the rules of pages::

    ROBOTSTXT_OBEY = True
    DOWNLOADER_MIDDLEWARES = {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "goodbot.adapters.scrapy.GoodbotRobotsMiddleware": 100,
    }
    SPIDER_MIDDLEWARES = {"goodbot.adapters.scrapy.GoodbotLinksMiddleware": 100}

`ROBOTSTXT_PARSER = "goodbot.adapters.scrapy.GoodbotRobotParser"` alone replaces only the parser of
Scrapy's own middleware, and cannot obey: from Scrapy 2.14 on, that middleware hands the parser to
the first two of the requests that wait for a robots.txt, and sends the others unchecked. It also
ignores the status of robots.txt.

| setting | by default | meaning |
| --- | --- | --- |
| `GOODBOT_DIALECT` | `"rfc9309"` | the dialect in which robots.txt is read |
| `GOODBOT_POLICY_DIALECT` | the same | what statuses mean, and how long robots.txt stays fresh |
| `GOODBOT_PACE` | `True` | whether Crawl-delay and Request-rate set the slot's delay |
| `GOODBOT_PATIENCE` | `None` | seconds; a site that wants a longer delay is skipped |
| `GOODBOT_PAGES` | `True` | whether to set `response.meta["goodbot"]` and drop nofollow links |
| `GOODBOT_PAGE_DIALECT` | `"google"` | the dialect in which pages are read |
| `GOODBOT_PAGE_OPTIONS` | `{}` | other options of `goodbot.page.PageOptions` |
| `GOODBOT_IDENTITY` | `None` | the folder of the identity by which requests are signed |
| `GOODBOT_FOLDER` | `None` | a folder for WARC files, index and evidence of the crawl |

With `GOODBOT_FOLDER`, each response and each refusal is recorded as `goodbot crawl` records its
own, so `goodbot evidence`, `search`, `report`, `archive export --wacz` and the other commands read
the folder. This includes robots.txt, redirects, and failures that are tried again. A page that may
not be kept or indexed is neither. A job that is resumed goes on in the same folder. A request that
got no response is not recorded.

`ROBOTSTXT_USER_AGENT` and the request's `dont_obey_robotstxt` work as before, and so do the
statistics. Requests are sent with the `USER_AGENT` of Scrapy, which should contain that name, and
with From if `DEFAULT_REQUEST_HEADERS` has it: `{"From": "bot@example.com"}`. Visit-time has no
effect, because a slot has a delay but no hours. Scrapy counts a delay from the start of one request
to the start of the next.
"""

import logging
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag
from weakref import WeakKeyDictionary, WeakSet

from goodbot._core import RobotsTxt, Verdict, robots_txt_url
from goodbot.adapters.policy_cache import (
    PolicyCache,
    drive_async,
    has_robots_txt,
    question_headers,
    utc_now,
    verdict_on,
)
from goodbot.adapters.sender import SIGNATURE_FIELDS, note_missing_from
from goodbot.adapters.skipped import Skipped
from goodbot.adapters.slots import Slots
from goodbot.errors import GoodbotError
from goodbot.http.status import status_of
from goodbot.missing import needs
from goodbot.net.fetcher import Response as Recorded
from goodbot.pace import Manners, Pace
from goodbot.page import Page, PageDialect, PageOptions, page_dialect
from goodbot.policy import Policy
from goodbot.policy.inquiry import Question
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
from goodbot.robot.signing_identity import open_identity
from goodbot.signatures.signing import SignatureDemand

with needs("scrapy"):
    from scrapy import Request, signals, version_info
    from scrapy.crawler import Crawler
    from scrapy.exceptions import IgnoreRequest, NotConfigured
    from scrapy.http import Response
    from scrapy.http.request import NO_CALLBACK
    from scrapy.robotstxt import RobotParser
    from scrapy.utils.defer import maybe_deferred_to_future
    from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from goodbot.crawl import ResponseRecorder

__all__ = [
    "GoodbotLinksMiddleware",
    "GoodbotRobotParser",
    "GoodbotRobotsMiddleware",
    "LazyPage",
    "RefusedByRobotsError",
]

logger = logging.getLogger(__name__)

META = "goodbot"
ASKED = "goodbot_asked"
"""In the meta of a request that is made again: its URL, and the signature that its site wants."""
SIGNED_FOR = 3_600
"""The seconds for which a signature holds: it is made before the request waits for its slot."""
DEFAULT_FIELDS = "DEFAULT_REQUEST_HEADERS"
LARGEST_DOWNLOAD = 8 * 1024 * 1024
"""Bytes after which the download of a robots.txt is cancelled; the first 500 KiB are read."""
HANDS_OUT_TWO = (2, 14)
"""The first release of Scrapy whose own middleware hands the parser to two requests only."""
AT_ONCE = Manners(factor=0.0, default=0.0)
"""No delay of our own: if the site states no pace, Scrapy's settings apply."""

KINDS = {
    "CannotResolveHostError": "dns",
    "DNSLookupError": "dns",
    "DownloadTimeoutError": "timeout",
    "TimeoutError": "timeout",
    "TCPTimedOutError": "timeout",
    "DownloadConnectionRefusedError": "refused",
    "ConnectionRefusedError": "refused",
    "ConnectError": "refused",
    "DownloadCancelledError": "too-large",
    "ResponseDataLossError": "reset",
    "ConnectionLost": "reset",
    "ConnectionDone": "reset",
    "ResponseFailed": "reset",
    "ResponseNeverReceived": "reset",
    "DownloadFailedError": "reset",
}
"""Which exception means which failure, by class name, for Scrapy, Twisted and Python."""


@cache
def note_parser_alone() -> None:
    """Log once that the parser alone does not obey, in releases of Scrapy where that is so."""
    if version_info >= HANDS_OUT_TWO:
        logger.warning(
            "ROBOTSTXT_PARSER alone does not obey: of the requests that wait for a robots.txt, "
            "Scrapy %s checks only the first two. Use the middleware "
            "goodbot.adapters.scrapy.GoodbotRobotsMiddleware instead.",
            ".".join(map(str, version_info)),
        )


def as_str(value: str | bytes) -> str:
    """Return a `str`, because Scrapy passes either type."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


class RefusedByRobotsError(GoodbotError, IgnoreRequest):
    """Raised for a request that must not be sent.

    Args:
        reason: The reason, a stable slug.
        sentence: The reason as a sentence.
        verdict: The verdict on the URL; it may be "allowed" if the pace is the reason.

    """

    def __init__(self, reason: str, sentence: str, verdict: Verdict) -> None:
        """Store all three."""
        super().__init__(reason, sentence, verdict)
        self.reason = reason
        self.verdict = verdict

    def __str__(self) -> str:
        """Return the sentence."""
        return str(self.args[1])


class GoodbotRobotParser(RobotParser):
    r"""A parser for `ROBOTSTXT_PARSER`, used by Scrapy's own middleware.

    Use `GoodbotRobotsMiddleware` instead: Scrapy's own does not ask it for every request.

    >>> parser = GoodbotRobotParser(b"User-agent: *\nDisallow: /*.gif$\nCrawl-delay: 2")
    >>> parser.allowed("https://example.com/a.gif", b"ExampleBot/1.0"), parser.crawl_delay("Any")
    (False, 2.0)

    Source: docs.scrapy.org, Implementing support for a new parser.
    """

    def __init__(self, robotstxt_body: bytes, dialect: str = "rfc9309") -> None:
        """Parse a robots.txt."""
        self.robots_txt = RobotsTxt(robotstxt_body, dialect=dialect)

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> "GoodbotRobotParser":
        """Parse a robots.txt; called by Scrapy."""
        if crawler is not None:
            note_parser_alone()
        settings: Any = {} if crawler is None else crawler.settings
        return cls(robotstxt_body, settings.get("GOODBOT_DIALECT") or "rfc9309")

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Return whether a robot may fetch a URL."""
        return self.robots_txt.allows(as_str(url), as_str(user_agent))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the Crawl-delay in seconds, or `None` if there is none."""
        return self.robots_txt.rules_for(as_str(user_agent)).crawl_delay


class LazyPage:
    """A `goodbot.Page` of a response, parsed when it is first used.

    >>> page = LazyPage("https://example.com/", b"<meta name=robots content=nofollow>", (), "Any")
    >>> bool(page.follow), page.page is page.page
    (False, True)
    """

    def __init__(
        self,
        url: str,
        body: bytes,
        headers: tuple[tuple[str, str], ...],
        robot: str,
        status: int = 200,
        dialect: str | PageDialect = "google",
        options: PageOptions | None = None,
    ) -> None:
        """Store the response's parts."""
        self._given = (url, body, headers, robot, status, dialect, options or PageOptions())
        self._page: Page | None = None

    @property
    def page(self) -> Page:
        """The parsed page."""
        if self._page is None:
            url, body, headers, robot, status, dialect, options = self._given
            self._page = Page(
                url,
                body,
                headers=headers,
                robot=robot,
                status=status,
                dialect=dialect,
                **options.as_arguments(),
            )
        return self._page

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever a Page has
        """Return the page's attribute."""
        if name.startswith("_"):
            message = f"a page has no attribute {name!r}"
            raise AttributeError(message)
        return getattr(self.page, name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the response's parts, for queues on disk."""
        return LazyPage, self._given


class GoodbotRobotsMiddleware:
    """A downloader middleware that replaces `RobotsTxtMiddleware`; the module lists its settings.

    Args:
        crawler: The crawler.

    Raises:
        NotConfigured: `ROBOTSTXT_OBEY` is off.
        UnknownDialectError: A setting names a dialect that there is not.
        MisuseError: `GOODBOT_PAGE_OPTIONS` are none.

    Source: RFC 9309; docs.scrapy.org, Downloader Middleware.
    """

    DOWNLOAD_PRIORITY = 1000
    """Of the requests for robots.txt, as in the original."""

    def __init__(self, crawler: Crawler) -> None:
        """Read the settings."""
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self.crawler = crawler
        self.skipped = Skipped()
        self._robot: str | None = settings["ROBOTSTXT_USER_AGENT"]
        self._user_agent: str | None = settings["USER_AGENT"]
        by_default = {key.lower(): one for key, one in settings.getdict(DEFAULT_FIELDS).items()}
        self._sends_from = bool(by_default.get("from"))
        self._keeps_pace = settings.getbool("GOODBOT_PACE", default=True)
        self._patience = settings.getfloat("GOODBOT_PATIENCE", 0.0) or None
        self._reads_pages = settings.getbool("GOODBOT_PAGES", default=True)
        self._page_dialect = page_dialect(settings.get("GOODBOT_PAGE_DIALECT") or "google")
        self._page_options = PageOptions.of(settings.get("GOODBOT_PAGE_OPTIONS"))
        choices: dict[str, Any] = {"dialect": settings.get("GOODBOT_DIALECT") or "rfc9309"}
        choices["policy_dialect"] = settings.get("GOODBOT_POLICY_DIALECT")
        self._cache = PolicyCache(threading.Lock, utc_now, **choices)
        self._waiting: dict[str, list[Deferred[None]]] = {}
        self._identity = open_identity(settings.get("GOODBOT_IDENTITY"))
        self._folder: str | None = settings.get("GOODBOT_FOLDER")
        self._recorder: ResponseRecorder | None = None
        self._allowed: WeakKeyDictionary[Request, Verdict] = WeakKeyDictionary()
        self._questions: WeakSet[Request] = WeakSet()
        """The requests for robots.txt."""
        self._answers: WeakSet[Request] = WeakSet()
        """The requests that are signed as their sites asked."""
        self._slots = Slots(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "GoodbotRobotsMiddleware":
        """Create the middleware; called by Scrapy."""
        made = cls(crawler)
        crawler.signals.connect(made.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(made.spider_closed, signal=signals.spider_closed)
        crawler.signals.connect(made.response_downloaded, signal=signals.response_downloaded)
        return made

    async def process_request(self, request: Request) -> None:
        """Pass a request on if it is allowed.

        Raises:
            RefusedByRobotsError: The request is not allowed.

        """
        request.meta.pop(META, None)  # left over from the response that led here
        demand = self._asked(request)
        if self._identity is not None and request not in self._questions:
            for name in SIGNATURE_FIELDS:
                request.headers.pop(name, None)  # likewise, of another URL
        if request.meta.get("dont_obey_robotstxt") or not has_robots_txt(request.url):
            return
        policy = await self.policy(request)
        robot = self._robot_of(request)
        verdict = verdict_on(policy, request.url, robot)
        if not verdict.allowed:
            if self._recorder is not None:
                self._recorder.refused(request.url, verdict, utc_now())
            raise self._refusal(verdict.reason, f"{verdict.url}: {verdict}", verdict)
        self._allowed[request] = verdict
        self._pace(request, policy, verdict)
        self._sign(request, demand)

    def _sign(self, request: Request, demand: SignatureDemand | None = None) -> None:
        """Sign a request, if there is an identity; it may still wait for its turn."""
        if self._identity is not None:
            proof = self._identity.sign(
                request.url,
                utc_now(),
                method=request.method,
                lines=fields_of(request),
                demand=demand,
                life=SIGNED_FOR,
            )
            for name, value in proof:
                request.headers[name] = value

    def _asked(self, request: Request) -> SignatureDemand | None:
        """Return the signature that the answer to the same request asked for, before this one.

        Another middleware may have copied what `meta` says to a request for another URL.
        """
        url, label, components, nonce = request.meta.pop(ASKED, (None, "", (), None))
        if url != request.url:
            return None
        self._answers.add(request)
        return SignatureDemand(label, tuple(components), nonce)

    def _demanded(self, request: Request, response: Response) -> SignatureDemand | None:
        """Return the signature that a response asks for; `None` if there is none to give."""
        if self._identity is None or request in self._answers:
            return None
        fields = [line for line in fields_of(request) if line[0].lower() not in SIGNATURE_FIELDS]
        return self._identity.demanded(
            response.status,
            pairs_of(response),
            request.url,
            method=request.method,
            lines=fields,
        )

    def process_response(self, request: Request, response: Response) -> Response | Request:
        """Attach the page to a response; it is parsed only if it is used.

        If the response asks for another signature, the request is made again in its turn.
        """
        is_ours = not request.meta.get("dont_obey_robotstxt")
        demand = self._demanded(request, response) if is_ours else None
        if demand is not None:
            self._allowed.pop(request, None)
            again = request.replace(dont_filter=True)
            again.meta[ASKED] = (request.url, *demand)
            return again
        if self._reads_pages and is_ours and not status_of(response.status).is_redirect:
            robot = self._robot_of(request)
            if robot:
                fields = pairs_of(response)
                given = (response.url, response.body, fields, robot, response.status)
                page = LazyPage(*given, self._page_dialect, self._page_options)
                request.meta[META] = page
        self._record(request, response)
        return response

    def response_downloaded(self, request: Request, response: Response) -> None:
        """Record a request in the folder, before another middleware can take its response."""
        if self._recorder is None or not has_robots_txt(request.url):
            return
        recorded = recorded_of(request, response)
        # Scrapy's download_latency ends when the header came, and this signal is sent when the
        # content has come, so the request began a little before this time.
        requested = recorded.ended - timedelta(seconds=request.meta.get("download_latency", 0.0))
        is_question = request in self._questions
        if not is_question:  # of a page, this response has no body that is decoded
            recorded = replace(recorded, body=b"", wire=None)
        self._recorder.request(recorded, requested, "robots-txt" if is_question else "page")
        verdict = self._allowed.get(request)
        if verdict is not None and is_without_page(response.status):
            self._recorder.response(recorded, verdict, None)

    def _record(self, request: Request, response: Response) -> None:
        """Record a page in the folder, if there is one; its request is recorded already."""
        verdict = self._allowed.pop(request, None)
        if self._recorder is None or verdict is None or is_without_page(response.status):
            return
        recorded = replace(recorded_of(request, response), wire=None)  # decoded by Scrapy
        self._recorder.response(recorded, verdict, None)

    def spider_opened(self) -> None:
        """Open the folder.

        Raises:
            MisuseError: It has another crawl, or the robot has no name.
            StoreError: It cannot be written.

        """
        if self._folder is None:
            return
        with needs("crawl"):
            from goodbot.crawl import ResponseRecorder  # noqa: PLC0415  an extra of its own
        robot = self._robot or self._user_agent or ""
        choices = self._cache.choices
        self._recorder = ResponseRecorder(
            self._folder,
            robot.partition(" ")[0],
            now=utc_now(),
            dialect=choices["dialect"],
            page_dialect=self._page_dialect,
            page_options=self._page_options,
        )

    def spider_closed(self) -> None:
        """Log the report of skipped requests, and close the folder."""
        if self._recorder is not None:
            self._recorder.close()
        logger.info("goodbot: %s", self.skipped, extra={"spider": self.crawler.spider})

    def skip(self, reason: str, sentence: str) -> None:
        """Count a skipped request in the statistics and the report."""
        self.skipped.add(reason, sentence)
        self.crawler.stats.inc_value("goodbot/skipped")
        self.crawler.stats.inc_value(f"goodbot/skipped/{reason}")

    async def policy(self, request: Request) -> Policy:
        """Return the policy of the request's origin; one request fetches it, the others wait."""
        address = robots_txt_url(request.url)
        while True:
            policy = self._cache.fresh(request.url)
            if policy is not None:
                return policy
            if address not in self._waiting:
                break
            waiting: Deferred[None] = Deferred()
            self._waiting[address].append(waiting)
            await maybe_deferred_to_future(waiting)
        self._waiting[address] = []
        try:
            return await self._ask(request)
        finally:
            for one in self._waiting.pop(address):
                one.callback(None)

    async def _ask(self, cause: Request) -> Policy:
        self.crawler.stats.inc_value("robotstxt/request_count")
        way = self._cache.ask(cause.url)
        policy = await drive_async(way, lambda question: self._fetch(question, cause))
        self.crawler.stats.inc_value(f"goodbot/access/{policy.access}")
        if self._recorder is not None:
            self._recorder.policy(policy, utc_now())
        return policy

    async def _fetch(self, question: Question, cause: Request) -> RobotsTxtAnswer:
        """Fetch one hop through the downloader, so that the slot's delay applies to it too."""
        fields = question_headers(question, cause.headers)
        if not self._sends_from and "From" not in fields:
            note_missing_from(f"set {DEFAULT_FIELDS} = {{'From': 'you@example.com'}}")
        meta = {
            "dont_obey_robotstxt": True,
            "dont_redirect": True,  # the policy decides which redirects to follow
            "allow_offsite": True,
            "download_maxsize": LARGEST_DOWNLOAD,
            "download_fail_on_dataloss": True,  # the rules that were cut off are unknown
        }
        request = Request(
            question.url,
            headers=fields,
            meta=meta,
            priority=self.DOWNLOAD_PRIORITY,
            callback=NO_CALLBACK,
            dont_filter=True,
        )
        try:
            response = await self._download(request)
            demand = self._demanded(request, response)
            if demand is not None:
                response = await self._download(request.replace(), demand)
        except Exception as error:  # noqa: BLE001  no failure may become a permission
            kind = kind_of(error)
            self.crawler.stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            logger.warning(
                "robots.txt could not be fetched: %s (%s: %s)", question.url, kind, error
            )
            return RobotsTxtAnswer(failure=kind)
        self.crawler.stats.inc_value("robotstxt/response_count")
        self.crawler.stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        return RobotsTxtAnswer(
            status=response.status, headers=pairs_of(response), body=response.body
        )

    async def _download(self, request: Request, demand: SignatureDemand | None = None) -> Response:
        """Download a robots.txt."""
        for name in SIGNATURE_FIELDS:
            request.headers.pop(name, None)
        self._sign(request, demand)
        self._questions.add(request)
        return await self.crawler.engine.download_async(request)

    def _robot_of(self, request: Request) -> str | None:
        given = self._robot or request.headers.get(b"User-Agent") or self._user_agent
        return None if given is None else as_str(given)

    def _pace(self, request: Request, policy: Policy, verdict: Verdict) -> None:
        """Set the delay of the request's slot to what the site asks for.

        Raises:
            RefusedByRobotsError: The delay is longer than `GOODBOT_PATIENCE`.

        """
        if not self._keeps_pace:
            return
        pace = Pace(policy.rules_for(verdict.robot), manners=AT_ONCE)
        seconds = pace.interval(self._cache.clock())
        if self._patience is not None and seconds > self._patience:
            sentence = (
                f"{request.url} is skipped: {policy.origin} asks for {seconds:g} seconds between "
                f"visits, and GOODBOT_PATIENCE is {self._patience:g}."
            )
            refusal = self._refusal("beyond-patience", sentence, verdict)
            raise refusal
        if self._slots.ask(request, policy.origin, seconds):
            request.meta["autothrottle_dont_adjust_delay"] = True

    def _refusal(self, reason: str, sentence: str, verdict: Verdict) -> RefusedByRobotsError:
        self.skip(reason, sentence)
        self.crawler.stats.inc_value("robotstxt/forbidden")
        return RefusedByRobotsError(reason, sentence, verdict)


class GoodbotLinksMiddleware:
    """A spider middleware that drops requests for links that must not be followed.

    It uses the page that `GoodbotRobotsMiddleware` attaches to each response, and honours
    `nofollow` in META robots and X-Robots-Tag, on a link, and on the elements around it. If the
    whole page is `nofollow`, every request from it is dropped. A request with `dont_obey_robotstxt`
    in its meta always passes.

    Args:
        crawler: The crawler.

    Source: Spidering BOF report, May 1996; docs.scrapy.org, Spider Middleware.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Store the crawler; the other middleware counts what is dropped."""
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "GoodbotLinksMiddleware":
        """Create the middleware; called by Scrapy."""
        return cls(crawler)

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Yield items, and the requests that may be followed."""
        page = response.meta.get(META) if response.request is not None else None
        refused: dict[str, str] | None = None
        async for item in result:
            is_link = isinstance(item, Request) and not item.meta.get("dont_obey_robotstxt")
            if page is not None and is_link:
                if refused is None:
                    refused = not_to_follow(page)
                why = refused.get("") or refused.get(urldefrag(item.url).url)
                if why is not None:
                    self._skip(f"{response.url} says not to follow {item.url}: {why}")
                    continue
            yield item

    def _skip(self, sentence: str) -> None:
        for one in self.crawler.engine.downloader.middleware.middlewares:
            if isinstance(one, GoodbotRobotsMiddleware):
                one.skip("nofollow", sentence)


def not_to_follow(page: LazyPage) -> dict[str, str]:
    """Return the URLs that no link of a page lets follow, each with its source; "" means all."""
    if not page.follow:
        return {"": str(page.follow.source)}
    refused: dict[str, str] = {}
    followed: set[str] = set()
    for link in page.links:
        try:
            url = urldefrag(Request(link.url).url).url  # in Scrapy's spelling
        except ValueError:
            continue
        if link.follow:
            followed.add(url)
        else:
            refused.setdefault(url, str(link.follow.source))
    return {url: why for url, why in refused.items() if url not in followed}


def fields_of(request: Request) -> list[tuple[str, str]]:
    """Return the header fields of a request as pairs of text."""
    return [
        (name.decode("latin-1"), b", ".join(values).decode("latin-1"))
        for name, values in request.headers.items()
    ]


def pairs_of(response: Response) -> tuple[tuple[str, str], ...]:
    """Return the header fields of a response."""
    return tuple(
        (as_str(name), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    )


def is_without_page(status: int) -> bool:
    """Return whether a response says nothing of the page: a redirect, or a failure for now.

    Scrapy's middlewares for redirects and retries take these.
    """
    meaning = status_of(status)
    return meaning.is_redirect or meaning.due == "server-error"


def recorded_of(request: Request, response: Response) -> Recorded:
    """Return a response that has just come, for the folder."""
    now, body = utc_now(), response.body
    address = None if response.ip_address is None else str(response.ip_address)
    return Recorded(
        request.url,
        response.status,
        pairs_of(response),
        body,
        now,
        now,
        address=address,
        wire_bytes=len(body),
        wire=body,
    )


def kind_of(error: BaseException) -> str:
    """Return the kind of failure for an exception."""
    if any("SSL" in type(one).__name__ for one in (error, error.__cause__)):
        return "tls"
    names = [one.__name__ for one in type(error).__mro__]
    return next((KINDS[name] for name in names if name in KINDS), "protocol-error")
