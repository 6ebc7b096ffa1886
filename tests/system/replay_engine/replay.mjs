// Print what ReplayWeb.page's engine replays of a WACZ file, for each URL of standard input:
// a line of JSON with the URL, the status (404 if it is not found) and the content.
import "fake-indexeddb/auto";
import { readFileSync } from "node:fs";
globalThis.self = globalThis;
self.location = new URL("http://127.0.0.1/");
self.registration = { scope: "http://127.0.0.1/" };
console.log = console.warn = console.error = () => {};
const { ArchiveRequest, WorkerLoader } = await import("@webrecorder/wabac/swlib");
const content = new Uint8Array(readFileSync(process.argv[2]));
const file = { sourceUrl: "http://127.0.0.1/a.wacz", name: "a.wacz", size: content.length, extra: { arrayBuffer: content } };
const loader = new WorkerLoader({ addEventListener() {} });
await loader.addCollection({ name: "a", file }, () => {});
const { store } = await loader.loadColl("a");
const event = { waitUntil() {} };
for (const url of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const request = new ArchiveRequest(`mp_/${url}`, new Request("http://127.0.0.1/"));
  const found = await store.getResource(request, "", event, { noRedirect: true });
  const text = found ? Buffer.from(await found.getBuffer()).toString() : "";
  process.stdout.write(`${JSON.stringify([url, found?.status ?? 404, text])}\n`);
}
process.exit(0);
