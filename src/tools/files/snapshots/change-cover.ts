import fs from "node:fs/promises";
import path from "node:path";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { CallObserver } from "../../contract/call-state.ts";
import type { SessionScope, ToolTask } from "../../contract/session-scope.ts";
import type { RunningCode, Tool } from "../../contract/tool.ts";
import type { WorkspaceSnapshots } from "./workspace-snapshots.ts";

export interface CoverDeps {
  readonly snapshots: WorkspaceSnapshots;
  readonly isEnabled: boolean;
  /** The user's home. */
  readonly home: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Snapshots are of folders on this machine. */
  isLocal(scope: SessionScope): boolean;
  /** Where the commands of a task run now; undefined while it has no terminal. */
  cwdOf(taskId: string): string | undefined;
  toolNamed(name: string): Tool | undefined;
  redact(text: string): string;
}

/** The turn that a session is in, and where it has worked. */
interface OpenTurn {
  readonly turn: string;
  readonly roots: Set<string>;
}

const rootMarks = [
  ".git",
  "pyproject.toml",
  "package.json",
  "Cargo.toml",
  "go.mod",
  "Makefile",
  "pom.xml",
  ".hg",
  "Gemfile",
];
/** The prompt comes first. */
const warmUpDelayMs = 1_000;

/**
 * Sees to it that whatever a call changes can be brought back: before anything that is not known to be read-only runs, the
 * folder it may change has a snapshot. Knows which turn a session is in, so that the snapshots can be told apart by turns.
 */
export class ChangeCover implements AsyncDisposable {
  readonly #deps: CoverDeps;
  readonly #turns = new Map<string, OpenTurn>();
  readonly #ending = new AbortController();
  readonly #warmUps = new Set<Promise<void>>();
  /** Folders that were seen to: many sessions of a process share one. */
  readonly #warmed = new Set<string>();

  constructor(deps: CoverDeps) {
    this.#deps = deps;
  }

  /** The main agent of a session works for this message of the person; its children work for it too. */
  begin(scope: SessionScope, turn: string): void {
    if (this.#turns.get(scope.key)?.turn !== turn) this.#turns.set(scope.key, { turn, roots: new Set() });
  }

  /** The files stay as the turn left them, until somebody else changes them. */
  async end(sessionKey: string): Promise<void> {
    const { turn, roots } = this.#turns.get(sessionKey) ?? { turn: undefined, roots: [] };
    this.#turns.delete(sessionKey);
    for (const root of roots) await this.#deps.snapshots.endTurn({ root, reason: "after a turn", turn }, never);
  }

  /** The file tools see to theirs themselves, when they know the paths. */
  observer(task: ToolTask, signal: AbortSignal): CallObserver {
    return {
      beforeCall: async (call, args) => {
        const code = whatRuns(this.#deps.toolNamed(call.function.name), args);
        if (code === undefined) return undefined;
        if (code.command !== undefined && (await this.#isReadOnly(code.command, task))) return undefined;
        await this.#cover(await this.#rootsFor(task, code.workdir), { task, reason: code.reason }, signal);
        return undefined;
      },
    };
  }

  /** Whether all of a workspace can be brought back as it is now. */
  async isCovered(workspace: string, scope: SessionScope, signal: AbortSignal): Promise<boolean> {
    if (!this.#deps.isEnabled || !this.#deps.isLocal(scope)) return false;
    const root = await sessionFolder({ cwd: workspace });
    const turn = this.#turns.get(scope.key)?.turn;
    return (await this.#deps.snapshots.before({ root, reason: "before a command", turn }, signal)).kind === "covered";
  }

  /** A command the person typed: no part of a turn. */
  async beforePersonal(command: string, task: ToolTask, signal: AbortSignal): Promise<void> {
    if (!(await this.#isReadOnly(command, task)))
      await this.#cover(
        await this.#rootsFor(task, undefined),
        { task, reason: `! ${command}`, isPersonal: true },
        signal,
      );
  }

  /** A program that lives longer than a call, such as an MCP server, may change the folder from its first moment on. */
  async beforeProgram(cwd: string, reason: string, signal: AbortSignal): Promise<void> {
    const root = await sessionFolder({ cwd });
    if (!this.#deps.isEnabled || !this.#deps.snapshots.covers(root)) return;
    await this.#deps.snapshots.before({ root, reason }, signal);
  }

  async beforeWriting(
    change: { readonly paths: readonly string[]; readonly reason: string },
    task: ToolTask,
    signal: AbortSignal,
  ): Promise<void> {
    const roots = await Promise.all(change.paths.map((file) => this.#rootOf(file, task.scope)));
    const reason = `${change.reason} ${change.paths.map((one) => path.basename(one)).join(" ")}`;
    await this.#cover(roots, { task, reason, files: change.paths }, signal);
  }

  /** The first snapshot is the long one: in a project it is taken before anybody waits for it. */
  warmUp(scope: SessionScope): void {
    if (!this.#deps.isEnabled || !this.#deps.isLocal(scope) || this.#warmed.has(scope.cwd)) return;
    this.#warmed.add(scope.cwd);
    const done = this.#warmUp(scope)
      .catch((error: unknown) => {
        if (!this.#ending.signal.aborted)
          this.#deps.logger.warn("the first snapshot was not made", { error: describe(error) });
      })
      .finally(() => this.#warmUps.delete(done));
    this.#warmUps.add(done);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#warmUps);
    this.#deps.snapshots[Symbol.dispose]();
  }

  async #warmUp(scope: SessionScope): Promise<void> {
    const { signal } = this.#ending;
    await this.#deps.clock.sleep(warmUpDelayMs, signal);
    const root = await sessionFolder(scope);
    if (this.#deps.snapshots.covers(root) && (await isProject(root)))
      await this.#deps.snapshots.before({ root, reason: "when a session was opened" }, signal);
    await this.#deps.snapshots.forgetGone(signal);
  }

  async #isReadOnly(command: string, { taskId, scope }: ToolTask): Promise<boolean> {
    const { isReadOnlyCommand } = await import("../../approval/detector/read-only-command.ts");
    return isReadOnlyCommand(command, { cwd: this.#deps.cwdOf(taskId) ?? scope.cwd, home: this.#deps.home });
  }

  async #cover(
    roots: readonly (string | undefined)[],
    change: {
      readonly task: ToolTask;
      readonly reason: string;
      readonly isPersonal?: boolean;
      /** All that changes, where that is known. */
      readonly files?: readonly string[];
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { isEnabled, snapshots, redact } = this.#deps;
    const { scope } = change.task;
    if (!isEnabled || !this.#deps.isLocal(scope)) return;
    const open = change.isPersonal === true ? undefined : this.#turns.get(scope.key);
    const [line = ""] = redact(change.reason).trim().split("\n");
    for (const root of new Set(roots)) {
      if (root === undefined) continue;
      const { files } = change;
      await snapshots.before({ root, reason: line.slice(0, 100), turn: open?.turn, files }, signal);
      open?.roots.add(root);
    }
  }

  /** The session's folder, and the project that a command runs in where that is another one. */
  async #rootsFor({ taskId, scope }: ToolTask, workdir: string | undefined): Promise<readonly (string | undefined)[]> {
    const live = this.#deps.cwdOf(taskId) ?? scope.cwd;
    const folder = workdir === undefined ? live : path.resolve(live, workdir);
    const own = await sessionFolder(scope);
    return [this.#deps.snapshots.covers(own) ? own : undefined, await this.#rootOf(path.join(folder, "any"), scope)];
  }

  /** The session's folder or, for what lies outside it, the project of the file; undefined where that would be too much. */
  async #rootOf(file: string, scope: SessionScope): Promise<string | undefined> {
    const { snapshots } = this.#deps;
    const own = await sessionFolder(scope);
    const folder = await realFolder(path.dirname(path.resolve(scope.cwd, file)));
    const relative = path.relative(own, folder);
    const isInside = relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
    if (isInside && snapshots.covers(own)) return own;
    for (let at = folder; snapshots.covers(at) && path.dirname(at) !== at; at = path.dirname(at))
      if (await isProject(at)) return at;
    return snapshots.covers(folder) ? folder : undefined;
  }
}

/** What a call would run; undefined when it changes nothing that its tool does not see to itself. */
function whatRuns(tool: Tool | undefined, args: Readonly<Record<string, unknown>>): RunningCode | undefined {
  if (tool === undefined) return undefined;
  if (tool.runs !== undefined) return tool.runs(args);
  const mayRun =
    tool.effects === "commands" || (tool.effects === undefined && (tool.origin ?? "builtin") !== "builtin");
  return mayRun ? { reason: tool.name } : undefined;
}

/** What snapshots of a session are taken of. */
export async function sessionFolder({ cwd }: Pick<SessionScope, "cwd">): Promise<string> {
  return await fs.realpath(cwd).catch(() => path.resolve(cwd));
}

/** The nearest folder that exists, links resolved. */
async function realFolder(folder: string): Promise<string> {
  const real = await fs.realpath(folder).catch(() => undefined);
  return real ?? (path.dirname(folder) === folder ? folder : await realFolder(path.dirname(folder)));
}

async function isProject(folder: string): Promise<boolean> {
  for (const mark of rootMarks)
    if ((await fs.stat(path.join(folder, mark)).catch(() => undefined)) !== undefined) return true;
  return false;
}
