import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { openHermes } from "#app";
import type { TurnResult } from "#conversation";
import type { SessionEvent } from "#session";
import { homeWithEngine, missing } from "./real-model.ts";

const config = `model: { provider: local, default: smol, max_tokens: 32 }
local: { context_length: 2048, toolsets: [] }
compression: { threshold: 0.6, protect_last_n: 2 }
auxiliary: { title_generation: { provider: demo } }
`;

/** Minutes of reading prompts on two cores. */
const isFull = process.env["HERMES_LOCAL_FULL"] === "1";
if (!isFull)
  process.stderr.write("Skipped: a long session with the real model takes minutes; HERMES_LOCAL_FULL=1 runs it.\n");

describe.skipIf(missing !== undefined || !isFull)("a session with a real model on this machine", () => {
  it("goes on over the end of a small window, with a summary that the model itself wrote", async () => {
    await using home = await homeWithEngine("smol");
    await writeFile(home.config, config);
    const env = { PATH: process.env["PATH"], HOME: home.root, HERMES_HOME: home.root };
    await using hermes = await openHermes({
      env,
      cwd: home.root,
      version: "test",
      isIncognito: true,
      onNotice: () => undefined,
    });
    await using session = await hermes.sessions.open({
      source: "cli",
      cwd: home.root,
      isInteractive: true,
      ignoreRules: true,
    });
    const events: SessionEvent[] = [];
    using _heard = session.subscribe((event) => void events.push(event));
    expect(session.info).toMatchObject({ model: "smol", contextWindow: 2048 });
    const isCompressed = (): boolean => events.some(({ type }) => type === "compression-end");
    const ask = async (text: string): Promise<TurnResult> => {
      const submission = await session.submit({ text });
      if (submission.kind !== "turn") throw new Error(`no turn: ${JSON.stringify(submission)}`);
      return submission.ended;
    };
    for (let turn = 0; turn < 6 && !isCompressed(); turn += 1) {
      const words = "The ferry leaves at nine and comes back at five. ".repeat(22);
      const result = await ask(`${words} Question ${turn}: when?`);
      expect(result).toMatchObject({ provider: "local", model: "smol" });
      // Free, and with counts of the engine itself.
      expect(result.usage.output).toBeGreaterThan(0);
      expect(result.contextTokens).toBeLessThan(2048);
    }
    expect(isCompressed()).toBe(true);
    // Whether a model of this size comes to an end within 32 tokens is its own affair; that it answers is ours.
    expect((await ask("Thank you.")).usage.output).toBeGreaterThan(0);
  }, 300_000);
});
