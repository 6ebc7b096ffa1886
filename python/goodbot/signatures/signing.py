"""Signing requests: which fields prove who a robot is.

Scope: it decides what is signed; the key, the time and the nonce are passed in. Nothing here shows
a private key: no `repr`, no record, no message.
"""

import base64
import hashlib
from collections.abc import Iterable
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import checked_time
from goodbot.lazy_dataclass import dataclass
from goodbot.missing import needs
from goodbot.signatures.key_set import KEY_BYTES
from goodbot.signatures.messages import SignedRequest, SignedResponse, parts_of, url_parts
from goodbot.signatures.private_pem import read_pem, write_pem
from goodbot.signatures.profiles import PROFILES, WELL_KNOWN, key_set_id
from goodbot.signatures.public_key import PublicKey
from goodbot.signatures.signature_fields import TAG, SignatureInput, signature_inputs

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = [
    "LIFE",
    "NONCE_BYTES",
    "SignatureDemand",
    "Signer",
    "SigningKey",
    "read_demand",
    "sign_directory",
]

LIFE = 300
"""The seconds for which a signature holds: long enough for clocks that differ."""
LONGEST_LIFE = 86_400
"""The most seconds (draft-ietf-webbotauth-httpsig-protocol-01 section 5.2)."""
NONCE_BYTES = 64
LABEL = "sig1"
LONGEST_LABEL = 128
LONGEST_NONCE = 512
USUAL = ('"@authority"', '"@method"', '"@path"')
"""The components of each request: the site, and no other request to it."""

MAY_BE_ASKED = frozenset({
    "@authority", "@method", "@path", "@query", "@query-param", "@request-target", "@scheme",
    "@target-uri", "accept", "from", "signature-agent", "user-agent",
})  # fmt: skip
"""What a site may ask to be covered. Fields with secrets, such as Cookie and Authorization, are
never covered: a robot signs no text that a site chooses."""


class SigningKey:
    """A private key of Ed25519. It never shows itself.

    Args:
        private: The key, as `cryptography` has it.

    >>> key = SigningKey.from_seed(bytes(32))
    >>> key
    SigningKey('9ZP03Nu8GrXPAUkbKNxHOKBzxPX83SShgFkRNK-f2lw')

    """

    __slots__ = ("_private", "public", "thumbprint")

    def __init__(self, private: "Ed25519PrivateKey") -> None:
        """Keep the key, and make its public part."""
        self._private = private
        material = private.public_key().public_bytes_raw()
        self.public = PublicKey("OKP", "Ed25519", (material,), "ed25519")
        self.thumbprint = self.public.thumbprint

    @classmethod
    def from_seed(cls, seed: bytes) -> "SigningKey":
        """Return the key of 32 bytes.

        Args:
            seed: The bytes; secret, and random.

        Raises:
            MissingExtraError: cryptography is not installed.
            WrongValueError: They are not 32.

        """
        if len(seed) != KEY_BYTES:
            message = f"a key of Ed25519 is made of {KEY_BYTES} bytes, not of {len(seed)}"
            raise WrongValueError(message)
        with needs("signatures"):
            from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415  an extra
                Ed25519PrivateKey,
            )
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    @classmethod
    def from_pem(cls, content: bytes) -> "SigningKey":
        """Return the key of a file (PKCS #8, PEM), as `openssl genpkey -algorithm ed25519` writes.

        Args:
            content: The bytes of the file.

        Raises:
            MissingExtraError: cryptography is not installed.
            WrongValueError: It is not such a key. The message does not quote it.

        """
        with needs("signatures"):
            from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415  an extra
                Ed25519PrivateKey,
            )
        found = read_pem(content)
        if not isinstance(found, Ed25519PrivateKey):
            message = (
                "this is not a private key of Ed25519 without a password in PEM; make one with "
                "'goodbot robot identity new'"
            )
            raise WrongValueError(message)
        return cls(found)

    def to_pem(self) -> bytes:
        """Return the private key as a file has it; keep that secret."""
        return write_pem(self._private)

    def sign(self, content: bytes) -> bytes:
        """Return a signature.

        Args:
            content: What is signed.

        """
        return self._private.sign(content)

    def __repr__(self) -> str:
        """Return the thumbprint, and nothing else of the key."""
        return f"SigningKey({self.thumbprint!r})"

    def __reduce__(self) -> tuple[object, ...]:
        """Raise: a private key is not copied into other files."""
        message = "a signing key cannot be pickled; pass the folder of the identity instead"
        raise WrongTypeError(message)


class SignatureDemand(NamedTuple):
    """A signature that a site asks for, by Accept-Signature."""

    label: str
    """The label that it wants."""
    components: tuple[str, ...]
    """What is to be covered."""
    nonce: str | None
    """The nonce that it wants; `None` for one of the robot's own."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


@dataclass(frozen=True, slots=True, repr=False)
class Signer:
    """Signs requests with one key, as the newest draft says or an earlier one.

    Raises:
        WrongTypeError: `key` is not a `SigningKey`.
        WrongValueError: `url` is not a URL of https, the profile is not known or does not fit the
            URL, or `life` is above a day.

    >>> from datetime import datetime, timezone
    >>> signer = Signer(SigningKey.from_seed(bytes(32)), "https://example.com/keys.json")
    >>> at = datetime(2026, 11, 1, tzinfo=timezone.utc)
    >>> fields = dict(signer.sign("https://a.example/b", at, bytes(64)))
    >>> fields["Signature-Agent"]
    'sig1="https://example.com/keys.json"'
    >>> fields["Signature-Input"][:66]
    'sig1=("@authority" "@method" "@path" "signature-agent";key="sig1")'

    Source: draft-ietf-webbotauth-httpsig-protocol-01 section 5.2.
    """

    key: SigningKey
    """The key."""
    url: str
    """The URL of the key set."""
    profile: str = "key-set"
    """The form of Signature-Agent, a key of `PROFILES`."""
    life: int = LIFE
    """The seconds for which a signature holds."""
    agent: str = field(init=False)
    """The URL in Signature-Agent."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check every value."""
        if not isinstance(self.key, SigningKey):
            message = f"key must be a SigningKey, not {type(self.key).__name__}"
            raise WrongTypeError(message)
        if key_set_id(self.url) is None or set(self.url) & set('"\\'):
            message = f"{self.url[:200]!r} is not a URL of keys; pass one that begins with https://"
            raise WrongValueError(message)
        if self.profile not in PROFILES:
            message = f"there is no profile {self.profile!r}; choose one of {', '.join(PROFILES)}"
            raise WrongValueError(message)
        if not 0 < self.life <= LONGEST_LIFE:
            message = f"life must be 1 to {LONGEST_LIFE} seconds; it is {self.life}"
            raise WrongValueError(message)
        object.__setattr__(self, "agent", self._agent())

    def _agent(self) -> str:
        """Return the URL that Signature-Agent has in this profile."""
        if PROFILES[self.profile].value == "key-set":
            return self.url
        path = url_parts(self.url)[2]
        if path != WELL_KNOWN:
            message = (
                f"the profile {self.profile} names an origin, which has its keys at {WELL_KNOWN}; "
                f"publish them there, or use the profile key-set"
            )
            raise WrongValueError(message)
        return self.url.removesuffix(path)

    def sign(
        self,
        url: str,
        now: datetime,
        nonce: bytes,
        *,
        method: str = "GET",
        lines: Iterable[tuple[str, str]] = (),
        demand: SignatureDemand | None = None,
    ) -> tuple[tuple[str, str], ...]:
        """Return the fields that sign a request.

        Args:
            url: The URL of the request, as it is sent.
            now: The time.
            nonce: Random bytes, at best 64, for this request alone.
            method: The method.
            lines: The header of the request, of which a site may ask certain fields to be covered.
            demand: What the site asks for.

        Raises:
            WrongValueError: `now` is naive.

        """
        label = LABEL if demand is None else demand.label
        is_string = PROFILES[self.profile].form == "string"
        agent = f'"{self.agent}"' if is_string else f'{label}="{self.agent}"'
        own = '"signature-agent"' if is_string else f'"signature-agent";key="{label}"'
        wanted = USUAL if demand is None else ('"@authority"', *demand.components)
        covered = tuple(dict.fromkeys((*wanted, own)))
        made = int(checked_time(now, "now").timestamp())
        told = demand.nonce if demand is not None and demand.nonce is not None else None
        text = base64.b64encode(nonce).decode() if told is None else told
        written = (
            f"({' '.join(covered)});created={made};expires={made + self.life}"
            f';keyid="{self.key.thumbprint}";alg="ed25519";nonce="{text}";tag="{TAG}"'
        )
        request = SignedRequest.to_url(url, method, (*lines, ("Signature-Agent", agent)))
        signature = SignatureInput(label, covered, {}, written, {})
        base, faults = signature.base_and_faults(request)
        if faults:
            message = f"the request has no {', '.join(faults)}, so it cannot be covered"
            raise WrongValueError(message)
        content = base64.b64encode(self.key.sign(base)).decode()
        return (
            ("Signature-Agent", agent),
            ("Signature-Input", f"{label}={written}"),
            ("Signature", f"{label}=:{content}:"),
        )

    def can_answer(
        self, demand: SignatureDemand, url: str, lines: Iterable[tuple[str, str]]
    ) -> bool:
        """Return whether a request has all that a site asks to be covered.

        Args:
            demand: What the site asks for.
            url: The URL of the request.
            lines: The header of the request.

        """
        request = SignedRequest.to_url(url, "GET", lines)
        return all(request.component(one).text is not None for one in demand.components)


def read_demand(
    status: int, headers: Iterable[tuple[str, str]], keyid: str
) -> SignatureDemand | None:
    """Return the signature that an answer asks for; `None` if it asks for none that is given.

    Only 401 and 403 count, only components of a list of the robot's own, and only the tag of
    Web Bot Auth: a robot is no oracle that signs what a site wants.

    Args:
        status: The status.
        headers: The header.
        keyid: The thumbprint of the robot's key.

    >>> asks = [("Accept-Signature", 'a=("@authority" "@query");nonce="n";tag="web-bot-auth"')]
    >>> read_demand(403, asks, "k")
    SignatureDemand(label='a', components=('"@authority"', '"@query"'), nonce='n')
    >>> read_demand(403, [("Accept-Signature", 'a=("cookie");tag="web-bot-auth"')], "k") is None
    True

    Source: RFC 9421 section 5; draft-ietf-webbotauth-httpsig-protocol-01 section 5.3.

    """
    if status not in {401, 403}:
        return None
    text = ", ".join(value for name, value in headers if name.lower() == "accept-signature")
    for one in (signature_inputs(text) if text else None) or ():
        values = one.values
        nonce = values.get("nonce")
        fits = (
            all(is_permitted(component) for component in one.components)
            and len(one.components) <= len(MAY_BE_ASKED)
            and values.get("tag", TAG) == TAG
            and values.get("alg", "ed25519") == "ed25519"
            and values.get("keyid", keyid) == keyid
            and ("nonce" not in values or is_nonce(nonce))
            and len(one.label) <= LONGEST_LABEL
            and len(set(one.components)) == len(one.components)
        )
        if fits:
            wanted = tuple(
                component
                for component in one.components
                if not component.startswith('"signature-agent"')
            )
            return SignatureDemand(one.label, wanted, nonce if isinstance(nonce, str) else None)
    return None


def is_permitted(component: str) -> bool:
    """Return whether a site may ask for a component to be covered."""
    name, parameters = parts_of(component)
    if name not in MAY_BE_ASKED or parameters is None:
        return False
    permitted = {"@query-param": {"name"}, "signature-agent": {"key"}}.get(str(name), set())
    return set(parameters) <= permitted


def is_nonce(value: object) -> bool:
    """Return whether a nonce can be sent back as it is."""
    return (
        isinstance(value, str)
        and len(value) <= LONGEST_NONCE
        and value.isascii()
        and value.isprintable()
        and not set(value) & {'"', "\\"}
    )


def sign_directory(
    keys: Iterable[SigningKey],
    authority: str,
    body: bytes,
    now: datetime,
    *,
    life: int = LONGEST_LIFE,
) -> tuple[tuple[str, str], ...]:
    """Return the fields of an answer with a key set that prove the possession of its keys.

    Each key signs, for one host, with a tag of its own.

    Args:
        keys: The keys of the set.
        authority: The host that serves it.
        body: The key set, as it is sent.
        now: The time.
        life: The seconds for which the proof holds.

    >>> from datetime import datetime, timezone
    >>> at = datetime(2026, 11, 1, tzinfo=timezone.utc)
    >>> proof = dict(sign_directory([SigningKey.from_seed(bytes(32))], "example.com", b"{}", at))
    >>> proof["Content-Digest"]
    'sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:'

    Source: draft-ietf-webbotauth-httpsig-protocol-01 appendix B.1.

    """
    digest = f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"
    request = SignedRequest(authority=authority, scheme="https")
    response = SignedResponse(200, {"content-digest": digest}, request)
    made = int(checked_time(now, "now").timestamp())
    covered = ('"@authority";req', '"content-digest"')
    inputs, contents = [], []
    for number, key in enumerate(keys):
        label = f"binding{number}"
        written = (
            f"({' '.join(covered)});created={made};expires={made + life}"
            f';keyid="{key.thumbprint}";tag="http-message-signatures-directory"'
        )
        base = SignatureInput(label, covered, {}, written, {}).base(response)[0]
        inputs.append(f"{label}={written}")
        contents.append(f"{label}=:{base64.b64encode(key.sign(base)).decode()}:")
    return (
        ("Content-Digest", digest),
        ("Signature-Input", ", ".join(inputs)),
        ("Signature", ", ".join(contents)),
    )
