"""The crawl ends exactly when no process has anything to do, whatever is on its way meanwhile."""

import random
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from goodbot.crawl.processes.agreement import behind, have_finished, reason_of
from goodbot.crawl.processes.messages import ProcessReport
from goodbot.crawl.run.progress import Rest
from tests.support.examples import examples

COUNT = 3


@dataclass
class Process:
    """A process with nothing but numbers."""

    work: int = 0
    """How many URLs it has to visit."""
    sent: dict[int, int] = field(default_factory=lambda: dict.fromkeys(range(COUNT), 0))
    received: dict[int, int] = field(default_factory=lambda: dict.fromkeys(range(COUNT), 0))

    def report(self) -> ProcessReport:
        """Report what is true now."""
        rest = None if self.work else Rest()
        return ProcessReport(dict(self.sent), dict(self.received), rest)


@examples(400)
@given(seed=st.integers(0, 2**32), work=st.integers(0, 25))
def test_it_ends_when_all_is_done_and_not_before(seed: int, work: int) -> None:
    """Processes work, hand over and receive at random; reports arrive late, but in order."""
    chance = random.Random(seed)  # noqa: S311  no secret
    processes = [Process(work if number == 0 else 0) for number in range(COUNT)]
    on_the_way: list[list[ProcessReport]] = [[one.report()] for one in processes]
    known = [ProcessReport()] * COUNT
    left = 40  # the URLs that may still be found
    for _ in range(600):
        number = chance.randrange(COUNT)
        one = processes[number]
        step = chance.choice(["work", "receive", "report", "hear"])
        if step == "work" and one.work:
            one.work -= 1
            for _ in range(min(chance.randrange(3), left)):
                left -= 1
                one.sent[chance.choice([n for n in range(COUNT) if n != number])] += 1
        elif step == "receive":
            other = chance.choice([n for n in range(COUNT) if n != number])
            new = processes[other].sent[number] - one.received[other]
            one.work += new
            one.received[other] += new
        elif step == "report":
            on_the_way[number].append(one.report())
        elif on_the_way[number]:
            known[number] = on_the_way[number].pop(0)
        is_over = not any(p.work for p in processes) and not list(
            behind([p.report() for p in processes])
        )
        assert is_over or not have_finished(known, [0] * COUNT)
    for one in processes:
        one.work = 0
        one.received = {n: p.sent[processes.index(one)] for n, p in enumerate(processes)}
    assert have_finished([one.report() for one in processes], [0] * COUNT)


def test_a_message_that_may_end_the_rest_is_waited_for() -> None:
    """A process that was given pages, and has not heard it yet, may be about to use them."""
    rest = ProcessReport(rest=Rest(is_hungry=True))
    assert have_finished([rest, rest], [0, 0])
    assert not have_finished([rest, rest], [0, 1])


def test_the_reason_is_that_of_one_process() -> None:
    """If URLs wait anywhere, that is the reason for the end."""
    rests = [Rest(), Rest(is_cut_short=True), Rest(is_waiting=True)]
    reports = [ProcessReport(rest=rest) for rest in rests]
    found = [reason_of(reports[:count]) for count in (1, 2, 3)]
    assert found == ["nothing-left", "site-page-limit", "waiting"]
