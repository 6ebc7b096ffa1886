"""Accounts that are carried in memory: a crash lets nobody visit earlier, whatever was written."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone

import pytest

from goodbot.http.instants import SECOND, instant
from goodbot.pace import History, Manners, PastVisit
from goodbot.store.account import NEVER, Account, LeaseRequest, Release, granted, released, to_time
from goodbot.store.protocols import Later, Lease
from tests.support.examples import share_of, thorough

pytest.importorskip("psycopg", reason="needs the extra postgres")

SITE = "https://a.example"
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
ROUNDS = share_of(2_000)
COVER = 60 * SECOND


def request(now: int, pause: float, *, for_robots_txt: bool = False) -> LeaseRequest:
    """Request a lease."""
    return LeaseRequest.of(SITE, to_time(now), 120, "one", pause, for_robots_txt)


@thorough
def test_a_crash_lets_nobody_visit_earlier() -> None:
    """At any moment of any sequence of visits: neither pages nor robots.txt, in whatever state."""
    from goodbot.store.carried_accounts import abandoned_by, is_covered  # noqa: PLC0415  an extra

    chance = random.Random(20261129)  # noqa: S311  no secret
    written_later = 0
    for _ in range(ROUNDS):
        now = instant(START, "start")
        account = written = Account()
        cover, manners = COVER, Manners()
        for _ in range(chance.randrange(1, 12)):
            pause = chance.choice((0.0, 0.5, 10.0, 59.0, 61.0, 3_600.0))
            now = max(now, account.due, account.block)
            if pause * SECOND > cover:
                cover, written = round(pause * SECOND * 1.25), account
            changed, lease = granted(account, request(now, pause))
            assert changed is not None
            assert isinstance(lease, Lease)
            account, begun = changed, now
            now += chance.randrange(1, 30 * SECOND)
            answer = chance.choice((200, 200, 200, 503, 429, None))
            late = chance.choice((None, None, None, "120", "9000"))
            ended = to_time(now)
            visit = PastVisit(to_time(begun), ended, answer, late, f"{SITE}/{now}")
            history = lease.history.after(visit, manners)
            due = to_time(max(now + round(pause * SECOND), history.block or 0))
            account, _ = released(account, lease, Release.of(ended, due, "pace", history))
            if is_covered(written, account, now, cover):
                written_later += 1
            else:
                written = account
            # The lease of the group ends after the last visit; the next one is by another machine.
            gone = abandoned_by(written, now + chance.randrange(120 * SECOND), cover)
            assert gone.number > account.number
            for for_robots_txt in (False, True):
                for then in (now, account.due - 1, now + chance.randrange(4_000 * SECOND)):
                    asked = request(max(then, now), pause, for_robots_txt=for_robots_txt)
                    _, alive = granted(account, asked)
                    _, inherited = granted(gone, asked)
                    assert isinstance(inherited, Later) or isinstance(alive, Lease)
            assert gone.history.failures == account.history.failures
            assert gone.history.block == account.history.block
            assert max(gone.due, gone.block) < NEVER
    assert written_later > ROUNDS // 2, "most visits need not be written"


def test_a_carrier_that_vanishes_may_have_visited_until_its_end() -> None:
    """As often as a rate allows: so all documents of a rate count as fetched then."""
    from goodbot.store.carried_accounts import abandoned_by  # noqa: PLC0415  an extra

    ended = instant(START, "start") + 100 * SECOND
    account = Account()._replace(history=History.of(last_ended=START, starts=[START]))
    gone = abandoned_by(account, ended, COVER)
    assert (gone.history.end, set(gone.history.starts)) == (ended, {ended})
    assert (gone.due, gone.block, gone.blocked_by) == (ended + COVER, ended + COVER, "lost")
    held = account._replace(held=1, due=ended + 3_600 * SECOND, expires=ended + 3_590 * SECOND)
    assert abandoned_by(held, ended, COVER).due == ended + COVER, "its visit has ended with it"
    never = account._replace(due=NEVER, reason="beyond-patience")
    assert abandoned_by(never, ended, COVER).due == NEVER
    later = account._replace(block=ended + timedelta(days=1) // timedelta(microseconds=1))
    assert abandoned_by(later, ended, COVER).block == later.block


def test_others_see_a_carried_account_as_leased() -> None:
    """Neither a request nor a late release changes more than its block."""
    from goodbot.store.carried_accounts import in_hands, with_block  # noqa: PLC0415  an extra

    now = instant(START, "start")
    own, lease = granted(Account(), request(now, 5.0))
    assert own is not None
    assert isinstance(lease, Lease)
    seen = in_hands(own)
    changed, answer = granted(seen, request(now + 10**12, 5.0))
    assert changed is None
    assert isinstance(answer, Later)
    assert (answer.reason, answer.holder) == ("leased", "a worker of a fleet")
    late = Release.of(to_time(now + SECOND), to_time(now + 9 * SECOND), "pace", History())
    blocked, is_valid = released(seen, lease, late)
    assert not is_valid
    assert with_block(own, blocked) == own._replace(block=now + 9 * SECOND, blocked_by="pace")
    assert with_block(own, seen) is own
