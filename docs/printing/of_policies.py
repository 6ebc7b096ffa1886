"""The page on statuses and lifetimes, from the tables of goodbot.policy."""

from collections.abc import Iterator, Sequence

from goodbot import policy
from goodbot.http.challenges import CHALLENGES
from goodbot.http.status import STATUSES, Status
from printing.as_markdown import code, table

AS_DEFAULT = "="


def statuses_page() -> Iterator[str]:
    """Yield what statuses and failures mean in each dialect, and how long responses are fresh."""
    yield "# Statuses and lifetimes"
    yield ""
    yield (
        "For anyone who wants to know what an HTTP status means to goodbot. Looking for a status "
        "of robots.txt? [What each outcome is made into](#what-each-outcome-is-made-into) lists "
        "them by dialect; [policy.md](../explanation/policy.md) explains how to use them, and "
        "`goodbot.policy.status_table(dialect)` returns these rows. Looking for a status of a "
        "page? See [What a status says of a page](#what-a-status-says-of-a-page)."
    )
    yield ""
    every = list(policy.POLICY_DIALECTS.values())
    yield from outcomes_section(every)
    yield from lives_section(every)
    yield from pages_section()
    yield from challenges_section()
    yield "## Who says so"
    yield ""
    for place, one in enumerate(every):
        yield from policy_sources_section(one, every[:place])
    yield from policy_reasons_section()


def outcomes_section(every: Sequence[policy.PolicyDialect]) -> Iterator[str]:
    """Yield the table of outcomes by dialects."""
    yield "## What each outcome is made into"
    yield ""
    yield from table(
        ["treatment", "meaning"],
        [[code(name), meaning] for name, meaning in policy.TREATMENTS.items()],
    )
    yield f"`{AS_DEFAULT}` means the same as in `{every[0].name}`, the default."
    yield ""
    rows = []
    for name, (statuses, _) in policy.OUTCOMES.items():
        default = every[0].outcomes[name].treatment
        made = [one.outcomes[name].treatment for one in every[1:]]
        rows.append(
            [code(name), statuses, code(default)]
            + [AS_DEFAULT if one == default else code(one) for one in made]
        )
    yield from table(["outcome", "status", *(f"`{one.name}`" for one in every)], rows)
    yield "## What a policy comes to"
    yield ""
    yield from table(
        ["access", "meaning"], [[code(name), meaning] for name, meaning in policy.ACCESSES.items()]
    )


def lives_section(every: Sequence[policy.PolicyDialect]) -> Iterator[str]:
    """Yield the other choices by dialects, and the steps while robots.txt is out of reach."""
    yield "## How long answers live"
    yield ""
    yield (
        "In seconds. `PolicyDialect.replace` changes any of them. "
        "`help(goodbot.policy.PolicyDialect)` explains each."
    )
    yield ""
    records = [one.as_dict() for one in every]
    names = [name for name in records[0] if name not in {"name", "outcomes", "ladder", "sources"}]
    rows = []
    for name in names:
        values = [choice_text(record[name]) for record in records]
        rows.append(
            [code(name), values[0]]
            + [AS_DEFAULT if value == values[0] else value for value in values[1:]]
        )
    yield from table(["choice", *(f"`{one.name}`" for one in every)], rows)
    yield "## While robots.txt is out of reach"
    yield ""
    rows = [
        [
            ", ".join(code(one.name) for one in every if one.ladder == ladder),
            "for ever" if step.until is None else f"up to {step.until / 3600:g} hours",
            policy.FALLBACKS[step.with_copy],
            policy.FALLBACKS[step.without_copy],
        ]
        for ladder in dict.fromkeys(one.ladder for one in every if is_climbed(one))
        for step in ladder
    ]
    yield from table(["dialect", "for how long", "with a stored copy", "without one"], rows)


def pages_section() -> Iterator[str]:
    """Yield the table of what each status says about a page."""
    yield "## What a status says of a page"
    yield ""
    yield (
        "One table for the robot, the crawl, its index and its archive "
        "(`goodbot.http.status.STATUSES`). The directives of a page are read only from a "
        "successful response. If a response says nothing about the page, what is stored of the "
        "page stays. A redirect counts as a statement about the page if it has a target. A status "
        "without a row is read as its class. A 206 whose Content-Range covers the whole page is a "
        "success, although no range was requested. The [challenge](#how-challenges-show) of a firewall "
        "is none of these, whatever its status."
    )
    yield ""
    rows = [
        [
            code(row.code),
            row.name,
            "the page" if row.is_success else "",
            kept_of(row),
            "yes" if row.is_transient else "",
            "yes" if row.is_overload else "",
            row.fault,
            row.source,
        ]
        for row in STATUSES.values()
    ]
    heads = ["status", "name", "content", "stored copy", "try again soon", "overload", "fault"]
    yield from table([*heads, "source"], rows)


def challenges_section() -> Iterator[str]:
    """Yield the table of how the challenges of firewalls show."""
    yield "## How challenges show"
    yield ""
    yield (
        "What a firewall sends to clients that it takes for robots, instead of what they requested "
        "(`goodbot.http.challenges.CHALLENGES`). Instead of robots.txt it defers; instead of a "
        "page it says nothing about the page. A mark counts for robots.txt only, and only in HTML. "
        "A page of HTML without any of them is a page."
    )
    yield ""
    rows = [
        [
            one.vendor,
            code(one.field) if one.field else "",
            ", ".join(map(code, one.values)) or ("any value" if one.field else ""),
            ", ".join(map(str, one.statuses)) or "any",
            code(one.mark.decode()) if one.mark else "",
            one.source,
        ]
        for one in CHALLENGES
    ]
    heads = ["vendor", "field", "value", "statuses", "mark in the content", "source"]
    yield from table(heads, rows)


def kept_of(row: Status) -> str:
    """Return what happens to the stored data of a page."""
    if row.is_success:
        return "replaced"
    if row.is_redirect:
        return "removed, if it has a target"
    return "removed" if row.speaks_of_page else "kept"


def is_climbed(one: policy.PolicyDialect) -> bool:
    """Report whether a dialect has the treatment `unreachable`; some defer instead."""
    return any(meaning.treatment == "unreachable" for meaning in one.outcomes.values())


def choice_text(value: object) -> str:
    """Return a choice as a cell of a table."""
    if isinstance(value, list):
        return ", ".join(value) or "nothing"
    return {None: "no bound", True: "yes", False: "no"}.get(value, str(value))  # type: ignore[call-overload,no-any-return]


def policy_sources_section(
    one: policy.PolicyDialect, before: Sequence[policy.PolicyDialect]
) -> Iterator[str]:
    """Yield the sources of one policy dialect, or name the dialect with the same ones."""
    yield f"### {one.name}"
    yield ""
    yield from table(["lifetime", "source"], one.sources)
    same = next((other.name for other in before if other.outcomes == one.outcomes), None)
    if same is not None:
        yield f"Its outcomes are those of [`{same}`](#{same})."
        yield ""
        return
    rows = [
        [code(name), code(treatment), source]
        for name, _, treatment, source in policy.status_table(one)
    ]
    yield from table(["outcome", "treatment", "source"], rows)


def policy_reasons_section() -> Iterator[str]:
    """Yield the reasons and findings of policies."""
    yield "## Reasons"
    yield ""
    yield from table(["reason", "meaning"], [[code(slug), said] for slug, said in policy.reasons()])
    yield (
        "Decisions of the robot's operator have reasons of their own "
        "([operator.md](../how-to/operator.md)):"
    )
    yield ""
    held = policy.HOLD_REASONS.items()
    yield from table(["reason", "meaning"], [[code(slug), said] for slug, said in held])
    yield "## Findings of answers"
    yield ""
    rows = [[code(slug), severity, said] for slug, severity, said in policy.finding_codes()]
    yield from table(["code", "severity", "meaning"], rows)
