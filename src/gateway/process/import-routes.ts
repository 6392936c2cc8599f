import { rename } from "node:fs/promises";
import path from "node:path";
import type { SessionId } from "#conversation";
import { describe } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { isRecord, parseJson } from "#foundation/text/json";
import { nonEmpty } from "#foundation/text/text";
import type { Clock } from "#foundation/time/clock";
import type { Route, Store } from "#store";

export interface ImportRoutesDeps {
  readonly home: HermesHome;
  readonly store: Pick<Store, "routes" | "sessions">;
  readonly clock: Clock;
  readonly logger: Logger;
}

const maxBytes = 64 * 1024 * 1024;

/**
 * Takes over, once, which chat was in which session before Hermes kept that in its store: `sessions/sessions.json` of an
 * earlier version. A file that cannot be read is kept aside; the sessions themselves are in the store, and can be resumed.
 */
export async function importRoutes({ home, store, clock, logger }: ImportRoutesDeps): Promise<void> {
  const file = home.at("sessions", "sessions.json");
  const text = await readTextFile(file, { maxBytes }).catch((error: unknown) => {
    logger.warn("the chats of an earlier version cannot be read", { file, error: describe(error) });
    return undefined;
  });
  if (text === undefined) return;
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) {
    const aside = `${file}.corrupt-${clock.now()}`;
    await rename(file, aside);
    logger.warn("the chats of an earlier version cannot be read; they begin anew", { file: path.basename(aside) });
    return;
  }
  let count = 0;
  for (const [key, entry] of Object.entries(parsed.value)) {
    const route = isRecord(entry) ? routeOf(key, entry, clock.now()) : undefined;
    if (route === undefined || (await store.routes.get(route.sessionKey)) !== undefined) continue;
    // What was set aside then begins anew, and what is in no store cannot be gone on with.
    if (isSuspended(entry) || (await store.sessions.get(route.sessionId)) === undefined) continue;
    await store.routes.put(route);
    count += 1;
  }
  await rename(file, `${file}.imported`);
  logger.info("chats of an earlier version go on in their sessions", { count });
}

function routeOf(key: string, entry: Readonly<Record<string, unknown>>, nowMs: number): Route | undefined {
  const origin = isRecord(entry["origin"]) ? entry["origin"] : {};
  const id = nonEmpty(entry["session_id"]);
  const platform = nonEmpty(entry["platform"]) ?? nonEmpty(origin["platform"]);
  if (id === undefined || platform === undefined) return undefined;
  const text = (name: string): string | undefined => idText(origin[name]);
  const updatedAtMs = timeOf(entry["updated_at"]) ?? nowMs;
  const chatId = text("chat_id");
  return {
    sessionKey: nonEmpty(entry["session_key"]) ?? key,
    sessionId: id as SessionId,
    platform,
    chatType: nonEmpty(entry["chat_type"]) ?? text("chat_type") ?? "dm",
    chatId,
    threadId: text("thread_id"),
    userId: text("user_id"),
    createdAtMs: timeOf(entry["created_at"]) ?? updatedAtMs,
    updatedAtMs,
    details: { name: nonEmpty(entry["display_name"]) ?? text("chat_name") ?? text("user_name") ?? chatId ?? key },
  };
}

function isSuspended(entry: unknown): boolean {
  return isRecord(entry) && entry["suspended"] === true;
}

function idText(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : nonEmpty(value);
}

/** ISO text as the predecessor wrote it, or seconds. */
function timeOf(value: unknown): number | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return value * 1000;
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
