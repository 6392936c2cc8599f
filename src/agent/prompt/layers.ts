import { misreportsModel } from "#model";
import type { PromptInputs, ToolUseEnforcement } from "./inputs.ts";
import { defaultIdentity, googleHabits, openAiHabits, termuxText, toolHabits, wslText } from "./layer-texts.ts";
import { platformHint } from "./platform-hints.ts";
import { freezeSession, sessionText } from "./session-line.ts";

/** One named part of the system prompt. */
export interface Layer {
  readonly name: LayerName;
  /** What this layer depends on, as plain data; equal data gives equal text. */
  inputs(all: PromptInputs): unknown;
  /** The text; empty leaves the layer out. */
  render(all: PromptInputs): string;
}

const names = [
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
] as const;

export type LayerName = (typeof names)[number];

/** The layers of the prompt, in their order. */
const table: Readonly<Record<LayerName, Omit<Layer, "name">>> = {
  identity: from(
    (all) => (all.skipContextFiles === true ? "" : (all.soul ?? "").trim()),
    (soul) => (soul === "" ? defaultIdentity : soul),
  ),
  "tool-guidance": from(
    (all) => all.toolGuidance ?? [],
    (texts) => joined(texts, " "),
  ),
  // Which tools the Nous subscription pays for, so that the model does not ask the user for keys.
  subscription: from(
    (all) =>
      (all.managedCapabilities ?? [])
        .filter(({ toolNames }) => toolNames.some((name) => all.toolNames.includes(name)))
        .map(({ label, isActive }) => ({ label, isActive })),
    subscriptionText,
  ),
  // The decision is the input, not the model's name: a switch that changes nothing here keeps its bytes.
  "tool-use-enforcement": from(habitsFor, ({ general, google, openAi }) =>
    joined([general ? toolHabits : "", google ? googleHabits : "", openAi ? openAiHabits : ""], "\n\n"),
  ),
  "system-message": block((all) => all.systemMessage),
  memory: block((all) => all.memoryBlock),
  "user-profile": block((all) => all.profileBlock),
  "external-memory": block((all) => all.providerBlock),
  "skills-index": block((all) => all.skillsIndex),
  agents: block((all) => all.agents),
  "context-files": block((all) => (all.skipContextFiles === true ? "" : all.contextFiles)),
  // The first build freezes these lines; a rebuild renders them from what was frozen, not from here.
  session: from(
    (all) => ({ session: all.session, model: all.model, provider: all.provider }),
    ({ session, model, provider }) => sessionText(freezeSession(session), { model, provider }),
  ),
  // Some services tell their models a wrong name, and they repeat it.
  "model-identity": from(
    (all) => (misreportsModel(all.provider) ? all.model : ""),
    (model) =>
      model === ""
        ? ""
        : `The model speaking here is ${model}. If someone asks which model you are, give this name, whatever the service says.`,
  ),
  environment: from(
    (all) => all.environment,
    ({ isWsl, isTermux }) => joined([isWsl ? wslText : "", isTermux ? termuxText : ""], "\n"),
  ),
  platform: from(
    (all) => all.platform ?? "",
    (platform) => platformHint(platform) ?? "",
  ),
};

export const layers: readonly Layer[] = names.map((name) => ({ name, ...table[name] }));

/**
 * A layer renders from what it picked and sees nothing else, so that a fingerprint of the picked
 * part cannot miss anything the text depends on.
 */
function from<Picked>(pick: (all: PromptInputs) => Picked, render: (picked: Picked) => string): Omit<Layer, "name"> {
  return { inputs: pick, render: (all) => render(pick(all)) };
}

/** A text that others have rendered already. */
function block(pick: (all: PromptInputs) => string | undefined): Omit<Layer, "name"> {
  return from(
    (all) => pick(all) ?? "",
    (text) => text,
  );
}

function joined(texts: readonly string[], separator: string): string {
  return texts.filter((text) => text !== "").join(separator);
}

function subscriptionText(capabilities: readonly { readonly label: string; readonly isActive: boolean }[]): string {
  if (!capabilities.some(({ isActive }) => isActive)) return "";
  const lines = capabilities.map(({ label, isActive }) =>
    isActive ? `- ${label}: included, no API key needed` : `- ${label}: not included, uses the user's own key`,
  );
  return ["Tools managed by the user's Nous subscription:", ...lines].join("\n");
}

const autoNames = ["gpt", "codex", "gemini", "gemma", "grok"];
const googleNames = ["gemini", "gemma"];
const openAiNames = ["gpt", "codex"];

function habitsFor(all: PromptInputs) {
  const isOn = all.toolNames.length > 0 && isEnforced(all.toolUseEnforcement, all.model);
  return {
    general: isOn,
    google: isOn && namesOneOf(all.model, googleNames),
    openAi: isOn && namesOneOf(all.model, openAiNames),
  };
}

/** A word nobody defined counts as `auto`; config warns about it where it is written. */
function isEnforced(setting: ToolUseEnforcement, model: string): boolean {
  if (typeof setting === "boolean") return setting;
  if (typeof setting !== "string") return namesOneOf(model, setting);
  const word = setting.trim().toLowerCase();
  if (["true", "always", "yes", "on"].includes(word)) return true;
  if (["false", "never", "no", "off"].includes(word)) return false;
  return namesOneOf(model, autoNames);
}

function namesOneOf(model: string, parts: readonly string[]): boolean {
  const name = model.toLowerCase();
  return parts.some((part) => part.trim() !== "" && name.includes(part.trim().toLowerCase()));
}
