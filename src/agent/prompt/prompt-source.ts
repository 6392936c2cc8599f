import { defined } from "#foundation/defined";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { PromptSource } from "../ports.ts";
import type { PromptInputs } from "./inputs.ts";
import { promptForSession, toStored } from "./stored-prompt.ts";
import { type BuiltPrompt, cutLayers, rebuildChanged } from "./system-prompt.ts";

export interface PromptSourceDeps {
  /** A session with a history goes on with the prompt it has, whatever changed on disk since. */
  readonly hasHistory: boolean;
  load(): Promise<{ readonly text: string; readonly record?: unknown } | undefined>;
  save(text: string, record: unknown): Promise<void>;
  /** Reads everything a prompt is made from, now. */
  gather(): Promise<PromptInputs>;
}

/** The frozen prompt of a session: built once, stored, read back, and rebuilt layer by layer when asked to. */
export function createPromptSource(deps: PromptSourceDeps): PromptSource {
  const changes = new Mutex();
  let current: BuiltPrompt | undefined;

  const keep = async (prompt: BuiltPrompt): Promise<BuiltPrompt> => {
    const { text, record } = toStored(prompt);
    await deps.save(text, record);
    current = prompt;
    return prompt;
  };
  const open = (): Promise<BuiltPrompt> =>
    changes.run(async () => {
      if (current !== undefined) return current;
      const stored = deps.hasHistory ? await deps.load() : undefined;
      const session = { hasHistory: deps.hasHistory, ...defined({ stored }) };
      const { prompt, isReused } = await promptForSession(session, () => deps.gather());
      current = prompt;
      return isReused ? prompt : keep(prompt);
    });
  const renew = async (inputs: () => Promise<PromptInputs>) => {
    const before = await open();
    return changes.run(async () => {
      const { prompt, changed } = rebuildChanged(before, await inputs());
      if (changed.length > 0) await keep(prompt);
      return { text: prompt.text, changedLayers: changed };
    });
  };

  return {
    text: async () => (current ?? (await open())).text,
    layers: async () => {
      const prompt = current ?? (await open());
      const pieces = cutLayers(prompt);
      return pieces === undefined ? [{ name: "system prompt", text: prompt.text }] : [...pieces.values()];
    },
    refresh: () => renew(() => deps.gather()),
    async rebuild({ model, provider }) {
      await renew(async () => ({ ...(await deps.gather()), model, provider }));
    },
  };
}
