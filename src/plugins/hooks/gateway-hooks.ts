import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { importModule } from "#foundation/process/import-module";
import { runProcess } from "#foundation/process/run";
import { isRecord } from "#foundation/text/json";
import { frozenCopy } from "./frozen-copy.ts";

/** A built-in watcher, always active. */
export interface GatewayHandler {
  readonly name: string;
  readonly events: readonly string[];
  handle(event: string, context: Readonly<Record<string, unknown>>, signal: AbortSignal): unknown;
}

export interface GatewayHookDeps {
  readonly logger: Logger;
  /** `$HERMES_HOME/hooks`. */
  readonly folder: string;
  readonly builtin?: readonly GatewayHandler[];
  /** The environment of executables, already without secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 5_000;
const modules = ["handler.js", "handler.mjs", "handler.ts"];

/**
 * Hooks of the gateway: folders with a `HOOK.yaml` and a handler, which is a module that exports
 * `handle(event, context)` or a program that reads `{event, context}` as JSON. None of them can fail
 * the event they watch.
 */
export class GatewayHooks {
  readonly #deps: GatewayHookDeps;
  #handlers: readonly GatewayHandler[];

  constructor(deps: GatewayHookDeps) {
    this.#deps = deps;
    this.#handlers = deps.builtin ?? [];
  }

  get names(): readonly string[] {
    return this.#handlers.map((handler) => handler.name);
  }

  async load(): Promise<void> {
    const found: GatewayHandler[] = [...(this.#deps.builtin ?? [])];
    const entries = await readdir(this.#deps.folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((one) => one.isDirectory()).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      try {
        const handler = await this.#read(join(this.#deps.folder, entry.name), entry.name);
        if (handler !== undefined) found.push(handler);
      } catch (error) {
        this.#deps.logger.warn("gateway hook left out", { hook: entry.name, error: describe(error) });
      }
    }
    this.#handlers = found;
  }

  /** Tells every handler of the event, one after the other. Never throws, except when aborted. */
  async fire(event: string, context: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void> {
    const frozen = frozenCopy(context);
    for (const handler of this.#handlers.filter((one) => one.events.some((pattern) => matches(pattern, event)))) {
      using limit = deadline(this.#deps.timeoutMs ?? defaultTimeoutMs, "the hook took too long");
      const bounded = linkSignals(signal, limit.signal);
      try {
        await raceAbort(
          Promise.resolve().then(() => handler.handle(event, frozen, bounded)),
          bounded,
        );
      } catch (error) {
        signal.throwIfAborted();
        this.#deps.logger.warn("gateway hook failed and was skipped", {
          hook: handler.name,
          event,
          error: describe(error),
        });
      }
    }
  }

  async #read(folder: string, folderName: string): Promise<GatewayHandler | undefined> {
    const text = await readTextFile(join(folder, "HOOK.yaml"), { maxBytes: 64 * 1024 });
    if (text === undefined) return undefined;
    const { parse } = await import("yaml");
    const raw: unknown = parse(text, { maxAliasCount: 20 });
    const events = isRecord(raw) && Array.isArray(raw["events"]) ? raw["events"].map(String) : [];
    if (events.length === 0) throw new Error("HOOK.yaml names no events");
    const name = isRecord(raw) && typeof raw["name"] === "string" ? raw["name"] : folderName;
    for (const file of modules) {
      if (await isFile(join(folder, file))) return { name, events, handle: await moduleHandler(join(folder, file)) };
    }
    const python = join(folder, "handler.py");
    if (await isFile(python)) return { name, events, handle: this.#program("python3", [python], folder) };
    const program = join(folder, "handler");
    if (await isFile(program)) return { name, events, handle: this.#program(program, [], folder) };
    throw new Error("it has no handler");
  }

  #program(command: string, args: readonly string[], cwd: string): GatewayHandler["handle"] {
    return async (event, context, signal) => {
      const ended = await runProcess(command, args, {
        cwd,
        env: { ...this.#deps.env },
        input: JSON.stringify({ event, context }),
        signal,
        maxOutputBytes: 64 * 1024,
      });
      if (ended.exitCode !== 0) throw new Error(`ended with exit code ${ended.exitCode ?? "none"}`);
    };
  }
}

/** `command:*` stands for every event that begins with `command:`; `*` for all. */
function matches(pattern: string, event: string): boolean {
  return pattern.endsWith("*") ? event.startsWith(pattern.slice(0, -1)) : pattern === event;
}

async function moduleHandler(path: string): Promise<GatewayHandler["handle"]> {
  const loaded: unknown = await importModule(pathToFileURL(path).href);
  const handle = typeof loaded === "object" && loaded !== null && "handle" in loaded ? loaded.handle : undefined;
  if (typeof handle !== "function") throw new Error("its module exports no handle function");
  return (event, context) => handle(event, context);
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
