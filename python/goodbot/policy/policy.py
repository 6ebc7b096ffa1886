"""The policy of one origin: the public class of this layer."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from goodbot._core import (
    Dialect,
    Finding,
    Judge,
    JudgesByTime,
    RobotsTxt,
    Rules,
    Verdict,
    origin,
    verdict,
    verdict_as_fetcher,
)
from goodbot.errors import OtherOriginError, WrongTypeError
from goodbot.http.fields import Fields
from goodbot.http.freshness import Freshness
from goodbot.http.instants import checked_time, written
from goodbot.http.validators import Validators, conditional_headers, validators_of
from goodbot.policy.decide import Access, Decision, decide, decided_in, is_answer
from goodbot.policy.dialects import PolicyDialect
from goodbot.policy.inputs import checked_answer, checked_body
from goodbot.policy.outcome_tables import policy_dialect
from goodbot.policy.outcomes import FAILED, failure_outcome
from goodbot.policy.record import decision_of, record_of
from goodbot.policy.redirects import chain_of
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer

__all__ = ["Policy", "sharing_file"]

UNNAMED_FAILURE = "protocol-error"
"""The failure of an answer that names neither a status nor a failure."""


class Policy:
    r"""What may be fetched from one origin, and until when.

    It is made from the result of a request for robots.txt, by `from_response` or `from_failure`. It
    only decides: no clock, no network. It is immutable; after the next request, make a new one with
    `previous=` this one.

    >>> from datetime import datetime, timedelta, timezone
    >>> import goodbot
    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> url = "https://example.com/robots.txt"
    >>> body = b"User-agent: *\nDisallow: /private"
    >>> policy = goodbot.Policy.from_response(url, 200, {"ETag": '"a"'}, body, now=now)
    >>> policy.access, str(policy.fresh_until)
    ('rules', '2025-01-02 00:00:00+00:00')
    >>> policy.verdict("https://example.com/private/a", "ExampleBot").reason
    'rule-disallows'

    A day later the server is down. The copy still applies, and robots.txt is due in five minutes:

    >>> later = now + timedelta(days=1)
    >>> policy = goodbot.Policy.from_response(url, 503, {}, b"", now=later, previous=policy)
    >>> policy.access, policy.reason, str(policy.retry_at)
    ('rules', 'stale-copy', '2025-01-02 00:05:00+00:00')
    >>> policy.conditional_headers()
    {'If-None-Match': '"a"'}

    Without a copy nothing may be fetched:

    >>> goodbot.Policy.from_failure(url, "timeout", now=now).access
    'disallow-all'

    Both constructors share these arguments:

    - `url` is the address of a robots.txt, such as `https://example.com/robots.txt`; a response for
      another page cannot make a policy.
    - `previous`: a 304 confirms its copy, and its copy can be used while robots.txt is unreachable.
      Without it, robots.txt has never been fetched.
    - `hops` may begin with `url` or omit it; `goodbot.policy.next_hop` says where each leads.
    - `site_reachable` is needed for Google's last step: whether only robots.txt fails.
    - `policy_dialect` says what statuses mean and how long responses may be used, if that differs
      from `dialect`: `goodbot.policy.policy_dialect("google").replace(...)`.

    Content never raises, and is read in linear time. Invalid arguments raise:

    - `WrongTypeError`: An argument has the wrong type.
    - `WrongValueError`: `url` is not the address of a robots.txt, a time is naive, or there is no
      such failure.
    - `NoOriginError`: `url` or one of `hops` has no origin.
    - `OtherOriginError`: `previous` is of another origin.
    - `UnknownDialectError`: there is no dialect of this name.

    Source: RFC 9309 sections 2.3.1 and 2.4, or the documents of the dialect.
    """

    __module__ = "goodbot"  # where users find it
    __slots__ = ("_decision", "_fetchers", "_judges", "_judges_by_time")

    _decision: Decision
    _fetchers: dict[str, Judge]
    _judges: dict[str, Judge]
    _judges_by_time: JudgesByTime | None

    def __init__(self) -> None:
        """Raise: a policy is made from a response.

        Raises:
            WrongTypeError: Always; use `from_response`, `from_failure` or `from_record`.

        """
        message = "use Policy.from_response, Policy.from_failure or Policy.from_record instead"
        raise WrongTypeError(message)

    @classmethod
    def _of(cls, decision: Decision) -> "Policy":
        policy = object.__new__(cls)
        object.__setattr__(policy, "_decision", decision)
        object.__setattr__(policy, "_fetchers", {})
        object.__setattr__(policy, "_judges", {})
        object.__setattr__(policy, "_judges_by_time", None)
        return policy

    @classmethod
    def from_response(
        cls,
        url: str,
        status: int,
        headers: Any,  # noqa: ANN401  a mapping or pairs
        body: Any,  # noqa: ANN401  anything with bytes
        *,
        truncated: bool = False,
        now: datetime,
        dialect: str | Dialect | None = "rfc9309",
        previous: "Policy | None" = None,
        hops: Iterable[str] = (),
        requested: datetime | None = None,
        site_reachable: bool | None = None,
        policy_dialect: str | PolicyDialect | None = None,
    ) -> "Policy":
        """Make a policy of the answer to a request for robots.txt.

        Args:
            url: The address of the origin's robots.txt, as it was before any redirect.
            status: The status of the last answer.
            headers: Its fields: a mapping, or pairs; of `str` or `bytes`; `None` for none.
            body: Its bytes: `bytes`, any buffer, a `str` (taken for UTF-8), or `None`.
            truncated: Whether `body` is only the beginning: a line that does not end is dropped.
            now: When the answer came: an aware `datetime`.
            dialect: The name of a dialect, or a `Dialect`.
            previous: The policy of the same origin that this one follows.
            hops: The addresses that were fetched, in order; the last of them answered.
            requested: When the request was sent, for the age of the answer; `now` by default.
            site_reachable: Whether the rest of the site is in reach; `None` if that is not known.
            policy_dialect: The name of a dialect, or a `PolicyDialect`; else that of `dialect`.

        Raises:
            MisuseError: See the class; content never raises.

        Source: RFC 9309 sections 2.3.1, 2.4 and 2.5.

        """
        answer = RobotsTxtAnswer(
            url,
            now,
            checked_number(status),
            headers=headers,
            body=checked_body(body),
            truncated=truncated,
            hops=chain_of(hops),
            requested=requested,
        )
        read_as = dialect, policy_dialect, site_reachable
        return cls._decided(answer, read_as, previous)

    @classmethod
    def from_failure(
        cls,
        url: str,
        failure: str,
        *,
        now: datetime,
        dialect: str | Dialect | None = "rfc9309",
        previous: "Policy | None" = None,
        hops: Iterable[str] = (),
        site_reachable: bool | None = None,
        policy_dialect: str | PolicyDialect | None = None,
    ) -> "Policy":
        """Make a policy of a request for robots.txt to which no answer came.

        Args:
            url: The address of the origin's robots.txt, as it was before any redirect.
            failure: What failed, one of `goodbot.policy.FAILURES`: `dns`, `refused`, `reset`,
                `tls`, `timeout`, `too-large`, `bad-encoding`, `protocol-error`, `private-address`,
                `blocked-port`.
            now: When it failed: an aware `datetime`.
            dialect: The name of a dialect, or a `Dialect`.
            previous: The policy of the same origin that this one follows.
            hops: The addresses that were fetched, in order; the last of them failed.
            site_reachable: Whether the rest of the site is in reach; `None` if that is not known.
            policy_dialect: The name of a dialect, or a `PolicyDialect`; by default that of
                `dialect`.

        Raises:
            MisuseError: See the class; there is no such failure.

        Source: RFC 9309 section 2.3.1.4.

        """
        failure_outcome(failure)
        answer = RobotsTxtAnswer(url, now, failure=failure, hops=chain_of(hops))
        return cls._decided(answer, (dialect, policy_dialect, site_reachable), previous)

    @classmethod
    def from_answer(
        cls,
        answer: RobotsTxtAnswer,
        *,
        dialect: str | Dialect | None = "rfc9309",
        previous: "Policy | None" = None,
        site_reachable: bool | None = None,
        policy_dialect: str | PolicyDialect | None = None,
    ) -> "Policy":
        """Make a policy of an answer to a request for robots.txt, or of the failure to get one.

        Args:
            answer: The answer.
            dialect: The name of a dialect, or a `Dialect`.
            previous: The policy of the same origin that this one follows.
            site_reachable: Whether the rest of the site is in reach; `None` if that is not known.
            policy_dialect: The name of a dialect, or a `PolicyDialect`; else that of `dialect`.

        Raises:
            MisuseError: See the class; there is no such failure.

        >>> from datetime import datetime, timezone
        >>> from goodbot.policy import Policy, RobotsTxtAnswer
        >>> now, url = datetime(2026, 1, 1, tzinfo=timezone.utc), "https://example.com/robots.txt"
        >>> Policy.from_answer(RobotsTxtAnswer(url, now, 404)).access
        'allow-all'
        >>> Policy.from_answer(RobotsTxtAnswer(url, now, failure="dns")).access
        'disallow-all'

        Source: RFC 9309 sections 2.3.1, 2.4 and 2.5.

        """
        if not isinstance(answer, RobotsTxtAnswer):
            message = f"answer must be a RobotsTxtAnswer, not {type(answer).__name__}"
            raise WrongTypeError(message)
        if answer.status is None:
            failure_outcome(answer.failure or UNNAMED_FAILURE)
            answer = answer._replace(failure=answer.failure or UNNAMED_FAILURE)
        else:
            checked_number(answer.status)
            checked_body(answer.body)
        return cls._decided(answer, (dialect, policy_dialect, site_reachable), previous)

    @classmethod
    def _decided(
        cls, answer: RobotsTxtAnswer, read_as: tuple[Any, Any, Any], previous: "Policy | None"
    ) -> "Policy":
        """Return what follows from an answer, in a dialect and a policy dialect."""
        read = checked_answer(answer, *read_as)
        return cls._of(decide(read, decision_before(previous, read.answer.url)))

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Policy":
        """Make the policy again that `as_record` gave the record of.

        Args:
            record: The record.

        Raises:
            WrongValueError: It is not a complete record; fetch robots.txt again.

        >>> from datetime import datetime, timezone
        >>> from goodbot import Policy
        >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
        >>> policy = Policy.from_failure("https://example.com/robots.txt", "dns", now=now)
        >>> Policy.from_record(policy.as_record()) == policy
        True
        """
        return cls._of(decision_of(record))

    def as_record(self) -> dict[str, Any]:
        """Return the whole policy as plain values, for a store.

        Returns:
            A dictionary of `str`, `int`, `float`, `bool`, `None`, lists and dictionaries; the body
            of a stored copy is `bytes`, in `record["copy"]["body"]`. Times are ISO 8601.
        """
        return record_of(self._decision)

    @property
    def url(self) -> str:
        """The address of robots.txt that was asked for first, as `robots_txt_url` has it."""
        return self._decision.url

    @property
    def origin(self) -> str:
        """The origin that this policy is of: scheme, host and port."""
        return origin(self._decision.url)

    @property
    def access(self) -> Access:
        """What may be fetched: `rules`, `allow-all`, `disallow-all` or `defer`."""
        return self._decision.access

    @property
    def reason(self) -> str:
        """Why, a stable slug; `goodbot.policy.reasons()` lists them."""
        return self._decision.reason

    @property
    def is_answer(self) -> bool:
        """Whether someone decided this; false if nothing is allowed because nobody answered.

        >>> from datetime import datetime, timezone
        >>> from goodbot.policy import Policy
        >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
        >>> Policy.from_failure("https://example.com/robots.txt", "dns", now=now).is_answer
        False
        """
        return is_answer(self.access, self.reason)

    @property
    def said(self) -> str:
        """The result of the request for robots.txt, in words."""
        decision = self._decision
        where = f" (redirected to {decision.hops[-1]})" if decision.hops else ""
        if decision.status is None:
            failure = FAILED[decision.outcome.removeprefix("failure-")]
            return f"robots.txt{where} could not be fetched: {failure}"
        return f"robots.txt{where} returned status {decision.status}"

    @property
    def outcome(self) -> str:
        """What resulted from asking, a name in `goodbot.policy.OUTCOMES`.

        It is the reason, unless that has its own name: `stale-copy` while an earlier file serves.
        """
        return self._decision.outcome

    @property
    def status(self) -> int | None:
        """The status of the last answer; `None` if none came."""
        return self._decision.status

    @property
    def robots_txt(self) -> RobotsTxt | None:
        """The robots.txt that holds; `None` unless `access` is `rules`."""
        copy = self._decision.copy
        return copy.robots_txt if copy is not None and self.access == "rules" else None

    @property
    def fetched_at(self) -> datetime:
        """When the last answer or failure came, in UTC."""
        return self._decision.fetched_at

    @property
    def copy_content(self) -> bytes | None:
        """The bytes of the stored robots.txt, also if it does not hold; `None` if there is none."""
        return None if self._decision.copy is None else self._decision.copy.content

    @property
    def copy_fields(self) -> Fields:
        """The header fields that are stored with the stored robots.txt; empty if there is none."""
        return () if self._decision.copy is None else self._decision.copy.fields

    @property
    def copy_fetched_at(self) -> datetime | None:
        """When the bytes of the stored robots.txt came, in UTC; `None` if none is stored."""
        return None if self._decision.copy is None else self._decision.copy.fetched_at

    @property
    def copy_url(self) -> str | None:
        """The address that the bytes of the stored robots.txt came from.

        `conditional_headers` are for a request to this address alone. `None` if nothing is stored,
        or an earlier goodbot stored it without its address.
        """
        return None if self._decision.copy is None else self._decision.copy.url or None

    @property
    def fresh_until(self) -> datetime:
        """Until when the policy may be used without asking again, in UTC."""
        return self._decision.fresh_until

    @property
    def retry_at(self) -> datetime | None:
        """When to ask again after an attempt that failed, in UTC; `None` if none failed.

        The server's Retry-After, if it gave one.
        """
        return self._decision.retry_at

    @property
    def failing_since(self) -> datetime | None:
        """Since when every attempt failed or was deferred, in UTC; `None` if the last did not."""
        return self._decision.failing_since

    @property
    def unreachable_since(self) -> datetime | None:
        """Since when robots.txt has been unreachable, in UTC; `None` if it is not.

        Source: RFC 9309 section 2.3.1.4.
        """
        return self._decision.unreachable_since

    @property
    def validators(self) -> Validators:
        """The `etag` and `last_modified` of the stored robots.txt, each `None` if there is none."""
        copy = self._decision.copy
        if copy is None:
            return Validators(None, None)
        return validators_of(copy.fields, now=copy.fetched_at)

    @property
    def freshness(self) -> Freshness | None:
        """What the header said of freshness, as far as the dialect obeys it.

        `None` where the policy lives until a retry.
        """
        return self._decision.freshness

    @property
    def storable(self) -> bool:
        """Whether the site lets the answer be kept on disk; `False` after `no-store`."""
        return self._decision.freshness is None or self._decision.freshness.store

    @property
    def findings(self) -> list[Finding]:
        """What is odd about the answer, in `goodbot.policy.finding_codes()`.

        What is odd about the file is in `robots_txt.findings`.
        """
        return list(self._decision.findings)

    @property
    def hops(self) -> tuple[str, ...]:
        """The addresses to which redirects led, in order; empty if there were none."""
        return self._decision.hops

    @property
    def dialect(self) -> Dialect:
        """The dialect in which robots.txt is read."""
        return self._decision.dialect

    @property
    def policy_dialect(self) -> PolicyDialect:
        """What statuses mean here, and how long answers live."""
        return self._decision.policy

    def is_fresh(self, now: datetime) -> bool:
        """Return whether the policy may still be used without asking again.

        Args:
            now: The time: an aware `datetime`.

        Raises:
            WrongTypeError: `now` is not a `datetime`.
            WrongValueError: `now` is naive.

        Source: RFC 9111 section 4.2.
        """
        return checked_time(now, "now") < self.fresh_until

    def conditional_headers(self) -> dict[str, str]:
        """Return the fields with which to ask whether the stored robots.txt is still current.

        Returns:
            `If-None-Match`, `If-Modified-Since`, or both; empty if nothing is stored, or the
            dialect asks without condition.

        Source: RFC 9111 section 4.3.1.
        """
        if not self.policy_dialect.revalidates:
            return {}
        return conditional_headers(self.validators)

    def verdict(self, url: str, robot: str) -> Verdict:
        r"""Return the verdict on a URL: whether a robot may fetch it, and why.

        It is `goodbot.verdict(policy, url, robot)`: a known robot is read as its operator says, and
        the URL is judged as it is sent and as it is written. `may_fetch` is for your own robot.

        Args:
            url: An absolute URL of http or https, of this origin: `str` or a buffer.
            robot: The robot: a product token or a whole User-Agent string.

        Raises:
            NoOriginError: The URL is not absolute, or neither of http nor of https.
            OtherOriginError: The URL is of another origin.
            RobotNameError: `robot` is empty, or looks like a URL.
            WrongTypeError: An argument has the wrong type.

        >>> from datetime import datetime, timezone
        >>> from goodbot.policy import Policy
        >>> now, rules = datetime(2026, 1, 1, tzinfo=timezone.utc), b"User-agent: *\nDisallow: /b"
        >>> at = "https://a.example/robots.txt"
        >>> policy = Policy.from_response(at, 200, {}, rules, now=now, dialect="lwp")
        >>> bool(policy.verdict("https://a.example/%62", "ExampleBot"))
        False

        Source: RFC 9309 sections 2.2.2 and 2.3.1; RFC 3986 section 6.2.2; goodbot: choice (either
        spelling can disallow).

        """
        return verdict(self, url, robot)

    def may_fetch(self, url: str, robot: str) -> Verdict:
        r"""Return the verdict for a robot of your own that is about to fetch under this name.

        It is that of `verdict`, but never laxer than the literal reading: an exception that an
        operator states for its robot, such as AdsBot-Google's of the group for `*`, is not yours.

        Args:
            url: See `verdict`.
            robot: See `verdict`.

        Raises:
            MisuseError: See `verdict`.

        >>> from datetime import datetime, timezone
        >>> from goodbot.policy import Policy
        >>> now, rules = datetime(2026, 1, 1, tzinfo=timezone.utc), b"User-agent: *\nDisallow: /"
        >>> policy = Policy.from_response("https://a.example/robots.txt", 200, {}, rules, now=now)
        >>> url, robot = "https://a.example/", "AdsBot-Google"
        >>> bool(policy.verdict(url, robot)), bool(policy.may_fetch(url, robot))
        (True, False)

        """
        return verdict_as_fetcher(self, url, robot)

    def allows(self, url: str, robot: str) -> bool:
        """Return whether a robot may fetch a URL: `verdict(url, robot).allowed`.

        Args:
            url: See `verdict`.
            robot: See `verdict`.

        Raises:
            MisuseError: See `verdict`.

        """
        return self.verdict(url, robot).allowed

    def in_dialect(self, dialect: str | Dialect) -> "Policy":
        """Return what the same answer of the site means in another dialect.

        Nothing is requested: the status and the stored file are read again. The times stay. If
        this dialect did not read the file that came, there is none for another one to read.

        Args:
            dialect: The name of a dialect, or a `Dialect` that is derived from one.

        Raises:
            UnknownDialectError: There is no dialect of this name, or none with its statuses.
            WrongTypeError: `dialect` is something else.

        >>> from datetime import datetime, timezone
        >>> from goodbot.policy import Policy
        >>> now, at = datetime(2026, 1, 1, tzinfo=timezone.utc), "https://a.example/robots.txt"
        >>> policy = Policy.from_response(at, 429, {}, b"", now=now)
        >>> policy.access, policy.in_dialect("yandex").access
        ('defer', 'allow-all')

        """
        chosen = RobotsTxt(b"", dialect=dialect).dialect
        if chosen == self.dialect:
            return self
        return Policy._of(decided_in(self._decision, chosen, policy_dialect(chosen)))

    def rules_for(self, robot: str) -> Rules | None:
        """Return the rules for one name, literally; `None` unless `access` is `rules`.

        `goodbot.bots.rules_for(policy, robot)` knows whose group a known robot obeys.

        Args:
            robot: The robot: a product token or a whole User-Agent string.

        Raises:
            RobotNameError: `robot` is empty, or looks like a URL.
            WrongTypeError: `robot` is not a `str`.

        """
        return None if self.robots_txt is None else self.robots_txt.rules_for(robot)

    def as_dict(self) -> dict[str, Any]:
        """Return a summary as plain values, for JSON; `as_record` returns everything."""
        return {
            "url": self.url,
            "origin": self.origin,
            "access": self.access,
            "reason": self.reason,
            "outcome": self.outcome,
            "status": self.status,
            "fetched_at": written(self.fetched_at),
            "copy_fetched_at": written(self.copy_fetched_at),
            "fresh_until": written(self.fresh_until),
            "retry_at": written(self.retry_at),
            "failing_since": written(self.failing_since),
            "unreachable_since": written(self.unreachable_since),
            "validators": self.validators.as_dict(),
            "freshness": None if self.freshness is None else self.freshness.as_dict(),
            "storable": self.storable,
            "hops": list(self.hops),
            "findings": [finding.as_dict() for finding in self.findings],
            "dialect": self.dialect.name,
        }

    def __eq__(self, other: object) -> bool:
        """Whether another policy has the same content."""
        if not isinstance(other, Policy):
            return NotImplemented
        return self._decision == other._decision

    def __hash__(self) -> int:
        """Return a hash of what resulted from the last request."""
        return hash((self.url, self.fetched_at, self.outcome))

    def __setattr__(self, name: str, value: object) -> None:
        """Raise: a policy is immutable."""
        message = f"a policy is immutable: {name} cannot be set; make another policy"
        raise AttributeError(message)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the record."""
        return Policy.from_record, (self.as_record(),)

    def __str__(self) -> str:
        """Return it as a sentence."""
        until = written(self.fresh_until)
        return f"{self.origin}: {self.said}: {self.access} ({self.reason}) until {until}."

    def __repr__(self) -> str:
        """Return a short description."""
        return f"<Policy {self.origin} {self.access}: {self.reason}>"


def checked_number(status: object) -> int:
    """Return a status.

    Raises:
        WrongTypeError: It is not a number.

    """
    if not isinstance(status, int) or isinstance(status, bool):
        message = f"status must be an int such as 200, not {type(status).__name__}"
        raise WrongTypeError(message)
    return int(status)


def sharing_file(policy: Policy, other: Policy | None) -> Policy:
    """Return a policy that shares the file of another one if it is the same, to save memory."""
    copy = policy._decision.copy  # noqa: SLF001  its own kind
    shared = None if other is None else other._decision.copy  # noqa: SLF001
    if copy is None or shared is None or copy.robots_txt is shared.robots_txt:
        return policy
    if (copy.content, copy.robots_txt.dialect) != (shared.content, shared.robots_txt.dialect):
        return policy
    same = replace(copy, content=shared.content, robots_txt=shared.robots_txt)
    return Policy._of(replace(policy._decision, copy=same))  # noqa: SLF001


def decision_before(previous: object, url: str) -> Decision | None:
    """Return the decision of the previous policy, which must be of the same origin."""
    if previous is None:
        return None
    if not isinstance(previous, Policy):
        message = f"previous must be a Policy or None, not {type(previous).__name__}"
        raise WrongTypeError(message)
    if previous.url != url:
        message = (
            f"previous is the policy of {previous.origin}, and this one is of {origin(url)}; pass "
            "the policy of the same origin, or leave it out"
        )
        raise OtherOriginError(message)
    return previous._decision  # noqa: SLF001  its own kind
