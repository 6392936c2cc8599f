import { isRecord } from "#foundation/text/json";
import type { CredentialHandle } from "../../credential-handle.ts";
import { fetchJson, type JsonAnswer } from "./fetch-json.ts";
import type { ListedModel } from "./model-entry.ts";
import type { ModelList } from "./models-list.ts";

export interface BedrockListQuery {
  /** Where the region's models run, or an address of the person's own. */
  readonly baseUrl: string;
  readonly credential: CredentialHandle;
  /** Only models of these makers; empty allows all. */
  readonly makers?: readonly string[];
}

/**
 * What an account may use: the inference profiles, then the foundation models that answer on demand. One of
 * the two questions failing, for lack of a right to ask it, leaves the answer of the other.
 */
export async function fetchBedrockModels(asked: BedrockListQuery, signal: AbortSignal): Promise<ModelList> {
  // Amazon lists the models of a region at another host than it runs them.
  const root = asked.baseUrl.replace("//bedrock-runtime.", "//bedrock.").replace(/\/+$/, "");
  const question = { credential: asked.credential, timeoutMs: 10_000, maxBytes: 5_000_000 };
  const [profiles, models] = await Promise.all([
    fetchJson(new URL(`${root}/inference-profiles?maxResults=1000`), question, signal),
    fetchJson(new URL(`${root}/foundation-models`), question, signal),
  ]);
  if (profiles.kind === "failure" && models.kind === "failure") return models;
  const ids = [...profileIds(profiles), ...modelIds(models)].filter((id) => isOfMaker(id, asked.makers ?? []));
  return { kind: "models", models: [...new Set(ids)].map((id): ListedModel => ({ id })) };
}

function profileIds(answer: JsonAnswer): readonly string[] {
  return records(answer, "inferenceProfileSummaries")
    .filter((entry) => entry.status === "ACTIVE")
    .flatMap((entry) => (typeof entry.inferenceProfileId === "string" ? [entry.inferenceProfileId] : []));
}

function modelIds(answer: JsonAnswer): readonly string[] {
  return records(answer, "modelSummaries")
    .filter((entry) => lists(entry.outputModalities, "TEXT") && lists(entry.inferenceTypesSupported, "ON_DEMAND"))
    .flatMap((entry) => (typeof entry.modelId === "string" ? [entry.modelId] : []));
}

function records(answer: JsonAnswer, key: string): readonly Record<string, unknown>[] {
  if (answer.kind === "failure" || !isRecord(answer.value)) return [];
  const list = answer.value[key];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function lists(value: unknown, wanted: string): boolean {
  return Array.isArray(value) && value.includes(wanted);
}

/** `us.anthropic.claude-…` and `anthropic.claude-…` are both Anthropic's. */
function isOfMaker(id: string, makers: readonly string[]): boolean {
  const parts = id.split(".");
  return makers.length === 0 || makers.some((maker) => parts.slice(0, 2).includes(maker.toLowerCase()));
}
