import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { openLocalTerminal } from "#tools/testing";
import { terminalContract } from "./contract.ts";

terminalContract({
  kind: "present",
  name: "local",
  // On this machine the guardian ends those, when the program does.
  lacks: new Set(["leavers"]),
  async start() {
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), "hermes-local-")));
    const home = path.join(folder, "home");
    await mkdir(home);
    return {
      open: ({ taskId = "shared", cwd = home, env } = {}) =>
        openLocalTerminal(
          {
            taskId,
            cwd,
            env: { PATH: process.env["PATH"], HOME: home, LANG: "C.UTF-8", ...env },
            environment: { policy: "inherit" },
            logger: memoryLogger(),
          },
          new AbortController().signal,
        ),
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    };
  },
});
