import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { estimateText } from "#model";
import { memoryTool } from "../memory/memory-tool.ts";
import type { PromptInputs } from "./inputs.ts";
import { defaultIdentity } from "./layer-texts.ts";
import { layers } from "./layers.ts";
import { buildPrompt, rebuildChanged } from "./system-prompt.ts";

const startedAtMs = Date.UTC(2026, 10, 16, 0, 58);

function inputs(change: Partial<PromptInputs> = {}): PromptInputs {
  return {
    toolNames: [],
    model: "claude-x",
    provider: "anthropic",
    toolUseEnforcement: "auto",
    session: { startedAtMs, timeZone: "Europe/Berlin" },
    environment: { isWsl: false, isTermux: false },
    ...change,
  };
}

const everything: PromptInputs = inputs({
  soul: "I am Iris.",
  toolNames: ["memory", "session_search", "skill_manage", "web_search"],
  toolGuidance: ["Remember what lasts."],
  model: "gpt-5",
  provider: "alibaba",
  managedCapabilities: [{ label: "Web search", toolNames: ["web_search"], isActive: true }],
  systemMessage: "Answer in French.",
  memoryBlock: "MEMORY BLOCK",
  profileBlock: "PROFILE BLOCK",
  providerBlock: "PROVIDER BLOCK",
  agents: "# Agents",
  skillsIndex: "SKILLS BLOCK",
  contextFiles: "# Project Context\n\nRules 👍",
  environment: { isWsl: true, isTermux: false },
  platform: "telegram",
});

const namesOf = (prompt: { readonly layers: readonly { readonly name: string }[] }): readonly string[] =>
  prompt.layers.map(({ name }) => name);

describe("the system prompt", () => {
  it("[10:A3.1] has only the layers that have something to say, in order", () => {
    const built = buildPrompt(
      inputs({ toolGuidance: ["Remember."], skillsIndex: "## Skills (mandatory)", platform: "cli" }),
    );
    expect(namesOf(built)).toEqual(["identity", "tool-guidance", "skills-index", "session", "platform"]);
  });

  it("[10:PROMPT-3] keeps all layers in their order", () => {
    expect(layers.map(({ name }) => name)).toEqual([
      "identity",
      "tool-guidance",
      "subscription",
      "tool-use-enforcement",
      "system-message",
      "memory",
      "user-profile",
      "external-memory",
      "skills-index",
      "agents",
      "context-files",
      "session",
      "model-identity",
      "environment",
      "platform",
    ]);
    expect(namesOf(buildPrompt(everything))).toEqual([
      "identity",
      "tool-guidance",
      "subscription",
      "tool-use-enforcement",
      "system-message",
      "memory",
      "user-profile",
      "external-memory",
      "skills-index",
      "agents",
      "context-files",
      "session",
      "model-identity",
      "environment",
      "platform",
    ]);
  });

  it("[10:PROMPT-2] trims layers, drops empty ones and puts one blank line between the rest", () => {
    const built = buildPrompt(inputs({ systemMessage: "\n\n  Be kind. 👍 \n", memoryBlock: " \n ", provider: "" }));
    expect(built.text).toBe(
      `${defaultIdentity}\n\nBe kind. 👍\n\nConversation started: Monday, 16 November 2026, 01:58 (Europe/Berlin)\nModel: claude-x`,
    );
  });

  it("[10:PROMPT-2] names length and hash of every layer", () => {
    const built = buildPrompt(inputs({ systemMessage: "Be kind. 👍" }));
    const layer = built.layers.find(({ name }) => name === "system-message");
    expect(layer).toMatchObject({
      length: 10,
      sha256: createHash("sha256").update("Be kind. 👍").digest("hex"),
    });
  });

  it("is a pure function of its inputs", () => {
    expect(buildPrompt(everything)).toEqual(buildPrompt(structuredClone(everything)));
  });

  it("costs less than 900 tokens on a clean install without skills", () => {
    const built = buildPrompt(
      inputs({ soul: defaultIdentity, toolGuidance: [memoryTool.guidance ?? ""], platform: "cli" }),
    );
    expect(estimateText(built.text)).toBeLessThan(900);
  });
});

describe("the identity", () => {
  it("[10:A3.2] is SOUL.md, first and once", () => {
    const { text } = buildPrompt(
      inputs({ soul: "  I am Iris, keeper of lists.  ", contextFiles: "# Project Context" }),
    );
    expect(text.startsWith("I am Iris, keeper of lists.\n\n")).toBe(true);
    expect(text.split("I am Iris").length).toBe(2);
    expect(text).not.toContain(defaultIdentity);
  });

  it("[10:PROMPT-4] is the default one when files are not to speak, and the project's files are left out as well", () => {
    const { text } = buildPrompt(inputs({ soul: "I am Iris.", contextFiles: "RULES", skipContextFiles: true }));
    expect(text.startsWith(defaultIdentity)).toBe(true);
    expect(text).not.toContain("RULES");
  });

  it("[10:PROMPT-5] says who speaks and how", () => {
    for (const word of [
      ...["Hermes", "Nous Research", "helpful", "knowledgeable", "direct", "code", "creative", "tools"],
      ...["say so when you are not sure", "Usefulness counts for more than length, unless you are told otherwise"],
    ])
      expect(defaultIdentity).toContain(word);
  });
});

describe("tool guidance [10:PROMPT-6]", () => {
  it("is what the tools of the session want said, joined by a space", () => {
    expect(memoryTool.guidance).toContain("Your memory outlives this session");
    expect(buildPrompt(inputs({ toolGuidance: ["Remember.", "Look back."] })).text).toContain("Remember. Look back.");
    expect(namesOf(buildPrompt(inputs({ toolNames: ["read_file"] })))).not.toContain("tool-guidance");
  });
});

describe("the subscription layer", () => {
  it("[10:PROMPT-3] mentions managed tools that are enabled, and only when one is active", () => {
    const managedCapabilities = [
      { label: "Web search", toolNames: ["web_search"], isActive: true },
      { label: "Speech", toolNames: ["text_to_speech"], isActive: false },
      { label: "Images", toolNames: ["image_generate"], isActive: true },
    ];
    const { text } = buildPrompt(inputs({ toolNames: ["web_search", "text_to_speech"], managedCapabilities }));
    expect(text).toContain("- Web search: included, no API key needed");
    expect(text).toContain("- Speech: not included");
    expect(text).not.toContain("Images");
    const without = buildPrompt(inputs({ toolNames: ["text_to_speech"], managedCapabilities }));
    expect(namesOf(without)).not.toContain("subscription");
  });
});

describe("tool-use enforcement", () => {
  const partsFor = (model: string, toolUseEnforcement: PromptInputs["toolUseEnforcement"]): readonly string[] => {
    const { text } = buildPrompt(inputs({ model, toolUseEnforcement, toolNames: ["terminal"] }));
    const marks = { general: "# Using tools", google: "absolute paths in file", openai: "from memory, always with" };
    return Object.entries(marks).flatMap(([name, mark]) => (text.includes(mark) ? [name] : []));
  };

  it.each([
    ["openai/GPT-5", "auto", ["general", "openai"]],
    ["codex-mini", "auto", ["general", "openai"]],
    ["gemini-3-pro", "auto", ["general", "google"]],
    ["gemma-3", "auto", ["general", "google"]],
    ["grok-4", "auto", ["general"]],
    ["claude-x", "auto", []],
    ["claude-x", true, ["general"]],
    ["claude-x", "Always", ["general"]],
    ["claude-x", "yes", ["general"]],
    ["claude-x", "on", ["general"]],
    ["gpt-5", false, []],
    ["gpt-5", "never", []],
    ["gpt-5", "no", []],
    ["gpt-5", "off", []],
    ["gpt-5", ["GPT"], ["general", "openai"]],
    ["gpt-5", [], []],
    ["gpt-5", [" "], []],
  ] as const)("[10:PROMPT-7] [10:PROMPT-8] %s with %j gives %j", (model, setting, expected) => {
    expect(partsFor(model, setting)).toEqual(expected);
  });

  it("[10:A3.10] follows a list of name parts", () => {
    expect(partsFor("gpt-5", ["qwen"])).toEqual([]);
    expect(partsFor("qwen3", ["qwen"])).toEqual(["general"]);
  });

  it("[10:PROMPT-7] needs at least one tool", () => {
    expect(namesOf(buildPrompt(inputs({ model: "gpt-5", toolUseEnforcement: true })))).not.toContain(
      "tool-use-enforcement",
    );
  });
});

describe("the smaller layers", () => {
  it("[10:PROMPT-3] only alibaba needs to be told which model it is", () => {
    expect(buildPrompt(inputs({ provider: "alibaba", model: "qwen3-max" })).text).toContain(
      "The model speaking here is qwen3-max.",
    );
    expect(namesOf(buildPrompt(inputs()))).not.toContain("model-identity");
  });

  it("[10:PROMPT-3] WSL and Termux get a hint about paths", () => {
    expect(buildPrompt(inputs({ environment: { isWsl: true, isTermux: false } })).text).toContain("/mnt/c/Users/ana");
    expect(buildPrompt(inputs({ environment: { isWsl: false, isTermux: true } })).text).toContain("Termux");
  });

  it("[10:PROMPT-3] an unknown platform has no layer", () => {
    expect(namesOf(buildPrompt(inputs({ platform: "carrier-pigeon" })))).not.toContain("platform");
  });
});

describe("rebuilding", () => {
  const built = buildPrompt(everything);

  it("[10:COMP-31] keeps the text when nothing changed, also when the clock moved on", () => {
    const later = { ...everything, session: { startedAtMs: startedAtMs + 9e7, timeZone: "UTC" } };
    const rebuilt = rebuildChanged(built, later);
    expect(rebuilt.changed).toEqual([]);
    expect(rebuilt.prompt.text).toBe(built.text);
    expect(rebuilt.prompt.fingerprint).toBe(built.fingerprint);
  });

  it("[10:COMP-31] [10:D59] renders anew only what changed and keeps the frozen time and root id", () => {
    const first = buildPrompt({ ...everything, session: { startedAtMs, timeZone: "UTC", rootSessionId: "root-1" } });
    const rebuilt = rebuildChanged(first, {
      ...everything,
      memoryBlock: "NEW MEMORY",
      session: { startedAtMs: startedAtMs + 9e7, timeZone: "UTC", rootSessionId: "child-2" },
    });
    expect(rebuilt.changed).toEqual(["memory"]);
    expect(rebuilt.prompt.text).toBe(first.text.replace("MEMORY BLOCK", "NEW MEMORY"));
    expect(rebuilt.prompt.text).toContain("Session ID: root-1");
  });

  it("[10:PROMPT-20] the fingerprint sees every layer but the session's lines", () => {
    const moved = buildPrompt({ ...everything, session: { startedAtMs: 0, timeZone: "UTC", rootSessionId: "x" } });
    expect(moved.fingerprint).toBe(built.fingerprint);
    const changes: readonly Partial<PromptInputs>[] = [
      { soul: "x" },
      { toolGuidance: ["x"] },
      { managedCapabilities: [] },
      { toolUseEnforcement: false },
      { systemMessage: "x" },
      { memoryBlock: "x" },
      { profileBlock: "x" },
      { providerBlock: "x" },
      { skillsIndex: "x" },
      { contextFiles: "x" },
      { provider: "x" },
      { environment: { isWsl: false, isTermux: false } },
      { platform: "cli" },
    ];
    const fingerprints = changes.map((change) => buildPrompt({ ...everything, ...change }).fingerprint);
    expect(new Set([built.fingerprint, ...fingerprints]).size).toBe(changes.length + 1);
  });

  it("[10:PROMPT-21] a change of model touches enforcement, session and model identity only", () => {
    const rebuilt = rebuildChanged(built, { ...everything, model: "gemini-3", provider: "alibaba" });
    expect(rebuilt.changed).toEqual(["tool-use-enforcement", "session", "model-identity"]);
    const same = rebuildChanged(built, { ...everything, model: "gpt-6" });
    expect(same.changed).toEqual(["session", "model-identity"]);
    const away = rebuildChanged(built, { ...everything, provider: "openai", model: "claude-x" });
    expect(away.changed).toEqual(["tool-use-enforcement", "session", "model-identity"]);
    expect(namesOf(away.prompt)).not.toContain("model-identity");
  });

  it("reports a layer that appears and one that goes away", () => {
    const { systemMessage: _gone, ...rest } = everything;
    expect(rebuildChanged(built, rest).changed).toEqual(["system-message"]);
    const back = rebuildChanged(buildPrompt(rest), everything);
    expect(back.changed).toEqual(["system-message"]);
    expect(back.prompt.text).toBe(built.text);
  });

  it("builds everything anew when the stored layers do not fit the stored text", () => {
    const rebuilt = rebuildChanged({ ...built, text: `x${built.text}` }, everything);
    expect(rebuilt.prompt.text).toBe(built.text);
    expect(rebuilt.changed).toEqual(namesOf(built));
  });
});
