import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { fakeJwt, type OAuthServer, rotatingIssuer, startOAuthServer } from "../../../../test/fakes/oauth-server.ts";
import { activeProvider, loginOf, withLogin } from "../auth-state.ts";
import { storeSlot } from "../login-slot.ts";
import { codexCodec, createCodexFlow } from "./codex.ts";
import { openFlowWorld, testUi } from "./testing.ts";

const now = Date.UTC(2026, 3, 1);
const jwt = (name: string, expMs: number): string =>
  fakeJwt({ name, exp: expMs / 1000, "https://api.openai.com/auth": { chatgpt_account_id: "acc-7" } });

describe("Codex", () => {
  const endpoints = (server: OAuthServer) => ({
    userCode: `${server.url}/usercode`,
    deviceToken: `${server.url}/devicetoken`,
    token: `${server.url}/token`,
    redirect: "https://auth.openai.com/deviceauth/callback",
    verification: "https://auth.openai.com/codex/device",
  });
  const code = { body: { device_auth_id: "dev-1", user_code: "ABCD-1234", interval: "1" } };

  test("[20:R3.34] a login: code, waiting, grant, exchange; the login is stored and active", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    server.script("/usercode", code);
    server.script(
      "/devicetoken",
      { status: 403 },
      { status: 404 },
      { body: { authorization_code: "grant-1", code_verifier: "verifier-1" } },
    );
    const access = jwt("one", now + 3_600_000);
    server.script("/token", { body: { access_token: access, refresh_token: "refresh-1" } });
    const ui = testUi();
    const flow = createCodexFlow(world.context, endpoints(server));
    expect(await flow.login(ui, never)).toEqual({ kind: "logged-in" });
    expect(ui.shown).toEqual([{ url: "https://auth.openai.com/codex/device", userCode: "ABCD-1234" }]);
    expect(world.clock.slept).toEqual([3000, 3000, 3000]);
    expect(server.callsTo("/usercode")[0]?.json).toEqual({ client_id: "app_EMoamEEZ73f0CkXaXp7hrann" });
    expect(server.callsTo("/token")[0]?.fields).toEqual({
      grant_type: "authorization_code",
      client_id: "app_EMoamEEZ73f0CkXaXp7hrann",
      code: "grant-1",
      code_verifier: "verifier-1",
      redirect_uri: "https://auth.openai.com/deviceauth/callback",
    });
    const state = await world.context.authFile.read(never);
    expect(activeProvider(state)).toBe("openai-codex");
    expect(loginOf(state, "openai-codex")).toMatchObject({
      auth_mode: "chatgpt",
      tokens: { access_token: access, refresh_token: "refresh-1" },
    });
    const token = await flow.tokens().current(never);
    expect([token.secret.reveal(), token.headers]).toEqual([access, { "ChatGPT-Account-ID": "acc-7" }]);
    await flow.logout(never);
    expect(await flow.status(never)).toEqual({ kind: "logged-out" });
  });

  test("[20:R3.34] a declined notice, a refusal, a code nobody types, a service that is away", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    const flow = createCodexFlow(world.context, endpoints(server));
    expect(await flow.login(testUi({ confirm: async () => false }), never)).toMatchObject({ code: "login_declined" });
    expect(server.calls).toEqual([]);
    server.on("/usercode", () => code);
    server.script("/devicetoken", { status: 403, body: { error: "access_denied" } });
    expect(await flow.login(testUi(), never)).toMatchObject({ code: "login_denied" });
    server.on("/devicetoken", () => ({ status: 403 }));
    expect(await flow.login(testUi(), never)).toMatchObject({ code: "device_code_timeout" });
    const away = createCodexFlow(world.context, { ...endpoints(server), userCode: "http://127.0.0.1:9/" });
    expect(await away.login(testUi(), never)).toMatchObject({ code: "temporarily_unavailable" });
  });

  test("[20:R3.35] renewed two minutes early, with rotation kept; reuse has a text of its own", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    server.on(
      "/token",
      rotatingIssuer({ firstRefreshToken: "refresh-0", accessToken: (n) => jwt(`t${n}`, now + n * 7_200_000) }),
    );
    const store = (refresh: string) =>
      world.context.authFile.update(
        (state) =>
          withLogin(state, "openai-codex", {
            tokens: { access_token: jwt("t0", now + 100_000), refresh_token: refresh },
          }),
        never,
      );
    await store("refresh-0");
    const flow = createCodexFlow(world.context, endpoints(server));
    const tokens = flow.tokens();
    expect((await tokens.current(never)).secret.reveal()).toBe(jwt("t1", now + 7_200_000));
    await tokens.current(never);
    expect(server.callsTo("/token")).toHaveLength(1);
    expect(loginOf(await world.context.authFile.read(never), "openai-codex")).toMatchObject({
      tokens: { refresh_token: "refresh-1" },
    });
    await store("refresh-0");
    await expect(createCodexFlow(world.context, endpoints(server)).tokens().current(never)).rejects.toMatchObject({
      code: "refresh_token_reused",
      hint: expect.stringContaining("hermes auth add openai-codex"),
    });
    await store("refresh-unknown");
    await expect(
      createCodexFlow(world.context, endpoints(server))
        .poolTokens?.(storeSlot(world.context.authFile, "openai-codex", codexCodec))
        .current(never),
    ).rejects.toMatchObject({ code: "relogin_required" });
  });

  test("[20:R3.33] the Codex program's own login is imported when asked for, unless it has run out, and its file is not touched", async () => {
    using world = openFlowWorld();
    mkdirSync(join(world.folder, ".codex"));
    const path = join(world.folder, ".codex", "auth.json");
    const write = (expMs: number): void =>
      writeFileSync(path, JSON.stringify({ tokens: { access_token: jwt("c", expMs), refresh_token: "r" } }));
    const { imports } = createCodexFlow(world.context);
    write(now - 1);
    expect([await imports?.isThere(), await imports?.take(never)]).toEqual([false, false]);
    write(now + 3_600_000);
    const before = readFileSync(path, "utf8");
    expect([await imports?.isThere(), await imports?.take(never)]).toEqual([true, true]);
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(loginOf(await world.context.authFile.read(never), "openai-codex")).toMatchObject({
      tokens: { refresh_token: "r" },
    });
  });
});
