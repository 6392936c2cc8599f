import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { openHermes } from "./hermes.ts";

it("a finished turn becomes one line of the training file, without what is said for one call only [10:LOOP-64]", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-trajectory-"));
  try {
    {
      await using hermes = await openHermes({
        env: { PATH: process.env["PATH"], HOME: folder, HERMES_HOME: path.join(folder, "home") },
        cwd: folder,
        version: "test",
        isIncognito: true,
        onNotice: () => undefined,
      });
      await using session = await hermes.sessions.open({
        source: "cli",
        cwd: folder,
        isInteractive: true,
        model: "demo",
        saveTrajectories: true,
      });
      const submission = await session.submit({ text: "hello" });
      if (submission.kind === "turn") await submission.ended;
    }
    const lines = (await readFile(path.join(folder, "trajectory_samples.jsonl"), "utf8")).trim().split("\n");
    expect(lines).toHaveLength(1);
    const entry = JSON.parse(lines[0] ?? "");
    expect(entry).toMatchObject({ completed: true, model: "hermes-demo" });
    expect(entry.conversations.map((turn: { from: string }) => turn.from)).toEqual(["system", "human", "gpt"]);
    expect(entry.conversations[1].value).toBe("hello");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
