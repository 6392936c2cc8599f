import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { type OAuthServer, rotatingIssuer, startOAuthServer } from "../../../../test/fakes/oauth-server.ts";
import { createAnthropicFlow } from "./anthropic.ts";
import { anthropicCredentials } from "./anthropic-sources.ts";
import { openFlowWorld, testUi } from "./testing.ts";

const now = Date.UTC(2026, 3, 1);

describe("Anthropic", () => {
  const claudeCode = (folder: string, change: object = {}): string => {
    mkdirSync(join(folder, ".claude"), { recursive: true });
    const path = join(folder, ".claude", ".credentials.json");
    writeFileSync(
      path,
      JSON.stringify({
        claudeAiOauth: {
          accessToken: "sk-ant-oat-file",
          refreshToken: "refresh-0",
          expiresAt: now + 3_600_000,
          scopes: ["user:inference"],
          ...change,
        },
        other: { keep: 1 },
      }),
    );
    return path;
  };
  const endpoints = (server: OAuthServer) => ({
    authorize: `${server.url}/authorize`,
    redirect: "https://console.anthropic.com/oauth/code/callback",
    tokens: [`${server.url}/gone`, `${server.url}/token`],
  });
  const sources = (world: ReturnType<typeof openFlowWorld>, more: object = {}) =>
    anthropicCredentials(
      { flow: world.context, mayReadForeignLogin: true, preferEnvironment: false, warn: () => undefined, ...more },
      never,
    );

  test("[20:A3.6][20:R3.27] a login that renews itself comes before a copied token, unless the person prefers that one", async () => {
    using world = openFlowWorld({ ANTHROPIC_TOKEN: "sk-ant-oat-old", ANTHROPIC_API_KEY: "sk-ant-api-0123" });
    claudeCode(world.folder);
    const order = async (more: object = {}) => (await sources(world, more)).map((one) => one.source);
    expect(await order()).toEqual(["claude_code", "env:ANTHROPIC_TOKEN", "env:ANTHROPIC_API_KEY"]);
    expect(await order({ preferEnvironment: true })).toEqual([
      "env:ANTHROPIC_TOKEN",
      "claude_code",
      "env:ANTHROPIC_API_KEY",
    ]);
    expect(await order({ mayReadForeignLogin: false })).toEqual(["env:ANTHROPIC_TOKEN", "env:ANTHROPIC_API_KEY"]);
    claudeCode(world.folder, { refreshToken: undefined });
    expect(await order()).toEqual(["env:ANTHROPIC_TOKEN", "claude_code", "env:ANTHROPIC_API_KEY"]);
    claudeCode(world.folder, { refreshToken: undefined, expiresAt: now - 1 });
    expect(await order()).toEqual(["env:ANTHROPIC_TOKEN", "env:ANTHROPIC_API_KEY"]);
  });

  test("[20:A3.7][20:R3.29][20:R3.30] a token that ran out is renewed once; the file keeps its other fields and its scopes", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    const path = claudeCode(world.folder, { expiresAt: now - 600_000 });
    server.on(
      "/token",
      rotatingIssuer({ firstRefreshToken: "refresh-0", accessToken: (n) => `sk-ant-oat-new${n}`, lifeSeconds: 7200 }),
    );
    const reachable = { ...endpoints(server), tokens: ["http://127.0.0.1:9/token", `${server.url}/token`] };
    const [found] = await sources(world, { endpoints: reachable });
    expect((await found?.tokens?.current(never))?.secret.reveal()).toBe("sk-ant-oat-new1");
    await found?.tokens?.current(never);
    expect(server.calls).toHaveLength(1);
    expect(server.calls[0]?.fields).toEqual({
      grant_type: "refresh_token",
      client_id: "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
      refresh_token: "refresh-0",
    });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      claudeAiOauth: {
        accessToken: "sk-ant-oat-new1",
        refreshToken: "refresh-1",
        expiresAt: now + 7_200_000,
        scopes: ["user:inference"],
      },
      other: { keep: 1 },
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("[20:R3.29] when Claude Code itself was faster, its token is used", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    claudeCode(world.folder, { expiresAt: now - 1 });
    server.on("/token", () => {
      claudeCode(world.folder, { accessToken: "sk-ant-oat-theirs", expiresAt: now + 3_600_000 });
      return { status: 400, body: { error: "invalid_grant" } };
    });
    const [found] = await sources(world, { endpoints: { ...endpoints(server), tokens: [`${server.url}/token`] } });
    expect((await found?.tokens?.current(never))?.secret.reveal()).toBe("sk-ant-oat-theirs");
  });

  test("[20:R3.28] the keychain comes before the file", async () => {
    using world = openFlowWorld();
    claudeCode(world.folder);
    const items = new Map([
      [
        "Claude Code-credentials",
        JSON.stringify({
          claudeAiOauth: { accessToken: "sk-ant-oat-keychain", refreshToken: "r", expiresAt: now + 3_600_000 },
        }),
      ],
    ]);
    const keychain = {
      read: async (item: string) => items.get(item),
      write: async (item: string, text: string) => void items.set(item, text),
    };
    expect((await sources(world, { keychain })).map((one) => one.secret.reveal())).toEqual(["sk-ant-oat-keychain"]);
  });

  test("[20:R3.28] a login of our own: the code of the page is pasted back, and a foreign answer is refused", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld();
    const flow = createAnthropicFlow(world.context, { ...endpoints(server), tokens: [`${server.url}/token`] });
    server.on("/token", () => ({ body: { access_token: "sk-ant-oat-own", refresh_token: "r", expires_in: 3600 } }));
    const pasting = (state: (real: string) => string) => {
      const ui = testUi();
      return {
        ...ui,
        paste: async () => `code-1#${state(new URL(ui.shown[0]?.url ?? "").searchParams.get("state") ?? "")}`,
      };
    };
    expect(
      await flow.login(
        pasting(() => "foreign"),
        never,
      ),
    ).toMatchObject({ kind: "failure", message: expect.stringContaining("another login") });
    expect(
      await flow.login(
        pasting((real) => real),
        never,
      ),
    ).toEqual({ kind: "logged-in" });
    expect(server.calls[0]?.json).toMatchObject({ grant_type: "authorization_code", code: "code-1" });
    expect(statSync(join(world.folder, ".anthropic_oauth.json")).mode & 0o777).toBe(0o600);
    expect((await sources(world)).map((one) => one.source)).toEqual(["hermes_pkce"]);
    await flow.logout(never);
    expect(await flow.status(never)).toEqual({ kind: "logged-out" });
  });
});
