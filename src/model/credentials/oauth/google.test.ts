import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { type OAuthServer, startOAuthServer } from "../../../../test/fakes/oauth-server.ts";
import { createGoogleFlow } from "./google.ts";
import { challengeOf } from "./pkce.ts";
import { openFlowWorld, testUi } from "./testing.ts";

const now = Date.UTC(2026, 3, 1);

describe("Google", () => {
  const env = { HERMES_GEMINI_CLIENT_ID: "client-1", HERMES_GEMINI_CLIENT_SECRET: "secret-1" };
  const endpoints = (server: OAuthServer) => ({
    authorize: `${server.url}/auth`,
    token: `${server.url}/token`,
    userInfo: `${server.url}/me`,
    callbackPort: 0,
    codeAssist: `${server.url}/v1internal`,
  });

  test("[20:R3.45] a login over the loopback address: stray requests do not end it, the right one does", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld(env);
    server.on("/token", () => ({ body: { access_token: "google-1", refresh_token: "refresh-0", expires_in: 3600 } }));
    server.on("/me", () => ({ body: { email: "me@example.com" } }));
    const visit = (url: string): Promise<number> =>
      new Promise((resolve, reject) =>
        request(url, (response) => resolve(response.resume().statusCode ?? 0))
          .on("error", reject)
          .end(),
      );
    const visits: number[] = [];
    const ui = testUi({
      openBrowser: async (url) => {
        const { searchParams } = new URL(url);
        const callback = searchParams.get("redirect_uri") ?? "";
        visits.push(
          await visit(`${new URL(callback).origin}/favicon.ico`),
          await visit(`${callback}?code=evil&state=foreign`),
          await visit(`${callback}?code=good&state=${searchParams.get("state")}`),
        );
        return true;
      },
    });
    const flow = createGoogleFlow(world.context, endpoints(server));
    expect(await flow.login(ui, never)).toEqual({ kind: "logged-in", account: "me@example.com" });
    expect(visits).toEqual([404, 400, 200]);
    const sent = server.callsTo("/token")[0]?.fields ?? {};
    expect(sent).toMatchObject({ code: "good", client_id: "client-1", client_secret: "secret-1" });
    expect(challengeOf(sent.code_verifier ?? "")).toBe(
      new URL(ui.shown[0]?.url ?? "").searchParams.get("code_challenge"),
    );
    expect(await flow.status(never)).toMatchObject({
      kind: "logged-in",
      account: "me@example.com",
      source: "google-oauth",
    });
  });

  test("[20:R3.45] without a screen the address is pasted back; without a client nothing is started", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld({ ...env, HERMES_HEADLESS: "1" });
    server.on("/token", () => ({ body: { access_token: "google-1", expires_in: 3600 } }));
    const ui = testUi();
    const pasting = {
      ...ui,
      paste: async () =>
        `http://127.0.0.1:8085/oauth2callback?code=c&state=${new URL(ui.shown[0]?.url ?? "").searchParams.get("state")}`,
    };
    expect(await createGoogleFlow(world.context, endpoints(server)).login(pasting, never)).toEqual({
      kind: "logged-in",
    });
    expect(ui.opened).toEqual([]);
    using bare = openFlowWorld();
    expect(await createGoogleFlow(bare.context, endpoints(server)).login(testUi(), never)).toMatchObject({
      code: "missing_api_key",
      hint: expect.stringContaining("HERMES_GEMINI_CLIENT_ID"),
    });
  });

  test("[20:R3.45] renewed a minute early, once however many ask; a withdrawn login is forgotten", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld(env);
    mkdirSync(join(world.folder, "auth"));
    const path = join(world.folder, "auth", "google_oauth.json");
    writeFileSync(
      path,
      JSON.stringify({ access_token: "old", refresh_token: "refresh-0", expires_at_ms: now + 59_000 }),
    );
    server.on("/token", () => ({ body: { access_token: "new", expires_in: 3600 } }));
    const tokens = createGoogleFlow(world.context, endpoints(server)).tokens();
    const all = await Promise.all([1, 2, 3, 4].map(() => tokens.current(never)));
    expect(all.map((token) => token.secret.reveal())).toEqual(["new", "new", "new", "new"]);
    expect(server.calls).toHaveLength(1);
    server.on("/token", () => ({ status: 400, body: { error: "invalid_grant" } }));
    await world.clock.advance(3_600_000);
    await expect(tokens.current(never)).rejects.toMatchObject({ code: "google_oauth_revoked" });
    expect(await createGoogleFlow(world.context, endpoints(server)).status(never)).toEqual({ kind: "logged-out" });
  });

  test("[20:R1.63] the project is asked for once, made where there is none, and remembered with the login", async () => {
    await using server = await startOAuthServer();
    using world = openFlowWorld(env);
    mkdirSync(join(world.folder, "auth"));
    const path = join(world.folder, "auth", "google_oauth.json");
    writeFileSync(path, JSON.stringify({ access_token: "google-1", expires_at_ms: now + 3_600_000 }));
    server.on("/v1internal:loadCodeAssist", () => ({
      body: { allowedTiers: [{ id: "legacy" }, { id: "free-tier", isDefault: true }] },
    }));
    server.script(
      "/v1internal:onboardUser",
      { body: { name: "operations/1" } },
      { body: { done: true, response: { cloudaicompanionProject: { id: "project-7" } } } },
    );
    const flow = createGoogleFlow(world.context, endpoints(server));
    expect(await flow.project?.(never)).toBe("project-7");
    expect(server.callsTo("/v1internal:onboardUser")[0]).toMatchObject({
      headers: { authorization: "Bearer google-1" },
      json: { tierId: "free-tier" },
    });
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ access_token: "google-1", project_id: "project-7" });
    const asked = server.calls.length;
    expect(await createGoogleFlow(world.context, endpoints(server)).project?.(never)).toBe("project-7");
    expect(server.calls).toHaveLength(asked);
  });
});
