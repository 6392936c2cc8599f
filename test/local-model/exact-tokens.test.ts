import { describe, expect, it } from "vitest";
import { exactTokens } from "./exact-tokens.ts";
import { missing, serveRealModel } from "./real-model.ts";

describe.skipIf(missing !== undefined)("what is trained on, with a real model", () => {
  it("is, token by token, what the server sampled, over several steps with tool calls [50:5.7] [50:5.4]", async () => {
    await using model = await serveRealModel();
    const report = await exactTokens(model, 3);
    expect(report.faults).toEqual([]);
    expect(report).toMatchObject({ rollouts: 3, breaks: 0 });
    expect(report.replies).toBeGreaterThanOrEqual(6);
    expect(report.toolCalls).toBeGreaterThan(0);
    expect(report.trainedTokens).toBeGreaterThan(0);
  }, 600_000);
});
