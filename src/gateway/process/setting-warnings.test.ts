import { expect, it } from "vitest";
import { defaultConfig } from "#config";
import { loadPlatform } from "../adapters/registry.ts";
import type { Platform } from "../platform/platform.ts";
import { settingWarnings } from "./setting-warnings.ts";

async function load(...ids: readonly string[]): Promise<readonly Platform[]> {
  const found = await Promise.all(ids.map((id) => loadPlatform(id)));
  return found.filter((one) => one !== undefined);
}

it("two platforms on one port, and a container without a way out, are said before anything is served [40:PRC-8]", async () => {
  const config = await defaultConfig();
  expect(settingWarnings(config, await load("telegram", "discord", "webhook"))).toEqual([]);
  // The defaults of these two are the same.
  expect(settingWarnings(config, await load("wecom_callback", "bluebubbles"))).toEqual([
    expect.stringContaining("both want port 8645"),
  ]);
  const moved = { ...config, bluebubbles: { ...config.bluebubbles, webhook_port: 9001 } };
  expect(settingWarnings(moved, await load("wecom_callback", "bluebubbles"))).toEqual([]);
  // Telegram is called only where it is given an address.
  const shared = { ...config, telegram: { ...config.telegram, webhook_port: config.webhook.port } };
  expect(settingWarnings(shared, await load("telegram", "webhook"))).toEqual([]);
  const called = { ...shared, telegram: { ...shared.telegram, webhook_url: "https://example.com/t" } };
  expect(settingWarnings(called, await load("telegram", "webhook"))).toHaveLength(1);
  const docker = { ...config, terminal: { ...config.terminal, backend: "docker" as const } };
  expect(settingWarnings(docker, [])).toEqual([expect.stringContaining("/output")]);
  const mounted = { ...docker, terminal: { ...docker.terminal, docker_volumes: ["/srv/out:/output:rw"] } };
  expect(settingWarnings(mounted, [])).toEqual([]);
});
