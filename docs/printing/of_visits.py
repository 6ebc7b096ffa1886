"""The pages on pace, stores and fetching, and on sites that misbehave."""

from collections.abc import Iterator

from goodbot import net, pace, store, testing
from printing.as_markdown import code, table

PACE = """\
# Pace: when the next visit may be made

For developers who write their own fetching loop. `goodbot.pace` decides when the next visit to a site may be made, and which constraint requires
that. It considers what the site asks for, the results of earlier visits, and the robot's own manners. It has no clock: you pass the time.

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

Everything that the site asks for applies at the same time. The reported reason is the constraint that ends last.

- **If the site states no pace**, the manners of the robots mailing list apply: twice the time that the last document took, or 10 seconds, whichever is longer.
- **Time is counted from the end of the last visit.** robots.txt and redirects are visits too, so a page waits for the full pace after robots.txt.
- **robots.txt itself** waits for the robot's own manners, for Retry-After and for back-off, but never for the pace that it states. A site must be able to
  correct a mistake, and a delay that is longer than the file's lifetime must not keep the robot away for good.
- **A long pace is never shortened.** A pace of 1 hour or more between visits is obeyed and reported. `Manners(patience=)` sets the longest wait; if the site asks
  for more, the robot does not visit at all.
- **A short pace does not make the robot faster than its own pace.** Less than 0.1 seconds between visits, as in `Crawl-delay: 0`, means that the site does
  not mind, and the manners apply.

A `Request-rate` with times replaces the rates without times during those times, even if it is quicker: "If time is given, then the robot is
to use the given rate (and no faster) if the time is between the times given" (Conner 1996). His rule that the rate with the fewest documents applies
is about rates that do "NOT include the time"; goodbot also uses it for several rates whose times overlap. If the times of a rate cannot be read, the rate
applies at all times, together with any other pace, so that it never makes a robot faster. A Visit-time that cannot be read closes nothing; the finding
`unreadable-visit-time` warns the robot's operator, who can find out what was meant.

```python
>>> robots = goodbot.RobotsTxt("User-agent: *\\nRequest-rate: 1/10m\\nRequest-rate: 1/30 0000-0559\\nVisit-time: at night")
>>> pace = Pace(robots.rules_for("ExampleBot"), robots_txt=robots)
>>> [pace.interval(noon.replace(hour=hour)) for hour in (3, 12)], [finding.code for finding in pace.findings]
([30.0, 600.0], ['unreadable-visit-time'])

```

`Retry-After` is obeyed with any status, as seconds or as a date, up to 2^31 seconds: the largest number that HTTP has (RFC 9111 section 1.2.2,
some 68 years). The same field also defers the next request for robots.txt, by at most 30 days; that limit is a choice of the policy's dialect
([policy.md](../explanation/policy.md)).

## Back-off: whose fault was it?

A failed request counts against the URL until there is reason to blame the site:

| what happened | whose fault | what follows |
| --- | --- | --- |
| 429, 503, or any answer with a `Retry-After` that can be read | the site's: it asks for fewer requests | the robot backs off at once, for as long as `Retry-After` says, or otherwise for 30 seconds |
| another 5xx, a timeout, a connection that is reset or refused, a name that cannot be resolved, a TLS handshake that fails, an answer that is not HTTP | the URL's; from the third different URL in a row, the site's | one failure changes nothing about the pace; the third starts a back-off of 30 seconds |
| a `Content-Encoding` that cannot be decoded, a body that is too large | the URL's: the server did respond | the usual pace continues |
| any other status, including 404 | no one's | the row of failures ends, and a back-off is halved |

"In a row" means without a success in between, robots.txt included. A URL that fails repeatedly counts once; when it succeeds, its failures are forgotten. Once the back-off
has started, each further failure without a success in between doubles it, up to 6 hours; each success halves it.

`Manners(back_off_after=3, back_off_first=30.0, back_off_longest=21600.0)` sets the numbers; so do `--back-off-after`, `--back-off` and
`--max-back-off` of `goodbot crawl`. A crawl requests a failed URL twice more (`--retries`), after 10 and after 20 seconds, and visits other URLs of the site
in the meantime. A document that cannot be decoded is not requested again in the same run.

`Manners(hours="22:00-06:00", bytes_per_second=50_000)`, `--hours` and `--bandwidth` set the hours in which the robot visits and how much it downloads from one site:
see [Run a robot politely on one machine](../how-to/operator.md).

## Reasons
"""

STORES = """\
## Several workers, one site

`goodbot.store` keeps policies, and a budget for each origin. A worker acquires a lease before it visits. Afterwards it releases the lease and states when
the visit ended and when the next one may be made. If a worker crashes, its lease expires. `MemoryStore` serves one process; `SQLiteStore` keeps
the same data in a file for many processes. Every distinct robots.txt ever seen is kept with its times, so you can look up later which one was in force.

### When the clock is set

Pauses, leases and blocks are counted by the machine's monotonic clock. If the time of day is set forward or back, none of them changes, neither within
a process nor between processes that share a `SQLiteStore` or continue a crawl, as long as the machine is not restarted. The store keeps the id of
the machine's start (`boot_id`, on Linux) with the times. After a restart, or if there is no such id, the time of day is used with care: a last visit in
the future means that the clock was set back, and the robot then waits for the pause or the block itself, counted from now, and no longer.

The time of day decides whatever is stated in it: `Visit-time`, the hours of a `Request-rate`, dates in `Retry-After`, and how long a policy is fresh. A
store of your own takes part if it implements `goodbot.store.Timekeeper`.

### Why a lease must wait
"""

FETCHES = """\
## What can come of a fetch

`goodbot.net` makes one guarded request. The whole exchange has a deadline, the bytes before and after decompression are limited, each redirect
is returned to the caller, and private addresses are refused unless you allow them. It requests gzip and deflate, and with `pip install 'goodbot[encodings]'` br and
zstd as well. A failure raises `FetchError` with one of these kinds. None of them is permission to visit.
"""

SITES = """\
# Sites that misbehave

For developers who test a robot. Looking for a kind of misbehaviour? The table lists all of them.

`goodbot.testing` has tools for testing robots without a network and without waiting: `FakeClock`, with which a day of polite pauses takes milliseconds; `FakeSite`, a site in memory; and
`LoopbackSite`, a real server on this machine that answers requests for robots.txt in one of the ways below. A test requests each of them and checks that the result is the one in the
table. `judged` finds the visits in a site's log that the table does not permit; `make bench` does so for goodbot and for other crawlers.
"""


def pace_page() -> Iterator[str]:
    """Yield the page on when a visit may be made, and on its possible results."""
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
    """Yield the page on the kinds of misbehaviour that a robot must withstand."""
    yield from SITES.splitlines()
    yield ""
    yield from testing.behaviours_table().splitlines()
