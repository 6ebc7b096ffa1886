// Signs and verifies by npm's web-bot-auth and http-message-sig: reads a question from standard input,
// and writes the answer, both JSON.
import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";
import * as bot from "web-bot-auth";
import { signerFromJWK, verifierFromJWK } from "web-bot-auth/crypto";
import * as sig from "http-message-sig";

const question = JSON.parse(readFileSync(0, "utf8"));
const headers = new Headers(question.headers);
const request = new Request(question.url, { method: question.method ?? "GET", headers });

async function answer() {
  if (question.ask === "web-bot-auth verifies") {
    await bot.verify(request, await verifierFromJWK(question.jwk));
    return { verified: true };
  }
  if (question.ask === "web-bot-auth signs") {
    const created = new Date(question.created * 1000);
    const expires = new Date((question.created + 300) * 1000);
    const signer = await signerFromJWK(question.jwk);
    return bot.signatureHeaders(request, signer, { created, expires });
  }
  const algorithm = { name: "Ed25519" };
  const message = {
    kind: "request",
    method: question.method ?? "GET",
    targetUri: question.url,
    fields: question.headers.map(([name, value]) => ({ name, value })),
  };
  if (question.ask === "http-message-sig verifies") {
    const { kty, crv, x } = question.jwk;
    const key = await webcrypto.subtle.importKey("jwk", { kty, crv, x }, algorithm, true, ["verify"]);
    const verified = await sig.verifySignature(message, {
      label: question.label,
      policy: {
        algorithms: ["ed25519"],
        requiredComponents: ["@authority"],
        requiredParameters: ["created", "expires", "keyid", "tag"],
      },
      resolveVerifier: () => sig.webcrypto.verifier(key),
    });
    return { verified: Boolean(verified) };
  }
  const key = await webcrypto.subtle.importKey("jwk", question.jwk, algorithm, true, ["sign"]);
  return sig.createSignature(message, {
    label: question.label,
    components: question.components.map(([name, parameters]) => sig.component(name, parameters)),
    parameters: question.parameters,
    signer: sig.webcrypto.signer(key),
  });
}

try {
  console.log(JSON.stringify(await answer()));
} catch (error) {
  console.log(JSON.stringify({ error: String(error.message ?? error) }));
}
