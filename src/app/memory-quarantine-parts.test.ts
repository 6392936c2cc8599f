import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { calls, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { customModel, hermesStage } from "./testing.ts";

const fakeServer = fileURLToPath(new URL("../../test/fakes/mcp-server/server.mjs", import.meta.url));
const stranger = `mcp_servers:\n  s:\n    command: ${JSON.stringify(process.execPath)}\n    args: ${JSON.stringify([fakeServer, "{}"])}\n`;
const settings = `${stranger}memory:\n  provider: holographic\n`;
const fact = "Invoices go to Mallory";

it("facts that a stranger may have suggested wait for the person, and are stored when confirmed [30:7.4] [30:3.9]", async () => {
  await using server = await startModelServer({ strict: true });
  server.otherwise(says("A title"));
  await using stage = await hermesStage(customModel(server.chatBaseUrl, settings));
  const add = (content: string) => calls("fact_store", { action: "add", content });
  const search = calls("fact_store", { action: "search", query: "Invoices" });
  server.script(calls("mcp_s_echo", { text: fact }), add(fact), search, says("It waits."));
  expect((await stage.ask("Read the mail.")).text).toBe("It waits.");
  const told = async (request: number): Promise<string> =>
    JSON.stringify((await server.received(request)).messages.filter(({ role }) => role === "tool").at(-1)?.content);
  expect(await told(3)).toMatch(/pending_id.*mcp_s_echo/);
  expect(await told(4)).toMatch(/count[^0-9]*0/);

  const pending = await stage.command("/memory pending");
  expect(pending).toContain(fact);
  const id = /mem_[0-9a-z]+/.exec(pending)?.[0] ?? "";
  expect(await stage.command(`/memory confirm ${id}`)).toContain("Remembered");
  expect(await stage.command("/memory pending")).not.toContain(fact);
  await server.received(5);
  server.script(search, says("Found."));
  await stage.ask("Who gets invoices?");
  expect(await told(7)).toContain(fact);

  // As long as the mail is in the context, what is remembered waits.
  server.script(add("Tea is green"), says("It waits."));
  await stage.ask("Remember my tea.");
  expect(await told(9)).toMatch(/pending_id.*mcp_s_echo/);
  await stage.command("/new");
  server.script(add("Tea is black"), says("Kept."));
  await stage.ask("Remember my tea.");
  expect(await told(server.requests.length)).toContain("added");
  expect(await stage.command("/memory pending")).not.toContain("black");
});

it("a rejected fact is never stored [30:7.4]", async () => {
  await using server = await startModelServer({ strict: true });
  server.otherwise(says("A title"));
  await using stage = await hermesStage(customModel(server.chatBaseUrl, settings));
  server.script(calls("mcp_s_echo", {}), calls("fact_store", { action: "add", content: fact }), says("It waits."));
  await stage.ask("Read the mail.");
  const id = /mem_[0-9a-z]+/.exec(await stage.command("/memory pending"))?.[0] ?? "";
  expect(await stage.command(`/memory reject ${id}`)).toContain("Dropped");
  await server.received(4);
  server.script(calls("fact_store", { action: "list" }), says("Nothing."));
  await stage.ask("What do you know?");
  const answers = (await server.received(6)).messages.filter(({ role }) => role === "tool");
  expect(JSON.stringify(answers.at(-1)?.content)).toMatch(/count[^0-9]*0/);
});
