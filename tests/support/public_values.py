"""Every public class: how to create a value of it, or why it is not a value."""

import importlib
from collections.abc import Callable, Iterator
from datetime import date, datetime, timezone
from inspect import isclass
from typing import Any, get_origin

import goodbot
from goodbot import (
    bots,
    crawl,
    expectations,
    indexability,
    knowledge,
    net,
    pace,
    page,
    policy,
    reconsidering,
    robot,
    signatures,
    sitemaps,
    store,
    testing,
)
from goodbot.address_lists import ListCopy, Refreshed, copy_after, read_addresses
from goodbot.crawl.evidence.page_findings import PageFindings
from goodbot.crawl.status.time_left import time_left
from goodbot.history import PolicyTimeline
from goodbot.site import audit, gate, lint, logs
from goodbot.site import writing as write
from goodbot.site.audit import identity
from goodbot.site.audit.identity import lookup
from goodbot.site.audit.served_versions import find_served_versions
from goodbot.tables import counting
from goodbot.tables import writing as verdict_tables

__all__ = ["MADE", "NO_VALUES", "public_classes"]

ROOMS = (
    "goodbot",
    "goodbot.page",
    "goodbot.site.writing",
    "goodbot.policy",
    "goodbot.history",
    "goodbot.sitemaps",
    "goodbot.pace",
    "goodbot.bots",
    "goodbot.knowledge",
    "goodbot.signatures",
    "goodbot.expectations",
    "goodbot.site.gate",
    "goodbot.indexability",
    "goodbot.reconsidering",
    "goodbot.site.lint",
    "goodbot.address_lists",
    "goodbot.site.audit",
    "goodbot.site.audit.identity",
    "goodbot.site.audit.identity.lookup",
    "goodbot.site.logs",
    "goodbot.net",
    "goodbot.store",
    "goodbot.robot",
    "goodbot.service",
    "goodbot.blocking",
    "goodbot.crawl",
    "goodbot.crawl.testing",
    "goodbot.testing",
    "goodbot.tables.counting",
    "goodbot.tables.writing",
)
NOW = datetime(2026, 1, 2, 3, 4, tzinfo=timezone.utc)
URL = "https://a.example/a/b"
KEYS_URL = "https://a.example/keys.json"
FILE = (
    b"User-agent: *\nDisallow: /a # why\nAllow: /a/b\nCrawl-delay: 3\nContent-Usage: train-ai=n\n"
    b"Request-rate: 1/10m 1300-1659\nVisit-time: 0600-0845\nLicense: https://a.example/l\n"
)
HTML = (
    b"<meta name=robots content='noarchive, max-snippet: 9'><title>Lamps</title>"
    b"<p>A <b data-nosnippet>brass</b> lamp. <a href=/more rel=nofollow>More</a>"
)
FAILED = "service-unavailable"
ROBOT_SUMMARY = verdict_tables.RobotSummary("ExampleBot", 1, 0, 0, {"no-rule-matches": 1})


def public_classes() -> Iterator[tuple[str, type]]:
    """Yield the package and name of each public class that is not an exception."""
    for room in ROOMS:
        module = importlib.import_module(room)
        for name in module.__all__:
            found = getattr(module, name)
            # Python 3.10 considers `dict[str, int]` a class.
            if get_origin(found) is None and isclass(found) and not is_exception(found):
                yield f"{room}.{name}", found


def is_exception(found: type) -> bool:
    """Return whether a class can be raised."""
    return issubclass(found, BaseException)


class ArrowOnly:
    """An array from a library that goodbot does not know."""

    def __init__(self, urls: list[str | None]) -> None:
        """Store the URLs."""
        self._urls = urls

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        """Return the URLs as Arrow does."""
        import pyarrow as pa  # noqa: PLC0415  slow to load, and needed only here

        return pa.array(self._urls).__arrow_c_array__(requested_schema)


def rules() -> goodbot.Rules:
    """Return the rules of a robot."""
    return goodbot.RobotsTxt(FILE).rules_for("ExampleBot/1.0")


def document(**options: Any) -> goodbot.Page:  # noqa: ANN401  as `Page` has them
    """Return a page."""
    return goodbot.Page(URL, HTML, headers=[("X-Robots-Tag", "noindex")], **options)


def policy_of(status: int = 200) -> goodbot.Policy:
    """Return a policy."""
    fields = {"ETag": '"e"', "Cache-Control": "max-age=60"}
    return goodbot.Policy.from_response(f"{URL[:17]}/robots.txt", status, fields, FILE, now=NOW)


def policy_verdict() -> goodbot.Verdict:
    """Return the verdict of a policy with rules."""
    return policy_of().verdict(URL, "ExampleBot")


def timeline() -> PolicyTimeline:
    """Return a timeline of one policy."""
    return PolicyTimeline.of([policy_of()])


def response() -> net.Response:
    """Return a response."""
    return net.Response(URL, 200, (("Content-Type", "text/html"),), HTML, NOW, NOW)


def expectation() -> expectations.Expectation:
    """Return an expectation."""
    return expectations.Expectation("ExampleBot", "/a", allow=False, why="not ready")


def expectation_result() -> expectations.ExpectationResult:
    """Return an expectation with its verdict."""
    file = expectations.ExpectationFile((expectation(),))
    return next(expectations.check_expectations(goodbot.RobotsTxt(FILE), file))


def gate_policy() -> gate.GatePolicy:
    """Return a policy of a site."""
    rule = gate.GateRule(robots=("GPTBot",), paths=("/a",), fetch=False, uses={"train": False})
    return gate.GatePolicy(site=URL[:17], rules=(rule,), rsl=gate.RslNotice())


def list_of_gptbot() -> bots.AddressList:
    """Return a list of addresses."""
    return bots.get("GPTBot").addresses[0]


def list_copy() -> ListCopy:
    """Return a copy of a list of addresses."""
    answer = (200, [("ETag", '"e"')], b'{"prefixes": [{"ipv4Prefix": "66.249.64.0/27"}]}')
    copy, _ = copy_after(None, list_of_gptbot(), answer, now=NOW)
    assert copy is not None
    return copy


def hop() -> robot.Hop:
    """Return one request of a visit."""
    return robot.Hop(URL, policy_verdict(), response())


def history() -> pace.History:
    """Return what has happened at a site."""
    return pace.History.of(last_ended=NOW)


def summary() -> crawl.Summary:
    """Return the summary of a crawl."""
    return crawl.Summary("nothing-left", NOW, NOW, 7, 9, 1234, {"done": 7})


def found_link() -> crawl.FoundLink:
    """Return a broken link."""
    return crawl.FoundLink(
        page=URL,
        url=f"{URL}b",
        kind="link",
        text="lamps",
        text_withheld="",
        rel="",
        line=7,
        external=False,
        followed=True,
        why_not="",
        source="",
        state="done",
        status=404,
        failure="",
        end="",
        end_status=None,
        broken=True,
        queued_again=False,
    )


def indexability_report_made() -> indexability.IndexabilityReport:
    """Return a report on who may index a page."""
    at = "https://a.example/robots.txt"
    rules = goodbot.Policy.from_response(at, 200, {}, FILE, now=NOW)
    return indexability.indexability_report(URL, rules, HTML, now=NOW)


def inventory_row() -> crawl.InventoryRow:
    """Return a row of an inventory, of a page that does not exist."""
    return crawl.InventoryRow(
        url=URL,
        url_id=7,
        visited=NOW,
        state="done",
        status=404,
        failure=None,
        declared="allowed",
        declared_source="",
        contradictions=(),
        served="failed",
        broken=True,
        queued_again=False,
        content_type="text/html",
        indexable=False,
        indexable_reason="no-success",
        indexable_source="",
        title=None,
        description=None,
        h1=None,
        withheld="status: 404",
        h1_count=1,
        language=None,
        canonical=None,
        canonical_fault="",
        words=3,
        bytes=312,
        first_byte_ms=12,
        depth=2,
        is_sitemap=False,
        is_step=False,
        is_start=False,
        is_external=False,
        inlinks=1,
        sitemaps=0,
        is_orphan=False,
        is_unlisted=False,
        redirects=(),
        redirect_fault="",
        same_title=0,
        same_title_as=None,
        same_description=0,
        same_description_as=None,
        same_text=0,
        same_text_as=None,
        mixed_content=(),
        blocked_resources=(),
        blocked_by="",
        languages=0,
        hreflang_faults=(),
    )


def lint_report() -> lint.LintReport:
    """Return what lint finds in a file."""
    return lint.lint("User-agent: *\nDisallow: /a\nDisallow: /a/b\n")


def wish() -> write.Wish:
    """Return the wish of an author."""
    return write.Wish.parse("noindex, max-snippet: 20")


def loopback_visit() -> testing.LoopbackVisit:
    """Return a request that a site on loopback received."""
    return testing.LoopbackVisit("GET", "/a", (("Host", "a"),), 0.0, "http://a", "http://b", 1)


def public_key() -> signatures.PublicKey:
    """Return a public key."""
    return signatures.PublicKey("OKP", "Ed25519", (bytes(32),), "ed25519")


def dated_list() -> identity.DatedList:
    """Return a list of addresses that held for a day."""
    until = datetime(2026, 1, 3, 3, 4, tzinfo=timezone.utc)
    return identity.DatedList(list_of_gptbot().url, ("52.230.152.0/24",), NOW, until)


def dns_record() -> identity.DnsRecord:
    """Return an answer of DNS."""
    name = identity.NameRecord("a.example", "answered", ("52.230.152.7",))
    return identity.DnsRecord("52.230.152.7", NOW, "answered", ("a.example",), (name,))


def identity_evidence() -> identity.IdentityEvidence:
    """Return what is at hand on who sent requests."""
    return identity.IdentityEvidence.of([dated_list()], [dns_record()])


def identity_made() -> identity.SenderIdentity:
    """Return who sent a request."""
    return identity.sender_identity("GPTBot", "52.230.152.7", NOW, identity_evidence())


def judged_request() -> audit.RequestJudgement:
    """Return what an audit says of a request."""
    history = PolicyTimeline.declared("https://a.example", [(NOW, FILE)])
    later = datetime(2026, 1, 9, 3, 4, tzinfo=timezone.utc)
    fetches = [policy.RobotsTxtAnswer("https://a.example/robots.txt", later, 200)]
    request = audit.RobotRequest("ExampleBot", "/a", later, line=812)
    return audit.judge(request, history, fetches, log_begins=NOW)


def policy_source() -> audit.PolicySource:
    """Return where an audit has robots.txt from."""
    timeline = PolicyTimeline.declared(URL, [(NOW, FILE)])
    return audit.PolicySource(("a.txt",), "a file", timeline, find_served_versions(timeline))


def pace_judgement() -> audit.PaceJudgement:
    """Return what an audit says of a robot's pace."""
    return audit.PaceJudgement(
        "ExampleBot", "https://a.example", "ipv4", "crawl-delay", "broken", "broken",
        "robots.txt line 4 asks for 3 seconds between visits", 2, 1, (812,),
    )  # fmt: skip


def suggestion() -> audit.Suggestion:
    """Return what an audit suggests for a site that disallows little."""
    sums = {"GPTBot": {"/find/a": audit.TargetSums(7, 5_000)}}
    return audit.suggest(sums, goodbot.RobotsTxt(FILE))[0]


PEOPLE = logs.SenderSums(None, is_person=True, user_agent=None)

MADE: dict[str, Callable[[], Any]] = {
    "goodbot.site.audit.AuditOptions": lambda: audit.AuditOptions(site=URL),
    "goodbot.site.audit.DeclaredServed": lambda: audit.DeclaredServed(
        "/shop/", date(2026, 3, 2), "allowed", "refused", 3
    ),
    "goodbot.site.audit.AuditedRobot": lambda: audit.AuditedRobot("A", [0], [], (), 0, 9, {}),
    "goodbot.site.audit.LogSuggestions": lambda: audit.LogSuggestions(
        URL, (), None, (suggestion(),)
    ),
    "goodbot.site.audit.PolicySource": policy_source,
    "goodbot.site.audit.RequestColumn": lambda: audit.REQUEST_COLUMNS[0],
    "goodbot.site.audit.RequestsSent": lambda: audit.RequestsSent(
        NOW, NOW, (1, 1), 1, ("/a",), "rules-allow", 0, "", None
    ),
    "goodbot.site.audit.RobotsChanged": lambda: audit.RobotsChanged(
        NOW, judged_request().in_force[0], ("+ 1: User-agent: *",)
    ),
    "goodbot.site.audit.RobotsFetched": lambda: audit.RobotsFetched(NOW, 1, 200, ("a",)),
    "goodbot.site.audit.SiteStory": lambda: audit.SiteStory("ExampleBot", URL, ()),
    "goodbot.site.audit.KeptAway": lambda: suggestion().robots[0],
    "goodbot.site.audit.Suggestion": suggestion,
    "goodbot.site.audit.TargetSums": lambda: audit.TargetSums(7, 5_000),
    "goodbot.site.audit.HeldCopy": lambda: judged_request().held[0],
    "goodbot.site.audit.JudgementPlace": lambda: judged_request().place,
    "goodbot.site.audit.PaceJudgement": pace_judgement,
    "goodbot.site.audit.Reason": lambda: audit.REASONS["rules-allow"],
    "goodbot.site.audit.RequestJudgement": judged_request,
    "goodbot.site.audit.RobotRequest": lambda: judged_request().request,
    "goodbot.site.audit.LoggedAnswer": lambda: audit.LoggedAnswer(
        policy.RobotsTxtAnswer(answered=NOW, status=200)
    ),
    "goodbot.site.audit.RobotsVersion": lambda: judged_request().in_force[0],
    "goodbot.signatures.AgentProfile": lambda: signatures.PROFILES["origin"],
    "goodbot.signatures.AgentUrl": lambda: signatures.AgentUrl("key-set", KEYS_URL, KEYS_URL),
    "goodbot.signatures.KeySet": lambda: signatures.KeySet((public_key(),), KEYS_URL),
    "goodbot.signatures.PublicKey": public_key,
    "goodbot.signatures.SignatureInput": lambda: signatures.signature_input(
        'a=("@authority");tag="web-bot-auth"'
    ),
    "goodbot.signatures.SignatureVerdict": lambda: signatures.SignatureVerdict("a", "key-unknown"),
    "goodbot.signatures.SignedRequest": lambda: signatures.SignedRequest({"a": "b"}, "GET"),
    "goodbot.signatures.SignedResponse": lambda: signatures.SignedResponse(
        200, {"a": "b"}, signatures.SignedRequest()
    ),
    "goodbot.site.audit.identity.DatedList": dated_list,
    "goodbot.site.audit.identity.DnsRecord": dns_record,
    "goodbot.site.audit.identity.SenderIdentity": identity_made,
    "goodbot.site.audit.identity.IdentityEvidence": identity_evidence,
    "goodbot.site.audit.identity.IdentityPlace": lambda: identity_made().place,
    "goodbot.site.audit.identity.IdentityTest": lambda: identity_made().tests[0],
    "goodbot.site.audit.identity.NameRecord": lambda: dns_record().forward[0],
    "goodbot.site.audit.identity.lookup.DnsAnswer": lambda: lookup.DnsAnswer(
        "answered", ("a.example",)
    ),
    "goodbot.site.logs.LogCounts": lambda: logs.LogCounts(lines=1),
    "goodbot.site.logs.LogFormat": lambda: logs.LOG_FORMATS[0],
    "goodbot.site.logs.LogSummary": lambda: logs.LogSummary(
        (), PEOPLE, PEOPLE, (), logs.LogCounts()
    ),
    "goodbot.site.logs.SenderSums": lambda: PEOPLE,
    "goodbot.site.logs.UnreadLine": lambda: logs.UnreadLine(1, "form", b"x"),
    "goodbot.address_lists.Refreshed": lambda: Refreshed(list_of_gptbot(), "fresh", list_copy()),
    "goodbot.site.gate.Enforcement": lambda: gate.Enforcement(access=True, proxies=("::1",)),
    "goodbot.site.gate.GateFinding": lambda: gate.GateFinding("ends-later", "Rule 1 ended."),
    "goodbot.site.gate.GatePolicy": gate_policy,
    "goodbot.site.gate.GateRule": lambda: gate_policy().rules[0],
    "goodbot.site.gate.RslNotice": lambda: gate.RslNotice(copyright="Example"),
    "goodbot.site.gate.RslOffer": lambda: gate.RslOffer(uses=("train",), payment="crawl"),
    "goodbot.site.gate.TdmOffer": lambda: gate.TdmOffer(holder="Example", email="a@example.com"),
    "goodbot.site.gate.ServedFile": lambda: gate.ServedFile("text/plain", FILE),
    "goodbot.expectations.Expectation": expectation,
    "goodbot.expectations.ExpectationFile": lambda: expectations.ExpectationFile((expectation(),)),
    "goodbot.expectations.ExpectationResult": expectation_result,
    "goodbot.bots.AddressList": lambda: bots.get("GPTBot").addresses[0],
    "goodbot.bots.ObeyedRules": lambda: bots.rules_for(goodbot.RobotsTxt(FILE), "GPTBot"),
    "goodbot.address_lists.ListCopy": list_copy,
    "goodbot.address_lists.PublishedAddresses": lambda: read_addresses(
        b'{"prefixes": [{"ipv4Prefix": "66.249.64.0/27"}]}', list_of_gptbot()
    ),
    "goodbot.bots.KnownRobot": lambda: bots.get("Googlebot-News"),
    "goodbot.tables.counting.RobotCounts": lambda: counting.RobotCounts("GPTBot", named=1),
    "goodbot.tables.counting.SizeCounts": lambda: counting.SizeCounts(1, 2, 2, 2, 2, 2),
    "goodbot.tables.counting.PolicyCounts": lambda: counting.PolicyCounts(
        "2026", 1, {"rules": 1}, {"200": 1}, counting.SizeCounts(), (), {}, {}, {}, {}
    ),
    "goodbot.knowledge.KnownDocument": lambda: knowledge.document("tdmrep"),
    "goodbot.bots.FactSource": lambda: bots.get("GPTBot").source("tokens"),
    "goodbot.ArrowColumn": lambda: rules().allows_many(ArrowOnly(["/a", "/b", None])),
    "goodbot.Considered": lambda: rules().verdict("/a/b").considered[1],
    "goodbot.Dialect": lambda: goodbot.dialect("bing").replace(tie="disallow"),
    "goodbot.Finding": lambda: goodbot.RobotsTxt(b"Disallow: /a").findings[0],
    "goodbot.Group": lambda: goodbot.RobotsTxt(FILE).groups[0],
    "goodbot.Line": lambda: goodbot.RobotsTxt(FILE).lines[1],
    "goodbot.Page": document,
    "goodbot.Policy": policy_of,
    "goodbot.RequestRate": lambda: rules().request_rates[0],
    "goodbot.RobotsTxt": lambda: goodbot.RobotsTxt(FILE),
    "goodbot.Rule": lambda: next(iter(rules())),
    "goodbot.Rules": rules,
    "goodbot.Selection": lambda: rules().selection,
    "goodbot.Usage": lambda: rules().usage("/a/b"),
    "goodbot.Verdict": lambda: rules().verdict("/a/b"),
    "goodbot.VisitTime": lambda: rules().visit_times[0],
    "goodbot.page.Copy": lambda: goodbot.Page(URL, "<p>a").archive_copy(),
    "goodbot.page.Cut": lambda: page.Cut(document().index, 1, 7),
    "goodbot.page.Directive": lambda: page.DIRECTIVES["noindex"],
    "goodbot.page.DisplayLimits": lambda: document().limits,
    "goodbot.page.Link": lambda: document().links[0],
    "goodbot.page.Mark": lambda: page.MARKS[0],
    "goodbot.page.PageDialect": lambda: page.page_dialect("google"),
    "goodbot.page.PageFacts": lambda: document().facts,
    "goodbot.page.PageOptions": lambda: page.PageOptions(marks=["ugc"], names_page=HTML),
    "goodbot.page.PageUsage": lambda: document().usage,
    "goodbot.page.UsageLine": lambda: page.UsageLine("content-usage", "train-ai=n", "header", 0),
    "goodbot.page.PageVerdict": lambda: document().index,
    "goodbot.page.Payment": lambda: page.Payment("USD 0.01"),
    "goodbot.page.Run": lambda: document().runs[0],
    "goodbot.page.Source": lambda: document().index.said,
    "goodbot.page.Statement": lambda: document().statements[0],
    "goodbot.site.writing.Loss": lambda: write.Loss("not-sayable", "nothing says it", 3),
    "goodbot.site.writing.Stated": lambda: write.Stated(wish(), (write.Loss("a", "b"),)),
    "goodbot.site.writing.Wish": wish,
    "goodbot.site.writing.Wished": lambda: wish().stated[1],
    "goodbot.site.writing.Written": lambda: write.Written("meta", "<meta>", "head", wish(), ()),
    "goodbot.policy.CacheControl": lambda: policy.cache_control(["max-age=9"]),
    "goodbot.policy.Freshness": lambda: policy_of().freshness,
    "goodbot.policy.Hold": lambda: policy.Hold(URL, "block", "a letter", "Ann", NOW),
    "goodbot.policy.LadderStep": lambda: policy.policy_dialect("google").ladder[0],
    "goodbot.policy.Meaning": lambda: policy.policy_dialect("google").outcomes[FAILED],
    "goodbot.policy.NextHop": lambda: policy.NextHop(URL, None),
    "goodbot.policy.PolicyDialect": lambda: policy.policy_dialect("google"),
    "goodbot.history.LearnedPolicy": lambda: timeline().learned[0],
    "goodbot.history.PoliciesThen": lambda: timeline().at(NOW),
    "goodbot.history.PolicyTimeline": timeline,
    "goodbot.policy.RobotsTxtAnswer": lambda: policy.RobotsTxtAnswer(
        "https://a.example/robots.txt", NOW, 404
    ),
    "goodbot.policy.Validators": lambda: policy_of().validators,
    "goodbot.pace.History": history,
    "goodbot.pace.Manners": lambda: pace.Manners(floor=2.0),
    "goodbot.pace.PastVisit": lambda: pace.PastVisit(NOW, NOW, 200),
    "goodbot.pace.Turn": lambda: pace.Pace(rules()).turn(history(), now=NOW),
    "goodbot.net.Limits": lambda: net.Limits(seconds=5),
    "goodbot.net.Response": response,
    "goodbot.store.Later": lambda: store.Later(NOW, "crawl-delay"),
    "goodbot.store.Lease": lambda: store.Lease(URL, 1, "me", NOW, NOW, history()),
    "goodbot.store.StoredPolicy": lambda: store.StoredPolicy(
        NOW, NOW, None, policy_of().as_record()
    ),
    "goodbot.robot.Asked": lambda: robot.Asked(URL, NOW, "rules", "ok", 200, 0, policy_of()),
    "goodbot.robot.Failed": lambda: robot.Failed(URL, NOW, "dns", "page", NOW),
    "goodbot.robot.Fetched": lambda: robot.Fetched(URL, NOW, 200, 9, 1.0, "page", NOW, response()),
    "goodbot.robot.Hop": hop,
    "goodbot.robot.Identity": lambda: robot.Identity("ExampleBot", "1", URL, "bot@example.com"),
    "goodbot.robot.Refused": lambda: robot.Refused(URL, NOW, policy_verdict()),
    "goodbot.robot.Remark": lambda: robot.Remark(URL, "comment", "hello"),
    "goodbot.robot.Visit": lambda: robot.Visit((hop(),), "answered"),
    "goodbot.robot.VisitDeferred": lambda: robot.VisitDeferred(URL, NOW, None, "do-not-visit"),
    "goodbot.robot.Waited": lambda: robot.Waited(URL, NOW, 1.5, "crawl-delay"),
    "goodbot.crawl.Bounds": lambda: crawl.Bounds(include=("/a*",), pages=9),
    "goodbot.crawl.Ended": lambda: crawl.Ended(NOW, summary()),
    "goodbot.crawl.FindingsReported": lambda: crawl.FindingsReported(
        URL, NOW, URL, PageFindings(())
    ),
    "goodbot.crawl.ArchiveFault": lambda: crawl.ArchiveFault(
        "changed-bytes", "a.warc.gz", 0, 7, URL, 1
    ),
    "goodbot.sitemaps.Sitemap": lambda: sitemaps.read_sitemap(b"https://a.example/c", URL),
    "goodbot.sitemaps.SitemapEntry": lambda: sitemaps.SitemapEntry("https://a.example/c", None),
    "goodbot.crawl.SkippedGroup": lambda: crawl.SkippedGroup(
        URL, "disallowed", "rule-disallows", 1, URL, "robots.txt line 2", 1
    ),
    "goodbot.crawl.CrawlChange": lambda: crawl.CrawlChange("status", URL, "200", "500", ""),
    "goodbot.crawl.CrawlFinding": lambda: crawl.CrawlFinding(
        URL, NOW, "page-missing", "error", None, "it answers with 404", 1
    ),
    "goodbot.crawl.FoundLink": found_link,
    "goodbot.crawl.InventoryRow": inventory_row,
    "goodbot.crawl.SiteFinding": lambda: crawl.SiteFinding("slow", "warning", URL, "9,000 ms"),
    "goodbot.crawl.SiteAlert": lambda: crawl.SiteAlert(URL, NOW, "failing", "three in a row"),
    "goodbot.crawl.Started": lambda: crawl.Started(NOW, "shop", 7),
    "goodbot.crawl.CrawlStatus": lambda: crawl.CrawlStatus(
        NOW,
        "ExampleBot/1.0",
        is_running=True,
        process=7,
        urls={"done": 7},
        sites={"idle": 1},
        rate=0.5,
        last_request=NOW,
        left=time_left([]),
        failing={},
        disk_bytes=12_345,
        disk_free=None,
    ),
    "goodbot.crawl.Summary": summary,
    "goodbot.crawl.WaczSummary": lambda: crawl.WaczSummary(7, 20, 2, 12_345, 1, 3),
    "goodbot.crawl.WaitBegan": lambda: crawl.WaitBegan(NOW, NOW, 7),
    "goodbot.crawl.UrlSettled": lambda: crawl.UrlSettled(URL, NOW, URL, "done", "ok", "", 200),
    "goodbot.indexability.Aspect": lambda: indexability.Aspect("meta", None, "", ""),
    "goodbot.indexability.IndexabilityReport": indexability_report_made,
    "goodbot.indexability.RobotIndexability": lambda: indexability_report_made().answers[0],
    "goodbot.site.lint.LintFinding": lambda: lint_report().findings[0],
    "goodbot.site.lint.LintReport": lint_report,
    "goodbot.site.lint.LintRule": lambda: lint.LINT_RULES["never-decides"],
    "goodbot.site.lint.LintSettings": lambda: lint.LintSettings(ignore=("unknown-field",)),
    "goodbot.site.lint.SiteSignals": lambda: lint.SiteSignals(tdmrep=b"[]"),
    "goodbot.testing.Answer": lambda: testing.Answer(body=HTML),
    "goodbot.testing.FakeVisit": lambda: testing.FakeVisit(URL, NOW, 0.0, (("a", "b"),)),
    "goodbot.testing.Judgement": lambda: testing.Judgement((loopback_visit(),), (), ()),
    "goodbot.testing.LoopbackVisit": loopback_visit,
    "goodbot.tables.writing.RobotSummary": lambda: ROBOT_SUMMARY,
    "goodbot.tables.writing.UrlColumns": lambda: verdict_tables.UrlColumns(at="fetched"),
    "goodbot.tables.writing.VerdictProgress": lambda: verdict_tables.VerdictProgress(1, 2, 0),
    "goodbot.reconsidering.HeldAnswer": lambda: reconsidering.HeldAnswer("allowed", "x"),
    "goodbot.reconsidering.Reconsidered": lambda: reconsidering.Reconsidered(
        URL, NOW, "a.warc", 0, "response", "fetch", "allowed", "disallowed", "x", 2, "", "remove"
    ),
    "goodbot.reconsidering.SiteStatements": lambda: reconsidering.SiteStatements(now=NOW),
    "goodbot.tables.writing.VerdictSummary": lambda: verdict_tables.VerdictSummary(
        1, 1, (ROBOT_SUMMARY,)
    ),
}
"""How to create each value; a class without a row fails."""

PROTOCOL, ACTS, SUITE = "a protocol", "it holds what is open, or acts", "tests to derive from"
NO_VALUES = {
    "goodbot.reconsidering.SiteJudge": "it remembers what it was asked",
    "goodbot.reconsidering.TakedownList": "it is a lookup; compare its text",
    "goodbot.signatures.KeySets": "it is a lookup; compare its sets",
    "goodbot.site.audit.Audit": "it has the rows of a whole log; compare its robots",
    "goodbot.site.audit.AuditResult": "it has the rows of a whole log; compare its table",
    "goodbot.site.audit.identity.Identities": "it keeps decisions while a log is read",
    "goodbot.site.audit.identity.lookup.DnsCache": ACTS,
    "goodbot.site.audit.identity.lookup.DnsResolver": ACTS,
    "goodbot.site.audit.identity.lookup.NameResolver": PROTOCOL,
    "goodbot.site.logs.LogReader": ACTS,
    "goodbot.address_lists.ListFolder": ACTS,
    "goodbot.site.gate.Rendered": "it remembers answers; compare its files",
    "goodbot.Robot": ACTS,
    "goodbot.robot.RobotsTxtReader": ACTS,
    "goodbot.service.Service": ACTS,
    "goodbot.blocking.Robot": ACTS,
    "goodbot.pace.Pace": "made of `Rules` and `Manners` in no time; compare and keep those",
    "goodbot.net.AddressGuard": ACTS,
    "goodbot.net.AiohttpFetcher": ACTS,
    "goodbot.net.Clock": PROTOCOL,
    "goodbot.net.Fetcher": PROTOCOL,
    "goodbot.net.SystemClock": ACTS,
    "goodbot.store.Budget": PROTOCOL,
    "goodbot.store.HoldKeeper": PROTOCOL,
    "goodbot.store.MemoryStore": ACTS,
    "goodbot.store.PolicyStore": PROTOCOL,
    "goodbot.store.PostgresStore": ACTS,
    "goodbot.store.SQLiteStore": ACTS,
    "goodbot.store.Store": PROTOCOL,
    "goodbot.store.Timekeeper": PROTOCOL,
    "goodbot.crawl.Crawl": ACTS,
    "goodbot.crawl.ProcessCrawl": ACTS,
    "goodbot.crawl.Database": ACTS,
    "goodbot.crawl.ImportSummary": "It counts while the import runs.",
    "goodbot.crawl.ResponseRecorder": ACTS,
    "goodbot.crawl.Evidence": ACTS,
    "goodbot.crawl.SQLiteIndex": ACTS,
    "goodbot.crawl.WarcArchive": ACTS,
    "goodbot.crawl.testing.ArchiveSuite": SUITE,
    "goodbot.testing.Behaviour": "it has functions, which are no content",
    "goodbot.testing.FakeClock": ACTS,
    "goodbot.testing.FakeSite": ACTS,
    "goodbot.crawl.testing.EvidenceSuite": SUITE,
    "goodbot.crawl.testing.FrontierSuite": SUITE,
    "goodbot.crawl.testing.IndexSuite": SUITE,
    "goodbot.crawl.testing.InventorySuite": SUITE,
    "goodbot.crawl.testing.LinkSuite": SUITE,
    "goodbot.testing.LoopbackSite": ACTS,
    "goodbot.testing.SharedStoreSuite": SUITE,
    "goodbot.testing.StoreSuite": SUITE,
    "goodbot.crawl.testing.TrapSuite": SUITE,
}
"""Classes that are not values, and why."""
