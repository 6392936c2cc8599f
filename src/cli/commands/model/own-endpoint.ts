import { Secret } from "#foundation/secret";
import { detectLocalServer, fetchModels, noCredential } from "#model";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import type { Asker } from "../../support/ask.ts";
import type { OpenModelParts } from "../../support/models.ts";
import type { PickedModel } from "./pick.ts";

/** A server of the person's own: its address is tried with and without `/v1`, and what works is suggested. */
export async function pickOwnEndpoint(
  asker: Asker,
  invocation: Invocation,
  _parts: OpenModelParts,
): Promise<PickedModel | undefined> {
  const out = new Output(invocation);
  const { signal } = invocation.io;
  const typed = await asker.text("Address of the server", { usual: "http://127.0.0.1:11434/v1" });
  if (!URL.canParse(typed)) {
    out.note(`"${typed}" is not an address.`);
    return undefined;
  }
  const found = await probe(typed, signal);
  out.line(
    found === undefined
      ? "Nothing answered there; it may still be right."
      : `${found.models.length} models at ${found.baseUrl}`,
  );
  const baseUrl = await asker.text("Use the address", { usual: found?.baseUrl ?? typed });
  const key = await asker.secret("Key (empty for none)");
  const model = await pickName(asker, found?.models ?? []);
  if (model === "") return undefined;
  const length = Number(await asker.text("Context length in tokens (empty: ask the server)"));
  const name = generatedName(baseUrl);
  return {
    provider: "custom",
    model,
    baseUrl,
    endpoint: {
      name,
      baseUrl,
      ...(key === "" ? {} : { apiKey: new Secret(key) }),
      ...(Number.isInteger(length) && length > 0 ? { contextLength: length } : {}),
    },
  };
}

async function pickName(asker: Asker, models: readonly string[]): Promise<string> {
  if (models.length === 0) return await asker.text("Model");
  const choices = [...models.map((name) => ({ label: name, value: name })), { label: "Another, by name", value: "" }];
  return (await asker.choose("Which model?", choices)) || (await asker.text("Model"));
}

interface Probed {
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** The address under which a list of models is found. No credential is sent while looking. */
async function probe(typed: string, signal: AbortSignal): Promise<Probed | undefined> {
  const bare = typed.replace(/\/+$/, "");
  const candidates = /\/v1$/.test(bare) ? [bare, bare.replace(/\/v1$/, "")] : [`${bare}/v1`, bare];
  for (const baseUrl of candidates) {
    const list = await fetchModels(
      { source: { path: "/models" }, baseUrl, credential: noCredential, timeoutMs: 3_000 },
      signal,
    );
    if (list.kind === "models" && list.models.length > 0) return { baseUrl, models: list.models.map(({ id }) => id) };
  }
  const server = await detectLocalServer(bare, {}, signal);
  return server === undefined ? undefined : { baseUrl: bare, models: server.models.map(({ id }) => id) };
}

/** `Local (localhost:8080)`. */
function generatedName(baseUrl: string): string {
  const { host, hostname } = new URL(baseUrl);
  return /^(localhost|127\.|\[?::1)/.test(hostname) ? `Local (${host})` : host;
}
