import type { ChatDialect } from "./render/wire-reply.ts";
import type { WireObject } from "./wire-object.ts";

export interface ModelEntry {
  readonly id: string;
  readonly displayName?: string;
  readonly contextLength?: number;
  readonly maxOutputTokens?: number;
  /** Merged into the entry of `/v1/models`: prices, capability lists, other names for the window. */
  readonly extra?: WireObject;
}

/** A local runtime is one of these; each answers on paths of its own, the others' paths are 404. */
export type LocalServer =
  | { readonly kind: "ollama"; readonly numCtx?: number }
  /** `loadedContextLength` is the window of the loaded instance, below the model's maximum. */
  | { readonly kind: "lm-studio"; readonly loadedContextLength?: number }
  | { readonly kind: "llama-cpp"; readonly contextSize: number }
  | { readonly kind: "vllm"; readonly version?: string };

export interface ModelsCatalog {
  readonly models: readonly ModelEntry[];
  readonly dialect: ChatDialect;
  readonly local?: LocalServer;
}

export interface Probe {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: WireObject;
}

/** The JSON for a question that is no model call; undefined when nobody here answers it (404). */
export function answerProbe(probe: Probe, catalog: ModelsCatalog): unknown {
  return modelsAnswer(probe, catalog) ?? localAnswer(probe, catalog);
}

/** OpenRouter's base `/api/v1` is LM Studio's native path too; only the OpenRouter dialect lists models there. */
function modelsAnswer(probe: Probe, catalog: ModelsCatalog): unknown {
  const match = /^(.*)\/v1\/models(?:\/(.+))?$/.exec(probe.path);
  if (match === null || probe.method !== "GET") return undefined;
  if (match[1] === "/api" && catalog.dialect !== "openrouter") return undefined;
  const isAnthropic = "anthropic-version" in probe.headers;
  const entries = catalog.models.map((model) => (isAnthropic ? anthropicEntry(model) : openaiEntry(model, catalog)));
  const id = match[2];
  if (id !== undefined) return entries.find((entry) => entry.id === decodeURIComponent(id));
  if (!isAnthropic) return { object: "list", data: entries };
  return {
    data: entries,
    has_more: false,
    first_id: entries[0]?.id ?? null,
    last_id: entries.at(-1)?.id ?? null,
  };
}

function openaiEntry(model: ModelEntry, catalog: ModelsCatalog): WireObject {
  if (catalog.dialect === "openrouter")
    return {
      id: model.id,
      name: model.displayName ?? model.id,
      created: 1_700_000_000,
      context_length: model.contextLength ?? null,
      top_provider: {
        context_length: model.contextLength ?? null,
        max_completion_tokens: model.maxOutputTokens ?? null,
        is_moderated: false,
      },
      pricing: { prompt: "0", completion: "0" },
      ...model.extra,
    };
  const isVllm = catalog.local?.kind === "vllm" && model.contextLength !== undefined;
  return {
    id: model.id,
    object: "model",
    created: 1_700_000_000,
    owned_by: catalog.local?.kind ?? "fake",
    ...(isVllm ? { max_model_len: model.contextLength } : {}),
    ...model.extra,
  };
}

function anthropicEntry(model: ModelEntry): WireObject {
  return {
    type: "model",
    id: model.id,
    display_name: model.displayName ?? model.id,
    created_at: "2025-01-01T00:00:00Z",
    ...(model.contextLength === undefined ? {} : { max_input_tokens: model.contextLength }),
    ...(model.maxOutputTokens === undefined ? {} : { max_tokens: model.maxOutputTokens }),
    ...model.extra,
  };
}

function localAnswer(probe: Probe, catalog: ModelsCatalog): unknown {
  const { local } = catalog;
  const question = `${probe.method} ${probe.path}`;
  switch (local?.kind) {
    case undefined:
      return undefined;
    case "ollama":
      return ollamaAnswer(question, probe, { models: catalog.models, numCtx: local.numCtx });
    case "lm-studio":
      return lmStudioAnswer(question, catalog.models, local.loadedContextLength);
    case "llama-cpp":
      if (question === "GET /health") return { status: "ok" };
      if (question !== "GET /props" && question !== "GET /v1/props") return undefined;
      return {
        default_generation_settings: { n_ctx: local.contextSize },
        total_slots: 1,
        model_path: catalog.models[0]?.id ?? "",
      };
    case "vllm":
      return question === "GET /version" ? { version: local.version ?? "0.11.0" } : undefined;
  }
}

interface OllamaState {
  readonly models: readonly ModelEntry[];
  readonly numCtx: number | undefined;
}

function ollamaAnswer(question: string, probe: Probe, { models, numCtx }: OllamaState): unknown {
  if (question === "GET /api/version") return { version: "0.12.0" };
  if (question === "GET /api/tags")
    return {
      models: models.map(({ id }) => ({
        name: id,
        model: id,
        modified_at: "2025-01-01T00:00:00Z",
        size: 1_000_000,
        digest: "0".repeat(64),
        details: { format: "gguf", family: "fake", parameter_size: "7B", quantization_level: "Q4_K_M" },
      })),
    };
  const wanted = probe.body.model ?? probe.body.name;
  const model = models.find(({ id }) => id === wanted);
  if (question !== "POST /api/show" || model === undefined) return undefined;
  return {
    parameters: numCtx === undefined ? "" : `num_ctx                        ${numCtx}`,
    template: "{{ .Prompt }}",
    details: { format: "gguf", family: "fake" },
    model_info: {
      "general.architecture": "fake",
      ...(model.contextLength === undefined ? {} : { "fake.context_length": model.contextLength }),
    },
    capabilities: ["completion", "tools"],
  };
}

function lmStudioAnswer(question: string, models: readonly ModelEntry[], loaded: number | undefined): unknown {
  if (question === "GET /api/v0/models")
    return {
      object: "list",
      data: models.map((model) => ({
        id: model.id,
        object: "model",
        type: "llm",
        state: loaded === undefined ? "not-loaded" : "loaded",
        max_context_length: model.contextLength ?? null,
        ...(loaded === undefined ? {} : { loaded_context_length: loaded }),
      })),
    };
  if (question === "GET /api/v1/models")
    return {
      models: models.map((model) => ({
        type: "llm",
        key: model.id,
        display_name: model.displayName ?? model.id,
        max_context_length: model.contextLength ?? null,
        loaded_instances: loaded === undefined ? [] : [{ id: model.id, config: { context_length: loaded } }],
      })),
    };
  return undefined;
}
