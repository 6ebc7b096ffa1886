"""`Page`: one document, and what a robot may do with it. This is the public face of the layer."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, get_args

from goodbot._core import Finding, LinkTable
from goodbot.display import table_html
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.payment import payment_of
from goodbot.http.quoting import shortened
from goodbot.page.combine import CommonVerdicts, DisplayLimits
from goodbot.page.dialects import PageDialect, page_dialect
from goodbot.page.finding_codes import Findings
from goodbot.page.marks import ARCHIVE, PROFILE_URIS
from goodbot.page.page_facts import PageFacts, facts_of
from goodbot.page.parts import Copy, Cut, Link, Run
from goodbot.page.readers.arguments import Given, read_arguments
from goodbot.page.readers.choice import choose_reader
from goodbot.page.readers.decided import report_conflicts
from goodbot.page.readers.marked import explain_mark
from goodbot.page.readers.owner_findings import report_refreshes
from goodbot.page.readers.reader import report_repeated
from goodbot.page.readers.refresh import read_refreshes
from goodbot.page.robot_names import robot_of
from goodbot.page.said_to_all import SaidToAll
from goodbot.page.usage import PageUsage, Payment, no_usage
from goodbot.page.verdict import Act, PageVerdict, Statement
from goodbot.page.words import joined, quotable, quoted

__all__ = ["Page", "link_table"]

OF_A_WHOLE: tuple[Act, ...] = tuple(act for act in get_args(Act) if act != "anchor")
"""The acts on which a document as a whole has a verdict; no directive speaks of link texts."""


class Page:
    r"""A fetched document, and what a robot may do with it, as a whole or in part.

    `Page` uses neither clock nor network. Whatever a site sent, it does not raise: `findings` lists
    what is odd about the document. Reading takes time linear in the number of bytes, and memory of
    at most 50 times that number. At most 16 MiB are read, 512 levels of elements, 1,000,000 nodes,
    50,000 links and 200,000 runs of text. The URL of a link has at most 8,192 bytes, and all of
    them together at most four times the bytes of the document and 1 MiB. If the document exceeds a
    limit, a finding says so.

    Args:
        url: The URL of the document.
        body: The content: `bytes`, any buffer, or a `str`, which is read as UTF-8.
        headers: The HTTP header fields: pairs of name and value, or a mapping; `str` or `bytes`.
        robot: The robot: a product token or a whole User-Agent string. `*`, the default, stands for
            any robot that the document does not address by name.
        status: The HTTP status. Unless it is a success, nothing may be kept or used.
        content_type: The type of the document, instead of the one in the header.
        dialect: The name of a page dialect, or a `PageDialect`; by default `google`. `goodbot.uses`
            knows robots, and reads a page that has no dialect of its own in that of the robot.
        marks: The names of the marks on parts that count, from `goodbot.page.MARKS`; all of them
            by default.
        profile_uris: The URIs by which a document names the Robot Exclusion Profile.
        profile_links: Whether `link rel=profile` and the HTTP Link header name profiles, too.
        names_page: The content of the page at `names_needed`, if you fetched it. It says which
            robots the classes `robot1-noindex`, `robot2-noindex` and so on are addressed to.
            Without it, or if it names no robot, each class `robotN-no…` with an unknown number
            forbids.
        lenient: Whether to accept white space before the `?>` of the robots processing
            instruction, which its grammar does not allow.
        vocabulary: The revision of draft-ietf-aipref-vocab whose labels count.

    Raises:
        WrongTypeError: An argument has the wrong type.
        WrongValueError: There is no mark of one of the names in `marks`.
        RobotNameError: `robot` is empty, or a URL.
        UnknownDialectError: There is no page dialect of this name.
        UnknownVocabularyError: There is no vocabulary of this name.

    >>> import goodbot
    >>> body = b'<meta name=robots content=noarchive><p>Read <a href=/more rel=nofollow>more</a>.'
    >>> page = goodbot.Page("https://example.com/a", body, headers=[("X-Robots-Tag", "noindex")])
    >>> bool(page.index), page.index.source
    (False, 'X-Robots-Tag: noindex')
    >>> bool(page.archive), page.archive.source
    (False, 'META robots, line 1: noarchive')
    >>> [(link.url, link.text, bool(link.follow)) for link in page.links]
    [('https://example.com/more', 'more', False)]

    Source: Google, robots meta tag; the Robots META tag of 1996; A Robots Processing Instruction
    for XML Documents, 1999; Robot Exclusion Profile, 2005.
    """

    __module__ = "goodbot"  # the name under which users import it

    def __init__(
        self,
        url: str,
        body: Any,  # noqa: ANN401  a str or any buffer
        *,
        headers: Any = (),  # noqa: ANN401  a mapping or pairs
        robot: str = "*",
        status: int = 200,
        content_type: str | None = None,
        dialect: str | PageDialect | None = None,
        marks: Collection[str] | None = None,
        profile_uris: Iterable[str] = PROFILE_URIS,
        profile_links: bool = False,
        names_page: bytes | str | None = None,
        lenient: bool = True,
        vocabulary: str = "aipref-08",
    ) -> None:
        """Read the document."""
        self._findings = Findings()
        self._given, content = read_arguments(
            url,
            body,
            self._findings,
            headers=headers,
            robot=robot,
            status=status,
            content_type=content_type,
            dialect="google" if dialect is None else dialect,
            marks=marks,
            profile_uris=profile_uris,
            profile_links=profile_links,
            names_page=names_page,
            lenient=lenient,
            vocabulary=vocabulary,
        )
        self._has_chosen_dialect = dialect is not None
        self._read(content)

    def _read(self, content: bytes) -> None:
        """Read the document that the arguments are about."""
        self._content, self._given_findings = content, tuple(self._findings.list)
        self._reader = choose_reader(self._given, content, self._findings)
        self._reading = self._reader.read()
        decided, marked = self._reading.decided, self._reading.marked
        refreshes = read_refreshes(self._given, decided, self._findings)
        self._refreshes = refreshes
        self._links: list[Link] | None = None
        self._facts: PageFacts | None = None
        if refreshes or marked.has_other_links:
            report_refreshes(self.links, self._given.url, self._findings)
        report_repeated(self._reading, self._findings)
        report_conflicts(self._reading.decided, self._findings)

    @property
    def url(self) -> str:
        """The URL of the document."""
        return self._given.url

    @property
    def content(self) -> bytes:
        """The document, as it was passed."""
        return self._content

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self._given.status

    @property
    def dialect(self) -> PageDialect:
        """The page dialect."""
        return self._given.dialect

    @property
    def has_chosen_dialect(self) -> bool:
        """Whether the dialect was passed, and is not the default."""
        return self._has_chosen_dialect

    def read_in(self, dialect: str | PageDialect) -> "Page":
        """Return the same document, read in another dialect.

        Args:
            dialect: The name of a page dialect, or a `PageDialect`.

        Raises:
            UnknownDialectError: There is no page dialect of this name.

        >>> import goodbot
        >>> page = goodbot.Page("https://example.com/a", "<meta name=robots content='all noindex'>")
        >>> bool(page.index), bool(page.read_in("bing").index)
        (True, False)

        """
        known = page_dialect(dialect)
        names = robot_of(self.robot, known)
        given = self._given._replace(dialect=known, robot=names)
        return restored(PICKLE_FORM, given, self._content, self._given_findings, True)  # noqa: FBT003

    @property
    def content_type(self) -> str:
        """The type as which the document was read, without parameters."""
        return self._given.content_type

    @property
    def encoding(self) -> str | None:
        """The encoding that was used; `None` if the document is not text with markup."""
        return self._reading.encoding

    @property
    def runs(self) -> list[Run]:
        """The text in runs, each with its own verdicts."""
        return self._reading.marked.runs

    @property
    def links(self) -> list[Link]:
        """The links, each with its own verdicts; those in the header come first."""
        if self._links is None:
            self._links = [*self._refreshes, *self._reading.marked.links]
        return self._links

    @property
    def base(self) -> str:
        """The URL against which links are resolved."""
        return self._reading.base

    @property
    def limits(self) -> DisplayLimits:
        """The limits on what robots may show of the document."""
        return self._reading.decided.limits

    @property
    def title(self) -> str:
        """The title; empty if there is none, or if a mark forbids indexing or quoting it.

        >>> import goodbot
        >>> head = "<head profile='http://example.org/xmdp/robots-profile#'>"
        >>> body = f"{head}<title class=robots-noindex>Draft</title>"
        >>> page = goodbot.Page("https://example.com/", body)
        >>> page.title, page.title_run.text, bool(page.title_run.index)
        ('', 'Draft', False)

        Source: Robot Exclusion Profile, Introduction ("any element or set of elements in a page").
        """
        return self._reading.description.title

    @property
    def title_run(self) -> Run | None:
        """The title as it is written, with its verdicts; `None` if there is none."""
        described = self._reading.description
        if not described.written_title:
            return None
        marked, whole = self._reading.marked, self._reading.decided.whole
        on_title = (
            marked.described[0]
            if marked.described
            else (whole["index"], whole["archive"], whole["snippet"])
        )
        return Run(described.written_title, *on_title, block=True, line=described.title_line)

    @property
    def description(self) -> str | None:
        """The content of META description; `None` if a mark forbids indexing or quoting it."""
        return self._reading.description.description

    @property
    def keywords(self) -> list[str]:
        """The words of META keywords; empty if a mark forbids indexing or quoting them."""
        return self._reading.description.keywords

    @property
    def revisit_after(self) -> timedelta | None:
        """The time after which META revisit-after asks for another visit; `None` if not stated.

        Source: HTTP: The Definitive Guide, table 9-5.
        """
        return self._reading.description.revisit_after

    @property
    def spider_by(self) -> str | None:
        """The content of META `spider by`."""
        return self._reading.description.spider_by

    @property
    def index_instead(self) -> str | None:
        """The URL that should be indexed instead of this document; `None` if not stated.

        If it is another one, `index` says that this document must not be indexed.

        >>> import goodbot
        >>> body = "<META NAME=URL CONTENT=https://example.com/real>"
        >>> page = goodbot.Page("https://example.com/?session=7", body)
        >>> page.index_instead, page.index.reason
        ('https://example.com/real', 'index-instead')

        Source: Kollar, Leavitt and Mauldin 1996 ("tell all spiders not to index this url, but to
        index the CONTENT url instead"); Koster's reply of 4 June 1996 (INDEXINSTEAD).
        """
        return self._reading.description.index_instead

    @property
    def canonical(self) -> str | None:
        """The canonical URL from the header or a LINK element; `None` if not stated."""
        return self._reading.description.canonical

    @property
    def names_url(self) -> str | None:
        """The URL of the page of robots' names (Robot Exclusion Profile); `None` if not stated."""
        return self._reading.description.names_url

    @property
    def names_needed(self) -> str | None:
        """The URL of the page of names to fetch before you use this page; `None` if none is needed.

        It is set only if the page has classes such as `robot1-noindex` whose number it does not
        declare itself. The URL has the page's own origin and no fragment. Fetch it once for all
        pages that name it, then read this page again with its content as `names_page`. If it cannot
        be fetched, use the page as it is: classes with unknown numbers forbid.

        >>> import goodbot
        >>> schema, names = "schema.RobotExclusion", "RobotExclusion.Names"
        >>> links = f"<link rel={schema} href=x><link rel={names} href=/bots>"
        >>> body = links + "<p class=robot1-noindex>Draft"
        >>> page = goodbot.Page("https://example.com/a", body)
        >>> page.names_needed, page.text()
        ('https://example.com/bots', '')
        >>> names = "<meta name=RobotExclusion.RobotName1 content=OtherBot>"
        >>> goodbot.Page("https://example.com/a", body, names_page=names).text()
        'Draft'

        Source: Robot Exclusion Profile, Specificity.
        """
        return self._reading.marked.names_needed

    @property
    def usage(self) -> PageUsage:
        """The statements on the use of the document's content."""
        stated = self._reading.description.usage
        return no_usage(self._given.vocabulary) if stated is None else stated

    @property
    def robot(self) -> str:
        """The robot, as it was named."""
        return self._given.robot.given

    @property
    def index(self) -> PageVerdict:
        """Whether the document may be indexed."""
        return self._reading.decided.whole["index"]

    @property
    def follow(self) -> PageVerdict:
        """Whether its links may be followed; each link has its own verdict, too."""
        return self._reading.decided.whole["follow"]

    @property
    def archive(self) -> PageVerdict:
        """Whether a copy may be kept and shown."""
        return self._reading.decided.whole["archive"]

    @property
    def snippet(self) -> PageVerdict:
        """Whether it may be quoted; `limits.max_snippet` has the most characters."""
        return self._reading.decided.whole["snippet"]

    @property
    def image_index(self) -> PageVerdict:
        """Whether its images may be indexed."""
        return self._reading.decided.whole["image_index"]

    @property
    def translate(self) -> PageVerdict:
        """Whether a translation may be offered."""
        return self._reading.decided.whole["translate"]

    @property
    def train(self) -> PageVerdict:
        """Whether it may be used to train AI (`noai`); see also `usage`."""
        return self._reading.decided.whole["train"]

    @property
    def train_images(self) -> PageVerdict:
        """Whether its images may be used to train AI (`noimageai`)."""
        return self._reading.decided.whole["train_images"]

    @property
    def embed(self) -> PageVerdict:
        """Whether it may be indexed as part of a page that embeds it (`indexifembedded`)."""
        if self.limits.index_if_embedded and self.index.reason != "no-document":
            source = next(
                one.source
                for one in self._reading.decided.said
                if one.directive == "indexifembedded"
            )
            return self._given.verdict("index", True, "directive-allows", source)  # noqa: FBT003
        return self.index

    @property
    def payment(self) -> Payment | None:
        """The price or the licence that the response asks for; `None` if it asks for nothing.

        Source: Cloudflare, pay per crawl; RSL 1.0, section 6.3.
        """
        return payment_of(self.status, self._given.fields)

    @property
    def facts(self) -> PageFacts:
        """What the owner of a site wants to know of the document: its heading, words, resources.

        Texts are included only if they may be indexed and shown.

        >>> import goodbot
        >>> body = "<html lang=en><title>Sea</title><h1>Fish</h1><p>Sharks.<img src=/shark.png>"
        >>> facts = goodbot.Page("https://example.com/", body).facts
        >>> facts.language, facts.title, facts.h1, facts.words, facts.resources
        ('en', 'Sea', 'Fish', 2, (('image', 'https://example.com/shark.png'),))
        """
        if self._facts is None:
            self._facts = facts_of(self._given, self._reading)
        return self._facts

    @property
    def verdicts(self) -> dict[str, PageVerdict]:
        """The verdicts on the document as a whole, by act."""
        whole = self._reading.decided.whole
        return {act: whole[act] for act in OF_A_WHOLE}

    @property
    def statements(self) -> list[Statement]:
        """The directives that the robot must obey, in the order in which they were read."""
        return list(self._reading.decided.said)

    @property
    def said_to_all(self) -> SaidToAll | None:
        """What the document says to all robots, also to others than this one.

        It is `None` if that is not kept: of XML that speaks to robots within itself, of a document
        with a licence within it, and of one that says very much.
        """
        return self._reading.said_to_all

    @property
    def common_verdicts(self) -> CommonVerdicts | None:
        """What it shares with every document that states the same to this robot.

        It is `None` if it states more than directives for the whole document without a date.
        """
        return self.shared_verdicts if self.is_uniform else None

    @property
    def shared_verdicts(self) -> CommonVerdicts | None:
        """The same for the document as a whole, whatever marks there are on its parts."""
        decided, usage = self._reading.decided, self._reading.description.usage
        states_more = (
            (usage is not None and (usage.lines or usage.licenses))
            or decided.limits.unavailable_after is not None
            or self.payment is not None
            or "illegal-robots-pi" in [one.code for one in self._findings.list]
        )
        return None if states_more else decided.common

    @property
    def findings(self) -> list[Finding]:
        """What is odd about the document: at most 1,000 findings."""
        return list(self._findings.list)

    @property
    def other_robots(self) -> list[str]:
        """The names, in lower case, of other robots that META elements and header fields address.

        >>> import goodbot
        >>> body = "<meta name=googlebot content=noindex>"
        >>> goodbot.Page("https://example.com/", body).other_robots
        ['googlebot']
        """
        return list(self._findings.others)

    def index_at(self, now: datetime) -> PageVerdict:
        """Return whether the document may be indexed and shown at a time (`unavailable_after`).

        Args:
            now: The time, an aware `datetime`.

        Raises:
            WrongValueError: `now` has no time zone.

        """
        if now.tzinfo is None:
            message = "now must have a time zone; write datetime.now(timezone.utc)"
            raise WrongValueError(message)
        decided = self._reading.decided
        index, until = decided.whole["index"], decided.limits.unavailable_after
        if until is not None and index.allowed and now >= until:
            said = next(one.source for one in decided.said if one.value == until)
            return self._given.verdict("index", False, "too-late", said)  # noqa: FBT003
        return index

    @property
    def is_uniform(self) -> bool:
        """Whether no mark exempts a part from an act that the document as a whole allows.

        Then what may be done with the document may be done with each run and each link.

        >>> import goodbot
        >>> body = "<p>Fish <span data-nosnippet>and sharks</span>"
        >>> goodbot.Page("https://example.com/", body).is_uniform
        False
        """
        return self._reading.marked.is_uniform

    def text(self) -> str:
        """Return the text that may be indexed: one line for each block, `…` for each omission.

        >>> import goodbot
        >>> body = b'<p>fish <!--googleoff: index-->shark<!--googleon: index--> mackerel<p>end'
        >>> print(goodbot.Page("https://example.com/", body).text())
        fish … mackerel
        end
        """
        if self.is_uniform:
            return self._reading.marked.parts.text() if self.index.allowed else ""
        return joined(self.runs, ("index",))

    def archive_copy(self) -> Copy:
        """Return the copy that may be kept, in which visible words replace each part that may not.

        Everything that is addressed to robots stays where it is, so that the copy tells them the
        same as the document. Images that must not be kept are loaded from their own site, and a
        BASE element keeps links pointing to the same addresses.

        Returns:
            A `Copy`: `html`, `cuts`, and the verdict, which gives the reason if `html` is `None`.
            Without cuts the copy is the text of the document.

        >>> import goodbot
        >>> head = '<head profile="http://example.org/xmdp/robots-profile#">'
        >>> body = f"{head}<p>a <b class=robots-noarchive>x</b> b"
        >>> copy = goodbot.Page("https://example.com/", body).archive_copy()
        >>> copy.html.partition("<p>")[2], len(copy.cuts)
        ('a […] b</p></body></html>', 1)

        Source: Robot Exclusion Profile, Examples.
        """
        if not self.archive:
            return Copy(None, [], self.archive)
        plan = self._reading.marked.plan
        html, rows = self._reader.copy(plan.as_dict(self.base))
        cuts = [
            Cut(explain_mark(plan, self._given, "archive", (row, allows, line)), at, size)
            for row, allows, line, at, size in rows
        ]
        return Copy(html, cuts, self.archive)

    @property
    def may_have_cuts(self) -> bool:
        """Whether any mark that has an effect here can forbid keeping a part.

        If it is false, `archive_copy` makes no cuts. Reading this property costs almost nothing.

        >>> import goodbot
        >>> body = b"<p>a <b class=robots-noarchive>x</b>"  # the HEAD names no profile
        >>> goodbot.Page("https://example.com/", body).may_have_cuts
        False

        Source: Robot Exclusion Profile.
        """
        return self._reading.marked.plan.may_forbid(ARCHIVE)

    def snippet_for(self, query: str, width: int = 160) -> str:
        """Return a quotation that contains a query, of text that may be indexed, kept and quoted.

        Args:
            query: The words that were searched for.
            width: The most characters to return; `limits.max_snippet` may lower it.

        Returns:
            The quotation, with `…` for each omission; empty if nothing may be quoted.

        Raises:
            WrongTypeError: `query` is not a `str`, or `width` is not an `int`.
            WrongValueError: `width` is less than 1.

        >>> import goodbot
        >>> body = "<p>Fish live in rivers, lakes and seas.<div data-nosnippet>Sharks too.</div>"
        >>> goodbot.Page("https://example.com/", body).snippet_for("lakes")
        'Fish live in rivers, lakes and seas.'

        """
        if not isinstance(query, str) or not isinstance(width, int):
            message = "query must be a str such as 'fish', and width an int such as 160"
            raise WrongTypeError(message)
        if width < 1:
            message = f"width is the most characters to return: pass 1 or more, not {width}"
            raise WrongValueError(message)
        limit = self.limits.max_snippet
        if not self.snippet or limit == 0:
            return ""
        if limit is not None and limit > 0:
            width = min(width, limit)
        return quoted(quotable(self.runs), query, width)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        revisit = self.revisit_after
        return {
            "url": self.url,
            "robot": self.robot,
            "dialect": self.dialect.name,
            "content_type": self.content_type,
            "encoding": self.encoding,
            "verdicts": {act: verdict.as_dict() for act, verdict in self.verdicts.items()},
            "limits": self.limits.as_dict(),
            "usage": self.usage.as_dict(),
            "title": self.title,
            "title_run": None if self.title_run is None else self.title_run.as_dict(),
            "description": self.description,
            "keywords": self.keywords,
            "canonical": self.canonical,
            "revisit_after_days": None if revisit is None else revisit.days,
            "spider_by": self.spider_by,
            "index_instead": self.index_instead,
            "names_needed": self.names_needed,
            "links": [link.as_dict() for link in self.links],
            "runs": [run.as_dict() for run in self.runs],
            "findings": [finding.as_dict() for finding in self.findings],
        }

    def __eq__(self, other: object) -> bool:
        """Return whether another page has the same content and was read with the same options."""
        if not isinstance(other, Page):
            return NotImplemented
        return (self._given, self._content) == (other._given, other._content)

    def __hash__(self) -> int:
        """Return a hash of the URL and the content."""
        return hash((self.url, self._content))

    def __copy__(self) -> "Page":
        """Return the page itself, because it is immutable."""
        return self

    def __deepcopy__(self, memo: object) -> "Page":
        """Return the page itself, because it is immutable."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the content and the arguments; unpickling reads the document again."""
        given = (self._given, self._content, self._given_findings)
        return restored, (PICKLE_FORM, *given, self._has_chosen_dialect)

    def __repr__(self) -> str:
        """Return the URL and the acts that are disallowed."""
        denied = [act for act, verdict in self.verdicts.items() if not verdict]
        outcome = f"disallowed: {', '.join(denied)}" if denied else "no restriction"
        return f"<Page {shortened(self.url)}: {outcome}>"

    def _repr_html_(self) -> str:
        """Return the verdicts on the document as a table, for notebooks."""
        rows = [
            (act, "allowed" if verdict else "disallowed", verdict.source)
            for act, verdict in self.verdicts.items()
        ]
        return table_html(f"{self.url} ({self.content_type}), read for {self.robot}", rows)


def link_table(page: Page) -> LinkTable:
    """Return the links of a page by their targets; `Page.links` need not be made for that."""
    if page._refreshes:  # noqa: SLF001  they are kept for this module
        return LinkTable(page.links)
    return page._reading.marked.parts.table()  # noqa: SLF001  it is kept for this module


PICKLE_FORM = 3
"""The version of the pickled form; increase it with each change."""


def restored(
    form: int,
    given: Given,
    content: bytes,
    findings: tuple[Finding, ...],
    has_chosen_dialect: bool = True,  # noqa: FBT001, FBT002  pickles have no keywords
) -> Page:
    """Return the page of a pickle, reading its document again.

    Raises:
        WrongValueError: Another version of goodbot made the pickle.

    """
    if form != PICKLE_FORM:
        message = "this pickled Page was made by another version of goodbot; make the Page again"
        raise WrongValueError(message)
    page = object.__new__(Page)
    page._findings, page._given = Findings(), given
    page._has_chosen_dialect = has_chosen_dialect
    page._findings.list.extend(findings)
    page._read(content)
    return page
