import { type Message, type SessionId, wordsOf } from "#conversation";
import { ensureDir, readTextFile, safeJoin, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson, toJsonText } from "#foundation/text/json";

export interface SessionLogFacts {
  readonly sessionId: SessionId;
  readonly model: string;
  readonly baseUrl: string;
  readonly platform: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly systemPrompt: string;
  readonly tools: readonly unknown[];
  readonly messages: readonly Message[];
}

const maxBytes = 256 * 1_048_576;

/**
 * A readable copy of a session beside the database. Replaced as a whole or not at all, and never by a
 * copy with fewer messages: an undo or a damaged read must not shorten what was kept. False when kept.
 */
export async function writeSessionLog(folder: string, facts: SessionLogFacts): Promise<boolean> {
  const path = safeJoin(folder, `session_${facts.sessionId}.json`);
  if ((await storedCount(path)) > facts.messages.length) return false;
  await ensureDir(folder, 0o700);
  const body = {
    session_id: facts.sessionId,
    model: facts.model,
    base_url: facts.baseUrl,
    platform: facts.platform,
    session_start: new Date(facts.startedAtMs).toISOString(),
    last_updated: new Date(facts.nowMs).toISOString(),
    system_prompt: facts.systemPrompt,
    tools: facts.tools,
    message_count: facts.messages.length,
    messages: facts.messages.map(withoutInternals),
  };
  await writeFileAtomic(path, `${toJsonText(body, { indent: 2 })}\n`, { mode: 0o600, fsync: false });
  return true;
}

async function storedCount(path: string): Promise<number> {
  const text = await readTextFile(path, { maxBytes });
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed?.ok !== true || !isRecord(parsed.value)) return 0;
  const count = parsed.value["message_count"];
  return typeof count === "number" && Number.isFinite(count) ? count : 0;
}

function withoutInternals(message: Message): Record<string, unknown> {
  return Object.fromEntries(Object.entries(wordsOf(message)).filter(([name]) => !name.startsWith("_")));
}
