import { describe, expect, it } from "vitest";
import { assistantMessage, userMessage } from "#conversation";
import { openSessionLease } from "#store";
import { type StoreSubject, session, useStore } from "./subject.ts";

/** Titles, export and import, and what is thrown away after a time. */
export function keepingContract(subject: StoreSubject): void {
  describe("pruning", () => {
    const fixture = useStore(subject);

    it("removes sessions that began before the cut-off as whole trees, keeps those in use and titled ones [10:STORE-24] [10:STORE-25] [10:A10.12] [20:A11.5]", async () => {
      const { store, clock } = fixture();
      for (const id of ["open", "old", "titled", "other"])
        await store.sessions.create({ id: session(id), source: id === "other" ? "telegram" : "cli" });
      await store.sessions.create({ id: session("child"), source: "subagent", parentSessionId: session("old") });
      await store.sessions.create({ id: session("used"), source: "cli" });
      await store.sessions.create({ id: session("part"), source: "cli", parentSessionId: session("used") });
      for (const id of ["old", "titled", "other", "used"]) await store.sessions.end(session(id), "user_exit");
      await store.sessions.setTitle(session("titled"), "keep me");
      await clock.advance(91 * 86_400_000);
      await store.sessions.create({ id: session("fresh"), source: "cli" });
      await store.sessions.end(session("fresh"), "user_exit");
      // A part of it is still talked in, so all of it stays; what was only put away goes by its last message.
      await store.messages.append(session("part"), [userMessage("still here")]);
      expect(await store.sessions.prune({ source: "cli" })).toBe(3);
      expect(await store.sessions.get(session("old"))).toBeUndefined();
      expect(await store.sessions.get(session("child"))).toBeUndefined();
      expect(await store.sessions.get(session("open"))).toBeUndefined();
      expect(await store.sessions.get(session("used"))).toBeDefined();
      expect((await store.sessions.get(session("part")))?.parentSessionId).toBe("used");
      expect(await store.sessions.prune({ includeTitled: true })).toBe(2);
      expect(await store.sessions.get(session("fresh"))).toBeDefined();
    });

    it("keeps a session that a chat is in, however old, with its whole tree [40:SES-17]", async () => {
      const { store, clock } = fixture();
      for (const id of ["earlier", "alone"]) await store.sessions.create({ id: session(id), source: "telegram" });
      await store.sessions.create({ id: session("now"), source: "telegram", parentSessionId: session("earlier") });
      const times = { createdAtMs: clock.now(), updatedAtMs: clock.now() };
      const chat = { sessionKey: "k", platform: "telegram", chatType: "dm", chatId: "1", details: {} };
      await store.routes.put({ ...chat, ...times, sessionId: session("now") });
      await clock.advance(91 * 86_400_000);
      expect(await store.sessions.prune()).toBe(1);
      expect(await store.sessions.get(session("earlier"))).toBeDefined();
      expect(await store.sessions.get(session("now"))).toBeDefined();
      await store.routes.remove("k");
      expect(await store.sessions.prune()).toBe(2);
    });

    it("keeps a session that is open in a window, however long nobody said anything [20:R11.13] [20:A11.5]", async () => {
      const { store, clock } = fixture();
      await store.sessions.create({ id: session("open"), source: "cli" });
      await clock.advance(91 * 86_400_000);
      const held = await store.leases.acquire(openSessionLease("open"), "window", 60_000);
      expect(await store.sessions.prune()).toBe(0);
      if (held.kind === "held") await store.leases.release(held.lease);
      expect(await store.sessions.prune()).toBe(1);
    });

    it("works through many sessions in small transactions [10:STORE-25]", async () => {
      const { store, clock } = fixture();
      await store.transaction(async (tx) => {
        for (let index = 0; index < 620; index += 1) {
          await tx.sessions.create({ id: session(`s${index}`), source: "cli" });
          await tx.sessions.end(session(`s${index}`), "user_exit");
        }
      });
      await store.messages.append(session("s1"), [userMessage("x")]);
      await clock.advance(100 * 86_400_000);
      expect(await store.sessions.prune()).toBe(620);
    });

    it("happens by itself at most once per interval and never throws [10:STORE-25] [20:R11.16]", async () => {
      const { store, clock } = fixture();
      const options = {
        retentionDays: 90,
        minIntervalHours: 24,
        compactAfter: true,
        signal: new AbortController().signal,
      };
      await store.sessions.create({ id: session("old"), source: "cli" });
      await store.sessions.end(session("old"), "user_exit");
      await clock.advance(100 * 86_400_000);
      expect(await store.maintenance.autoPrune(options)).toBe(1);
      expect(await store.maintenance.autoPrune(options)).toBeUndefined();
      await clock.advance(25 * 3_600_000);
      expect(await store.maintenance.autoPrune({ ...options, signal: AbortSignal.abort() })).toBeUndefined();
      // Whoever is stopped leaves the work to the next one.
      expect(await store.maintenance.autoPrune(options)).toBe(0);
      expect(await store.maintenance.autoPrune(options)).toBeUndefined();
    });

    it("refuses a period that is no number", async () => {
      await expect(fixture().store.sessions.prune({ olderThanDays: Number.NaN })).rejects.toThrow("NaN days");
    });
  });

  describe("export and import", () => {
    const fixture = useStore(subject);

    it("uses the names on disk, and an exported session can be taken in again [10:STORE-24] [20:R11.17]", async () => {
      const { store } = fixture();
      const call = { id: "c1", type: "function" as const, function: { name: "ls", arguments: "{}" } };
      const parts = [
        { type: "text" as const, text: "look" },
        { type: "image_url" as const, image_url: { url: "data:image/png;base64,AA" } },
      ];
      await store.messages.append(
        session("a"),
        [userMessage(parts, { uid: "u1" }), assistantMessage("ok", { uid: "u2", tool_calls: [call] })],
        { source: "cli" },
      );
      await store.sessions.setTitle(session("a"), "one");
      const exported = await store.sessions.export(session("a"));
      if (exported === undefined) throw new Error("nothing exported");
      expect(exported).toMatchObject({ id: "a", source: "cli", title: "one", message_count: 2, tool_call_count: 1 });
      expect(exported.messages[0]).toMatchObject({ role: "user", content: parts });
      expect(exported.messages[1]).toMatchObject({ tool_calls: [{ id: "c1" }], session_id: "a" });
      expect(await store.sessions.export(session("none"))).toBeUndefined();
      const line = JSON.parse(JSON.stringify(exported));
      expect(await store.sessions.import(line)).toMatchObject({ ids: [], duplicates: 2 });
      await store.sessions.delete(session("a"));
      expect((await store.sessions.import(line)).ids).toHaveLength(2);
      const back = await store.messages.conversation(session("a"));
      expect(back[0]).toMatchObject({ uid: "u1", content: parts });
      expect(await store.sessions.get(session("a"))).toMatchObject({ title: "one", messageCount: 2, toolCallCount: 1 });
    });

    it("refuses to take in what is not an exported session", async () => {
      const { store } = fixture();
      await expect(store.sessions.import({ id: "", source: "x", messages: [] })).rejects.toThrow(
        "not an exported session",
      );
    });

    it("goes through everything in batches, by source [10:STORE-6]", async () => {
      const { store } = fixture();
      await store.transaction(async (tx) => {
        for (let index = 0; index < 60; index += 1)
          await tx.messages.append(session(`s${String(index).padStart(2, "0")}`), [userMessage(`text ${index}`)], {
            source: index % 2 === 0 ? "cli" : "cron",
          });
      });
      const ids: string[] = [];
      for await (const entry of store.sessions.exportAll()) ids.push(entry.id);
      expect(ids).toHaveLength(60);
      expect(new Set(ids).size).toBe(60);
      const cron: string[] = [];
      for await (const entry of store.sessions.exportAll({ source: "cron" })) cron.push(entry.id);
      expect(cron).toHaveLength(30);
    });
  });

  describe("titles", () => {
    const fixture = useStore(subject);

    it("are unique, may be kept by their owner, and are cleared by an empty one [10:STORE-12] [20:A11.7]", async () => {
      const { sessions } = fixture().store;
      for (const id of ["a", "b"]) await sessions.create({ id: session(id), source: "cli" });
      expect(await sessions.setTitle(session("a"), "same")).toEqual({ kind: "set", title: "same" });
      expect(await sessions.setTitle(session("a"), "same")).toEqual({ kind: "set", title: "same" });
      expect(await sessions.setTitle(session("b"), "same")).toEqual({ kind: "taken", by: "a" });
      expect(await sessions.setTitle(session("a"), " ")).toEqual({ kind: "cleared" });
      expect(await sessions.setTitle(session("b"), "same")).toEqual({ kind: "set", title: "same" });
      expect(await sessions.setTitle(session("none"), "x")).toEqual({ kind: "no-session" });
    });

    it("are cleaned, and refused above 100 characters [10:STORE-13] [10:A10.6] [20:R11.15]", async () => {
      const { sessions } = fixture().store;
      await sessions.create({ id: session("a"), source: "cli" });
      expect(await sessions.setTitle(session("a"), "  a\u200b  b ")).toEqual({ kind: "set", title: "a b" });
      const dirty = "a\tb\r\nc\u0007\u202ed\ufffa";
      expect(await sessions.setTitle(session("a"), dirty)).toEqual({ kind: "set", title: "a b cd" });
      expect(await sessions.setTitle(session("a"), "😀".repeat(100))).toMatchObject({ kind: "set" });
      expect(await sessions.setTitle(session("a"), "x".repeat(101))).toEqual({ kind: "too-long", length: 101 });
    });

    it("count on within a lineage and resolve to the newest, wildcards taken literally [10:STORE-14] [10:A10.5]", async () => {
      const { store, clock } = fixture();
      const { sessions } = store;
      const titled = async (id: string, title: string): Promise<void> => {
        await sessions.create({ id: session(id), source: "cli" });
        await sessions.setTitle(session(id), title);
        await clock.advance(1000);
      };
      expect(await sessions.nextTitle("Fix Docker Build")).toBe("Fix Docker Build");
      await titled("a", "Fix Docker Build");
      expect(await sessions.nextTitle("Fix Docker Build")).toBe("Fix Docker Build #2");
      await titled("b", "Fix Docker Build #2");
      expect(await sessions.nextTitle("Fix Docker Build #2")).toBe("Fix Docker Build #3");
      expect(await sessions.resolveTitle("Fix Docker Build")).toBe("b");
      await titled("c", "50xyoff #2");
      expect(await sessions.resolveTitle("50%_off")).toBeUndefined();
      expect(await sessions.nextTitle("50%_off")).toBe("50%_off");
      await titled("d", "50%_off");
      expect(await sessions.resolveTitle("50%_off")).toBe("d");
    });
  });
}
