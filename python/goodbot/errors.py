"""The exceptions of goodbot, in one tree.

Invalid input from a site never raises; it is reported as findings and verdicts. Exceptions are for
invalid arguments, input and output, and limits. Each message says how to fix the problem::

    GoodbotError
    ├── MisuseError                 a mistake of the caller
    │   ├── WrongTypeError          also a TypeError
    │   └── WrongValueError         also a ValueError
    │       ├── DialectChoiceError      a choice that a dialect does not have
    │       ├── NoOriginError           a URL without an origin, or of a scheme without robots.txt
    │       ├── OtherOriginError        a URL of another origin than the policy's
    │       ├── RobotNameError          a robot without a name, or with a URL for a name
    │       ├── UnknownDialectError
    │       └── UnknownVocabularyError
    ├── Deferred                    the visit must wait: `until` says how long
    ├── Disallowed                  the visit is not allowed: `verdict` says why
    ├── FetchError                  no usable response: `kind` says why
    ├── MissingExtraError           also an ImportError: a library of an extra is not installed
    └── StoreError                  a store cannot be read or written
        ├── NotAStoreError              the file is not a store, or damaged
        │   └── NoCrawlError                there is no crawl in the folder
        ├── StoreBusyError              another process has it locked
        ├── StoreFullError              the disk is full
        ├── StoreUnavailableError       the file cannot be opened, read or written
        └── StoreVersionError           a newer goodbot made it

and one warning, below a base class::

    GoodbotWarning                  also a UserWarning
    └── LooksLikeAddressWarning     a `str` given as content is the path or URL of a file
"""

TYPE_CHECKING = False  # `typing` and `datetime` are not worth loading for annotations
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

__all__ = [
    "Deferred",
    "DialectChoiceError",
    "Disallowed",
    "FetchError",
    "GoodbotError",
    "GoodbotWarning",
    "LooksLikeAddressWarning",
    "MissingExtraError",
    "MisuseError",
    "NoCrawlError",
    "NoOriginError",
    "NotAStoreError",
    "OtherOriginError",
    "RobotNameError",
    "StoreBusyError",
    "StoreError",
    "StoreFullError",
    "StoreUnavailableError",
    "StoreVersionError",
    "UnknownDialectError",
    "UnknownVocabularyError",
    "WrongTypeError",
    "WrongValueError",
]


class GoodbotError(Exception):
    """The base class of all exceptions that goodbot raises."""


class MisuseError(GoodbotError):
    """A mistake of the caller; the message says how to fix it."""


class WrongTypeError(MisuseError, TypeError):
    """An argument has the wrong type."""


class WrongValueError(MisuseError, ValueError):
    """An argument has an invalid value."""


class DialectChoiceError(WrongValueError):
    """A dialect has no such choice, or the choice has no such value."""


class NoOriginError(WrongValueError):
    """A URL is not absolute, or its scheme has no robots.txt (RFC 9309 section 2.3)."""


class OtherOriginError(WrongValueError):
    """A URL or a policy belongs to another origin (RFC 9309 section 2.3)."""


class RobotNameError(WrongValueError):
    """A robot's name is empty, or looks like a URL: the URL comes first, the robot second."""


class UnknownDialectError(WrongValueError):
    """There is no dialect with this name; the message lists the dialects."""


class UnknownVocabularyError(WrongValueError):
    """There is no vocabulary with this name; the message lists the vocabularies."""


class Deferred(GoodbotError):  # noqa: N818  an answer of the site, not an error
    """The visit is deferred: the site asks for it, or the wait exceeds the robot's patience.

    Args:
        url: The URL to visit.
        until: When to try again, in UTC; `None` if there is no such time: do not visit.
        reason: The reason, a stable slug of `goodbot.policy.reasons()` or `goodbot.pace.REASONS`.
        because: The reason as a sentence.

    """

    def __init__(self, url: str, until: "datetime | None", reason: str, because: str) -> None:
        """Keep all four, so that it can be pickled."""
        super().__init__(url, until, reason, because)
        self.url = url
        self.until = until
        self.reason = reason
        self.because = because

    def __str__(self) -> str:
        """Return the URL, the reason, and when to try again."""
        then = f"try again at {self.until.isoformat()}" if self.until else "do not visit it"
        return f"{self.url}: {self.because.rstrip('.')}; {then}"


class Disallowed(GoodbotError):  # noqa: N818  an answer of the site, not an error
    """The visit is not allowed.

    Args:
        verdict: The `goodbot.policy.PolicyVerdict`. Its URL is the disallowed one, which after
            redirects differs from the requested one.
        hops: The redirects that were followed before: `goodbot.robot.Hop`.

    """

    def __init__(self, verdict: "Any", hops: "tuple[Any, ...]" = ()) -> None:  # noqa: ANN401  of a layer above
        """Keep both, so that it can be pickled."""
        super().__init__(verdict, hops)
        self.verdict = verdict
        self.hops = hops

    def __str__(self) -> str:
        """Return the URL, its verdict, and what to do if this machine refused the address."""
        sentence = f"{self.verdict.url}: {self.verdict}"
        if getattr(self.verdict, "policy_reason", "") == "failure-private-address":
            return f"{sentence} To visit it, pass allow_private=True or allow_networks=[...]."
        return sentence


class FetchError(GoodbotError):
    """A request got no usable response: the site or the network failed, or a limit was exceeded.

    It is never permission: while robots.txt is unreachable, everything is disallowed (RFC 9309
    section 2.3.1.4). It is raised, not returned, so that it cannot be mistaken for a response.

    Args:
        kind: What failed, one of `goodbot.net.FAILURES`; `Policy.from_failure` takes most of them.
        url: The requested URL.
        message: What failed and what can be done about it.

    """

    def __init__(self, kind: str, url: str, message: str) -> None:
        """Keep all three, so that it can be pickled."""
        super().__init__(kind, url, message)
        self.kind = kind
        self.url = url
        self.message = message

    def __str__(self) -> str:
        """Return the message."""
        return self.message


class MissingExtraError(GoodbotError, ImportError):
    """A feature needs a library that is not installed; the message says how to install it."""


class StoreError(GoodbotError):
    """A store cannot be read or written. Everything written before is intact."""


class NotAStoreError(StoreError):
    """The file is not a goodbot store, or it is damaged."""


class NoCrawlError(NotAStoreError):
    """There is no crawl in the folder, or its creation was interrupted before it began."""


class StoreBusyError(StoreError):
    """Another process kept the store locked for longer than the patience of this one."""


class StoreFullError(StoreError):
    """The disk with the store is full."""


class StoreUnavailableError(StoreError):
    """The file cannot be opened, read or written: no folder, no permission, or a disk error."""


class StoreVersionError(StoreError):
    """A newer goodbot wrote the store; this version cannot read it."""


class GoodbotWarning(UserWarning):
    """The base class of all warnings that goodbot issues."""


class LooksLikeAddressWarning(GoodbotWarning):
    """A `str` passed as the content of a robots.txt looks like its path or URL."""
