"""The table of requests: its columns, checked, and its rows by robot and site.

Scope: from a table to the rows of each robot at each site. Nothing is decided.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from goodbot._core import origin
from goodbot.errors import NoOriginError, WrongTypeError, WrongValueError
from goodbot.http.instants import DAY
from goodbot.site.audit.audit_options import AuditOptions
from goodbot.site.audit.log_span import DayCount, LogSpan, log_span, merge_days
from goodbot.site.audit.request import ROBOTS_TXT, HasOutcome, is_robots_fetch, target_path
from goodbot.site.audit.request_columns import (
    compact,
    encode_texts,
    integers,
    pyarrow_of_audit,
    texts,
)

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
    "challenge": "What shows that a firewall answered with a challenge, in a word such as "
    "`challenge`: a field of the answer, or SecurityAction of Cloudflare.",
    "identity": "Who sent the request: `verified`, `spoofed`, `invalid` or "
    "`unverifiable`. Null leaves it to what is known of the robot and address.",
    "source": "The file that has the line.",
}
"""The columns that a table of requests may have, each with its meaning."""


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
    rows: "array[int]" = field(default_factory=lambda: array("q"))


@dataclass(slots=True)
class RequestRows:
    """The rows of robots, as sequences of the same length."""

    lines: Sequence[int | None]
    times: Sequence[int]
    addresses: list[str]
    methods: list[str]
    targets: Sequence[int]
    statuses: Sequence[int | None]
    sizes: Sequence[int | None]
    robots: list[str]
    retries: list[str] | None
    challenges: list[str] | None
    identities: list[str]
    target_names: list[str]
    """The distinct targets, to which `targets` are places."""
    groups: list[RequestGroup]
    spans: dict[str | None, LogSpan]
    """From when until when the log has requests of each site, also of people."""
    sources: list[str] | None = None
    """The file that has each line; `None` if the table does not say it."""
    unnamed_fetches: list[UnnamedFetch] = field(default_factory=list)
    """The requests for robots.txt that name no robot; they are not judged."""


def one_table(requests: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return one table of all parts of a log, with the columns that are needed.

    Raises:
        MissingExtraError: pyarrow is not installed.
        WrongTypeError: It is no table.
        WrongValueError: A column is missing.

    """
    pa = pyarrow_of_audit()
    parts = [requests] if hasattr(requests, "__arrow_c_stream__") else list(requests)
    tables = []
    for part in parts:
        if not hasattr(part, "__arrow_c_stream__"):
            message = f"requests must be a table or several, not {type(part).__name__}"
            raise WrongTypeError(message)
        table = pa.table(part)
        missing = [name for name in COLUMNS if name not in table.column_names]
        if missing:
            message = f"the table of requests has no column {missing[0]!r}; see goodbot.site.audit"
            raise WrongValueError(message)
        more = [name for name in MORE_COLUMNS if name in table.column_names]
        tables.append(compact(table.select([*COLUMNS, *more])))
    if not tables:
        message = "there are no requests; pass one table or several"
        raise WrongValueError(message)
    return pa.concat_tables(tables, promote_options="default").unify_dictionaries()


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
    table = with_value(one_table(requests), "time")
    of_hosts = SiteNames(sites, options)
    spans = measure_spans(table, of_hosts)
    unnamed = unnamed_fetches(with_value(table, "robot", is_null=True), of_hosts)
    table = with_value(table, "robot")
    targets, target_names = encode_texts(table, "target")
    robots, addresses = texts(table, "robot"), texts(table, "address")
    further = {name: texts(table, name) for name in MORE_COLUMNS if name in table.column_names}
    return RequestRows(
        lines=integers(table, "line"),
        times=times_in(table),
        addresses=addresses,
        methods=texts(table, "method"),
        targets=targets,
        statuses=integers(table, "status"),
        sizes=integers(table, "bytes"),
        robots=robots,
        retries=further.get("retry_after"),
        challenges=further.get("challenge"),
        identities=identity_column(table, zip(robots, addresses, strict=True), identities),
        target_names=target_names,
        groups=group_rows(robots, site_column(table, of_hosts)),
        spans=spans,
        sources=further.get("source"),
        unnamed_fetches=unnamed,
    )


def with_value(table: Any, name: str, *, is_null: bool = False) -> Any:  # noqa: ANN401  pyarrow's
    """Return the rows in which a column has a value, or in which it has none."""
    nulls = table.column(name).null_count
    if nulls == (table.num_rows if is_null else 0):
        return table
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    column = table.column(name)
    return table.filter(pc.is_null(column) if is_null else pc.is_valid(column))


def times_in(table: Any) -> Sequence[int]:  # noqa: ANN401  pyarrow's
    """Return the times, none of which is null, in microseconds since 1970."""
    place = table.column_names.index("time")
    numbers = table.set_column(place, "time", table.column("time").cast("int64"))
    return cast("Sequence[int]", integers(numbers, "time"))


def unnamed_fetches(table: Any, names: "SiteNames") -> list[UnnamedFetch]:  # noqa: ANN401  pyarrow's
    """Return the requests for robots.txt in rows that name no robot."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    targets = table.column("target").cast("string").fill_null("")
    table = table.filter(pc.ends_with(targets, ROBOTS_TXT))
    statuses, sites = integers(table, "status"), site_column(table, names)
    found = map(UnnamedFetch, texts(table, "address"), sites, times_in(table), statuses)
    lines = zip(found, texts(table, "method"), texts(table, "target"), strict=True)
    return [one for one, method, target in lines if is_robots_fetch(method, target_path(target))]


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


def site_column(table: Any, names: "SiteNames") -> list[str | None]:  # noqa: ANN401  pyarrow's
    """Return the site of each row."""
    pairs = zip(texts(table, "scheme"), texts(table, "host"), strict=True)
    return [names.of(scheme, host) for scheme, host in pairs]


def measure_spans(table: Any, names: "SiteNames") -> dict[str | None, LogSpan]:  # noqa: ANN401  pyarrow's
    """Return from when until when each site has requests."""
    pa = pyarrow_of_audit()
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    times = table.column("time").cast("int64")
    numbers = pc.floor(pc.divide(times.cast("float64"), float(DAY))).cast("int64")
    plain = pa.table({name: table.column(name) for name in ("scheme", "host")} | {
        "time": times, "day": numbers,
    })  # fmt: skip
    grouped = plain.group_by(["scheme", "host", "day"]).aggregate(
        [("time", "count"), ("time", "min"), ("time", "max")]
    )
    pairs = zip(texts(grouped, "scheme"), texts(grouped, "host"), strict=True)
    columns = [grouped.column(name).to_pylist()
               for name in ("day", "time_count", "time_min", "time_max")]  # fmt: skip
    found: dict[str | None, list[dict[int, DayCount]]] = {}
    for (scheme, host), day, *counts in zip(pairs, *columns, strict=True):
        found.setdefault(names.of(scheme, host), []).append({day: DayCount(*counts)})
    spans = {site: log_span(merge_days(parts)) for site, parts in found.items()}
    return {site: span for site, span in spans.items() if span is not None}


def group_rows(robots: list[str], sites: list[str | None]) -> list[RequestGroup]:
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
