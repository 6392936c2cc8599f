import { readdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { importModule } from "#foundation/process/import-module";
import { runProcess } from "#foundation/process/run";
import { isRecord, parseJson } from "#foundation/text/json";
import { frozenCopy } from "./frozen-copy.ts";
import { HookThread } from "./hook-thread.ts";

/** A built-in watcher, always active. */
export interface GatewayHandler {
  readonly name: string;
  readonly events: readonly string[];
  /** Instead of the usual time. */
  readonly timeoutMs?: number | undefined;
  handle(event: string, context: Readonly<Record<string, unknown>>, signal: AbortSignal): unknown;
}

export interface GatewayHookDeps {
  readonly logger: Logger;
  /** `$HERMES_HOME/hooks`. */
  readonly folder: string;
  readonly builtin?: readonly GatewayHandler[];
  /** The environment of executables, already without secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** What a hook may have of it besides, by the names in its `HOOK.yaml`. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
const longestTimeoutMs = 300_000;
const modules: ReadonlySet<string> = new Set([".mjs", ".js", ".ts"]);
const usualHandlers = ["handler.mjs", "handler.js", "handler.ts", "handler.py", "handler.sh", "handler"];

/**
 * Hooks of the gateway: folders with a `HOOK.yaml` and a handler, which is a module that exports
 * `handle(event, context)` or a program that reads `{event, context}` as JSON and may print what it decides. None of them
 * can fail the event they watch.
 */
export class GatewayHooks implements AsyncDisposable {
  readonly #deps: GatewayHookDeps;
  readonly #threads = new Scope();
  #handlers: readonly GatewayHandler[];

  constructor(deps: GatewayHookDeps) {
    this.#deps = deps;
    this.#handlers = deps.builtin ?? [];
  }

  get names(): readonly string[] {
    return this.#handlers.map((handler) => handler.name);
  }

  async load(): Promise<void> {
    const found: { readonly order: number; readonly handler: GatewayHandler }[] = [];
    const entries = await readdir(this.#deps.folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((one) => one.isDirectory()).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      try {
        const read = await this.#read(join(this.#deps.folder, entry.name), entry.name);
        if (read !== undefined) found.push(read);
      } catch (error) {
        this.#deps.logger.warn("gateway hook left out", { hook: entry.name, error: describe(error) });
      }
    }
    found.sort((one, other) => one.order - other.order);
    this.#handlers = [...(this.#deps.builtin ?? []), ...found.map(({ handler }) => handler)];
  }

  /** Ends the threads of those that have one. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#threads[Symbol.asyncDispose]();
  }

  /**
   * Tells every handler of the event, one after the other: those that name it first, then those with a pattern. Never
   * throws, except when aborted. Gives the first decision that is not `allow`.
   */
  async fire(event: string, context: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    const frozen = frozenCopy(context);
    let decision: unknown;
    const exact = this.#handlers.filter(({ events }) => events.includes(event));
    const byPattern = this.#handlers.filter(
      ({ events }) => !events.includes(event) && events.some((pattern) => matches(pattern, event)),
    );
    for (const handler of [...exact, ...byPattern]) {
      const timeoutMs = handler.timeoutMs ?? this.#deps.timeoutMs ?? defaultTimeoutMs;
      using limit = deadline(timeoutMs, "the hook took too long");
      const bounded = linkSignals(signal, limit.signal);
      try {
        const answer = await raceAbort(
          Promise.resolve().then(() => handler.handle(event, frozen, bounded)),
          bounded,
        );
        if (isDecision(answer)) decision ??= answer;
      } catch (error) {
        signal.throwIfAborted();
        this.#deps.logger.warn("gateway hook failed and was skipped", {
          hook: handler.name,
          event,
          error: describe(error),
        });
      }
    }
    return decision;
  }

  async #read(folder: string, folderName: string) {
    const text = await readTextFile(join(folder, "HOOK.yaml"), { maxBytes: 64 * 1024 });
    if (text === undefined) return undefined;
    const { parse } = await import("yaml");
    const raw: unknown = parse(text, { maxAliasCount: 20 });
    const settings = isRecord(raw) ? raw : {};
    if (settings["enabled"] === false) return undefined;
    const events = Array.isArray(settings["events"]) ? settings["events"].map(String) : [];
    if (events.length === 0) throw new Error("HOOK.yaml names no events");
    const name = typeof settings["name"] === "string" ? settings["name"] : folderName;
    const { timeout_ms: wantedMs, order } = settings;
    const timeoutMs = typeof wantedMs === "number" && wantedMs > 0 ? Math.min(wantedMs, longestTimeoutMs) : undefined;
    const handler = { name, events, timeoutMs, handle: await this.#handler(folder, settings) };
    return { order: typeof order === "number" ? order : 0, handler };
  }

  async #handler(folder: string, settings: Readonly<Record<string, unknown>>): Promise<GatewayHandler["handle"]> {
    const named = settings["handler"];
    const names = typeof named === "string" ? [basename(named)] : usualHandlers;
    const env = this.#environment(settings["env"]);
    for (const name of names) {
      const file = join(folder, name);
      if (!(await isFile(file))) continue;
      const kind = extname(name);
      if (modules.has(kind)) return await this.#module(file, { isIsolated: settings["isolate"] === true, env });
      if (kind === ".py") return program("python3", await pythonArguments(file), { cwd: folder, env });
      return kind === ".sh" ? program("sh", [file], { cwd: folder, env }) : program(file, [], { cwd: folder, env });
    }
    throw new Error(typeof named === "string" ? `there is no ${named}` : "it has no handler");
  }

  /** What programs see of the environment: no secrets but those that the hook names. */
  #environment(wanted: unknown): Readonly<Record<string, string>> {
    const { env, variables = {} } = this.#deps;
    const more: Record<string, string> = {};
    for (const name of Array.isArray(wanted) ? wanted.map(String) : []) {
      const value = variables[name];
      if (value !== undefined) more[name] = value;
    }
    return { ...env, ...more };
  }

  async #module(
    file: string,
    { isIsolated, env }: { readonly isIsolated: boolean; readonly env: Readonly<Record<string, string>> },
  ): Promise<GatewayHandler["handle"]> {
    if (!isIsolated) return await moduleHandler(file);
    const thread = this.#threads.adopt(new HookThread(pathToFileURL(file).href, env));
    return (event, context, signal) => thread.handle(event, context, signal);
  }
}

function program(
  command: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): GatewayHandler["handle"] {
  return async (event, context, signal) => {
    const ended = await runProcess(command, args, {
      cwd,
      env: { ...env },
      input: JSON.stringify({ event, context }),
      signal,
      maxOutputBytes: 64 * 1024,
    });
    if (ended.exitCode !== 0) throw new Error(`ended with exit code ${ended.exitCode ?? "none"}`);
    const answer = parseJson(ended.stdout.trim());
    return answer.ok ? answer.value : undefined;
  };
}

function isDecision(answer: unknown): boolean {
  return isRecord(answer) && typeof answer["decision"] === "string" && answer["decision"] !== "allow";
}

/** Calls the function `handle(event, context)` of a module, as hooks of the predecessor have it. */
const callHandle = `import asyncio, inspect, json, runpy, sys
told = json.load(sys.stdin)
said = runpy.run_path(sys.argv[1])["handle"](told["event"], told["context"])
if inspect.isawaitable(said):
    async def wait():
        return await said
    said = asyncio.run(wait())
if isinstance(said, dict):
    print(json.dumps(said))
`;

/** A script that reads its input itself is run as it is. */
async function pythonArguments(file: string): Promise<readonly string[]> {
  const text = (await readTextFile(file, { maxBytes: 1024 * 1024 })) ?? "";
  return /^(?:async\s+)?def\s+handle\s*\(/mu.test(text) ? ["-c", callHandle, file] : [file];
}

/** `command:*` stands for every event that begins with `command:`; `*` for all. */
function matches(pattern: string, event: string): boolean {
  return pattern.endsWith("*") ? event.startsWith(pattern.slice(0, -1)) : pattern === event;
}

async function moduleHandler(path: string): Promise<GatewayHandler["handle"]> {
  const loaded: unknown = await importModule(pathToFileURL(path).href);
  const exported: Readonly<Record<string, unknown>> =
    typeof loaded === "object" && loaded !== null ? { ...loaded } : {};
  const handle = exported["handle"] ?? exported["default"];
  if (typeof handle !== "function") throw new Error("its module exports no handle function");
  return (event, context) => handle(event, context);
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
