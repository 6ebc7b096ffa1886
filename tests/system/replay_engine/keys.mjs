// Print the key by which ReplayWeb.page's engine looks up each URL of standard input.
import { readFileSync } from "node:fs";
import { getSurt } from "warcio";
for (const url of readFileSync(0, "utf8").split("\n")) console.log(getSurt(url));
