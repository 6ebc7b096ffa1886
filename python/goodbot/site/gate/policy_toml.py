"""A policy from TOML.

Scope: bytes to `GatePolicy`. Unknown keys are refused; each message names the place and what to write.
"""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from goodbot.errors import MisuseError, WrongValueError
from goodbot.files.toml_input import check_keys, parse_toml, wrong
from goodbot.site.gate.gate_policy import Enforcement, GatePolicy, GateRule
from goodbot.site.gate.license_offers import OFFERED_PAYMENTS, RslNotice, RslOffer, TdmOffer
from goodbot.site.gate.policy_checks import texts

__all__ = ["POLICY_KEYS", "TABLES", "read_policy"]

POLICY_KEYS: dict[str, tuple[str, str]] = {
    "site": ("site", 'The origin of the site, such as `"https://example.com"`. Required.'),
    "max-age": ("max_age", "The seconds for which robots.txt and the other files may be cached, at most 86,400; 3,600 by default. A file is never cached beyond a date at which it changes."),
    "last-modified": ("last_modified", "When the policy was changed, a date or a time with its zone, for the header field `Last-Modified`."),
    "sitemaps": ("sitemaps", "URLs of sitemaps, or paths."),
    "tdm-policy": ("tdm_policy", "The URL of a policy for text and data mining that is served elsewhere, for TDMRep. `[tdm]` is for one that the gate writes."),
    "use-level": ("use_level", '`"immediate"`, `"reference"` or `"full"`: the level up to which AI systems may use the content, for Content-Signal.'),
    "training-token": ("training_token", "`false`: robots.txt has no group for the shared training token (`__usage_ai-training`), whose draft is unverified. By default it states there what is reserved from training for everyone."),
}  # fmt: skip
"""The keys of the file, each with its field and meaning."""

RULE_KEYS: dict[str, tuple[str, str]] = {
    "robots": ("robots", 'Names of robots, known ones or product tokens; `"*"` is everyone. A rule without robots, purposes and operators is for everyone.'),
    "purposes": ("purposes", 'Purposes of known robots, such as `"ai-training"`.'),
    "operators": ("operators", 'Operators of known robots, such as `"OpenAI"`.'),
    "paths": ("paths", "Path patterns, as in robots.txt: `*` is any text, `$` the end. Without paths and parts a rule is about the whole site."),
    "parts": ("parts", "Names of parts of the site, from the table `[parts]`."),
    "hosts": ("hosts", "The hosts for which the rule holds; without, all."),
    "from": ("starts", "The date, or the time with its zone, from which the rule holds. A date begins at midnight in UTC."),
    "until": ("ends", "The date or time from which the rule no longer holds."),
    "fetch": ("fetch", "`true` or `false`: whether the paths may be fetched."),
    "delay": ("delay", "The seconds between two requests of one robot."),
    "uses": ("uses", "A table of `train`, `ground`, `search`, `archive` and `preview`, each `true` or `false`. `search` includes `preview` unless that is stated."),
    "why": ("why", "The reason, which becomes a comment in robots.txt."),
}  # fmt: skip
"""The keys of a rule."""

RSL_KEYS: dict[str, tuple[str, str]] = {
    "copyright": ("copyright", "The holder of the rights."),
    "terms": ("terms", "The URL of terms for people."),
}
"""The keys of `[rsl]`."""

OFFER_KEYS: dict[str, tuple[str, str]] = {
    "uses": ("uses", "The uses that it licenses, a list of `train`, `ground` and `search`, which includes `preview`. Required; a rule must reserve each."),
    "payment": ("payment", f"The kind of payment: {', '.join(f'`{one}`' for one in OFFERED_PAYMENTS)}. Required."),
    "amount": ("amount", 'The price, a decimal number in quotation marks such as `"0.01"`.'),
    "currency": ("currency", 'The currency of the price, such as `"USD"`.'),
    "standard": ("standard", "The URL of standard terms."),
    "custom": ("custom", "The URL where a licence is negotiated."),
}  # fmt: skip
"""The keys of an offer in RSL."""

TDM_KEYS: dict[str, tuple[str, str]] = {
    "holder": ("holder", "The full name of the holder of the rights. Required."),
    "url": ("url", "The URL of a page on how to acquire a licence. One of `url`, `email` and `telephone` is required."),
    "email": ("email", "The address of mail of the holder."),
    "telephone": ("telephone", 'The telephone of the holder, such as `"+33155555555"`.'),
    "consent": ("consent", "Whether consent must be obtained before mining; `true` by default."),
    "compensate": ("compensate", "Whether mining must be paid for; `false` by default."),
    "purpose": ("purpose", '`"research"` or `"non-research"`: the only purpose for which a licence is offered.'),
}  # fmt: skip
"""The keys of `[tdm]`."""

ENFORCE_KEYS: dict[str, tuple[str, str]] = {
    "access": ("access", "`true`: verified robots get 403 for what robots.txt disallows them."),
    "delay": ("delay", "`true`: robots that are known to read `Crawl-delay` get 429 with `Retry-After` if they come too early."),
    "spoofed": ("spoofed", '`"allow"` or `"refuse"`: what becomes of requests under the name of a robot from addresses that are not its own.'),
    "signatures": ("signatures", "`true`: a request that is signed with a key of the robot which it names (Web Bot Auth) is verified, whatever its address is. Requires `pip install 'goodbot[robot,signatures]'`."),
    "fail": ("fail", '`"open"` or `"closed"`: if the gate itself fails, the request passes, or gets 503.'),
    "proxies": ("proxies", "Addresses and prefixes of proxies that may name the address of a client; `unix` for a proxy that connects through a Unix socket."),
    "client-header": ("client_header", '`"x-forwarded-for"` or `"forwarded"`: the header field in which they name it.'),
}  # fmt: skip
"""The keys of `[enforce]`."""

TABLES: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "": ("The file itself.", POLICY_KEYS),
    "[[rule]]": ("One rule; a policy has any number of them.", RULE_KEYS),
    "[rsl]": ("Licences in RSL, one for each different group; without this table there are none.", RSL_KEYS),
    "[[rsl.offer]]": ("A licence for what rules reserve, with its price; `[rsl]` has any number of them. An offer lifts no reservation.", OFFER_KEYS),
    "[tdm]": ("A policy for text and data mining, which is written for `/tdm-policy.json` and named where training is reserved.", TDM_KEYS),
    "[enforce]": ("What a middleware does beside telling; by default nothing.", ENFORCE_KEYS),
}  # fmt: skip
"""Every table of the file with its keys, for the reference. `[parts]` has names of your own."""

OUTER = (*POLICY_KEYS, "parts", "rule", "rsl", "tdm", "enforce")


def read_policy(content: bytes, name: str = "the policy") -> GatePolicy:
    r"""Read a policy from TOML.

    Args:
        content: The bytes of the file.
        name: Its name, for messages.

    Raises:
        WrongTypeError: A value has the wrong type.
        WrongValueError: It is not valid; the message says where, and what to write.

    >>> text = b'''
    ... site = "https://example.com"
    ... [[rule]]
    ... purposes = ["ai-training"]
    ... fetch = false
    ... '''
    >>> read_policy(text).rules[0].fetch
    False

    """
    table = parse_toml(content, name)
    check_keys(table, OUTER, name)
    parts = parts_of(table.get("parts", {}), name)
    rows = table.get("rule", [])
    if not isinstance(rows, list) or not all(isinstance(one, dict) for one in rows):
        raise wrong(name, "rules are tables; write [[rule]] in a line of its own before each")
    if "site" not in table:
        raise wrong(name, 'it names no site; write site = "https://example.com"')
    rules = tuple(rule_of(row, parts, f"{name}, rule {n}") for n, row in enumerate(rows, 1))
    values = fields_of(table, POLICY_KEYS, name)
    if "rsl" in table:
        values["rsl"] = rsl_of(table, name)
    if "tdm" in table:
        values["tdm"] = made(
            TdmOffer, {"holder": None} | sub_table(table, "tdm", TDM_KEYS, name), name
        )
    if "enforce" in table:
        values["enforce"] = made(Enforcement, sub_table(table, "enforce", ENFORCE_KEYS, name), name)
    return made(GatePolicy, values | {"rules": rules}, name)  # type: ignore[no-any-return]


def parts_of(table: Any, name: str) -> dict[str, list[str]]:  # noqa: ANN401  what a file has
    """Return the parts of the site by their names."""
    if not isinstance(table, dict):
        raise wrong(name, '[parts] must be a table; write shop = ["/shop/", "/cart/"] in it')
    for part, paths in table.items():
        if not isinstance(paths, list) or not paths:
            raise wrong(name, f'the part {part[:40]!r} must be a list of paths such as ["/shop/"]')
    return table


def rule_of(row: dict[str, Any], parts: Mapping[str, list[str]], place: str) -> GateRule:
    """Return one rule; parts become their paths."""
    check_keys(row, RULE_KEYS, place)
    values = fields_of(row, RULE_KEYS, place)
    named = values.pop("parts", ())
    if not isinstance(named, list | tuple):
        raise wrong(place, 'parts must be a list; write parts = ["shop"]')
    paths = list(texts("paths", values.get("paths", ()), place))
    for part in named:
        if part not in parts:
            known = ", ".join(parts) or "none yet"
            raise wrong(place, f"there is no part {str(part)[:40]!r} in [parts]; it has {known}")
        paths += parts[part]
    if paths:
        values["paths"] = tuple(paths)
    return made(GateRule, values, place)  # type: ignore[no-any-return]


def rsl_of(table: Mapping[str, Any], name: str) -> RslNotice:
    """Return what the licences in RSL say, with the offers."""
    rest = table["rsl"]
    rows = []
    if isinstance(rest, dict):
        rows = rest.get("offer", [])
        rest = {key: value for key, value in rest.items() if key != "offer"}
    if not isinstance(rows, list) or not all(isinstance(one, dict) for one in rows):
        message = "offers are tables; write [[rsl.offer]] in a line of its own before each"
        raise wrong(name, message)
    offers = tuple(offer_of(row, f"{name}, offer {number}") for number, row in enumerate(rows, 1))
    values = sub_table({"rsl": rest}, "rsl", RSL_KEYS, name)
    return made(RslNotice, values | {"offers": offers}, name)  # type: ignore[no-any-return]


def offer_of(row: dict[str, Any], place: str) -> RslOffer:
    """Return one offer in RSL."""
    check_keys(row, OFFER_KEYS, place)
    for key in ("uses", "payment"):
        if key not in row:
            cure = 'write uses = ["train"] and payment = "crawl"'
            raise wrong(place, f"it has no {key}; {cure}")
    return made(RslOffer, fields_of(row, OFFER_KEYS, place), place)  # type: ignore[no-any-return]


def sub_table(
    table: Mapping[str, Any], key: str, keys: dict[str, tuple[str, str]], name: str
) -> dict[str, Any]:
    """Return the fields of a table of the file."""
    found = table[key]
    if not isinstance(found, dict):
        raise wrong(name, f"{key} must be a table; write [{key}] in a line of its own")
    check_keys(found, keys, f"{name}, [{key}]")
    return fields_of(found, keys, f"{name}, [{key}]")


def fields_of(
    table: Mapping[str, Any], keys: dict[str, tuple[str, str]], place: str
) -> dict[str, Any]:
    """Return the values of a table by the names of fields; dates become times in UTC."""
    found = {}
    for key, (field, _meaning) in keys.items():
        if key in table:
            value = table[key]
            is_time = field in {"starts", "ends", "last_modified"}
            found[field] = time_of(value, key, place) if is_time else value
    return found


def time_of(value: Any, key: str, place: str) -> dt.datetime:  # noqa: ANN401  what a file has
    """Return a time; a date is its midnight in UTC."""
    if isinstance(value, dt.datetime):
        if value.tzinfo is None:
            raise wrong(place, f"{key} has no time zone; write 2026-12-01T00:00:00Z")
        return value
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day, tzinfo=dt.timezone.utc)
    raise wrong(place, f"{key} must be a date or a time, not a text; write {key} = 2026-12-01")


def made(kind: type, values: dict[str, Any], place: str) -> Any:  # noqa: ANN401  of that kind
    """Return a record of these values; a failed check names the place."""
    try:
        return kind(**values)
    except MisuseError as error:
        message = str(error)
        inner = message
        for own in ("rule: ", "policy: ", "rsl.offer: ", "tdm: "):
            inner = inner.removeprefix(own)
        whole = f"{place}: {inner}"
        raise type(error)(whole) from error
    except TypeError as error:
        message = f"{place}: a value has the wrong type ({error})"
        raise WrongValueError(message) from error
