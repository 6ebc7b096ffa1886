"""From sorted answers to the rows of a table of policies.

Scope: which answers are decided by which way. Answers of origins whose policies follow from one
answer each are decided by kind, without an object for any of them (`plain_policies`). All others,
such as those with failures, confirmations, redirects and ties, are decided one after another.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from goodbot.history.captures import MOST_TIED
from goodbot.policy.outcome_tables import policy_dialect
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer, answer_order
from goodbot.tables.building.packed_answer import (
    PackedAnswer,
    is_origin,
    unpack_answer,
    unpack_table,
    without_content,
)
from goodbot.tables.building.plain_policies import PLACE, PlainDecider, add_places
from goodbot.tables.building.redirected import ask_target, is_same
from goodbot.tables.columns.fact_rows import make_plain_table, pack_row
from goodbot.tables.columns.reckoning import Reckoner
from goodbot.tables.columns.schema import pyarrow


class TableReckoner:
    """Reckons ranges of answers, and remembers its decisions.

    Args:
        dialect: The name of the dialect.

    """

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._limit = policy_dialect(dialect).redirect_limit
        self._reckoner = Reckoner(dialect)
        self._plain = PlainDecider(self._reckoner)

    def reckon(self, answers: Any) -> tuple[Any, int]:  # noqa: ANN401  pyarrow.Table
        """Return the rows of some answers, in order, and how many origins they are of.

        Args:
            answers: All answers of some keys, sorted by key and time.

        """
        pa = pyarrow()
        plain, origins, others = self._plain.decide(add_places(answers))
        rows: list[tuple[Any, ...]] = []
        places: list[int] = []
        for place, found in self._one_by_one(others):
            origins += 1
            rows += found
            # An origin has at most as many rows as answers, so no other row has these places.
            places += range(place, place + len(found))
        odd = make_plain_table(rows, self._dialect).append_column(
            PLACE, pa.array(places, pa.int64())
        )
        table = pa.concat_tables([plain, odd])
        if plain.num_rows and odd.num_rows:
            table = table.sort_by(PLACE)
        return table.drop_columns([PLACE]), origins

    def _one_by_one(self, answers: Any) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:  # noqa: ANN401  pyarrow.Table
        """Yield the place of each origin's first answer, and its rows."""
        places, start = answers.column(PLACE).to_pylist(), 0
        for _, group in groupby(unpack_table(answers), lambda answer: answer.key):
            found = list(group)
            rows = reckoned_rows(found, self._reckoner, self._limit)
            if rows:
                yield places[start], rows
            start += len(found)


def reckoned_rows(
    answers: Iterable[PackedAnswer], reckoner: Reckoner, limit: int
) -> list[tuple[Any, ...]]:
    """Return the rows of one key, decided one after another; none if it is no origin.

    Args:
        answers: All answers of the key, sorted by time.
        reckoner: Decides.
        limit: How many redirects in a row are followed.

    """
    found = in_order(answers, limit)
    return [pack_row(*pair) for pair in zip(found, reckoner.reckon(found), strict=True)]


def in_order(answers: Iterable[PackedAnswer], limit: int) -> list[RobotsTxtAnswer]:
    """Return the answers of one origin: those of each time once, in `answer_order`.

    Redirects that lead further are omitted: the answers that they led to are here as well.
    """
    found: list[RobotsTxtAnswer] = []
    for _, group in groupby(answers, key=lambda answer: answer.at):
        tied: list[PackedAnswer] = []
        for answer in group:
            if not (answer.hops is None and ask_target(answer, limit)) and not any(
                is_same(answer, other) for other in tied
            ):
                tied.append(answer)
            if len(tied) > MOST_TIED:
                tied = [without_content(answer)]
                break
        found += sorted(
            (unpack_answer(answer) for answer in tied if is_origin(answer.key)), key=answer_order
        )
    return found
