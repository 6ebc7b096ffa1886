"""The sections of a report on robots.txt: mistakes, what rules keep away, and a file that is tried.

Scope: the sentences and tables of these sections; `robots_facts` and `robots_trial` count.
"""

from collections.abc import Iterator

from goodbot._core import Verdict
from goodbot.crawl.report.html.markup import code, grouped, shown, table
from goodbot.crawl.report.html.sections import NOTHING, Section, command_for
from goodbot.crawl.report.rows.finding_table import MOST_CHECKED
from goodbot.crawl.report.rows.robots_facts import MOST_SHOWN, RobotsFacts, findings_by_site
from goodbot.crawl.report.rows.summary import ReportSummary
from goodbot.crawl.watching.robots_trial import RobotsTrial
from goodbot.http.amounts import counted, some_of_names
from goodbot.site.reasoning import RobotComparison

__all__ = ["robots_section", "trial_section"]

MOST_NAMES = 8
EFFECTS = {
    "same": "the same",
    "stricter": "stricter",
    "laxer": "laxer",
    "both": "stricter and laxer",
    "unknown": "undecided",
}


def robots_section(summary: ReportSummary) -> Section:
    """Return the section on the robots.txt of the sites."""
    facts = summary.robots_facts
    body = "\n".join(robots_body(summary, facts))
    return Section("robots-txt", "robots.txt", body, facts.problems)


def robots_body(summary: ReportSummary, facts: RobotsFacts) -> Iterator[str]:
    """Yield the tables on robots.txt, and a sentence where there is nothing to show."""
    for site in facts.sites:
        yield f"<p>{code(site.origin)}: {shown(site.state)}</p>"
    if facts.more_sites:
        yield f"<p>Not checked: {counted(facts.more_sites, 'more site')}.</p>"
    yield from mistakes(facts)
    yield from sitemap_table(facts)
    yield from rule_table(facts)
    yield from resource_table(summary, facts)
    explain = code("goodbot lint --explain CODE")
    trial = code(command_for(summary, "report DIR --try robots.txt"))
    yield (
        f"<p>{explain} explains a code. To see what another robots.txt would change for these "
        f"pages, run {trial}.</p>"
    )


def mistakes(facts: RobotsFacts) -> Iterator[str]:
    """Yield the findings of lint."""
    found = list(findings_by_site(facts))
    if not found:
        yield '<p class="none">Lint has no findings on robots.txt.</p>'
        return
    rows = [
        [
            site.origin,
            str(one.line) if one.line else NOTHING,
            one.severity,
            one.code,
            one.message,
            ", ".join(one.robots[:MOST_NAMES]) or "all",
        ]
        for site, one in found[:MOST_SHOWN]
    ]
    heads = ["site", "line", "severity", "code", "finding", "robots"]
    yield table("Mistakes in robots.txt", heads, rows, numbers={1}, is_open=True)
    if len(found) > MOST_SHOWN:
        yield f"<p>These are the first {MOST_SHOWN} of {grouped(len(found))}.</p>"


def sitemap_table(facts: RobotsFacts) -> Iterator[str]:
    """Yield the findings on sitemaps."""
    if not facts.sitemaps:
        yield '<p class="none">There are no findings on sitemaps.</p>'
        return
    rows = [
        [
            one.url,
            one.found.severity,
            one.found.code,
            NOTHING if one.found.line is None else str(one.found.line),
            one.found.message,
        ]
        for one in facts.sitemaps
    ]
    heads = ["sitemap", "severity", "code", "line", "finding"]
    yield table("Findings on sitemaps", heads, rows, numbers={3}, is_open=True)


def rule_table(facts: RobotsFacts) -> Iterator[str]:
    """Yield the rules that keep most URLs away."""
    rules = facts.kept_away
    if not rules:
        yield '<p class="none">No rule keeps this robot away from a URL that was found.</p>'
        return
    rows = [
        [one.origin, one.rule or NOTHING, one.source, grouped(one.urls), " ".join(one.examples)]
        for one in rules
    ]
    heads = ["site", "rule", "decided by", "URLs", "examples"]
    yield table("Rules that keep most URLs away", heads, rows, numbers={3}, is_open=True)


def resource_table(summary: ReportSummary, facts: RobotsFacts) -> Iterator[str]:
    """Yield the resources that pages need and robots.txt blocks."""
    if not facts.has_pages and summary.urls > MOST_CHECKED:
        inventory = code(command_for(summary, "inventory DIR --csv"))
        yield (
            f"<p>The crawl has more than {grouped(MOST_CHECKED)} URLs, so blocked resources are "
            f"not looked for here; they are a column of {inventory}.</p>"
        )
        return
    resources = facts.blocked_resources
    if not resources:
        yield '<p class="none">No page needs a resource that robots.txt blocks.</p>'
        return
    rows = [[one.url, one.source or NOTHING, grouped(one.pages), one.page] for one in resources]
    heads = ["resource", "blocked by", "pages that load it", "example page"]
    yield table("Blocked resources that pages need", heads, rows, numbers={2}, is_open=True)


def trial_section(trial: RobotsTrial) -> Section:
    """Return the section on a robots.txt that was tried."""
    changing = [one for one in trial.robots if one]
    body = "\n".join(trial_body(trial))
    count = sum(one.newly_disallowed + one.newly_allowed for one in changing)
    return Section("trial", f"Tried: {trial.source}", body, count, "Tried")


def trial_body(trial: RobotsTrial) -> Iterator[str]:
    """Yield what changes for the URLs of the crawl, and then for all paths."""
    effect = EFFECTS[trial.comparison.effect]
    yield (
        f"<p>{code(trial.source)} in place of the robots.txt of {code(trial.origin)}: access is "
        f"<strong>{shown(effect)}</strong>, over all paths and robots"
        f"{'' if trial.comparison.is_complete else ', as far as the search came'}.</p>"
    )
    changing = [one for one in trial.robots if one]
    same = [one.robot for one in trial.robots if not one]
    if changing:
        rows = [
            [
                one.robot,
                grouped(one.urls),
                grouped(one.allowed),
                grouped(one.newly_disallowed),
                grouped(one.newly_allowed),
                " ".join((*one.disallowed_examples, *one.allowed_examples)),
            ]
            for one in changing
        ]
        heads = ["robot", "URLs", "allowed now", "newly disallowed", "newly allowed", "examples"]
        title = "URLs of this crawl whose access changes"
        yield table(title, heads, rows, numbers={1, 2, 3, 4}, is_open=True)
    if same:
        yield f"<p>Nothing changes on the URLs of this crawl for {shown(', '.join(same))}.</p>"
    yield from differences(trial)


def differences(trial: RobotsTrial) -> Iterator[str]:
    """Yield every difference, over all paths."""
    rows = [
        [
            names_in(one),
            each.path,
            "disallowed" if each.is_stricter else "allowed",
            decided_by(each.before),
            decided_by(each.after),
        ]
        for one in trial.comparison.robots
        for each in one.differences
    ]
    if rows:
        heads = ["robots", "shortest path", "becomes", "before", "after"]
        title = f"Every difference, over all paths: {grouped(len(rows))}"
        yield table(title, heads, rows[:MOST_SHOWN], is_open=True)
        if len(rows) > MOST_SHOWN:
            yield f"<p>These are the first {MOST_SHOWN}; 'goodbot diff --json' lists all.</p>"
    changes = [
        [names_in(one), change.field, ", ".join(change.before), ", ".join(change.after)]
        for one in trial.comparison.robots
        for change in one.changes
    ]
    changes += [
        ["every robot", change.field, ", ".join(change.before), ", ".join(change.after)]
        for change in trial.comparison.changes
    ]
    if changes:
        heads = ["robots", "field", "before", "after"]
        yield table("What changes beside access", heads, changes[:MOST_SHOWN], is_open=True)
    if not rows and not changes:
        yield '<p class="none">Both files mean the same for every robot.</p>'


def names_in(one: RobotComparison) -> str:
    """Return the names of some robots."""
    names = ["every other robot" if name == "*" else name for name in one.members]
    return some_of_names(names, MOST_NAMES)


def decided_by(verdict: Verdict) -> str:
    """Return the line that decides, or that none does."""
    rule = verdict.rule
    return "no rule" if rule is None else f"line {rule.line}: {rule.text}"
