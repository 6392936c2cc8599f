import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assistantMessage, toolMessage, userMessage } from "#conversation";
import { type StoreSubject, session, useStore } from "./subject.ts";

export function searchContract(subject: StoreSubject): void {
  describe("search", () => {
    const fixture = useStore(subject);
    const never = new AbortController().signal;

    const uids = async (query: string, options = {}): Promise<readonly string[]> =>
      (await fixture().store.search.messages(query, options)).map((hit) => hit.uid).sort();

    it("shows the match and its neighbours of the same session only [10:STORE-18] [10:A10.7]", async () => {
      const { store } = fixture();
      const long = `needle ${"x".repeat(300)}`;
      await store.sessions.create({ id: session("one"), source: "cli", model: "m" });
      await store.messages.append(session("one"), [userMessage("before one", { timestamp: 1 })]);
      await store.messages.append(session("two"), [userMessage("before two", { timestamp: 2 })]);
      await store.messages.append(session("one"), [assistantMessage(long, { uid: "hit", timestamp: 3 })]);
      await store.messages.append(session("two"), [userMessage("after two", { timestamp: 4 })]);
      await store.messages.append(session("one"), [userMessage("after one", { timestamp: 5 })]);
      const [hit, ...rest] = await store.search.messages("needle");
      expect(rest).toEqual([]);
      expect(hit).toMatchObject({
        uid: "hit",
        sessionId: "one",
        role: "assistant",
        timestampMs: 3000,
        source: "cli",
        model: "m",
      });
      expect(hit?.snippet).toContain(">>>needle<<<");
      const around = hit?.context.map((entry) => entry.content.slice(0, 10));
      expect(around).toEqual(["before one", "needle xxx", "after one"]);
      expect(hit?.context[1]?.content).toHaveLength(200);
      expect(hit).not.toHaveProperty("content");
    });

    it("understands words, phrases, OR, NOT and prefixes [10:STORE-17]", async () => {
      const { store } = fixture();
      await store.messages.append(session("s"), [
        userMessage("docker deployment failed", { uid: "1" }),
        userMessage("kubernetes deployment works", { uid: "2" }),
        userMessage("failed deployment of docker", { uid: "3" }),
        userMessage("Chat-Send feature and my-app.config.ts", { uid: "4" }),
      ]);
      expect(await uids("docker deployment")).toEqual(["1", "3"]);
      expect(await uids('"docker deployment"')).toEqual(["1"]);
      expect(await uids("docker OR kubernetes")).toEqual(["1", "2", "3"]);
      expect(await uids("deployment NOT docker")).toEqual(["2"]);
      expect(await uids("kube*")).toEqual(["2"]);
      expect(await uids("chat-send")).toEqual(["4"]);
      expect(await uids("my-app.config.ts")).toEqual(["4"]);
      expect(await uids("deployment docker OR works")).toEqual(["1", "2", "3"]);
      expect(await uids("works NOT failed docker")).toEqual(["2"]);
    });

    it("finds don't, a/b, x:y, #42, doubled operators, a leading not [10:STORE-20] [10:D54]", async () => {
      const { store } = fixture();
      await store.messages.append(session("s"), [
        userMessage("please don't stop", { uid: "1" }),
        userMessage("path a/b and key x:y for issue #42", { uid: "2" }),
        userMessage("the file was not found", { uid: "3" }),
      ]);
      expect(await uids("don't")).toEqual(["1"]);
      expect(await uids("a/b")).toEqual(["2"]);
      expect(await uids("x:y")).toEqual(["2"]);
      expect(await uids("#42")).toEqual(["2"]);
      expect(await uids("path AND AND key")).toEqual(["2"]);
      expect(await uids("not found")).toEqual(["3"]);
    });

    it("filters by role and source, pages, and returns nothing for nothing [10:STORE-17]", async () => {
      const { store } = fixture();
      const call = { id: "c", type: "function" as const, function: { name: "terminal", arguments: "{}" } };
      const both = [userMessage("word", { uid: "1" }), toolMessage(call, "word", { uid: "2" })];
      await store.messages.append(session("a"), both, { source: "cli" });
      await store.messages.append(session("b"), [userMessage("word", { uid: "3" })], { source: "tool" });
      expect(await uids("word")).toEqual(["1", "2", "3"]);
      expect(await uids("word", { roles: ["user"] })).toEqual(["1", "3"]);
      expect(await uids("word", { sources: ["cli"] })).toEqual(["1", "2"]);
      expect(await uids("word", { excludeSources: ["tool"] })).toEqual(["1", "2"]);
      expect(await uids("word", { limit: 2 })).toHaveLength(2);
      expect(await uids("word", { limit: 2, offset: 2 })).toHaveLength(1);
      expect(await uids("word", { limit: 0 })).toEqual([]);
      const [tool] = await store.search.messages("word", { roles: ["tool"] });
      expect(tool?.toolName).toBe("terminal");
      for (const blank of ["", "   ", "***", "()", '""']) expect(await uids(blank)).toEqual([]);
    });

    it("finds Chinese, Japanese and Korean by any part, from one character on [10:STORE-19] [10:A10.8] [10:D56]", async () => {
      const { store } = fixture();
      await store.messages.append(session("s"), [
        userMessage("昨天讨论了记忆断裂的问题", { uid: "zh" }),
        userMessage("データベースの接続に失敗しました。", { uid: "ja" }),
        userMessage("데이터베이스 연결 실패", { uid: "ko" }),
        userMessage("百分比 100% 完成", { uid: "pct" }),
        userMessage("忆 记", { uid: "swapped" }),
      ]);
      const check = async (): Promise<void> => {
        expect(await uids("记忆断裂")).toEqual(["zh"]);
        expect(await uids("记忆")).toEqual(["zh"]);
        expect(await uids("断裂 讨论")).toEqual(["zh"]);
        expect(await uids("接続")).toEqual(["ja"]);
        expect(await uids("失敗 OR 记忆")).toEqual(["ja", "zh"]);
        expect(await uids("이터베")).toEqual(["ko"]);
        expect(await uids("裂")).toEqual(["zh"]);
        expect(await uids("题")).toEqual(["zh"]);
        expect(await uids("记断")).toEqual([]);
        expect(await uids("%")).toEqual([]);
      };
      await check();
      await store.maintenance.indexPending(never);
      await check();
      const [hit] = await store.search.messages("断裂");
      expect(hit?.snippet).toContain(">>>断裂<<<");
    });

    it("finds parts of words where whole words give nothing", async () => {
      const { store } = fixture();
      await store.messages.append(session("s"), [
        userMessage("the Kubernetes cluster", { uid: "1" }),
        userMessage("call getUserName(x) twice", { uid: "2" }),
        userMessage("hundred percent", { uid: "3" }),
      ]);
      const check = async (): Promise<void> => {
        expect(await uids("ubernet")).toEqual(["1"]);
        expect(await uids("username")).toEqual(["2"]);
        expect(await uids("berne luste")).toEqual(["1"]);
        expect(await uids("h_ndred")).toEqual([]);
      };
      await check();
      await store.maintenance.indexPending(never);
      await check();
      await store.messages.append(session("s"), [userMessage("another Kubernetes thing", { uid: "4" })]);
      expect(await uids("ubernet")).toEqual(["1", "4"]);
    });

    it("does not find a message that was deleted", async () => {
      const { store } = fixture();
      const both = [userMessage("记忆 zebra", { uid: "1" }), userMessage("rest", { uid: "2" })];
      await store.messages.append(session("s"), both);
      await store.maintenance.indexPending(never);
      await store.messages.remove(session("s"), ["1"]);
      expect(await uids("zebra")).toEqual([]);
      expect(await uids("ebra")).toEqual([]);
      expect(await uids("记忆")).toEqual([]);
    });

    it("never complains about what is typed [10:STORE-20] [10:A10.1]", async () => {
      const { store } = fixture();
      await store.messages.append(session("s"), [userMessage("some text 记忆 here")]);
      const odd = [
        "AND",
        "OR",
        "NOT",
        "NEAR",
        '"',
        "*",
        "(",
        ")",
        "^",
        ":",
        "-",
        "'",
        "\\",
        "\0",
        "记",
        "%",
        "_",
        "{x}:y",
      ];
      const piece = fc.oneof(fc.string({ unit: "binary", maxLength: 8 }), fc.constantFrom(...odd, "a*b", "+", "{"));
      // Two characters that take four units of text: too short for a part of a word, though it does not look so.
      expect(await store.search.messages("𝒜𝒜")).toEqual([]);
      expect(await store.search.messages("q OR 𐐀𐐀")).toEqual([]);
      await fc.assert(
        fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.constantFrom("", " "), async (pieces, glue) => {
          expect(Array.isArray(await store.search.messages(pieces.join(glue)))).toBe(true);
        }),
        { numRuns: 1_000 },
      );
    });

    it("leads from a match in a continuation to the whole conversation [10:A10.11] [10:D55]", async () => {
      const { store, clock } = fixture();
      await store.messages.append(session("root"), [userMessage("how it began")]);
      await clock.advance(1000);
      await store.sessions.continueCompressed(session("root"), {
        id: session("next"),
        messages: [userMessage("only here: platypus", { uid: "hit" })],
      });
      const [hit] = await store.search.messages("platypus");
      expect(hit?.sessionId).toBe("next");
      const root = await store.sessions.rootOf(session("next"));
      const chain = [root, ...(await store.sessions.descendants(root))];
      expect(chain).toEqual(["root", "next"]);
      const texts = await Promise.all(chain.map((id) => store.messages.conversation(id)));
      expect(texts.flat().map((message) => message.content)).toEqual(["how it began", "only here: platypus"]);
    });

    it("gives up when told to", async () => {
      await expect(fixture().store.search.messages("x", { signal: AbortSignal.abort() })).rejects.toThrow();
    });
  });
}
