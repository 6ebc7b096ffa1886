"""The documents that are written from the groups of a policy.

Scope: groups to text. Values were checked when the policy was made; XML and JSON are escaped here.
"""

import json
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from goodbot.bots import known
from goodbot.content_use.rsl_grammar import NAMESPACE
from goodbot.content_use.statement import Use
from goodbot.content_use.use_words import words_of
from goodbot.site.gate.group_rules import GroupRules, SitePart
from goodbot.site.gate.license_offers import OFFERED_USES, RslNotice, RslOffer, TdmOffer
from goodbot.site.gate.path_patterns import covering
from goodbot.site.gate.robot_groups import GateGroup
from goodbot.site.gate.use_statements import content_signals, content_usage, reservation

TRAINING_TOKEN = next(row.word for row in words_of("purpose-token") if row.use == "train")
"""The purpose token of training."""

TrainAnswers = Mapping[str, bool | None]
"""The answers on training of the parts of a site, by path."""

__all__ = ["robots_txt", "rsl", "tdm_policy", "tdmrep"]


def robots_txt(
    groups: Sequence[GateGroup],
    licenses: Mapping[GroupRules, str],
    sitemaps: Sequence[str],
    reasons: Sequence[str],
    level: str | None = None,
    *,
    training_token: bool = False,
) -> bytes:
    """Return robots.txt.

    Args:
        groups: The groups; that for everyone comes last, for readers that stop at the first match.
        licenses: The URL of the licence for the rules of a group.
        sitemaps: The URLs of sitemaps.
        reasons: The reasons of rules, for comments.
        level: The level up to which content may be used, of Content-Signal.
        training_token: Whether to write what is reserved for the shared training token, too.

    """
    head = "".join(f"# {reason}\n" for reason in reasons)
    blocks = [head] if head else []
    bodies = [lines_of(group, licenses, level) for group in groups]
    reserved = training_group(groups) if training_token else []
    bodies[-1:-1] = [reserved] if reserved else []
    blocks += ["".join(f"{line}\n" for line in body) for body in bodies]
    if sitemaps:
        blocks.append("".join(f"Sitemap: {url}\n" for url in sitemaps))
    return "\n".join(blocks).encode()


def training_group(groups: Sequence[GateGroup]) -> list[str]:
    """Return the group for the shared training token; empty if training is reserved nowhere.

    What is disallowed there is reserved from training. What is not is no permission, also where
    a rule has to except it from a shorter path. The token speaks to every robot, so nothing is
    written if some robot may train on a part of the site that others may not.

    Source: draft-kelley-aipref-training-preference-signal-00, abstract; unverified.
    """
    answers, *named = (
        {part.path: dict(part.answers).get("train") for part in group.rules.parts}
        for group in reversed(groups)
    )
    if any(may_train_elsewhere(own, answers) for own in named):
        return []
    if False not in answers.values():
        return []
    rules = [
        f"{'Allow' if answer else 'Disallow'}: {path}"
        for path, answer in answers.items()
        if answer is not None
    ]
    return [f"User-agent: {TRAINING_TOKEN}", *rules]


def may_train_elsewhere(own: TrainAnswers, everyone: TrainAnswers) -> bool:
    """Return whether some robots may train on a part of the site that is reserved for everyone.

    >>> may_train_elsewhere({"/": False, "/a": True}, {"/": False, "/a": True})
    False
    >>> may_train_elsewhere({"/": True}, {"/": False})
    True
    """
    if True not in own.values():
        return False
    is_unnamed = any(answer is False and path not in own for path, answer in everyone.items())
    return is_unnamed or any(answer and not everyone.get(path) for path, answer in own.items())


def lines_of(
    group: GateGroup, licenses: Mapping[GroupRules, str], level: str | None = None
) -> list[str]:
    """Return the lines of one group.

    A record needs one Disallow (Koster 1994), and an empty one allows everything. For robots with a
    name, `Allow: /` says that this is meant, as lint asks for. What lint notes about the robots
    that the policy names is for comments to ignore: nobody can mend it in this file.
    """
    rules = group.rules
    robots = [robot for token in group.tokens if (robot := known(token)) is not None]
    fetch = needed_rules(rules.fetch)
    is_refused = any(not allowed for _, allowed in fetch)
    lines = []
    if is_refused and any(robot.obeys is False for robot in robots):
        lines.append("# goodbot: ignore=robot-does-not-obey")
    lines += [f"User-agent: {token}" for token in group.tokens]
    lines += [f"{'Allow' if allowed else 'Disallow'}: {path}" for path, allowed in fetch]
    if not fetch:
        lines += ["Disallow:"] if "*" in group.tokens else ["Allow: /", "Disallow:"]
    if rules.delay is not None:
        if any("Crawl-delay" in robot.ignores for robot in robots):
            lines.append("# goodbot: ignore=crawl-delay-ignored")
        lines.append(f"Crawl-delay: {seconds(rules.delay)}")
    usage = [(part.path, content_usage(dict(part.answers))) for part in rules.parts]
    permits = any("=y" in said for _, said in usage)
    for path, said in usage:
        if said:
            lines.append(f"Content-Usage: {path} {said}")
        elif permits:
            # It takes away what a shorter path permits (draft-ietf-aipref-attach-05 section 3.1).
            lines += ["# goodbot: ignore=malformed-value", f"Content-Usage: {path}"]
    signals = content_signals([(part.path, dict(part.answers)) for part in rules.parts], level)
    lines += [f"Content-Signal: {value}" for value in signals]
    if rules in licenses:
        lines.append(f"License: {licenses[rules]}")
    return lines


def needed_rules(rules: Sequence[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Return the rules without those that change nothing.

    They are omitted only where it makes no difference in any dialect: where nothing is disallowed,
    and where everything is that another rule of the group covers.

    >>> needed_rules([("/a/", False), ("/", False)]), needed_rules([("/a/", True)])
    ([('/', False)], [])
    >>> needed_rules([("/a/", True), ("/", False)])
    [('/a/', True), ('/', False)]
    """
    if all(allowed for _, allowed in rules):
        return []
    if any(allowed for _, allowed in rules):
        return list(rules)
    paths = {path for path, _ in rules}
    return [
        (path, allowed)
        for path, allowed in rules
        if all(other == path for other in covering(path, paths))
    ]


def seconds(delay: float) -> str:
    """Return seconds as digits.

    >>> seconds(10.0), seconds(0.5), seconds(0.00001)
    ('10', '0.5', '0.00001')
    """
    return f"{delay:.6f}".rstrip("0").rstrip(".") or "0"


def tdmrep(parts: Sequence[SitePart], policy: str | None) -> bytes | None:
    """Return tdmrep.json for everyone; `None` if nothing is said about training.

    The first match decides, and the parts come longest first. A location without a reservation is
    an error, so that a part that says nothing before a shorter one that allows is reserved.

    Source: TDMRep, section TDM File on the Origin Server.
    """
    rows: list[dict[str, object]] = []
    for number, part in enumerate(parts):
        said = reservation(dict(part.answers))
        later = (reservation(dict(one.answers)) for one in parts[number:])
        if not said and "0" in later:
            said = "1"
        if said:
            named = {"tdm-policy": policy} if policy and said == "1" else {}
            rows.append({"location": part.path, "tdm-reservation": int(said), **named})
    return json.dumps(rows, indent=2).encode() + b"\n" if rows else None


def tdm_policy(offer: TdmOffer, uid: str, site: str) -> bytes:
    """Return a policy for text and data mining, an offer in ODRL.

    Args:
        offer: What is offered.
        uid: The identifier of the policy: the URL at which it is served.
        site: The origin of the site, which identifies the holder of the rights.

    Source: TDMRep, section Expressing a TDM Policy.
    """
    assigner = {"uid": site, "vcard:fn": offer.holder}
    for name, scheme, value in (
        ("vcard:hasEmail", "mailto:", offer.email), ("vcard:hasTelephone", "tel:", offer.telephone),
        ("vcard:hasURL", "", offer.url),
    ):  # fmt: skip
        if value is not None:
            assigner[name] = scheme + value
    duties = {"obtainConsent": offer.consent, "compensate": offer.compensate}
    permission: dict[str, object] = {
        "action": "tdm:mine",
        "duty": [{"action": name} for name, holds in duties.items() if holds],
    }
    if offer.purpose is not None:
        permission["constraint"] = [
            {"leftOperand": "purpose", "operator": "eq", "rightOperand": f"tdm:{offer.purpose}"}
        ]
    written = {
        "@context": ["http://www.w3.org/ns/odrl.jsonld", {"tdm": "http://www.w3.org/ns/tdmrep#"}],
        "@type": "Offer",
        "profile": "http://www.w3.org/ns/tdmrep",
        "uid": uid,
        "assigner": assigner,
        "permission": [permission],
    }
    return json.dumps(written, indent=2).encode() + b"\n"


RSL_WORDS: tuple[tuple[Use, str], ...] = (
    ("train", "ai-train"),
    ("ground", "ai-input"),
    ("search", "search"),
)
"""The words of RSL 1.0, section 3.4.1.1; `search` is also about excerpts, and copies have none."""


def rsl(parts: Sequence[SitePart], terms: RslNotice) -> bytes:
    """Return a licence in RSL: what a list does not permit is not licensed.

    What is reserved and offered is neither permitted nor prohibited by the first set of terms of a
    part: each offer is a set of terms of its own, which permits that alone.

    Source: RSL 1.0, sections 3.1 to 3.10.
    """
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<rsl xmlns={quoteattr(NAMESPACE)}>"]
    for part in parts:
        answers = dict(part.answers)
        reserved = (use for use in OFFERED_USES if answers.get(use) is False)
        offered = {use for use in reserved if terms.offers_for(use)}
        plain = [(word, use) for use, word in RSL_WORDS if use in answers and use not in offered]
        said = [(word, answers[use]) for word, use in plain]
        lines += [f"  <content url={quoteattr(part.path)}>", "    <license>"]
        for name, wanted in (("permits", True), ("prohibits", False)):
            words = " ".join(word for word, answer in said if answer is wanted)
            if words or wanted:
                lines.append(f'      <{name} type="usage">{words}</{name}>')
        lines.append("    </license>")
        for offer in terms.offers:
            words = " ".join(word for use, word in RSL_WORDS if use in offered if use in offer.uses)
            lines += offered_license(offer, words) if words else []
        if terms.copyright:
            lines.append(f"    <copyright>{escape(terms.copyright)}</copyright>")
        if terms.terms:
            lines.append(f"    <terms>{escape(terms.terms)}</terms>")
        lines.append("  </content>")
    return "\n".join([*lines, "</rsl>", ""]).encode()


def offered_license(offer: RslOffer, words: str) -> list[str]:
    """Return the lines of a set of terms that asks for something (RSL 1.0, section 3.7)."""
    asked = [
        f"        <{name}>{escape(value)}</{name}>"
        for name, value in (("standard", offer.standard), ("custom", offer.custom))
        if value is not None
    ]
    if offer.amount is not None:
        currency = quoteattr(offer.currency or "")
        asked.append(f"        <amount currency={currency}>{offer.amount}</amount>")
    payment = f"      <payment type={quoteattr(offer.payment)}"
    paid = [f"{payment}>", *asked, "      </payment>"] if asked else [f"{payment}/>"]
    permitted = f'      <permits type="usage">{words}</permits>'
    return ["    <license>", permitted, *paid, "    </license>"]
