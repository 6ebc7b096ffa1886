// Print what ReplayWeb.page's engine finds of the signature of a WACZ file: a line of JSON with what
// was expected and what matched, for each thing that it verifies.
import "fake-indexeddb/auto";
import { readFileSync } from "node:fs";
globalThis.self = globalThis;
self.location = new URL("http://127.0.0.1/");
self.registration = { scope: "http://127.0.0.1/" };
const print = console.log;
console.log = console.warn = console.error = () => {};
const { WorkerLoader } = await import("@webrecorder/wabac/swlib");
const content = new Uint8Array(readFileSync(process.argv[2]));
const file = { sourceUrl: "http://127.0.0.1/a.wacz", name: "a.wacz", size: content.length, extra: { arrayBuffer: content } };
const loader = new WorkerLoader({ addEventListener() {} });
await loader.addCollection({ name: "a", file }, () => {});
const { store } = await loader.loadColl("a");
for (const one of await store.db.getAll("verification")) print(JSON.stringify(one));
process.exit(0);
