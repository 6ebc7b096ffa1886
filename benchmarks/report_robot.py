"""The part of the report on the robot: `may_fetch`, its store, its fetches, its manners."""

from collections.abc import Sequence
from dataclasses import dataclass

import manners
import net
import robot
import store
from crawlers import CLIENTS
from drawing import Target, at_least, at_most, table
from manners import Stay
from net import Net
from robot import Asked

STORE_MEANING = """\
`goodbot.store.SQLiteStore`, in a folder that is removed afterwards, asked from a new process while
the system has the file in its cache. One origin in ten has a robots.txt of its own. Times of single
calls are medians by the wall clock."""

NET_MEANING = """\
One process fetches, another serves, on another CPU where there is one; the ways take turns. The
rate is by the wall clock, the median over the rounds; the share of aiohttp's is by the wall clock
or by CPU time, whichever is lower. Every page was compared with what the server sent. `Robot.visit`
also asks the policy, takes and gives back a turn in the store and writes the history; its row is
another job, shown to say what that costs."""

MANNERS_MEANING = """\
Each row is a [site](../docs/reference/sites.md), on loopback; each client crawls it in a
process of its own, in real time. `bad`: a page was fetched that was forbidden, or while robots.txt
was unreachable or not yet asked for. `early`: a request came before Retry-After or Crawl-delay let
it (a tenth less is let pass). `open`: a page was fetched where the documents leave the choice, and
goodbot chooses not to; no fault. `read`: how many of the pages that might be read were asked for;
to read fewer is no fault either, but a client that asks for nothing is no crawler. What a client
raised, or that it was stopped, stands behind. The judge is `goodbot.testing.judged`, which
goodbot's tests use."""

MANNERS_BIAS = """\
- goodbot's authors chose the sites. Pages that follow a refused URL, sessions, speed or what a
  crawler gets done beside manners are not looked at.
- `changes` cannot be seen in so short a time: RFC 9309 lets a copy live for a day, goodbot lets it
  live 5 minutes at least. Here the row is as `polite`.
- RFC 6585 does not say whether Retry-After is for one page or for the site. It is taken for the
  site, and for robots.txt itself: retries count as early.
- `self-signed`: Scrapy does not verify certificates by default, reads the rules and keeps to them;
  the table takes such a site as unreachable.
- `plain-text-for-tls` logs no visits: nobody can ask for a page there.
- Scrapy has no setting that reads Crawl-delay; who sets DOWNLOAD_DELAY to a site's own keeps it,
  all but the chance that Scrapy adds (half to one and a half times).
- "at once" shows one defect of Scrapy 2.19: of the requests that wait while robots.txt is under
  way all but one are sent without its rules. The other columns of Scrapy begin with one URL and do
  not meet it.
- urllib does no more than its few lines do: where `read` raises, the script ends, which is safe.
"""


@dataclass(frozen=True)
class RobotResults:
    """All results on the robot's layers."""

    asked: Asked
    store: store.Figures
    net: Net
    stays: Sequence[Stay]


def targets(results: RobotResults) -> list[Target]:
    """Return every target, with the measured value."""
    asked, kept, fetched = results.asked, results.store, results.net
    share = fetched.share(fetched.fetcher) * 100
    faults = sum(sum(manners.sums(results.stays, one)[:2]) for one in CLIENTS[:1])
    opened, look_up = store.OPEN_TARGET, store.LOOK_UP_TARGET
    of = f"store of {kept.origins:,} origins"
    return [
        at_most("may_fetch, fresh policy", asked.each * 1e6, robot.TARGET * 1e6, " us"),
        at_most(f"{of}, open", kept.open * 1e3, opened * 1e3, " ms"),
        at_most(f"{of}, look-up", kept.look_up * 1e6, look_up * 1e6, " us"),
        at_least("AiohttpFetcher, share of bare aiohttp's rate", share, net.TARGET * 100, " %"),
        at_most("bad and early fetches on hostile sites", faults, 0, ""),
    ]


def wrong(results: RobotResults) -> list[str]:
    """Return every unexpected answer, as a sentence."""
    found = [f"may_fetch: {one}" for one in results.asked.wrong]
    found += [] if results.store.right else ["store: a look-up did not give what was put"]
    found += [f"net: {one}" for one in results.net.wrong]
    return found + [f"hostile site: {one}" for one in manners.wrong(results.stays)]


def sections(results: RobotResults) -> list[str]:
    """Return every section, each after its heading."""
    return [
        "## May it be fetched, asked of a robot\n",
        asked_section(results.asked),
        "## A store of many origins\n",
        store_section(results.store),
        "## Fetching\n",
        net_section(results.net),
        "## On a hostile site\n",
        manners_section(results.stays),
    ]


def asked_section(asked: Asked) -> str:
    """Return what a call of `may_fetch` costs."""
    return (
        f"`await Robot.may_fetch(url)`: {asked.each * 1e6:.2f} us, of which the loop and an `await`"
        f" take {asked.nothing_each * 1e6:.2f} us. {asked.questions:,} questions at"
        f" {asked.origins:,} origins whose policies are fresh, a file of the corpus each; no URL"
        f" twice in a round; CPU time, the median of {len(asked.times)} rounds."
        f" {len(asked.wrong)} answers are not those of `Rules.allows`.\n"
    )


def store_section(kept: store.Figures) -> str:
    """Return the table of the store."""
    rows = [
        ("open, to the first answer", f"{kept.open * 1e3:.1f} ms"),
        ("look-up, median", f"{kept.look_up * 1e6:.1f} us"),
        ("look-up, 99th percentile", f"{kept.look_up_worst * 1e6:.1f} us"),
        ("look-up of an unknown origin", f"{kept.unknown * 1e6:.1f} us"),
        ("put again", f"{kept.put * 1e6:.1f} us"),
        ("acquire and release", f"{kept.visit * 1e6:.1f} us"),
        ("acquire and release, durable", f"{kept.visit_durable * 1e6:.1f} us"),
        ("bytes for an origin", f"{kept.bytes_each:.0f}"),
        ("the file", f"{kept.bytes_each * kept.origins / 1e6:.0f} MB"),
        ("filling it, in batches", f"{kept.fill:.1f} s"),
    ]
    head = (f"{kept.origins:,} origins", "")
    answers = "Every look-up gave what was put." if kept.right else "LOOK-UPS WERE WRONG."
    return f"{table(head, rows)}\n{STORE_MEANING} {answers}\n"


def net_section(fetched: Net) -> str:
    """Return the table of fetches."""
    rows = [
        (
            row.name,
            row.job,
            f"{fetched.rate(row):,.0f}",
            f"{fetched.cpu(row) * 1e6:.0f} us",
            f"{fetched.share(row):.2f}",
        )
        for row in fetched.rows
    ]
    head = ("client", "job", "pages/s", "CPU time of a page", "of aiohttp's rate")
    size = f"{fetched.pages:,} pages of 1.5 KB, {fetched.tasks} tasks and connections.\n"
    return f"{size}\n{table(head, rows)}\n{NET_MEANING}\n"


def manners_section(stays: Sequence[Stay]) -> str:
    """Return the table of manners, with the configuration of each client."""
    settings = "".join(
        f"- {one.name}: {one.settings}.\n" if one.version else f"- {one.name}: not installed.\n"
        for one in CLIENTS
    )
    return f"{manners.drawn(stays)}\n{MANNERS_MEANING}\n\n{settings}\n{MANNERS_BIAS}"
