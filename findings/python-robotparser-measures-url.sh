#!/usr/bin/env bash
# Python 3.15's urllib.robotparser follows RFC 9309, but measures a match by how much of the URL a
# pattern with `*` takes, where section 2.2.2 compares the octets of the rules.
# Needs node and npm; runs Python 3.15 as WebAssembly.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund pyodide@315.0.0-alpha.2 >/dev/null
cat > try.mjs <<'JS'
import { loadPyodide } from "pyodide";
const python = await loadPyodide();
console.log(python.runPython(`
import sys
from urllib.robotparser import RobotFileParser
parser = RobotFileParser()
parser.parse(["User-agent: *", "Disallow: /aa*c", "Allow: /aab12"])
f"{sys.version.split()[0]} {parser.can_fetch('ExampleBot', '/aab12345c')}"
`));
JS
found=$(node try.mjs | tail -1)
echo "version and answer: $found"
echo "robots.txt: Disallow: /aa*c, Allow: /aab12; URL: /aab12345c"
echo "one would have guessed True: the Allow has 6 octets and the Disallow 5"
[[ $found == "3.15.0"*" False" ]]
