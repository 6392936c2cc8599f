import { describe, expect, it } from "vitest";
import { assistantMessage, userMessage } from "#conversation";
import { type StoreSubject, session, useStore } from "./subject.ts";

export function sessionContract(subject: StoreSubject): void {
  describe("sessions", () => {
    const fixture = useStore(subject);

    it("keeps what a session was created with and ignores a second creation [10:STORE-6]", async () => {
      const { sessions } = fixture().store;
      await sessions.create({
        id: session("a"),
        source: "cli",
        userId: "u",
        model: "m",
        modelConfig: { temperature: 0.5 },
        systemPrompt: "be kind",
      });
      await sessions.create({ id: session("a"), source: "telegram" });
      expect(await sessions.get(session("a"))).toMatchObject({
        id: "a",
        source: "cli",
        userId: "u",
        model: "m",
        modelConfig: { temperature: 0.5 },
        systemPrompt: "be kind",
        startedAtMs: Date.UTC(2026, 0, 1),
        messageCount: 0,
        rootSessionId: "a",
      });
      expect(await sessions.get(session("b"))).toBeUndefined();
    });

    it("keeps the first end reason until the session is reopened [10:STORE-7] [10:A10.9]", async () => {
      const { sessions } = fixture().store;
      await sessions.create({ id: session("a"), source: "cli" });
      await sessions.end(session("a"), "compression");
      await sessions.end(session("a"), "user_exit");
      expect((await sessions.get(session("a")))?.endReason).toBe("compression");
      await sessions.reopen(session("a"));
      expect(await sessions.get(session("a"))).toMatchObject({ endReason: undefined, endedAtMs: undefined });
    });

    it("finds a session by a unique beginning of its id, wildcards taken literally [10:STORE-10]", async () => {
      const { sessions } = fixture().store;
      for (const id of ["20260101_aa11", "20260101_ab22", "2026%_x"])
        await sessions.create({ id: session(id), source: "cli" });
      expect(await sessions.resolveId("20260101_aa")).toBe("20260101_aa11");
      expect(await sessions.resolveId("20260101_a")).toBeUndefined();
      expect(await sessions.resolveId("2026%")).toBe("2026%_x");
      expect(await sessions.resolveId("%")).toBeUndefined();
      expect(await sessions.resolveId("")).toBeUndefined();
      expect(await sessions.resolveId("nothing")).toBeUndefined();
    });

    it("leaves out a parent that does not exist [10:STORE-3]", async () => {
      const { sessions } = fixture().store;
      await sessions.create({ id: session("c"), source: "cli", parentSessionId: session("gone") });
      expect((await sessions.get(session("c")))?.parentSessionId).toBeUndefined();
    });

    it("changes only the fields that are given", async () => {
      const { sessions } = fixture().store;
      await sessions.create({ id: session("a"), source: "cli", model: "m" });
      await sessions.update(session("a"), { lastPromptTokens: 1200, promptFingerprint: "f" });
      await sessions.update(session("a"), {});
      expect(await sessions.get(session("a"))).toMatchObject({
        model: "m",
        lastPromptTokens: 1200,
        promptFingerprint: "f",
      });
    });

    it("walks ancestors, descendants and the root [10:STORE-22]", async () => {
      const { store, clock } = fixture();
      const family = [
        ["root", undefined],
        ["mid", "root"],
        ["leaf", "mid"],
        ["side", "root"],
      ] as const;
      for (const [id, parent] of family) {
        const parentSessionId = parent === undefined ? undefined : session(parent);
        await store.sessions.create({ id: session(id), source: "cli", parentSessionId });
        await clock.advance(1000);
      }
      expect(await store.sessions.ancestors(session("leaf"))).toEqual(["mid", "root"]);
      expect(await store.sessions.descendants(session("root"))).toEqual(["mid", "leaf", "side"]);
      expect(await store.sessions.rootOf(session("leaf"))).toBe("root");
      expect(await store.sessions.rootOf(session("root"))).toBe("root");
      expect((await store.sessions.get(session("leaf")))?.rootSessionId).toBe("root");
    });

    it("continues a compressed session in one step, with its settings, its next title and the messages [10:COMP-32] [10:COMP-33] [10:COMP-34]", async () => {
      const { store, clock } = fixture();
      await store.sessions.create({
        id: session("p"),
        source: "cli",
        userId: "u",
        model: "m",
        modelConfig: { a: 1 },
        systemPrompt: "sys",
      });
      await store.sessions.setTitle(session("p"), "name");
      await store.usage.change(session("p"), {
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
        billingProvider: "openai",
      });
      await clock.advance(1000);
      const messages = [userMessage("summary", { uid: "s" })];
      const child = await store.sessions.continueCompressed(session("p"), { id: session("c"), messages });
      expect(child).toMatchObject({
        parentSessionId: "p",
        source: "cli",
        userId: "u",
        model: "m",
        modelConfig: { a: 1 },
        systemPrompt: "sys",
        billingProvider: "openai",
        title: "name #2",
        lineage: "compression",
        messageCount: 1,
      });
      expect((await store.sessions.get(session("p")))?.endReason).toBe("compression");
      await store.sessions.continueCompressed(session("c"), { id: session("d"), messages: [userMessage("more")] });
      expect((await store.sessions.get(session("d")))?.title).toBe("name #3");
      expect(await store.sessions.resumeTarget(session("p"))).toBe("d");
    });

    it("the tip of a conversation is found through its continuations only, and in a bounded number of steps [10:STORE-11]", async () => {
      const { store, clock } = fixture();
      await store.sessions.create({ id: session("p"), source: "cli" });
      // A branch that was begun while the parent went on is none of its continuations.
      await store.sessions.create({ id: session("branch"), source: "cli", parentSessionId: session("p") });
      await clock.advance(1000);
      await store.sessions.continueCompressed(session("p"), { id: session("c"), messages: [userMessage("x")] });
      expect(await store.sessions.resumeTarget(session("p"))).toBe("c");
      await store.sessions.end(session("c"), "user_exit");
      await clock.advance(1000);
      await store.sessions.create({ id: session("later"), source: "cli", parentSessionId: session("c") });
      expect(await store.sessions.resumeTarget(session("p"))).toBe("c");
      for (let part = 0; part < 102; part += 1) {
        const [id, next] = [session(`long-${part}`), session(`long-${part + 1}`)];
        if (part === 0) await store.sessions.create({ id, source: "cli" });
        await clock.advance(1000);
        await store.sessions.continueCompressed(id, { id: next, messages: [userMessage("x")] });
      }
      expect(await store.sessions.resumeTarget(session("long-0"))).toBe("long-100");
    });

    it("writes nothing of a continuation that fails [10:COMP-34]", async () => {
      const { store } = fixture();
      await store.sessions.create({ id: session("p"), source: "cli" });
      await store.sessions.create({ id: session("taken"), source: "cli" });
      await expect(
        store.sessions.continueCompressed(session("p"), { id: session("taken"), messages: [userMessage("x")] }),
      ).rejects.toThrow();
      expect((await store.sessions.get(session("p")))?.endReason).toBeUndefined();
      expect(await store.messages.count(session("taken"))).toBe(0);
    });

    it("resumes in the newest descendant that has messages [10:STORE-10]", async () => {
      const { store, clock } = fixture();
      await store.sessions.create({ id: session("a"), source: "cli" });
      await clock.advance(10);
      await store.sessions.create({ id: session("b"), source: "cli", parentSessionId: session("a") });
      await store.messages.append(session("b"), [userMessage("hi")]);
      expect(await store.sessions.resumeTarget(session("a"))).toBe("b");
      await store.messages.append(session("a"), [userMessage("hi")]);
      expect(await store.sessions.resumeTarget(session("a"))).toBe("a");
      expect(await store.sessions.resumeTarget(session("none"))).toBeUndefined();
    });

    it("branches a copy that the parent does not notice", async () => {
      const { store } = fixture();
      const call = { id: "c", type: "function" as const, function: { name: "t", arguments: "{}" } };
      await store.messages.append(session("p"), [
        userMessage("one", { uid: "1" }),
        assistantMessage("two", { uid: "2", tool_calls: [call] }),
        userMessage("three", { uid: "3" }),
      ]);
      const copy = await store.sessions.branch(session("p"), { id: session("b"), title: "try" });
      expect(copy).toMatchObject({
        parentSessionId: "p",
        lineage: "branch",
        messageCount: 3,
        toolCallCount: 1,
        title: "try",
      });
      expect((await store.messages.conversation(session("b"))).map((message) => message.uid)).toEqual(["1", "2", "3"]);
      await store.messages.append(session("b"), [userMessage("one", { uid: "1" }), userMessage("four", { uid: "4" })]);
      expect(await store.messages.count(session("b"))).toBe(4);
      expect(await store.messages.count(session("p"))).toBe(3);
      await expect(store.sessions.branch(session("none"), { id: session("x") })).rejects.toThrow("no session none");
    });

    it("deletes a session with its messages and keeps its children [10:STORE-24]", async () => {
      const { store } = fixture();
      await store.messages.append(session("p"), [userMessage("hello parent")]);
      await store.sessions.create({ id: session("c"), source: "cli", parentSessionId: session("p") });
      expect(await store.sessions.delete(session("p"))).toBe(true);
      expect(await store.sessions.delete(session("p"))).toBe(false);
      expect(await store.messages.count(session("p"))).toBe(0);
      expect((await store.sessions.get(session("c")))?.parentSessionId).toBeUndefined();
      expect(await store.search.messages("parent")).toEqual([]);
    });

    it("takes the part that compression began for the next one, also beside a child of the same moment [10:STORE-11]", async () => {
      const { store } = fixture();
      await store.sessions.create({ id: session("p"), source: "cli" });
      await store.sessions.create({ id: session("z"), source: "cli", parentSessionId: session("p") });
      await store.sessions.continueCompressed(session("p"), { id: session("c"), messages: [userMessage("so far")] });
      expect(await store.sessions.resumeTarget(session("p"))).toBe("c");
    });

    it("lists newest first with preview and last activity [10:STORE-21]", async () => {
      const { store, clock } = fixture();
      await store.sessions.create({ id: session("a"), source: "cli", startedAtMs: Date.UTC(2025, 0, 1) });
      await store.messages.append(session("a"), [userMessage(`first line\n${"long words ".repeat(10)}`)]);
      await clock.advance(5000);
      await store.sessions.create({ id: session("b"), source: "tool" });
      await store.sessions.create({ id: session("c"), source: "telegram", startedAtMs: Date.UTC(2025, 5, 1) });
      const listed = await store.sessions.list({ excludeSources: ["tool"] });
      expect(listed.map((entry) => entry.id)).toEqual(["c", "a"]);
      expect(listed[1]?.preview).toBe("first line long words long words long words long words long ...");
      expect(listed[1]?.lastActiveMs).toBe(Date.UTC(2026, 0, 1));
      expect(listed[0]?.lastActiveMs).toBe(Date.UTC(2025, 5, 1));
      const ids = async (options: object): Promise<readonly string[]> =>
        (await store.sessions.list(options)).map((entry) => entry.id);
      expect(await ids({ source: "telegram" })).toEqual(["c"]);
      expect(await ids({ limit: 1, offset: 1 })).toEqual(["c"]);
      expect(await ids({ excludeIds: [session("a"), session("b")] })).toEqual(["c"]);
    });

    it("hides children except branches and shows a compressed conversation as its last part [10:STORE-21]", async () => {
      const { store, clock } = fixture();
      await store.messages.append(session("root"), [userMessage("begin")], { source: "cli" });
      await clock.advance(1000);
      await store.sessions.create({ id: session("newer"), source: "cli" });
      await clock.advance(1000);
      await store.sessions.continueCompressed(session("root"), {
        id: session("tip"),
        messages: [userMessage("go on")],
      });
      await store.sessions.create({
        id: session("helper"),
        source: "subagent",
        parentSessionId: session("tip"),
        lineage: "delegation",
      });
      await clock.advance(1000);
      await store.sessions.branch(session("newer"), { id: session("branch") });
      const listed = await store.sessions.list();
      expect(listed.map((entry) => entry.id)).toEqual(["branch", "newer", "tip"]);
      expect(listed[2]).toMatchObject({ lineageRootId: "root", preview: "go on", messageCount: 1 });
    });
  });
}
