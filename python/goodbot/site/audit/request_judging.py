r"""The judgement of one request, from the top down.

Scope: one request at a time, with everything that leads to its judgement. `table_judging` judges
whole logs and finds the same.

>>> from datetime import datetime, timedelta, timezone
>>> from goodbot.site.audit import RobotRequest, judge
>>> from goodbot.history import PolicyTimeline
>>> from goodbot.policy import RobotsTxtAnswer
>>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
>>> hour = timedelta(hours=1)
>>> timeline = PolicyTimeline.declared(
...     "https://example.com", [(noon, b""), (noon + 48 * hour, b"User-agent: *\nDisallow: /a")]
... )
>>> fetches = [RobotsTxtAnswer("https://example.com/robots.txt", noon + 40 * hour, 200)]
>>> def judged(hours):
...     request = RobotRequest("ExampleBot", "/a/1", noon + hours * hour)
...     return judge(request, timeline, fetches, log_begins=noon)
>>> judged(47).outcome, judged(50).outcome, judged(65).outcome
('allowed', 'late', 'violation')
>>> print(judged(65).place)
line 2, "Disallow: /a", of robots.txt c8397456120d, in force since 2026-01-03 12:00:00 UTC
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from goodbot.history import PolicyTimeline
from goodbot.http.instants import instant
from goodbot.http.request_target import asked_url
from goodbot.policy import RobotsTxtAnswer
from goodbot.policy.outcome_tables import meaning_of
from goodbot.site.audit.audit_options import AuditOptions
from goodbot.site.audit.audit_outcomes import classify_reason
from goodbot.site.audit.known_copies import Knowledge, knowledge_at, sort_fetches
from goodbot.site.audit.logged_answer import LoggedAnswer
from goodbot.site.audit.request import ROBOTS_TXT, RobotRequest, target_path, why_not_a_path
from goodbot.site.audit.request_judgement import JudgementPlace, RequestJudgement
from goodbot.site.audit.robot_reading import RobotReading, find_reading
from goodbot.site.audit.served_versions import RobotsVersion, ServedVersions, find_served_versions


def judge(
    request: RobotRequest,
    timeline: PolicyTimeline | None,
    fetches: Iterable[RobotsTxtAnswer | LoggedAnswer],
    *,
    log_begins: datetime,
    log_ends: datetime | None = None,
    options: AuditOptions | None = None,
) -> RequestJudgement:
    """Return the judgement of one request.

    A request is a violation only if no robots.txt that the robot could rightly hold allowed it.

    Args:
        request: The request.
        timeline: The robots.txt of its site over time; `None` if the site is not known.
        fetches: The answers to all requests for robots.txt of the site by the robot's operator,
            except spoofed ones, in any order; later ones than the request have no influence. A
            `RobotsTxtAnswer` is one to the robot itself.
        log_begins: Since when the log has all requests of the site.
        log_ends: Until when it has them; by default, as long as is asked.
        options: How to judge.

    Raises:
        RobotNameError: The robot's name is empty, or looks like a URL.
        WrongTypeError: A time is not a `datetime`.
        WrongValueError: A time is naive.

    Source: RFC 9309 sections 2.2.2, 2.3.1 and 2.4.

    """
    history = None if timeline is None else find_served_versions(timeline)
    logged = [
        fetch if isinstance(fetch, LoggedAnswer) else LoggedAnswer(fetch) for fetch in fetches
    ]
    return judgement(
        request,
        history,
        logged,
        log_begins=log_begins,
        log_ends=log_ends,
        options=options or AuditOptions(),
    )


def judgement(
    request: RobotRequest,
    history: ServedVersions | None,
    fetches: Sequence[LoggedAnswer],
    *,
    log_begins: datetime,
    log_ends: datetime | None,
    options: AuditOptions,
) -> RequestJudgement:
    """Return the judgement of one request by what may have been served; see `judge`."""
    robot = find_reading(request.robot, options)
    path, at = target_path(request.target), instant(request.time, "time")
    reason = reason_before_rules(robot, path, request.identity, history)
    reason = why_not_a_path(request.target) if reason == "not-a-path" else reason
    if reason is not None or history is None or path is None:
        return RequestJudgement(request, classify_reason(reason or "no-site"), reason or "no-site")
    found = sort_fetches(fetches, robot.dialect)
    known = knowledge_at(
        at, history, found, robot, identity=request.identity,
        resolution=options.resolution, behind_cdn=options.behind_cdn,
    )  # fmt: skip
    begins = instant(options.log_begins or log_begins, "log_begins")
    ends = options.log_ends or log_ends
    is_early = at < warm_until(begins, history, robot) + options.resolution
    earlier = early_versions(at, begins, history, robot, options.resolution)
    since = find_known_since(begins, history, found, robot, request.identity)
    if is_early and (since is None or at < since):
        reason = "log-begins"
    elif ends is not None and at > instant(ends, "log_ends"):
        reason = "outside-the-log"
    else:
        reason = decide_reason(known, robot, path)
        could_hold = is_early and any(robot.allows(version, path) for version in earlier)
        if could_hold and classify_reason(reason) == "violation":
            reason = "log-begins"
    return explain(request, reason, known, robot)


def explain(
    request: RobotRequest, reason: str, known: Knowledge, robot: RobotReading
) -> RequestJudgement:
    """Return a judgement by rules, with its place."""
    place = None
    if classify_reason(reason) in {"allowed", "late", "violation"}:
        path = target_path(request.target) or "/"
        place = find_place(known.in_force, robot, path, is_allowed=reason == "rules-allow")
    return RequestJudgement(
        request, classify_reason(reason), reason, place, known.in_force, known.held
    )


def reason_before_rules(
    robot: RobotReading, path: str | None, identity: str, history: ServedVersions | None
) -> str | None:
    """Return why a request has its outcome whatever robots.txt says; `None` if rules decide."""
    if identity == "spoofed":
        return "spoofed"
    if path is None:
        return "not-a-path"
    if path == ROBOTS_TXT:
        return "robots-txt-itself"
    claim = robot.claim()
    if claim is not None:
        return claim
    return "no-site" if history is None else None


def decide_reason(known: Knowledge, robot: RobotReading, path: str) -> str:
    """Return the reason of a judgement by rules."""
    if not known.in_force:
        return "no-policy-known"
    is_allowed = any(robot.allows(version, path) for version in known.in_force)
    if is_allowed and not known.is_blocked:
        return "rules-allow"
    for kind, reason in (("file", "held-copy-allows"), ("unseen", "unseen-copy-allows")):
        for copy in known.held:
            if kind == "file" and copy.kind == "free":
                return reason
            version = copy.version if copy.kind == kind else None
            if version is not None and robot.allows(version, path):
                return reason
    if any(copy.kind == "unclear" for copy in known.held):
        return "copy-unknown"
    has_received = any(copy.kind == "file" for copy in known.held)
    return violation_reason(
        is_blocked=known.is_blocked, has_asked=known.has_asked, has_received=has_received
    )


def violation_reason(*, is_blocked: bool, has_asked: bool, has_received: bool) -> str:
    """Return the reason of a violation.

    Args:
        is_blocked: Whether the last answer was a server error, without a copy to use instead.
        has_asked: Whether a request for robots.txt was seen before.
        has_received: Whether a copy that was received could still be used.

    """
    if is_blocked:
        return "robots-txt-unreachable"
    if has_received:
        return "every-copy-disallows"
    return "copy-expired" if has_asked else "no-request-seen"


def warm_until(begins: int, history: ServedVersions, robot: RobotReading) -> int:
    """Return until when a robot could use a copy that it fetched before the log begins.

    Args:
        begins: When the log begins, in microseconds since 1970.
        history: The robots.txt of the site over time.
        robot: How the robot reads it.

    Source: RFC 9309 section 2.4.

    """
    ends = [begins]
    for version in history.versions:
        if version.begin <= begins:
            last = begins if version.end is None else min(version.end, begins)
            ends.append(last + robot.life(version))
    span = history.known_span
    if span is None or span[0] > begins - robot.default_life:
        unknown_until = begins if span is None else min(span[0], begins)
        ends.append(unknown_until + robot.default_life)
    return max(ends)


def find_known_since(
    begins: int,
    history: ServedVersions,
    fetches: Sequence[LoggedAnswer],
    robot: RobotReading,
    identity: str,
) -> int | None:
    """Return since when it is known what a robot could hold although the log has just begun.

    It is if the history goes back for as long as a copy lives, and the robot itself was seen to
    receive robots.txt: it could be reached, and so could the copies that are in `early_versions`.

    Args:
        begins: When the log begins, in microseconds since 1970.
        history: The robots.txt of the site over time.
        fetches: All requests for robots.txt by the robot's operator, in their order.
        robot: How the robot reads it.
        identity: Who sent the request that is judged: see `LoggedAnswer.binds`.

    Returns:
        The time of its first request for robots.txt; `None` if it is not known.

    Source: RFC 9309 section 2.4.

    """
    span = history.known_span
    if span is None or span[0] > begins - robot.default_life:
        return None
    own = (fetch.at for fetch in fetches if fetch.binds(identity)
           and meaning_of(fetch.status, robot.dialect) == "file")  # fmt: skip
    return next((at for at in own if at >= begins), None)


def early_versions(
    at: int, begins: int, history: ServedVersions, robot: RobotReading, resolution: int
) -> list[RobotsVersion]:
    """Return the versions that a robot can have fetched before the log begins, and can still use.

    Args:
        at: The time at which it uses them, in microseconds since 1970.
        begins: When the log begins.
        history: The robots.txt of the site over time.
        robot: How the robot reads it.
        resolution: That of the clock.

    Source: RFC 9309 section 2.4.

    """
    return [
        history.versions[place]
        for place, until in early_copies(begins, history, robot, resolution)
        if at < until
    ]


def early_copies(
    begins: int, history: ServedVersions, robot: RobotReading, resolution: int
) -> list[tuple[int, int]]:
    """Return the versions that a robot can have fetched before the log begins, and until when.

    Args:
        begins: When the log begins, in microseconds since 1970.
        history: The robots.txt of the site over time.
        robot: How the robot reads it.
        resolution: That of the clock.

    Returns:
        Places in `history`, each with the first time at which a copy can no longer be used.

    Source: RFC 9309 section 2.4.

    """
    found = []
    for place, version in enumerate(history.versions):
        last = begins if version.end is None else min(version.end, begins)
        if version.begin <= begins:
            found.append((place, last + robot.life(version) + resolution))
    return found


def find_place(
    versions: tuple[RobotsVersion, ...], robot: RobotReading, path: str, *, is_allowed: bool
) -> JudgementPlace | None:
    """Return which rule in force says so: that of the oldest version that says the same."""
    alike = [version for version in versions if robot.allows(version, path) == is_allowed]
    if not versions:
        return None
    found = (alike or versions)[0]
    others = dict.fromkeys(version.digest for version in versions if version.digest != found.digest)
    return place_in(found, robot, path, tuple(others))


def place_in(
    version: RobotsVersion, robot: RobotReading, path: str, others: tuple[str, ...]
) -> JudgementPlace:
    """Return which rule of a version decides."""
    found = None
    if version.content is not None:
        found = robot.rules(version.content).verdict(asked_url(path)).rule
    line, text = (0, "") if found is None else (found.line, found.text)
    return JudgementPlace(
        line, text, version.digest, version.since, version.source, version.seen, others
    )
