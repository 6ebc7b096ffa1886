"""The fields Signature-Input, Signature and Signature-Agent, read.

Scope: from foreign text to values, and the signature base. Text that cannot be read gives `None` or
nothing.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from goodbot._core import structured_dictionary
from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass
from goodbot.signatures.messages import (
    LONGEST_FIELD,
    ComponentFault,
    SignedRequest,
    SignedResponse,
    parts_of,
    sent_bytes,
)

__all__ = [
    "TAG",
    "AgentMember",
    "SignatureInput",
    "agent_string",
    "agents",
    "read_signature",
    "read_signatures",
    "signature_input",
    "signature_inputs",
]

TAG = "web-bot-auth"
"""The tag of signatures of Web Bot Auth."""

STRING = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
ESCAPE = re.compile(r'\\(["\\])')


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


@dataclass(frozen=True, slots=True, repr=False)
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
    values: Mapping[str, str | int | None]
    """The parameters as they came: strings and integers, and `None` for all others."""

    __repr__ = short_repr

    def base(self, message: SignedRequest | SignedResponse) -> tuple[bytes, tuple[str, ...]]:
        """Return the signature base, and the components that the message does not have.

        Args:
            message: The message, as far as it is known.

        Source: RFC 9421 section 2.5.

        """
        base, faults = self.base_and_faults(message)
        return base, tuple(faults)

    def base_and_faults(
        self, message: SignedRequest | SignedResponse
    ) -> tuple[bytes, dict[str, ComponentFault]]:
        """Return the signature base, and why components have no value."""
        lines, faults = [], {}
        for one in self.components:
            text, fault = message.component(one)
            if fault is not None:
                faults[one] = fault
            lines.append(f"{one}: {text}")
        lines.append(f'"@signature-params": {self.written}')
        return sent_bytes("\n".join(lines)), faults

    @property
    def is_well_formed(self) -> bool:
        """Whether no component comes twice or has another case, and parameters have their types.

        Source: RFC 9421 sections 2 (equal identifiers), 2.3 (types) and 2.5 (`@signature-params`).

        """
        if not are_well_formed(self.components):
            return False
        values = self.values
        for name in TEXTS:
            if not isinstance(values.get(name, ""), str):
                return False
        return isinstance(values.get("created", 0), int) and isinstance(
            values.get("expires", 0), int
        )


TEXTS = ("nonce", "alg", "keyid", "tag")
"""The parameters of a signature that are strings."""


@lru_cache(maxsize=256)  # a robot covers the same components with every request
def are_well_formed(components: tuple[str, ...]) -> bool:
    """Return whether no component comes twice, has another case, or is the parameters."""
    seen = set()
    for one in components:
        name, parameters = parts_of(one)
        if name is None or parameters is None or name != name.lower():
            return False
        if name == "@signature-params":
            return False
        seen.add((name, tuple(sorted((key, str(value)) for key, value in parameters.items()))))
    return len(seen) == len(components)


class AgentMember(NamedTuple):
    """A member of Signature-Agent."""

    text: str | None
    """The string; `None` if it is none."""
    has_parameters: bool
    """Whether it has parameters, so that a verifier must ignore it."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


def dictionary(text: str) -> list[DictionaryMember] | None:
    """Return the members of a dictionary; `None` if it cannot be read."""
    read = structured_dictionary(text) if len(text) <= LONGEST_FIELD else None
    return None if read is None else [DictionaryMember(*one) for one in read]


def signature_inputs(field_value: str) -> list[SignatureInput] | None:
    """Return the signatures of a field Signature-Input; `None` if it cannot be read.

    A member that is not a list of strings has no components, and is not well-formed.

    Args:
        field_value: The value of the field.

    >>> [one.label for one in signature_inputs('a=("@path");tag="t", b=("date")') or ()]
    ['a', 'b']

    Source: RFC 9421 section 4.1.

    """
    read = dictionary(field_value)
    return None if read is None else [input_of(one) for one in read]


def input_of(member: DictionaryMember) -> SignatureInput:
    """Return a member of Signature-Input."""
    told = member.parameters
    plain = {name: str(value) for name, value in told.items() if value is not None}
    # A list of something else than strings is made not well-formed by a component twice.
    components = ('"@"', '"@"') if member.strings is None else tuple(member.strings)
    return SignatureInput(member.key, components, plain, member.written, told)


def signature_input(field_value: str) -> SignatureInput | None:
    """Return the first well-formed signature of Web Bot Auth in a field Signature-Input.

    Args:
        field_value: The value of the field.

    >>> found = signature_input('a=("date"), b=("@authority");tag="web-bot-auth"')
    >>> found.label, found.components
    ('b', ('"@authority"',))

    Source: RFC 9421 section 4.1; draft-ietf-webbotauth-httpsig-protocol-01 (tag `web-bot-auth`).

    """
    for one in signature_inputs(field_value) or ():
        if one.parameters.get("tag") == TAG and one.is_well_formed:
            return one
    return None


def read_signature(field_value: str, label: str) -> bytes | None:
    """Return the bytes of a signature; `None` if there is none of this label.

    Args:
        field_value: The value of the field Signature.
        label: The label.

    >>> read_signature("a=:YQ==:", "a"), read_signature("a=:YQ==:", "b")
    (b'a', None)

    Source: RFC 9421 section 4.2.

    """
    return read_signatures(field_value).get(label)


def read_signatures(field_value: str) -> dict[str, bytes]:
    """Return the bytes of every signature of a field Signature, by their labels.

    Args:
        field_value: The value of the field.

    >>> read_signatures("a=:YQ==:, b=1")
    {'a': b'a'}

    """
    read = dictionary(field_value) or ()
    return {one.key: one.content for one in read if one.content is not None}


@lru_cache(maxsize=256)  # robots send the same field with every request
def agents(field_value: str) -> Mapping[str, AgentMember] | None:
    """Return the members of a field Signature-Agent; `None` if it is not a dictionary.

    Args:
        field_value: The value of the field.

    >>> agents('a="https://a.example/keys", b="https://b.example";type=x')["b"].has_parameters
    True

    Source: draft-ietf-webbotauth-httpsig-protocol-01 section 5.2.1.

    """
    read = dictionary(field_value)
    if read is None:
        return None
    found = {}
    for one in read:
        text = agent_string(one.written)
        has_parameters = bool(one.parameters)
        if has_parameters:
            text = None
        found[one.key] = AgentMember(text, has_parameters)
    return found


def agent_string(written: str) -> str | None:
    """Return a string item without parameters; `None` if it is something else.

    >>> agent_string('"https://example.com"'), agent_string("https://example.com")
    ('https://example.com', None)

    Source: RFC 9651 section 3.3.3; draft-meunier-web-bot-auth-architecture-03 (a bare string).
    """
    found = STRING.fullmatch(written.strip(" ")) if len(written) <= LONGEST_FIELD else None
    if found is None or not (found[1].isascii() and found[1].isprintable()):
        return None
    return ESCAPE.sub(r"\1", found[1])
