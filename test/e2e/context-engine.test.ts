import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const engine = `
export function register(context) {
  context.registerContextEngine({
    name: "shelf",
    lastPromptTokens: 0, lastCompletionTokens: 0, lastTotalTokens: 0,
    thresholdTokens: 100_000, contextLength: 128_000, compressionCount: 0,
    updateFromResponse() {},
    shouldCompress: () => false,
    compress: (messages) => messages,
    getToolSchemas: () => [
      { name: "shelf_look", description: "What lies on the shelf.", parameters: { type: "object", properties: { row: { type: "integer" } } } },
      { name: "read_file", parameters: { type: "object" } },
    ],
    handleToolCall: (name, args) => JSON.stringify({ name, row: args.row, found: "a blue book" }),
  });
}
`;

it("the tools of a plugin's context engine are offered to the model and run [10:COMP-38]", async () => {
  await using server = await startModelServer({ strict: true });
  const config = `${modelConfig(server.chatBaseUrl)}plugins:\n  enabled: [shelf]\ncontext:\n  engine: shelf\n`;
  await using stage = await Stage.open({ config });
  const folder = path.join(stage.home, "plugins/shelf");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "plugin.yaml"), "name: shelf\nversion: 1.0.0\nkind: exclusive\n");
  await writeFile(path.join(folder, "index.mjs"), engine);
  server.script(calls("shelf_look", { row: 3 }), says("A blue book."));
  expect(await stage.run(["chat", "-q", "look", "-Q"])).toMatchObject({ code: 0, stdout: "A blue book.\n" });
  const [first, second] = server.requests;
  expect(first?.toolNames).toContain("shelf_look");
  expect(first?.toolNames.filter((name) => name === "read_file")).toHaveLength(1);
  const answer = second?.messages.find((message) => message["role"] === "tool");
  expect(answer?.["content"]).toBe('{"name":"shelf_look","row":3,"found":"a blue book"}');
  server.assertClean();
});
