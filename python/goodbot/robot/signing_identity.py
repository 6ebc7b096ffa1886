"""The identity by which a robot signs: a folder with its keys, and where it publishes them.

Scope: it reads and writes the folder. Private keys are in files that only their owner may read, and
nowhere else.
"""

import json
import os
import secrets
from collections.abc import Callable, Iterable
from dataclasses import field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from goodbot.display import short_repr
from goodbot.errors import MisuseError, WrongValueError
from goodbot.http.instants import checked_time, format_time, written
from goodbot.lazy_dataclass import dataclass
from goodbot.signatures.archive_key import ArchiveKey
from goodbot.signatures.key_cache import LONGEST_LIFE
from goodbot.signatures.messages import url_parts
from goodbot.signatures.signing import (
    NONCE_BYTES,
    SignatureDemand,
    Signer,
    SigningKey,
    read_demand,
    sign_directory,
)

__all__ = ["IdentityKey", "SigningIdentity"]

RECORD = "identity.json"
ARCHIVE_KEY = "archive-key.pem"
SECRET, OWN = 0o600, 0o700
REPEATED = ("GET", "HEAD")
"""The methods of requests that are made again with the signature that a site asks for."""
Key = TypeVar("Key", SigningKey, ArchiveKey)
MEDIA_TYPE = "application/http-message-signatures-directory+json"
CACHED = timedelta(seconds=LONGEST_LIFE)
"""How long verifiers may keep a key set (draft-ietf-webbotauth-httpsig-protocol-01 section 5.5.1
has a day in its example): so long a key is published before it signs, and after it signed last."""
STATES = {
    "next": "published, and not used yet: verifiers get to know it",
    "current": "signs",
    "old": "published for a day, for what it signed, and not used any more",
}


@dataclass(frozen=True, slots=True, repr=False)
class IdentityKey:
    """One key of an identity.

    >>> from datetime import datetime, timezone
    >>> key = SigningKey.from_seed(bytes(32))
    >>> IdentityKey(key, "next", datetime(2026, 11, 1, tzinfo=timezone.utc)).state
    'next'
    """

    key: SigningKey
    """The key."""
    state: str
    """`next`, `current` or `old`."""
    since: datetime
    """Since when it is in this state."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class SigningIdentity:
    """The identity by which a robot signs its requests.

    >>> from datetime import datetime, timezone
    >>> at = datetime(2026, 11, 1, tzinfo=timezone.utc)
    >>> mine = SigningIdentity("https://example.com/keys.json", (
    ...     IdentityKey(SigningKey.from_seed(bytes(32)), "current", at),
    ... ))
    >>> mine.signer.agent
    'https://example.com/keys.json'
    """

    url: str
    """The URL at which its keys are published."""
    keys: tuple[IdentityKey, ...]
    """Its keys: one that signs, the next one, and those that signed before."""
    profile: str = "key-set"
    """The form of Signature-Agent, a key of `goodbot.signatures.PROFILES`."""
    archive_key: ArchiveKey | None = None
    """The key that signs archives and records, for years; `None` if an earlier version made the
    identity."""
    signer: Signer = field(init=False, repr=False, compare=False)
    """What signs requests, by the key that is in use."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the URL and the profile, and find the key that signs."""
        found = [one.key for one in self.keys if one.state == "current"]
        if len(found) != 1:
            message = (
                "an identity has one key that signs; make it with 'goodbot robot identity new'"
            )
            raise MisuseError(message)
        object.__setattr__(self, "signer", Signer(found[0], self.url, self.profile))

    @classmethod
    def new(cls, url: str, now: datetime, profile: str = "key-set") -> "SigningIdentity":
        """Return an identity with fresh keys.

        One signs requests, the next one will, and a third signs archives and records.

        Args:
            url: The URL at which its keys will be published.
            now: The time.
            profile: The form of Signature-Agent.

        Raises:
            MissingExtraError: cryptography is not installed.
            WrongValueError: The URL is not one of https, or does not fit the profile.

        """
        checked_time(now, "now")
        keys = tuple(IdentityKey(fresh_key(), state, now) for state in ("current", "next"))
        return cls(url, keys, profile, ArchiveKey.new())

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> "SigningIdentity":
        """Read the folder of an identity.

        Args:
            folder: The folder.

        Raises:
            MisuseError: It is not one, or others may read its private keys.
            MissingExtraError: cryptography is not installed.

        """
        place = Path(folder)
        try:
            record = json.loads((place / RECORD).read_bytes())
            rows = [
                (str(one["key"]), str(one["state"]), datetime.fromisoformat(one["since"]))
                for one in record["keys"]
            ]
            url, profile = str(record["url"]), str(record["profile"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            message = (
                f"{place} is not the folder of an identity; make one with 'goodbot robot identity "
                f"new {place} --url https://example.com/keys.json'"
            )
            raise MisuseError(message) from error
        keys = tuple(
            IdentityKey(read_key(place / f"{name}.pem"), state, checked_time(since, "since"))
            for name, state, since in rows
            if state in STATES
        )
        path = place / ARCHIVE_KEY
        return cls(url, keys, profile, read_archive_key(path) if path.exists() else None)

    @classmethod
    def open(cls, given: "SigningIdentity | str | os.PathLike[str]") -> "SigningIdentity":
        """Return an identity that is passed as one, or as its folder; see `read`."""
        return given if isinstance(given, SigningIdentity) else cls.read(given)

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write the folder: each private key in a file that only its owner may read.

        Args:
            folder: The folder. It is made if there is none. Keys that are no longer in use are
                removed from it.

        Raises:
            OSError: It cannot be written.

        """
        place = Path(folder)
        place.mkdir(mode=OWN, parents=True, exist_ok=True)
        wanted = {f"{one.key.thumbprint}.pem": one.key for one in self.keys}
        for name, key in wanted.items():
            if not (place / name).exists():
                write_secret(place / name, key.to_pem())
        if self.archive_key is not None:
            write_secret(place / ARCHIVE_KEY, self.archive_key.to_pem())
        rows = [
            {"key": one.key.thumbprint, "state": one.state, "since": written(one.since)}
            for one in self.keys
        ]
        record = {"url": self.url, "profile": self.profile, "keys": rows}
        write_secret(place / RECORD, (json.dumps(record, indent=2) + "\n").encode())
        for path in place.glob("*.pem"):
            if path.name not in wanted and path.name != ARCHIVE_KEY:
                path.unlink()

    def with_note(self, before: str | None) -> str:
        """Return which keys have signed, in words: those so far, and the one in use.

        Args:
            before: What was noted so far; `None` for nothing.

        """
        note = f"{self.signer.key.thumbprint} ({self.url})"
        noted = before.split(", ") if before else []
        return ", ".join(noted if note in noted else [*noted, note])

    def with_profile(self, profile: str) -> "SigningIdentity":
        """Return the same identity with another form of Signature-Agent.

        Args:
            profile: A key of `goodbot.signatures.PROFILES`.

        """
        return replace(self, profile=profile)

    def rotate(self, now: datetime, *, at_once: bool = False) -> "SigningIdentity":
        """Return the identity after its next key has become the one that signs.

        The next key has been published for a day, so that verifiers know it; the one that signed so
        far stays published for a day. No request is signed by a key that is not published. The key
        for archives and records stays, unless the change is one at once.

        Args:
            now: The time.
            at_once: Whether the next key signs although verifiers may not know it, as after a key
                was stolen: then the one that signed so far is no longer published.

        Raises:
            MisuseError: The next key has not been published for a day.

        Source: draft-ietf-webbotauth-httpsig-protocol-01 sections 5.5.2 and 6.3.

        """
        checked_time(now, "now")
        coming = [one for one in self.keys if one.state == "next"]
        known = [one for one in coming if now - one.since >= CACHED]
        if not known and not at_once:
            when = format_time(min((one.since for one in coming), default=now) + CACHED)
            message = (
                f"verifiers may not know the next key before {when}, a day after it was published; "
                "rotate then, or at once with {at_once} if the key that signs is not safe"
            )
            raise MisuseError(message, {"at_once": "at_once=True"})
        chosen = (known or coming or [IdentityKey(fresh_key(), "next", now)])[0]
        kept = [IdentityKey(chosen.key, "current", now), IdentityKey(fresh_key(), "next", now)]
        for one in self.keys:
            if one.state == "current" and not at_once:
                kept.append(IdentityKey(one.key, "old", now))
            elif one.state == "old" and now - one.since < CACHED:
                kept.append(one)
        archive_key = None if at_once else self.archive_key
        return replace(self, keys=tuple(kept), archive_key=archive_key or ArchiveKey.new())

    @property
    def thumbprints(self) -> dict[str, str]:
        """The thumbprints of all keys, each with its state; `archive` for the one of archives."""
        found = {one.key.thumbprint: one.state for one in self.keys}
        if self.archive_key is not None:
            found[self.archive_key.thumbprint] = "archive"
        return found

    def published(self) -> bytes:
        """Return the key set to publish: every key, public parts only."""
        keys = [
            {**one.key.public.members(), "kid": one.key.thumbprint, "use": "sig"}
            for one in self.keys
        ]
        if self.archive_key is not None:
            key = self.archive_key
            own = {"kid": key.thumbprint, "use": "sig", "alg": "ES384"}
            keys.append({**key.public.members(), **own})
        return json.dumps({"keys": keys}, separators=(",", ":")).encode()

    def served(self, now: datetime) -> tuple[tuple[tuple[str, str], ...], bytes]:
        """Return the header and the content with which the key set is served.

        Each key of requests signs the answer, for the host of the URL, so that the set cannot be
        served by another one.

        Args:
            now: The time.

        Source: draft-ietf-webbotauth-httpsig-protocol-01 section 5.5.1 and appendix B.1.

        """
        body, host = self.published(), url_parts(self.url)[1]
        proof = sign_directory([one.key for one in self.keys], host, body, now)
        header = (("Content-Type", MEDIA_TYPE), ("Cache-Control", "max-age=3600"))
        return (*header, *proof), body

    def key_for_archives(self) -> ArchiveKey:
        """Return the key that signs archives and records.

        Raises:
            MisuseError: The identity has none, because an earlier version made it.

        """
        if self.archive_key is None:
            message = (
                "this identity has no key for archives and records; 'goodbot robot identity "
                "rotate' adds one"
            )
            raise MisuseError(message)
        return self.archive_key

    def sign(
        self,
        url: str,
        now: datetime,
        *,
        method: str = "GET",
        lines: Iterable[tuple[str, str]] = (),
        demand: SignatureDemand | None = None,
        life: int | None = None,
    ) -> tuple[tuple[str, str], ...]:
        """Return the fields that sign a request, with a nonce of its own; see `Signer.sign`.

        `life` is the seconds for which the signature holds, if not those of the signer.
        """
        nonce = secrets.token_bytes(NONCE_BYTES)
        signer = self.signer if life is None else replace(self.signer, life=life)
        return signer.sign(url, now, nonce, method=method, lines=lines, demand=demand)

    def demanded(
        self,
        status: int,
        headers: Iterable[tuple[str, str]],
        url: str,
        *,
        method: str = "GET",
        lines: Iterable[tuple[str, str]] = (),
    ) -> SignatureDemand | None:
        """Return the signature that an answer asks for, if this identity gives it; else `None`.

        Answer it once, by `sign` with this demand and a request for the same URL. Requests that
        change something, or that have content, are not repeated.

        Args:
            status: The status of the answer.
            headers: Its header.
            url: The URL of the request that it answers.
            method: The method of that request.
            lines: The header of that request; of it, only fields of a list of the robot's own may
                be covered, and neither Cookie nor Authorization is one.

        >>> from datetime import datetime, timezone
        >>> mine = SigningIdentity.new("https://a.example/keys", datetime.now(timezone.utc))
        >>> asks = [("Accept-Signature", 'a=("@authority" "@query");tag="web-bot-auth"')]
        >>> mine.demanded(403, asks, "https://b.example/").components
        ('"@authority"', '"@query"')
        >>> mine.demanded(403, asks, "https://b.example/", method="POST") is None
        True

        Source: RFC 9421 section 5; draft-ietf-webbotauth-httpsig-protocol-01 section 5.3; RFC 9110
        section 9.2.1 (safe methods).
        """
        sent = tuple(lines)
        if method.upper() not in REPEATED or any(is_content(*line) for line in sent):
            return None
        demand = read_demand(status, headers, self.signer.key.thumbprint)
        return demand if demand is not None and self.signer.can_answer(demand, url, sent) else None


def is_content(name: str, value: str) -> bool:
    """Return whether a field of a request says that it has content (RFC 9110 section 8.6)."""
    name = name.lower()
    return name == "transfer-encoding" or (name == "content-length" and value.strip() != "0")


def fresh_key() -> SigningKey:
    """Return a fresh key."""
    return SigningKey.from_seed(secrets.token_bytes(32))


def write_secret(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, SECRET), "wb") as file:
        file.write(content)
    new.replace(path)


def read_key(path: Path) -> SigningKey:
    """Return a private key from its file; see `read_secret`."""
    return read_pem_file(path, SigningKey.from_pem)


def read_archive_key(path: Path) -> ArchiveKey:
    """Return the key for archives and records from its file; see `read_secret`."""
    return read_pem_file(path, ArchiveKey.from_pem)


def read_pem_file(path: Path, parse: Callable[[bytes], Key]) -> Key:
    """Return the key in a file; if it is none, the message names the file."""
    content = read_secret(path)
    try:
        return parse(content)
    except WrongValueError as error:
        message = f"{path}: {error}"
        raise WrongValueError(message) from error


def read_secret(path: Path) -> bytes:
    """Return the content of a file with a private key.

    Raises:
        MisuseError: There is none, or others may read it.

    """
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            message = f"others may read the private key {path}; run chmod 600 {path}"
            raise MisuseError(message)
        return path.read_bytes()
    except OSError as error:
        message = f"the private key {path} cannot be read ({error.strerror})"
        raise MisuseError(message) from error


def open_identity(given: SigningIdentity | str | os.PathLike[str] | None) -> SigningIdentity | None:
    """Return the identity that is passed as an object or a folder; `None` if there is none.

    Raises:
        MisuseError: It is neither.

    """
    return None if given is None else SigningIdentity.open(given)
