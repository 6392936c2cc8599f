import { expect, it } from "vitest";
import { calls, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { customModel, hermesStage } from "./testing.ts";

it("the last chance to remember is given to the model of `auxiliary.flush_memories` [20:R4.1] [20:R4.3]", async () => {
  await using main = await startModelServer();
  await using helper = await startModelServer();
  main.otherwise(says("Noted."));
  helper.script(calls("memory", { action: "add", target: "user", content: "Grows walnuts" }));
  helper.otherwise(says("Nothing more."));
  const more = [
    `auxiliary:\n  flush_memories:\n    provider: custom\n    base_url: ${helper.chatBaseUrl}\n    model: fake-model\n`,
    "memory:\n  flush_min_turns: 1\n",
  ].join("");
  await using stage = await hermesStage(customModel(main.chatBaseUrl, more));
  await stage.ask("I grow walnuts.");
  await stage.command("/new");
  expect(helper.requests).toHaveLength(1);
  expect(helper.requests[0]?.toolNames).toEqual(["memory"]);
  expect(JSON.stringify(helper.requests[0]?.messages)).toContain("I grow walnuts.");
});
