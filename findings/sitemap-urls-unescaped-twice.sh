#!/usr/bin/env bash
# ultimate-sitemap-parser 1.8.1 and trafilatura 2.3.1 replace references in the URLs of a sitemap twice: once as XML
# has them, and once more as HTML has them, where "&curren" and "&sect" are characters even without a semicolon. So
# of "?page=2&amp;currency=EUR", as the protocol of sitemaps wants it, "?page=2¤cy=EUR" is left, and a URL in a CDATA
# section is changed, too. One would have guessed the URL that any reader of XML returns, here that of Python.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check \
    ultimate-sitemap-parser==1.8.1 trafilatura==2.3.1 lxml_html_clean==0.4.5
cat > read.py <<'END'
import sys
from urllib.parse import unquote
from xml.etree import ElementTree

from trafilatura.sitemaps import SitemapObject
from usp.tree import sitemap_from_str

SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>http://site.example/list?page=2&amp;currency=EUR</loc></url>
  <url><loc><![CDATA[http://site.example/text?part=1&section=3]]></loc></url>
  <url><loc>http://site.example/list?color=red&amp;page=2</loc></url>
</urlset>"""

def by_trafilatura():
    found = SitemapObject("http://site.example", "site.example", [])
    found.content, found.current_url = SITEMAP, "http://site.example/sitemap.xml"
    found.process()
    return [unquote(url) for url in found.urls]

name = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"
guessed = [one.text for one in ElementTree.fromstring(SITEMAP.encode()).iter(name)]
changed = ["http://site.example/list?page=2¤cy=EUR", "http://site.example/text?part=1§ion=3", guessed[2]]
seen = {
    "ultimate-sitemap-parser": [page.url for page in sitemap_from_str(SITEMAP).all_pages()],
    "trafilatura (shown without percent-escapes)": by_trafilatura(),
}
for reader, urls in seen.items():
    print(f"{reader}: {' '.join(urls)}")
print(f"guessed: {' '.join(guessed)}")
sys.exit(0 if all(urls == changed for urls in seen.values()) else "changed: the URLs are read in another way")
END
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(ultimate-sitemap-parser|trafilatura) '
venv/bin/python read.py
