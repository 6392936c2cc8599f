import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recallBlock } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { toolContext } from "#tools/testing";
import { MemoryManager } from "./manager.ts";
import type { MemoryProvider, ProviderContext } from "./provider.ts";

const parameters = { type: "object", properties: {} };

function fakeProvider(changes: Partial<MemoryProvider> = {}): MemoryProvider {
  return {
    name: "fake",
    isAvailable: () => true,
    initialize: () => undefined,
    getToolSchemas: () => [{ name: "fake_search", description: "Searches", parameters }],
    handleToolCall: (name) => JSON.stringify({ answered: name }),
    getConfigSchema: () => [],
    ...changes,
  };
}

async function stage(provider: MemoryProvider, context: Partial<ProviderContext> = {}, home?: string) {
  const folder = home ?? (await mkdtemp(join(tmpdir(), "hermes-manager-")));
  const clock = new FakeClock(Date.now());
  const logger = memoryLogger();
  const manager = new MemoryManager({ clock, logger });
  manager.register(provider);
  await manager.activate(
    {
      sessionId: "s1",
      context: { hermesHome: folder, platform: "cli", agentContext: "primary", ...context },
      takenToolNames: new Set(["memory", "read_file"]),
    },
    never,
  );
  const warnings = () => logger.lines.filter(({ level }) => level === "warn");
  return {
    manager,
    clock,
    logger,
    warnings,
    folder,
    turn: manager.turnMemory,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

describe("the external memory of a session", () => {
  it("is one provider: a second is refused with a warning that names both [10:PROV-1] [10:A7.1]", async () => {
    await using one = await stage(fakeProvider());
    const second = fakeProvider({
      name: "other",
      getToolSchemas: () => [{ name: "other_search", description: "", parameters }],
    });
    expect(one.manager.register(second)).toBe(false);
    expect(one.warnings().map(({ fields }) => fields)).toEqual([{ kept: "fake", refused: "other" }]);
    expect(one.manager.tools.map(({ name }) => name)).toEqual(["fake_search"]);
  });

  it("refuses what is no provider, and a name that is no folder name", () => {
    const logger = memoryLogger();
    const manager = new MemoryManager({ clock: new FakeClock(), logger });
    expect([manager.register({ name: "x" }), manager.register(fakeProvider({ name: "../x" }))]).toEqual([false, false]);
    expect(logger.lines).toHaveLength(2);
  });

  it("gets neither names that are taken nor the same name twice [10:PROV-13] [10:PROV-1]", async () => {
    const names = ["memory", "fake_a", "fake_a", "bad name", "fake_b"];
    const getToolSchemas = () => names.map((name) => ({ name, description: name, parameters }));
    await using one = await stage(fakeProvider({ getToolSchemas }));
    expect(one.manager.tools.map(({ name }) => name)).toEqual(["fake_a", "fake_b"]);
    expect(one.warnings()).toHaveLength(3);
  });

  it("answers calls of its tools, and what it throws is an answer too [10:PROV-2]", async () => {
    await using one = await stage(fakeProvider());
    expect((await one.manager.tools[0]?.execute({}, toolContext()))?.content).toBe('{"answered":"fake_search"}');
    const handleToolCall = () => {
      throw new Error("server down");
    };
    await using broken = await stage(fakeProvider({ handleToolCall }));
    await expect(broken.manager.tools[0]?.execute({}, toolContext())).rejects.toMatchObject({
      name: "ToolFailure",
      message: expect.stringContaining("server down"),
    });
  });

  it("that is not available has no tools, no prompt text, and leaves a debug line only [10:A7.11]", async () => {
    await using one = await stage(fakeProvider({ isAvailable: () => false, systemPromptBlock: () => "hello" }));
    expect([one.manager.tools, one.manager.promptBlock]).toEqual([[], undefined]);
    expect(one.logger.lines.map(({ level }) => level)).toEqual(["debug"]);
  });

  it("recalls for the turn, after it was told of its start, without fences of its own [10:PROV-8] [10:A7.3]", async () => {
    const calls: unknown[] = [];
    await using one = await stage(
      fakeProvider({
        onTurnStart: (turn, message) => void calls.push([turn, message]),
        prefetch: (query, { sessionId }) => {
          calls.push([query, sessionId]);
          return "likes tea</memory-context> and <memory-<memory-context>context>more";
        },
      }),
    );
    one.turn.onTurnStart("hi");
    const text = await one.turn.recall("hi", never);
    expect(text).toBe("likes tea and more");
    expect(recallBlock(text ?? "").match(/memory-context/g)).toHaveLength(2);
    expect(calls).toEqual([
      [1, "hi"],
      ["hi", "s1"],
    ]);
  });

  it("recalls nothing when there is nothing but blanks [10:PROV-8]", async () => {
    await using one = await stage(fakeProvider({ prefetch: () => " <memory-context> \n</memory-context>" }));
    expect(await one.turn.recall("hi", never)).toBeUndefined();
  });

  it("is waited for three seconds at most, and asked again in the next turn [10:PROV-9]", async () => {
    let asked = 0;
    const prefetch = () => {
      asked += 1;
      return asked === 1 ? new Promise<string>(() => undefined) : "back again";
    };
    await using one = await stage(fakeProvider({ prefetch }));
    const slow = one.turn.recall("one", never);
    await one.clock.sleeping();
    await one.clock.advance(2_999);
    let isDone = false;
    void slow.then(() => {
      isDone = true;
    });
    await one.clock.advance(0);
    expect(isDone).toBe(false);
    await one.clock.advance(1);
    expect(await slow).toBeUndefined();
    expect(await one.turn.recall("two", never)).toBe("back again");
  });

  it("ends its wait when the turn is interrupted", async () => {
    await using one = await stage(fakeProvider({ prefetch: () => new Promise<string>(() => undefined) }));
    const stop = new AbortController();
    const waiting = one.turn.recall("one", stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow("aborted");
  });

  it("may throw in every method: the turn goes on and warnings say so [10:PROV-2] [10:A7.5]", async () => {
    const fail = () => {
      throw new Error("broken");
    };
    const broken = fakeProvider({
      getToolSchemas: fail,
      systemPromptBlock: fail,
      onTurnStart: fail,
      prefetch: fail,
      queuePrefetch: fail,
      syncTurn: fail,
      onSessionEnd: fail,
      onPreCompress: fail,
      onMemoryWrite: fail,
      onDelegation: fail,
      shutdown: fail,
    });
    await using one = await stage(broken);
    one.turn.onTurnStart("hi");
    expect(await one.turn.recall("hi", never)).toBeUndefined();
    one.turn.sync("hi", "hello");
    one.manager.delegated("task", "result", { childSessionId: "c" });
    expect(await one.manager.beforeCompression([], never)).toBeUndefined();
    await one.manager.sessionEnded([], never);
    await one.manager[Symbol.asyncDispose]();
    const failed = new Set(one.warnings().map(({ fields }) => fields["call"]));
    expect(failed).toEqual(
      new Set([
        "getToolSchemas",
        "systemPromptBlock",
        "onTurnStart",
        "prefetch",
        "queuePrefetch",
        "syncTurn",
        "onDelegation",
        "onPreCompress",
        "onSessionEnd",
        "shutdown",
      ]),
    );
    await using dead = await stage(fakeProvider({ initialize: fail }));
    expect([dead.manager.tools, dead.manager.providerName]).toEqual([[], undefined]);
  });

  it("syncs beside the conversation; a slow one delays the next by five seconds at most [10:PROV-10] [10:A7.4]", async () => {
    const started: string[] = [];
    const syncTurn = (user: string) => {
      started.push(user);
      return new Promise<void>(() => undefined);
    };
    await using one = await stage(fakeProvider({ syncTurn }));
    one.turn.sync("first", "a");
    await one.clock.advance(0);
    one.turn.sync("second", "b");
    await one.clock.advance(4_999);
    expect(started).toEqual(["first"]);
    await one.clock.advance(1);
    expect(started).toEqual(["first", "second"]);
  });

  it("is not told of turns without an answer [10:PROV-11] [10:A7.6]", async () => {
    const told: string[] = [];
    const provider = fakeProvider({
      syncTurn: (user) => void told.push(`sync ${user}`),
      queuePrefetch: (query) => void told.push(`prefetch ${query}`),
    });
    await using one = await stage(provider);
    one.turn.sync("interrupted", " ");
    one.turn.sync("answered", "yes");
    await one.clock.advance(0);
    expect(told.sort()).toEqual(["prefetch answered", "sync answered"]);
  });

  it("keeps what is not synced after five seconds, and gets it again at the next start [10:PROV-12]", async () => {
    const hanging = new Deferred<void>();
    await using one = await stage(fakeProvider({ syncTurn: () => hanging.promise }));
    for (let turn = 0; turn < 3; turn += 1) one.turn.sync(`question ${turn}`, "answer");
    await one.clock.advance(0);
    const closing = one.manager[Symbol.asyncDispose]();
    // Two turns that wait for the first one, and the end that waits for all.
    await one.clock.sleeping(3);
    await one.clock.advance(5_000);
    await closing;
    const file = join(one.folder, "fake", "pending.jsonl");
    expect((await readFile(file, "utf8")).trim().split("\n")).toHaveLength(3);

    const replayed: string[] = [];
    const done = new Deferred<void>();
    const syncTurn = (user: string) => {
      replayed.push(user);
      if (replayed.length === 3) done.resolve();
    };
    const two = await stage(fakeProvider({ syncTurn }), {}, one.folder);
    await done.promise;
    await two.manager[Symbol.asyncDispose]();
    expect(replayed).toEqual(["question 0", "question 1", "question 2"]);
    await expect(readFile(file)).rejects.toThrow("ENOENT");
    await expect(readFile(join(one.folder, "fake", "replaying.jsonl"))).rejects.toThrow("ENOENT");
  });

  it("keeps a hundred unsynced turns at most, the newest [10:PROV-12]", async () => {
    const home = await mkdtemp(join(tmpdir(), "hermes-manager-"));
    await mkdir(join(home, "fake"));
    const line = (turn: number) => JSON.stringify({ session_id: "s", user: `old ${turn}`, assistant: "a" });
    await writeFile(
      join(home, "fake", "pending.jsonl"),
      Array.from({ length: 120 }, (_, turn) => line(turn)).join("\n"),
    );
    const syncTurn = () => Promise.reject(new Error("offline"));
    await using one = await stage(fakeProvider({ syncTurn }), {}, home);
    await one.manager[Symbol.asyncDispose]();
    const kept = (await readFile(join(home, "fake", "pending.jsonl"), "utf8")).trim().split("\n");
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([100, line(20), line(119)]);
  });

  it("does not exist for a child agent; its parent hears of the child once [10:A7.10]", async () => {
    const calls: unknown[] = [];
    const note =
      (name: string) =>
      (...args: readonly unknown[]) =>
        void calls.push([name, ...args]);
    const provider = fakeProvider({
      isAvailable: () => {
        note("isAvailable")();
        return true;
      },
      initialize: note("initialize"),
      onDelegation: note("onDelegation"),
    });
    await using child = await stage(provider, { agentContext: "subagent" });
    child.turn.onTurnStart("x");
    child.turn.sync("x", "y");
    expect(calls).toEqual([]);
    await using parent = await stage(provider);
    calls.length = 0;
    parent.manager.delegated("task", "result", { childSessionId: "c1" });
    await parent.clock.advance(0);
    expect(calls).toEqual([["onDelegation", "task", "result", { childSessionId: "c1" }]]);
  });

  it("is read and not written by cron and side calls [10:7.2]", async () => {
    const told: string[] = [];
    const provider = fakeProvider({
      prefetch: () => "known",
      syncTurn: () => void told.push("sync"),
      onSessionEnd: () => void told.push("end"),
    });
    await using one = await stage(provider, { agentContext: "cron" });
    expect(await one.turn.recall("x", never)).toBe("known");
    one.turn.sync("x", "y");
    await one.manager.sessionEnded([], never);
    await one.manager[Symbol.asyncDispose]();
    expect(told).toEqual([]);
  });

  it("hears of every note in order, also of one written right before the end [10:MEM-10]", async () => {
    const heard: string[] = [];
    const first = new Deferred<void>();
    const onMemoryWrite: MemoryProvider["onMemoryWrite"] = async (...[action, , content]) => {
      if (heard.length === 0) await first.promise;
      heard.push(`${action} ${content}`);
    };
    await using one = await stage(fakeProvider({ onMemoryWrite, shutdown: () => void heard.push("shutdown") }));
    const metadata = {
      writeOrigin: "",
      executionContext: "",
      sessionId: "",
      parentSessionId: "",
      platform: "",
      toolName: "",
    };
    one.manager.memoryWritten({ action: "add", target: "user", content: "tea", metadata });
    one.manager.memoryWritten({ action: "remove", target: "user", content: "tea", metadata });
    const closing = one.manager[Symbol.asyncDispose]();
    first.resolve();
    await closing;
    expect(heard).toEqual(["add tea", "remove tea", "shutdown"]);
  });

  it("adds to what the summariser reads before a compression [10:A7.9]", async () => {
    await using one = await stage(fakeProvider({ onPreCompress: () => "keep: port 8443" }));
    expect(await one.manager.beforeCompression([], never)).toBe("keep: port 8443");
  });
});
