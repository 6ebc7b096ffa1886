"""The table of requests: its columns, checked, and its rows by robot and site.

Scope: from Arrow to plain lists. Nothing is decided.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from goodbot._core import origin
from goodbot.audit.audit_options import AuditOptions
from goodbot.audit.request import ROBOTS_TXT, HasOutcome, is_robots_fetch, path_of
from goodbot.errors import MissingExtraError, NoOriginError, WrongTypeError, WrongValueError

__all__ = [
    "COLUMNS",
    "RequestGroup",
    "RequestRows",
    "UnnamedFetch",
    "pyarrow_of_audit",
    "read_requests",
]

COLUMNS: dict[str, str] = {
    "line": "The line of the log, an integer.",
    "time": "When, a timestamp; without a time zone it is in UTC.",
    "address": "The address that the request came from.",
    "host": "The host, with its port if it is not the scheme's own; null if the log has none.",
    "scheme": "`http` or `https`; null if the log has none.",
    "method": "The method.",
    "target": "What was asked for, as it was sent: a path with its query.",
    "status": "The status of the answer; null if unknown.",
    "bytes": "The bytes of the answer; null if unknown.",
    "robot": "The robot that the request names; null for people.",
}
"""The columns that a table of requests must have, each with its meaning. Those of `MORE_COLUMNS`
are read if they are there; all others are ignored."""

MORE_COLUMNS: dict[str, str] = {
    "retry_after": "The field Retry-After of the answer.",
    "identity": "Who sent the request: `verified`, `spoofed` or `unverifiable`. Null leaves it to "
    "what is known of the robot and address.",
    "source": "The file that has the line.",
}
"""The columns that a table of requests may have, each with its meaning."""


EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  Arrow's times without a zone, in UTC


class UnnamedFetch(NamedTuple):
    """A request for robots.txt that names no robot."""

    address: str
    site: str | None
    at: int
    status: int | None


@dataclass(slots=True)
class RequestGroup:
    """The requests of one robot at one site, in the order of the table."""

    robot: str
    site: str | None
    rows: list[int] = field(default_factory=list)


@dataclass(slots=True)
class RequestRows:
    """The rows of robots, as lists of the same length."""

    lines: list[int | None]
    times: list[int]
    addresses: list[str]
    methods: list[str]
    targets: list[int]
    statuses: list[int | None]
    sizes: list[int | None]
    robots: list[str]
    retries: list[str | None] | None
    identities: list[str]
    target_names: list[str]
    """The distinct targets, to which `targets` are places."""
    groups: list[RequestGroup]
    begins: dict[str | None, int]
    """When the log of each site begins: its first line, also of people."""
    sources: list[str] | None = None
    """The file that has each line; `None` if the table does not say it."""
    unnamed_fetches: list[UnnamedFetch] = field(default_factory=list)
    """The requests for robots.txt that name no robot; they are not judged."""


def pyarrow_of_audit() -> Any:  # noqa: ANN401  a module
    """Return pyarrow.

    Raises:
        MissingExtraError: It is not installed.

    """
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
    except ImportError as error:
        message = (
            "auditing a log needs pyarrow, which is not installed; install it with "
            "pip install 'goodbot[audit]'"
        )
        raise MissingExtraError(message) from error
    return pa


def one_table(pa: Any, requests: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return one table of all parts of a log, with the columns that are needed.

    Raises:
        WrongTypeError: It is no table.
        WrongValueError: A column is missing.

    """
    parts = [requests] if hasattr(requests, "__arrow_c_stream__") else list(requests)
    tables = []
    for part in parts:
        if not hasattr(part, "__arrow_c_stream__"):
            message = f"requests must be a table or several, not {type(part).__name__}"
            raise WrongTypeError(message)
        table = pa.table(part)
        missing = [name for name in COLUMNS if name not in table.column_names]
        if missing:
            message = f"the table of requests has no column {missing[0]!r}; see goodbot.audit"
            raise WrongValueError(message)
        more = [name for name in MORE_COLUMNS if name in table.column_names]
        tables.append(plain(pa, table.select([*COLUMNS, *more])))
    if not tables:
        message = "there are no requests; pass one table or several"
        raise WrongValueError(message)
    return pa.concat_tables(tables, promote_options="default")


def plain(pa: Any, table: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return a table with dictionaries decoded and times in microseconds.

    Raises:
        WrongTypeError: A column has another type.

    """
    kinds = {
        "line": pa.int64(), "time": pa.timestamp("us"), "status": pa.int64(), "bytes": pa.int64()
    }  # fmt: skip
    for place, name in enumerate(table.column_names):
        kind = kinds.get(name, pa.string())
        column = table.column(name)
        try:
            # Nanoseconds are cut, which is within the resolution of the clock.
            decoded = column.cast(kind, safe=name != "time")
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            message = f"the column {name!r} is {column.type}, not {kind}"
            raise WrongTypeError(message) from error
        table = table.set_column(place, name, decoded)
    return table


def read_requests(
    requests: Any,  # noqa: ANN401  Arrow, of any library
    sites: Iterable[str],
    identities: Mapping[tuple[str, str], HasOutcome | str],
    options: AuditOptions,
) -> RequestRows:
    """Return the rows of robots in a table of requests, by robot and site.

    Args:
        requests: The table, or the tables of the parts of a log, in any order.
        sites: The sites whose robots.txt is known.
        identities: What is known of who sent a request, by robot and address.
        options: The site of lines without a host.

    Raises:
        MissingExtraError: pyarrow is not installed.
        WrongTypeError: A column has the wrong type.
        WrongValueError: A column is missing.

    """
    pa = pyarrow_of_audit()
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    table = one_table(pa, requests)
    table = table.filter(pc.is_valid(table.column("time")))
    of_hosts = SiteNames(sites, options)
    begins = begins_of(table, of_hosts)
    unnamed = unnamed_fetches(table.filter(pc.is_null(table.column("robot"))), of_hosts)
    table = table.filter(pc.is_valid(table.column("robot")))
    targets = table.column("target").fill_null("").combine_chunks().dictionary_encode()
    robots, addresses = texts(table, "robot"), texts(table, "address")
    has_retries, has_sources = (name in table.column_names for name in ("retry_after", "source"))
    return RequestRows(
        lines=table.column("line").to_pylist(),
        times=table.column("time").cast(pa.int64()).to_pylist(),
        addresses=addresses,
        methods=texts(table, "method"),
        targets=targets.indices.to_pylist(),
        statuses=table.column("status").to_pylist(),
        sizes=table.column("bytes").to_pylist(),
        robots=robots,
        retries=table.column("retry_after").to_pylist() if has_retries else None,
        identities=identity_column(table, zip(robots, addresses, strict=True), identities),
        target_names=targets.dictionary.to_pylist(),
        groups=groups_of(robots, site_column(table, of_hosts)),
        begins=begins,
        sources=texts(table, "source") if has_sources else None,
        unnamed_fetches=unnamed,
    )


def unnamed_fetches(table: Any, names: "SiteNames") -> list[UnnamedFetch]:  # noqa: ANN401  pyarrow's
    """Return the requests for robots.txt in rows that name no robot."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    table = table.filter(pc.ends_with(table.column("target").fill_null(""), ROBOTS_TXT))
    times = table.column("time").cast("int64").to_pylist()
    statuses, sites = table.column("status").to_pylist(), site_column(table, names)
    found = map(UnnamedFetch, texts(table, "address"), sites, times, statuses)
    lines = zip(found, texts(table, "method"), texts(table, "target"), strict=True)
    return [one for one, method, target in lines if is_robots_fetch(method, path_of(target))]


def identity_column(
    table: Any,  # noqa: ANN401  pyarrow's
    pairs: Iterable[tuple[str, str]],
    identities: Mapping[tuple[str, str], HasOutcome | str],
) -> list[str]:
    """Return who sent each request: what its row states, else what is known of its sender."""
    outcomes = {key: one if isinstance(one, str) else one.outcome
                for key, one in identities.items()}  # fmt: skip
    known = [outcomes.get(pair, "unverifiable") for pair in pairs]
    if "identity" not in table.column_names:
        return known
    stated = texts(table, "identity")
    return [one or other for one, other in zip(stated, known, strict=True)]


def texts(table: Any, name: str) -> list[str]:  # noqa: ANN401  pyarrow's
    """Return a column of texts; null is an empty one. Equal texts share their memory."""
    column = table.column(name).fill_null("").combine_chunks().dictionary_encode()
    names: list[str] = column.dictionary.to_pylist()
    return [names[place] for place in column.indices.to_pylist()]


def site_column(table: Any, names: "SiteNames") -> list[str | None]:  # noqa: ANN401  pyarrow's
    """Return the site of each row."""
    pairs = zip(table.column("scheme").to_pylist(), table.column("host").to_pylist(), strict=True)
    return [names.of(scheme, host) for scheme, host in pairs]


def begins_of(table: Any, names: "SiteNames") -> dict[str | None, int]:  # noqa: ANN401  pyarrow's
    """Return the time of the first line of each site."""
    found: dict[str | None, int] = {}
    grouped = table.group_by(["scheme", "host"]).aggregate([("time", "min")]).to_pydict()
    rows = zip(grouped["scheme"], grouped["host"], grouped["time_min"], strict=True)
    for scheme, host, time in rows:
        site = names.of(scheme, host)
        at = microseconds(time)
        found[site] = min(at, found.get(site, at))
    return found


def microseconds(time: Any) -> int:  # noqa: ANN401  a naive datetime in UTC
    """Return a naive time in UTC in microseconds since 1970."""
    since = time - EPOCH
    return int((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)


def groups_of(robots: list[str], sites: list[str | None]) -> list[RequestGroup]:
    """Return the rows by robot and site."""
    groups: dict[tuple[str, str | None], RequestGroup] = {}
    for row, key in enumerate(zip(robots, sites, strict=True)):
        group = groups.get(key)
        if group is None:
            group = groups[key] = RequestGroup(*key)
        group.rows.append(row)
    return sorted(groups.values(), key=lambda one: (one.robot, one.site or ""))


class SiteNames:
    """The sites of hosts, each found once."""

    def __init__(self, sites: Iterable[str], options: AuditOptions) -> None:
        """Sort the known sites by host."""
        self._options = options
        self._known: dict[tuple[str | None, str | None], str | None] = {}
        self._by_host: dict[str, str] = {}
        # Where a host has several schemes, https comes last, and counts.
        for site in sorted(sites):
            self._by_host[site.partition("://")[2]] = site

    def of(self, scheme: str | None, host: str | None) -> str | None:
        """Return the site of a scheme and a host; `None` if it has none."""
        key = scheme, host
        if key not in self._known:
            self._known[key] = self._found(scheme, host)
        return self._known[key]

    def _found(self, scheme: str | None, host: str | None) -> str | None:
        """Return the site of a scheme and a host."""
        if not host:
            return self._options.site
        try:
            site = origin(f"{scheme or 'https'}://{host}/")
        except NoOriginError:
            return None
        return site if scheme else self._by_host.get(site.partition("://")[2], site)
