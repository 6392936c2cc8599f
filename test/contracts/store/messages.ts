import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assistantMessage, isValid, type Message, newToolCall, repair, toolMessage, userMessage } from "#conversation";
import { type StoreSubject, session, useStore } from "./subject.ts";

export function messageContract(subject: StoreSubject): void {
  describe("messages", () => {
    const fixture = useStore(subject);
    const call = newToolCall({ id: "c", name: "t", arguments: "{}" });

    it("are stored once per uid, however often they are flushed [10:LOOP-62] [10:A10.14]", async () => {
      const { messages, sessions } = fixture().store;
      const first = [userMessage("hi", { uid: "1" }), assistantMessage("hello", { uid: "2" })];
      expect((await messages.append(session("s"), first)).ids).toHaveLength(2);
      const more = [...first, userMessage("more", { uid: "3" })];
      expect(await messages.append(session("s"), more)).toMatchObject({
        duplicates: 2,
        uids: more.slice(2).map(({ uid }) => uid),
      });
      expect((await messages.conversation(session("s"))).map((message) => message.uid)).toEqual(["1", "2", "3"]);
      expect((await sessions.get(session("s")))?.messageCount).toBe(3);
      expect((await messages.append(session("other"), first)).ids).toHaveLength(2);
    });

    it("are read in the order of writing by whoever watches all sessions [30:6.7]", async () => {
      const { messages } = fixture().store;
      expect(await messages.newestRow()).toBe(0);
      await messages.append(session("s"), [userMessage("one", { uid: "1" })]);
      const start = await messages.newestRow();
      await messages.append(session("t"), [userMessage("two", { uid: "2" })]);
      await messages.append(session("s"), [assistantMessage("three", { uid: "3" })]);
      const later = await messages.after(start, { limit: 10 });
      expect(later.map(({ sessionId, message }) => [sessionId, message.uid])).toEqual([
        ["t", "2"],
        ["s", "3"],
      ]);
      expect(await messages.after(start, { limit: 1 })).toHaveLength(1);
      expect(await messages.after(await messages.newestRow(), { limit: 10 })).toEqual([]);
    });

    it("may get another form for requests later, and keep their words [10:COMP-9]", async () => {
      const { messages } = fixture().store;
      const whole = [userMessage("hi", { uid: "1" }), toolMessage(call, "long ".repeat(100), { uid: "2" })];
      await messages.append(session("s"), whole);
      await messages.append(session("t"), whole);
      const amended = whole.map((message) => ({ ...message, sent: { content: "short" } }));
      expect(await messages.amend(session("s"), amended)).toBe(2);
      expect(await messages.amend(session("s"), [userMessage("x", { uid: "none" })])).toBe(0);
      const stored = await messages.conversation(session("s"));
      expect(stored.map(({ content, sent }) => ({ content, sent }))).toEqual(
        whole.map(({ content }) => ({ content, sent: { content: "short" } })),
      );
      expect((await messages.conversation(session("t"))).some(({ sent }) => sent !== undefined)).toBe(false);
      await messages.amend(session("s"), whole);
      expect((await messages.conversation(session("s"))).some(({ sent }) => sent !== undefined)).toBe(false);
    });

    it("keep the order in which a compressed part begins, whatever their times say [10:COMP-27]", async () => {
      const { messages, sessions } = fixture().store;
      const head = userMessage("first", { uid: "1", timestamp: 100 });
      const tail = userMessage("last", { uid: "3", timestamp: 200 });
      await messages.append(session("s"), [head, tail]);
      const summary = assistantMessage("summary", { uid: "2", timestamp: 900 });
      await sessions.continueCompressed(session("s"), { id: session("next"), messages: [head, summary, tail] });
      await messages.append(session("next"), [assistantMessage("answer", { uid: "4", timestamp: 901 })]);
      const uids = (await messages.conversation(session("next"))).map(({ uid }) => uid);
      expect(uids).toEqual(["1", "2", "3", "4"]);
    });

    it("make their session row when it is missing [10:STORE-3]", async () => {
      const { messages, sessions } = fixture().store;
      await messages.append(session("s"), [userMessage("hi")], { source: "telegram" });
      expect((await sessions.get(session("s")))?.source).toBe("telegram");
      await messages.append(session("t"), []);
      expect((await sessions.get(session("t")))?.source).toBe("unknown");
    });

    it("count themselves and the calls they ask for [10:STORE-8] [10:A10.4]", async () => {
      const { messages, sessions } = fixture().store;
      const calls = ["a", "b"].map((id) => newToolCall({ id, name: "ls", arguments: "{}" }));
      await messages.append(session("s"), [assistantMessage("", { tool_calls: calls })]);
      expect(await sessions.get(session("s"))).toMatchObject({ messageCount: 1, toolCallCount: 2 });
    });

    it("come back as they were, with every field a provider may want to see again [20:R1.1] [10:STORE-9] [10:LOOP-9] [10:D53]", async () => {
      const { messages } = fixture().store;
      const signed = {
        id: "c1",
        call_id: "c1",
        response_item_id: "fc_1",
        type: "function" as const,
        function: { name: "ls", arguments: '{"b":1, "a":2}' },
        extra_content: { google: { thought_signature: "x" } },
      };
      const stored: Message[] = [
        userMessage("hi", { uid: "1", timestamp: 100.25 }),
        assistantMessage("", {
          uid: "2",
          timestamp: 101,
          tool_calls: [signed],
          reasoning: "because",
          reasoning_content: "",
          reasoning_details: [{ type: "thinking", signature: "s" }],
          codex_reasoning_items: [{ id: "rs_1", encrypted_content: "e" }],
          codex_message_items: [{ id: "msg_1", phase: "final" }],
          finish_reason: "tool_calls",
        }),
        toolMessage(signed, "done", { uid: "3", timestamp: 102 }),
      ];
      await messages.append(session("s"), stored);
      expect(await messages.conversation(session("s"))).toEqual(stored);
    });

    it("keep images as parts and are found by their words [10:A10.10]", async () => {
      const { messages, search } = fixture().store;
      const parts = [
        { type: "text" as const, text: "what is on this picture of a lighthouse" },
        { type: "image_url" as const, image_url: { url: "data:image/png;base64,AAAA" } },
      ];
      await messages.append(session("s"), [userMessage(parts, { uid: "1", timestamp: 1 })]);
      expect(await messages.conversation(session("s"))).toEqual([userMessage(parts, { uid: "1", timestamp: 1 })]);
      expect((await search.messages("lighthouse")).map((hit) => hit.uid)).toEqual(["1"]);
    });

    it("keep fields without a column, drop internal ones, and steering messages are not stored [10:LOOP-41] [10:D25]", async () => {
      const { messages } = fixture().store;
      const mirrored = { ...userMessage("sent elsewhere", { uid: "1" }), mirror: true, mirror_source: "telegram" };
      await messages.append(session("s"), [
        mirrored,
        { ...assistantMessage("x", { uid: "2" }), _thinking_prefill: true },
        userMessage("go on", { uid: "3", _scaffold: true }),
      ]);
      const back = await messages.conversation(session("s"));
      expect(back.map((message) => message.uid)).toEqual(["1", "2"]);
      expect(back[0]).toMatchObject({ mirror: true, mirror_source: "telegram" });
      expect(back[1]).not.toHaveProperty("_thinking_prefill");
    });

    it("any text survives the way through the database exactly", async () => {
      const { messages } = fixture().store;
      const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
      const anyUnits = fc.array(unit).map((units) => units.join(""));
      const anyText = fc.oneof(fc.string({ unit: "binary" }), anyUnits, fc.constant("a\0b"));
      let index = 0;
      await fc.assert(
        fc.asyncProperty(anyText, anyText, async (content, reasoning) => {
          index += 1;
          const id = session(`p${index}`);
          const odd = newToolCall({ id: "c", name: "t", arguments: content });
          const list: Message[] = [
            userMessage(content, { uid: "u", timestamp: 1 }),
            assistantMessage(content, {
              uid: "a",
              timestamp: 2,
              reasoning,
              reasoning_content: reasoning,
              tool_calls: [odd],
            }),
            toolMessage(odd, content, { uid: "t", timestamp: 3 }),
          ];
          await messages.append(id, list);
          expect(await messages.conversation(id)).toEqual(list);
        }),
        { numRuns: 60 },
      );
    });

    it("are read in the order they were written, also after a clock was set back [10:STORE-9]", async () => {
      const { store, clock } = fixture();
      await store.messages.append(session("s"), [userMessage("one", { uid: "1" })]);
      await clock.advance(-60_000);
      await store.messages.append(session("s"), [
        assistantMessage("two", { uid: "2" }),
        userMessage("three", { uid: "3" }),
      ]);
      await store.messages.append(session("s"), [userMessage("four", { uid: "4", timestamp: 5 })]);
      const order = (await store.messages.conversation(session("s"))).map((message) => message.uid);
      expect(order).toEqual(["1", "2", "3", "4"]);
    });

    it("are read one by one by their uid", async () => {
      const { messages } = fixture().store;
      await messages.append(
        session("s"),
        ["a", "b", "c"].map((uid) => userMessage(uid, { uid })),
      );
      const found = await messages.byUids(session("s"), ["c", "a", "zz"]);
      expect(found.map((entry) => entry.message.uid)).toEqual(["a", "c"]);
      expect(await messages.byUids(session("s"), [])).toEqual([]);
      expect(await messages.list(session("s"))).toHaveLength(3);
    });

    it("can be taken back: some, from one on, or all; the counters follow [10:STORE-6] [10:LOOP-65]", async () => {
      const { messages, sessions, search } = fixture().store;
      await messages.append(session("s"), [
        userMessage("alpha", { uid: "1" }),
        assistantMessage("beta", { uid: "2", tool_calls: [call] }),
        userMessage("gamma", { uid: "3" }),
        userMessage("delta", { uid: "4" }),
      ]);
      expect(await messages.remove(session("s"), ["3", "none"])).toBe(1);
      expect(await sessions.get(session("s"))).toMatchObject({ messageCount: 3, toolCallCount: 1 });
      expect(await search.messages("gamma")).toEqual([]);
      expect(await messages.removeFrom(session("s"), "2")).toBe(2);
      expect(await messages.removeFrom(session("s"), "none")).toBe(0);
      expect(await sessions.get(session("s"))).toMatchObject({ messageCount: 1, toolCallCount: 0 });
      expect(await messages.clear(session("s"))).toBe(1);
      expect((await sessions.get(session("s")))?.messageCount).toBe(0);
      expect(await search.messages("alpha")).toEqual([]);
    });

    it("a history cut off after any message becomes one a strict provider accepts [10:LOOP-12] [10:A12.3] [10:D60]", async () => {
      const { messages } = fixture().store;
      const whole: Message[] = [
        userMessage("do it", { uid: "1" }),
        assistantMessage("", { uid: "2", tool_calls: [call, newToolCall({ id: "d", name: "t", arguments: "{}" })] }),
        toolMessage(call, "ok", { uid: "3" }),
      ];
      for (let length = 1; length <= whole.length; length += 1) {
        await messages.append(session(`cut${length}`), whole.slice(0, length));
        const restored = await messages.conversation(session(`cut${length}`));
        expect(restored).toHaveLength(length);
        expect(isValid(repair(restored).messages)).toBe(true);
      }
    });
  });

  describe("transactions", () => {
    const fixture = useStore(subject);

    it("keep all or nothing, messages and outbox together [40:SCL-10]", async () => {
      const { store } = fixture();
      const owed = {
        idempotencyKey: "t1:0",
        sessionKey: "k",
        platform: "telegram",
        account: "bot",
        chatId: "1",
        kind: "send" as const,
        payload: { text: "hi" },
      };
      await expect(
        store.transaction(async (tx) => {
          await tx.messages.append(session("s"), [assistantMessage("hi", { uid: "1" })]);
          await tx.outbox.owe([owed]);
          throw new Error("power cut");
        }),
      ).rejects.toThrow("power cut");
      expect(await store.messages.count(session("s"))).toBe(0);
      expect(await store.outbox.byKey("t1:0")).toBeUndefined();
      const value = await store.transaction(async (tx) => {
        await tx.messages.append(session("s"), [assistantMessage("hi", { uid: "1" })]);
        await tx.outbox.owe([owed]);
        return (await tx.messages.conversation(session("s"))).length;
      });
      expect(value).toBe(1);
      expect(await store.outbox.byKey("t1:0")).toMatchObject({ status: "pending" });
    });

    it("of many writers at once lose nothing and are seen whole only", async () => {
      const { store } = fixture();
      await Promise.all(
        Array.from({ length: 20 }, async (_, writer) => {
          for (let step = 0; step < 5; step += 1)
            await store.transaction(async (tx) => {
              await tx.messages.append(session("s"), [userMessage("q", { uid: `${writer}-${step}-a` })]);
              await tx.messages.append(session("s"), [assistantMessage("a", { uid: `${writer}-${step}-b` })]);
            });
        }),
      );
      expect(await store.messages.count(session("s"))).toBe(200);
      expect((await store.sessions.get(session("s")))?.messageCount).toBe(200);
    });
  });
}
