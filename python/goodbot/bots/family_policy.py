"""What the policy of a site says to a robot: its family obeys the rules, if the policy has some.

Scope: a policy with `FamilyRules`. `Policy.verdict` is the plain question: one name, as it is.
"""

from dataclasses import replace

from goodbot._core import Dialect
from goodbot.bots.family import FamilyRules, any_rules_for
from goodbot.bots.known_robot import KnownRobot
from goodbot.bots.user_agents import known
from goodbot.policy import Policy, PolicyVerdict

__all__ = ["SiteRules"]


class SiteRules:
    """What a robot obeys at one site, chosen once for many URLs.

    Args:
        policy: The policy of the site.
        robot: A known robot, a name, or a whole User-Agent.
        dialect: The dialect to decide in. By default the robot's own; if that is not known, the
            one of the policy.

    Raises:
        RobotNameError: The robot is empty, or looks like a URL.
        UnknownDialectError: There is no dialect of this name.

    """

    def __init__(
        self, policy: Policy, robot: KnownRobot | str, *, dialect: str | Dialect | None = None
    ) -> None:
        """Choose the group."""
        one = known(robot) if isinstance(robot, str) else robot
        self.name = robot if isinstance(robot, str) else robot.name
        own = None if one is None else one.dialect
        self.policy = policy.in_dialect(dialect or own or policy.dialect)
        """What the answer of the site means in the dialect."""
        self.family: FamilyRules | None = None
        """What the robot obeys; `None` unless the policy has rules."""
        if self.policy.robots_txt is not None:
            file = self.policy.robots_txt
            self.family = any_rules_for(file, robot, dialect=file.dialect)

    def verdict(self, url: str) -> PolicyVerdict:
        r"""Return the verdict on a URL as it is sent and as it is written: both must be allowed.

        Args:
            url: An absolute URL of http or https, of the site.

        Raises:
            NoOriginError: The URL is not absolute, or neither of http nor of https.
            OtherOriginError: The URL is of another origin.

        >>> from datetime import datetime, timezone
        >>> now, text = datetime(2026, 1, 1, tzinfo=timezone.utc), b"User-agent: Googlebot\nDisallow: /"
        >>> at = "https://a.example/robots.txt"
        >>> policy = Policy.from_response(at, 200, {}, text, now=now)
        >>> print(SiteRules(policy, "Googlebot-News").verdict("https://a.example/b"))
        Disallowed: line 2, "Disallow: /", is the longest match (group Googlebot; dialect google). Googlebot-News has no group; Google then uses Googlebot's.

        """  # noqa: E501  a sentence is a line
        plain = self.policy.verdict_as_sent(url, self.name)
        if self.family is None or self.family.robot is None:
            return plain
        found = self.family.verdict_as_sent(url)
        return replace(
            plain,
            url=plain.url if found.rules is None else found.rules.url,
            allowed=found.allowed,
            reason=found.reason,
            rules=found.rules,
            sentence=found.sentence,
        )
