import { createHash } from "node:crypto";
import { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
import { testScope, toolContext } from "../../testing.ts";
import { mcpStage, settingsOf } from "../testing.ts";
import { McpOAuth, type McpServerAddress } from "./oauth.ts";
import { TokenStore } from "./token-store.ts";

/** An MCP server over HTTP and its login service in one: PKCE checked, tokens counted. */
async function protectedServer() {
  const challenges = new Map<string, string>();
  const seen = { registrations: 0, refreshes: 0, calls: 0, verified: 0 };
  let valid = "";
  let refresh = "";
  let number = 0;
  const issue = () => {
    number += 1;
    valid = `access-${number}`;
    refresh = `refresh-${number}`;
    return { access_token: valid, refresh_token: refresh, token_type: "Bearer", expires_in: 3600 };
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    const url = new URL(request.url ?? "/", origin());
    const json = (status: number, value: unknown, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { "content-type": "application/json", connection: "close", ...headers })
        .end(JSON.stringify(value));
    switch (url.pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
      case "/.well-known/oauth-protected-resource":
        return json(200, { resource: `${origin()}/mcp`, authorization_servers: [origin()] });
      case "/.well-known/oauth-authorization-server":
        return json(200, {
          issuer: origin(),
          authorization_endpoint: `${origin()}/authorize`,
          token_endpoint: `${origin()}/token`,
          registration_endpoint: `${origin()}/register`,
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        });
      case "/register":
        seen.registrations += 1;
        return json(201, { ...JSON.parse(body), client_id: `client-${seen.registrations}` });
      case "/token": {
        const form = new URLSearchParams(body);
        if (form.get("grant_type") === "refresh_token") {
          seen.refreshes += 1;
          if (form.get("refresh_token") !== refresh) return json(400, { error: "invalid_grant" });
          return json(200, issue());
        }
        const hash = createHash("sha256")
          .update(form.get("code_verifier") ?? "")
          .digest("base64url");
        if (challenges.get(form.get("code") ?? "") !== hash) return json(400, { error: "invalid_grant" });
        seen.verified += 1;
        return json(200, issue());
      }
      case "/mcp": {
        if (request.headers.authorization !== `Bearer ${valid}` || valid === "") {
          return json(
            401,
            { error: "unauthorized" },
            {
              "www-authenticate": `Bearer resource_metadata="${origin()}/.well-known/oauth-protected-resource"`,
            },
          );
        }
        if (request.method !== "POST") return json(405, {});
        const message = JSON.parse(body);
        if (message.id === undefined) return response.writeHead(202).end();
        seen.calls += 1;
        const results: Record<string, unknown> = {
          initialize: {
            protocolVersion: message.params?.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: "p", version: "1" },
          },
          "tools/list": { tools: [{ name: "who", inputSchema: { type: "object" } }] },
          "tools/call": { content: [{ type: "text", text: "you" }] },
        };
        return json(200, { jsonrpc: "2.0", id: message.id, result: results[message.method] ?? {} });
      }
      default:
        return json(404, {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin()}/mcp`,
    seen,
    /** Ends the access token early, as a server may at any time. */
    expire: () => {
      valid = "";
    },
    revoke: () => {
      valid = "";
      refresh = "";
    },
    /** Does what the person's browser would. */
    async visit(address: string, code = "code-1"): Promise<Response> {
      const url = new URL(address);
      challenges.set(code, url.searchParams.get("code_challenge") ?? "");
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", code);
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      return fetch(back, { headers: { connection: "close" } });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function settingsFor(url: string) {
  const settings = settingsOf("api", { url, auth: "oauth", trust: "trusted" });
  if (settings.endpoint.kind === "stdio" || settings.endpoint.oauth === undefined) throw new Error("no oauth");
  const address: McpServerAddress = { name: "api", url, oauth: settings.endpoint.oauth };
  return { settings, address };
}

describe("a server that needs a login", () => {
  it("is logged in with PKCE, keeps its tokens privately and renews them once [30:6.6] [30:MCP-18]", async () => {
    await using server = await protectedServer();
    await using location = await mcpStage();
    const folder = join(location.home, "mcp-tokens");
    const oauth = new McpOAuth(new TokenStore(folder, systemClock));
    const { settings, address } = settingsFor(server.url);
    const visits: Promise<Response>[] = [];
    await oauth.login(address, { show: (url) => void visits.push(server.visit(url)) }, never);
    expect((await visits[0])?.status).toBe(200);
    expect(server.seen).toMatchObject({ registrations: 1, verified: 1 });

    expect((await readdir(folder)).sort()).toEqual(["api.client.json", "api.json"]);
    expect((await stat(join(folder, "api.json"))).mode & 0o777).toBe(0o600);
    const tokens = JSON.parse(await readFile(join(folder, "api.json"), "utf8"));
    expect(tokens.expires_at).toBeGreaterThan(Date.now() / 1000 + 3500);

    await using stage = await mcpStage({ oauth });
    await stage.open([settings]).ready(testScope(), never);
    const who = stage.registry.snapshot().tools.get("mcp_api_who");
    const ask = async () => (await who?.execute({}, toolContext()))?.content;
    expect(await ask()).toEqual({ result: "you" });
    server.expire();
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(Array.from({ length: 3 }, () => ({ result: "you" })));
    expect(server.seen.refreshes).toBe(1);
  });

  it("says that the person has to log in again when nothing helps [30:MCP-18]", async () => {
    await using server = await protectedServer();
    await using stage = await mcpStage();
    const oauth = new McpOAuth(new TokenStore(join(stage.home, "mcp-tokens"), systemClock));
    const { settings, address } = settingsFor(server.url);
    await oauth.login(address, { show: (url) => void server.visit(url) }, never);
    await using second = await mcpStage({ oauth });
    await second.open([settings]).ready(testScope(), never);
    const who = second.registry.snapshot().tools.get("mcp_api_who");
    server.revoke();
    const answer = await who?.execute({}, toolContext());
    expect(answer?.content).toMatchObject({ needs_reauth: true, server: "api" });
  });

  it("fails with guidance while nobody has logged in, and does not open a browser [30:6.6]", async () => {
    await using server = await protectedServer();
    await using location = await mcpStage();
    const oauth = new McpOAuth(new TokenStore(join(location.home, "mcp-tokens"), systemClock));
    await using stage = await mcpStage({ oauth });
    const servers = stage.open([settingsFor(server.url).settings]);
    await servers.ready(testScope(), never);
    expect(servers.status[0]?.lastError).toContain("Run: hermes mcp login api");
    expect(server.seen.registrations).toBe(0);
  });

  it("forgets everything on logout, and sees what another process stored [30:6.6]", async () => {
    await using stage = await mcpStage();
    const folder = join(stage.home, "mcp-tokens");
    const store = new TokenStore(folder, systemClock);
    await store.saveTokens("api", { access_token: "one", token_type: "Bearer" });
    expect((await store.tokens("api"))?.access_token).toBe("one");
    const path = join(folder, "api.json");
    await writeFile(path, JSON.stringify({ access_token: "two", token_type: "Bearer" }));
    await utimes(path, new Date(), new Date(Date.now() + 5_000));
    expect((await store.tokens("api"))?.access_token).toBe("two");
    await new McpOAuth(store).logout("api");
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("a server behind the proxy of the environment", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("is reached through it [30:6.6]", async () => {
    await using server = await protectedServer();
    await using location = await mcpStage();
    const asked = new Set<string>();
    const proxy = createServer((incoming, outgoing) => {
      const wanted = new URL(incoming.url ?? "");
      asked.add(wanted.host);
      const { port } = new URL(server.url);
      const onward = request(
        {
          host: "127.0.0.1",
          port,
          path: wanted.pathname + wanted.search,
          method: incoming.method,
          headers: incoming.headers,
        },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
          answer.pipe(outgoing);
        },
      );
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", () => resolve()));
    const oauth = new McpOAuth(new TokenStore(join(location.home, "mcp-tokens"), systemClock));
    await oauth.login(settingsFor(server.url).address, { show: (url) => void server.visit(url) }, never);
    vi.stubEnv("HTTP_PROXY", `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    try {
      await using stage = await mcpStage({ oauth });
      await stage.open([settingsFor("http://tools.test/mcp").settings]).ready(testScope(), never);
      const who = stage.registry.snapshot().tools.get("mcp_api_who");
      expect((await who?.execute({}, toolContext()))?.content).toEqual({ result: "you" });
      expect([...asked]).toEqual(["tools.test"]);
    } finally {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    }
  });
});
