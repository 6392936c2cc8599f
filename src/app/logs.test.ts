import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { openHermes } from "./hermes.ts";
import { temporaryStage } from "./testing.ts";

it("what needs attention is also in a log of its own, without secrets [20:R3.18]", async () => {
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

it("are as talkative and as large as the settings say", async () => {
  const config = "logging:\n  level: WARNING\n  max_size_mb: 1\n  backup_count: 1\n";
  await using stage = await temporaryStage({ "config.yaml": config });
  {
    const options = { cwd: stage.folder, version: "test", isIncognito: true, onNotice: () => undefined };
    await using hermes = await openHermes({ env: stage.env, ...options });
    hermes.logger.info("all is well");
    for (let line = 0; line < 40; line += 1) hermes.logger.warn("look here", { text: "x ".repeat(40_000) });
  }
  const logs = path.join(stage.home, "logs");
  const text = await readFile(path.join(logs, "agent.log"), "utf8");
  expect(text).not.toContain("all is well");
  expect(text.length).toBeLessThan(1.2 * 1_048_576);
  const files = (await readdir(logs)).filter((name) => name.startsWith("agent.log"));
  expect(files.sort()).toEqual(["agent.log", "agent.log.1"]);
});
