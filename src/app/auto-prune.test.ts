import { expect, it } from "vitest";
import { type SessionId, userMessage } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { openHermes } from "./hermes.ts";
import { temporaryStage } from "./testing.ts";

const mostLooks = 500;
const dayMs = 86_400_000;
const id = (name: string) => name as SessionId;

/** What is left of an old ended, an old idle, an old one in use, a chat's and a fresh ended session after Hermes was opened once. */
async function leftAfterStart(config: string): Promise<readonly string[]> {
  await using stage = await temporaryStage({ "config.yaml": config });
  const path = `${stage.home}/state.db`;
  const nowMs = Date.now();
  {
    await using store = await openStore({ path }, { clock: systemClock, log: silentLogger });
    for (const [name, days] of [
      ["old", 40],
      ["idle", 40],
      ["open", 40],
      ["chat", 40],
      ["fresh", 2],
    ] as const)
      await store.sessions.create({ id: id(name), source: "cli", startedAtMs: nowMs - days * dayMs });
    for (const name of ["old", "chat", "fresh"]) await store.sessions.end(id(name), "user_exit");
    await store.messages.append(id("open"), [userMessage("Still here.")]);
    const times = { createdAtMs: nowMs - 40 * dayMs, updatedAtMs: nowMs - 40 * dayMs };
    const route = { platform: "telegram", chatType: "dm", chatId: "7", sessionKey: "k", details: {} };
    await store.routes.put({ ...route, ...times, sessionId: id("chat") });
  }
  {
    const options = { cwd: stage.folder, version: "test", onNotice: () => undefined };
    await using hermes = await openHermes({ env: stage.env, ...options });
    // Nobody waits for it, so it is looked for a bounded number of times.
    for (let looks = 0; looks < mostLooks && (await hermes.store.sessions.list({ limit: 10 })).length > 3; looks += 1);
  }
  await using store = await openStore({ path }, { clock: systemClock, log: silentLogger });
  const left = await store.sessions.list({ limit: 10 });
  return left.map((session) => session.id).sort();
}

it("old sessions that ended or lie idle are removed at a start where the settings say so; one that a chat is in stays [20:R11.16] [40:SES-17]", async () => {
  const wanted = "sessions:\n  auto_prune: true\n  retention_days: 30\n";
  expect(await leftAfterStart(wanted)).toEqual(["chat", "fresh", "open"]);
});

it("and stay where they do not [20:R11.16]", async () => {
  expect(await leftAfterStart("sessions:\n  retention_days: 30\n")).toEqual(["chat", "fresh", "idle", "old", "open"]);
});
