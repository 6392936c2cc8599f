import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { Deferred } from "#foundation/lifecycle/deferred";
import { calls, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { startOAuthServer } from "../../test/fakes/oauth-server.ts";
import { customModel, hermesStage } from "./testing.ts";

it("services of tools are paid for by the Nous login where there are no own keys [30:3.14]", async () => {
  await using model = await startModelServer({ strict: true });
  await using portal = await startOAuthServer();
  const asked = new Deferred<string>();
  const gateway = createServer((request, response) => {
    asked.resolve(request.headers.authorization ?? "");
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ success: true, data: [{ url: "https://example.com/", title: "Found it" }] }));
  });
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", () => resolve()));
  const later = new Date(Date.now() + 7_200_000).toISOString();
  const login = { access_token: "portal-0", refresh_token: "r", expires_at: later };
  const auth = { providers: { nous: { ...login, agent_key: "agent-1", agent_key_expires_at: later } } };
  try {
    const port = (gateway.address() as AddressInfo).port;
    await using stage = await hermesStage(customModel(model.chatBaseUrl, "web:\n  backend: firecrawl\n"), {
      env: { HERMES_PORTAL_BASE_URL: portal.url },
      files: {
        "auth.json": JSON.stringify({ version: 1, ...auth }),
        ".env": `FIRECRAWL_GATEWAY_URL=http://127.0.0.1:${port}\n`,
      },
    });
    model.otherwise(says("Done."));
    model.script(calls("web_search", { query: "needle" }), says("Found."));
    await stage.ask("Search.");
    expect(JSON.stringify((await model.received(2)).messages.at(-1))).toContain("Found it");
    expect(await asked.promise).toBe("Bearer portal-0");
  } finally {
    gateway.closeAllConnections();
    await new Promise<void>((resolve) => gateway.close(() => resolve()));
  }
});
