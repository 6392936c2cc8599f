import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { type OAuthServer, rotatingIssuer, startOAuthServer } from "../../../../test/fakes/oauth-server.ts";
import { withLogin } from "../auth-state.ts";
import { createNousFlow, nousSubscription } from "./nous.ts";
import { nousEndpoints } from "./nous-portal.ts";
import { openFlowWorld, testUi } from "./testing.ts";

const now = Date.UTC(2026, 3, 1);

describe("Nous", () => {
  const portal = (server: OAuthServer) => nousEndpoints({ HERMES_PORTAL_BASE_URL: `${server.url}/` });
  const code = {
    body: {
      device_code: "d",
      user_code: "N-1",
      verification_uri: "https://portal/x",
      verification_uri_complete: "https://portal/x?c=N-1",
      interval: 1,
      expires_in: 600,
    },
  };
  const login = (change: object = {}) => ({
    access_token: "portal-0",
    refresh_token: "refresh-0",
    expires_at: new Date(now + 3_600_000).toISOString(),
    ...change,
  });

  test("[20:R3.39] a login ends with an inference key; the portal's token is never one", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    server.script("/api/oauth/device/code", code);
    server.script(
      "/api/oauth/token",
      { status: 400, body: { error: "authorization_pending" } },
      { status: 400, body: { error: "slow_down" } },
      { body: { access_token: "portal-1", refresh_token: "r1", expires_in: 3600 } },
    );
    server.script("/api/oauth/agent-key", {
      body: { api_key: "agent-1", expires_at: new Date(now + 7_200_000).toISOString() },
    });
    const ui = testUi();
    const flow = createNousFlow(world.context, portal(server));
    expect(await flow.login(ui, never)).toEqual({ kind: "logged-in" });
    expect([ui.opened, world.clock.slept]).toEqual([["https://portal/x?c=N-1"], [1000, 1000, 2000]]);
    expect(server.callsTo("/api/oauth/device/code")[0]?.fields).toEqual({
      client_id: "hermes-cli",
      scope: "inference:mint_agent_key",
    });
    expect(server.callsTo("/api/oauth/agent-key")[0]).toMatchObject({
      headers: { authorization: "Bearer portal-1" },
      json: { min_ttl_seconds: 1800 },
    });
    expect((await flow.tokens().current(never)).secret.reveal()).toBe("agent-1");
    expect(server.callsTo("/api/oauth/agent-key")).toHaveLength(1);
  });

  test("[30:3.14] a subscription pays for services with the portal's own token, renewed two minutes before its end", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    const subscription = nousSubscription(world.context, portal(server));
    expect(await subscription(never)).toBeUndefined();
    const key = { agent_key: "agent-1", agent_key_expires_at: new Date(now + 7_200_000).toISOString() };
    const keep = (change: object) =>
      world.context.authFile.update((state) => withLogin(state, "nous", login({ ...key, ...change })), never);
    await keep({});
    expect((await subscription(never))?.token.reveal()).toBe("portal-0");
    expect(server.callsTo("/api/oauth/token")).toHaveLength(0);
    await keep({ expires_at: new Date(now + 119_000).toISOString() });
    server.on("/api/oauth/token", rotatingIssuer({ firstRefreshToken: "refresh-0" }));
    expect(await subscription(never)).toMatchObject({ isPaid: true });
    expect((await subscription(never))?.token.reveal()).toBe("access-1");
    expect(server.callsTo("/api/oauth/token")).toHaveLength(1);
  });

  test("[30:3.14] an account without a subscription pays for nothing", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    await world.context.authFile.update((state) => withLogin(state, "nous", login()), never);
    server.on("/api/oauth/agent-key", () => ({ status: 402, body: { error: "subscription_required" } }));
    expect(await nousSubscription(world.context, portal(server))(never)).toBeUndefined();
  });

  test("[20:R3.39] over SSH no browser is opened", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    server.script("/api/oauth/device/code", code);
    server.script("/api/oauth/token", { body: { access_token: "p", expires_in: 3600 } });
    server.script("/api/oauth/agent-key", { status: 402, body: { error: "subscription_required" } });
    const ui = testUi({ isHeadless: true });
    expect(await createNousFlow(world.context, portal(server)).login(ui, never)).toMatchObject({
      code: "subscription_required",
      hint: expect.stringContaining("portal.nousresearch.com"),
    });
    expect(ui.opened).toEqual([]);
  });

  test("[20:A3.13][20:R3.40] the rotated refresh token is on disk before the key is asked for", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    await world.context.authFile.update(
      (state) => withLogin(state, "nous", login({ expires_at: new Date(now).toISOString() })),
      never,
    );
    server.on("/api/oauth/token", rotatingIssuer({ firstRefreshToken: "refresh-0" }));
    let onDisk: unknown;
    server.on("/api/oauth/agent-key", () => {
      onDisk = JSON.parse(readFileSync(join(world.folder, "auth.json"), "utf8"));
      return { status: 503, body: { error: "temporarily_unavailable" } };
    });
    const flow = createNousFlow(world.context, portal(server));
    await expect(flow.tokens().current(never)).rejects.toMatchObject({ code: "temporarily_unavailable" });
    expect(onDisk).toMatchObject({ providers: { nous: { access_token: "access-1", refresh_token: "refresh-1" } } });
    // The next process goes on from there without using a token twice.
    server.on("/api/oauth/agent-key", () => ({ body: { api_key: "agent-2", expires_in: 7200 } }));
    expect((await createNousFlow(world.context, portal(server)).tokens().current(never)).secret.reveal()).toBe(
      "agent-2",
    );
    expect(server.callsTo("/api/oauth/token")).toHaveLength(1);
  });

  test("[20:R3.40] a refused key: one renewal and one more try, then a new login", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    await world.context.authFile.update((state) => withLogin(state, "nous", login()), never);
    server.on("/api/oauth/token", rotatingIssuer({ firstRefreshToken: "refresh-0" }));
    server.script(
      "/api/oauth/agent-key",
      { status: 401, body: { error: "invalid_token" } },
      { body: { api_key: "agent-3", expires_in: 7200 } },
    );
    const tokens = createNousFlow(world.context, portal(server)).tokens();
    expect((await tokens.current(never)).secret.reveal()).toBe("agent-3");
    expect(server.calls.map((call) => call.path)).toEqual([
      "/api/oauth/agent-key",
      "/api/oauth/token",
      "/api/oauth/agent-key",
    ]);
    server.script(
      "/api/oauth/agent-key",
      { status: 401, body: { error: "invalid_token" } },
      { status: 401, body: { error: "invalid_token" } },
    );
    expect(await tokens.renew(never)).toBe(false);
  });

  test("[20:R3.40] a refresh token used elsewhere is told apart", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    await world.context.authFile.update(
      (state) => withLogin(state, "nous", login({ expires_at: new Date(now).toISOString() })),
      never,
    );
    server.script("/api/oauth/token", {
      status: 400,
      body: { error: "invalid_grant", error_description: "Refresh token reuse detected" },
    });
    await expect(createNousFlow(world.context, portal(server)).tokens().current(never)).rejects.toMatchObject({
      code: "refresh_token_reused",
      message: expect.stringContaining("Only Hermes"),
    });
  });

  test.each([
    ["insufficient_credits", "insufficient_credits"],
    ["subscription_required", "subscription_required"],
    ["something_else", "temporarily_unavailable"],
  ])("[20:R3.41] the portal's %s is told as %s", async (error, expected) => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    await world.context.authFile.update((state) => withLogin(state, "nous", login()), never);
    server.script("/api/oauth/agent-key", { status: 403, body: { error } });
    await expect(createNousFlow(world.context, portal(server)).tokens().current(never)).rejects.toMatchObject({
      code: expected,
    });
  });

  test("[20:R3.40] a key with half an hour left is used, one with less is replaced", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    const keyed = (lifeMs: number) =>
      login({ agent_key: "old-key", agent_key_expires_at: new Date(now + lifeMs).toISOString() });
    server.on("/api/oauth/agent-key", () => ({ body: { api_key: "new-key", expires_in: 7200 } }));
    const current = async (lifeMs: number): Promise<string> => {
      await world.context.authFile.update((state) => withLogin(state, "nous", keyed(lifeMs)), never);
      return (await createNousFlow(world.context, portal(server)).tokens().current(never)).secret.reveal();
    };
    expect([await current(1_800_000), await current(1_799_000)]).toEqual(["old-key", "new-key"]);
  });
});
