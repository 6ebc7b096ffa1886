"""The requests of robots in a log that is audited.

Scope: it reads logs, and keeps the rows that are about the sites. Rows of people are only counted,
but for requests for robots.txt, which an operator may send under any User-Agent.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from goodbot._core import origin
from goodbot.display import short_repr
from goodbot.errors import MisuseError, NoOriginError
from goodbot.site.audit.request import CUT
from goodbot.site.audit.request_columns import compact, pyarrow_of_audit
from goodbot.site.audit.request_table import COLUMNS
from goodbot.site.logs import LogCounts, open_logs
from goodbot.site.logs.log_files import STANDARD_INPUT, LogSource, name_source
from goodbot.site.logs.log_notes import why_no_requests

MOST_HOSTS = 1_000
"""The most names of other hosts that are remembered."""
MOST_TABLES = 256
"""The most parts of a log in memory; beyond it they become one."""
FURTHER = ("retry_after", "challenge", "signature", "signature_input", "signature_agent")
"""The columns that an audit reads if the log has them."""
LONG_TARGET = 1_024
"""The bytes from which on a target is long."""
MOST_LONG_BYTES = 16 * 1024 * 1024
"""The most bytes of long targets that are kept; of more, the beginnings are kept."""
SHOWN_CHARS = 200
"""The characters of such a beginning."""
OTHERS = "…"
"""What stands for the hosts beyond them."""
PRODUCT = re.compile(
    r"compatible;\s*([A-Za-z][\w-]*)|^(?!Mozilla/|Opera/)\W*([A-Za-z][\w-]*)", re.ASCII
)
LONGEST_NAME = 60
"""The most characters of the name of an unknown robot."""


LogProgress: TypeAlias = Callable[[str, int], None]
"""Called with what goes on, and how many there are: see `goodbot.site.audit.audit`."""


def ignore_progress(_what: str, _count: int) -> None:
    """Do nothing."""


@dataclass(slots=True, repr=False)
class RobotLog:
    """The requests of robots at the sites, those for robots.txt, and what was counted."""

    tables: list[Any]
    """`pyarrow.Table`s with the columns of `goodbot.site.audit.COLUMNS`."""
    counts: LogCounts
    files: tuple[str, ...]
    other_hosts: Counter[str]

    __repr__ = short_repr


def check_logs(logs: Sequence[LogSource], *, is_followed: bool) -> None:
    """Check that standard input is one log only, and not followed.

    Raises:
        MisuseError: It is several, or followed.

    """
    if logs.count(STANDARD_INPUT) > 1:
        message = "standard input can be one log only; name - once"
        raise MisuseError(message)
    if is_followed and STANDARD_INPUT in logs:
        message = "{follow} reads a file as it grows, not standard input; name the file"
        raise MisuseError(message, {"follow": "stop="})


def read_robot_log(
    logs: Sequence[LogSource],
    sites: Sequence[str],
    *,
    log_format: str | None = None,
    unknown: bool = False,
    proxies: int = 0,
    server_ports: Sequence[int] = (),
    stop: Callable[[], bool] | None = None,
    progress: LogProgress = ignore_progress,
) -> RobotLog:
    """Return the requests of robots in logs.

    Args:
        logs: The logs.
        sites: The origins of the sites.
        log_format: Their format; by default it is detected.
        unknown: Whether robots that are not known have rows, by the names that they give.
        proxies: How many proxies add an address to X-Forwarded-For.
        server_ports: The ports at which the server listens behind a proxy.
        stop: Asked whether to end; with it, the last log is read as it grows.
        progress: Called with `lines` and how many were read so far.

    Raises:
        MisuseError: A log cannot be read, or it has no request.
        MissingExtraError: pyarrow, or what decompresses a log, is not installed.
        WrongValueError: There is no such format.

    """
    pa = pyarrow_of_audit()
    # An operator may fetch robots.txt under any User-Agent, and all its robots may use the copy.
    reader = open_logs(
        logs,
        log_format,
        sites=sites,
        unknown=unknown,
        robots_txt=True,
        proxies=proxies,
        server_ports=server_ports,
    )
    log, targets = RobotLog([], LogCounts(), (), Counter()), LongTargets()
    names = [*COLUMNS, *FURTHER, *(["source"] if len(reader.files) > 1 else [])]
    for batch in reader.requests(follow=stop is not None, stop=stop):
        table = with_names(pa.table(batch)) if unknown else pa.table(batch)
        rows = select_sites(table.select(names), sites, log.other_hosts)
        add_table(log.tables, targets.limit_targets(rows))
        progress("lines", reader.counts().lines)
        if stop is not None and stop():
            break
    log.counts, log.files = reader.counts(), reader.files
    if log.counts.first is None:
        names, is_given = [*map(name_source, logs)], log_format is not None
        why = why_no_requests(log.counts, names, is_format_given=is_given)
        raise MisuseError(why.template, why.settings)
    if not log.tables:
        log.tables.append(pa.table({name: pa.array([], kind(pa, name)) for name in COLUMNS}))
    return log


def add_table(tables: list[Any], table: Any) -> None:  # noqa: ANN401  pyarrow's
    """Add requests to those that were read; a log that is followed comes in many small parts."""
    rows = table.num_rows
    lacking = [name for name in FURTHER if table.column(name).null_count == rows]
    tables.append(copy_table(compact(table.drop_columns(lacking))))
    if len(tables) > MOST_TABLES:
        pa = pyarrow_of_audit()
        whole = pa.concat_tables(tables, promote_options="default")
        tables[:] = [whole.unify_dictionaries().combine_chunks()]


def copy_table(table: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return a copy of a table: one column of a batch keeps the whole batch in memory."""
    pa = pyarrow_of_audit()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


class LongTargets:
    """The long targets of a log, of which so many bytes are kept; a client may send any number."""

    def __init__(self) -> None:
        self.size = 0

    def limit_targets(self, table: Any) -> Any:  # noqa: ANN401  pyarrow's
        """Return a table in which long targets that are too many are cut, and are not judged."""
        import pyarrow as pa  # noqa: PLC0415  an extra
        import pyarrow.compute as pc  # noqa: PLC0415  an extra

        column = table.column("target")
        lengths = pc.binary_length(column).fill_null(0)
        is_long = pc.greater(lengths, LONG_TARGET)
        if not pc.any(is_long).as_py():
            return table
        sums = pc.cumulative_sum(pc.if_else(is_long, lengths, 0).cast(pa.int64()))
        is_cut = pc.and_(is_long, pc.greater(sums, MOST_LONG_BYTES - self.size))
        self.size += sums[-1].as_py()
        begun = pc.binary_join_element_wise(
            CUT, pc.utf8_slice_codeunits(column, 0, SHOWN_CHARS), ""
        )
        place = table.column_names.index("target")
        return table.set_column(place, "target", pc.if_else(is_cut, begun, column))


def kind(pa: Any, name: str) -> Any:  # noqa: ANN401  pyarrow's
    """Return the type of a column."""
    numbers = {"line": pa.int64(), "status": pa.int16(), "bytes": pa.int64()}
    return pa.timestamp("us", "UTC") if name == "time" else numbers.get(name, pa.string())


def with_names(table: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return the rows with the names that unknown robots give; those without one stay unnamed."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    agents = table.column("user_agent").combine_chunks()
    named = pa.array([product_in(agent) for agent in agents.dictionary.to_pylist()], pa.string())
    robots = pc.coalesce(table.column("robot").cast(pa.string()), named.take(agents.indices))
    return table.set_column(table.column_names.index("robot"), "robot", robots)


def product_in(user_agent: str) -> str | None:
    """Return the name that an unknown robot gives in its User-Agent; `None` without one.

    >>> product_in("Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)")
    'ExampleBot'
    >>> product_in("example-crawler/2 (+https://example.com)"), product_in("Mozilla/5.0 (bot)")
    ('example-crawler', None)

    Source: RFC 9110 section 10.1.5: the first product is the most important one.

    """
    found = PRODUCT.search(user_agent or "")
    return None if found is None else (found[1] or found[2])[:LONGEST_NAME]


def select_sites(table: Any, sites: Sequence[str], other_hosts: Counter[str]) -> Any:  # noqa: ANN401  pyarrow's
    """Return the rows about the sites, and count the others by host."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    hosts, schemes = (table.column(name).fill_null("") for name in ("host", "scheme"))
    keys = pc.binary_join_element_wise(schemes, hosts, "//").combine_chunks().dictionary_encode()
    is_wanted = [is_about(key, sites) for key in keys.dictionary.to_pylist()]
    if all(is_wanted):
        return table
    wanted = pa.array(is_wanted, pa.bool_()).take(keys.indices)
    others = keys.dictionary.take(keys.indices.filter(pc.invert(wanted))).to_pylist()
    for key, rows in Counter(others).items():
        scheme, _, host = key.partition("//")
        site = f"{scheme}://{host}" if scheme else host
        name = site if site in other_hosts or len(other_hosts) < MOST_HOSTS else OTHERS
        other_hosts[name] += rows
    return table.filter(wanted)


def is_about(key: str, sites: Sequence[str]) -> bool:
    """Return whether a scheme and host, each of which may be missing, are those of a site."""
    scheme, _, host = key.partition("//")
    if not host:
        return True
    try:
        found = [
            origin(f"{scheme_name}://{host}/")
            for scheme_name in ([scheme] if scheme else ["https", "http"])
        ]
    except NoOriginError:
        return False
    return any(site in sites for site in found)
