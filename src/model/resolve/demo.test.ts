import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import type { Target } from "../target.ts";
import { choiceToSave } from "./choose/picker.ts";
import { switchModel } from "./choose/switch-model.ts";
import { resolveTarget } from "./resolve.ts";
import { openWorld } from "./testing/world.ts";

const key = "sk-0123456789abcdef";
const served = { provider: "demo", model: "hermes-demo", baseUrl: "http://127.0.0.1:9/v1", quirks: {}, limits: {} };
const change = { demo: () => Promise.resolve(served as unknown as Target) };

describe("the demo model", () => {
  test.each([
    [{ provider: "demo" }, {}],
    [{ provider: "Demo", model: "hermes-demo" }, {}],
    [{ model: "demo" }, {}],
    [{}, { model: { provider: "demo" } }],
  ])("[20:R3.1] is chosen by name: wish %j, settings %j", async (wanted, settings) => {
    using world = openWorld({ env: { OPENROUTER_API_KEY: key }, settings, change });
    const found = await resolveTarget(wanted, world.context, never);
    expect(found).toMatchObject({ kind: "target", target: { provider: "demo", model: "hermes-demo" } });
  });

  test("[20:R2.12] is switched to in a conversation, and away from", async () => {
    using world = openWorld({ env: { OPENROUTER_API_KEY: key }, change });
    const standing = { provider: "openrouter", baseUrl: "https://openrouter.ai/api/v1" };
    for (const text of ["demo", "demo:hermes-demo", "--provider demo"])
      expect(await switchModel({ text, standing }, world.context, never)).toMatchObject({
        kind: "switched",
        provider: "demo",
        hasProviderChanged: true,
      });
    const back = await switchModel({ text: "openrouter:x/y", standing: served }, world.context, never);
    expect(back).toMatchObject({ kind: "switched", provider: "openrouter" });
  });

  test("[20:R2.8] is not an endpoint of one's own that has the name", async () => {
    const settings = { custom_providers: [{ name: "demo", base_url: "http://127.0.0.1:8/v1", model: "mine" }] };
    using world = openWorld({ settings, change });
    expect(await resolveTarget({ provider: "demo" }, world.context, never)).toMatchObject({
      kind: "target",
      target: { baseUrl: "http://127.0.0.1:8/v1" },
    });
  });

  test("[20:R8.13] is saved without its address, which the next run does not have", () => {
    expect(choiceToSave(served)).toMatchObject({ "model.provider": "demo", "model.base_url": undefined });
  });

  test("is unknown where none is served", async () => {
    using world = openWorld({});
    expect(await resolveTarget({ provider: "demo" }, world.context, never)).toMatchObject({ code: "invalid_provider" });
  });
});
