import { type Confinement, isWithin, judgeRead, judgeWrite, type PathJudgement } from "../confinement/confinement.ts";
import type { PathGuard, PathUse, PathVerdict } from "../confinement/path-guard.ts";
import type { ApprovalGate, Finding } from "../contract/approval-request.ts";
import type { SessionScope } from "../contract/session-scope.ts";
import type { Terminal } from "../contract/terminal.ts";

export interface PathRules {
  /** The wall of a session. */
  confinement(scope: SessionScope, signal: AbortSignal): Promise<Confinement>;
  /** A person let the session see a secret of its project: its programs may from now on too. */
  reveal(scope: SessionScope, file: string): Promise<void>;
  /** A file was let through for reading. */
  noteRead(scope: SessionScope, file: string): Promise<void>;
  /** Whether a folder's own files are words of strangers, because nobody has trusted it. */
  isForeignFolder(folder: string): boolean;
  /** All writes must stay below it, when set. */
  readonly safeRoot?: string | undefined;
}

/** The guard of the file tools: resolves links where the file lives, then asks the wall what is really meant. */
export function createPathGuard(rules: PathRules, gate: ApprovalGate): PathGuard {
  return async (input, use, context): Promise<PathVerdict> => {
    const { terminal, scope, signal } = context;
    const real = await terminal.files.realPath(input, signal);
    const through = real === input ? input : `${input} (really ${real})`;
    if (use === "write" && rules.safeRoot !== undefined && !isWithin(rules.safeRoot, real))
      return { kind: "refused", reason: `${through} lies outside ${rules.safeRoot}, the only folder tools may write.` };
    const wall = terminal.kind === "local" ? await rules.confinement(scope, signal) : elsewhere(terminal, scope);
    const judged = judge(wall, real, use);
    const untrusted = use === "read" ? foreignSource(rules, wall, real) : undefined;
    if (judged.kind === "refused") return { kind: "refused", reason: `${judged.reason}.` };
    const findings: readonly Finding[] =
      judged.kind === "allowed"
        ? []
        : [{ key: judged.key, description: judged.reason, severity: "ask", source: "path" }];
    const answer = await gate.checkFindings(`${use} ${through}`, findings, {
      tool: use === "read" ? "read_file" : "write_file",
      scope,
      taskId: context.taskId,
      callId: context.callId,
      cwd: terminal.cwd,
      terminalKind: terminal.kind,
      path: { real, use },
      signal,
    });
    if (answer.kind !== "run") return { kind: "refused", reason: answer.reason };
    if (judged.kind === "ask" && use === "read" && terminal.kind === "local") await rules.reveal(scope, real);
    if (use === "read" && terminal.kind === "local") await rules.noteRead(scope, real);
    return { kind: "allowed", realPath: real, untrusted };
  };
}

/** Files from outside the workspace are words of strangers, and so are those of a folder that nobody trusts. */
function foreignSource(rules: PathRules, wall: Confinement | undefined, real: string): string | undefined {
  if (wall === undefined || wall.hermesReadable.some((folder) => isWithin(folder, real))) return undefined;
  const isOwn = isWithin(wall.workspace, real) && !rules.isForeignFolder(wall.workspace);
  return isOwn ? undefined : `the file ${real}`;
}

function judge(wall: Confinement | undefined, real: string, use: PathUse): PathJudgement {
  if (wall === undefined) return { kind: "allowed" };
  return use === "read" ? judgeRead(wall, real) : judgeWrite(wall, real);
}

/**
 * Another machine has its own secrets and its own workspace; a container that nothing of ours is mounted into has neither, and
 * what the approval gate says about the container holds for its files.
 */
function elsewhere(terminal: Terminal, scope: SessionScope): Confinement | undefined {
  if (terminal.kind !== "ssh") return undefined;
  return {
    workspace: scope.terminal.cwd ?? terminal.cwd,
    writable: [scope.terminal.cwd ?? terminal.cwd, terminal.tempDir],
    home: terminal.home,
    otherHomes: [],
    hermesHome: `${terminal.home}/.hermes`,
    hermesReadable: [],
    hermesWritable: [],
    masked: [],
    network: { mode: "open", allow: [], deny: [] },
    environment: [],
    enforcement: "none",
  };
}
