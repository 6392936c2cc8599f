import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadConfig, type Machine } from "#config";
import { memoryLogger } from "#foundation/files/logger";
import { HermesHome } from "#foundation/files/paths";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { Redactor } from "#foundation/secrets/redact";
import { systemClock } from "#foundation/time/clock";
import { Plugins, type PluginsOptions } from "#plugins";
import { combineObservers, type OpenSessions, type SessionScope, Toolbelt, unattendedScope } from "#tools";
import type { Toolbox } from "../toolbox.ts";
import { openToolbox, type ToolboxOptions } from "../wire-tools.ts";

/** The tools of a process, and its plugins. */
export type StageTools = Toolbox & { readonly plugins: Plugins };

export interface ToolboxStage extends AsyncDisposable {
  readonly home: HermesHome;
  /** A project to work in, outside the home of Hermes. */
  readonly cwd: string;
  readonly logger: ReturnType<typeof memoryLogger>;
  readonly notices: readonly string[];
  /** Opens a toolbox as a new process would, from the files as they are now. */
  open(changes?: Partial<ToolboxOptions> & Pick<PluginsOptions, "confirmHook">): Promise<StageTools>;
  /** A session of the person at the terminal who answers nothing, in the project; or as changed. */
  scope(changes?: Partial<SessionScope>): SessionScope;
  /** Runs one call as a turn would, and gives the text the model reads. */
  call(toolbox: Toolbox, tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  /** The same for another session or task. */
  as(changes: Partial<SessionScope>, taskId?: string): ToolboxStage["call"];
  /** Opens the session; its end is awaited by disposing it. */
  session(toolbox: Toolbox, changes?: Partial<SessionScope>): AsyncDisposable;
  read(name: string): Promise<string>;
}

/** A person without keys: a user folder with a Hermes home in it, a project, and nothing else in the environment. */
export async function toolboxStage(files: Readonly<Record<string, string>> = {}): Promise<ToolboxStage> {
  const scope = new Scope();
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-toolbox-"));
  scope.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
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
  const scopeOf = (changes: Partial<SessionScope> = {}): SessionScope =>
    unattendedScope({ key: "cli", source: "cli", cwd, ...changes });
  return {
    home,
    cwd,
    logger,
    notices,
    async open({ confirmHook, ...changes } = {}) {
      const machine: Machine = {
        loaded: await loadConfig({ home, env, cwd }),
        home,
        env,
        cwd,
        userHome: folder,
        version: "0.0.0",
        clock: systemClock,
        logger,
        redactor: new Redactor(),
        notice: (text) => void notices.push(text),
      };
      const plugins = new Plugins(machine, { builtinCommands: new Set(), confirmHook });
      const options = {
        ...machine,
        onNotice: machine.notice,
        extensions: (sessions: OpenSessions) => plugins.extensions(sessions),
      };
      const toolbox = scope.adopt(openToolbox({ ...options, ...changes }));
      scope.adopt(plugins);
      await plugins.load(toolbox, never);
      return { ...toolbox, plugins };
    },
    scope: scopeOf,
    call: callAs(scopeOf(), "task"),
    as: (changes, taskId = "task") => callAs(scopeOf(changes), taskId),
    session: (toolbox, changes) =>
      toolbox.openSession({
        scope: scopeOf(changes),
        sessionId: () => "session",
        enabledTools: () => new Set(toolbox.registry.snapshot().tools.keys()),
      }),
    read: (name) => readFile(home.at(name), "utf8"),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

function callAs(scope: SessionScope, taskId: string): ToolboxStage["call"] {
  const context = { scope, taskId, sessionId: "session" };
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
