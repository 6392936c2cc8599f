import { describe, expect, it } from "vitest";
import { newToolCall } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
import { Toolbelt } from "#tools";
import { listingOf, toolContext } from "#tools/testing";
import { type PluginStage, pluginStage, type StageOptions } from "../testing.ts";

const source = `
export function register(ctx) {
  ctx.logger.info("hello from a process", { pid: process.pid });
  ctx.registerTool({ name: "iso_echo", toolset: "iso", schema: { type: "object", properties: { n: { type: "integer" } } },
    description: "Echoes", checkFn: () => true,
    handler: (args, context) => { context.progress("half way"); return { args, pid: process.pid, task: context.taskId,
      secret: process.env.SECRET ?? null, wanted: process.env.WANTED ?? null, config: ctx.config }; } });
  ctx.registerTool({ name: "iso_wait", toolset: "iso", schema: { type: "object" },
    handler: (args, context) => new Promise((resolve) => context.signal.addEventListener("abort", () => resolve("stopped"))) });
  ctx.registerTool({ name: "iso_crash", toolset: "iso", schema: { type: "object" }, handler: () => process.exit(3) });
  ctx.registerTool({ name: "iso_fail", toolset: "iso", schema: { type: "object" }, handler: () => { throw new Error("no luck"); } });
  ctx.registerTool({ name: "iso_ask", toolset: "iso", schema: { type: "object" }, handler: () => ctx.dispatchTool("other", { a: 1 }) });
  ctx.registerHook("pre_tool_call", ({ args }) => args.bad ? { action: "block", message: "not that" } : undefined);
  ctx.registerCommand("iso", (raw) => raw.toUpperCase(), { description: "Loud" });
}`;

async function isolated(stage: PluginStage, options: StageOptions = {}) {
  await stage.write({
    "plugins/iso/plugin.yaml": "name: iso\nrequires_env: [WANTED]\n",
    "plugins/iso/index.mjs": source,
  });
  const env = { PATH: process.env["PATH"], SECRET: "not for plugins", WANTED: "yes" };
  const host = stage.host(["iso"], { isolation: "process", env, ...options });
  await host.load();
  const call = async (name: string, args: object = {}, signal = never): Promise<unknown> => {
    const tool = stage.registry.snapshot().tools.get(name);
    return (await tool?.execute({ ...args }, toolContext({ signal, taskId: "t1" })))?.content;
  };
  return { host, call };
}

describe("a plugin in a process of its own", () => {
  it("[30:7.6] gives tools, hooks and commands, and sees neither our secrets nor our configuration", async () => {
    await using stage = await pluginStage();
    const { host, call } = await isolated(stage, {
      wiring: {
        sessions: {
          location: () => undefined,
          callTool: ({ tool, args }, { taskId }) => Promise.resolve(`${tool} ${JSON.stringify(args)} in ${taskId}`),
        },
        config: { iso: { a: 1 } },
      },
    });
    expect(host.list.map(({ state }) => state)).toEqual([{ kind: "enabled" }]);
    const answer = (await call("iso_echo", { n: 1 })) as Record<string, unknown>;
    expect(answer).toMatchObject({ args: { n: 1 }, task: "t1", secret: null, wanted: "yes", config: {} });
    expect(answer["pid"]).not.toBe(process.pid);
    expect(await stage.registry.snapshot().tools.get("iso_echo")?.check?.(never)).toBe(true);
    expect(await call("iso_ask")).toBe('other {"a":1} in t1');
    await expect(call("iso_fail")).rejects.toThrow("no luck");
    const hook = { tool_name: "x", task_id: "t", session_id: "s", tool_call_id: "c" };
    expect(await stage.hooks.beforeToolCall({ ...hook, args: { bad: true } }, never)).toMatchObject({ kind: "block" });
    expect(await stage.hooks.beforeToolCall({ ...hook, args: {} }, never)).toEqual({ kind: "run" });
    expect(await stage.contributions.commands.get("iso")?.handler("loud")).toBe("LOUD");
    expect(stage.logger.lines.some((line) => line.message === "hello from a process")).toBe(true);
  });

  it("[30:7.6] its tools pass coercion, redaction and limits like any other", async () => {
    await using stage = await pluginStage();
    await isolated(stage);
    const belt = new Toolbelt({
      listing: await listingOf(stage.registry),
      files: { keep: () => Promise.resolve("/nowhere") },
      clock: systemClock,
      logger: stage.logger,
      redact: (text) => text.replaceAll("yes", "***"),
    });
    const call = newToolCall({ id: "c", name: "iso_echo", arguments: '{"n":"5"}' });
    const progress: string[] = [];
    const observer = { onProgress: (_: unknown, text: string) => void progress.push(text) };
    const [message] = await belt.run([call], { context: toolContext(), observer }, never);
    expect(JSON.parse(String(message?.content))).toMatchObject({ args: { n: 5 }, wanted: "***" });
    expect(progress).toEqual(["half way"]);
  });

  it("[30:7.6] a crash turns off this plugin only, and what was under way fails", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "plugins/calm/plugin.yaml": "name: calm\n",
      "plugins/calm/index.mjs": `export const register = (ctx) => ctx.registerCommand("calm", () => "still here");`,
    });
    const { host, call } = await isolated(stage, { choice: { enabled: ["iso", "calm"], disabled: [] } });
    await expect(call("iso_crash")).rejects.toThrow("exit code 3");
    await expect.poll(() => stage.registry.snapshot().tools.size).toBe(0);
    expect(host.list.map(({ key, state }) => [key, state.kind])).toEqual([
      ["calm", "enabled"],
      ["iso", "failed"],
    ]);
    expect(await stage.contributions.commands.get("calm")?.handler("")).toBe("still here");
    expect(stage.contributions.commands.has("iso")).toBe(false);
  });

  it("[30:7.6] an abort reaches the plugin, and its process goes with it", async () => {
    await using stage = await pluginStage();
    const adopted: number[] = [];
    const { host, call } = await isolated(stage, {
      adoptProcess: (pid) => {
        adopted.push(pid);
        return { [Symbol.dispose]: () => void adopted.push(-pid) };
      },
    });
    const stop = new AbortController();
    const waiting = call("iso_wait", {}, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    const { pid } = (await call("iso_echo")) as { pid: number };
    await host.disable("iso");
    expect(() => process.kill(pid, 0)).toThrow();
    expect(adopted).toEqual([pid, -pid]);
  });

  it("[30:7.4] one that fails to register, or asks for what a process cannot have, is not loaded", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "plugins/broken/plugin.yaml": "name: broken\n",
      "plugins/broken/index.mjs": `export const register = (ctx) => { ctx.registerCommand("half", () => ""); ctx.registerMemoryProvider({}); };`,
    });
    const { host } = await isolated(stage, { choice: { enabled: ["broken"], disabled: [] } });
    expect(host.list.find(({ key }) => key === "broken")?.state).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("registerMemoryProvider"),
    });
    expect(stage.contributions.commands.size).toBe(0);
  });
});
