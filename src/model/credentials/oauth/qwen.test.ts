import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { rotatingIssuer, startOAuthServer } from "../../../../test/fakes/oauth-server.ts";
import { createQwenFlow } from "./qwen.ts";
import { openFlowWorld, testUi } from "./testing.ts";

const now = Date.UTC(2026, 3, 1);

describe("Qwen", () => {
  test("[20:R3.44] the program's own file is used, renewed two minutes early, and written back for its owner only", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    const flow = createQwenFlow(world.context, { token: `${server.url}/token` });
    expect(await flow.login(testUi(), never)).toMatchObject({ code: "qwen_auth_missing" });
    await expect(flow.tokens().current(never)).rejects.toMatchObject({ code: "qwen_auth_missing" });
    mkdirSync(join(world.folder, ".qwen"));
    const path = join(world.folder, ".qwen", "oauth_creds.json");
    writeFileSync(
      path,
      JSON.stringify({
        access_token: "qwen-old",
        refresh_token: "refresh-0",
        expiry_date: now + 100_000,
        resource_url: "portal.qwen.ai",
        token_type: "Bearer",
      }),
    );
    expect(await flow.login(testUi(), never)).toEqual({ kind: "logged-in" });
    server.on("/token", rotatingIssuer({ firstRefreshToken: "refresh-0", lifeSeconds: 21_600 }));
    expect((await flow.tokens().current(never)).secret.reveal()).toBe("access-1");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      access_token: "access-1",
      refresh_token: "refresh-1",
      expiry_date: now + 21_600_000,
      resource_url: "portal.qwen.ai",
      token_type: "Bearer",
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
