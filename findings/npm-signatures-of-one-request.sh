#!/usr/bin/env bash
# Two libraries of npm for RFC 9421, http-message-sig 0.3.0 and web-bot-auth 0.1.3 (which brings http-message-sig
# 0.2.0 along), make different signature bases of one request. Sections 2.2.3 and 2.2.7: the port of the scheme is
# left out of @authority, so 443 stays over http; and @query without a query is "?". One would have guessed that
# both give example.com:443 and "?". web-bot-auth's has neither, so each refuses what the other one signs there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund http-message-sig@0.3.0 web-bot-auth@0.1.3
cat > bases.mjs <<'END'
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import * as now from "http-message-sig";

const version = (path) => JSON.parse(readFileSync(path, "utf8")).version;
const inner = "./node_modules/web-bot-auth/node_modules/http-message-sig";
const before = createRequire(import.meta.url)(inner);
console.log(`node ${process.version}, web-bot-auth ${version("./node_modules/web-bot-auth/package.json")},`,
  `http-message-sig ${version("./node_modules/http-message-sig/package.json")} and ${version(inner + "/package.json")}`);
const url = "http://example.com:443/a";
let base;
const decode = (data) => typeof data === "string" ? data : new TextDecoder().decode(data);
await now.createSignature(
  { kind: "request", method: "GET", targetUri: "https://example.com/a", fields: [] },
  { components: ["@query"], parameters: { created: 1 }, signer: { algorithm: "ed25519", sign: async (data) => { base = decode(data); return new Uint8Array(64); } } });
const newQuery = base.split("\n")[0];
await now.createSignature(
  { kind: "request", method: "GET", targetUri: url, fields: [] },
  { components: ["@authority"], parameters: { created: 1 }, signer: { algorithm: "ed25519", sign: async (data) => { base = decode(data); return new Uint8Array(64); } } });
const newAuthority = base.split("\n")[0];
const old = async (target, component) => {
  await before.signatureHeaders({ method: "GET", url: target, headers: {} }, {
    components: [component], created: new Date(1000),
    signer: { keyid: "k", alg: "ed25519", sign: async (data) => { base = decode(data); return new Uint8Array(64); } } });
  return base.split("\n")[0];
};
const seen = [newAuthority, await old(url, "@authority"), newQuery, await old("https://example.com/a", "@query")];
const guessed = ['"@authority": example.com:443', '"@authority": example.com:443', '"@query": ?', '"@query": ?'];
const expected = ['"@authority": example.com:443', '"@authority": example.com', '"@query": ?', '"@query": '];
const names = ["0.3.0", "0.2.0", "0.3.0", "0.2.0"];
seen.forEach((line, place) => console.log(`http-message-sig ${names[place]}: ${line} (guessed: ${guessed[place]})`));
if (JSON.stringify(seen) !== JSON.stringify(expected)) { console.log("changed"); process.exit(1); }
END
node bases.mjs
