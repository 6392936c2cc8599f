import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadConfig } from "#config";
import { memoryLogger } from "#foundation/files/logger";
import { HermesHome } from "#foundation/files/paths";
import { Scope } from "#foundation/lifecycle/disposal";
import { systemClock } from "#foundation/time/clock";
import { combineObservers, Toolbelt } from "#tools";
import type { Toolbox } from "../toolbox.ts";
import { openToolbox, type ToolboxOptions } from "../wire-tools.ts";

export interface ToolboxStage extends AsyncDisposable {
  readonly home: HermesHome;
  /** A project to work in, outside the home of Hermes. */
  readonly cwd: string;
  readonly logger: ReturnType<typeof memoryLogger>;
  readonly notices: readonly string[];
  /** Opens a toolbox as a new process would, from the files as they are now. */
  open(changes?: Partial<ToolboxOptions>): Promise<Toolbox>;
  /** Runs one call as a turn would, and gives the text the model reads. */
  call(toolbox: Toolbox, tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
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
  return {
    home,
    cwd,
    logger,
    notices,
    async open(changes = {}) {
      const options: ToolboxOptions = {
        loaded: await loadConfig({ home, env, cwd }),
        home,
        env,
        cwd,
        userHome: folder,
        version: "0.0.0",
        clock: systemClock,
        logger,
        onNotice: (text) => void notices.push(text),
        ...changes,
      };
      return scope.adopt(await openToolbox(options));
    },
    call: callAs({}),
    read: (name) => readFile(home.at(name), "utf8"),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

const who = { taskId: "task", sessionId: "session", sessionKey: "cli", surface: "cli" };

/** Like {@link ToolboxStage.call}, from another surface or task. */
export function callAs(changes: Partial<typeof who>): ToolboxStage["call"] {
  const context = { ...who, ...changes };
  return async (toolbox, tool, args) => {
    const { signal } = new AbortController();
    const belt = new Toolbelt({
      listing: await toolbox.list({}, signal),
      files: toolbox.files(context.taskId),
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
