"""What each command prints, on the example shop and on a small site on loopback."""

import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator

from tests.support import program
from tests.support.loopback_shop import open_shop
from tests.support.paths import ROOT
from tests.words.writing import entry, heading

PAGES = {
    "/robots.txt": (
        b"User-agent: *\nDisallow: /till\nCrawl-delay: 0\nComment: Please write to us.\n\n"
        b"User-agent: Googlebot\nDisallow: /\n"
    ),
    "/": (
        b"<title>Shop</title><p>Old things.<a href=/lamps>Lamps</a> <a href=/chairs>Chairs</a> "
        b"<a href=/till>Till</a> <a href=/gone>Gone</a>"
    ),
    "/lamps": b"<title>Lamps</title><p>A brass lamp. <span data-nosnippet>Repaired.</span>",
    "/chairs": b"<title>Chairs</title><meta name=robots content=noarchive><p>A chair of oak.",
}

SHOP = {
    "Files": (
        "check -f SHOP/robots.txt -r ExampleBot /lamps /private/till",
        "check -f SHOP/robots.txt -r ExampleBot --explain /private/till",
        "check -f SHOP/robots.txt --dialect all /photographs/1 /private/till",
        "check -f SHOP/robots.txt -r Googlebot /private/till",
        "check -f SHOP/robots.txt lamps",
        "check -f SHOP/lamp.html /x",
        "rules SHOP/robots.txt -r ExampleAIBot",
        "rules SHOP/robots.txt",
        "dialects",
        "page SHOP/lamp.html -u https://antiques.example/lamp",
        "page SHOP/lamp.html -u https://antiques.example/lamp --view links",
        "page SHOP/lamp.html -u https://antiques.example/lamp --view snippet --query brass",
        "page SHOP/robots.txt -u https://antiques.example/robots.txt",
        "page convert SHOP/lamp.html --to header",
        "page convert --wish 'noindex, max-snippet: 20' --to pi",
        "page profile SHOP/lamp.html",
        "robot page -r ExampleBot/1.0 --registration",
    ),
    "Mistakes": (
        "chek",
        "check --robts-txt x /y",
        "check --max-pages 3 /y",
        "check -f missing.txt /x",
        "check -f SHOP /x",
        "check -f https://antiques.example/robots.txt /x",
        "check -f SHOP/robots.txt -d google1 /x",
        "check /x",
        "check antiques.example",
        "check --store s.db -f SHOP/robots.txt /x",
        "check -d all https://antiques.example/x",
        "rules SHOP/robots.txt -r https://antiques.example",
        "policy SHOP/robots.txt",
        "page SHOP/lamp.html",
        "page https://antiques.example/lamp",
        "page SHOP/lamp.html -u https://antiques.example/lamp --query x",
        "page SHOP/lamp.html -u https://antiques.example/lamp -H noindex",
        "page convert --to header",
        "crawl --out shop",
        "crawl -r Googlebot https://antiques.example/",
        "crawl https://antiques.example/",
        "crawl -r ExampleBot/1.0 --pause nan https://antiques.example/",
        "crawl -r ExampleBot/1.0 --traps x https://antiques.example/",
        "crawl -r ExampleBot/1.0 --alert x https://antiques.example/",
        "crawl --resume",
        "search shop lamp",
        "robot block list nowhere",
    ),
    "Without the page and the contact of the robot": (
        "check -r ExampleBot --allow-private SITE/lamps",
        "policy --allow-private SITE/",
        "rules --allow-private SITE/",
        "rules SITE/",
        "crawl -r ExampleBot/1.0 --out shop https://antiques.example/",
    ),
    "A site": (
        "check -r ExampleBot/1.0 SITE/lamps",
        "check -r ExampleBot/1.0 --allow-private SITE/lamps SITE/till",
        "check -r Googlebot --allow-private SITE/lamps",
        "policy -r ExampleBot/1.0 --allow-private --store robots.db SITE/",
    ),
    "A crawl": (
        "crawl SITE/ -r ExampleBot/1.0 --pause 0 --workers 1 --out refused",
        "crawl SITE/ -r ExampleBot/1.0 --allow-private --pause 0 --out shop --max-pages 2",
        "crawl --resume --out shop --allow-private",
        "crawl --resume --out shop --workers 1",
        "search shop brass",
        "search shop unicorn",
        "show shop SITE/lamps",
        "show shop SITE/chairs",
        "evidence shop SITE/",
        "evidence shop SITE/till",
        "evidence shop SITE/chairs",
        "evidence shop SITE/unknown",
        "evidence shop",
        "evidence refused SITE/",
        "skipped shop",
        "skipped shop --reason nonsense",
        "findings shop",
        "findings shop --code nonsense",
        "report shop",
        "archive list shop",
        "archive check shop",
        "archive compact shop",
        "archive repair shop",
        "robot pause shop SITE --why 'they are moving' --by anna",
        "robot block add shop SITE/lamps --why 'they asked us' --by anna",
        "robot block list shop",
        "robot block remove shop SITE/lamps",
        "robot block remove shop SITE/lamps",
        "robot resume shop SITE",
        "robot forget shop SITE/chairs",
        "robot forget shop SITE/unknown",
    ),
}
"""The commands, in the order in which they run. SHOP is a folder of examples, SITE the site."""

CHANGING = {
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)": "2026-01-01T12:00:00Z",
    r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?(\.\d+)? UTC": "2026-01-01 12:00:00 UTC",
    r"on \d{4}-\d\d-\d\d": "on 2026-01-01",
    r"in (less than a second|\d+ seconds?) \(": "in 1 second (",
    r"\d\.\d{3} seconds": "0.001 seconds",
    r"\S+\.warc\.gz": "file.warc.gz",
    r"(file\.warc\.gz)( at byte |, byte |:)\d+(,\d{3})*(, \d[\d,]* bytes)?": r"\g<1>\g<2>100",
    r"[\d,]+ bytes (removed:|in all files)": r"1,000 bytes \1",
    r"(in \d+ files?, )[\d,]+ bytes": r"\g<1>1,000 bytes",
    r"goodbot/\d+\.\d+\.\d+": "goodbot/1.0.0",
    r"(modified|updated|date): .*20\d\d.*": r"\1: today",
}
"""What differs from run to run, and what is written instead."""


def plain(text: str, site: str) -> str:
    """Return what a command printed, without what differs from run to run."""
    text = text.replace(str(ROOT / "examples" / "shop"), "SHOP").replace(site, "SITE")
    text = re.sub(r"http://127\.0\.0\.1:\d+", "SITE", text)
    for pattern, instead in CHANGING.items():
        text = re.sub(pattern, instead, text)
    return text


def transcript(command: str, folder: str, site: str, *, known: bool) -> str:
    """Run a command, and return what it printed and its exit status."""
    typed = command.replace("SHOP", str(ROOT / "examples" / "shop")).replace("SITE", site)
    environment = program.environment() if known else program.bare_environment()
    done = program.run(*shlex.split(typed), env=environment, cwd=folder, stderr=subprocess.STDOUT)
    return plain(done.stdout.decode(), site) + f"(exit status {done.returncode})"


def lines() -> Iterator[str]:
    """Yield the transcript of each command."""
    with tempfile.TemporaryDirectory() as folder, open_shop(PAGES) as shop:
        for title, commands in SHOP.items():
            yield from heading(title)
            for command in commands:
                known = not title.startswith("Without")
                told = transcript(command, folder, shop.origin, known=known)
                yield from entry(f"$ goodbot {command}", told)
