"""The exceptions of goodbot: one tree.

Content never raises: it yields findings and verdicts. Exceptions are for misuse, input and output,
and limits; each message tells the cure::

    GoodbotError
    ├── MisuseError                 the caller's mistake
    │   ├── WrongTypeError          also a TypeError
    │   └── WrongValueError         also a ValueError
    │       ├── DialectChoiceError      a choice that a dialect does not have
    │       ├── NoOriginError           a URL without an origin, or of a scheme without robots.txt
    │       ├── OtherOriginError        a URL of another origin than the policy's
    │       ├── RobotNameError          a robot without a name, or with a URL for a name
    │       ├── UnknownDialectError
    │       └── UnknownVocabularyError
    ├── Deferred                    no visit now: `until` says when to ask again
    ├── Disallowed                  no visit: `verdict` says who forbids it
    ├── FetchError                  no answer came: `kind` says why; never permission
    ├── MissingExtraError           also an ImportError: a library of an extra is not installed
    └── StoreError                  a store cannot be read or written
        ├── NotAStoreError              the file is something else, or damaged
        │   └── NoCrawlError                there is no crawl in the folder
        ├── StoreBusyError              another process has it locked
        ├── StoreFullError              there is no room
        ├── StoreUnavailableError       the file cannot be opened, read or written
        └── StoreVersionError           a newer goodbot made it

and one warning, under a class of goodbot's own::

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
    """Every exception that goodbot raises on purpose."""


class MisuseError(GoodbotError):
    """The caller's mistake; the message tells what to do instead."""


class WrongTypeError(MisuseError, TypeError):
    """An argument is of a type that is not taken."""


class WrongValueError(MisuseError, ValueError):
    """An argument has a value that is not taken."""


class DialectChoiceError(WrongValueError):
    """A dialect has no such choice, or the choice no such value."""


class NoOriginError(WrongValueError):
    """A URL is not absolute, or its scheme has no robots.txt (RFC 9309 section 2.3)."""


class OtherOriginError(WrongValueError):
    """A URL, or a policy, is of another origin than this one (RFC 9309 section 2.3)."""


class RobotNameError(WrongValueError):
    """A robot's name is empty, or looks like a URL: the URL comes first, the robot second."""


class UnknownDialectError(WrongValueError):
    """There is no dialect of this name; the message lists those there are."""


class UnknownVocabularyError(WrongValueError):
    """There is no vocabulary of this name; the message lists those there are."""


class Deferred(GoodbotError):  # noqa: N818  an answer of the site, and nobody's error
    """The visit is deferred: the site says so, or the wait is longer than the robot bears.

    Args:
        url: The URL that was to be visited.
        until: When to ask again, in UTC; `None` if there is no such time: do not visit.
        reason: Why, a stable slug of `goodbot.policy.reasons()` or `goodbot.pace.REASONS`.
        because: The same as a sentence.

    """

    def __init__(self, url: str, until: "datetime | None", reason: str, because: str) -> None:
        """Keep all four, so that it can be pickled."""
        super().__init__(url, until, reason, because)
        self.url = url
        self.until = until
        self.reason = reason
        self.because = because

    def __str__(self) -> str:
        """Make it a sentence with the cure."""
        cure = f"ask again at {self.until.isoformat()}" if self.until else "leave it out"
        return f"{self.url}: {self.because.rstrip('.')}; {cure}"


class Disallowed(GoodbotError):  # noqa: N818  an answer of the site, and nobody's error
    """The site forbids the visit.

    Args:
        verdict: Who says so: a `goodbot.policy.PolicyVerdict`. Its URL is the one that is
            forbidden: after redirects, another than was asked for.
        hops: What was fetched before, on the way there: `goodbot.robot.Hop`.

    """

    def __init__(self, verdict: "Any", hops: "tuple[Any, ...]" = ()) -> None:  # noqa: ANN401  of a layer above
        """Keep both, so that it can be pickled."""
        super().__init__(verdict, hops)
        self.verdict = verdict
        self.hops = hops

    def __str__(self) -> str:
        """Return the URL, its verdict, and what to do if this machine refused."""
        sentence = f"{self.verdict.url}: {self.verdict}"
        if getattr(self.verdict, "policy_reason", "") == "failure-private-address":
            return f"{sentence} To visit it, pass allow_private=True or allow_networks=[...]."
        return sentence


class FetchError(GoodbotError):
    """No answer came to a request: the site's fault, the way's, or a limit. It is no permission.

    RFC 9309 section 2.3.1.4 has everything forbidden while robots.txt is out of reach. It is
    raised and not returned, so that nobody can take it for an answer.

    Args:
        kind: What failed, one of `goodbot.net.FAILURES`; `Policy.from_failure` takes most of them.
        url: The URL that was asked for.
        message: What failed and what can be done about it.

    """

    def __init__(self, kind: str, url: str, message: str) -> None:
        """Keep all three, so that it can be pickled."""
        super().__init__(kind, url, message)
        self.kind = kind
        self.url = url
        self.message = message

    def __str__(self) -> str:
        """Give the message."""
        return self.message


class MissingExtraError(GoodbotError, ImportError):
    """What was asked for needs a library that is not installed; the message tells the command."""


class StoreError(GoodbotError):
    """A store cannot be read or written. What was written before is whole."""


class NotAStoreError(StoreError):
    """The file is no store of goodbot's, or it is damaged."""


class NoCrawlError(NotAStoreError):
    """There is no crawl in the folder, or its creation was interrupted before it began."""


class StoreBusyError(StoreError):
    """Another process has the store locked for longer than one was willing to wait."""


class StoreFullError(StoreError):
    """There is no room left where the store is."""


class StoreUnavailableError(StoreError):
    """The file cannot be opened, read or written: no such folder, no right, a failing disk."""


class StoreVersionError(StoreError):
    """A newer goodbot made the store; this one would misread it."""


class GoodbotWarning(UserWarning):
    """Every warning that goodbot gives on purpose."""


class LooksLikeAddressWarning(GoodbotWarning):
    """A `str` given as the content of a robots.txt looks like the path or the URL of one."""
