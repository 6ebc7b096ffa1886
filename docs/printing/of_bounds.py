"""The page on bounds: how much of what others send is read, kept and followed."""

from collections.abc import Iterator
from importlib import import_module

import goodbot
from goodbot import net
from printing.as_markdown import code, table

INTRODUCTION = """\
# Bounds

For people who run goodbot on input that they do not trust: how much of what a site sends it reads, keeps and follows. Looking for one bound? There is a table for each kind of input.

Whatever passes a bound is a finding, a failed fetch or a skipped URL, never an exception from the reading code; the work below each bound is linear in the input."""

CONSTANTS = {
    "robots.txt": [
        ("", "dialect", "Size in the default dialect; what is behind it is not read"),
        ("", "policy.redirect_limit", "Redirects of one request for robots.txt"),
        ("goodbot.policy.size", "MOST_BYTES", "Memory of all policies that one robot holds"),
    ],
    "Checked files (`goodbot lint`)": [
        (
            "goodbot.site.lint.proof_budget",
            "MOST_STATES_A_FILE",
            "States of all proofs about a file",
        ),
        ("goodbot.site.lint.proof_budget", "MOST_STATES_A_PROOF", "States of one proof"),
        ("goodbot.site.lint.proof_budget", "MOST_RULES", "Rules of a robot that are proven about"),
        ("goodbot.site.lint.checked_file", "MOST_ROBOTS", "Names of robots that are examined"),
        ("goodbot.site.lint.checked_file", "MOST_MATCHES", "The same names times User-agent lines"),
        (
            "goodbot.site.lint.checked_file",
            "LARGEST_REMOVAL",
            "Bytes of a file in which removals of lines are proven",
        ),
        ("goodbot.site.lint.lint_rule", "MOST_OF_A_RULE", "Findings with the same code"),
    ],
    "Simplified files": [
        (
            "goodbot.site.reasoning.simplification",
            "MOST_PROOFS",
            "Versions of a file that are tried",
        ),
        ("goodbot.site.reasoning.simplification", "MOST_WORK", "Work of a run: lines, names"),
        ("goodbot.site.reasoning.simplification", "WORK_OF_ALL_RUNS", "Work of all runs"),
        ("goodbot.site.reasoning.simplification", "MOST_UNDECIDED", "Proofs without a result"),
        ("goodbot.site.reasoning.simplification", "MOST_LINES", "Lines of a file"),
        (
            "goodbot.site.reasoning.simplification",
            "STATES_OF_ALL_RUNS",
            "States of all comparisons",
        ),
        ("goodbot.site.reasoning.dialect_proof", "STATES_OF_A_RUN", "States of a run"),
        (
            "goodbot.site.reasoning.dialect_proof",
            "STATES_OF_A_LARGE_RUN",
            "States of a run on a file of more than 50,000 bytes",
        ),
        ("goodbot.site.reasoning.dialect_proof", "STATES_OF_A_PROOF", "States of one comparison"),
    ],
    "Expectations": [
        ("goodbot.files.toml_input", "LARGEST_FILE", "Size of a file of expectations"),
        ("goodbot.files.toml_input", "MOST_NAMES", "Names that dots join in one key"),
        ("goodbot.expectations.case_file", "MOST_EXPECTATIONS", "Expectations of a file"),
        (
            "goodbot.expectations.results",
            "MOST_COMPARED",
            "Bytes of robots.txt compared with expectations: its length for each",
        ),
        ("goodbot.expectations.results", "MOST_MEMORY", "Rules kept for further expectations"),
    ],
    "Comparisons": [
        ("goodbot.site.reasoning.difference", "MOST_STATES", "States of one comparison of rules"),
        (
            "goodbot.site.reasoning.case_comparisons",
            "STATES_OF_FILES",
            "States of a comparison of files",
        ),
        (
            "goodbot.site.reasoning.robot_classes",
            "MOST_NAMES",
            "Names of robots that are classified",
        ),
        ("goodbot.site.reasoning.robot_classes", "MOST_MATCHES", "Names compared with groups"),
        ("goodbot.site.reasoning.robot_classes", "MOST_READ", "Bytes of groups read for names"),
        ("goodbot.site.reasoning.robot_classes", "MOST_MEMORY", "Bytes of the rules of all robots"),
        (
            "goodbot.site.reasoning.file_comparison",
            "STATES_OF_DIALECTS",
            "States of a comparison of files in all dialects",
        ),
        (
            "goodbot.site.reasoning.sample_robots",
            "MOST_PAIRS",
            "Robots with two names, in a dialect",
        ),
        (
            "goodbot.site.reasoning.dialect_proof",
            "MOST_MEMORY",
            "Bytes of the rules of all robots in all dialects",
        ),
        ("goodbot.cli.shared.sources.url_source", "MOST_SITEMAP", "Bytes of a sitemap of --urls"),
        ("goodbot.cli.shared.sources.url_source", "MOST_ENTRIES", "URLs of a sitemap of --urls"),
        ("goodbot.cli.shared.sources.url_source", "MOST_READ", "Bytes of a list or log of --urls"),
    ],
    "Known robots": [
        ("goodbot._core", "LONGEST_USER_AGENT", "Bytes of a User-Agent that are read"),
        ("goodbot.bots.user_agents", "MOST_REMEMBERED", "User-Agents whose answer is remembered"),
        ("goodbot.bots.user_agents", "LONGEST_REMEMBERED", "Length of one that is remembered"),
        ("goodbot.bots.published_addresses", "LARGEST_LIST", "Size of a list of addresses"),
        ("goodbot.bots.published_addresses", "MOST_PREFIXES", "Prefixes of a list"),
        ("goodbot.address_lists.refreshing", "MOST_HOPS", "Redirects to a list"),
    ],
    "Policies of a gate, and requests to it": [
        ("goodbot.files.toml_input", "LARGEST_FILE", "Size of a policy"),
        ("goodbot.site.gate.gate_policy", "MOST_RULES", "Rules of a policy"),
        ("goodbot.site.gate.path_patterns", "LONGEST_PATTERN", "Characters of a path of a policy"),
        ("goodbot.site.gate.request_gate", "LONGEST_USER_AGENT", "Characters of a User-Agent"),
        ("goodbot.site.gate.request_gate", "MOST_REMEMBERED", "User-Agents that are remembered"),
        ("goodbot.site.gate.page_fields", "MOST_PATHS", "Paths whose fields are remembered"),
        (
            "goodbot.site.gate.page_fields",
            "LONGEST_PATH",
            "Characters of a path that is remembered",
        ),
        ("goodbot.site.gate.client_address", "LONGEST_FIELD", "Characters of X-Forwarded-For"),
        ("goodbot.site.gate.client_address", "MOST_HOPS", "Proxies that are followed"),
        (
            "goodbot.site.gate.request_delays",
            "MOST_ROBOTS",
            "Robots whose last request is remembered",
        ),
    ],
    "Access logs": [
        ("goodbot._core", "LOG_LIMITS.line_bytes", "Length of a line"),
        ("goodbot._core", "LOG_LIMITS.user_agents", "User-Agents each thread remembers"),
        ("goodbot._core", "LOG_LIMITS.user_agent_bytes", "Length of one that is remembered"),
        ("goodbot.site.logs.file_reading", "MOST_HELD", "Bytes in which the format must show"),
        (
            "goodbot.site.logs.compression",
            "LARGEST_WINDOW",
            "Window of zstd and dictionary of xz, as a power of two",
        ),
    ],
    "Audits": [
        (
            "goodbot.site.audit.files.robot_log",
            "MOST_HOSTS",
            "Other hosts that are counted by name",
        ),
        ("goodbot.site.audit.files.robot_log", "LONGEST_NAME", "Length of an unknown robot's name"),
        (
            "goodbot.site.audit.sender_columns",
            "MOST_UNNAMED",
            "Addresses without a robot's name that are verified",
        ),
        ("goodbot.site.audit.robot_story", "MOST_TARGETS", "Targets of a run of requests"),
        (
            "goodbot.site.audit.robot_story",
            "MOST_COMPARED",
            "Lines of robots.txt that are compared",
        ),
        ("goodbot.site.verbs.audit_view.audit_lanes", "MOST_MULTIPLES", "Robots with a chart"),
    ],
    "Printed HTML (`--html`, `goodbot report`)": [
        ("goodbot.html_page.parts", "MOST_ROWS", "Rows of a table"),
        ("goodbot.html_page.parts", "MOST_CELLS", "Cells of a table"),
        ("goodbot.site.verbs.diff_view.diff_html", "MOST_GROUPS", "Groups of robots of a diff"),
        ("goodbot.crawl.report.rows.packed_tables", "MOST_ROWS", "Rows of a report's table"),
        (
            "goodbot.crawl.report.rows.packed_tables",
            "STATIC_ROWS",
            "Rows of it that are elements of the page without its script",
        ),
        ("goodbot.crawl.report.rows.robot_tables", "MOST_ROBOTS", "Robots that it compares"),
    ],
    "Pages": [
        ("goodbot.page.readers.arguments", "SIZE_LIMIT", "Size of a document"),
        ("goodbot._core", "PAGE_LIMITS.depth", "Depth of elements"),
        ("goodbot._core", "PAGE_LIMITS.nodes", "Nodes of a document"),
        ("goodbot._core", "PAGE_LIMITS.attributes", "Attributes of an element"),
        ("goodbot._core", "LONGEST_URL", "Length of a link's URL"),
        ("goodbot._core", "LONGEST_ENTITY", "Length of an entity of XML that is read"),
        ("goodbot.page.plan", "MOST_LINKS", "Links of a document"),
        ("goodbot.page.plan", "MOST_RUNS", "Runs of text of a document"),
        ("goodbot.page.statements", "MOST_STATEMENTS", "Directives of a document"),
        ("goodbot.page.finding_codes", "MOST_FINDINGS", "Findings on a document"),
    ],
    "Fetches": [
        ("", "limits.seconds", "Time of one fetch, from the name to the last byte"),
        (
            "",
            "limits.min_rate",
            "Bytes of content a second, from 10 seconds after the header on, at least",
        ),
        ("goodbot.net.aiohttp_fetcher", "RATE_AFTER", "Seconds before the rate is checked"),
        ("", "limits.bytes", "Content of one answer, decoded"),
        ("", "limits.wire_bytes", "Content of one answer, as it comes over the wire"),
        ("goodbot.net.sending", "MOST_FIELDS", "Header fields of an answer"),
        ("goodbot.net.sending", "LONGEST_LINE", "Length of a header line"),
        ("goodbot.net.aiohttp_fetcher", "LARGEST_HEADER", "Size of a header"),
        ("goodbot.net.decoding", "MOST_MEMBERS", "Members of a compressed answer"),
        ("goodbot.robot.visiting", "MOST_REDIRECTS", "Redirects of one visit to a page"),
    ],
    "Crawls": [
        ("goodbot.crawl.frontier.quota", "MOST_QUEUED", "New URLs that one page can queue"),
        ("goodbot.crawl.frontier.quota", "MOST_SITEMAPS", "Sitemaps of one site"),
        ("goodbot.sitemaps.sitemap_entries", "MOST_ENTRIES", "Entries of one sitemap"),
        ("goodbot.sitemaps.sitemaps", "MOST_BYTES", "Size of a sitemap, unpacked"),
        ("goodbot.crawl.frontier.quota", "MOST_SKIPPED_OF_CRAWL", "Skipped URLs that are listed"),
        ("goodbot.crawl.evidence.page_findings", "MOST_OF_CRAWL", "Findings that are listed"),
        ("goodbot.crawl.inventory.overview", "MOST_PAIRS", "Pairs of languages that are checked"),
        ("goodbot.crawl.inventory.resources", "MOST_LISTED", "Resources and faults of one row"),
        ("", "bounds.depth", "Links between a start URL and a page; an option changes it"),
        ("", "bounds.url_length", "Length of a URL; an option changes it"),
        ("", "bounds.disk", "Size of a crawl's folder; an option changes it"),
    ],
    "Imports": [
        ("goodbot.warc.foreign_records", "MAX_BLOCK", "Block of a record that is read"),
        (
            "goodbot.warc.captured_response",
            "MAX_RESPONSE_HEAD",
            "Header of a response in a record",
        ),
        ("goodbot.warc.captured_response", "MOST_FIELDS", "Fields of that header"),
        (
            "goodbot.warc.wacz_digests",
            "FREE_JSON",
            "List of the files in a WACZ, and 32 times its compressed size",
        ),
        (
            "goodbot.warc.foreign_records",
            "FREE_RECORDS",
            "Records of a file, and one more for each 16 bytes of it",
        ),
        (
            "goodbot.warc.warc_stream",
            "FREE",
            "Content of a member of gzip or Zstandard, and 200 times its size",
        ),
        (
            "goodbot.warc.stream_coding",
            "MOST_DICTIONARY",
            "The dictionary of a file that is compressed by Zstandard",
        ),
        (
            "goodbot.warc.warc_sources",
            "FREE",
            "Compressed WARC files in a WACZ file, unpacked, and 20 times their size",
        ),
    ],
    "The service (`goodbot serve`)": [
        ("goodbot.service.questions", "MOST_URLS", "URLs of a question"),
        ("goodbot.service.questions", "MOST_ROBOTS", "Robots of a question"),
        ("goodbot.service.questions", "MOST_CELLS", "Verdicts of a question"),
        ("goodbot.service.questions", "MOST_USES", "Those with uses or explanations"),
        ("goodbot.service.asking", "MOST_PAIRS", "Pairs of a robot and a site in a question"),
        ("goodbot.service.questions", "LONGEST_WAIT", "Seconds that a request may wait"),
        ("goodbot.service.asgi", "LONGEST_RECEPTION", "Seconds until a request has arrived"),
        ("goodbot.service.asgi", "LARGEST_BODY", "Size of a request"),
        ("goodbot.service.app", "MOST_CONTENT", "Size of all requests that are worked on"),
        ("goodbot.service.app", "MOST_REQUESTS", "Requests that are worked on"),
        ("goodbot.service.asking", "MOST_LOOKUPS", "Sites that are asked at the same time"),
        ("goodbot.service.asking", "MOST_QUEUED", "Sites that wait to be asked"),
        ("goodbot.service.turns", "MOST_TURNS", "Turns that are out"),
        ("goodbot.service.asking", "MOST_STANDINGS", "Memory of sites that were asked about last"),
    ],
}
"""Of each section: the module, the constant, and what it bounds."""

SIZES = (
    "LARGEST_BODY",
    "MOST_CONTENT",
    "MOST_STANDINGS",
    "SIZE_LIMIT",
    "LARGEST_LIST",
    "MOST_BYTES",
    "LARGEST_HEADER",
    "bytes",
    "wire_bytes",
    "disk",
    "dialect",
)
UNITS = ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"))


def value_of(module: str, name: str) -> float:
    """Return the value of a constant or of a default."""
    if name == "dialect":
        return int(goodbot.dialects()[0].choices["size_limit"])
    first, _, rest = name.partition(".")
    if not module:
        crawl = import_module("goodbot.crawl")
        policy = import_module("goodbot.policy").policy_dialect("rfc9309")
        defaults = {"limits": net.Limits(), "bounds": crawl.Bounds(), "policy": policy}
        value: float = getattr(defaults[first], rest)
        return value
    value = getattr(import_module(module), first)
    return value[rest] if rest else value  # type: ignore[index]


def written(value: float, name: str) -> str:
    """Return a value as people read it."""
    if name.rpartition(".")[2] in SIZES:
        for size, unit in UNITS:
            if value % size == 0:
                return f"{value // size:,.0f} {unit}"
    return f"{value:g} s" if name.endswith("seconds") else f"{value:,}"


def bounds_page() -> Iterator[str]:
    """Yield the table of each section."""
    yield from INTRODUCTION.splitlines()
    yield ""
    for section, rows in CONSTANTS.items():
        yield f"## {section}"
        yield ""
        yield from table(
            ["what", "bound", "where it is set"],
            [
                [what, written(value_of(module, name), name), code(where(module, name))]
                for module, name, what in rows
            ],
        )


def where(module: str, name: str) -> str:
    """Return the place of a bound in the code."""
    places = {
        "dialect": "goodbot.dialect('rfc9309').choices['size_limit']",
        "limits": "goodbot.net.Limits",
        "policy": "goodbot.policy.policy_dialect('rfc9309')",
        "bounds": "goodbot.crawl.Bounds",
    }
    first, _, rest = name.partition(".")
    if module:
        return f"{module}.{first}" + (f"[{rest!r}]" if rest else "")
    return places[first] + (f".{rest}" if rest else "")
