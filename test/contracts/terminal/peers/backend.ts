import path from "node:path";
import { defaultConfig } from "#config";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { type BackendDeps, remoteOpeners, type Terminal, testScope } from "#tools/testing";
import type { TerminalRequest } from "../subject.ts";

/** Opens terminals of a kind as the program does, with the settings and variables of a test. */
export async function backend(
  kind: string,
  common: {
    readonly sandboxDir: string;
    readonly settings: Partial<BackendDeps["settings"]>;
    readonly env: Readonly<Record<string, string>>;
    readonly changes?: Partial<BackendDeps>;
  },
): Promise<(request?: TerminalRequest) => Promise<Terminal>> {
  const { terminal } = await defaultConfig();
  const PATH = process.env["PATH"] ?? "";
  return (request = {}) => {
    const env = { PATH, HOME: common.sandboxDir, ...common.env, ...request.env };
    const deps: BackendDeps = {
      settings: { ...terminal, ...common.settings, ...request.settings },
      env,
      clientEnvironment: { PATH, HOME: common.sandboxDir },
      hermesHome: path.join(common.sandboxDir, "hermes"),
      sandboxDir: common.sandboxDir,
      packagesDir: path.join(common.sandboxDir, "packages"),
      profile: "default",
      logger: memoryLogger(),
      blocked: ["OPENAI_API_KEY"],
      moreVariables: () => ({}),
      notice: () => undefined,
      watch: () => ({ [Symbol.dispose]: () => undefined }),
      ...common.changes,
    };
    const open = remoteOpeners(deps)[kind];
    if (open === undefined) throw new Error(`there is no ${kind} terminal`);
    const scope = testScope({ cwd: request.hostCwd ?? "/", terminal: { kind, cwd: request.cwd } });
    return open({ taskId: request.taskId ?? "shared", scope }, new AbortController().signal);
  };
}
