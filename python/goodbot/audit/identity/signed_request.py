"""The parts of a logged request that a signature may cover, and what was signed.

Scope: RFC 9421 as far as Web Bot Auth needs it. Fields are foreign: text that cannot be read gives
`None`, and a value that the log does not have is missing.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from goodbot.display import short_repr

__all__ = ["SignatureInput", "SignedRequest", "read_signature", "signature_input"]

LONGEST = 8192
"""The most characters of a field that are read."""

TAG = "web-bot-auth"
STRING = r'"(?:[^"\\]|\\.)*"'
MEMBER = re.compile(rf"\s*([a-z*][a-z0-9_.*-]*)=((?:{STRING}|[^\",])*)(?:,|$)")
INPUT = re.compile(rf"(\((?:{STRING}|[^\")])*\))((?:;(?:{STRING}|[^\"])*)?)")
COMPONENT = re.compile(rf'("[^"\\]*")((?:;[a-z*][a-z0-9_.*-]*(?:={STRING}|=\?[01])?)*)(?=\s|$)')
PARAMETER = re.compile(rf";\s*([a-z*][a-z0-9_.*-]*)=({STRING}|-?\d{{1,15}})")
KEY = re.compile(rf";key=({STRING})")


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
            return None if parameters else self.derived(name)
        whole = self.fields.get(name)
        if whole is None or not parameters:
            return None if whole is None else " ".join(whole.split("\n")).strip()
        key = KEY.fullmatch(f";{parameters}")
        return None if key is None else members(whole).get(key[1].strip('"'))

    def derived(self, name: str) -> str | None:
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
    """The list with its parameters, as it was sent."""

    __repr__ = short_repr

    def base(self, request: SignedRequest) -> tuple[bytes, tuple[str, ...]]:
        """Return the signature base, and the components that the log does not have.

        Args:
            request: The request, as far as the log has it.

        Source: RFC 9421 section 2.5.

        """
        values = {one: request.value(one) for one in self.components}
        missing = tuple(one for one, value in values.items() if value is None)
        lines = [f"{one}: {value}" for one, value in values.items() if value is not None]
        text = "\n".join([*lines, f'"@signature-params": {self.written}'])
        return text.encode("utf-8", "surrogateescape"), missing


def members(text: str) -> dict[str, str]:
    """Return the members of a dictionary (RFC 9651 section 3.2); empty if it cannot be read.

    >>> members('a=("@path");tag="x,y", b=:YQ==:')
    {'a': '("@path");tag="x,y"', 'b': ':YQ==:'}
    """
    found: dict[str, str] = {}
    place, text = 0, text[:LONGEST].strip()
    while place < len(text):
        member = MEMBER.match(text, place)
        if member is None:
            return {}
        found[member[1]] = member[2].strip()
        place = member.end()
    return found


def signature_input(field_value: str) -> SignatureInput | None:
    """Return the first signature of Web Bot Auth in a field Signature-Input.

    Args:
        field_value: The value of the field.

    Source: RFC 9421 section 4.1; draft-ietf-webbotauth-httpsig-protocol-00 (tag `web-bot-auth`).

    """
    for label, text in members(field_value).items():
        whole = INPUT.fullmatch(text)
        if whole is None:
            continue
        parameters = {name: value.strip('"') for name, value in PARAMETER.findall(whole[2])}
        inner = whole[1][1:-1]
        components = tuple(name + rest for name, rest in COMPONENT.findall(inner))
        if parameters.get("tag") == TAG and " ".join(components) == " ".join(inner.split()):
            return SignatureInput(label, components, parameters, text)
    return None


def read_signature(field_value: str, label: str) -> bytes | None:
    """Return the bytes of a signature; `None` if there is none of this label.

    Args:
        field_value: The value of the field Signature.
        label: The label.

    Source: RFC 9421 section 4.2.

    """
    text = members(field_value).get(label, "")
    if len(text) < 2 or text[0] != ":" or text[-1] != ":":  # noqa: PLR2004  the colons
        return None
    try:
        return base64.b64decode(text[1:-1], validate=True)
    except (binascii.Error, ValueError):
        return None
