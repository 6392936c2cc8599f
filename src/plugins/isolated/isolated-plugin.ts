import { pathToFileURL } from "node:url";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import { deadline, never, raceAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { isRecord } from "#foundation/text/json";
import type { PluginCall, PluginContext } from "../api.ts";
import type { FoundPlugin } from "../discover.ts";
import { PluginProcess } from "./child-process.ts";

export interface IsolationOptions {
  /** Our environment; a plugin sees the path, the language and what its manifest asks for. */
  readonly env: Readonly<Record<string, string | undefined>>;
  adopt?(pid: number): Disposable;
  onCrash(reason: string): void;
}

const startTimeoutMs = 15_000;
const alwaysPassed = ["PATH", "LANG", "LC_ALL", "TZ", "TMPDIR"];

/**
 * Runs a plugin in a process of its own. What it registers there is registered here as a stand-in that
 * passes each call on; so hooks, coercion, redaction and limits apply as to any other. A crash rejects what
 * was under way and tells the host, which disables this plugin only.
 */
export async function startIsolated(
  plugin: FoundPlugin,
  context: PluginContext,
  options: IsolationOptions,
): Promise<void> {
  const ready = new Deferred<void>();
  const held = new Map<number, Disposable>();
  let isReady = false;
  const child = new PluginProcess({
    env: environmentFor(plugin, options.env),
    cwd: plugin.folder,
    ...defined({ adopt: options.adopt }),
    onCrash: (reason) => {
      if (isReady) options.onCrash(reason);
      else ready.reject(new Error(reason));
    },
    onMessage: (message) => {
      if (message["type"] === "ready") ready.resolve();
      else if (message["type"] === "failed") ready.reject(new Error(String(message["message"])));
      else take(message, { context, child, held });
    },
  });
  context.onDispose(() => child[Symbol.asyncDispose]());
  child.post({
    type: "start",
    entry: pathToFileURL(plugin.entry ?? "").href,
    manifest: plugin.manifest,
    dataDir: context.dataDir,
  });
  using limit = deadline(startTimeoutMs, "it did not finish registering in time");
  await raceAbort(ready.promise, limit.signal);
  isReady = true;
}

interface Connection {
  readonly context: PluginContext;
  readonly child: PluginProcess;
  readonly held: Map<number, Disposable>;
}

/** One message of the plugin: something it registers, says or asks for. */
function take(message: Readonly<Record<string, unknown>>, connection: Connection): void {
  const { context, held } = connection;
  const handler = Number(message["handler"]);
  switch (message["type"]) {
    case "register": {
      const registration = register(message, handler, connection);
      if (registration !== undefined) held.set(handler, registration);
      return;
    }
    case "unregister":
      held.get(handler)?.[Symbol.dispose]();
      held.delete(handler);
      return;
    case "log": {
      const level = (["debug", "info", "warn", "error"] as const).find((one) => one === message["level"]) ?? "info";
      context.logger[level](String(message["message"]), isRecord(message["fields"]) ? message["fields"] : {});
      return;
    }
    case "ask":
      void answer(message, connection);
      return;
    default:
      context.logger.warn("a plugin sent a message that means nothing", { type: String(message["type"]) });
  }
}

function register(
  message: Readonly<Record<string, unknown>>,
  handler: number,
  { context, child }: Connection,
): Disposable | undefined {
  const name = String(message["name"]);
  switch (message["kind"]) {
    case "tool": {
      const input = isRecord(message["tool"]) ? message["tool"] : {};
      const check = message["check"];
      return context.registerTool({
        name,
        toolset: typeof input["toolset"] === "string" ? input["toolset"] : name,
        schema: isRecord(input["schema"]) ? input["schema"] : { type: "object", properties: {} },
        ...(typeof input["description"] === "string" ? { description: input["description"] } : {}),
        ...(typeof input["emoji"] === "string" ? { emoji: input["emoji"] } : {}),
        ...(Array.isArray(input["requiresEnv"]) ? { requiresEnv: input["requiresEnv"].map(String) } : {}),
        ...(typeof check === "number"
          ? { checkFn: async () => (await child.invoke({ handler: check, args: [] }, never)) === true }
          : {}),
        handler: (args, call) =>
          child.invoke({ handler, args: [args, facts(call)], progress: (text) => call.progress(text) }, call.signal),
      });
    }
    case "hook": {
      const callback = (payload: unknown, signal: AbortSignal): Promise<unknown> =>
        child.invoke({ handler, args: [payload] }, signal).then((value) => value ?? undefined);
      const hook = context.registerHook as (
        name: string,
        callback: (payload: unknown, signal: AbortSignal) => unknown,
        options: { readonly failClosed: boolean },
      ) => Disposable;
      return hook(name, callback, { failClosed: message["failClosed"] === true });
    }
    case "command":
      return context.registerCommand(
        name,
        async (raw) => {
          const answer = await child.invoke({ handler, args: [raw] }, never);
          return typeof answer === "string" ? answer : null;
        },
        isRecord(message["options"]) ? message["options"] : {},
      );
    default:
      context.logger.warn("a plugin registers something unknown", { kind: String(message["kind"]) });
      return undefined;
  }
}

/** What of a call can be told to another process. */
function facts(call: PluginCall): Readonly<Record<string, unknown>> {
  const { signal: _, progress: __, enabledTools, ...rest } = call;
  return { ...rest, enabledTools: [...enabledTools] };
}

async function answer(message: Readonly<Record<string, unknown>>, { context, child }: Connection): Promise<void> {
  const { id, what, args, call } = message;
  const [first, second, third] = Array.isArray(args) ? (args as readonly unknown[]) : [];
  // Asked on behalf of the call it is working on, so that the answer is of the same conversation.
  const asked = (work: () => unknown): unknown => (typeof call === "number" ? child.within(call, work) : work());
  try {
    if (what === "dispatchTool") {
      const value = await asked(() => context.dispatchTool(String(first), isRecord(second) ? second : {}));
      child.post({ type: "answer", id, value });
      return;
    }
    const role = typeof second === "string" ? second : "user";
    const sessionKey = typeof third === "string" ? third : undefined;
    const value = asked(() => context.injectMessage(String(first), role, sessionKey));
    child.post({ type: "answer", id, value });
  } catch (error) {
    child.post({ type: "answer", id, error: describe(error) });
  }
}

function environmentFor(
  plugin: FoundPlugin,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const names = [...alwaysPassed, ...plugin.manifest.requiresEnv.map(({ name }) => name)];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
