import { expandReferences, localWorkspace, type ReferenceDeps } from "#agent";
import { runProcess } from "#foundation/process/run";
import type { ReferenceService } from "./services.ts";

export interface ReferenceServiceDeps extends Required<Pick<ReferenceDeps, "hermesHome" | "home" | "fetchText">> {
  /** The folder of the session. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  windowTokens(): number;
}

const gitLimits = { timeoutMs: 15_000, maxOutputBytes: 8 * 1024 * 1024 };

export function referenceService(deps: ReferenceServiceDeps): ReferenceService {
  const { folder, env, hermesHome, home, fetchText } = deps;
  // A git of the person's own, without the variables that hold keys: hooks and helpers it starts inherit them.
  const { PATH, HOME, LANG } = env;
  const git: ReferenceDeps["git"] = async (args, signal) => {
    const options = { cwd: folder, env: { PATH, HOME, LANG }, signal, ...gitLimits };
    const { exitCode, stdout, stderr } = await runProcess("git", [...args], options);
    signal.throwIfAborted();
    return exitCode === 0 ? { ok: true, output: stdout } : { ok: false, output: stderr };
  };
  return {
    expand: (text, signal) =>
      expandReferences(
        text,
        {
          workspace: folder,
          hermesHome,
          home,
          files: localWorkspace,
          windowTokens: deps.windowTokens(),
          git,
          fetchText,
        },
        signal,
      ),
  };
}
