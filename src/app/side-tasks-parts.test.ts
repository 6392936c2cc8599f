import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { calls, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { customModel, hermesStage } from "./testing.ts";

const fakeServer = fileURLToPath(new URL("../../test/fakes/mcp-server/server.mjs", import.meta.url));

it("a completion that an MCP server asks for goes to the model of `auxiliary.mcp` [20:R4.1] [20:R4.14]", async () => {
  await using main = await startModelServer();
  await using helper = await startModelServer();
  main.script(calls("mcp_fake_sample", {}), says("It said forty-two."));
  main.otherwise(says("A title"));
  helper.otherwise(says("forty-two"));
  const tools = [{ name: "sample", description: "Asks", inputSchema: { type: "object", properties: {} } }];
  const server = { command: process.execPath, args: [fakeServer, JSON.stringify({ tools })], trust: "trusted" };
  const more = [
    `auxiliary:\n  mcp:\n    base_url: ${helper.chatBaseUrl}\n    model: fake-model\n    api_key: helper-key-0123\n`,
    `mcp_servers:\n  fake: ${JSON.stringify(server)}\n`,
  ].join("");
  await using stage = await hermesStage(customModel(main.chatBaseUrl, more));
  expect(await stage.ask("Ask the server.")).toMatchObject({ text: "It said forty-two." });
  expect(helper.requests.map((request) => request.headers["authorization"])).toEqual(["Bearer helper-key-0123"]);
  expect(JSON.stringify((await main.received(2)).messages)).toContain("forty-two");
  const { sideCalls } = await stage.hermes.store.reports.insights({ sinceMs: 0 });
  expect(sideCalls.find((group) => group.task === "mcp")?.calls).toBe(1);
});
