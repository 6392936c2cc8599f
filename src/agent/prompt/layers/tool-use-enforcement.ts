import type { ToolUseEnforcement } from "../inputs.ts";
import { defineLayer } from "../layer.ts";

const general = [
  "# Using tools",
  "Act through your tools instead of announcing what you would do.",
  "An action you promise is an action you carry out in the same response.",
  "Go on until the task is done; a plan or a summary of next steps is not the end of it.",
  "Every response either calls tools that move the task forward or delivers the result.",
].join("\n");

const google = [
  "# Working habits",
  "- Use absolute paths in file operations.",
  "- Look before you edit: read the file or search the project, do not guess what it holds.",
  "- Check that a library is already a dependency before you use it.",
  "- Keep explanations to a few sentences; spend the effort on the work.",
  "- Send calls that do not depend on each other together, in one response.",
  "- Run commands with flags that keep them from asking (such as -y or --no-input).",
  "- Keep going until the task is finished.",
].join("\n");

const openAi = [
  "# Working habits",
  "- Persist: when a tool gives an empty or partial result, try another way before you give up.",
  "- Never answer these from memory, always with a tool: arithmetic, hashes and encodings, the date and time, the state of the system, what a file holds, git history, current facts.",
  "- When a request has an obvious reading, act on it instead of asking.",
  "- Check what a step needs before you take it.",
  "- Verify the outcome against the request before you finish.",
  "- Missing context is looked up or asked for, never made up; mark assumptions as such.",
].join("\n");

const autoNames = ["gpt", "codex", "gemini", "gemma", "grok"];
const googleNames = ["gemini", "gemma"];
const openAiNames = ["gpt", "codex"];

/** The decision is the input of this layer, not the model's name: a switch that changes nothing here keeps its bytes. */
export const toolUseEnforcementLayer = defineLayer({
  name: "tool-use-enforcement",
  pick: (all) => {
    const isOn = all.toolNames.length > 0 && isEnforced(all.toolUseEnforcement, all.model);
    return {
      general: isOn,
      google: isOn && namesOneOf(all.model, googleNames),
      openAi: isOn && namesOneOf(all.model, openAiNames),
    };
  },
  render: (parts) =>
    [parts.general ? general : "", parts.google ? google : "", parts.openAi ? openAi : ""]
      .filter((text) => text !== "")
      .join("\n\n"),
});

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
