"""Where redirects of robots.txt led, found among all answers on disk.

Scope: a join of redirects with the answers of their targets, one step of all of them at a time; the
policy layer decides what a redirect leads to.

The target of a redirect counts if its answer came within an hour. If it is not in the sources,
nothing is known from then on, which is a row: without it, an older policy would go on.

Source: RFC 9309 section 2.3.1.2.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import groupby, pairwise
from pathlib import Path

from goodbot._core import robots_txt_url
from goodbot.history.captures import MOST_TIED, REDIRECTED_WITHIN
from goodbot.http.instants import EPOCH, MICROSECOND
from goodbot.policy.redirects import target_of
from goodbot.tables.building.packed_answer import (
    PackedAnswer,
    not_captured,
    unpack_table,
    without_content,
)
from goodbot.tables.building.sorted_runs import Run, RunWriter, choose_ranges, rows_between
from goodbot.tables.columns.fact_rows import unpack_headers
from goodbot.tables.columns.reckoning import deciding_fields

WITHIN = REDIRECTED_WITHIN // MICROSECOND

REDIRECT_STATUSES = range(300, 400)


def ask_target(answer: PackedAnswer, limit: int) -> PackedAnswer | None:
    """Return the question for the target of an answer; `None` if it is not a redirect to follow.

    Args:
        answer: The answer of a robots.txt, or of what redirects of one led to.
        limit: How many redirects in a row are followed.

    """
    if answer.status is None or answer.status not in REDIRECT_STATUSES:
        return None
    origin = answer.wanted_by or answer.key
    way = [robots_txt_url(origin), *(answer.hops.split("\n") if answer.hops else ())]
    # Packed names are in lower case.
    fields = tuple((name, value.strip()) for name, value in unpack_headers(answer.headers))
    address, _ = target_of(way[-1], answer.status, fields, way, limit=limit)
    if address is None:
        return None
    target, url = address
    return answer._replace(
        key=target if url == f"{target}/robots.txt" else url, wanted_by=origin,
        hops="\n".join([*way[1:], url]), body=b"", headers="",
    )  # fmt: skip


class Redirects:
    """Follows redirects of robots.txt.

    Args:
        answers: All answers.
        folder: Where to write.
        limit: How many redirects in a row are followed.

    """

    def __init__(self, answers: Sequence[Run], folder: Path, limit: int) -> None:
        self._answers, self._folder, self._limit = answers, folder, limit
        self._found = RunWriter(folder, "found")
        self.lost = 0
        """How many redirects lead to what is not in the sources."""

    def follow(self, redirects: Sequence[Run]) -> list[Run]:
        """Return the answers that redirects led to, sorted by the origins that they are for."""
        step = 0
        while redirects:
            further = RunWriter(self._folder, f"redirects-{step}")
            bounds = [None, *choose_ranges([*self._answers, *redirects]), None]
            for first, end in pairwise(bounds):
                self._join(redirects, first, end, further)
            further.finish()
            redirects, step = further.runs, step + 1
        self._found.finish()
        return self._found.runs

    def _join(
        self, redirects: Sequence[Run], first: str | None, end: str | None, further: RunWriter
    ) -> None:
        """Find the targets of the redirects to a range of keys."""
        wanted = list(unpack_table(rows_between(redirects, first, end)))
        if not wanted:
            return
        keys = {asked.key for asked in wanted}
        captured = unpack_table(rows_between(self._answers, first, end, keys))
        by_key = {
            key: list(found) for key, found in groupby(captured, key=lambda answer: answer.key)
        }
        for redirect in wanted:
            targets = list(find_targets(redirect, by_key.get(redirect.key, [])))
            if not targets:
                self.lost += 1
                self._found.add(not_captured(end_redirect(redirect)))
            for target in targets:
                question = ask_target(target, self._limit)
                if question is None:
                    self._found.add(end_redirect(target))
                else:
                    further.add(question._replace(answered=question.answered))


def find_targets(
    redirect: PackedAnswer, captured: Sequence[PackedAnswer]
) -> Iterator[PackedAnswer]:
    """Yield the first answers of a target from a redirect on, as answers on its way."""
    place = bisect_left(captured, redirect.answered, key=lambda answer: answer.at)
    if place == len(captured) or captured[place].at - redirect.answered > WITHIN:
        return
    tied: list[PackedAnswer] = []
    for answer in captured[place:]:
        if answer.at != captured[place].at:
            break
        if not any(is_same(answer, other) for other in tied):
            tied.append(answer)
        if len(tied) > MOST_TIED:
            tied = [without_content(answer)]
            break
    for answer in tied:
        yield answer._replace(
            at=redirect.at, hops=redirect.hops, wanted_by=redirect.wanted_by, asked=redirect.asked
        )


def is_same(one: PackedAnswer, other: PackedAnswer) -> bool:
    """Return whether two answers of one time are one answer that is there twice."""
    return (one.status, one.failure, one.body, one.truncated) == (
        other.status,
        other.failure,
        other.body,
        other.truncated,
    ) and select_fields(one) == select_fields(other)


def select_fields(answer: PackedAnswer) -> tuple[tuple[str, timedelta | str], ...]:
    """Return the header fields of an answer that a decision depends on."""
    return deciding_fields(unpack_headers(answer.headers), EPOCH + answer.answered * MICROSECOND)


def end_redirect(target: PackedAnswer) -> PackedAnswer:
    """Return the answer at the end of a way as one of the origin that it is for."""
    return target._replace(key=target.wanted_by or target.key, wanted_by=None, leads=False)
