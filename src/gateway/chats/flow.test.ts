import { afterEach, describe, expect, it } from "vitest";
import { defaultConfig } from "#config";
import { resetDue } from "#session";
import { says, slow } from "../../../test/fakes/model-server/index.ts";
import type { ChatType } from "../platform/inbound.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";
import { sessionContext } from "./context/session-context.ts";
import { expireChats } from "./expiry.ts";
import { resetPolicyOf } from "./reset-policy.ts";

afterEach(closeGateways);

const key = "agent:main:fake:dm:1";
/** A moment of May 2026 on the clock of this machine. */
const local = (day: number, hour: number, minute: number): number => new Date(2026, 4, day, hour, minute).getTime();

describe("messages while a turn runs", () => {
  it("wait in queue mode and are one turn then, every word in order [40:A-FLW-5] [40:A-FLW-6] [40:FLW-23]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway({ busyMode: "queue" });
    server.script(slow(says("To A.")), says("To the rest."));
    start();
    await intake.admit(message("A"));
    await server.received(1);
    for (const text of ["B", "C", "D"]) await intake.admit(message(text));
    server.release(1_000);
    await heard(2);
    expect(texts()).toEqual(["To A.", "To the rest."]);
    expect(JSON.stringify(server.requests[1])).toContain("B\\nC\\nD");
  });

  it("that are commands are heard at once; /stop ends the turn and its answer [40:A-FLW-8] [40:FLW-16]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway({ busyMode: "queue" });
    server.script(slow(says("Never.")), says("Again."));
    start();
    await intake.admit(message("A"));
    await server.received(1);
    await intake.admit(message("/stop"));
    await heard(1);
    expect(texts()[0]).toContain("stopped");
    await intake.admit(message("B"));
    await heard(2);
    expect(texts()[1]).toBe("Again.");
  });
});

describe("a text that was cut in pieces", () => {
  it("is one turn, joined in order [40:FLW-30] [40:FLW-32] [40:A-FLW-11]", async () => {
    const { intake, message, server, start, heard, store } = await gateway();
    server.script(says("Read all."));
    start();
    await intake.admit(message("x".repeat(195)));
    await intake.admit(message("y".repeat(195)));
    await intake.admit(message("the end"));
    expect(await store.inbox.pending(key)).toEqual([]);
    await heard(1);
    expect(server.requests.length).toBe(1);
    expect(JSON.stringify(server.requests[0])).toMatch(/x{195}\\ny{195}\\nthe end/u);
  });
});

describe("in a group that shares one session", () => {
  it("each message says who wrote it [40:FLW-8]", async () => {
    const { intake, message, server, start, heard } = await gateway({ groupPerUser: false });
    server.script(says("Hi all."));
    start();
    await intake.admit(message("hello", { chatId: "g", chatType: "group" }));
    await heard(1);
    expect(JSON.stringify(server.requests[0])).toContain("[Ann] hello");
  });
});

describe("what a session is told about its chat", () => {
  const source = { platform: "telegram", account: "b", chatId: "5", chatType: "dm", userId: "123456789" } as const;
  const message = { source, text: "", dedupKey: "", atMs: 0, attachments: [] };
  const options = { platformLabel: "Telegram", isShared: false, hidesIds: true, sendsFiles: true, surroundings: "" };

  it("holds no ids where they are hidden and not needed [40:FLW-33] [40:FLW-34] [40:A-FLW-12]", () => {
    expect(sessionContext(message, options)).toContain("user_15e2b0d3c338");
    expect(sessionContext(message, options)).not.toContain("123456789");
    const discord = { ...message, source: { ...source, platform: "discord" } };
    expect(sessionContext(discord, options)).toContain("123456789");
    expect(sessionContext(message, { ...options, isShared: true })).toContain("Several people share");
  });
});

describe("a conversation that rested", () => {
  it("is ended while nobody waits, once, and the chat hears of it with its next message [40:SES-9] [40:MNT-1] [40:A-HOK-5]", async () => {
    const { intake, message, server, start, heard, texts, store, fired } = await gateway({
      reset: { mode: "idle", idleMinutes: 60 },
    });
    server.script(says("First."), says("Second."));
    start();
    await intake.admit(message("one"));
    await heard(1);
    const policy = { mode: "idle", idleMinutes: 60, atHour: 4, timeZone: "" } as const;
    const expire = () => expireChats({ store, resetPolicy: () => policy, nowMs: Date.now() });
    await expire();
    expect((await store.inbox.counts()).done).toBe(1);
    const route = await store.routes.get(key);
    if (route === undefined) throw new Error("no route");
    await store.routes.put({ ...route, updatedAtMs: Date.now() - 61 * 60_000 });
    await expire();
    await expire();
    const ends = () => fired.filter(({ event }) => event === "session:end");
    await expect.poll(ends, { timeout: 15_000 }).toMatchObject([{ reason: "expired", session_id: route.sessionId }]);
    await expect.poll(() => store.sessions.get(route.sessionId)).toMatchObject({ endReason: expect.any(String) });
    await expect
      .poll(async () => (await store.routes.get(key))?.details, { timeout: 15_000 })
      .toMatchObject({ expired: true });
    await expire();
    expect(texts()).toEqual(["First."]);
    await intake.admit(message("two"));
    await heard(3);
    expect(texts()[1]).toContain(route.sessionId);
    expect(JSON.stringify(server.requests.at(-1))).toContain("fresh conversation");
    expect(JSON.stringify(server.requests.at(-1))).not.toContain("First.");
    expect(ends()).toHaveLength(1);
    expect((await store.routes.get(key))?.details["expired"]).toBeUndefined();
  });

  it("rests as its platform, then its kind of chat, then the settings say [40:SES-6] [40:A-SES-1] [40:A-SES-3] [40:A-SES-4]", async () => {
    const baseConfig = await defaultConfig();
    const config = {
      ...baseConfig,
      session_reset: { ...baseConfig.session_reset, mode: "both" as const, idle_minutes: 100_000, at_hour: 4 },
      reset_by_platform: { telegram: { mode: "none" as const } },
      reset_by_type: { group: { mode: "idle" as const, idle_minutes: 60 } },
    };
    const due = (platform: string, chatType: ChatType, [lastActiveMs, nowMs]: readonly [number, number]) =>
      resetDue(resetPolicyOf(config, { platform, chatType }), { lastActiveMs, nowMs });
    const [evening, before, after] = [local(19, 23, 0), local(20, 3, 59), local(20, 4, 1)];
    expect(due("slack", "dm", [evening, before])).toBeUndefined();
    expect(due("slack", "dm", [evening, after])).toBe("daily");
    expect(due("telegram", "dm", [evening, after])).toBeUndefined();
    expect(due("telegram", "dm", [evening, evening + 30 * 86_400_000])).toBeUndefined();
    expect(due("slack", "group", [evening, evening + 61 * 60_000])).toBe("idle");
    expect(due("slack", "group", [evening, evening + 59 * 60_000])).toBeUndefined();
  });

  it("of which only commands were said is not told of [40:A-SES-6]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway({ reset: { mode: "idle", idleMinutes: 0 } });
    server.script(says("Hello."));
    start();
    await intake.admit(message("/title"));
    await heard(1);
    await intake.admit(message("hi"));
    await heard(2);
    expect(texts()[1]).toBe("Hello.");
  });

  it("starts over: the chat and the model are told, and the old one can be resumed [40:SES-5] [40:SES-8] [40:A-SES-2]", async () => {
    const { intake, message, server, start, heard, texts, store } = await gateway({
      reset: { mode: "idle", idleMinutes: 60 },
    });
    server.script(says("First."), says("Second."));
    start();
    await intake.admit(message("one"));
    await heard(1);
    const route = await store.routes.get(key);
    if (route === undefined) throw new Error("no route");
    await store.routes.put({ ...route, updatedAtMs: Date.now() - 61 * 60_000 });
    await intake.admit(message("two"));
    await heard(3);
    expect(texts()[1]).toContain(route.sessionId);
    const asked = JSON.stringify(server.requests[1]);
    expect(asked).toContain("fresh conversation");
    expect(asked).not.toContain("First.");
    expect((await store.routes.get(key))?.sessionId).not.toBe(route.sessionId);
  });
});

describe("commands of the gateway", () => {
  it("let admins give out codes and choose the home channel; others may not [40:AUT-16] [40:AUT-18]", async () => {
    const { intake, message, start, heard, texts, homes, server } = await gateway();
    start();
    const bob = { ...message("").source, userId: "8", chatId: "2" };
    await intake.admit(message("/pair"));
    await heard(1);
    expect(texts()[0]).toMatch(/`[A-HJ-NP-Z2-9]{8}`/u);
    await intake.admit(message("/pair", { source: bob }));
    await heard(2);
    expect(texts()[1]).toContain("Only admins");
    await intake.admit(message("/sethome"));
    await heard(3);
    expect(homes).toEqual(["1"]);
    expect(server.requests.length).toBe(0);
  });
});

describe("hooks", () => {
  it("are told of turns and commands, in order [40:HOK-3] [40:A-HOK-1] [40:A-HOK-4]", async () => {
    const { intake, message, server, start, heard, fired } = await gateway();
    server.script(says("y".repeat(600)));
    start();
    await intake.admit(message("work"));
    await heard(4);
    await intake.admit(message("/new"));
    await heard(5);
    const events = fired.map(({ event }) => event);
    expect(events).toEqual([
      "session:start",
      "agent:start",
      "agent:step",
      "agent:end",
      "command:new",
      "session:end",
      "session:reset",
    ]);
    expect(fired[3]?.["response"]).toHaveLength(500);
  });
});

describe("a task in the background", () => {
  it("leaves the chat free and tells its result there [40:FLW-46] [40:A-FLW-14]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway();
    server.script(slow(says("The logs are fine.")));
    start();
    await intake.admit(message("/background look at the logs"));
    await heard(1);
    await server.received(1);
    await intake.admit(message("/title"));
    await heard(2);
    server.release(1_000);
    await heard(3);
    expect(texts()[2]).toContain("look at the logs");
    expect(texts()[2]).toContain("The logs are fine.");
  });
});

describe("when the program ends", () => {
  it("a turn that runs gets its time, the chat is told, and what comes meanwhile is answered at the next start [40:PRC-22] [40:PRC-26]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway({ drainMs: 10_000 });
    server.script(slow(says("Finished.")), says("Next."));
    const end = start();
    await intake.admit(message("work"));
    await server.received(1);
    const ended = end();
    await intake.admit(message("and this"));
    server.release(1_000);
    await ended;
    start();
    await heard(3);
    expect(texts()).toEqual([expect.stringContaining("restarting"), "Finished.", "Next."]);
  });
});
