"""The pages on pace, stores and fetching, and on sites that misbehave."""

from collections.abc import Iterator

from goodbot import net, pace, store, testing
from printing.as_markdown import code, table

PACE = """\
# Pace: not before when

When may the next visit be, and what binds? `goodbot.pace` decides it from what the site asks for, from what came of earlier visits, and
from the robot's own manners. It has no clock: you say when it is.

```python
>>> from datetime import datetime, timedelta, timezone
>>> import goodbot
>>> from goodbot.pace import History, Manners, Pace, PastVisit
>>> robots = goodbot.RobotsTxt("User-agent: *\\nRequest-rate: 1/10m 1300-1659\\nCrawl-delay: 20")
>>> pace = Pace(robots.rules_for("ExampleBot"), robots_txt=robots)
>>> noon = datetime(2025, 1, 1, 12, 59, 50, tzinfo=timezone.utc)
>>> history = History().after(PastVisit(noon, noon + timedelta(seconds=1), status=200), Manners())
>>> print(pace.turn(history, now=noon + timedelta(seconds=1)))
Not before 2025-01-01 13:09:51 UTC: robots.txt line 2 asks for at most 1 document in 10 minutes.

```

All that is asked for holds at once, and the reason told is what still forbids the visit right before it may be made. Where the site states no
pace the manners of the robots list hold: twice the time that the last document took, or ten seconds, whichever is slower. Time is counted
from the end of the last visit; robots.txt and redirects are visits too, so that a page waits for the full pace
behind robots.txt. robots.txt itself waits for the robot's own manners, for Retry-After and for back-off, never for what it asks for: a site must be
able to take back a mistake, and a delay longer than the file lives must not keep the robot away for good. What is asked for is never capped in silence: an hour or more between visits is
obeyed and told, and `Manners(patience=)` makes it a reason not to come at all. Nor does a value make the robot faster than its own pace: with
less than a tenth of a second between visits, as in `Crawl-delay: 0`, the site says that it does not mind, and the manners hold.

A `Request-rate` with times is used between them, in place of rates without times, also where it is quicker: "If time is given, then the robot is
to use the given rate (and no faster) if the time is between the times given" (Conner 1996). Conner's rule of the fewest documents is of rates that
do "NOT include the time"; here it also decides between several whose times overlap. A rate whose times cannot be read holds at all times, beside any
other pace, so that it makes no robot faster. A Visit-time that cannot be read closes nothing; the finding `unreadable-visit-time` is a warning to
whoever runs the robot, who can look what is meant.

```python
>>> robots = goodbot.RobotsTxt("User-agent: *\\nRequest-rate: 1/10m\\nRequest-rate: 1/30 0000-0559\\nVisit-time: at night")
>>> pace = Pace(robots.rules_for("ExampleBot"), robots_txt=robots)
>>> [pace.interval(noon.replace(hour=hour)) for hour in (3, 12)], [finding.code for finding in pace.findings]
([30.0, 600.0], ['unreadable-visit-time'])

```

`Retry-After` is obeyed with any status, as seconds or as a date, up to 2^31 seconds: the largest number that HTTP has (RFC 9111 section 1.2.2,
some 68 years). How long the same field puts off the next question for robots.txt is a choice of the policy's dialect, 30 days
([policy.md](../explanation/policy.md)).

## Back-off: whose fault was it?

When a request fails, the failure is the URL's until there is reason to blame the site:

| what happened | whose fault | what follows |
| --- | --- | --- |
| 429, 503, or any answer with a `Retry-After` that can be read | the site's: it asks for fewer requests | the robot backs off at once: for as long as `Retry-After` says, or else for 30 seconds |
| another 5xx, a timeout, a connection that is reset or refused, a name that cannot be resolved, a TLS handshake that fails, an answer that is not HTTP | the URL's; the site's from the third different URL in a row on | one costs nothing beyond the usual pace; the third begins a back-off of 30 seconds |
| a `Content-Encoding` that cannot be decoded, a body that is too large | the URL's: the server did answer | nothing beyond the usual pace |
| any other status, 404 included | nobody's | it ends the row, and takes a back-off one step back |

"In a row" means without a success in between, robots.txt included. A URL that fails again and again counts once; when it succeeds, its failures are forgotten. Once the back-off
has begun, each further failure without a success in between doubles it, up to six hours; each success halves it.

`Manners(back_off_after=3, back_off_first=30.0, back_off_longest=21600.0)` sets the numbers; so do `--back-off-after`, `--back-off` and
`--max-back-off` of `goodbot crawl`. A crawl asks for a URL that failed twice more, after 10 seconds and after 20, and visits the other URLs of
the site meanwhile.

`Manners(hours="22:00-06:00", bytes_per_second=50_000)`, `--hours` and `--bandwidth` say when the robot goes out and how much it takes of one site:
[Run a robot politely on one machine](../how-to/operator.md).

## Reasons
"""

STORES = """\
## Several workers, one site

`goodbot.store` keeps policies, and a budget for each origin: whoever visits takes a lease first, and says when the visit ended and when the
next may be. A holder that crashes loses the lease when its time is over. `MemoryStore` is for one process, `SQLiteStore` keeps the same in a
file for many. Every distinct robots.txt ever seen is kept with its times, so that one can ask later what was in force.

### When the clock is set

Pauses, leases and blocks are counted by the machine's monotonic clock. Setting the time of day forward or back changes none of them, neither within
a process nor between processes that share a `SQLiteStore` or continue a crawl, as long as the machine is not restarted. The store keeps the id of
the machine's start (`boot_id`, on Linux) beside the times. After a restart, and where there is no such id, the time of day is used with care: where
the last visit lies in the future the clock was set back since, and you wait for the pause or the block itself, counted from now, and no longer.

The time of day decides what is stated in it: `Visit-time`, the hours of a `Request-rate`, dates in `Retry-After`, and how long a policy lives. A
store of your own takes part by implementing `goodbot.store.Timekeeper`.

### Why a lease must wait
"""

FETCHES = """\
## What can come of a fetch

`goodbot.net` makes one guarded request: with a deadline for the whole exchange, bounded octets before and after decompression, each redirect
given back, no private address unless it is allowed. It asks for gzip and deflate, and with `pip install 'goodbot[encodings]'` for br and zstd
too. What fails raises `FetchError` with one of these kinds; none is permission.
"""

SITES = """\
# Sites that misbehave

For developers who test a robot. Looking for a kind of misbehaviour? The table lists all of them.

`goodbot.testing` has tools for testing robots without a network and without waiting: `FakeClock`, with which a day of polite pauses takes milliseconds; `FakeSite`, a site in memory; and
`LoopbackSite`, a real server on this machine that answers requests for robots.txt in one of the ways below. A test requests each of them and checks that the result is the one in the
table. `judged` finds the visits in a site's log that the table does not permit; `make bench` does so for goodbot and for other crawlers.
"""


def pace_page() -> Iterator[str]:
    """Yield what binds a visit, and what can come of it."""
    yield from PACE.splitlines()
    yield ""
    yield from table(["reason", "meaning"], [[code(slug), why] for slug, why in pace.reasons()])
    rows = [[code(slug), severity, meaning] for slug, severity, meaning in pace.finding_codes()]
    yield "## Findings"
    yield ""
    yield from table(["code", "severity", "meaning"], rows)
    yield from STORES.splitlines()
    yield ""
    yield from table(["reason", "meaning"], [[code(k), v] for k, v in store.LATER_REASONS.items()])
    yield from FETCHES.splitlines()
    yield ""
    rows = [[code(kind), what, cure] for kind, (what, cure) in net.FAILURES.items()]
    yield from table(["kind", "what failed", "what can be done"], rows)


def sites_page() -> Iterator[str]:
    """Yield the ways to answer that a robot must bear."""
    yield from SITES.splitlines()
    yield ""
    yield from testing.behaviours_table().splitlines()
