"""A table of policies, opened once and asked many times.

Scope: the table, its dialects and its compiled rules. The verdicts are in `verdicts`.
"""

import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from goodbot._core import ArrowColumn, PolicyHistory
from goodbot._core import dialect as dialect_named
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import MICROSECOND
from goodbot.tables.columns.schema import (
    FACTS,
    VERSION_KEY,
    agree_on_dialect,
    check_version,
    read_stated_dialect,
)

CACHE_BYTES = 256 * 1024 * 1024
"""The most bytes that compiled rules take, unless the caller says otherwise."""
LONGEST = 2**63 - 1
"""The most microseconds that the core counts: for ever."""


class PolicyTable:
    r"""The policies of many origins over time, ready for questions over columns.

    The table is read where it is: neither the bodies nor any other column are copied. Opening
    validates the columns and checks their order. Rules are compiled when they are first needed,
    and those used last are kept. Several threads may use one table.

    Args:
        table: Anything with the Arrow interface that has the columns `origin`, `valid_from`,
            `valid_until`, `access`, `reason`, `stale` and `body` of the table of policies
            (docs/reference/policy-table.md). The rows may be in any order; sorted by origin and
            `valid_from`, they are opened without sorting.
        held: How long a policy permits anything after it was learned; by default until its
            `valid_until`.
        cache_bytes: The most bytes that compiled rules take, roughly; one robot's rules for one
            site take some 1,500. Questions in no order of origin are slow unless the rules of all
            sites fit.
        dialect: The dialect in which the table was reckoned. By default the one that its metadata
            or its column `dialect` states; if you made the table by hand, `rfc9309`.

    Raises:
        MisuseError: The table has another version.
        UnknownDialectError: There is no dialect of this name.
        WrongTypeError: An argument has the wrong type, or a column has.
        WrongValueError: A column is missing or malformed, a number is negative, or `dialect` is not
            the one that the table states.

    >>> from datetime import datetime, timezone
    >>> import pyarrow as pa
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> table = pa.table({
    ...     "origin": ["https://a.example"], "valid_from": [noon],
    ...     "valid_until": [noon.replace(day=2)], "access": ["rules"], "reason": ["found"],
    ...     "stale": [False], "body": [b"User-agent: *\nDisallow: /b"],
    ... })
    >>> policies = PolicyTable(table)
    >>> len(policies), policies.origins.tolist()
    (1, ['https://a.example'])

    """

    def __init__(
        self,
        table: Any,  # noqa: ANN401  Arrow, of any library
        *,
        held: timedelta | None = None,
        cache_bytes: int = CACHE_BYTES,
        dialect: str | None = None,
    ) -> None:
        check_bounds(held, cache_bytes)
        # A reader can be read once only, and the table may have to be reckoned again.
        self._table = table.read_all() if hasattr(table, "read_all") else table
        self.held = None if held is None else min(held // MICROSECOND, LONGEST)
        """How long a policy permits anything, in microseconds, if that was given."""
        self.cache_bytes = cache_bytes
        """The most bytes that compiled rules take, roughly."""
        opened = self._read_history(self._table)
        metadata = {name.encode(): value.encode() for name, value in opened.metadata().items()}
        own = getattr(getattr(self._table, "schema", None), "metadata", None)
        metadata |= own if isinstance(own, dict) else {}  # of pyarrow, where it need not be text
        if VERSION_KEY in metadata:
            check_version(metadata)
        self._has_facts = set(FACTS) <= set(opened.column_names())
        self.dialect = agree_on_dialect(
            dialect, read_stated_dialect(metadata), opened.dialect(),
            is_built=self._has_facts and len(opened) > 0,
        )  # fmt: skip
        """The name of the dialect in which the table was reckoned."""
        dialect_named(self.dialect)  # checks that there is one
        self._lock = threading.Lock()
        self._histories = {self.dialect: opened}

    def __len__(self) -> int:
        """Return the number of policies."""
        return len(self._histories[self.dialect])

    @property
    def origins(self) -> ArrowColumn:
        """The origins, each once, in order: a column with the Arrow interface."""
        return self._histories[self.dialect].origins()

    def choose_dialect(self, dialect: str) -> str:
        """Return the dialect in which the table is reckoned for a robot of a dialect."""
        return dialect if self._has_facts else self.dialect

    def in_arrow(self, dialect: str) -> Any:  # noqa: ANN401  Arrow, of any library
        """Return the table as it was given, or reckoned again for a robot of a dialect.

        Args:
            dialect: The name of the dialect.

        Raises:
            MissingExtraError: It must be reckoned again, and pyarrow is not installed.

        """
        name = self.choose_dialect(dialect)
        if name == self.dialect:
            return self._table
        from goodbot.tables.columns.reckoning import reckon  # noqa: PLC0415  seldom needed

        return reckon(self._table, name)

    def in_dialect(self, dialect: str) -> PolicyHistory:
        """Return the policies as a robot of a dialect reckons them.

        They are reckoned again from the facts of the table, once. A table without its facts is
        used as it is: then only the rules are read in the dialect.

        Args:
            dialect: The name of the dialect.

        Raises:
            MissingExtraError: pyarrow is not installed.

        """
        name = self.choose_dialect(dialect)
        with self._lock:
            if name not in self._histories:
                table = self.in_arrow(name)
                self._histories[name] = self._read_history(table)
            return self._histories[name]

    def _read_history(self, table: Any) -> PolicyHistory:  # noqa: ANN401  Arrow, of any library
        """Return a table as the core has it, within the bounds of this one."""
        return PolicyHistory(table, self.held, min(self.cache_bytes, sys.maxsize))

    def __repr__(self) -> str:
        """Return a short description."""
        return f"<PolicyTable of {len(self)}>"

    def __iter__(self) -> Iterator[Any]:
        """Raise: it is a table of columns."""
        message = "a PolicyTable cannot be iterated over; policies.origins has its origins"
        raise WrongTypeError(message)


def check_bounds(held: object, cache_bytes: object) -> None:
    """Check the bounds of a table.

    Raises:
        WrongTypeError: One has the wrong type.
        WrongValueError: One is negative.

    """
    if held is not None and not isinstance(held, timedelta):
        message = f"held must be a timedelta or None, not {type(held).__name__}"
        raise WrongTypeError(message)
    if not isinstance(cache_bytes, int):
        message = f"cache_bytes must be an int, not {type(cache_bytes).__name__}"
        raise WrongTypeError(message)
    if cache_bytes < 0 or (held is not None and held < timedelta(0)):
        message = "held and cache_bytes must not be negative"
        raise WrongValueError(message)


def as_policy_table(policies: object, dialect: str | None = None) -> PolicyTable:
    """Return policies as a `PolicyTable`: the one that is passed, or one of a table.

    Args:
        policies: A `PolicyTable`, or anything that it can be made of.
        dialect: The dialect in which it was reckoned; see `PolicyTable`.

    Raises:
        MisuseError: See `PolicyTable`.

    """
    if not isinstance(policies, PolicyTable):
        return PolicyTable(policies, dialect=dialect)
    agree_on_dialect(dialect, None, policies.dialect, is_built=False)
    return policies
