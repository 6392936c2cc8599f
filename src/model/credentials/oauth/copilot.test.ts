import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { type OAuthServer, startOAuthServer } from "../../../../test/fakes/oauth-server.ts";
import { CopilotTokens, createCopilotFlow, findGitHubToken } from "./copilot.ts";
import { openFlowWorld, testUi } from "./testing.ts";

const now = Date.UTC(2026, 3, 1);

describe("Copilot", () => {
  const endpoints = (server: OAuthServer) => ({
    deviceCode: `${server.url}/code`,
    deviceToken: `${server.url}/access_token`,
    exchange: `${server.url}/exchange`,
  });

  test("[20:R3.38] a login: waiting, slowing down, token; three seconds are added to every wait", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    server.script("/code", {
      body: {
        device_code: "d",
        user_code: "U-1",
        verification_uri: "https://github.com/login/device",
        interval: 5,
        expires_in: 900,
      },
    });
    server.script(
      "/access_token",
      { body: { error: "authorization_pending" } },
      { body: { error: "slow_down" } },
      { body: { access_token: "gho_fresh0123456" } },
    );
    expect(await createCopilotFlow(world.context, endpoints(server)).login(testUi(), never)).toEqual({
      kind: "logged-in",
    });
    expect(world.clock.slept).toEqual([8000, 8000, 13_000]);
    expect(server.callsTo("/code")[0]?.fields).toEqual({ client_id: "Ov23li8tweQw6odWQebz", scope: "read:user" });
    expect(await findGitHubToken(world.context, never)).toMatchObject({ kind: "token", source: "device_code" });
  });

  test("[20:R3.38] five minutes are the limit", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    server.script("/code", {
      body: {
        device_code: "d",
        user_code: "U",
        verification_uri: "https://github.com/login/device",
        interval: 5,
        expires_in: 900,
      },
    });
    server.on("/access_token", () => ({ body: { error: "authorization_pending" } }));
    expect(await createCopilotFlow(world.context, endpoints(server)).login(testUi(), never)).toMatchObject({
      code: "device_code_timeout",
    });
    expect(world.clock.now() - now).toBeLessThanOrEqual(308_000);
  });

  test("[20:R3.37] the token is traded, kept until two minutes before its end, and traded again when refused", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld({ GH_TOKEN: "gho_0123456789" });
    let trades = 0;
    server.on("/exchange", () => {
      trades += 1;
      return { body: { token: `copilot-${trades}`, expires_at: (world.clock.now() + 1_800_000) / 1000 } };
    });
    const tokens = new CopilotTokens(world.context, endpoints(server));
    const current = async (): Promise<string> => (await tokens.current(never)).secret.reveal();
    expect([await current(), await current()]).toEqual(["copilot-1", "copilot-1"]);
    expect(server.calls[0]?.headers).toMatchObject({
      authorization: "token gho_0123456789",
      "user-agent": "GitHubCopilotChat/0.26.7",
    });
    await world.clock.advance(1_690_000);
    expect(await current()).toBe("copilot-2");
    expect(await tokens.renew(never)).toBe(true);
    expect(await current()).toBe("copilot-3");
    expect(tokens.secrets.map((secret) => secret.reveal())).toEqual(["copilot-3", "gho_0123456789"]);
    server.on("/exchange", () => ({ status: 404 }));
    await tokens.renew(never);
    expect(await current()).toBe("gho_0123456789");
  });

  test("[20:R3.36] order and kinds of tokens; gh is asked without the variables it would echo", async () => {
    using world = openFlowWorld({ COPILOT_GITHUB_TOKEN: "ghp_classic01234", GH_TOKEN: "ghu_012345678" });
    expect(await findGitHubToken(world.context, never)).toMatchObject({ source: "env:GH_TOKEN" });
    using lent = openFlowWorld({ GITHUB_TOKEN: "ghp_classic01234", COPILOT_GH_HOST: "ghe.example.com" });
    writeFileSync(
      join(lent.folder, "gh"),
      `#!/bin/sh\n[ -z "$GITHUB_TOKEN$GH_TOKEN" ] && [ "$*" = "auth token --hostname ghe.example.com" ] && echo gho_from_program\n`,
    );
    chmodSync(join(lent.folder, "gh"), 0o755);
    expect(await findGitHubToken(lent.context, never)).toMatchObject({ kind: "token", source: "gh auth token" });
    using classic = openFlowWorld({ GITHUB_TOKEN: "ghp_classic01234" });
    expect(await findGitHubToken(classic.context, never)).toEqual({ kind: "unsupported", source: "GITHUB_TOKEN" });
    await expect(new CopilotTokens(classic.context).current(never)).rejects.toMatchObject({
      code: "unsupported_token_type",
    });
    using none = openFlowWorld();
    expect(await findGitHubToken(none.context, never)).toEqual({ kind: "missing" });
  });
});
