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
        ├── CrawlPartError              a part that was passed to a crawl failed
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
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

__all__ = [
    "CrawlPartError",
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

    _template = ""
    """The message, in which `{name}` stands for a setting; empty if it names none."""
    _settings: "Mapping[str, str] | None" = None
    """What the message says of each of these settings in Python."""

    def _named(self, template: str, settings: "Mapping[str, str] | None") -> str:
        """Store a message that names settings, and return it as it is in Python."""
        if settings:
            self._template, self._settings = template, settings
        return with_words(template, settings or {})

    def message_with(self, options: "Mapping[str, str]") -> str:
        """Return the message for the users of a program, which names its options.

        Args:
            options: The option of each setting, such as `--info-url` for `info_url`.

        >>> error = MisuseError("pass {info_url}", {"info_url": "info_url="})
        >>> str(error), error.message_with({"info_url": "--info-url"})
        ('pass info_url=', 'pass --info-url')

        """
        if not self._settings:
            return str(self)
        words = {name: options.get(name) or f"in Python, {self._settings[name]}"
                 for name in self._settings}  # fmt: skip
        return with_words(self._template, words)


def with_words(template: str, words: "Mapping[str, str]") -> str:
    """Return a message with words in place of the names of settings; other braces stay."""
    for name, word in words.items():
        template = template.replace(f"{{{name}}}", word)
    return template


class MisuseError(GoodbotError):
    """A mistake of the caller; the message says how to fix it.

    Args:
        message: The message, in which `{name}` stands for a setting of `settings`.
        settings: What the message says of each setting in Python; see `message_with`.

    """

    def __init__(self, message: str = "", settings: "Mapping[str, str] | None" = None) -> None:
        """Keep both."""
        super().__init__(self._named(message, settings))


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
        verdict: The `goodbot.policy.Verdict`. Its URL is the disallowed one, which after
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
            return f"{sentence} {with_words(TO_VISIT_IT, PERMISSIONS)}"
        return sentence

    def message_with(self, options: "Mapping[str, str]") -> str:
        """Return the message for the users of a program; see `GoodbotError.message_with`."""
        return str(self).replace(
            with_words(TO_VISIT_IT, PERMISSIONS), with_words(TO_VISIT_IT, options)
        )


TO_VISIT_IT = "To visit it, pass {allow_private} or {allow_network}."
PERMISSIONS = {"allow_private": "allow_private=True", "allow_network": "allow_networks=[...]"}
"""How to visit an address that is not public, and the arguments in Python."""


class FetchError(GoodbotError):
    """A request got no usable response: the site or the network failed, or a limit was exceeded.

    It is never permission: while robots.txt is unreachable, everything is disallowed (RFC 9309
    section 2.3.1.4). It is raised, not returned, so that it cannot be mistaken for a response.

    Args:
        kind: What failed, one of `goodbot.net.FAILURES`; `Policy.from_failure` takes most of them.
        url: The requested URL.
        message: What failed.
        cure: What can be done about it; it may name settings, as the message of a `MisuseError`.
        settings: What it says of each of them in Python.

    """

    def __init__(
        self,
        kind: str,
        url: str,
        message: str,
        cure: str = "",
        settings: "Mapping[str, str] | None" = None,
    ) -> None:
        """Keep all of it, so that it can be pickled."""
        super().__init__(kind, url, message, cure, settings)
        self.kind = kind
        self.url = url
        self.what = message
        self.message = self._named(f"{message}; {cure}" if cure else message, settings)

    def __str__(self) -> str:
        """Return the message."""
        return self.message


class MissingExtraError(GoodbotError, ImportError):
    """A feature needs a library that is not installed; the message says how to install it."""


class StoreError(GoodbotError):
    """A store cannot be read or written. Everything written before is intact."""


class CrawlPartError(StoreError):
    """A part that was passed to a crawl, such as its store, failed; so the crawl ended.

    The message names the part and what it raised, which is also `__cause__`.
    """


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
