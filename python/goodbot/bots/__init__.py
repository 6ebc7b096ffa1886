r"""Known robots: who runs them, what for, which groups they obey, and how they can be verified.

>>> from goodbot import bots
>>> news = bots.get("Googlebot-News")
>>> news.operator, news.purposes, news.dialect
('Google', ('search',), 'google')
>>> bots.of_user_agent("Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)").name
'GPTBot'

A known robot brings its family, its dialect and its exceptions:

>>> import goodbot
>>> robots = goodbot.RobotsTxt(b"User-agent: Googlebot\nDisallow: /drafts")
>>> answer = bots.verdict(robots, "https://example.com/drafts/a", news)
>>> answer.allowed, answer.token
(False, 'Googlebot')

It decides and does not act: no clock, no socket, no disk but its own table, which is loaded when it
is first used. `goodbot bots update` fetches the lists of addresses (`goodbot.address_lists`).
"""

from goodbot.bots.family import IGNORES_STAR, FamilyRules, FamilyVerdict, rules_for, verdict
from goodbot.bots.known_robot import PURPOSES, AddressList, FactSource, KnownRobot
from goodbot.bots.robot_table import by_operator, by_purpose, every, get
from goodbot.bots.user_agents import known, of_user_agent
from goodbot.lazy_names import lazy_names

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.bots.family_policy import SiteRules
    from goodbot.bots.many_robots import MatrixRow, matrix

__all__ = [
    "IGNORES_STAR",
    "PURPOSES",
    "AddressList",
    "FactSource",
    "FamilyRules",
    "FamilyVerdict",
    "KnownRobot",
    "MatrixRow",
    "SiteRules",
    "by_operator",
    "by_purpose",
    "every",
    "get",
    "known",
    "matrix",
    "of_user_agent",
    "rules_for",
    "verdict",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    # They need `goodbot.policy`, which most questions about robots do not.
    {"family_policy": ("SiteRules",), "many_robots": ("MatrixRow", "matrix")},
)
