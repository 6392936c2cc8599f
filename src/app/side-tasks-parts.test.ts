import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { calls, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { FakeWebServer } from "../../test/fakes/web-server/index.ts";
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

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const tasks = [
  "vision",
  "web_extract",
  "compression",
  "session_search",
  "approval",
  "title_generation",
  "flush_memories",
];

it("every side task goes to the model that the settings give it, whatever starts it [20:R4.1] [10:ERR-10]", async () => {
  await using main = await startModelServer();
  await using helper = await startModelServer();
  const page = `<html><body><h1>Walnuts</h1>${"<p>Walnuts grow on trees in gardens and along roads.</p>".repeat(400)}</body></html>`;
  await using web = await FakeWebServer.start({ "/walnuts": { body: page } });
  const auxiliary = tasks.map((task) => `  ${task}: {base_url: "${helper.chatBaseUrl}", model: for-${task}}\n`);
  const more = `auxiliary:\n${auxiliary.join("")}approvals: {mode: smart}\nsecurity: {allow_private_urls: true}\nmemory: {flush_min_turns: 1}\n`;
  helper.otherwise(({ model }) => says(model === "for-approval" ? "APPROVE" : `Walnuts, says ${model}.`));
  await using stage = await hermesStage(customModel(main.chatBaseUrl, more));
  await writeFile(path.join(stage.folder, "tree.png"), pixel);
  main.script(
    calls("vision_analyze", { image_url: path.join(stage.folder, "tree.png"), question: "What is it?" }),
    calls("web_extract", { urls: [`${web.origin}/walnuts`] }),
    calls("terminal", { command: "rm -rf build" }),
    says("All looked at."),
  );
  main.otherwise(says("Fine."));
  await stage.ask("Look at walnuts.");
  await stage.until((event) => event.type === "session-changed" && event.info.title !== undefined);
  for (const word of ["one", "two", "three", "four", "five", "six"]) await stage.ask(`${word} `.repeat(2_000));
  await stage.command("/compress");
  await stage.command("/new");
  main.script(calls("session_search", { query: "walnuts" }), says("Found."));
  await stage.ask("What did we say of walnuts?");
  expect([...new Set(helper.requests.map(({ model }) => model))].toSorted()).toEqual(
    tasks.map((task) => `for-${task}`).toSorted(),
  );
  expect([...new Set(main.requests.map(({ model }) => model))]).toEqual(["fake-model"]);
  const looked = helper.requests.find(({ model }) => model === "for-vision");
  expect(looked?.rawBody).toContain(pixel.toString("base64"));
});
