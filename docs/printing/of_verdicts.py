"""The page on the one question: a dozen hard cases, and who asks which of the two readings."""

from collections.abc import Iterator
from pathlib import Path

import tomllib

import goodbot
from printing.as_markdown import code, table

CASES = Path(__file__).parents[2] / "conformance" / "bots" / "hard_cases.toml"

SITE = "https://a.example"

WHO_ASKS = (
    (
        "as its operator says",
        (
            "`goodbot.verdict`, `Policy.verdict` and `Policy.allows`, `goodbot.bots.rules_for` "
            "and `matrix`, `goodbot.tables.columns`, `goodbot.uses`, the audit of a log, the gate, "
            "`goodbot check`, `policy`, `rules`, `page`, `test`, `verdicts`, `suggest`, "
            "`lint --sitemap`, and the examples of `diff`"
        ),
        "about robots of other people",
    ),
    (
        "literally",
        (
            "`RobotsTxt.allows` and `verdict`, `RobotsTxt.rules_for` and `Policy.rules_for`, "
            "`Rules`, also in expressions of Polars; the drop-ins `robotparser`, `protego`, "
            "`robotrules` and the parser for Scrapy"
        ),
        (
            "about one name and one text, as the file has them: the engine, its twins, and code "
            "that was written for another parser"
        ),
    ),
    (
        "both",
        "`Policy.may_fetch`, `goodbot.Robot`, a crawl, the adapters and drop-ins that fetch",
        "under a name of your own: never laxer than the literal reading",
    ),
)


def verdicts_page() -> Iterator[str]:
    """Yield the question, who asks it, and the hard cases in two columns."""
    yield "# Verdicts"
    yield ""
    yield (
        "For everyone who asks *may this robot fetch this URL?*, and was answered otherwise by "
        "another program. `goodbot.verdict(source, url, robot, at=None)` is the question: of a "
        "`RobotsTxt`, a `Policy` or a `PolicyTimeline`. A known robot is read as its operator "
        "says: whose group it obeys if it has none, what it makes an exception of, and in which "
        "dialect. The URL is judged as it is sent and as it is written; either can disallow."
    )
    yield ""
    yield "## Who asks which"
    yield ""
    yield from table(["reading", "asked by", "about"], WHO_ASKS)
    yield "## Hard cases"
    yield ""
    yield (
        "The lines of each file are separated by semicolons. Where the two columns differ, a program that "
        "only compares names is wrong about what the robot does."
    )
    yield ""
    rows = [row_of(case) for case in tomllib.loads(CASES.read_text())["case"]]
    heads = ["robot", "robots.txt", "path", "as its operator says", "literally", "why"]
    yield from table(heads, rows)


def row_of(case: dict[str, str]) -> list[str]:
    """Return the row of a case; the answers are asked, not copied."""
    file = goodbot.RobotsTxt(case["robots_txt"].encode(), dialect=case.get("dialect", "rfc9309"))
    url = SITE + case["path"]
    asked = goodbot.verdict(file, url, case["robot"])
    literal = file.verdict(url, case["robot"])
    lines = "; ".join(line for line in case["robots_txt"].splitlines() if line)
    words = {True: "allowed", False: "disallowed"}
    return [
        code(case["robot"]),
        code(lines),
        code(case["path"]),
        words[asked.allowed],
        words[literal.allowed],
        case["why"],
    ]
