import { describe, expect, it } from "vitest";
import { says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { customModel, hermesStage } from "./testing.ts";

describe("a model with a small window", () => {
  it("is refused at the start, with the two ways out [20:A6.9] [20:R6.4] [10:LOOP-6]", async () => {
    await using server = await startModelServer();
    const opening = hermesStage(customModel(server.chatBaseUrl, "  context_length: 32000\n"));
    await expect(opening).rejects.toMatchObject({
      code: "context_too_small",
      message: expect.stringMatching(/32K[\s\S]*64K/),
      hint: expect.stringMatching(/model\.context_length[\s\S]*model\.allow_small_context/),
    });
  });

  it("works when the person accepts it, and a warning says what to expect [20:R6.4]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("Hi."));
    const config = "  context_length: 32000\n  allow_small_context: true\n";
    await using stage = await hermesStage(customModel(server.chatBaseUrl, config));
    const warning = await stage.until((event) => event.type === "notice" && event.level === "warn");
    expect(warning).toMatchObject({ text: expect.stringContaining("32") });
    expect((await stage.ask("hello")).text).toBe("Hi.");
  });

  it("is refused when it is switched to, and the model at hand stays [20:R6.4]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("Hi."));
    const config = `${customModel(server.chatBaseUrl)}custom_providers:
  - name: small
    base_url: ${server.chatBaseUrl}
    model: tiny
    models: { tiny: { context_length: 8000 } }
`;
    await using stage = await hermesStage(config);
    expect(await stage.command("/model custom:small:tiny")).toContain("model.allow_small_context");
    expect(stage.session.info.model).toBe("fake-model");
  });
});
