"""The parts of a message that a signature may cover, and the text that was signed.

Scope: RFC 9421 section 2. Messages are foreign: a component that is missing is a fault with its
kind, never an exception. A log has only a part of a request, so what it lacks is not the same as
what a whole message lacks.
"""

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, quote

from goodbot._core import structured_dictionary
from goodbot.display import short_repr
from goodbot.http.fields import scalar
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "LONGEST_FIELD",
    "ComponentFault",
    "ComponentValue",
    "SignedRequest",
    "SignedResponse",
    "join_lines",
    "members",
    "normal_authority",
]

LONGEST_FIELD = 32_768
"""The most characters of a structured field that are read: a sequence of 16,384 bytes must fit (RFC
9651 section 3.3.5)."""
MOST_PARAMETERS = 1_000
"""The most parameters of a query that are read."""

ComponentFault: TypeAlias = Literal["missing", "malformed", "unsupported"]
"""Why a component has no value: the message has none, the identifier fits no component, or too
little is known for it: the type of a field (`sf`), its lines one by one (`bs`), or trailers
(`tr`)."""

DEFAULT_PORTS = {"http": 80, "https": 443}
NAME = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]+")
"""A field name, in lower case (RFC 9421 section 2.1)."""
DERIVED = {"@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query"}
STRUCTURED_FIELDS: dict[str, Literal["dictionary", "list", "item"]] = {
    **dict.fromkeys((
        "accept-signature", "cache-control", "cdn-cache-control", "content-digest", "priority",
        "repr-digest", "signature", "signature-agent", "signature-input", "want-content-digest",
        "want-repr-digest",
    ), "dictionary"),
    **dict.fromkeys((
        "accept-ch", "cache-status", "client-cert-chain", "proxy-status", "sec-ch-ua",
        "sec-ch-ua-full-version-list",
    ), "list"),
    **dict.fromkeys((
        "capsule-protocol", "client-cert", "deprecation", "sec-ch-ua-mobile", "sec-ch-ua-platform",
        "sec-gpc",
    ), "item"),
}  # fmt: skip
"""Fields with their types, for the parameter `sf` (IANA's registry of HTTP field names, Structured
Type; User-Agent Client Hints). For others, `sf` cannot be computed (RFC 9421 section 2.1.1)."""
FLAGS = frozenset({"sf", "bs", "tr", "req"})
"""The parameters of a component that are true or absent (RFC 9421 section 2.1)."""
OF_FIELDS = frozenset({"sf", "key", "bs", "tr"})
"""The parameters of a field (RFC 9421 section 2.1)."""
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
TRUE = re.compile(r";([a-z*][a-z0-9_.*-]*)(?=;|$)")
"""A parameter that is true, in the one way to write it (RFC 9651 section 4.1.1.2)."""
OUTSIDE_STRINGS = re.compile(r'"(?:[^"\\]|\\.?)*"?|[^",]+|,', re.DOTALL)


class ComponentValue(NamedTuple):
    """The value of a component, or why there is none."""

    text: str | None
    """The value, as it stands in the signature base; `None` if there is none."""
    fault: ComponentFault | None = None
    """Why there is none."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


MISSING, MALFORMED = ComponentValue(None, "missing"), ComponentValue(None, "malformed")
UNSUPPORTED = ComponentValue(None, "unsupported")


@dataclass(frozen=True, slots=True, repr=False)
class SignedRequest:
    """A request as far as it is known.

    >>> request = SignedRequest(authority="example.com", target="/a?b=1")
    >>> request.value('"@query"'), request.value('"@method"')
    ('?b=1', None)
    >>> request.value('"@query-param";name="b"')
    '1'
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    """The fields of its header, by their names in lower case; lines of one name are joined."""
    method: str | None = None
    """Its method."""
    authority: str | None = None
    """The host that it names, with its port."""
    target: str | None = None
    """The path and the query, as they were sent."""
    scheme: str | None = None
    """`http` or `https`."""
    is_whole: bool = False
    """Whether every field of the request is known. A log has some only: what it lacks may have been
    sent all the same."""
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The lines of fields one by one, where they are known, for the parameter `bs`."""
    trailers: Mapping[str, str] | None = None
    """The fields that came behind the content, for the parameter `tr`; `None` if that is not
    known."""

    __repr__ = short_repr

    @classmethod
    def received(
        cls,
        method: str,
        authority: str,
        target: str,
        lines: Iterable[tuple[str, str]],
        scheme: str = "https",
        trailers: Iterable[tuple[str, str]] | None = None,
    ) -> "SignedRequest":
        """Return a request that came whole.

        Args:
            method: Its method.
            authority: The host that it names, with its port.
            target: The target, as it was sent.
            lines: The lines of its header, each a name and a value.
            scheme: The scheme.
            trailers: The lines behind its content; `None` if they are not known.

        >>> lines = [("Accept", "a"), ("Accept", " b ")]
        >>> SignedRequest.received("GET", "Example.com:443", "/", lines).value('"accept"')
        'a, b'
        """
        pairs = tuple(lines)
        behind = None if trailers is None else join_lines(trailers)
        each = divide_lines(pairs)
        return cls(
            join_lines(pairs), method, authority, target, scheme, is_whole=True, lines=each,
            trailers=behind,
        )  # fmt: skip

    @classmethod
    def to_url(
        cls, url: str, method: str = "GET", lines: Iterable[tuple[str, str]] = ()
    ) -> "SignedRequest":
        """Return the request for a URL.

        Args:
            url: An absolute URL, as it is requested.
            method: The method.
            lines: The lines of its header.

        >>> SignedRequest.to_url("https://example.com?a").value('"@path"')
        '/'
        """
        scheme, authority, rest = url_parts(url)
        target = rest.partition("#")[0]
        if not target.startswith("/"):
            target = f"/{target}"  # as it is sent (RFC 9112 section 3.2.1)
        return cls.received(method, authority, target, lines, scheme.lower())

    def value(self, component: str) -> str | None:
        """Return what a signature covers as a component; `None` if there is none.

        Args:
            component: The identifier, in quotes and with its parameters.

        Source: RFC 9421 sections 2.1 (fields) and 2.2 (derived components).

        """
        return self.component(component).text

    def component(self, component: str) -> ComponentValue:
        """Return the value of a component, or why there is none.

        Args:
            component: The identifier, in quotes and with its parameters.

        Source: RFC 9421 sections 2.1, 2.2 and 2.5 (what ends the making of a signature base).

        """
        name, parameters = parts_of(component)
        if name is None or parameters is None:
            return MALFORMED
        return self.named(name, parameters)

    def named(self, name: str, parameters: Mapping[str, object]) -> ComponentValue:
        """Return the value of a component by its name and its parameters; see `component`."""
        if "req" in parameters:
            return MALFORMED  # it is for responses (section 2.4)
        if not name.startswith("@"):
            return field_component(self, name, parameters)
        if name == "@query-param":
            wanted = parameters.get("name")
            is_plain = len(parameters) == 1 and isinstance(wanted, str)
            return query_param(self.target, str(wanted)) if is_plain else MALFORMED
        if name not in DERIVED or parameters:
            return MALFORMED
        found = self.derived(name)
        return MISSING if found is None else ComponentValue(found)

    def derived(self, name: str) -> str | None:
        """Return a derived component without parameters; `None` if the request lacks it."""
        if name == "@method":
            return self.method
        scheme, authority = self.scheme, self.authority
        if self.target is not None and is_absolute(self.target):
            # It prevails over Host (RFC 9112 section 3.2.2).
            scheme, authority, _ = url_parts(self.target)
        if name == "@scheme":
            return None if scheme is None else scheme.lower()
        if name == "@authority":
            return normal_authority(authority, scheme)
        if self.target is None:
            return None
        if name == "@request-target":
            return self.target or "/"
        path, query = path_and_query(self.target, self.method)
        if name == "@path":
            return path or "/"
        if name == "@query":
            return query or "?"
        if scheme is None or authority is None:
            return None
        if not path and self.method != "OPTIONS":
            path = "/"
        return f"{scheme.lower()}://{authority}{path}{query}"

    def with_fields(self, lines: Iterable[tuple[str, str]]) -> "SignedRequest":
        """Return a copy with further fields, which stand in place of those of the same names."""
        pairs = tuple(lines)
        each = {**self.lines, **divide_lines(pairs)}
        return replace(self, fields={**self.fields, **join_lines(pairs)}, lines=each)


@dataclass(frozen=True, slots=True, repr=False)
class SignedResponse:
    """A response, with the request that it answers.

    >>> response = SignedResponse(200, {}, SignedRequest(authority="Example.com", scheme="https"))
    >>> response.component('"@authority";req').text, response.component('"@status"').text
    ('example.com', '200')
    """

    status: int
    """Its status."""
    fields: Mapping[str, str]
    """The fields of its header, by their names in lower case."""
    request: SignedRequest
    """The request."""
    is_whole: bool = True
    """Whether every field is known."""
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The lines of fields one by one, where they are known."""
    trailers: Mapping[str, str] | None = None
    """The fields that came behind the content; `None` if that is not known."""

    __repr__ = short_repr

    def component(self, component: str) -> ComponentValue:
        """Return the value of a component, or why there is none.

        Args:
            component: The identifier, in quotes and with its parameters.

        Source: RFC 9421 sections 2.2.9 (status) and 2.4 (components of the request).

        """
        name, parameters = parts_of(component)
        if name is None or parameters is None:
            return MALFORMED
        if "req" in parameters:
            own = {key: value for key, value in parameters.items() if key != "req"}
            return self.request.named(name, own)
        if name == "@status":
            return MALFORMED if parameters else ComponentValue(str(self.status))
        if name.startswith("@"):
            return MALFORMED
        return field_component(self, name, parameters)


def join_lines(lines: Iterable[tuple[str, str]]) -> dict[str, str]:
    r"""Return the fields of a header by their names in lower case, lines of one name joined.

    >>> join_lines([("X", " a "), ("x", ""), ("x", "b\r\n  c")])
    {'x': 'a, , b c'}

    Source: RFC 9421 section 2.1.
    """
    found: dict[str, str] = {}
    for name, value in lines:
        key, plain = name.lower(), plain_value(value)
        found[key] = f"{found[key]}, {plain}" if key in found else plain
    return found


def divide_lines(lines: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return the lines of a header by their names in lower case, one by one.

    >>> divide_lines([("X", " a "), ("x", "b")])
    {'x': ('a', 'b')}

    Source: RFC 9421 section 2.1.3.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, value in lines:
        key = name.lower()
        found[key] = (*found.get(key, ()), plain_value(value))
    return found


def plain_value(value: str) -> str:
    """Return the value of a line without white space around it, and without line folding."""
    if "\n" in value:
        value = " ".join(one.removesuffix("\r").strip(" \t") for one in value.split("\n"))
    return value.strip(" \t\r\n")


def field_component(
    message: SignedRequest | SignedResponse, name: str, parameters: Mapping[str, object]
) -> ComponentValue:
    """Return the value of a field, or of one member of it (RFC 9421 section 2.1)."""
    if not NAME.fullmatch(name):
        return MALFORMED
    fields: Mapping[str, str] | None = message.fields
    if parameters:
        has_both = "bs" in parameters and ("sf" in parameters or "key" in parameters)
        is_known = parameters.keys() <= OF_FIELDS and isinstance(parameters.get("key", ""), str)
        if has_both or not is_known:
            return MALFORMED
        if "tr" in parameters:
            fields = message.trailers
            if fields is None:
                return UNSUPPORTED
    whole = (fields or {}).get(name)
    if whole is None:
        return MISSING
    if "key" in parameters:
        found = members(whole).get(str(parameters["key"]))
        return MALFORMED if found is None else ComponentValue(found)
    if "sf" in parameters:
        return strict_value(name, whole)
    if "bs" in parameters:
        return wrapped_lines(whole, None if "tr" in parameters else message.lines.get(name))
    return ComponentValue(plain_value(whole))


def strict_value(name: str, whole: str) -> ComponentValue:
    """Return a structured field in the one way to write it.

    >>> strict_value("sec-ch-ua", '"a,b"; v=1,"c"').text, strict_value("sec-gpc", " ?1").text
    ('"a,b";v=1, "c"', '?1')
    >>> strict_value("x-any", "a").fault
    'unsupported'

    Source: RFC 9421 section 2.1.1; RFC 9651 section 4.1.
    """
    kind = STRUCTURED_FIELDS.get(name)
    text = plain_value(whole)
    if kind is None or len(text) > LONGEST_FIELD:
        return UNSUPPORTED
    if kind == "item" and "," in OUTSIDE_STRINGS.findall(text):
        return MALFORMED
    if kind != "dictionary":
        # Lists and items become dictionaries, which the core reads: each value gets a name.
        text = name_values(text) if kind == "list" else f"a={text}"
    read = structured_dictionary(text)
    if read is None:
        return MALFORMED
    if kind == "list":
        return ComponentValue(", ".join(one for _, one, *_ in read))
    if kind == "item":
        is_one = len(read) == 1 and not read[0][1].startswith("(")
        return ComponentValue(read[0][1]) if is_one else MALFORMED
    # A member that is true is written without its value (RFC 9651 section 4.1.2).
    written = (key + (one[2:] if one.startswith("?1") else f"={one}") for key, one, *_ in read)
    return ComponentValue(", ".join(written))


def name_values(text: str) -> str:
    """Return a list as a dictionary: each of its values gets a name.

    >>> name_values('"a,b" , c')
    'a0="a,b", a1=c'
    """
    values = [""] if text else []
    for piece in OUTSIDE_STRINGS.findall(text):
        if piece == ",":
            values.append("")
        else:
            values[-1] += piece
    return ", ".join(f"a{number}={one.strip()}" for number, one in enumerate(values))


def wrapped_lines(whole: str, lines: tuple[str, ...] | None) -> ComponentValue:
    """Return the lines of a field as sequences of bytes.

    A field without a comma is one line. One with commas may be several that something joined on
    the way, which nobody can tell afterwards.

    Source: RFC 9421 section 2.1.3.
    """
    if lines is None:
        if "," in whole:
            return UNSUPPORTED
        lines = (plain_value(whole),)
    try:
        each = [base64.b64encode(one.encode("ascii")).decode() for one in lines]
    except UnicodeEncodeError:  # its bytes are not known: something has decoded them
        return UNSUPPORTED
    return ComponentValue(", ".join(f":{one}:" for one in each))


@lru_cache(maxsize=256)  # robots send the same Signature-Agent with every request
def members(text: str) -> Mapping[str, str]:
    """Return the members of a dictionary, in the one way to write each; empty if it cannot be read.

    >>> members('a=( "@path" );tag="x,y", b=:YQ==:')
    {'a': '("@path");tag="x,y"', 'b': ':YQ==:'}

    Source: RFC 9421 section 2.1.2; RFC 9651 section 4.1.
    """
    read = structured_dictionary(text) if len(text) <= LONGEST_FIELD else None
    return {key: written for key, written, *_ in read or ()}


@lru_cache(maxsize=1024)  # a few identifiers are in every request
def parts_of(component: str) -> tuple[str | None, Mapping[str, object] | None]:
    """Return the name of an identifier and its parameters; `None` for what cannot be read."""
    quoted, mark, written = component.partition('";')
    name = quoted.removeprefix('"').removesuffix('"')
    if not mark:
        return name, {}
    read = structured_dictionary(f"component=?1;{written}")
    if not read or len(read) != 1:
        return name, None
    _, plain, _, parameters, _ = read[0]
    flags = FLAGS & parameters.keys()
    if flags and not flags <= set(TRUE.findall(STRING.sub("", plain))):
        return name, None
    return name, parameters


def normal_authority(authority: str | None, scheme: str | None) -> str | None:
    """Return an authority in lower case, without the scheme's own port.

    >>> normal_authority("WWW.Example.com:443", "https"), normal_authority("a.example:443", "http")
    ('www.example.com', 'a.example:443')
    >>> normal_authority("a.example:80", None) is None  # whether it is the scheme's is not known
    True

    Source: RFC 9421 section 2.2.3; RFC 9110 section 4.2.3.
    """
    if authority is None:
        return None
    host, colon, port = authority.rpartition(":")
    if not colon or host.endswith(":") or "]" in port or (port and not port.isascii()):
        return authority.lower()
    if not port:
        return host.lower()
    if not port.isdigit():
        return authority.lower()
    significant = port.lstrip("0")
    number = int(significant[:6] or 0)  # a port has five digits at most
    if scheme is None and number in DEFAULT_PORTS.values():
        return None
    if number == DEFAULT_PORTS.get((scheme or "").lower()):
        return host.lower()
    return f"{host.lower()}:{port}"


def path_and_query(target: str, method: str | None) -> tuple[str, str]:
    """Return the path and the query of a target, the query with its question mark.

    A target may be in absolute form, as to a proxy, or `*` (RFC 9112 section 3.2).
    """
    if target == "*" or method == "CONNECT":
        return "", ""
    if is_absolute(target):
        target = url_parts(target)[2]
    path, mark, query = target.partition("?")
    return path, mark + query


def is_absolute(target: str) -> bool:
    """Return whether a target is a whole URL, as to a proxy (RFC 9112 section 3.2.2)."""
    if target.startswith("/"):
        return False
    scheme, mark, _ = target.partition("://")
    return bool(mark) and scheme.isalnum()


def url_parts(url: str) -> tuple[str, str, str]:
    """Return the scheme of a URL, its host with the port, and the rest.

    >>> url_parts("https://me:secret@example.com:8443?a=/b")
    ('https', 'example.com:8443', '?a=/b')

    Source: RFC 9421 section 2.2.3 (a user is no part of `@authority`).
    """
    scheme, _, rest = url.partition("://")
    end = min((at for mark in "/?#" if (at := rest.find(mark)) >= 0), default=len(rest))
    return scheme, rest[:end].rpartition("@")[2], rest[end:]


def query_param(target: str | None, name: str) -> ComponentValue:
    """Return the value of a parameter of the query, encoded again.

    A parameter that comes twice cannot be covered.

    >>> target = "/?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&a=1&a=2"
    >>> query_param(target, "var").text
    'this%20is%20a%20big%0Amultiline%20value'
    >>> query_param(target, "bar").text, query_param(target, "a").fault
    ('with%20plus%20whitespace', 'malformed')

    Source: RFC 9421 section 2.2.8; the URL standard, application/x-www-form-urlencoded.
    """
    if target is None:
        return MISSING
    values = query_values(path_and_query(target, None)[1].removeprefix("?"))
    if values is None:
        return UNSUPPORTED
    found = values.get(name)
    return MALFORMED if found is None else ComponentValue(found)


@lru_cache(maxsize=16)  # a signature may cover hundreds of parameters of one query
def query_values(query: str) -> Mapping[str, str | None] | None:
    """Return the parameters of a query, names and values encoded again.

    The value of one that comes twice is `None`; of a query with too many, all is `None`.
    """
    text = query if query.isascii() else sent_bytes(query).decode(errors="replace")
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_PARAMETERS)
    except ValueError:
        return None
    found: dict[str, str | None] = {}
    for key, value in pairs:
        name = encoded(key)
        found[name] = None if name in found else encoded(value)
    return found


def encoded(text: str) -> str:
    """Return a text as percent-encoded for forms, a space as `%20`."""
    return quote(text, safe="*").replace("~", "%7E")


def sent_bytes(text: str) -> bytes:
    r"""Return the bytes of a text as they were sent; bytes that are no UTF-8 are lone surrogates.

    A lone surrogate that stands for no byte, as JSON may have one, was not sent.

    >>> sent_bytes("a\udcff"), sent_bytes("a\ud800")
    (b'a\xff', b'a\xef\xbf\xbd')
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return scalar(text).encode()
