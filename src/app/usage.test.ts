import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { says, startModelServer, withHeaders } from "../../test/fakes/model-server/index.ts";
import { openHermes } from "./hermes.ts";

it("/usage says what the provider's last answer left [10:ERR-14] [10:CACHE-9]", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-usage-"));
  const home = path.join(folder, "home");
  await using server = await startModelServer({ strict: true });
  const limits = {
    "x-ratelimit-limit-requests": "100",
    "x-ratelimit-remaining-requests": "42",
    "x-ratelimit-reset-requests": "30s",
  };
  server.otherwise(withHeaders(says("Hi."), limits));
  try {
    await mkdir(home);
    const config = `model:\n  provider: custom\n  default: test-model\n  base_url: ${server.chatBaseUrl}\n`;
    await writeFile(path.join(home, "config.yaml"), config);
    await using hermes = await openHermes({
      env: { PATH: process.env["PATH"], HOME: folder, HERMES_HOME: home },
      cwd: folder,
      version: "test",
      isIncognito: true,
      onNotice: () => undefined,
    });
    await using session = await hermes.sessions.open({ source: "cli", cwd: folder, isInteractive: true });
    const submission = await session.submit({ text: "hello" });
    if (submission.kind === "turn") await submission.ended;
    const usage = JSON.stringify(await session.submit({ text: "/usage" }));
    expect(usage).toContain("42 of 100 requests per minute left");
    expect(usage.toLowerCase()).toContain("cache");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
