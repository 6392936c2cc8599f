import { isRecord } from "#foundation/text/json";
import type { PromptInputs } from "./inputs.ts";
import { layers } from "./layers.ts";
import { type BuiltLayer, type BuiltPrompt, buildPrompt } from "./system-prompt.ts";

/**
 * What a session keeps of its prompt: the text (in `sessions.system_prompt`, where older programs look for
 * it) and a record beside it with which single layers can be rebuilt after a resume.
 */
export interface StoredPrompt {
  readonly text: string;
  /** Plain JSON; undefined for a session that an older program wrote. */
  readonly record?: PromptRecord;
}

interface PromptRecord extends Omit<BuiltPrompt, "text"> {
  readonly version: 1;
}

export function toStored(prompt: BuiltPrompt): StoredPrompt {
  const { text, ...rest } = prompt;
  return { text, record: { version: 1, ...rest } };
}

/**
 * The prompt of a session that goes on. `record` is what came back from storage; one that cannot be read
 * is as good as none: the text is reused all the same, and only a later rebuild starts from nothing.
 */
export function fromStored(text: string, record: unknown): BuiltPrompt {
  if (isPromptRecord(record)) {
    const { version: _version, ...rest } = record;
    return { text, ...rest };
  }
  return { text, layers: [], fingerprint: "", session: { startedLine: "" } };
}

export interface PromptForSession {
  readonly prompt: BuiltPrompt;
  readonly isReused: boolean;
}

/**
 * A session with a history and a stored prompt speaks with that prompt, whatever changed on disk since;
 * any other session gets one built now. The inputs are gathered only when they are needed.
 */
export async function promptForSession(
  session: { readonly hasHistory: boolean; readonly stored?: { readonly text: string; readonly record?: unknown } },
  gather: () => Promise<PromptInputs>,
): Promise<PromptForSession> {
  const { stored } = session;
  if (session.hasHistory && stored !== undefined && stored.text !== "") {
    return { prompt: fromStored(stored.text, stored.record), isReused: true };
  }
  return { prompt: buildPrompt(await gather()), isReused: false };
}

function isPromptRecord(value: unknown): value is PromptRecord {
  if (!isRecord(value) || value.version !== 1 || typeof value.fingerprint !== "string") return false;
  const { session, layers } = value;
  if (!isRecord(session) || typeof session.startedLine !== "string") return false;
  if (session.idLine !== undefined && typeof session.idLine !== "string") return false;
  return Array.isArray(layers) && layers.every(isBuiltLayer);
}

const knownNames: ReadonlySet<unknown> = new Set(layers.map(({ name }) => name));

function isBuiltLayer(value: unknown): value is BuiltLayer {
  return (
    isRecord(value) &&
    knownNames.has(value.name) &&
    Number.isSafeInteger(value.length) &&
    typeof value.sha256 === "string" &&
    typeof value.inputsSha256 === "string"
  );
}
