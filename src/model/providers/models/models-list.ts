import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";
import type { CredentialHandle } from "../../credential-handle.ts";
import type { ModelsSource } from "../provider.ts";
import { fetchJson } from "./fetch-json.ts";
import { type ListedModel, toListedModel } from "./model-entry.ts";

export interface ListQuery {
  readonly source: ModelsSource;
  readonly baseUrl: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential: CredentialHandle;
  readonly timeoutMs?: number;
}

export type ModelList =
  | { readonly kind: "models"; readonly models: readonly ListedModel[] }
  | { readonly kind: "failure"; readonly message: string; readonly status?: number };

const defaultTimeoutMs = 10_000;
const maxListBytes = 20_000_000;

/** Asks an endpoint for its models. The credential decides itself whether it may go there. */
export async function fetchModels(asked: ListQuery, signal: AbortSignal): Promise<ModelList> {
  if (asked.source.path === undefined) return { kind: "models", models: [] };
  const url = listUrl(asked);
  if (url === undefined) return { kind: "failure", message: "the address of the model list cannot be read" };
  const answer = await fetchJson(
    url,
    {
      credential: asked.credential,
      ...defined({ headers: asked.headers }),
      timeoutMs: asked.timeoutMs ?? defaultTimeoutMs,
      maxBytes: maxListBytes,
    },
    signal,
  );
  if (answer.kind === "failure") return answer;
  return { kind: "models", models: readModelList(answer.value, asked.source) };
}

function listUrl(asked: ListQuery): URL | undefined {
  const text = `${asked.baseUrl.replace(/\/+$/, "")}${asked.source.path ?? ""}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  for (const [name, value] of Object.entries(asked.query ?? {})) url.searchParams.set(name, value);
  return url;
}

/** The entries worth offering, from any of the shapes endpoints use: `{data}`, `{models}` or a bare list. */
export function readModelList(body: unknown, source: ModelsSource): readonly ListedModel[] {
  const entries = listIn(body)
    .filter(isRecord)
    .filter((entry) => isKept(entry, source));
  if (source.sortBy === "priority") entries.sort((one, other) => priorityOf(one) - priorityOf(other));
  const seen = new Set<string>();
  return entries
    .map(toListedModel)
    .filter((model) => model !== undefined)
    .filter((model) => {
      if (seen.has(model.id) || source.hide?.test(model.id) === true) return false;
      seen.add(model.id);
      return true;
    });
}

function listIn(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  if (!isRecord(body)) return [];
  for (const key of ["data", "models"]) if (Array.isArray(body[key])) return body[key];
  return [];
}

function isKept(entry: Readonly<Record<string, unknown>>, source: ModelsSource): boolean {
  switch (source.keep) {
    case undefined:
      return true;
    case "tools-parameter": {
      const supported = entry.supported_parameters;
      return !Array.isArray(supported) || supported.includes("tools");
    }
    case "language-with-tool-use":
      return entry.type === "language" && Array.isArray(entry.tags) && entry.tags.includes("tool-use");
    case "not-hidden":
      return entry.visibility !== "hide" && entry.visibility !== "hidden";
  }
}

function priorityOf(entry: Readonly<Record<string, unknown>>): number {
  return typeof entry.priority === "number" ? entry.priority : Number.MAX_SAFE_INTEGER;
}
