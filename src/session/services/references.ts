import type { ReferenceDeps } from "#agent";
import { ownEnvironment } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import type { SessionWall } from "#tools";
import type { ReferenceService } from "./services.ts";

export interface ReferenceServiceDeps extends Required<Pick<ReferenceDeps, "home" | "fetchText">> {
  /** The folder of the session. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  windowTokens(): number;
  /** What may be read for this session, and what holds git inside. */
  wall(signal: AbortSignal): Promise<SessionWall>;
}

const gitLimits = { timeoutMs: 15_000, maxOutputBytes: 8 * 1024 * 1024 };

export function referenceService(deps: ReferenceServiceDeps): ReferenceService {
  const { folder, env, home, fetchText } = deps;
  // A git of the person's own, without the variables that hold keys: what the repository makes it start inherits them.
  const { HOME, LANG } = env;
  const { PATH } = ownEnvironment(env, [folder]);
  const git: ReferenceDeps["git"] = async (args, signal) => {
    const wall = await deps.wall(signal);
    // Settings of a repository start programs; where nothing holds those inside, none of them does.
    const quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat"];
    const plain = { program: "git", args: [...quiet, ...args] };
    const call = wall.confine(plain, { cwd: folder, isBackground: true, writable: [] });
    const options = { cwd: folder, env: { PATH, HOME, LANG }, signal, ...gitLimits };
    const { exitCode, stdout, stderr } = await runProcess(call.program, call.args, options);
    signal.throwIfAborted();
    return exitCode === 0 ? { ok: true, output: stdout } : { ok: false, output: stderr };
  };
  return {
    expand: async (text, signal) => {
      const { expandReferences, localWorkspace } = await import("#agent");
      return await expandReferences(
        text,
        {
          workspace: folder,
          home,
          files: localWorkspace,
          windowTokens: deps.windowTokens(),
          git,
          fetchText,
          refusal: async (real) => {
            const judged = (await deps.wall(signal)).judgeRead(real);
            return judged.kind === "allowed" ? undefined : judged.reason;
          },
        },
        signal,
      );
    },
  };
}
