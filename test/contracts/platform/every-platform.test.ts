import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "#config";
import { HermesHome } from "#foundation/files/paths";
import { loadPlatform, platformIds } from "#gateway";
import { proofPlatforms } from "../../../scripts/gateway-proof/crowd.ts";

/** No people write there: states of a house and calls of programs have tests of their own. */
const withoutPeople: ReadonlySet<string> = new Set(["homeassistant", "webhook"]);

/** What only one process may use at a time; other programs that keep these locks know them by the same names. */
const locks: Readonly<Record<string, string>> = {
  telegram: "telegram-bot-token",
  discord: "discord-bot-token",
  slack: "slack-app-token",
  signal: "signal-phone",
  feishu: "feishu-app-id",
  weixin: "weixin-bot-token",
  qqbot: "qqbot-appid",
  matrix: "matrix-device",
  mattermost: "mattermost-token",
  dingtalk: "dingtalk-client-id",
  wecom: "wecom-bot-id",
  email: "email-address",
  bluebubbles: "bluebubbles-server",
  homeassistant: "homeassistant-url",
};

it.each(Object.entries(locks))("of %s only one process has the %s [40:PRC-19]", async (id, scope) => {
  const home = new HermesHome(path.join(tmpdir(), "hermes-no-such-home"));
  const { config } = await loadConfig({ home, env: {}, flags: [] });
  expect((await loadPlatform(id))?.lock(config)?.scope).toBe(scope);
});

describe.each(platformIds)("the platform %s", (id) => {
  it("has an adapter that names its credentials and its limits [40:ADP-1]", async () => {
    const platform = await loadPlatform(id);
    expect(platform).toMatchObject({ id, label: expect.stringMatching(/./u) });
    expect(platform?.credentials.length).toBeGreaterThan(0);
    expect(platform?.capabilities.maxLength).toBeGreaterThan(0);
  });

  if (!withoutPeople.has(id))
    it("passes the suite of all platforms against a fake [40:ADP-3]", async () => {
      const file = new URL(`./${id.replaceAll("_", "-")}.test.ts`, import.meta.url);
      expect(await readFile(file, "utf8")).toMatch(/describePlatform\(/u);
    });

  it("can be proven to lose nothing", () => {
    expect(proofPlatforms).toContain(id);
  });
});
