"""Tests for every queue of a crawl, wherever it keeps its URLs.

Scope: tests of `goodbot.crawl.frontier.protocol.Frontier` that use only its methods.
"""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from goodbot.crawl.folder.records import Discovery, How, QueuedUrl
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.frontier.protocol import (
    MOST_CRASHES,
    Candidate,
    Frontier,
    Outcome,
    QueueEntry,
)

__all__ = ["FrontierSuite", "OpenFrontier", "candidate"]

OpenFrontier = Callable[[datetime], Frontier]
"""Opens the queue at a time; opened again, it is the same queue after its process was killed."""

START = datetime(2026, 1, 1, tzinfo=timezone.utc)
SITE, OTHER = "https://a.example", "https://b.example"
DONE = Outcome("done", "fetched", status=200)


def at(seconds: float) -> datetime:
    """Return a time of the suite."""
    return START + timedelta(seconds=seconds)


def candidate(
    path: str, origin: str = SITE, *, how: How = "link", skip_reason: str = ""
) -> Candidate:
    """Return a URL as it is found, with its place in the crawl."""
    url = origin + path
    return Discovery(url, how), QueueEntry(url, origin, depth=1, skip_reason=skip_reason)


def add(frontier: Frontier, *paths: str, origin: str = SITE, now: datetime = START) -> list[int]:
    """Queue some URLs of an origin."""
    return frontier.add([candidate(path, origin) for path in paths], now)


def taken(frontier: Frontier, now: datetime) -> QueuedUrl:
    """Return the next URL of the queue, which must have one."""
    found = frontier.take(now)
    assert found is not None
    return found


def visit(frontier: Frontier, now: datetime, outcome: Outcome = DONE) -> QueuedUrl:
    """Visit the next URL: settle it, and free its origin."""
    found = taken(frontier, now)
    assert frontier.settle(found, outcome, now)
    frontier.free(found, None)
    return found


class FrontierSuite:
    """Tests for a queue: derive from it, and define the pytest fixture `open_frontier`.

    The fixture returns a function that opens the queue at a time. Called again within a test, it
    opens the same queue as another process does after the first one was killed: without closing it.

    For example::

        class TestMyFrontier(FrontierSuite):
            @pytest.fixture
            def open_frontier(self, connection):
                return lambda now: MyFrontier(connection, now)
    """

    def test_it_has_every_method(self, open_frontier: OpenFrontier) -> None:
        """It is a queue by its methods."""
        assert isinstance(open_frontier(START), Frontier)

    # Order.

    def test_urls_of_an_origin_come_in_order(self, open_frontier: OpenFrontier) -> None:
        """By due time, then in the order in which they were found; one at a time."""
        frontier = open_frontier(START)
        add(frontier, "/b", "/a", now=at(1))
        add(frontier, "/c", now=at(2))
        assert frontier.take(at(0)) is None
        first = taken(frontier, at(5))
        assert first.url == f"{SITE}/b"
        assert frontier.take(at(5)) is None, "its origin is busy"
        frontier.settle(first, DONE, at(5))
        assert frontier.take(at(5)) is None, "it is busy until it is freed"
        frontier.free(first, None)
        assert [visit(frontier, at(5)).url for _ in range(2)] == [f"{SITE}/a", f"{SITE}/c"]
        assert frontier.take(at(5)) is None

    def test_an_origin_rests_as_long_as_it_is_told(self, open_frontier: OpenFrontier) -> None:
        """Others are visited meanwhile."""
        frontier = open_frontier(START)
        add(frontier, "/1", "/2")
        first = taken(frontier, START)
        frontier.settle(first, DONE, START)
        frontier.free(first, at(10))
        assert frontier.earliest == at(10)
        add(frontier, "/", origin=OTHER)
        assert visit(frontier, at(1)).origin == OTHER
        assert frontier.take(at(9.9)) is None
        assert visit(frontier, at(10)).url == f"{SITE}/2"
        assert frontier.earliest is None

    def test_many_origins_each_have_their_turn(self, open_frontier: OpenFrontier) -> None:
        """No URL comes twice, and no origin before its pause is over."""
        frontier, origins = open_frontier(START), [f"https://{one}.example" for one in range(50)]
        for origin in origins:
            add(frontier, "/1", "/2", "/3", origin=origin)
        seen: list[str] = []
        for turn in range(3):
            now = at(10 * turn)
            for _ in origins:
                found = taken(frontier, now)
                seen.append(found.url)
                frontier.settle(found, DONE, now)
                frontier.free(found, now + timedelta(seconds=10))
            assert frontier.take(now) is None
        assert len(set(seen)) == len(seen) == 150
        assert frontier.how_many() == {"done": 150}

    # Adding.

    def test_adding_again_changes_nothing(self, open_frontier: OpenFrontier) -> None:
        """A URL that is known has its number, whatever has become of it."""
        frontier = open_frontier(START)
        (one, two) = add(frontier, "/1", "/2")
        assert one != two
        visit(frontier, START)
        assert add(frontier, "/2", "/1", now=at(5)) == [two, one]
        assert frontier.how_many() == {"done": 1, "queued": 1}
        assert visit(frontier, at(5)).id == two

    def test_what_was_skipped_may_be_queued_later(self, open_frontier: OpenFrontier) -> None:
        """Under the number that it has; and what is queued is not skipped later."""
        frontier = open_frontier(START)
        (skipped,) = frontier.add([candidate("/", skip_reason="nofollow")], START)
        assert (frontier.take(START), frontier.how_many()) == (None, {"skipped": 1})
        assert add(frontier, "/") == [skipped]
        assert frontier.add([candidate("/", skip_reason="nofollow")], START) == [skipped]
        assert visit(frontier, START).id == skipped

    def test_what_lies_within_new_bounds_is_queued(self, open_frontier: OpenFrontier) -> None:
        """Without being found again; what its page forbids to follow stays skipped."""
        frontier = open_frontier(START)
        found = [
            candidate("/a", OTHER, skip_reason="other-origin"),
            candidate("/b", skip_reason="excluded"),
            candidate("/c", OTHER, skip_reason="nofollow"),
            candidate("/" + "d" * 1_000, OTHER, skip_reason="other-origin"),
        ]
        frontier.add(found, START)
        bounds = Bounds(origins=frozenset({SITE, OTHER}), exclude=("/b",))
        assert frontier.admit(bounds.refuses, at(1)) == 1
        assert frontier.how_many() == {"skipped": 3, "queued": 1}
        assert taken(frontier, at(1)).url == f"{OTHER}/a"
        assert frontier.admit(bounds.refuses, at(2)) == 0

    def test_what_was_skipped_for_a_lifted_reason_is_queued(
        self, open_frontier: OpenFrontier
    ) -> None:
        """Only if it is named as lifted, and if the URL is within the bounds."""
        frontier = open_frontier(START)
        found = [candidate("/a", skip_reason="calendar"), candidate("/b", skip_reason="calendar")]
        frontier.add([*found, candidate("/c", skip_reason="nofollow")], START)
        bounds = Bounds(origins=frozenset({SITE}), exclude=("/b",))
        assert frontier.admit(bounds.refuses, at(1)) == 0
        assert frontier.admit(bounds.refuses, at(1), ["calendar"]) == 1
        assert frontier.how_many() == {"skipped": 2, "queued": 1}

    def test_what_is_out_of_bounds_is_skipped(self, open_frontier: OpenFrontier) -> None:
        """Whatever became of it; a sitemap counts as where the crawl began."""
        frontier = open_frontier(START)
        one, two = add(frontier, "/a", "/b")
        frontier.add([candidate("/map", how="sitemap-file")], START)
        (four,) = add(frontier, "/x", origin=OTHER)
        visit(frontier, START)
        bounds = Bounds(origins=frozenset({SITE}), depth=0)
        outside = frontier.outside(bounds.refuses)
        assert dict(outside) == {one: "too-deep", two: "too-deep", four: "other-origin"}
        frontier.skip(outside, at(1))
        assert frontier.how_many() == {"skipped": 3, "queued": 1}
        assert frontier.outside(bounds.refuses) == []
        assert frontier.again(at(10**9)) == 0
        assert taken(open_frontier(at(2)), at(2)).url == f"{SITE}/map"
        add(frontier, "/a", now=at(3))
        assert frontier.how_many() == {"skipped": 2, "queued": 1, "leased": 1}

    def test_the_spelling_that_was_found_first_is_kept(self, open_frontier: OpenFrontier) -> None:
        """It is asked about, too; a URL that is sent as it was found has none."""
        frontier = open_frontier(START)
        found, entry = candidate("/~a")
        spelling = f"{SITE}/%7ea"
        frontier.add([(found, entry._replace(spelling=spelling)), candidate("/b")], START)
        frontier.add([(found, entry)], START)
        first = visit(open_frontier(START), START)
        assert (first.url, first.spelling) == (f"{SITE}/~a", spelling)
        assert visit(open_frontier(START), START).spelling == ""

    def test_what_a_page_has_too_much_of_is_counted(self, open_frontier: OpenFrontier) -> None:
        """Of URLs that are skipped 1,000 of a page are kept; the others have the number 0."""
        frontier = open_frontier(START)
        found = [candidate(f"/{one}", skip_reason="nofollow") for one in range(1_005)]
        numbers = frontier.add(found, START)
        assert (numbers.count(0), frontier.not_kept) == (5, 5)

    def test_a_sitemap_keeps_who_names_it(self, open_frontier: OpenFrontier) -> None:
        """Its source is the origin for which it speaks, also after a visit."""
        frontier = open_frontier(START)
        entry = QueueEntry(f"{SITE}/map", SITE, depth=0, source=OTHER)
        frontier.add([(Discovery(f"{SITE}/map", "sitemap-file", source=OTHER), entry)], START)
        assert visit(frontier, START, Outcome("done", "", "somebody", due=at(9))).source == OTHER
        assert frontier.again(at(9)) == 1
        assert taken(frontier, at(9)).source == OTHER

    # Leases.

    def test_settling_twice_is_settling_once(self, open_frontier: OpenFrontier) -> None:
        """Of one visit the first outcome counts."""
        frontier = open_frontier(START)
        add(frontier, "/")
        found = taken(frontier, START)
        assert frontier.holds(found)
        assert frontier.settle(found, DONE, START)
        assert not frontier.holds(found)
        again = Outcome("queued", "server-error", due=START, failed=True)
        assert not frontier.settle(found, again, at(1))
        assert not frontier.give_back(found)
        assert frontier.how_many() == {"done": 1}
        assert frontier.waiting() == 0

    def test_each_lease_is_another_visit(self, open_frontier: OpenFrontier) -> None:
        """What an old one came to counts no more."""
        frontier = open_frontier(START)
        add(frontier, "/")
        first = taken(frontier, START)
        assert frontier.give_back(first)
        frontier.free(first, None)
        second = taken(frontier, START)
        assert second.id == first.id
        assert second.visit > first.visit
        assert not frontier.holds(first)
        assert not frontier.settle(first, DONE, START)
        assert not frontier.give_back(first)
        assert frontier.holds(second)
        assert frontier.settle(second, DONE, START)

    def test_what_is_given_back_keeps_its_place(self, open_frontier: OpenFrontier) -> None:
        """It comes next again, with as many attempts as before."""
        frontier = open_frontier(START)
        add(frontier, "/1", "/2")
        first = taken(frontier, START)
        assert frontier.waiting() == 1
        frontier.give_back(first)
        frontier.free(first, at(3))
        assert frontier.waiting(SITE) == 2
        assert frontier.take(at(2)) is None
        second = taken(frontier, at(3))
        assert (second.url, second.attempts) == (first.url, 0)

    def test_a_url_that_is_given_back_may_say_why(self, open_frontier: OpenFrontier) -> None:
        """By that reason `retry` finds it; who says so goes with it."""
        frontier = open_frontier(START)
        add(frontier, "/1", "/2")
        first = taken(frontier, START)
        assert frontier.give_back(first, "paused", "the operator")
        frontier.free(first, None)
        assert taken(frontier, START).source == "the operator"
        assert frontier.how_many() == {"queued": 1, "leased": 1}

    # Crashes.

    def test_a_lease_ends_with_its_process(self, open_frontier: OpenFrontier) -> None:
        """The URL is visited again, behind all others, and the old lease is over."""
        frontier = open_frontier(START)
        add(frontier, "/1", "/2")
        first = taken(frontier, START)
        frontier = open_frontier(at(60))
        assert not frontier.holds(first)
        assert not frontier.settle(first, DONE, at(60))
        assert visit(frontier, at(60)).url == f"{SITE}/2"
        again = taken(frontier, at(60))
        assert (again.id, again.visit > first.visit) == (first.id, True)

    def test_what_is_settled_stays_so_after_a_crash(self, open_frontier: OpenFrontier) -> None:
        """And what was added is there."""
        frontier = open_frontier(START)
        add(frontier, "/1", "/2")
        visit(frontier, START)
        frontier = open_frontier(at(60))
        assert frontier.how_many() == {"done": 1, "queued": 1}
        assert visit(frontier, at(60)).url == f"{SITE}/2"

    def test_a_url_that_ends_the_process_is_given_up(self, open_frontier: OpenFrontier) -> None:
        """After so many crashes in the midst of its visits it is not tried again."""
        frontier = open_frontier(START)
        add(frontier, "/")
        for crash in range(MOST_CRASHES + 1):
            taken(frontier, at(crash))
            frontier = open_frontier(at(crash + 1))
        assert frontier.take(at(99)) is None
        assert frontier.how_many() == {"failed": 1}

    # Coming again.

    def test_a_failure_is_tried_again_when_it_is_due(self, open_frontier: OpenFrontier) -> None:
        """With its attempts counted, until one is no failure."""
        frontier = open_frontier(START)
        add(frontier, "/")
        retry = Outcome("queued", "server-error", status=500, due=at(10), failed=True)
        visit(frontier, START, retry)
        assert frontier.earliest == at(10)
        assert frontier.take(at(9)) is None
        second = visit(frontier, at(10), Outcome("done", "fetched", due=at(20)))
        assert second.attempts == 1
        assert frontier.again(at(20)) == 1
        assert taken(frontier, at(20)).attempts == 0

    def test_what_is_due_is_queued_when_asked_for(self, open_frontier: OpenFrontier) -> None:
        """Not before its time, and not what is never due."""
        frontier = open_frontier(START)
        add(frontier, "/1", "/2", "/3")
        for due in (at(100), None, at(200)):
            visit(frontier, START, Outcome("done", "fetched", due=due))
        assert frontier.again(at(99)) == 0
        assert frontier.again(at(100)) == 1
        assert visit(frontier, at(100)).url == f"{SITE}/1"
        assert frontier.take(at(150)) is None
        assert frontier.again(at(150), early=True) == 1, "what is due later is due now"
        assert visit(frontier, at(150)).url == f"{SITE}/3"

    def test_what_failed_for_a_reason_is_retried(self, open_frontier: OpenFrontier) -> None:
        """At once, as if it had never been tried."""
        frontier = open_frontier(START)
        add(frontier, "/1", "/2", "/3")
        for reason, state in (("private", "failed"), ("refused", "failed"), ("private", "queued")):
            settled = Outcome(state, reason, due=at(1_000), failed=True)  # type: ignore[arg-type]
            visit(frontier, START, settled)
        frontier.retry(["private"], at(1))
        assert {visit(frontier, at(1)).url for _ in range(2)} == {f"{SITE}/1", f"{SITE}/3"}
        assert frontier.take(at(1)) is None

    def test_what_is_done_for_a_reason_is_revisited(self, open_frontier: OpenFrontier) -> None:
        """Only URLs whose source is wanted are queued, and due at once."""
        frontier = open_frontier(START)
        add(frontier, "/1", "/2", "/3")
        for reason, source in (("unread", "pdf"), ("unread", "png"), ("fetched", "pdf")):
            visit(frontier, START, Outcome("done", reason, source, due=at(1_000)))
        assert frontier.revisit("unread", lambda source: source == "pdf", at(1)) == 1
        assert visit(frontier, at(1)).url == f"{SITE}/1"
        assert frontier.take(at(1)) is None

    # What the operator decides.

    def test_urls_are_decided_on_without_a_visit(self, open_frontier: OpenFrontier) -> None:
        """Whatever state they are in; a visit under way changes nothing more."""
        frontier = open_frontier(START)
        add(frontier, "/1", "/2", "/3", "/4")
        add(frontier, "/1", origin=OTHER)
        frontier.add([candidate("/5", skip_reason="nofollow")], START)
        visit(frontier, START)
        under_way = taken(frontier, START)
        while under_way.origin != SITE:
            frontier.free(under_way, at(999))
            under_way = taken(frontier, START)
        known = frontier.urls_at(SITE)
        assert [url for _, url in known] == [f"{SITE}/{number}" for number in range(1, 5)]
        assert frontier.urls_at("https://nobody.example") == []
        blocked = Outcome("disallowed", "operator-block", "the operator")
        frontier.decide([url_id for url_id, _ in known], blocked, at(1))
        assert not frontier.holds(under_way)
        assert not frontier.settle(under_way, DONE, at(1))
        frontier.free(under_way, None)
        assert frontier.waiting(SITE) == 0
        assert frontier.how_many()["disallowed"] == 4
        frontier.retry(["operator-block"], at(2))
        assert frontier.waiting(SITE) == 4

    # Where URLs lead.

    def test_targets_are_followed_both_ways(self, open_frontier: OpenFrontier) -> None:
        """To the end, also round a ring."""
        frontier = open_frontier(START)
        one, two, three = add(frontier, "/1", "/2", "/3")
        assert (frontier.end_of(one, three), frontier.leading_to(three)) == (one, [])
        visit(frontier, START, Outcome("redirected", "redirect", target=two))
        visit(frontier, START, Outcome("redirected", "redirect", target=three))
        assert frontier.end_of(one, 0) == three
        assert frontier.end_of(one, two) == two
        assert set(frontier.leading_to(three)) == {one, two}
        visit(frontier, START, Outcome("redirected", "redirect", target=one))
        assert frontier.end_of(one, 0) in {one, two, three}
        assert set(frontier.leading_to(three)) == {one, two}
