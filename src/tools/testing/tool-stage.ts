import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type LoadedConfig, loadConfig, type Machine, redactorFor } from "#config";
import { defined } from "#foundation/defined";
import { HermesHome } from "#foundation/files/paths";
import { Scope } from "#foundation/lifecycle/disposal";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { combineObservers } from "../call/combine-observers.ts";
import { Toolbelt } from "../call/toolbelt.ts";
import { noAbilities } from "../contract/ability.ts";
import type { SessionScope } from "../contract/session-scope.ts";
import { unattendedScope } from "../contract/unattended-scope.ts";
import { openTools } from "../open/open-tools.ts";
import type { Toolbox } from "../open/toolbox.ts";
import type { ToolsOptions } from "../open/tools-base.ts";

export interface ToolStage extends AsyncDisposable {
  readonly home: HermesHome;
  /** A project to work in, outside the home of Hermes. */
  readonly cwd: string;
  readonly logger: ReturnType<typeof memoryLogger>;
  readonly notices: readonly string[];
  /** The machine as a new process would find it, from the files as they are now. */
  machine(changes?: { readonly loaded?: LoadedConfig }): Promise<Machine>;
  /** Opens the tools as a new process would. */
  open(options?: ToolsOptions & { readonly loaded?: LoadedConfig }): Promise<Toolbox>;
  /** A session of the person at the terminal who answers nothing, in the project; or as changed. */
  scope(changes?: Partial<SessionScope>): SessionScope;
  /** Runs one call as a turn would, and gives the text the model reads. */
  call(toolbox: Toolbox, tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  /** The same for another session or task. */
  as(changes: Partial<SessionScope>, taskId?: string): ToolStage["call"];
  /** Opens the session; its end is awaited by disposing it. */
  session(toolbox: Toolbox, changes?: Partial<SessionScope>): AsyncDisposable;
  read(name: string): Promise<string>;
}

/** A person without keys: a user folder with a Hermes home in it, a project, and nothing else in the environment. */
export async function toolStage(files: Readonly<Record<string, string>> = {}): Promise<ToolStage> {
  const owned = new Scope();
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-tools-"));
  owned.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const home = new HermesHome(path.join(folder, ".hermes"));
  const cwd = path.join(folder, "project");
  await Promise.all([mkdir(home.root), mkdir(cwd)]);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(home.at(name)), { recursive: true });
    await writeFile(home.at(name), text);
  }
  const env = { HOME: folder, PATH: process.env["PATH"] };
  const logger = memoryLogger();
  const notices: string[] = [];
  const machine: ToolStage["machine"] = async (changes = {}) => {
    const loaded = changes.loaded ?? (await loadConfig({ home, env, cwd }));
    const redactor = redactorFor(loaded);
    const notice = (text: string): void => void notices.push(text);
    const settingsNow = () => Promise.resolve(loaded);
    const place = { home, env, cwd, userHome: folder, version: "0.0.0" };
    return { ...place, loaded, settingsNow, settingsStamp: () => "", clock: systemClock, logger, redactor, notice };
  };
  const scope: ToolStage["scope"] = (changes = {}) => unattendedScope({ key: "cli", source: "cli", cwd, ...changes });
  return {
    home,
    cwd,
    logger,
    notices,
    machine,
    open: async ({ loaded, ...options } = {}) => owned.adopt(openTools(await machine(defined({ loaded })), options)),
    scope,
    call: callAs(scope(), "task"),
    as: (changes, taskId = "task") => callAs(scope(changes), taskId),
    session: (toolbox, changes) =>
      toolbox.openSession({
        scope: scope(changes),
        sessionId: () => "session",
        enabledTools: () => new Set(toolbox.registry.snapshot().tools.keys()),
      }),
    read: (name) => readFile(home.at(name), "utf8"),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

function callAs(scope: SessionScope, taskId: string): ToolStage["call"] {
  const context = { scope, taskId, sessionId: "session", agent: noAbilities };
  return async (toolbox, tool, args) => {
    const { signal } = new AbortController();
    const belt = new Toolbelt({
      listing: await toolbox.list({}, scope, signal),
      files: toolbox.files(context),
      clock: systemClock,
      logger: memoryLogger(),
      redact: (text) => toolbox.redact(text),
    });
    const call = {
      id: `call_${tool}`,
      type: "function",
      function: { name: tool, arguments: JSON.stringify(args) },
    } as const;
    const observer = combineObservers(...toolbox.observers({ ...context, signal }));
    const [message] = await belt.run([call], { context, observer }, signal);
    return typeof message?.content === "string" ? message.content : JSON.stringify(message?.content);
  };
}
