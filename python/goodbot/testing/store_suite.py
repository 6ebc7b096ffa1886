"""Tests for every store of policies and budgets, wherever it keeps them.

Scope: tests of `PolicyStore`, `Budget` and `Timekeeper` that use only their methods. They need
pytest and hypothesis (`pip install pytest hypothesis`).
"""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import json
from typing import Any, Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import goodbot
from goodbot.pace import History, Manners, PastVisit
from goodbot.policy import Hold
from goodbot.store import (
    LATER_REASONS,
    Budget,
    HoldKeeper,
    Later,
    Lease,
    PolicyStore,
    Record,
    Timekeeper,
)

UTC = dt.timezone.utc
START = dt.datetime(2025, 1, 1, tzinfo=UTC)
SITE = "https://example.com"
RULES: dict[str, Any] = {
    "access": "rules",
    "copy": {"body": b"User-agent: *\nDisallow: /a\n"},
    "status": 200,
}
OTHER: dict[str, Any] = {
    "access": "rules",
    "copy": {"body": b"User-agent: *\nDisallow: /b\n"},
    "status": 200,
}
NONE: dict[str, Any] = {"access": "allow-all", "copy": None, "status": 404}

QUICK = settings(max_examples=min(60, settings().max_examples), deadline=None)
"""As many examples as your profile of Hypothesis has, but no more than a slow store can try."""

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.binary(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=8).filter(lambda key: key[:1] != "\0"), inner, max_size=4
        )
    ),
    max_leaves=20,
)
RECORDS = st.dictionaries(st.text(st.characters(min_codepoint=1), max_size=8), PLAIN, max_size=5)


def at(seconds: float) -> dt.datetime:
    """Return a time some seconds after the start."""
    return START + dt.timedelta(seconds=seconds)


NUMBERS = itertools.count()


def new_origin() -> str:
    """Return an origin that no earlier example has used."""
    return f"https://{next(NUMBERS)}.example"


class BothProtocols(PolicyStore, Budget, Protocol):
    """Both protocols, for the checker."""


class StoreSuite:
    """Tests for a store: derive from it, and define the pytest fixture `store`: a new, empty one.

    For example::

        class TestMyStore(StoreSuite):
            @pytest.fixture
            def store(self, tmp_path):
                with MyStore(tmp_path / "store") as store:
                    yield store

    On a server, make a schema or a database of its own for each test, and drop it afterwards.
    """

    # Policies.

    def test_it_has_both_faces(self, store: BothProtocols) -> None:
        """A store keeps policies and budgets."""
        assert isinstance(store, PolicyStore)
        assert isinstance(store, Budget)

    def test_what_is_put_is_got(self, store: BothProtocols) -> None:
        """A record comes back as it was put; nothing is there before."""
        assert store.get(SITE) is None
        assert store.history(SITE) == []
        assert store.in_force(SITE, START) is None
        store.put(SITE, RULES, START)
        assert store.get(SITE) == RULES
        assert store.get("https://other.example") is None

    def test_any_plain_values_are_kept(self, store: BothProtocols) -> None:
        """Numbers, strings, bytes, lists and dictionaries keep value and type."""

        @QUICK
        @given(RECORDS)
        def check(record: Record) -> None:
            origin = new_origin()
            store.put(origin, record, START)
            assert repr(store.get(origin)) == repr(dict(record))

        check()

    def test_a_record_is_a_copy(self, store: BothProtocols) -> None:
        """What the caller changes later is not what was kept."""
        record: dict[str, Any] = {"access": "rules", "hops": ["a"]}
        store.put(SITE, record, START)
        record["hops"].append("b")
        got = store.get(SITE)
        assert got == {"access": "rules", "hops": ["a"]}
        got["hops"].append("c")
        assert store.get(SITE) == {"access": "rules", "hops": ["a"]}

    @pytest.mark.parametrize(
        "url",
        ["https://EXAMPLE.com", "https://example.com:443/robots.txt", "https://example.com/a"],
    )
    def test_any_url_of_an_origin_is_that_origin(self, store: BothProtocols, url: str) -> None:
        """Two spellings of an origin are one, for policies and for budgets."""
        store.put(url, RULES, START)
        assert store.get(SITE) == RULES
        assert store.acquire(url, START, 60, "a")
        assert not store.acquire(SITE, START, 60, "b")
        assert store.get("http://example.com") is None
        assert store.acquire("http://example.com", START, 60, "b")

    def test_the_same_file_again_is_seen_for_longer(self, store: BothProtocols) -> None:
        """The same bytes and access make no new entry; the newer values are kept."""
        store.put(SITE, RULES, at(0))
        store.put(SITE, RULES | {"status": 304}, at(100))
        (seen,) = store.history(SITE)
        assert (seen.first, seen.last) == (at(0), at(100))
        assert seen.record["status"] == 304
        assert seen.sha256 == hashlib.sha256(RULES["copy"]["body"]).hexdigest()

    def test_every_file_ever_seen_is_kept(self, store: BothProtocols) -> None:
        """A file that changes, goes away and comes back has an entry each time."""
        puts = [RULES, OTHER, NONE, NONE | {"access": "disallow-all"}, RULES]
        for number, record in enumerate(puts):
            store.put(SITE, record, at(number * 100))
        history = store.history(SITE)
        assert [seen.record for seen in history] == puts
        assert [seen.first for seen in history] == [at(number * 100) for number in range(5)]
        assert history[2].sha256 is None
        assert history[0].sha256 == history[4].sha256

    def test_what_was_in_force_at_a_time_can_be_asked_later(self, store: BothProtocols) -> None:
        """The answer is the last one seen until then, in microseconds."""
        store.put(SITE, RULES, at(0))
        store.put(SITE, RULES, at(50))
        store.put(SITE, OTHER, at(100))
        micro = dt.timedelta(microseconds=1)
        for asked, record in (
            (at(0) - micro, None),
            (at(0), RULES),
            (at(75), RULES),
            (at(100) - micro, RULES),
            (at(100), OTHER),
            (at(10**6), OTHER),
        ):
            seen = store.in_force(SITE, asked)
            assert (seen and seen.record) == record

    def test_history_is_that_of_a_plain_list(self, store: BothProtocols) -> None:
        """Entry for entry the same as a list that is gone through from the beginning."""

        @QUICK
        @given(st.lists(st.tuples(st.integers(-2, 50), st.sampled_from([RULES, OTHER, NONE]))))
        def check(puts: list[tuple[int, Record]]) -> None:
            origin = new_origin()
            plain: list[tuple[dt.datetime, dt.datetime, Record]] = []
            clock = at(0)
            for gap, record in puts:
                clock += dt.timedelta(seconds=gap)
                store.put(origin, record, clock)
                if plain and plain[-1][2] == record:
                    plain[-1] = (plain[-1][0], max(plain[-1][1], clock), record)
                else:
                    after = plain[-1][1] + dt.timedelta(microseconds=1) if plain else clock
                    plain.append((max(clock, after), max(clock, after), record))
            assert [(seen.first, seen.last, seen.record) for seen in store.history(origin)] == plain
            for first, last, record in plain:
                for asked in (first, last):
                    seen = store.in_force(origin, asked)
                    assert seen is not None
                    assert seen.record == record

        check()

    def test_many_are_kept_or_none(self, store: BothProtocols) -> None:
        """If one record is invalid, none of them is stored."""
        good = [(f"https://{number}.example", RULES) for number in range(5)]
        with pytest.raises(goodbot.WrongTypeError):
            store.put_many([*good, (SITE, {"access": object()})], START)
        assert all(store.get(origin) is None for origin, _ in good)
        store.put_many(good, START)
        assert all(store.get(origin) == RULES for origin, _ in good)

    @pytest.mark.parametrize(
        ("record", "error", "advice"),
        [
            ([], goodbot.WrongTypeError, "as_record"),
            ({"a": {1}}, goodbot.WrongTypeError, "as_record"),
            ({"a": {1: 2}}, goodbot.WrongTypeError, "as_record"),
            ({"a": START}, goodbot.WrongTypeError, "as_record"),
            ({"a": float("nan")}, goodbot.WrongValueError, "as_record"),
            ({"a": {"\0octets": 0}}, goodbot.WrongValueError, "NUL"),
            (json.loads('{"a":' * 100 + "1" + "}" * 100), goodbot.WrongValueError, "deeper"),
        ],
    )
    def test_what_is_no_record_is_refused(
        self,
        store: BothProtocols,
        record: Any,  # noqa: ANN401  what is no record
        error: type[Exception],
        advice: str,
    ) -> None:
        """A record that could not be read back unchanged is not stored."""
        with pytest.raises(error, match=advice):
            store.put(SITE, record, START)
        assert store.get(SITE) is None

    def test_misuse_raises_with_advice(self, store: BothProtocols) -> None:
        """A naive time, a URL without an origin, numbers out of range."""
        naive = START.replace(tzinfo=None)
        lease = store.acquire(SITE, START, 60, "a")
        assert isinstance(lease, Lease)
        with pytest.raises(goodbot.WrongValueError, match=r"timezone\.utc"):
            store.put(SITE, RULES, naive)
        with pytest.raises(goodbot.WrongValueError, match=r"timezone\.utc"):
            store.acquire(SITE, naive, 60, "a")
        with pytest.raises(goodbot.WrongValueError, match=r"timezone\.utc"):
            store.block(SITE, naive)
        with pytest.raises(goodbot.WrongValueError, match=r"timezone\.utc"):
            store.release(lease, ended=START, not_before=naive)
        with pytest.raises(goodbot.WrongValueError, match=r"timezone\.utc"):
            store.release(lease, ended=naive, not_before=START)
        with pytest.raises(goodbot.WrongValueError, match=r"timezone\.utc"):
            store.put_many([(SITE, RULES)], naive)
        with pytest.raises(goodbot.WrongValueError, match=r"timezone\.utc"):
            store.in_force(SITE, naive)
        assert store.get(SITE) is None
        assert store.release(lease, ended=START, not_before=START), "the lease was kept"
        with pytest.raises(goodbot.NoOriginError):
            store.get("/robots.txt")
        with pytest.raises(goodbot.WrongValueError, match="0 or more"):
            store.acquire(SITE, START, -1, "a")
        with pytest.raises(goodbot.WrongTypeError, match="a name"):
            store.acquire(SITE, START, 60, 7)  # type: ignore[arg-type]
        with pytest.raises(goodbot.WrongTypeError, match="History"):
            store.release(lease, ended=START, not_before=START, history={})  # type: ignore[arg-type]

    # Budgets.

    def test_one_visit_at_a_time(self, store: BothProtocols) -> None:
        """While one has the lease, others get the earliest time at which it could be theirs."""
        lease = store.acquire(SITE, at(0), 60, "one", pause=30)
        assert isinstance(lease, Lease)
        assert (lease.granted, lease.expires, lease.holder) == (at(0), at(60), "one")
        for now in (0, 10, 59.999):
            later = store.acquire(SITE, at(now), 60, "two")
            assert isinstance(later, Later)
            assert not later
            assert (later.reason, later.holder) == ("leased", "one")
            assert at(now) < later.not_before <= at(90)
        assert store.acquire("https://other.example", at(0), 60, "two")

    def test_the_next_visit_is_not_before_it_is_due(self, store: BothProtocols) -> None:
        """What was given back with the lease holds, to the microsecond, with its reason."""
        lease = store.acquire(SITE, at(0), 60, "one")
        assert isinstance(lease, Lease)
        assert store.release(lease, ended=at(2), not_before=at(32), reason="crawl-delay")
        micro = dt.timedelta(microseconds=1)
        for now in (at(0), at(2), at(32) - micro):
            later = store.acquire(SITE, now, 60, "two")
            assert later == Later(at(32), "crawl-delay")
        again = store.acquire(SITE, at(32), 60, "two")
        assert isinstance(again, Lease)
        assert again.number > lease.number

    def test_robots_txt_is_asked_for_ahead_of_the_pace(self, store: BothProtocols) -> None:
        """Neither ahead of a visit that is under way, nor of a block; and its history is kept."""
        lease = store.acquire(SITE, at(0), 60, "one")
        assert isinstance(lease, Lease)
        under_way = store.acquire(SITE, at(1), 60, "two", for_robots_txt=True)
        assert isinstance(under_way, Later)
        assert under_way.reason == "leased"
        first = History.of(last_ended=at(2), starts=[at(0)])
        store.release(lease, ended=at(2), not_before=at(600), reason="crawl-delay", history=first)
        assert not store.acquire(SITE, at(10), 60, "two")
        again = store.acquire(SITE, at(10), 60, "two", for_robots_txt=True)
        assert isinstance(again, Lease)
        assert again.history == first
        assert not store.acquire(SITE, at(10), 60, "three", for_robots_txt=True), "two at once"
        store.release(again, ended=at(11), not_before=at(611), reason="crawl-delay")
        store.block(SITE, at(100), "retry-after")
        later = store.acquire(SITE, at(99), 60, "two", for_robots_txt=True)
        assert later == Later(at(100), "retry-after")
        assert store.acquire(SITE, at(100), 60, "two", for_robots_txt=True)

    def test_an_end_is_never_undercut(self, store: BothProtocols) -> None:
        """The next visit is not before this one has ended, whatever is asked for."""
        lease = store.acquire(SITE, at(0), 60, "one")
        assert isinstance(lease, Lease)
        store.release(lease, ended=at(5), not_before=at(1))
        assert store.acquire(SITE, at(4), 60, "two") == Later(at(5), "released")
        assert store.acquire(SITE, at(5), 60, "two")

    def test_never_is_never(self, store: BothProtocols) -> None:
        """A turn that never comes (`Turn.not_before` is `None`) is kept."""
        lease = store.acquire(SITE, at(0), 60, "one")
        assert isinstance(lease, Lease)
        store.release(lease, ended=at(5), not_before=None, reason="beyond-patience")
        later = store.acquire(SITE, at(10**9), 60, "two")
        assert isinstance(later, Later)
        assert (later.not_before.year, later.reason) == (9999, "beyond-patience")

    def test_a_holder_that_vanishes_is_waited_for(self, store: BothProtocols) -> None:
        """Its visit counts until the lease expires, and the pause follows."""
        assert store.acquire(SITE, at(0), 60, "one", pause=30)
        assert store.acquire(SITE, at(60), 60, "two") == Later(at(90), "lost")
        lease = store.acquire(SITE, at(90), 60, "two")
        assert isinstance(lease, Lease)
        assert lease.history == History.of(last_ended=at(60), starts=[at(0)])
        assert store.visits(SITE) == History.of(last_ended=at(150), starts=[at(0), at(90)])

    def test_who_comes_too_late_can_only_make_others_wait(self, store: BothProtocols) -> None:
        """A lease that is another's stays so; what the late visit brought holds all the same."""
        late = store.acquire(SITE, at(0), 10, "one", pause=0)
        assert isinstance(late, Lease)
        mine = store.acquire(SITE, at(10), 10, "two", pause=0)
        assert isinstance(mine, Lease)
        assert not store.release(late, ended=at(12), not_before=at(500), reason="retry-after")
        later = store.acquire(SITE, at(13), 10, "three")
        assert isinstance(later, Later)
        assert later.reason == "leased"
        assert store.release(mine, ended=at(14), not_before=at(20), reason="crawl-delay")
        assert store.acquire(SITE, at(20), 10, "three") == Later(at(500), "retry-after")
        assert not store.release(mine, ended=at(14), not_before=at(20))

    def test_late_but_nobody_else_came(self, store: BothProtocols) -> None:
        """A lease that has expired is still good if nobody has another."""
        lease = store.acquire(SITE, at(0), 10, "one", pause=100)
        assert isinstance(lease, Lease)
        assert store.release(lease, ended=at(40), not_before=at(50), reason="manners")
        assert store.acquire(SITE, at(49), 10, "two") == Later(at(50), "manners")

    def test_a_block_holds_whatever_is_given_back(self, store: BothProtocols) -> None:
        """The longer of two blocks stays, and a release does not lift it."""
        lease = store.acquire(SITE, at(0), 10, "one")
        assert isinstance(lease, Lease)
        store.block(SITE, at(300), "retry-after")
        store.block(SITE, at(200), "back-off")
        assert store.release(lease, ended=at(1), not_before=at(11))
        assert store.acquire(SITE, at(299), 10, "two") == Later(at(300), "retry-after")
        assert store.acquire(SITE, at(300), 10, "two")
        store.block("https://new.example", at(50))
        assert store.acquire("https://new.example", at(0), 1, "a") == Later(at(50), "blocked")
        stored = {"leased", "lost", "blocked", "released"}
        assert set(LATER_REASONS) == stored | {"server-group"}

    def test_a_server_group_has_an_account_of_its_own(self, store: BothProtocols) -> None:
        """Its key is no origin, and is taken as it is."""
        group = "group:*.example.com"
        lease = store.acquire(group, at(0), 10, "one")
        assert isinstance(lease, Lease)
        assert lease.origin == group
        assert store.acquire("https://example.com", at(0), 10, "two")
        assert store.acquire("group:192.0.2.0/24", at(0), 10, "two")
        assert not store.acquire(group, at(1), 10, "two")
        assert store.release(lease, ended=at(2), not_before=at(12), reason="server-group")
        assert store.acquire(group, at(3), 10, "two") == Later(at(12), "server-group")
        assert store.visits(group) == History()

    def test_the_history_goes_from_holder_to_holder(self, store: BothProtocols) -> None:
        """The holder of the lease gets the history that the pace needs."""
        lease = store.acquire(SITE, at(0), 60, "one")
        assert isinstance(lease, Lease)
        assert lease.history == store.visits("https://new.example") == History()
        history = lease.history.after(PastVisit(at(0), at(3), 503, "60"), Manners())
        assert store.release(lease, ended=at(3), not_before=at(63), history=history)
        assert store.visits(SITE) == history
        again = store.acquire(SITE, at(63), 60, "two")
        assert isinstance(again, Lease)
        assert again.history == history
        assert store.release(again, ended=at(63), not_before=at(70), reason="given back")
        assert store.visits(SITE) == history

    def test_who_comes_too_late_leaves_the_history(self, store: BothProtocols) -> None:
        """The history that a late release brings is not kept: it is that of the other holder."""
        late = store.acquire(SITE, at(0), 10, "one", pause=0)
        assert isinstance(late, Lease)
        mine = store.acquire(SITE, at(10), 10, "two", pause=0)
        assert isinstance(mine, Lease)
        before = store.visits(SITE)
        brought = History.of(last_ended=at(12), starts=[at(0)], failures=3)
        assert not store.release(late, ended=at(12), not_before=at(12), history=brought)
        assert store.visits(SITE) == before
        history = History.of(last_ended=at(14), starts=[at(10), at(0)])
        assert store.release(mine, ended=at(14), not_before=at(14), history=history)
        assert not store.release(late, ended=at(15), not_before=at(15), history=brought)
        assert store.visits(SITE) == history

    def test_a_clock_that_was_set_back_makes_nobody_wait_longer(self, store: BothProtocols) -> None:
        """By the time of day, the whole account moves back to `now`: history, pause and block."""
        lease = store.acquire(SITE, at(5000), 60, "one")
        assert isinstance(lease, Lease)
        history = History.of(last_ended=at(5002), starts=[at(5000)])
        assert store.release(lease, ended=at(5002), not_before=at(5032), history=history)
        assert store.acquire(SITE, at(0), 60, "two") == Later(at(30), "released")
        assert not store.acquire(SITE, at(29), 60, "two"), "it stays moved"
        again = store.acquire(SITE, at(30), 60, "two")
        assert isinstance(again, Lease)
        assert again.history == History.of(last_ended=at(0), starts=[at(-2)])

    @pytest.mark.parametrize(
        "text", ["one\0two", "\0", "r\u00f6bot \u2603 \U0001f916", "", "'; --"]
    )
    def test_holders_and_reasons_are_any_text(self, store: BothProtocols, text: str) -> None:
        """They come back as they were given."""
        lease = store.acquire(SITE, at(0), 10, text)
        assert isinstance(lease, Lease)
        assert lease.holder == text
        later = store.acquire(SITE, at(1), 10, "two")
        assert isinstance(later, Later)
        assert later.holder == text
        assert store.release(lease, ended=at(2), not_before=at(20), reason=text)
        assert store.acquire(SITE, at(3), 10, "two") == Later(at(20), text)

    def test_a_block_wins_at_equal_times(self, store: BothProtocols) -> None:
        """Where a block ends when the pause does, the reason is that of the block."""
        lease = store.acquire(SITE, at(0), 10, "one")
        assert isinstance(lease, Lease)
        assert store.release(lease, ended=at(1), not_before=at(50), reason="crawl-delay")
        store.block(SITE, at(50), "retry-after")
        assert store.acquire(SITE, at(2), 10, "two") == Later(at(50), "retry-after")

    # Time.

    def test_one_start_of_a_machine_has_one_zero(self, store: BothProtocols) -> None:
        """Counting from the same start gives the same answer, whatever the time of day.

        A store that is no `Timekeeper` has no such method, and nothing to hold.
        """
        if not isinstance(store, Timekeeper):
            return
        zero = store.keep_time("boot 1", START, dt.timedelta(seconds=100))
        assert zero.utcoffset() is not None
        for wall, counted in ((at(7), 107), (at(9000), 110), (at(-9000), 120)):
            assert store.keep_time("boot 1", wall, dt.timedelta(seconds=counted)) == zero
        assert store.keep_time("boot 2", at(50), dt.timedelta(seconds=3)) != zero
        assert store.keep_time("boot 1", at(60), dt.timedelta(seconds=160)) == zero
        assert store.keep_time("", START, dt.timedelta(0)).utcoffset() is not None
        with pytest.raises(goodbot.WrongValueError, match=r"timezone\.utc"):
            store.keep_time("boot 1", START.replace(tzinfo=None), dt.timedelta(0))

    def test_what_the_operator_decides_is_kept(self, store: BothProtocols) -> None:
        """One decision of a kind about a scope, until it is taken back.

        A store that is no `HoldKeeper` has no such methods, and nothing to hold.
        """
        if not isinstance(store, HoldKeeper):
            return
        assert list(store.holds()) == []
        block = Hold.of(f"{SITE}/a*", "block", why="theirs \u2603", by="ada", at=START)
        pause = Hold.of(SITE, "pause", why="", at=at(1))
        for hold in (block, pause, Hold.of(SITE, "block", why="first", at=START)):
            store.keep_hold(hold)
        last = Hold.of(SITE, "block", why="second", at=at(2))
        store.keep_hold(last)
        assert list(store.holds()) == [last, pause, block]
        assert store.lift_hold(f"{SITE}:443/", "block")
        assert not store.lift_hold(SITE, "block")
        assert list(store.holds()) == [pause, block]
        with pytest.raises(goodbot.NoOriginError):
            store.lift_hold("/a", "block")

    def test_large_numbers_stay_within_the_calendar(self, store: BothProtocols) -> None:
        """A lease or a pause of ages is until the end of the calendar, and raises nothing."""
        lease = store.acquire(SITE, START, 1e300, "one", pause=1e300)
        assert isinstance(lease, Lease)
        assert lease.expires.year == 9999
        assert not store.acquire(SITE, at(10**9), 1, "two")

    def test_no_visit_overlaps_or_comes_early(self, store: BothProtocols) -> None:
        """Whatever is done in whatever order, each grant is later than all that was agreed on."""

        @QUICK
        @given(st.data())
        def check(data: st.DataObject) -> None:
            origin, clock = new_origin(), START
            out: list[Lease] = []
            agreed = [clock]
            for _ in range(data.draw(st.integers(1, 30))):
                clock += dt.timedelta(seconds=data.draw(st.integers(0, 12)))
                step = data.draw(st.sampled_from(["acquire", "acquire", "release", "block"]))
                if step == "acquire":
                    answer = store.acquire(origin, clock, 10, "a", pause=5)
                    if isinstance(answer, Later):
                        assert answer.not_before > clock
                        continue
                    assert clock >= max(agreed), "a visit came too early"
                    assert all(lease.expires + dt.timedelta(seconds=5) <= clock for lease in out)
                    out.append(answer)
                elif step == "release" and out:
                    lease = out.pop(data.draw(st.integers(0, len(out) - 1)))
                    due = clock + dt.timedelta(seconds=data.draw(st.integers(0, 30)))
                    store.release(lease, ended=clock, not_before=due)
                    agreed.append(due)
                elif step == "block":
                    agreed.append(clock + dt.timedelta(seconds=data.draw(st.integers(0, 30))))
                    store.block(origin, agreed[-1])

        check()
