import { defined } from "#foundation/defined";
import { Secret } from "#foundation/secrets/secret";
import { detectLocalServer, fetchModels, localContextWindow, noCredential } from "#model";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import type { Asker } from "../../support/ask.ts";
import type { RunningServer } from "../local/running-servers.ts";
import type { PickedModel } from "./pick.ts";

/** A server of the person's own: its address is tried with and without `/v1`, and what works is used. */
export async function pickOwnEndpoint(asker: Asker, invocation: Invocation): Promise<PickedModel | undefined> {
  const out = new Output(invocation);
  const { signal } = invocation.io;
  const typed = await askAddress(asker, out, { question: "Address of the server", usual: "http://127.0.0.1:11434/v1" });
  const found = await probe(typed, signal);
  out.line(whatAnswered(found));
  const baseUrl =
    found.kind === "nothing"
      ? await askAddress(asker, out, { question: "Address to use anyway", usual: typed })
      : found.baseUrl;
  const key = await asker.secret("Key (empty for none)");
  const models = found.kind === "models" ? found.models : await listedWithKey(baseUrl, key, signal);
  const model = await pickName(
    asker,
    models.map(({ id }) => id),
  );
  if (model === "") return undefined;
  const length = await askLength(asker, out, await reportedWindow({ baseUrl, model, models }, signal));
  const name = generatedName(baseUrl);
  return {
    provider: "custom",
    model,
    baseUrl,
    endpoint: {
      name,
      baseUrl,
      ...(key === "" ? {} : { apiKey: new Secret(key) }),
      ...defined({ contextLength: length }),
    },
  };
}

interface Listed {
  readonly id: string;
  readonly contextWindow?: number | undefined;
}

/** What the server itself says about the window: how it was started counts more than what the model could do. */
async function reportedWindow(
  { baseUrl, model, models }: { readonly baseUrl: string; readonly model: string; readonly models: readonly Listed[] },
  signal: AbortSignal,
): Promise<number | undefined> {
  const server = await detectLocalServer(baseUrl, {}, signal);
  const running = server === undefined ? undefined : await localContextWindow(server, { baseUrl, model }, signal);
  return running ?? models.find(({ id }) => id === model)?.contextWindow;
}

/** Asked for only where the server does not tell: what it tells is asked again with every start, and not written down. */
async function askLength(asker: Asker, out: Output, reported: number | undefined): Promise<number | undefined> {
  if (reported !== undefined) {
    out.line(`Context length: ${reported.toLocaleString("en")} tokens, reported by the server.`);
    return undefined;
  }
  for (;;) {
    const typed = await asker.text("Context length in tokens (not reported by the server; Enter skips)");
    if (typed === "") return undefined;
    const length = Number(typed.replace(/[,_ ]/g, ""));
    if (Number.isInteger(length) && length > 0) return length;
    out.line(`"${typed}" is not a number of tokens, such as 32768.`);
  }
}

export async function pickFromServer(asker: Asker, server: RunningServer): Promise<PickedModel | undefined> {
  const { baseUrl } = server;
  const model = await pickName(asker, server.models);
  const name = `${server.label.replace(/ on this machine$/, "")} ${new URL(baseUrl).port}`.trim();
  return model === "" ? undefined : { provider: "custom", model, baseUrl, endpoint: { name, baseUrl } };
}

async function pickName(asker: Asker, models: readonly string[]): Promise<string> {
  if (models.length === 0) return await asker.text("Model");
  const choices = [...models.map((name) => ({ label: name, value: name })), { label: "Another, by name", value: "" }];
  return (await asker.choose("Which model?", choices)) || (await asker.text("Model"));
}

/** Asks until an address of a server is typed. `localhost:8080` is one: nobody says http:// of a server at home. */
async function askAddress(
  asker: Asker,
  out: Output,
  { question, usual }: { readonly question: string; readonly usual: string },
): Promise<string> {
  for (;;) {
    const typed = await asker.text(question, { usual });
    const address = addressIn(typed);
    if (address !== undefined) return address;
    out.line(`"${typed}" is not a server address. An example: http://127.0.0.1:8080/v1`);
  }
}

function addressIn(typed: string): string | undefined {
  if (/^https?:\/\//i.test(typed)) return URL.canParse(typed) ? typed : undefined;
  const guessed = `http://${typed}`;
  const looksLikeHost = /^(localhost|[\w-]+(\.[\w-]+)+|\[[\da-f:]+\]|[\w-]+(?=:\d))(:\d+)?(\/|$)/i.test(typed);
  return looksLikeHost && URL.canParse(guessed) ? guessed : undefined;
}

type Probed =
  | { readonly kind: "models"; readonly baseUrl: string; readonly models: readonly Listed[] }
  /** Somebody is there and says nothing without a key. */
  | { readonly kind: "locked"; readonly baseUrl: string }
  | { readonly kind: "nothing" };

function whatAnswered(found: Probed): string {
  switch (found.kind) {
    case "models":
      return `${found.models.length} ${found.models.length === 1 ? "model" : "models"} at ${found.baseUrl}`;
    case "locked":
      return "A server responds there and requires a key.";
    case "nothing":
      return "No response from that address; it may still be correct.";
  }
}

/** The address under which a list of models is found. No credential is sent while looking. */
async function probe(typed: string, signal: AbortSignal): Promise<Probed> {
  const bare = typed.replace(/\/+$/, "");
  const candidates = /\/v1$/.test(bare) ? [bare, bare.replace(/\/v1$/, "")] : [`${bare}/v1`, bare];
  let locked: string | undefined;
  for (const baseUrl of candidates) {
    const list = await fetchModels(
      { source: { path: "/models" }, baseUrl, credential: noCredential, timeoutMs: 3_000 },
      signal,
    );
    if (list.kind === "models" && list.models.length > 0) return found(baseUrl, list.models);
    if (list.kind === "failure" && (list.status === 401 || list.status === 403)) locked ??= baseUrl;
  }
  if (locked !== undefined) return { kind: "locked", baseUrl: locked };
  const server = await detectLocalServer(bare, {}, signal);
  return server === undefined ? { kind: "nothing" } : found(bare, server.models);
}

function found(baseUrl: string, models: readonly Listed[]): Probed {
  return { kind: "models", baseUrl, models };
}

/** The address is agreed on now, so the key that belongs to it may go there. */
async function listedWithKey(baseUrl: string, key: string, signal: AbortSignal): Promise<readonly Listed[]> {
  if (key === "") return [];
  const list = await fetchModels(
    {
      source: { path: "/models" },
      baseUrl,
      credential: noCredential,
      headers: { authorization: `Bearer ${key}` },
      timeoutMs: 3_000,
    },
    signal,
  );
  return list.kind === "models" ? list.models : [];
}

/** `local-8080`. No colon: `provider:model` is read at colons. */
function generatedName(baseUrl: string): string {
  const { port, hostname } = new URL(baseUrl);
  const isLocal = /^(localhost|127\.|\[?::1)/.test(hostname);
  const name = isLocal ? "local" : hostname.replace(/[^\w.-]+/g, "");
  return port === "" ? name : `${name}-${port}`;
}
