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
>>> answer = goodbot.verdict(robots, "https://example.com/drafts/a", news)
>>> answer.allowed, answer.token
(False, 'Googlebot')

It decides and does not act: no clock, no socket, no disk but its own table, which is loaded when it
is first used. `goodbot bots update` fetches the lists of addresses (`goodbot.address_lists`).
"""

from goodbot.bots.asking import ObeyedRules, rules_for
from goodbot.bots.known_robot import PURPOSES, AddressList, FactSource, KnownRobot
from goodbot.bots.many_robots import matrix
from goodbot.bots.robot_table import by_operator, by_purpose, by_set, every, get
from goodbot.bots.user_agents import known, of_user_agent
from goodbot.grounds import IGNORES_STAR

__all__ = [
    "IGNORES_STAR",
    "PURPOSES",
    "AddressList",
    "FactSource",
    "KnownRobot",
    "ObeyedRules",
    "by_operator",
    "by_purpose",
    "by_set",
    "every",
    "get",
    "known",
    "matrix",
    "of_user_agent",
    "rules_for",
]
