"""The answers on the uses of one URL, from everything that is said about them.

Scope: combining what was read. It loads no reader of pages, so that records of a crawl are answered
without one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from goodbot._core import Finding, RobotsTxt, Verdict
from goodbot.content_use.finding_codes import finding
from goodbot.content_use.licenses import licenses_of_robots_txt, of_license
from goodbot.content_use.obeyed_file import ObeyedFile, obeyed_file
from goodbot.content_use.page_statements import PageStatements
from goodbot.content_use.precedence import UseVerdict, decide
from goodbot.content_use.purpose_tokens import of_purpose_tokens
from goodbot.content_use.rsl_terms import Association
from goodbot.content_use.site_statements import of_robots_txt, of_tdmrep
from goodbot.content_use.statement import USES, Use, UseStatement
from goodbot.content_use.tdmrep import TdmRep, read_tdmrep
from goodbot.content_use.use_level import UseLevel, level_of_robots_txt, strictest
from goodbot.content_use.use_words import UNSETTLED
from goodbot.display import short_repr, table_html
from goodbot.http.payment import PRICED, Payment
from goodbot.lazy_dataclass import dataclass
from goodbot.policy import Policy

if TYPE_CHECKING:
    from goodbot.content_use.rsl_reader import RslLicense
    from goodbot.content_use.tdm_policy import TdmPolicy

__all__ = ["UseSources", "Uses"]

MOST_LICENSES = 50
"""The most licences that are considered; the next one counts as not read, whatever it says."""
CONFLICTS = {
    "restrictive": "the more restrictive directive applies",
    "permissive": "directives that allow prevail",
}
"""How page dialects settle contradictions, in words."""


@dataclass(frozen=True, slots=True, repr=False)
class Uses:
    """One answer per use of the content at a URL, and what else was found.

    `str()` returns a line for each use.
    """

    url: str
    """The URL."""
    robot: str
    """The robot that asks."""
    verdicts: dict[Use, UseVerdict]
    """The answers, by use."""
    access: Verdict | None
    """Whether robots.txt lets the robot fetch the URL, which is another question than its uses;
    `None` if robots.txt was not passed."""
    level: UseLevel | None
    """The level up to which Content-Signal lets AI systems use the content, whatever the use; the
    more restrictive one of robots.txt and header. `None` if none is stated."""
    payment: Payment | None
    """The price or the licence that the response asks for; `None` if it asks for nothing. A price
    is shown and never paid."""
    reported: tuple[str, ...]
    """What was found that decides nothing: ai.txt, llms.txt, directives about images."""
    not_consulted: tuple[str, ...]
    """What was not passed and may say more: `robots.txt`, `the page`, `tdmrep.json`, licences."""
    findings: tuple[Finding, ...]
    """What is odd about the statements."""
    unknown: tuple[Finding, ...] = ()
    """Words that no document known to goodbot defines, in robots.txt, header, page and
    tdmrep.json. They decide nothing, and never permit."""

    __repr__ = short_repr

    @property
    def train(self) -> UseVerdict:
        """Whether AI models may be trained on the content."""
        return self.verdicts["train"]

    @property
    def ground(self) -> UseVerdict:
        """Whether the content may be put into AI models as input, to answer or to summarise."""
        return self.verdicts["ground"]

    @property
    def search(self) -> UseVerdict:
        """Whether the content may be indexed for search and linked to."""
        return self.verdicts["search"]

    @property
    def archive(self) -> UseVerdict:
        """Whether a copy may be kept and shown."""
        return self.verdicts["archive"]

    @property
    def preview(self) -> UseVerdict:
        """Whether the content may be quoted in search results."""
        return self.verdicts["preview"]

    def __str__(self) -> str:
        """Return a line for each use, and what was found beside that."""
        lines = [f"{use}: {verdict}" for use, verdict in self.verdicts.items()]
        if self.access is not None:
            lines.insert(0, f"fetch: {self.access}")
        if self.level is not None:
            lines.append(f"level: {self.level}")
        if self.payment is not None:
            lines.append(f"asked for: {self.payment}")
        return "\n".join(lines)

    def __hash__(self) -> int:
        """Return a hash of the answers."""
        return hash((self.url, self.robot, tuple(self.verdicts.values())))

    def _repr_html_(self) -> str:
        """Return the answers as a table, for notebooks."""
        rows: list[tuple[str, str, str]] = [
            (use, one.status, str(one.said or "")) for use, one in self.verdicts.items()
        ]
        if self.level is not None:
            rows.append(("level", self.level.level, str(self.level)))
        if self.payment is not None:
            rows.append(("asked for", self.payment.price or "", str(self.payment)))
        return table_html(f"Uses of {self.url}, for {self.robot}", rows)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "url": self.url,
            "robot": self.robot,
            "access": None if self.access is None else self.access.as_dict(),
            "uses": {use: verdict.as_dict() for use, verdict in self.verdicts.items()},
            "level": None if self.level is None else self.level.as_dict(),
            "payment": None if self.payment is None else self.payment.as_dict(),
            "reported": list(self.reported),
            "not_consulted": list(self.not_consulted),
            "findings": [one.as_dict() for one in self.findings],
            "unknown": [one.as_dict() for one in self.unknown],
        }


@dataclass(frozen=True, slots=True)
class UseSources:
    """Everything that `uses` answers from."""

    url: str
    robot: str
    page: PageStatements | None
    robots_txt: RobotsTxt | Policy | ObeyedFile | None
    """The file, the policy of the site, or what of them speaks to the robot, for many URLs."""
    tdmrep: TdmRep | bytes | str | None = None
    licenses: "Mapping[str, RslLicense]" = field(default_factory=dict)
    now: datetime | None = None
    vocabulary: str = "aipref-08"
    families: bool = False
    """Whether a known robot brings its family, its dialect and its exceptions. A crawl asks under
    its own name, and decides by that alone."""
    tdm_policies: "Mapping[str, TdmPolicy]" = field(default_factory=dict)

    def answer(self, present: Iterable[str] = ()) -> Uses:
        """Return the answers."""
        given = self.robots_txt
        obeyed = (
            given
            if isinstance(given, ObeyedFile)
            else obeyed_file(given, self.robot, families=self.families)
        )
        lines, unread, access = obeyed.stated, obeyed.unread, obeyed.access(self.url)
        page = self.page or PageStatements()
        if page.payment is not None and not page.is_document:
            unread = unread or PRICED
        if not page.is_document:
            unread = unread or "no-document"
        linked = list(page.linked)
        if lines is not None:
            linked += licenses_of_robots_txt(lines, self.url)
        findings: list[Finding] = []
        tdmrep = self.rules_of_tdmrep()
        said = [*self.of_site(obeyed, access, tdmrep, findings), *page.said]
        findings += page.findings
        # A licence that is named twice says the same twice; those beyond the bound are not read.
        linked = list({(one.url, one.of_page, one.of_part): one for one in linked}.values())
        linked = linked[: MOST_LICENSES + 1]
        for number, one in enumerate(linked):
            read = self.licenses.get(one.url) if number < MOST_LICENSES else None
            said += of_license(one, read, self.url, self.now, findings)
        said = [self.with_tdm_policy(one) for one in said]
        findings += self.policy_findings(said)
        stated = dict.fromkeys((one.specification, one.use) for one in said)
        findings += [
            finding("unsettled-label", UNSETTLED[one]) for one in stated if one in UNSETTLED
        ]
        conflicts = CONFLICTS[page.conflicts]
        found = [f"{name} is there; it decides nothing" for name in present]
        # Header and document prevail over tdmrep.json (TDMRep, Processing priority).
        is_open = not tdmrep.is_whole and all(one.specification != "tdmrep" for one in said)
        left: dict[Use, str] = {"train": "tdmrep-not-read"} if is_open else {}
        return Uses(
            url=self.url,
            robot=self.robot,
            verdicts={
                use: decide(
                    use,
                    said,
                    conflicts=conflicts,
                    unread=unread or left.get(use),
                    silent="nobody-says" if self.page else "page-not-read",
                )
                for use in USES
            },
            access=access,
            level=strictest([lines and level_of_robots_txt(lines, self.url), page.level]),
            payment=page.payment,
            reported=(*found, *page.reported),
            not_consulted=tuple(dict.fromkeys(self.missing(linked, tdmrep, said))),
            findings=tuple(findings),
        )

    def rules_of_tdmrep(self) -> TdmRep:
        """Return the rules of tdmrep.json; none if it was not passed."""
        given = self.tdmrep
        return given if isinstance(given, TdmRep) else read_tdmrep(given or b"")

    def of_site(
        self,
        obeyed: ObeyedFile,
        access: Verdict | None,
        tdmrep: TdmRep,
        findings: list[Finding],
    ) -> Iterator[UseStatement]:
        """Yield what robots.txt and tdmrep.json say."""
        if obeyed.stated is not None:
            fetchable = None if access is None else access.allowed
            yield from of_robots_txt(
                obeyed.stated, self.url, self.vocabulary, obeyed.expires, fetchable=fetchable
            )
        yield from of_purpose_tokens(obeyed.purposes, self.url, expires=obeyed.expires)
        findings += obeyed.findings
        findings += tdmrep.findings
        yield from of_tdmrep(tdmrep, self.url)

    def policy_findings(self, said: Iterable[UseStatement]) -> Iterator[Finding]:
        """Yield what is odd about the TDM policies that reservations name, each once."""
        named = (one.terms.url for one in said if one.specification == "tdmrep" and one.terms)
        for url in dict.fromkeys(named):
            if url in self.tdm_policies:
                yield from self.tdm_policies[url].findings

    def with_tdm_policy(self, one: UseStatement) -> UseStatement:
        """Return a reservation with what the policy that it names says, if that was passed.

        A policy never lifts the reservation: its conditions are those of a licence to be had.
        """
        policy = None
        if one.specification == "tdmrep" and one.terms is not None:
            policy = self.tdm_policies.get(one.terms.url)
        if policy is None or one.terms is None or policy.fault is not None:
            return one
        contact = policy.contact or one.terms.custom
        terms = replace(
            one.terms, custom=contact, conditions=policy.conditions, copyright=policy.assigner
        )
        return replace(one, terms=terms)

    def missing(
        self, linked: Iterable[Association], tdmrep: TdmRep, said: Iterable[UseStatement]
    ) -> Iterator[str]:
        """Yield what was not passed and may say more."""
        if self.robots_txt is None:
            yield "robots.txt"
        if self.page is None:
            yield "the page"
        if self.tdmrep is None or not tdmrep.is_whole:
            yield "tdmrep.json"
        yield from (one.url for one in linked if one.url not in self.licenses)
        for one in said:
            url = one.terms.url if one.specification == "tdmrep" and one.terms else None
            if url is not None and url not in self.tdm_policies:
                yield url
