"""A decision as plain values, and back: for stores.

Scope: the form in which a policy is stored. An incomplete record is not permission: it is refused,
and robots.txt must be fetched again.
"""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from goodbot._core import Dialect, Finding, RobotsTxt
from goodbot._core import dialect as named_dialect
from goodbot._core import dialects as every_dialect
from goodbot.errors import WrongValueError
from goodbot.http.freshness import Freshness
from goodbot.http.instants import checked_time, written
from goodbot.policy.classify import StoredCopy
from goodbot.policy.decide import ACCESSES, Decision
from goodbot.policy.dialects import PolicyDialect
from goodbot.policy.outcome_tables import POLICY_DIALECTS
from goodbot.policy.outcomes import OUTCOMES, reasons

__all__ = ["decision_of", "record_of"]

FORM = 1
"""The version of the form."""

TIMES = ("fetched_at", "fresh_until", "retry_at", "failing_since", "unreachable_since")
ALWAYS = ("fetched_at", "fresh_until")
PLAIN = ("url", "outcome", "status", "access", "reason")


def record_of(decision: Decision) -> dict[str, Any]:
    """Return a decision as plain values: `str`, `int`, `float`, `bool`, `None`, lists and
    dictionaries of those, and the `bytes` of the body.
    """  # noqa: D205  one sentence
    told = decision.freshness
    return {
        "form": FORM,
        **{name: getattr(decision, name) for name in PLAIN},
        **{name: written(getattr(decision, name)) for name in TIMES},
        "copy": copy_record(decision.copy),
        "freshness": None if told is None else freshness_record(told),
        "findings": [
            [one.code, one.severity, one.message, one.line, one.column] for one in decision.findings
        ],
        "hops": list(decision.hops),
        "dialect": dialect_record(decision.dialect),
        "policy_dialect": policy_record(decision.policy),
    }


def decision_of(record: object) -> Decision:
    """Return a decision from its record.

    Raises:
        WrongValueError: It is not a complete record.

    """
    try:
        return decision_from(record)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, IndexError) as error:
        message = (
            f"this is not a complete record of a policy ({type(error).__name__}: "
            f"{str(error)[:60]}); discard it, and fetch robots.txt again"
        )
        raise WrongValueError(message) from None


def decision_from(record: Any) -> Decision:  # noqa: ANN401  what a store gives back
    """Return a decision from its record, or raise whatever results from reading what is none."""
    if not isinstance(record, Mapping) or record["form"] != FORM:
        message = f"its form is not {FORM}"
        raise ValueError(message)
    dialect = dialect_from(record["dialect"])
    copy = copy_from(record["copy"], dialect, unwritten_url(record))
    check_names(record, copy)
    told = record["freshness"]
    values: dict[str, Any] = {name: record[name] for name in PLAIN}
    values |= {name: time_from(record[name], name) for name in TIMES}
    return Decision(
        **values,
        copy=copy,
        freshness=None if told is None else Freshness(**told | {"varies": tuple(told["varies"])}),
        findings=tuple(
            Finding(code, severity, message, line=line, column=column)
            for code, severity, message, line, column in record["findings"]
        ),
        hops=tuple(record["hops"]),
        dialect=dialect,
        policy=policy_from(record["policy_dialect"]),
    )


def check_names(record: Mapping[str, Any], copy: StoredCopy | None) -> None:
    """Raise for unknown names: an unknown access must not become permission."""
    known = dict(reasons())
    is_known = record["access"] in ACCESSES and record["outcome"] in OUTCOMES
    if not is_known or record["reason"] not in known:
        message = "an access, outcome or reason is unknown"
        raise ValueError(message)
    if record["access"] == "rules" and copy is None:
        message = "the rules are missing"
        raise ValueError(message)
    if not isinstance(record["url"], str) or not isinstance(record["status"], (int, type(None))):
        message = "url or status is of another type"
        raise TypeError(message)


def time_from(text: str | None, name: str) -> datetime | None:
    """Read a time."""
    if text is None and name not in ALWAYS:
        return None
    return checked_time(datetime.fromisoformat(text), name)  # type: ignore[arg-type]


def freshness_record(told: Freshness) -> dict[str, Any]:
    """Return freshness information as plain values."""
    plain = {one.name: getattr(told, one.name) for one in dataclasses.fields(told)}
    return plain | {"varies": list(told.varies)}


def copy_record(copy: StoredCopy | None) -> dict[str, Any] | None:
    """Return a copy as plain values and bytes."""
    if copy is None:
        return None
    return {
        "body": copy.content,
        "fetched_at": written(copy.fetched_at),
        "fields": [list(line) for line in copy.fields],
        "url": copy.url,
    }


def unwritten_url(record: Mapping[str, Any]) -> str:
    """Return where a copy came from that was stored without its address, as 0.1.0 did.

    After a failure that is unknown, because redirects may have led elsewhere.
    """
    return "" if record["failing_since"] else [record["url"], *record["hops"]][-1]


def copy_from(record: Any, dialect: Dialect, url: str) -> StoredCopy | None:  # noqa: ANN401  as above
    """Read a copy; `url` is where it came from, if that is not in the record."""
    if record is None:
        return None
    content = bytes(memoryview(record["body"]))
    fields = tuple((str(name), str(value)) for name, value in record["fields"])
    fetched_at = checked_time(datetime.fromisoformat(record["fetched_at"]), "fetched_at")
    robots_txt = RobotsTxt(content, dialect=dialect)
    return StoredCopy(content, robots_txt, fetched_at, fields, str(record.get("url", url)))


def dialect_record(dialect: Dialect) -> dict[str, Any]:
    """Return a dialect as its base dialect and the choices that differ."""
    base = next((one for one in every_dialect() if one.sources == dialect.sources), None)
    base = base or named_dialect("rfc9309")
    if base == dialect:
        return {"base": base.name}
    changed = {
        name: value for name, value in dialect.choices.items() if base.choices[name] != value
    }
    return {"base": base.name, "name": dialect.name, "title": dialect.title, "choices": changed}


def dialect_from(record: Mapping[str, Any]) -> Dialect:
    """Read a dialect."""
    base = named_dialect(record["base"])
    if "choices" not in record:
        return base
    return base.replace(name=record["name"], title=record["title"], **record["choices"])


def policy_record(policy: PolicyDialect) -> dict[str, Any]:
    """Return a policy dialect as its base dialect and the choices that differ."""
    base = POLICY_DIALECTS.get(policy.name, POLICY_DIALECTS["rfc9309"])
    if policy is base:  # nearly always, and to compare plain values takes a millisecond
        return {"base": base.name, "choices": {}}
    mine, others = policy.as_dict(), base.as_dict()
    changed = {name: value for name, value in mine.items() if others[name] != value}
    if "outcomes" in changed:
        changed["outcomes"] = {
            name: list(one)
            for name, one in changed["outcomes"].items()
            if others["outcomes"][name] != one
        }
    if "ladder" in changed:
        changed["ladder"] = [list(step) for step in changed["ladder"]]
    return {"base": base.name, "choices": changed}


def policy_from(record: Mapping[str, Any]) -> PolicyDialect:
    """Read a policy dialect."""
    choices = dict(record["choices"])
    if "sources" in choices:
        choices["sources"] = tuple((what, where) for what, where in choices["sources"])
    base = POLICY_DIALECTS[record["base"]]
    return base.replace(**choices) if choices else base
