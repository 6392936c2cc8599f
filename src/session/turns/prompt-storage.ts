import type { SessionId } from "#conversation";
import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";
import type { Store } from "#store";
import type { PromptStorage } from "../services/session-agent.ts";

const recordKey = "prompt_record";

/**
 * The frozen prompt of a session: its text where older programs look for it, and what is needed to rebuild
 * single layers beside it, in the column that a compressed part and a branch inherit.
 */
export function promptStorage(
  store: Store,
  session: { id(): SessionId; ensureRow(): Promise<void>; onText(text: string): void },
): PromptStorage {
  return {
    async load() {
      const record = await store.sessions.get(session.id());
      if (record?.systemPrompt === undefined || record.systemPrompt === "") return undefined;
      session.onText(record.systemPrompt);
      const kept = isRecord(record.modelConfig) ? record.modelConfig[recordKey] : undefined;
      return { text: record.systemPrompt, ...defined({ record: kept }) };
    },
    async save(text, record) {
      await session.ensureRow();
      const id = session.id();
      const known = (await store.sessions.get(id))?.modelConfig;
      const fingerprint = isRecord(record) && typeof record["fingerprint"] === "string" ? record["fingerprint"] : "";
      await store.sessions.update(id, {
        systemPrompt: text,
        modelConfig: { ...(isRecord(known) ? known : {}), [recordKey]: record },
        ...(fingerprint === "" ? {} : { promptFingerprint: fingerprint }),
      });
      session.onText(text);
    },
  };
}
