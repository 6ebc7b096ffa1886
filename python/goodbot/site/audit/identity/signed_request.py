"""The parts of a logged request that a signature may cover, and what was signed.

Scope: RFC 9421 as far as Web Bot Auth needs it. Fields are foreign: text that cannot be read gives
`None`, and a value that the log does not have is missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from goodbot._core import structured_dictionary
from goodbot.display import short_repr

LONGEST = 8192
"""The most characters of a field that are read."""

TAG = "web-bot-auth"


class DictionaryMember(NamedTuple):
    """A member of a dictionary (RFC 9651 section 3.2)."""

    key: str
    written: str
    """Its value with its parameters, in the one way to write it."""
    strings: list[str] | None
    """The strings of an inner list, each with its parameters; `None` if it is something else."""
    parameters: Mapping[str, str | int | None]
    """The parameters: strings and integers, and `None` for all others."""
    content: bytes | None
    """The bytes, if it is a sequence of them."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A request as far as the log has it.

    >>> request = SignedRequest(authority="example.com", target="/a?b=1")
    >>> request.value('"@query"'), request.value('"@method"')
    ('?b=1', None)
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    """The fields of its header, by their names in lower case."""
    method: str | None = None
    """Its method."""
    authority: str | None = None
    """The host that it names, with a port that is not the scheme's own, in lower case."""
    target: str | None = None
    """The path and the query, as they were sent."""
    scheme: str | None = None
    """`http` or `https`."""

    __repr__ = short_repr

    def value(self, component: str) -> str | None:
        """Return what a signature covers as a component; `None` if the log does not have it.

        Args:
            component: The identifier, in quotes and with its parameters.

        Source: RFC 9421 sections 2.1 (fields) and 2.2 (derived components).

        """
        quoted, _, parameters = component.partition(";")
        name = quoted.strip('"')
        if name.startswith("@"):
            return None if parameters else self.derive_component(name)
        whole = self.fields.get(name)
        if whole is None or not parameters:
            return None if whole is None else " ".join(whole.split("\n")).strip()
        return members(whole).get(key_in(parameters) or "")

    def derive_component(self, name: str) -> str | None:
        """Return a derived component without parameters."""
        target = self.target
        if name == "@method":
            return self.method
        if name == "@authority":
            return self.authority
        if name == "@scheme":
            return self.scheme
        if target is None:
            return None
        path, mark, query = target.partition("?")
        known = {"@path": path, "@query": mark + query or "?", "@request-target": target}
        if name == "@target-uri" and self.scheme is not None and self.authority is not None:
            return f"{self.scheme}://{self.authority}{target}"
        return known.get(name)


@dataclass(frozen=True, slots=True)
class SignatureInput:
    """What a signature covers, and for when it is made."""

    label: str
    """The label that both fields share."""
    components: tuple[str, ...]
    """The identifiers, in quotes and with their parameters."""
    parameters: Mapping[str, str]
    """The parameters; strings without their quotes."""
    written: str
    """The list with its parameters, in the one way to write it."""

    __repr__ = short_repr

    def base(self, request: SignedRequest) -> tuple[bytes, tuple[str, ...]]:
        """Return the signature base, and the components that the log does not have.

        Args:
            request: The request, as far as the log has it.

        Source: RFC 9421 section 2.5.

        """
        values = {component: request.value(component) for component in self.components}
        missing = tuple(one for one, value in values.items() if value is None)
        lines = [f"{one}: {value}" for one, value in values.items() if value is not None]
        text = "\n".join([*lines, f'"@signature-params": {self.written}'])
        return text.encode("utf-8", "surrogateescape"), missing


def dictionary(text: str) -> list[DictionaryMember]:
    """Return the members of a dictionary; none if it cannot be read."""
    return (
        []
        if len(text) > LONGEST
        else [DictionaryMember(*member) for member in structured_dictionary(text) or ()]
    )


def members(text: str) -> dict[str, str]:
    """Return the members of a dictionary, in the one way to write each; empty if it cannot be read.

    >>> members('a=( "@path" );tag="x,y", b=:YQ==:')
    {'a': '("@path");tag="x,y"', 'b': ':YQ==:'}

    Source: RFC 9421 section 2.1.2; RFC 9651 section 4.1.
    """
    return {member.key: member.written for member in dictionary(text)}


def key_in(parameters: str) -> str | None:
    """Return the value of the one parameter `key` of a component; `None` if there is another."""
    found = dictionary(f"component=?1;{parameters}")
    told = found[0].parameters if found else {}
    key = told.get("key") if len(told) == 1 else None
    return key if isinstance(key, str) else None


def signature_input(field_value: str) -> SignatureInput | None:
    """Return the first signature of Web Bot Auth in a field Signature-Input.

    Args:
        field_value: The value of the field.

    Source: RFC 9421 sections 2.5 (no component comes twice) and 4.1;
    draft-ietf-webbotauth-httpsig-protocol-00 (tag `web-bot-auth`).

    """
    for member in dictionary(field_value):
        told = member.parameters
        if told.get("tag") != TAG or member.strings is None:
            continue
        if len(set(member.strings)) == len(member.strings):
            plain = {name: str(value) for name, value in told.items() if value is not None}
            return SignatureInput(member.key, tuple(member.strings), plain, member.written)
    return None


def read_signature(field_value: str, label: str) -> bytes | None:
    """Return the bytes of a signature; `None` if there is none of this label.

    Args:
        field_value: The value of the field Signature.
        label: The label.

    Source: RFC 9421 section 4.2.

    """
    return next((member.content for member in dictionary(field_value) if member.key == label), None)
