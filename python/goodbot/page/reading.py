"""How a document is read: in the way of its type, into runs, links and what it says of itself."""

import re
from collections.abc import Iterable
from datetime import timedelta

from goodbot._core import PART_ACTS, HtmlDocument, HtmlFacts, parse_html, parse_xml
from goodbot.http.fields import Fields, scalar, values_of
from goodbot.http.status import CHALLENGE, answer_status
from goodbot.page.combine import DisplayLimits, conflicts, limits_of, verdicts_of
from goodbot.page.dialects import PageDialect
from goodbot.page.directives import DIRECTIVES
from goodbot.page.encoding import decoded, text_of_xml
from goodbot.page.finding_codes import Findings
from goodbot.page.header import charset_of, links_of
from goodbot.page.inputs import (
    checked_bytes,
    days,
    emptied,
    evidently,
    sniffed,
    type_of,
)
from goodbot.page.marks import INDEX, WATCHED
from goodbot.page.parts import Link, Run
from goodbot.page.pi import read_robots_pi, syntax_error
from goodbot.page.plan import MOST_LINKS, MOST_RUNS, Plan, declared_names
from goodbot.page.resolving import LONGEST_URL, Resolver, Why, join, most_url_bytes
from goodbot.page.robot_names import RobotNames
from goodbot.page.statements import statements_of_metas
from goodbot.page.usage import PageUsage, usage_of
from goodbot.page.verdict import Act, PageVerdict, Source, Statement
from goodbot.page.words import flattened

__all__ = ["HTML_TYPES", "Reading"]

SIZE_LIMIT = 16 * 1024 * 1024
"""The most octets of a document that are read."""

SECTION_ACTS: tuple[Act, ...] = tuple(PART_ACTS)
"""The acts that marks on a part speak of, in the order of the core."""

HTML_TYPES = {"text/html", "application/x-html", "text/xhtml", "text/x-html"}
SHORTEST_REPEATED = 4
MOST_REPEATED = 200
PI_IN_HTML = "?robots"
"""What a processing instruction is in HTML: a comment that begins so."""

MOST_KEYWORDS = 1_000
MOST_LICENSE_BYTES = 64 * 1024
"""The URLs of licences take no more bytes than this together."""
RELATION = re.compile(r"(?<!\S)(?:canonical|license|robotexclusion\.names)(?!\S)")
"""The relations of a LINK element that mean something here."""

Metas = list[tuple[str, str, bool, bool, int]]
"""META elements: name, content, whether it is an http-equiv, whether in the HEAD, line."""

LinkElements = list[tuple[str, str, str, str, str, bool, int]]
"""LINK elements: rel, href, type, name, content, whether in the HEAD, line."""

WITHOUT_PROFILE = "classes of the Robot Exclusion Profile mean nothing: the HEAD does not name it"
TOO_MANY = f"over {MOST_LINKS} links or {MOST_RUNS} runs; the rest is not kept"
NO_ROOM = (
    "the URLs of the links would take over four times the size of the document and 1 MiB; from "
    "here on they are not resolved"
)
READ_AS_EMPTY = "such are read as if they were empty"
CONTRADICTION = "classes of one element contradict each other"

LIMITS = {
    "depth": ("too-deep", "elements are nested over 512 deep; what stands deeper is left out"),
    "nodes": (
        "too-many-nodes",
        "there are too many nodes; the rest is passed over",
    ),
    "attributes": ("too-many-attributes", "a tag has over 256 attributes; the rest is passed over"),
}


class Reading:
    """A document that has been read; `Page` is what is asked about it."""

    url: str
    status: int
    dialect: PageDialect
    content_type: str
    runs: list[Run]
    links: list[Link]
    limits: DisplayLimits
    base: str
    encoding: str | None
    title: str
    description: str | None
    keywords: list[str]
    revisit_after: timedelta | None
    spider_by: str | None
    index_instead: str | None
    canonical: str | None
    names_url: str | None
    usage: PageUsage

    _robot: RobotNames
    _fields: Fields
    _octets: int | None
    """The bytes of the content that was given; `None` of a text, which has lost its encoding."""
    _profile_uris: tuple[str, ...]
    _lenient: bool
    _vocabulary: str
    _marks: frozenset[str]
    _names_page: bytes | None
    _findings: Findings
    _body: bytes
    _is_marked_up: bool
    """Whether it is XML in which something was found."""
    _charset: str | None
    _charset_is_stated: bool
    _said: list[Statement]
    _whole: dict[Act, PageVerdict]
    _plan: Plan
    _json_ld: str
    _excludes: bool
    _is_not: str | None
    """What the octets are, if they are evidently not what their type says."""

    def _input(self, body: object, content_type: str | None) -> tuple[bytes, str | None, str]:
        """Take the octets, the charset that the header declares, and the type."""
        octets = checked_bytes(body, "body")
        self._octets = None if isinstance(body, str) else len(octets)
        stated = values_of(self._fields, "content-type")
        declared = scalar(content_type or ", ".join(stated))
        charset = "utf-8" if isinstance(body, str) else charset_of(declared)
        self._charset_is_stated = not isinstance(body, str)
        if len(octets) > SIZE_LIMIT:
            message = f"the document has {len(octets)} octets; the first {SIZE_LIMIT} were read"
            self._findings.add("too-large", message)
            octets = octets[:SIZE_LIMIT]
        return octets, charset, type_of(declared) or sniffed(self.url, octets)

    def _read(self) -> None:
        """Read the document in the way of its type."""
        kind = self.content_type
        is_text = kind in HTML_TYPES or kind.startswith("text/") or kind.endswith(("/xml", "+xml"))
        self._is_not = evidently(self._body) if is_text else None
        if self._is_not:
            message = f"the type is {kind}, and the octets are {self._is_not}"
            self._findings.add("no-document", message)
        if kind in HTML_TYPES:
            self._read_html()
        elif kind.endswith(("/xml", "+xml")):
            self._read_xml()
        else:
            self._read_nothing()
            if kind.startswith("text/"):
                self._read_text()
        self._repeated()
        for forbidding, allowing in conflicts(self._said):
            message = f"{forbidding.source} contradicts {allowing.source}"
            self._findings.add("conflicting-directives", message, forbidding.source.line)

    def _read_html(self) -> None:
        document = parse_html(self._body, self._charset, [*WATCHED, PI_IN_HTML])
        facts = document.facts
        self._heed(facts.metas)
        self._plan_for(facts)
        self._of_html(facts)
        self._scanned(document)
        self._pi_in_html(facts)
        self._self_description(facts.title, facts.metas, facts.links)
        emptied(facts.metas, facts.links, facts.comments, facts.noindex, facts.json_ld)

    def _plan_for(self, facts: HtmlFacts) -> None:
        """Decide what the marks mean, once it is known what the document says of itself."""
        plan = Plan(self.dialect, self._marks)
        plan.add_table()
        self._profile(plan, facts.profile, facts.metas)
        plan.add_regions(facts)
        plan.most_url_bytes = most_url_bytes(facts.length)
        self._plan = plan
        self.base = join(self.url, facts.base.strip()) if facts.base else self.url

    def _heed(self, metas: Metas) -> None:
        """Add what META elements say, and decide for the document as a whole."""
        said = statements_of_metas(metas, self._robot, self.dialect, self._findings)
        self._decided([*self._said, *said])

    def _decided(self, said: list[Statement]) -> None:
        """Decide for the document as a whole."""
        self._said = said
        self.limits = limits_of(said)
        whole = verdicts_of(said, self._robot.given, self.url, self.dialect)
        source = None
        row = answer_status(self.status, self._fields, self._octets)
        if row is CHALLENGE:
            source = Source("header", "cf-mitigated", 0, "challenge")
        elif not row.is_success:
            source = Source("header", "status", 0, str(self.status))
        elif self._is_not:
            source = Source("header", "Content-Type", 0, f"{self.content_type}, and it is not")
        if source is not None:
            whole = {act: self._verdict(act, False, "no-document", source) for act in whole}  # noqa: FBT003
        self._whole = whole

    def _verdict(
        self,
        act: Act,
        allowed: bool,  # noqa: FBT001
        reason: str,
        source: Source | None,
    ) -> PageVerdict:
        robot, dialect = self._robot.given, self.dialect.name
        return PageVerdict(act, allowed, reason, source, robot, self.url, dialect)

    def _profile(self, plan: Plan, profile: tuple[str, int] | None, metas: Metas) -> None:
        """Take up the Robot Exclusion Profile, if the document names it."""
        names = declared_names(metas)
        if self._names_page is not None:
            names = declared_names(parse_html(self._names_page, None, []).facts.metas) | names
        written = profile[0] if profile else ""
        plan.add_profile(written, self._profile_uris, names, self._robot)

    def _name(self, causes: list[tuple[int, bool, int]]) -> tuple[list[PageVerdict], ...]:
        """Give the verdicts that stand for causes: for each act a list, nothing said first."""
        lists = []
        rows = self._plan.rows
        self._excludes = any(rows[row].forbids & INDEX and not allows for row, allows, _ in causes)
        for number, act in enumerate(SECTION_ACTS):
            verdicts = [self._whole[act]] * (len(causes) + 1)
            lists.append(verdicts)
            if not verdicts[0].allowed:
                continue
            for place, (row, allows, line) in enumerate(causes, 1):
                if (rows[row].forbids | rows[row].allows) >> number & 1:
                    verdicts[place] = self._of_cause(act, row, allows, line)
        return tuple(lists)

    def _of_cause(self, act: Act, row: int, allows: bool, line: int) -> PageVerdict:  # noqa: FBT001
        mark = self._plan.rows[row]
        source = Source("mark", mark.name, line, "")
        return self._verdict(act, allows, "mark-allows" if allows else "mark-forbids", source)

    def _of_html(self, facts: HtmlFacts) -> None:
        """Take up what an HTML document is written in, and what it says to programs."""
        self.encoding: str | None = facts.encoding
        self._of_encoding(facts)
        self._json_ld = " ".join(text for text, _line in facts.json_ld)

    def _scanned(self, document: HtmlDocument) -> None:
        """Find runs and links by the plan, and report the limits that were met."""
        scan = document.scan(self._plan.as_dict(self.base))
        index, follow, anchor, archive, snippet = self._name(scan.causes)
        self.runs = scan.runs(index, archive, snippet)
        self.links = scan.links(follow, anchor)
        findings = self._findings
        for limit, line in document.facts.met.items():
            findings.add(LIMITS[limit][0], LIMITS[limit][1], line)
        if scan.cut:
            findings.add("too-many-parts", TOO_MANY)
        for line in scan.conflicts:
            findings.add("conflicting-classes", CONTRADICTION, line)
        if scan.idle is not None:
            findings.add("classes-without-profile", WITHOUT_PROFILE, scan.idle)
        self._unresolved(scan.unresolved)

    def _unresolved(self, links: Iterable[tuple[str, Why, int]]) -> None:
        """Report the links that were not resolved; the first without room stands for the rest."""
        for url, why, line in links:
            if why == "over-budget":
                self._findings.add("links-not-resolved", NO_ROOM, line)
                return
            if why == "too-long":
                message = f"{url[:60]!r} is over {LONGEST_URL:,} bytes long once it is resolved"
                self._findings.add("link-too-long", message, line)
            else:
                self._findings.add("unresolved-link", f"{url[:60]!r} cannot be resolved", line)

    def _of_encoding(self, facts: HtmlFacts) -> None:
        add = self._findings.add
        if facts.unknown:
            add("encoding-unknown", f"{facts.unknown!r} is no encoding; {self.encoding} is taken")
        if facts.contradicted and self._charset_is_stated:
            add("encoding-contradicted", f"header and META disagree; {self.encoding} is taken")
        if facts.declared == "fallback":
            message = f"nobody declares an encoding, and it is not UTF-8; {self.encoding} is taken"
            add("encoding-undeclared", message)
        self._of_broken(facts)

    def _of_broken(self, facts: HtmlFacts) -> None:
        if facts.broken:
            message = f"some octets are no characters of {self.encoding}"
            self._findings.add("encoding-broken", message)

    def _pi_in_html(self, facts: HtmlFacts) -> None:
        """Notice a processing instruction that disagrees with META, which is obeyed in HTML."""
        for text, _start, _end in facts.comments:
            data = text.removeprefix(PI_IN_HTML).strip().rstrip("?")
            said = read_robots_pi(data, lenient=True) if text.startswith(PI_IN_HTML) else None
            if said and said != (self._whole["index"].allowed, self._whole["follow"].allowed):
                message = (
                    f"<?robots {data}?> disagrees with what META says, which is obeyed in HTML"
                )
                self._findings.add("pi-contradicts-meta", message)

    def _read_xml(self) -> None:
        self._body, self.encoding = text_of_xml(self._body, self._charset, self._findings)
        document = parse_xml(self._body, WATCHED)
        facts = document.facts
        self._is_marked_up = facts.read_to > 0
        self._of_xml(facts)
        metas = statements_of_metas(facts.metas, self._robot, self.dialect, self._findings)
        said = self._of_pi(self._instructions(facts), metas)
        self._decided([*self._said, *said, *self._behind_the_error(document)])
        self._plan_for(facts)
        self._scanned(document)
        self._self_description(facts.title, facts.metas, facts.links)
        self._json_ld = ""
        emptied(facts.metas, facts.links, facts.comments, facts.noindex)

    def _instructions(self, facts: HtmlFacts) -> tuple[Statement, ...]:
        """Return what the first legal processing instruction for robots states.

        Source: A Robots Processing Instruction for XML Documents, 1999.
        """
        stated: tuple[Statement, ...] = ()
        for data, line, is_late in facts.instructions:
            said = read_robots_pi(data, lenient=self._lenient)
            if said is None:
                message = f"{self.url}: <?robots {data[:60]}?>: {syntax_error(data)}"
                self._findings.add("illegal-robots-pi", message, line)
                continue
            if stated:
                self._findings.add("repeated-robots-pi", "the first legal robots PI holds", line)
                continue
            if is_late:
                message = "the robots PI should stand before any text and any link"
                self._findings.add("late-robots-pi", message, line)
            source = Source("pi", "robots PI", line, data)
            names = ("index" if said[0] else "noindex", "follow" if said[1] else "nofollow")
            stated = tuple(Statement(name, None, source) for name in names)
        return stated

    def _of_xml(self, facts: HtmlFacts) -> None:
        """Report what is wrong with a document of XML (XML 1.0, sections 2.1 and 4.4)."""
        self._of_broken(facts)
        if facts.unsafe_entity is not None:
            shown = facts.unsafe_entity[:60]
            message = f"the entity {shown!r} is long or made of others; {READ_AS_EMPTY}"
            self._findings.add("unsafe-entity", message)
        if facts.fault is not None:
            what, line = facts.fault
            self._findings.add("not-well-formed", f"the XML is not well-formed: {what}", line)

    def _behind_the_error(self, document: HtmlDocument) -> list[Statement]:
        """Look, as HTML is read, for what forbids something behind where XML breaks off."""
        rest = document.rest([PI_IN_HTML])
        if rest is None:
            return []
        found = rest.facts
        metas = [(*meta[:3], True, meta[4]) for meta in found.metas]
        said = statements_of_metas(metas, self._robot, self.dialect, self._findings)
        for text, _start, _end in found.comments:
            data = text.removeprefix(PI_IN_HTML).strip().rstrip("?")
            wanted = read_robots_pi(data, lenient=self._lenient) if text != data else None
            source = Source("pi", "robots PI", 0, data)
            for directive, may in zip(("noindex", "nofollow"), wanted or (), strict=False):
                if not may:
                    said.append(Statement(directive, None, source))
        return [one for one in said if DIRECTIVES[one.directive].forbids]

    def _of_pi(self, stated: tuple[Statement, ...], said: list[Statement]) -> list[Statement]:
        """Join what the processing instruction and META say: in XML the first is obeyed."""
        if not stated:
            return said
        meta = verdicts_of(said, "", "", self.dialect)
        pi = verdicts_of(stated, "", "", self.dialect)
        others = [one for one in said if not speaks_of_links(one)]
        if len(others) < len(said) and any(
            meta[act].allowed != pi[act].allowed for act in ("index", "follow")
        ):
            message = "the robots PI and META disagree; the PI is obeyed in XML"
            self._findings.add("pi-contradicts-meta", message, stated[0].source.line)
        return [*stated, *others]

    def _read_text(self) -> None:
        """Read plain text: one run a paragraph."""
        text = decoded(self._body, self._charset)
        whole = self._whole
        index, archive, snippet = whole["index"], whole["archive"], whole["snippet"]
        paragraphs = text.replace("\r\n", "\n").split("\n\n")[:MOST_RUNS]
        line = 1
        for paragraph in paragraphs:
            if paragraph.strip():
                self.runs.append(
                    Run(flattened(paragraph), index, archive, snippet, True, line)  # noqa: FBT003
                )
            line += paragraph.count("\n") + 2

    def _read_nothing(self) -> None:
        """Heed the header alone."""
        self._decided(self._said)
        self._plan = Plan(self.dialect, self._marks)
        self.runs, self.links = [], []
        self.base = self.url
        self.encoding = None
        self._self_description("", [], [])
        self._json_ld = ""

    def _self_description(
        self,
        title: str,
        metas: Metas,
        links: LinkElements,
    ) -> None:
        """Take up what the document says of itself beside directives."""
        first: dict[str, str] = {}
        for name, content, *_ in metas:
            first.setdefault(name.lower(), content)
        self.title = title
        self.description = first.get("description")
        words = first.get("keywords", "").split(",", MOST_KEYWORDS)[:MOST_KEYWORDS]
        self.keywords = [word.strip() for word in words if word.strip()]
        self.revisit_after = days(first.get("revisit-after", ""))
        self.spider_by = first.get("spider by")
        instead = first.get("url")
        related: dict[str, list[str]] = {}
        for name, value in self._fields:
            for target, relations, _type in links_of(value) if name == "link" else ():
                for relation in relations:
                    related.setdefault(relation, []).append(target)
        for rel, href, _type, name, content, in_head, _line in links:
            if content and name.lower() == "indexinstead":
                instead = content
            for relation in RELATION.findall(rel.lower()) if href else ():
                # A license may stand anywhere (HTML 4.6.7.11); the others are of the HEAD.
                if in_head or relation == "license":
                    related.setdefault(relation, []).append(href.strip())
        self.index_instead = join(self.base, instead.strip()) if instead else None
        self.canonical = self._related("canonical", related)
        self.names_url = self._related("robotexclusion.names", related)
        licenses = self._licenses(related.get("license", ()))
        self.usage: PageUsage = usage_of(self._fields, metas, licenses, self.base, self._vocabulary)

    def _licenses(self, targets: Iterable[str]) -> tuple[str, ...]:
        """Return the URLs of licences, each once; as written where one is no URL."""
        resolver = Resolver(MOST_LICENSE_BYTES)
        found: dict[str, None] = {}
        for target in dict.fromkeys(targets):
            url, why = resolver.resolve(self.base, target)
            if url is not None or why == "invalid":
                found[url or target] = None
            else:
                message = f"{target[:60]!r} is a licence of which the URL is too long to be kept"
                self._findings.add("link-too-long", message)
            if why == "over-budget":
                break
        return tuple(found)

    def _related(self, relation: str, related: dict[str, list[str]]) -> str | None:
        """Give the first link of a relation, of those in the header and in the HEAD."""
        targets = related.get(relation)
        return join(self.base, targets[0]) if targets else None

    def _repeated(self) -> None:
        """Notice excluded text that stands again where marks do not reach."""
        if not self._excludes:
            return
        excluded = [run for run in self.runs if run.index.reason == "mark-forbids"]
        description = self.description or ""
        places = {"title": self.title, "META description": description, "JSON-LD": self._json_ld}
        plain_places = {name: " ".join(text.split()).casefold() for name, text in places.items()}
        for run in excluded[:MOST_REPEATED]:
            text = run.text.strip().casefold()
            for name, place in plain_places.items():
                if len(text) >= SHORTEST_REPEATED and text in place:
                    shown = run.text.strip()[:60]
                    message = f"{shown!r} is not to be indexed, and stands again in {name}"
                    self._findings.add("excluded-text-repeated", message, run.line)


def speaks_of_links(statement: Statement) -> bool:
    """Whether a statement is about what the processing instruction speaks of."""
    row = DIRECTIVES[statement.directive]
    return bool({*row.forbids, *row.allows} & {"index", "follow"})
