"""The log of the tutorial on audits: a week of an invented shop, always the same lines.

`python examples/audit/make_log.py` writes access.log beside this file. Every visitor is invented,
GPTBot, too; the addresses of people and of one impostor are those reserved for documentation.
"""  # noqa: INP001  a script of its own

from __future__ import annotations

import datetime as dt
import random
from pathlib import Path

HERE = Path(__file__).parent
FIRST = dt.datetime(2026, 3, 2, 6, tzinfo=dt.timezone.utc)
CHANGE, LEARNED = 3.1, 4.0
"""The days after the first on which robots.txt changes, and on which ShelfBot knows it."""
PAGES = [f"/lamps/{number}" for number in range(1, 30)]
REVIEWS = [f"/reviews/{number}" for number in range(1, 30)]
GPTBOT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)"
SHELF = "ShelfBot/2.1 (+https://shelf.example/bot)"
DASH = "DashBot/1.0 (+https://dash.example/bot)"
GRAZE = "GrazeBot/0.9 (+https://graze.example/bot)"
BROWSERS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:147.0) Gecko/20100101 Firefox/147.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/144.0.0.0 Safari/537.36",
)


class Log:
    """Lines of a log with their times."""

    def __init__(self) -> None:
        """Begin without lines, and with chances that are always the same."""
        self.lines: list[tuple[dt.datetime, str]] = []
        self.chance = random.Random(2026)  # noqa: S311  not for secrets

    def add(self, days: float, who: tuple[str, str], path: str, size: int = 0) -> None:
        """Add a request, a number of days after the first."""
        at = FIRST + dt.timedelta(seconds=round(days * 86_400))
        address, agent = who
        size = size or self.chance.randrange(3_000, 9_000)
        time = at.strftime("%d/%b/%Y:%H:%M:%S +0000")
        line = f'{address} - - [{time}] "GET {path} HTTP/1.1" 200 {size} "-" "{agent}"'
        self.lines.append((at, line))

    def robots_txt(self, days: float, who: tuple[str, str]) -> None:
        """Add a request for robots.txt."""
        self.add(days, who, "/robots.txt", 45 if days < CHANGE else 65)

    def written(self) -> str:
        """Return the lines in the order of their times, one of them broken."""
        lines = [line for _, line in sorted(self.lines, key=lambda one: one[0])]
        lines.insert(200, lines[200][:41])
        return "\n".join(lines) + "\n"


def people(log: Log) -> None:
    """Add the visits of people, all week."""
    for visit in range(60):
        who = f"203.0.113.{log.chance.randrange(1, 250)}", log.chance.choice(BROWSERS)
        begin = visit * 0.11
        for place, path in enumerate(log.chance.sample([*PAGES, *REVIEWS, "/cart"], 2)):
            log.add(begin + place / 2_000, who, path)


def obedient(log: Log) -> None:
    """GPTBot asks for robots.txt every day, and leaves what is disallowed."""
    who = "52.230.152.17", GPTBOT
    for day in range(7):
        log.robots_txt(day + 0.2, who)
        wanted = PAGES if day + 0.2 > CHANGE else [*PAGES, *REVIEWS]
        for place, path in enumerate(log.chance.sample(wanted, 7)):
            log.add(day + 0.21 + place / 2_000, who, path)


def late(log: Log) -> None:
    """ShelfBot asks for robots.txt shortly before it changes, and uses its copy for a day."""
    who = "192.0.2.40", SHELF
    for day in (1.05, 2.06, 3.07, 4.08, 5.1):
        log.robots_txt(day, who)
        visits = PAGES[:6] if day > LEARNED else [*PAGES[:3], *REVIEWS[:6]]
        for place, path in enumerate(visits):
            log.add(day + 0.02 + place / 30, who, path)


def hasty(log: Log) -> None:
    """DashBot obeys the rules, but not the pace."""
    who = "192.0.2.77", DASH
    log.robots_txt(2.5, who)
    for place, path in enumerate(PAGES[:25]):
        log.add(2.501 + place / 86_400, who, path)


def unasking(log: Log) -> None:
    """GrazeBot is never seen to ask for robots.txt."""
    who = "192.0.2.99", GRAZE
    for day in (1.3, 3.4, 5.5):
        for place, path in enumerate([*PAGES[:4], *REVIEWS[10:14], "/cart"]):
            log.add(day + place / 5_000, who, path)


def impostor(log: Log) -> None:
    """Somebody uses the name of GPTBot."""
    who = "198.51.100.23", GPTBOT
    for place in range(12):
        log.add(4.7 + place / 20_000, who, "/cart" if place % 3 else f"/cart?item={place}")


def log_text() -> str:
    """Return the log."""
    log = Log()
    for visitors in (people, obedient, late, hasty, unasking, impostor):
        visitors(log)
    return log.written()


if __name__ == "__main__":
    (HERE / "access.log").write_text(log_text(), encoding="utf-8")
