"""Marks on parts of a document: from its facts to a plan, and by it to runs and links."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from goodbot._core import (
    PAGE_LIMITS,
    PART_ACTS,
    HtmlDocument,
    HtmlFacts,
    HtmlScan,
    LinkTable,
    parse_html,
)
from goodbot.errors import NoOriginError
from goodbot.http.address import Address, address_of
from goodbot.page.finding_codes import Findings
from goodbot.page.marks import INDEX, PROFILE_URIS
from goodbot.page.parts import Link, Run
from goodbot.page.plan import MOST_LINKS, MOST_RUNS, Plan
from goodbot.page.profile import (
    NO_PROFILES,
    KnownNames,
    Profiles,
    has_number,
    names_in,
    profiles,
    report_strangers,
    uris_in,
)
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.decided import Decided
from goodbot.page.readers.related import NAMES, SCHEMA, Related
from goodbot.page.resolving import LONGEST_URL, Resolver, Why, join, most_url_bytes
from goodbot.page.verdict import Act, PageVerdict, Source
from goodbot.page.words import joined

WITHOUT_PROFILE = (
    "classes of the Robot Exclusion Profile have no effect, because the HEAD does not name it; "
    f'write <head profile="{PROFILE_URIS[0]}">'
)
TOO_MANY = (
    f"there are more than {MOST_LINKS:,} links or {MOST_RUNS:,} runs of text; the rest is not kept"
)
NO_ROOM = (
    "the URLs of all links together are longer than four times the document and 1 MiB; from here "
    "on they are not resolved"
)
MOST_PROFILE_BYTES = 64 * 1024
"""The most bytes that the URLs of profiles in LINK elements may have together."""
MOST_NAMES_BYTES = 1024 * 1024
"""The most bytes of a page of names that are read."""
NAMES_NOBODY = "names no robot"
CONTRADICTION = "classes of one element contradict each other, and the one that forbids holds"

LIMITS = {
    "depth": (
        "too-deep",
        f"elements are nested over {PAGE_LIMITS['depth']} deep; the deeper ones are not read",
    ),
    "nodes": (
        "too-many-nodes",
        "the document has too many nodes; the rest is not read",
    ),
    "attributes": (
        "too-many-attributes",
        f"a tag has over {PAGE_LIMITS['attributes']} attributes; the rest is not read",
    ),
}
"""The code and the message of the finding for each limit of the core."""


OF_TEXTS: tuple[Act, Act, Act] = ("index", "archive", "snippet")
"""The acts on which each text has a verdict."""

Verdicts: TypeAlias = tuple[PageVerdict, PageVerdict, PageVerdict]
"""The verdicts on a text: whether it may be indexed, archived and quoted."""

Cause: TypeAlias = tuple[int, bool, int]
"""The effect of a mark on a part: its row in the plan, whether it allows, the line of the mark."""


class Inventory(NamedTuple):
    """What the core counts and lists for an inventory of the site."""

    language: str | None
    """The language tag of the root element, if it resembles one."""
    heading: str
    """The text of the first H1 as far as no mark withholds it."""
    withheld: bool
    """Whether a mark withholds a part of that text."""
    headings: int
    """The number of H1 elements."""
    words: int
    """The number of words that no mark keeps out of the index."""
    simhash: int | None
    """The hash of these words; `None` if there are none."""
    resources: Sequence[tuple[Any, str]]
    """The resources that the document loads: kind and URL."""
    alternates: Sequence[tuple[str, str]]
    """The document in other languages: language tag and URL."""
    more: int
    """The number of resources and alternates that are not listed."""


class ListedParts(NamedTuple):
    """The runs and links of a document that the core did not scan."""

    runs: list[Run]
    links: list[Link]

    def text(self) -> str:
        """Return the text of all runs."""
        return joined(self.runs)

    def table(self) -> LinkTable:
        """Return the links by their targets."""
        return LinkTable(self.links)


class ScannedParts:
    """The runs and links that the core found, made as objects when they are first asked for.

    A crawl needs only the text and the table of links, which the core has without them.

    Args:
        scan: What the core found.
        causes: The causes among that.
        plan: The plan by which it was found.
        given: The arguments of the page.
        decided: The verdicts on the document as a whole.

    """

    __slots__ = ("_decided", "_links", "_of", "_runs", "_scan")

    def __init__(
        self, scan: HtmlScan, causes: list[Cause], plan: Plan, given: Given, decided: Decided
    ) -> None:
        """Make no object yet."""
        self._scan, self._of, self._decided = scan, (causes, plan, given), decided
        self._runs: list[Run] | None = None
        self._links: list[Link] | None = None

    @property
    def runs(self) -> list[Run]:
        """The runs, in page order."""
        if self._runs is None:
            index, archive, snippet = map(self.verdicts, OF_TEXTS)
            self._runs = self._scan.runs(index, archive, snippet)
        return self._runs

    @property
    def links(self) -> list[Link]:
        """The links, in page order."""
        if self._links is None:
            self._links = self._scan.links(self.verdicts("follow"), self.verdicts("anchor"))
        return self._links

    def verdicts(self, act: Act) -> list[PageVerdict]:
        """Return the verdicts on an act; see `verdicts_on`."""
        return verdicts_on(act, *self._of, self._decided)

    def text(self) -> str:
        """Return the text of all runs."""
        return self._scan.text()

    def table(self) -> LinkTable:
        """Return the links by their targets."""
        causes, _, _ = self._of
        if causes:
            return self._scan.table(self.verdicts("follow"), self.verdicts("anchor"))
        whole = self._decided.whole  # whose rows say enough of links without marks
        return self._scan.table([whole.row("follow")], [whole.row("anchor")])


class Marked(NamedTuple):
    """The parts of a document, each with its verdicts."""

    plan: Plan
    parts: ListedParts | ScannedParts
    excludes: bool
    """Return whether a mark forbids indexing some text."""
    described: list[Verdicts]
    """The verdicts on title, description and keywords; empty if they are those on the whole."""
    names_needed: str | None
    """The URL of the page of names that should be fetched; `None` if nothing depends on it."""
    inventory: Inventory | None = None
    """The inventory of the document; `None` if it has no markup."""
    is_uniform: bool = False
    """Whether it is known that no mark exempts a part from an act that the whole allows."""
    has_other_links: bool = True
    """Whether a link may be a refresh, or lead to a script."""

    @property
    def runs(self) -> list[Run]:
        """The runs, in page order."""
        return self.parts.runs

    @property
    def links(self) -> list[Link]:
        """The links, in page order."""
        return self.parts.links


def plan_for(given: Given, facts: HtmlFacts, related: Related) -> Plan:
    """Return the plan of a document: the meaning of its marks, according to its facts."""
    may_declare = facts.profile or related.targets
    declared = declared_by(given, facts, related) if may_declare else NO_PROFILES
    if declared.is_declared:
        plan = Plan(given.dialect, given.marks)
        plan.add_table()
        plan.add_profile(declared, names_for(given, facts, related), given.robot)
    else:
        plan = Plan.sharing_idle(given.dialect, given.marks)
    plan.add_regions(facts)
    plan.most_url_bytes = most_url_bytes(facts.length)
    return plan


def declared_by(given: Given, facts: HtmlFacts, related: Related) -> Profiles:
    """Return the profiles that a document declares."""
    listed = uris_in(facts.profile[0]) if facts.profile else []
    if given.profile_links:
        listed += resolve_profiles(related.base, related.of("profile"))
    return profiles(listed, given.profile_uris, schema=bool(related.of(SCHEMA)))


def resolve_profiles(base: str, targets: Iterable[str]) -> Iterator[str]:
    """Yield the URLs of profiles until they exceed their bound."""
    resolver = Resolver(MOST_PROFILE_BYTES)
    for target in targets:
        url, why = resolver.resolve(base, target)
        if why == "over-budget":
            return
        if url is not None:
            yield url


def names_for(given: Given, facts: HtmlFacts, related: Related) -> KnownNames:
    """Return the names of robots by number, from the document and from its page of names.

    A page of names without any name is probably a soft 404 or a login page, so it proves nothing.
    """
    own, elsewhere = names_in(facts.metas), related.first(NAMES)
    if given.names_page is not None:
        others = names_on(given.names_page)
        if others.name_somebody:
            return others.beside(own)
        return own._replace(unread=elsewhere or "the page of names", fault=NAMES_NOBODY)
    if elsewhere is None:
        return own
    if prepare_url(elsewhere) != prepare_url(given.url):
        return own._replace(unread=elsewhere)
    return own if own.name_somebody else own._replace(unread=elsewhere, fault=NAMES_NOBODY)


@lru_cache(maxsize=16)
def names_on(content: bytes) -> KnownNames:
    """Return the names on a page of names, from a cache: pages of a site usually share one."""
    facts = parse_html(content[:MOST_NAMES_BYTES], None, []).facts
    names = names_in(facts.metas)
    is_cut = len(content) > MOST_NAMES_BYTES or bool(facts.met)
    lists = tuple((f"{name[:60]} (on the page of names)", 0) for name, _line in names.lists)
    return names._replace(are_all=names.are_all and not is_cut, lists=lists)


def names_needed(given: Given, names: KnownNames) -> str | None:
    """Return the page of names to fetch: one of the document's origin that was not read."""
    own, other = prepare_url(given.url), prepare_url(names.unread or "")
    may_help = names.fault != NAMES_NOBODY
    return other[1] if may_help and own and other and own[0] == other[0] else None


def prepare_url(url: str) -> Address | None:
    """Return the origin of a URL and the URL as it is sent; `None` if it has no origin."""
    try:
        return address_of(url)
    except NoOriginError:
        return None


def scan_marks(
    plan: Plan,
    base: str,
    document: HtmlDocument,
    given: Given,
    decided: Decided,
    findings: Findings,
) -> Marked:
    """Return the parts of a document by a plan, and report the limits it exceeds."""
    facts = document.facts
    scan = document.scan(plan.as_dict(base))
    causes = scan.causes
    parts = ScannedParts(scan, causes, plan, given, decided)
    for limit, line in facts.met.items():
        findings.add(LIMITS[limit][0], LIMITS[limit][1], line)
    may_report = scan.is_odd or plan.declares_profile
    needs = may_report and report_parts(plan, scan, findings)
    needed = names_needed(given, plan.names) if needs else None
    described = named_verdicts(scan, parts) if causes else []
    is_part, inventory = excludes(plan, causes), Inventory._make(scan.inventory)
    is_uniform = not causes and decided.whole.row("anchor").allowed
    return Marked(
        plan,
        parts,
        is_part,
        described,
        needed,
        inventory,
        is_uniform,
        scan.has_other_links,
    )


def named_verdicts(scan: HtmlScan, parts: ScannedParts) -> list[Verdicts]:
    """Return the verdicts on title, description and keywords."""
    index, archive, snippet = map(parts.verdicts, OF_TEXTS)
    return [
        (index[by_index], archive[by_archive], snippet[by_snippet])
        for by_index, by_archive, by_snippet in scan.described
    ]


def find_base(given: Given, facts: HtmlFacts) -> str:
    """Return the URL against which links are resolved."""
    return join(given.url, facts.base.strip()) if facts.base else given.url


def excludes(plan: Plan, causes: Sequence[Cause]) -> bool:
    """Whether a mark forbids indexing some text."""
    return bool(causes) and any(
        plan.rows[row].forbids & INDEX and not allows for row, allows, _ in causes
    )


def make_unmarked(given: Given, runs: list[Run]) -> Marked:
    """Return the parts of a document that cannot have marks."""
    plan = Plan(given.dialect, given.marks)
    parts = ListedParts(runs, [])
    return Marked(plan, parts, excludes=False, described=[], names_needed=None)


def verdicts_on(
    act: Act, causes: list[Cause], plan: Plan, given: Given, decided: Decided
) -> list[PageVerdict]:
    """Return the verdicts on an act: first without a mark, then one for each cause."""
    whole, bit = decided.whole[act], 1 << PART_ACTS.index(act)
    decide = [plan.rows[row].forbids | plan.rows[row].allows for row, _, _ in causes]
    verdicts = [
        explain_mark(plan, given, act, cause) if whole.allowed and acts & bit else whole
        for cause, acts in zip(causes, decide, strict=True)
    ]
    return [whole, *verdicts]


def explain_mark(plan: Plan, given: Given, act: Act, cause: Cause) -> PageVerdict:
    """Return the verdict that follows from a mark."""
    row, allows, line = cause
    source = Source("mark", plan.rows[row].name, line, "")
    return given.verdict(act, allows, "mark-allows" if allows else "mark-forbids", source)


def report_parts(plan: Plan, scan: HtmlScan, findings: Findings) -> bool:
    """Report what is odd about the parts of a document, and return what `report_classes` does."""
    if scan.cut:
        findings.add("too-many-parts", TOO_MANY)
    for line in scan.conflicts:
        findings.add("conflicting-classes", CONTRADICTION, line)
    needs = report_classes(plan, scan.idle, scan.strangers, findings)
    report_unresolved(scan.unresolved, findings)
    return needs


def report_classes(
    plan: Plan, idle: int | None, strangers: Iterable[tuple[str, int]], findings: Findings
) -> bool:
    """Report classes of the Profile that have no effect, and those that resemble one.

    Args:
        plan: The plan of the document.
        idle: The line of the first class for every robot that has no effect; `None` if none is.
        strangers: Each class with an unknown number or name, and its line.
        findings: The list to which findings are added.

    Returns:
        Whether the page of names, which was not read, may declare the number of a class.

    """
    if plan.declares_profile:
        return report_strangers(strangers, plan.names, findings)
    lines = [line for written, line in strangers if has_number(written)]
    lines += [] if idle is None else [idle]
    if lines:
        findings.add("classes-without-profile", WITHOUT_PROFILE, min(lines))
    return False


def report_unresolved(links: Iterable[tuple[str, Why, int]], findings: Findings) -> None:
    """Report the links that were not resolved; of those over the bound only the first."""
    for url, why, line in links:
        if why == "over-budget":
            findings.add("links-not-resolved", NO_ROOM, line)
            return
        if why == "too-long":
            message = f"the URL of {url[:60]!r} is longer than {LONGEST_URL:,} bytes; shorten it"
            findings.add("link-too-long", message, line)
        else:
            message = f"{url[:60]!r} is not a valid URL, and the link cannot be followed"
            findings.add("unresolved-link", message, line)
