"""The forms of Signature-Agent that are in use, and the URL of keys that each names.

Scope: a table, and from a field to URLs. Nothing is fetched. Add a row for a new revision.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from goodbot.display import short_repr
from goodbot.http.address import resolve
from goodbot.lazy_dataclass import dataclass
from goodbot.signatures.messages import SignedRequest, parts_of
from goodbot.signatures.signature_fields import SignatureInput, agent_string, agents

__all__ = [
    "PROFILES",
    "WELL_KNOWN",
    "AgentClaim",
    "AgentProfile",
    "AgentUrl",
    "agent_urls",
    "claimed_agent",
    "key_set_id",
]

WELL_KNOWN = "/.well-known/http-message-signatures-directory"
"""The path of a directory of keys (draft-ietf-webbotauth-httpsig-protocol-01 section 8.1)."""
LONGEST_URL = 2048

URI = re.compile(r"[Hh][Tt][Tt][Pp][Ss]://[A-Za-z0-9._~!$&'()*+,;=:\[\]%-]+[!-~]*")
"""An absolute URI of https without a user (RFC 3986 section 3)."""
NOT_IN_URI = frozenset('"<>\\^`{|}')


@dataclass(frozen=True, slots=True, repr=False)
class AgentProfile:
    """One form of Signature-Agent.

    >>> PROFILES["string"].form
    'string'
    """

    name: str
    """Its name."""
    form: Literal["dictionary", "string"]
    """Whether the field is a dictionary with a member for each label, or one string."""
    value: Literal["key-set", "origin"]
    """Whether the URL is that of the keys, or an origin that has them at `WELL_KNOWN`."""
    source: str
    """The document that has the form."""
    date: str
    """The day of that document."""
    about: str
    """Who uses it."""

    __repr__ = short_repr


PROFILES = {
    one.name: one
    for one in (
        AgentProfile(
            "key-set",
            "dictionary",
            "key-set",
            "draft-ietf-webbotauth-httpsig-protocol-01 section 5.2.1",
            "2026-10-29",
            'The newest draft: `Signature-Agent: sig1="https://example.com/keys.json"`.',
        ),
        AgentProfile(
            "origin",
            "dictionary",
            "origin",
            "draft-ietf-webbotauth-httpsig-protocol-00 sections 5.2.1 and 5.5",
            "2026-09-01",
            'What Google documents for Google-Agent: `Signature-Agent: sig1="https://example.com"`.',
        ),
        AgentProfile(
            "string",
            "string",
            "origin",
            "draft-meunier-web-bot-auth-architecture-03 section 4.2",
            "2025-08-29",
            "The oldest form, which Cloudflare documents and npm's web-bot-auth 0.1.3 signs: "
            '`Signature-Agent: "https://example.com"`.',
        ),
    )
}  # fmt: skip
"""The profiles by their names, the newest first."""


class AgentUrl(NamedTuple):
    """A URL at which the keys of a signature may be."""

    profile: str
    """The name of the profile by which the field names it."""
    url: str
    """The URL, as it is to be fetched."""
    id: str
    """The URL that is the identity: in its normal form, without a query."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


class AgentClaim(NamedTuple):
    """What a signature says of where its keys are."""

    urls: tuple[AgentUrl, ...] = ()
    """The URLs, the most likely one first; empty if it names none."""
    fault: str = ""
    """What is wrong, in words; empty if nothing is."""
    is_uncovered: bool = False
    """Whether there is a member that the signature does not cover."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


def key_set_id(url: str) -> str | None:
    """Return the identity of a URL of keys: its normal form, without a query.

    Args:
        url: The URL.

    Returns:
        `None` if it is not an absolute URL of https.

    >>> key_set_id("HTTPS://Example.COM:443/a/../keys?v=2"), key_set_id("http://example.com/keys")
    ('https://example.com/keys', None)

    Source: draft-ietf-webbotauth-httpsig-protocol-01 section 5.5; RFC 3986 sections 6.2.2, 6.2.3.

    """
    found = normal_url(url)
    return None if found is None else found.partition("?")[0]


def normal_url(url: str) -> str | None:
    """Return a URL of https in its normal form; `None` if it is something else."""
    is_uri = len(url) <= LONGEST_URL and URI.fullmatch(url) and not NOT_IN_URI & set(url)
    if not is_uri or "@" in re.split("[/?#]", url[8:], maxsplit=1)[0]:
        return None
    address, _ = resolve(None, url)
    return None if address is None or not address[1].startswith("https:") else address[1]


def agent_urls(text: str, form: str) -> Iterator[AgentUrl]:
    """Yield the URLs of keys that a text may name; an origin names its directory first.

    Args:
        text: The URL in Signature-Agent.
        form: `dictionary` or `string`.

    >>> [one.url for one in agent_urls("https://a.example", "string")]
    ['https://a.example/.well-known/http-message-signatures-directory', 'https://a.example/']

    """
    url = normal_url(text)
    if url is None:
        return
    origin, path = url[: url.index("/", 8)], url[url.index("/", 8) :]
    older = "string" if form == "string" else "origin"
    if path == "/":
        yield AgentUrl(older, origin + WELL_KNOWN, origin + WELL_KNOWN)
    yield AgentUrl("string" if form == "string" else "key-set", url, url.partition("?")[0])


def claimed_agent(request: SignedRequest, signature: SignatureInput) -> AgentClaim:
    """Return what a signature says of where its keys are.

    Only the member of its own label counts, and only if the signature covers it. A member with
    parameters is ignored.

    Args:
        request: The request.
        signature: The signature.

    >>> from goodbot.signatures import SignedRequest, signature_input
    >>> covered = '("@authority" "signature-agent";key="a");tag="web-bot-auth"'
    >>> request = SignedRequest({"signature-agent": 'a="https://a.example/keys"'})
    >>> claimed_agent(request, signature_input(f"a={covered}")).urls[0].id
    'https://a.example/keys'
    >>> claimed_agent(request, signature_input(f"b={covered}")).is_uncovered
    True

    Source: draft-ietf-webbotauth-httpsig-protocol-01 sections 5.2.1 and 5.2.2; its last section on
    Signature-Agent says how to recognize the string of earlier drafts.

    """
    field = request.fields.get("signature-agent")
    if field is None:
        return AgentClaim()
    whole, keys = covered_members(signature.components)
    if field.lstrip(" ").startswith('"'):
        if whole:
            return claim_of(agent_string(field), "string")
        return AgentClaim((), "Signature-Agent is not covered", is_uncovered=True)
    read = agents(field)
    if read is None:
        return AgentClaim((), "Signature-Agent cannot be read")
    member = read.get(signature.label)
    if member is None or not (whole or signature.label in keys):
        why = "has no member of its label" if member is None else "is not covered at its label"
        return AgentClaim((), f"Signature-Agent {why}", is_uncovered=True)
    return AgentClaim() if member.has_parameters else claim_of(member.text, "dictionary")


@lru_cache(maxsize=1024)  # robots send the same URL with every request
def claim_of(text: str | None, form: str) -> AgentClaim:
    """Return the claim of a text."""
    urls = () if text is None else tuple(agent_urls(text, form))
    return AgentClaim(urls, "" if urls else "Signature-Agent has no URL of https")


@lru_cache(maxsize=256)  # a robot covers the same components with every request
def covered_members(components: tuple[str, ...]) -> tuple[bool, frozenset[str]]:
    """Return whether Signature-Agent is covered as a whole, and which of its members are."""
    whole, keys = False, set()
    for one in components:
        parameters = parts_of(one)[1] or {}
        # One with `tr` is behind the content, and covers nothing of the header.
        if one.startswith('"signature-agent"') and "tr" not in parameters:
            key = parameters.get("key")
            if isinstance(key, str):
                keys.add(key)
            else:
                whole = True
    return whole, frozenset(keys)
