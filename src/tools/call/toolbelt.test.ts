import { describe, expect, it } from "vitest";
import { newToolCall } from "#conversation";
import { defined } from "#foundation/defined";
import { silentLogger } from "#foundation/files/logger";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import { systemClock } from "#foundation/time/clock";
import type { CallObserver, CallOutcome } from "../contract/call-state.ts";
import { defineTool } from "../contract/define-tool.ts";
import { result, ToolFailure } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import { fakeTool, listingOf, registryOf, testScope, todoTool, toolContext } from "../testing.ts";
import { Toolbelt, type ToolbeltDeps } from "./toolbelt.ts";

const never = new AbortController().signal;
const call = (name: string, args: unknown = {}, id = name) =>
  newToolCall({ id, name, arguments: typeof args === "string" ? args : JSON.stringify(args) });

async function belt(tools: readonly Tool[], changes: Partial<ToolbeltDeps> = {}) {
  const kept = new Map<string, string>();
  const toolbelt = new Toolbelt({
    listing: await listingOf(registryOf(...tools).registry),
    files: {
      keep: (id, text) => {
        kept.set(id, text);
        return Promise.resolve(`/tmp/hermes-results/${id}.txt`);
      },
    },
    clock: systemClock,
    logger: silentLogger,
    redact: (text) => text.replaceAll("s3cr3t-value", "***"),
    ...changes,
  });
  const run = async (
    calls: ReturnType<typeof call>[],
    observer: CallObserver = {},
    signal = new AbortController().signal,
  ) => (await toolbelt.run(calls, { context: toolContext(), observer }, signal)).map((message) => message.content);
  return { run, kept };
}

describe("words of strangers", () => {
  it("label the result that holds them", async () => {
    const tools = [
      fakeTool("server", { origin: "mcp" }),
      fakeTool("notes"),
      fakeTool("fetched", {
        execute: (_args, context) => {
          context.noteUntrusted?.("what a command got from example.org");
          return Promise.resolve(result("text"));
        },
      }),
    ];
    const toolbelt = new Toolbelt({
      listing: await listingOf(registryOf(...tools).registry),
      files: { keep: () => Promise.resolve(undefined) },
      clock: systemClock,
      logger: silentLogger,
      redact: (text) => text,
    });
    const names = ["server", "notes", "fetched"];
    const messages = await toolbelt.run(
      names.map((name) => call(name)),
      { context: toolContext(), observer: {} },
      never,
    );
    expect(messages.map(({ untrusted }) => untrusted)).toEqual([
      "server",
      undefined,
      "what a command got from example.org",
    ]);
  });

  it("make lasting changes a question about exactly this; nobody there means no", async () => {
    let ran = 0;
    const lasting = fakeTool("keep", {
      isLasting: true,
      execute: () => {
        ran += 1;
        return Promise.resolve(result("kept"));
      },
    });
    const toolbelt = new Toolbelt({
      listing: await listingOf(registryOf(lasting).registry),
      files: { keep: () => Promise.resolve(undefined) },
      clock: systemClock,
      logger: silentLogger,
      redact: (text) => text,
    });
    const asked: unknown[] = [];
    const run = async (untrusted: string | undefined, answer?: "once" | "deny") => {
      const approver = {
        canAsk: () => answer !== undefined,
        ask: (request: { choices: unknown }) => {
          asked.push(request.choices);
          return Promise.resolve(answer ?? "deny");
        },
      };
      const context = { ...toolContext({ scope: testScope({ approver }) }), untrusted };
      const [message] = await toolbelt.run([call("keep")], { context, observer: {} }, never);
      return String(message?.content);
    };
    expect(await run(undefined)).toContain("kept");
    expect(await run("a page")).toContain("nobody can be asked here");
    expect(await run("a page", "deny")).toContain("did not agree");
    expect(await run("a page", "once")).toContain("kept");
    expect(ran).toBe(2);
    expect(asked).toEqual([
      ["once", "deny"],
      ["once", "deny"],
    ]);
  });
});

describe("a toolbelt", () => {
  it("gives the documented shape for each way a call can fail [30:1.8] [30:1.13-5] [30:1.13-7] [30:REG-50] [30:REG-51] [10:TOOL-2]", async () => {
    const { run } = await belt([
      fakeTool("throws", {
        execute: () => {
          throw new TypeError("boom");
        },
      }),
      fakeTool("says", { execute: () => Promise.reject(new ToolFailure("no such file", { similar_files: ["a"] })) }),
      fakeTool("hooked"),
    ]);
    expect(await run([call("throws"), call("says"), call("nope")])).toEqual([
      '{"error":"Tool execution failed: TypeError: boom"}',
      '{"error":"no such file","similar_files":["a"]}',
      '{"error":"Unknown tool: nope"}',
    ]);
    const broken: CallObserver = { beforeCall: () => Promise.reject(new Error("x")) };
    expect(await run([call("hooked")], broken)).toEqual(['{"error":"Error executing hooked: x"}']);
    const blocks: CallObserver = { beforeCall: () => Promise.resolve("not today") };
    expect(await run([call("hooked")], blocks)).toEqual(['{"error":"not today"}']);
  });

  it("does not count the wait for a person as time of the call", async () => {
    const clock = new FakeClock(0);
    const asked = new Deferred<void>();
    const answer = new Deferred<"once">();
    const scope = testScope({
      approver: {
        ask: () => {
          asked.resolve();
          return answer.promise;
        },
      },
    });
    const asks = fakeTool("asks", {
      execute: async (_args, context) => {
        const { approver, key } = context.scope;
        const request = { id: "a", tool: "asks", summary: "", findings: [], choices: ["once" as const] };
        await approver.ask({ ...request, isDestructive: false, sessionKey: key, taskId: key }, context.signal);
        await clock.sleep(2_000, context.signal);
        return result({ done: true });
      },
    });
    const toolbelt = new Toolbelt({
      listing: await listingOf(registryOf(asks).registry),
      files: { keep: () => Promise.resolve("") },
      clock,
      logger: silentLogger,
      redact: (text) => text,
    });
    const ended: CallOutcome[] = [];
    const observer: CallObserver = { onEnd: (outcome) => void ended.push(outcome) };
    const running = toolbelt.run([call("asks")], { context: { ...toolContext(), scope }, observer }, never);
    await asked.promise;
    await clock.advance(30_000);
    answer.resolve("once");
    await clock.advance(2_000);
    await running;
    expect(ended.map(({ durationMs }) => durationMs)).toEqual([2_000]);
  });

  it("gives calls what their agent can do, and says so where it cannot", async () => {
    const { run } = await belt([todoTool]);
    expect(await run([call("todo")])).toEqual(['{"error":"There is no task list here; keep the plan in mind."}']);
  });

  it("refuses arguments that are not what the schema says before anything is run [30:REG-60]", async () => {
    const tool = defineTool({
      ...fakeTool("count"),
      effects: "none",
      parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      run: ({ n }) => Promise.resolve(result({ n: n + 1 })),
    });
    const { run } = await belt([tool]);
    expect(
      await run([call("count", { n: "41" }, "1"), call("count", {}, "2"), call("count", { n: "x" }, "3")]),
    ).toEqual([
      '{"n":42}',
      '{"error":"Wrong arguments for count: n is missing. Nothing was run."}',
      '{"error":"Wrong arguments for count: n must be a number, not \\"x\\". Nothing was run."}',
    ]);
  });

  it("coerces what it may and passes plain objects on [30:REG-60] [10:TOOL-14]", async () => {
    const seen: unknown[] = [];
    const { run } = await belt([
      fakeTool("read_file", {
        parameters: { type: "object", properties: { offset: { type: "integer" }, limit: { type: "integer" } } },
        execute: (args) => {
          seen.push(args);
          return Promise.resolve(result("plain text"));
        },
      }),
    ]);
    expect(await run([call("read_file", { path: "a", offset: "10", limit: "20" })])).toEqual([
      '{"result":"plain text"}',
    ]);
    expect(seen).toEqual([{ path: "a", offset: 10, limit: 20 }]);
  });

  it("always answers in JSON: values as they are, plain words wrapped, JSON text untouched [30:REG-52]", async () => {
    const gives = (name: string, content: unknown) =>
      fakeTool(name, { execute: () => Promise.resolve(result(content as string)) });
    const { run } = await belt([gives("value", { a: [1] }), gives("words", "done, mostly"), gives("json", '{"b": 2}')]);
    expect(await run([call("value"), call("words"), call("json")])).toEqual([
      '{"a":[1]}',
      '{"result":"done, mostly"}',
      '{"b": 2}',
    ]);
  });

  it.each([
    [{ exit_code: 2, output: "" }, true],
    [{ exit_code: 0, output: "Error: not one" }, false],
    [{ success: false }, true],
    [{ status: "timeout" }, true],
    [{ error: "no such page" }, true],
    [{ error: "", note: 'the text {"error":"x"} is only quoted' }, false],
  ])("knows a failure by the fields of its result: %j [30:REG-54]", async (content, isError) => {
    const ended: CallOutcome[] = [];
    const { run } = await belt([fakeTool("any", { execute: () => Promise.resolve(result(content)) })]);
    await run([call("any")], { onEnd: (outcome) => void ended.push(outcome) });
    expect(ended.map((outcome) => outcome.kind)).toEqual([isError ? "failed" : "succeeded"]);
  });

  it("leaves the thread to others while a call waits, and a stopped call ends [30:REG-40]", async () => {
    const started = new Deferred<void>();
    const stop = new AbortController();
    const { run } = await belt([
      fakeTool("waits", {
        execute: (_args, { signal }) =>
          new Promise((_resolve, reject) => {
            started.resolve();
            signal.addEventListener("abort", () => reject(signal.reason), { once: true });
          }),
      }),
    ]);
    const running = run([call("waits")], {}, stop.signal);
    await started.promise;
    stop.abort();
    expect(await running).toHaveLength(1);
  });

  it("runs nothing whose arguments were cut or cannot be read [30:REG-56]", async () => {
    let ran = 0;
    const { run } = await belt([
      fakeTool("terminal", {
        execute: () => {
          ran += 1;
          return Promise.resolve(result({}));
        },
      }),
    ]);
    const [cut, broken] = await run([call("terminal", '{"command":"rm -rf /tmp/x'), call("terminal", "{command}")]);
    expect(ran).toBe(0);
    expect(cut).toContain("were cut off");
    expect(broken).toContain("not valid JSON");
  });

  it("runs safe calls together and answers in the order of the calls [30:1.10] [30:1.13-13] [30:REG-70] [30:REG-73]", async () => {
    const slow = new Deferred<void>();
    const order: string[] = [];
    const { run } = await belt([
      fakeTool("read_file", {
        concurrency: "safe",
        execute: async () => {
          await slow.promise;
          order.push("read");
          return result({ n: 1 });
        },
      }),
      fakeTool("web_search", {
        concurrency: "safe",
        execute: () => {
          order.push("search");
          slow.resolve();
          return Promise.resolve(result({ n: 2 }));
        },
      }),
    ]);
    expect(await run([call("read_file"), call("web_search")])).toEqual(['{"n":1}', '{"n":2}']);
    expect(order).toEqual(["search", "read"]);
  });

  it("runs serial calls and everything beside an interactive one strictly in turn [30:1.13-14] [30:REG-70] [30:REG-71]", async () => {
    const running: string[] = [];
    let most = 0;
    const watched = (name: string, concurrency: Tool["concurrency"]) =>
      fakeTool(name, {
        ...defined({ concurrency }),
        execute: async () => {
          running.push(name);
          most = Math.max(most, running.length);
          await new Promise((resolve) => setImmediate(resolve));
          running.splice(running.indexOf(name), 1);
          return result({});
        },
      });
    const { run } = await belt([
      watched("memory", undefined),
      watched("web_search", "safe"),
      watched("clarify", "never"),
    ]);
    await run([call("memory", {}, "1"), call("memory", {}, "2")]);
    await run([call("clarify"), call("web_search", {}, "3"), call("web_search", {}, "4")]);
    expect(most).toBe(1);
    await run([call("web_search", {}, "5"), call("web_search", {}, "6")]);
    expect(most).toBe(2);
  });

  it("answers every call when the user interrupts, also the ones that did not start [30:REG-74] [10:LOOP-22] [10:TOOL-12]", async () => {
    const stop = new AbortController();
    const { run } = await belt([
      fakeTool("first", {
        execute: (_args, context) =>
          new Promise((_resolve, reject) => {
            context.signal.addEventListener("abort", () => reject(new Error("stopped")));
            stop.abort();
          }),
      }),
      fakeTool("second"),
    ]);
    expect(await run([call("first"), call("second")], {}, stop.signal)).toEqual([
      '{"error":"first did not run: cancelled by the user","cancelled":true}',
      '{"error":"second did not run: cancelled by the user","cancelled":true}',
    ]);
  });

  it("keeps a long result in a file and shows where [10:TOOL-16] [10:TOOL-17]", async () => {
    const long = JSON.stringify({ content: "x".repeat(150_000) });
    const { run, kept } = await belt([
      fakeTool("web_extract", { execute: () => Promise.resolve(result(long)) }),
      fakeTool("read_file", { maxResultChars: Number.POSITIVE_INFINITY, execute: () => Promise.resolve(result(long)) }),
    ]);
    const [bounded, whole] = await run([call("web_extract", {}, "call/1"), call("read_file")]);
    expect(String(bounded)).toMatch(/^<persisted-output>/);
    expect(String(bounded)).toContain("/tmp/hermes-results/call_1.txt");
    expect(kept.get("call_1")).toBe(long);
    expect(whole).toBe(long);
  });

  it("moves the longest results away while their sum is too large", async () => {
    const text = (length: number) =>
      fakeTool(`t${length}`, { execute: () => Promise.resolve(result({ x: "y".repeat(length) })) });
    const { run, kept } = await belt([text(90_000), text(80_000), text(60_000)]);
    const contents = await run([call("t80000"), call("t90000"), call("t60000")]);
    expect([...kept.keys()]).toEqual(["t90000"]);
    expect(String(contents[1])).toMatch(/^<persisted-output>/);
    expect(String(contents[0])).toContain("yyy");
  });

  it("masks secrets in results, progress and errors before anyone sees them [30:REG-53]", async () => {
    const progress: string[] = [];
    const outcomes: CallOutcome[] = [];
    const { run } = await belt([
      fakeTool("leaks", {
        execute: (_args, context) => {
          context.progress("with s3cr3t-value");
          return Promise.resolve(result({ output: "key s3cr3t-value" }, { diff: "+s3cr3t-value" }));
        },
      }),
      fakeTool("fails", { execute: () => Promise.reject(new Error("bad s3cr3t-value")) }),
    ]);
    const contents = await run([call("leaks"), call("fails")], {
      onProgress: (_call, text) => progress.push(text),
      onEnd: (outcome) => outcomes.push(outcome),
    });
    expect(JSON.stringify([contents, progress, outcomes])).not.toContain("s3cr3t-value");
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(["succeeded", "failed"]);
  });

  it("tells its observer about every call once, and lets it replace a result [10:TOOL-1]", async () => {
    const log: string[] = [];
    const observer: CallObserver = {
      beforeCall: (one) => {
        log.push(`before ${one.function.name}`);
        return Promise.resolve(undefined);
      },
      afterCall: (outcome) => {
        log.push(`after ${outcome.call.function.name} ${outcome.kind}`);
        return Promise.resolve('{"replaced":true}');
      },
    };
    const { run } = await belt([fakeTool("a")]);
    expect(await run([call("a")], observer)).toEqual(['{"replaced":true}']);
    expect(log).toEqual(["before a", "after a succeeded"]);
    const blocks: CallObserver = { ...observer, beforeCall: () => Promise.resolve("no") };
    expect(await run([call("a")], blocks)).toEqual(['{"error":"no"}']);
    expect(log).toHaveLength(2);
  });
});
