import { describe, expect, it } from "vitest";
import type { PromptInputs } from "./inputs.ts";
import { fromStored, promptForSession, toStored } from "./stored-prompt.ts";
import { buildPrompt, rebuildChanged } from "./system-prompt.ts";

const inputs: PromptInputs = {
  toolNames: ["memory"],
  model: "claude-x",
  provider: "anthropic",
  toolUseEnforcement: "auto",
  memoryBlock: "old notes",
  session: { startedAtMs: 0, timeZone: "UTC", rootSessionId: "s1" },
  environment: { isWsl: false, isTermux: false },
  platform: "cli",
};

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("a stored prompt", () => {
  it("[10:A3.9] [10:PROMPT-18] is reused byte for byte although the notes changed since", async () => {
    const stored = toStored(buildPrompt(inputs));
    const { prompt, isReused } = await promptForSession(
      { hasHistory: true, stored: { text: stored.text, record: throughJson(stored.record) } },
      () => Promise.reject(new Error("the inputs are not needed")),
    );
    expect(isReused).toBe(true);
    expect(prompt).toEqual(buildPrompt(inputs));
  });

  it("[10:PROMPT-18] is built when the session has no history or no prompt", async () => {
    const gather = () => Promise.resolve(inputs);
    const stored = { text: "old text" };
    expect((await promptForSession({ hasHistory: false, stored }, gather)).prompt.text).toContain("old notes");
    expect((await promptForSession({ hasHistory: true }, gather)).isReused).toBe(false);
    expect((await promptForSession({ hasHistory: true, stored: { text: "" } }, gather)).isReused).toBe(false);
  });

  it("[10:COMP-31] lets single layers be rebuilt after a resume", () => {
    const stored = toStored(buildPrompt(inputs));
    const resumed = fromStored(stored.text, throughJson(stored.record));
    const later = { ...inputs, memoryBlock: "new notes", session: { startedAtMs: 5e11, timeZone: "UTC" } };
    const rebuilt = rebuildChanged(resumed, later);
    expect(rebuilt.changed).toEqual(["memory"]);
    expect(rebuilt.prompt.text).toBe(stored.text.replace("old notes", "new notes"));
  });

  it.each([
    undefined,
    null,
    "text",
    {},
    { version: 2 },
    { version: 1, fingerprint: "", session: {}, layers: [] },
    { version: 1, fingerprint: "", session: { startedLine: "x", idLine: 7 }, layers: [] },
    { version: 1, fingerprint: "", session: { startedLine: "x" }, layers: [{ name: "unknown" }] },
  ])("keeps its text when its record is %j, and is rebuilt as a whole", (record) => {
    const prompt = fromStored("text of an older program", record);
    expect(prompt.text).toBe("text of an older program");
    expect(rebuildChanged(prompt, inputs).prompt).toEqual(buildPrompt(inputs));
  });
});
