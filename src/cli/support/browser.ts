import { describe } from "#foundation/errors";
import { runProcess } from "#foundation/process/run";
import type { CommandIo } from "../command.ts";

/** Nothing can be opened beside the program: over SSH, in a container, or because somebody says so. */
export function isHeadless(env: NodeJS.ProcessEnv): boolean {
  if (env["HERMES_HEADLESS"] === "1") return true;
  if (["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].some((name) => (env[name] ?? "") !== "")) return true;
  return process.platform === "linux" && (env["DISPLAY"] ?? "") === "" && (env["WAYLAND_DISPLAY"] ?? "") === "";
}

/** False when no browser could be opened. */
export async function openInBrowser(url: string, io: CommandIo): Promise<boolean> {
  if (!/^https?:\/\//.test(url)) return false;
  const [program, ...args] = opener(url);
  try {
    const result = await runProcess(program ?? "", args, {
      env: io.env,
      signal: io.signal,
      timeoutMs: 5_000,
      keepDescendants: true,
    });
    return result.exitCode === 0;
  } catch (error) {
    if (io.signal.aborted) throw error;
    io.stderr.write(`No browser could be opened: ${describe(error)}\n`);
    return false;
  }
}

function opener(url: string): readonly string[] {
  if (process.platform === "darwin") return ["open", url];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return ["xdg-open", url];
}
