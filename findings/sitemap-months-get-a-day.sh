#!/usr/bin/env bash
# When a page changed, a sitemap may say by year and month, or by the year alone (W3C Datetime: "2025-06", "2025").
# ultimate-sitemap-parser 1.8.1 fills in what is missing from today's date: the same sitemap, read on the 3rd and on
# the 20th, has a page that changed on 3 June and on 20 June. crawlee 1.11.0 drops such a date, and sitemapper 4.1.6
# returns the year as a number and the month as text. One would have guessed the first day of the month or the year,
# or no date, and that a reader says the same of the same file on each day.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check ultimate-sitemap-parser==1.8.1 crawlee==1.11.0 time-machine==3.6.0
npm init -y >/dev/null
npm install --silent --no-audit --no-fund sitemapper@4.1.6
cat > sitemap.xml <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>http://site.example/a</loc><lastmod>2025-06</lastmod></url>
  <url><loc>http://site.example/b</loc><lastmod>2025</lastmod></url>
</urlset>
END
cat > read.py <<'END'
import asyncio, sys
from datetime import datetime, timezone

import time_machine
from crawlee._utils.sitemap import parse_sitemap
from usp.tree import sitemap_from_str

text = open("sitemap.xml", encoding="utf-8").read()
seen = {}
for day in (3, 20):
    with time_machine.travel(datetime(2026, 11, day, 12, tzinfo=timezone.utc)):
        dates = [f"{page.last_modified:%Y-%m-%d}" for page in sitemap_from_str(text).all_pages()]
    seen[day] = dates
    print(f"ultimate-sitemap-parser on 2026-11-{day:02}: {' '.join(dates)}")


async def crawlee():
    return [str(page.lastmod) async for page in parse_sitemap([{"type": "raw", "content": text}])]


seen["crawlee"] = asyncio.run(crawlee())
print(f"crawlee: {' '.join(seen['crawlee'])}")
expected = {3: ["2025-06-03", "2025-11-03"], 20: ["2025-06-20", "2025-11-20"], "crawlee": ["None", "None"]}
sys.exit(0 if seen == expected else f"changed: it was {expected}")
END
cat > read.mjs <<'END'
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import Sitemapper from "sitemapper";
const server = createServer((request, answer) => answer.end(readFileSync("sitemap.xml")));
server.listen(0, "127.0.0.1", async () => {
  const url = `http://127.0.0.1:${server.address().port}/sitemap.xml`;
  const { sites } = await new Sitemapper({ url, fields: { lastmod: true } }).fetch();
  const seen = JSON.stringify(sites.map((one) => one.lastmod));
  console.log(`sitemapper: ${seen}`);
  process.exit(seen === '["2025-06",2025]' ? 0 : 1);
});
END
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(ultimate-sitemap-parser|crawlee) '
venv/bin/python read.py
node read.mjs || { echo "changed: it was [\"2025-06\",2025]"; exit 1; }
echo "guessed: 2025-06-01 2025-01-01, or no date, on each day"
