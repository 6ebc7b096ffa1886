#!/usr/bin/env bash
# A sitemap whose elements have a prefix (<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">, as some
# libraries of XML write every namespace) means the same as one without (Namespaces in XML 1.0, section 6). crawlee
# 1.11.0 and the parser of the npm package sitemap 9.0.1 read no URL of it, and raise nothing; sitemapper 4.1.6 and
# ultimate-sitemap-parser 1.8.1 read it. One would have guessed that all four read it, or that two report it.
# Here Python's own library writes it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check crawlee==1.11.0 ultimate-sitemap-parser==1.8.1
npm init -y >/dev/null
npm install --silent --no-audit --no-fund sitemap@9.0.1 sitemapper@4.1.6
cat > write.py <<'END'
from xml.etree import ElementTree

NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
root = ElementTree.Element(NAMESPACE + "urlset")
ElementTree.SubElement(ElementTree.SubElement(root, NAMESPACE + "url"), NAMESPACE + "loc").text = "http://site.example/a"
ElementTree.ElementTree(root).write("prefix.xml", encoding="utf-8", xml_declaration=True)
ElementTree.ElementTree(root).write("plain.xml", encoding="utf-8", xml_declaration=True, default_namespace=NAMESPACE[1:-1])
END
cat > read.py <<'END'
import asyncio, sys

from crawlee._utils.sitemap import parse_sitemap
from usp.tree import sitemap_from_str

text = open(sys.argv[1], encoding="utf-8").read()


async def crawlee():
    return [page.loc async for page in parse_sitemap([{"type": "raw", "content": text}])]


print(f"crawlee {len(asyncio.run(crawlee()))}")
print(f"ultimate-sitemap-parser {len(list(sitemap_from_str(text).all_pages()))}")
END
cat > read.mjs <<'END'
import { createReadStream, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { parseSitemap } from "sitemap";
import Sitemapper from "sitemapper";
const server = createServer((request, answer) => answer.end(readFileSync(process.argv[2])));
server.listen(0, "127.0.0.1", async () => {
  console.log(`sitemap ${(await parseSitemap(createReadStream(process.argv[2]))).length}`);
  const url = `http://127.0.0.1:${server.address().port}/sitemap.xml`;
  console.log(`sitemapper ${(await new Sitemapper({ url }).fetch()).sites.length}`);
  process.exit(0);
});
END
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(crawlee|ultimate-sitemap-parser) '
venv/bin/python write.py
cat prefix.xml; echo
status=0
check() {
    local file=$1 expected=$2 seen
    seen=$(echo $(venv/bin/python read.py "$file" 2>/dev/null; node read.mjs "$file" 2>/dev/null | grep -E '^sitemap(per)? [0-9]+$'))
    echo "URLs of $file: $seen (guessed: 1 of each)"
    [ "$seen" = "$expected" ] || { echo "  changed: it was $expected"; status=1; }
}
check plain.xml "crawlee 1 ultimate-sitemap-parser 1 sitemap 1 sitemapper 1"
check prefix.xml "crawlee 0 ultimate-sitemap-parser 1 sitemap 0 sitemapper 1"
exit $status
