import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { openHermes } from "./hermes.ts";

it("what needs attention is also in a log of its own, without secrets [20:R8.15]", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-logs-"));
  const home = path.join(folder, "home");
  try {
    {
      await using hermes = await openHermes({
        env: { PATH: process.env["PATH"], HOME: folder, HERMES_HOME: home },
        cwd: folder,
        version: "test",
        isIncognito: true,
        onNotice: () => undefined,
      });
      hermes.logger.info("all is well");
      hermes.logger.warn("look here", { key: "sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz" });
    }
    const errors = await readFile(path.join(home, "logs", "errors.log"), "utf8");
    expect(errors).toContain("look here");
    expect(errors).not.toContain("all is well");
    expect(errors).not.toContain("0123456789abcdefghij");
    expect(await readFile(path.join(home, "logs", "agent.log"), "utf8")).toContain("all is well");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
