#!/usr/bin/env bash
# RFC 9309 section 2.2.4: other records, such as Sitemap, must not interfere with the parsing of groups. Yet a
# Content-Signal between two User-agent lines ends the first one's group, without any rule, for Protego 0.7.0 (so for
# Scrapy, crawlee and the fetch server of MCP), robots-parser 3.0.1 and respectscraper 0.2.0: what the site disallows
# to both robots, the first may fetch. For the latter two, a Sitemap does the same. robotspy 0.13.0 and fastrobots
# 0.3.0 read one group, as one would have guessed of all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check \
    protego==0.7.0 respectscraper==0.2.0 robotspy==0.13.0 fastrobots==0.3.0
npm init -y >/dev/null
npm install --silent --no-audit --no-fund robots-parser@3.0.1
cat > read.mjs <<'END'
import robotsParser from "robots-parser";
const [text, url, robot] = process.argv.slice(2);
console.log(robotsParser("http://site.example/robots.txt", text).isAllowed(url, robot));
END
cat > read.py <<'END'
import subprocess, sys

import fastrobots
import respectscraper.robots
import robots
from protego import Protego

URL = "http://site.example/private/a"


def by_robotspy(text, robot):
    parser = robots.RobotsParser.from_string(text)
    return parser.can_fetch(robot, URL)


def by_robots_parser(text, robot):
    done = subprocess.run(["node", "read.mjs", text, URL, robot], check=True, capture_output=True, text=True)
    return done.stdout.strip() == "true"


READERS = {
    "Protego": lambda text, robot: Protego.parse(text).can_fetch(URL, robot),
    "robots-parser": by_robots_parser,
    "respectscraper": lambda text, robot: respectscraper.robots.RobotsTxt.parse(text).check(URL, robot)[0],
    "robotspy": by_robotspy,
    "fastrobots": lambda text, robot: fastrobots.Robots.parse(text).allowed("/private/a", robot),
}
BETWEEN = {"nothing": "", "Content-Signal": "Content-Signal: ai-train=no\n",
           "Sitemap": "Sitemap: http://site.example/sitemap.xml\n"}
found = set()
for between, line in BETWEEN.items():
    text = f"User-agent: FirstBot\n{line}User-agent: SecondBot\nDisallow: /private/\n"
    for name, read in READERS.items():
        first, second = read(text, "FirstBot"), read(text, "SecondBot")
        print(f"{between} between the lines, {name}: FirstBot {'may' if first else 'may not'} fetch /private/a, "
              f"SecondBot {'may' if second else 'may not'}")
        if first or second:
            found.add((between, name, first, second))
print("guessed: neither may, whatever is between the lines")
expected = {("Content-Signal", name, True, False) for name in ("Protego", "robots-parser", "respectscraper")}
expected |= {("Sitemap", name, True, False) for name in ("robots-parser", "respectscraper")}
sys.exit(0 if found == expected else f"changed: it was {sorted(expected)}")
END
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(protego|respectscraper|robotspy|fastrobots) '
venv/bin/python read.py
