import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { type OAuthServer, startOAuthServer } from "../../../../test/fakes/oauth-server.ts";
import { settingsOf } from "../testing.ts";
import { McpOAuth, type McpServerAddress } from "./oauth.ts";
import type { ShownCode } from "./oauth-device.ts";
import { TokenStore } from "./token-store.ts";

let service: OAuthServer;
let folder: string;
beforeEach(async () => {
  service = await startOAuthServer();
  folder = await mkdtemp(join(tmpdir(), "hermes-device-"));
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function offer(hasDevice = true): void {
  const { url } = service;
  const resource = { body: { resource: `${url}/mcp`, authorization_servers: [url] } };
  service.on("/.well-known/oauth-protected-resource/mcp", () => resource);
  service.on("/.well-known/oauth-authorization-server", () => ({
    body: {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      registration_endpoint: `${url}/register`,
      response_types_supported: ["code"],
      ...(hasDevice ? { device_authorization_endpoint: `${url}/device` } : {}),
    },
  }));
  service.on("/register", (call) => ({ status: 201, body: { ...call.json, client_id: "client-1" } }));
  service.on("/device", () => ({
    body: {
      device_code: "dev-1",
      user_code: "ABCD-EFGH",
      verification_uri: `${url}/enter`,
      interval: 3,
      expires_in: 60,
    },
  }));
}

async function login() {
  const clock = new FakeClock(1_000_000, { autoAdvance: true });
  const store = new TokenStore(folder, clock);
  const shown: ShownCode[] = [];
  const settings = settingsOf("web", { url: `${service.url}/mcp`, auth: "oauth" });
  if (settings.endpoint.kind === "stdio" || settings.endpoint.oauth === undefined) throw new Error("no oauth");
  const address: McpServerAddress = { name: "web", url: `${service.url}/mcp`, oauth: settings.endpoint.oauth };
  const ended = new McpOAuth(store).loginByDevice(address, { clock, show: (code) => void shown.push(code) }, never);
  return { ended, store, shown, clock };
}

describe("a login on another device", () => {
  it("[30:6.6] shows the code, asks at the pace it is told, and keeps the tokens", async () => {
    offer();
    service.script(
      "/token",
      { status: 400, body: { error: "authorization_pending" } },
      { status: 400, body: { error: "slow_down" } },
      { body: { access_token: "at", refresh_token: "rt", token_type: "Bearer", expires_in: 100 } },
    );
    const { ended, store, shown, clock } = await login();
    expect(await ended).toBe("done");
    expect(shown).toEqual([{ url: `${service.url}/enter`, code: "ABCD-EFGH" }]);
    expect(clock.slept).toEqual([3_000, 3_000, 8_000]);
    expect(await store.tokens("web")).toMatchObject({ access_token: "at", refresh_token: "rt" });
    expect(service.callsTo("/token")[0]?.fields).toMatchObject({
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: "dev-1",
      client_id: "client-1",
      resource: `${service.url}/mcp`,
    });
  });

  it("[30:6.6] a service without it says so; a refusal and a code that ran out are told apart", async () => {
    offer(false);
    expect(await (await login()).ended).toBe("unsupported");
    offer();
    service.script("/token", { status: 400, body: { error: "access_denied" } });
    await expect((await login()).ended).rejects.toThrow("refused on the other device");
    service.on("/token", () => ({ status: 400, body: { error: "authorization_pending" } }));
    await expect((await login()).ended).rejects.toThrow("in time");
  });
});
