import { defined } from "#foundation/defined";
import { httpRequest } from "#foundation/http/request";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { isRecord, parseJson } from "#foundation/text/json";
import { nonEmpty } from "#foundation/text/text";
import type { CredentialHandle } from "../../credential-handle.ts";
import { windowIn } from "../models/model-entry.ts";

export type LocalServerKind = "lm-studio" | "ollama" | "llama-cpp" | "vllm" | "sglang";

export interface LocalModel {
  readonly id: string;
  readonly contextWindow?: number;
  /** Ready to answer without loading first; undefined where the server does not say. */
  readonly isLoaded?: boolean;
}

/** A model server on this machine or in the private network. */
export interface LocalServer {
  readonly kind: LocalServerKind;
  readonly models: readonly LocalModel[];
  /** The window every model of the server has, where it is set for the server as a whole. */
  readonly contextWindow?: number;
}

export interface DetectedServer {
  readonly server: LocalServer;
  readonly contextWindow?: number;
}

export interface LocalServerFacts {
  readonly label: string;
  readonly port: number;
}

export const localServerFacts: Readonly<Record<LocalServerKind, LocalServerFacts>> = {
  "lm-studio": {
    label: "LM Studio",
    port: 1234,
  },
  ollama: {
    label: "Ollama",
    port: 11434,
  },
  "llama-cpp": {
    label: "llama.cpp",
    port: 8080,
  },
  vllm: {
    label: "vLLM",
    port: 8000,
  },
  sglang: {
    label: "SGLang",
    port: 30000,
  },
};

/** Detection may not hold anybody up for longer. */
const detectionTimeoutMs = 2_000;
const maxProbeBytes = 5_000_000;

export interface ProbeOptions {
  /** Sent along where the endpoint has a key of its own; it refuses other hosts by itself. */
  readonly credential?: CredentialHandle;
  readonly timeoutMs?: number;
  /** Somebody answered, whatever they said. */
  onAnswer?(): void;
}

/** Which model server answers at this address, with its models; undefined when none of them does. */
export async function detectLocalServer(
  baseUrl: string,
  options: ProbeOptions,
  signal: AbortSignal,
): Promise<LocalServer | undefined> {
  using limit = deadline(options.timeoutMs ?? detectionTimeoutMs);
  const ask = asker(baseUrl, options, linkSignals(signal, limit.signal));
  for (const detect of [detectLmStudio, detectOllama, detectLlamaCpp, detectVllm]) {
    const found = await detect(ask);
    if (found !== undefined) return found;
    signal.throwIfAborted();
    if (limit.signal.aborted) return undefined;
  }
  if (new URL(baseUrl).port !== String(localServerFacts.sglang.port)) return undefined;
  const models = await listedModels(ask);
  return models.length === 0 ? undefined : { kind: "sglang", models };
}

/** The real window of one model at the server: Ollama keeps it per model and tells only when asked. */
export async function localContextWindow(
  server: LocalServer,
  where: ProbeOptions & { readonly baseUrl: string; readonly model: string },
  signal: AbortSignal,
): Promise<number | undefined> {
  if (server.kind === "ollama") {
    using limit = deadline(where.timeoutMs ?? detectionTimeoutMs);
    return ollamaWindow(asker(where.baseUrl, where, linkSignals(signal, limit.signal)), where.model);
  }
  const listed = server.models.find((model) => model.id === where.model);
  return server.contextWindow ?? listed?.contextWindow ?? onlyOne(server.models)?.contextWindow;
}

/** The model to use when none was named: the only one loaded, or the only one there is. */
export function onlyModel(models: readonly LocalModel[]): string | undefined {
  const loaded = models.filter((model) => model.isLoaded === true);
  return (onlyOne(loaded) ?? onlyOne(models))?.id;
}

function onlyOne<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
}

export interface FoundServer extends LocalServer {
  readonly baseUrl: string;
}

/** The servers that run on this machine: at their usual ports, and where Ollama's own variable says. */
export async function findLocalServers(
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<readonly FoundServer[]> {
  const ports = [ollamaPort(env.OLLAMA_HOST), ...Object.values(localServerFacts).map((facts) => facts.port)];
  const found = await Promise.all(
    [...new Set(ports)].map(async (port) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const server = port === undefined ? undefined : await detectLocalServer(baseUrl, {}, signal);
      return server === undefined ? [] : [{ ...server, baseUrl }];
    }),
  );
  return found.flat();
}

/** `127.0.0.1:11500`, `0.0.0.0` or an address with a scheme; only its port counts. */
function ollamaPort(host: string | undefined): number | undefined {
  const port = /:(\d{1,5})\/?$/.exec(host?.trim() ?? "")?.[1];
  return port === undefined ? undefined : Number(port);
}

type Ask = (path: string, body?: unknown) => Promise<unknown>;

/** Asks paths relative to the server's root; anything but a JSON answer with status 200 is undefined. */
function asker(baseUrl: string, options: ProbeOptions, signal: AbortSignal): Ask {
  const root = baseUrl.replace(/\/+$/, "").replace(/\/(?:api\/)?v1$/, "");
  return async (path, body) => {
    if (!URL.canParse(root + path) || signal.aborted) return undefined;
    const url = new URL(root + path);
    const text = body === undefined ? "" : JSON.stringify(body);
    const method = body === undefined ? "GET" : "POST";
    const headers = {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const authorized = (await options.credential?.authorize({ method, url, headers, body: text }, signal)) ?? {};
    const response = await httpRequest(url, {
      method,
      headers: { ...headers, ...authorized },
      ...(body === undefined ? {} : { body: text }),
      signal,
      timeoutMs: options.timeoutMs ?? detectionTimeoutMs,
      maxBodyBytes: maxProbeBytes,
    });
    if (response.kind === "failure") return undefined;
    options.onAnswer?.();
    if (response.status !== 200) {
      await response.discard();
      return undefined;
    }
    const answer = await response.text();
    const parsed = answer.kind === "text" ? parseJson(answer.text) : undefined;
    return parsed?.ok === true ? parsed.value : undefined;
  };
}

async function detectLmStudio(ask: Ask): Promise<LocalServer | undefined> {
  const entries = recordsIn(await ask("/api/v1/models"), "models");
  if (entries === undefined) return undefined;
  return {
    kind: "lm-studio",
    models: entries.flatMap((entry) => {
      const id = nonEmpty(entry.key) ?? nonEmpty(entry.id);
      if (id === undefined) return [];
      const instances = Array.isArray(entry.loaded_instances) ? entry.loaded_instances.filter(isRecord) : [];
      const config = instances.map((instance) => instance.config).find(isRecord);
      const window = (config === undefined ? undefined : windowIn(config)) ?? windowIn(entry);
      return [{ id, isLoaded: instances.length > 0, ...defined({ contextWindow: window }) }];
    }),
  };
}

async function detectOllama(ask: Ask): Promise<LocalServer | undefined> {
  const entries = recordsIn(await ask("/api/tags"), "models");
  if (entries === undefined) return undefined;
  const ids = entries.map((entry) => nonEmpty(entry.model) ?? nonEmpty(entry.name)).filter((id) => id !== undefined);
  return { kind: "ollama", models: ids.map((id) => ({ id })) };
}

/** A window set for the model or the session wins over what the model could do at most. */
async function ollamaWindow(ask: Ask, model: string): Promise<number | undefined> {
  const shown = await ask("/api/show", { model });
  if (!isRecord(shown)) return undefined;
  const set = /^\s*num_ctx\s+(\d+)/m.exec(nonEmpty(shown.parameters) ?? "")?.[1];
  if (set !== undefined) return Number(set);
  if (!isRecord(shown.model_info)) return undefined;
  const key = Object.keys(shown.model_info).find((name) => name.endsWith("context_length"));
  const most = key === undefined ? undefined : shown.model_info[key];
  return typeof most === "number" && most > 0 ? most : undefined;
}

async function detectLlamaCpp(ask: Ask): Promise<LocalServer | undefined> {
  for (const path of ["/v1/props", "/props"]) {
    const props = await ask(path);
    if (!isRecord(props) || !isRecord(props.default_generation_settings)) continue;
    const window = props.default_generation_settings.n_ctx;
    return {
      kind: "llama-cpp",
      models: await listedModels(ask),
      ...(typeof window === "number" && window > 0 ? { contextWindow: window } : {}),
    };
  }
  return undefined;
}

async function detectVllm(ask: Ask): Promise<LocalServer | undefined> {
  const answer = await ask("/version");
  if (!isRecord(answer) || typeof answer.version !== "string") return undefined;
  return { kind: "vllm", models: await listedModels(ask) };
}

async function listedModels(ask: Ask): Promise<readonly LocalModel[]> {
  const entries = recordsIn(await ask("/v1/models"), "data") ?? [];
  return entries.flatMap((entry) => {
    const id = nonEmpty(entry.id);
    const window = windowIn(entry);
    return id === undefined ? [] : [{ id, ...defined({ contextWindow: window }) }];
  });
}

function recordsIn(value: unknown, key: string): readonly Record<string, unknown>[] | undefined {
  return isRecord(value) && Array.isArray(value[key]) ? value[key].filter(isRecord) : undefined;
}
