import { z } from "zod";
import { agentSections } from "./sections/agent.ts";
import { approvalSections } from "./sections/approval.ts";
import { auxiliarySections } from "./sections/auxiliary.ts";
import { budgetSections } from "./sections/budget.ts";
import { cronSections } from "./sections/cron.ts";
import { displaySections } from "./sections/display.ts";
import { gatewaySections } from "./sections/gateway.ts";
import { mcpSections } from "./sections/mcp.ts";
import { memorySections } from "./sections/memory.ts";
import { modelSections } from "./sections/model.ts";
import { platformSections } from "./sections/platforms.ts";
import { pluginSections } from "./sections/plugins.ts";
import { skillSections } from "./sections/skills.ts";
import { storeSections } from "./sections/store.ts";
import { terminalSections } from "./sections/terminal.ts";
import { toolSections } from "./sections/tools.ts";
import { voiceSections } from "./sections/voice.ts";
import { currentConfigVersion } from "./version.ts";

/**
 * The whole of `config.yaml`. Types, defaults, descriptions, choices, secrecy and reload scope of every
 * key are stated here and nowhere else; reference pages, completion and JSON Schema are derived.
 */
export const configSchema = z.object({
  ...modelSections,
  ...budgetSections,
  ...auxiliarySections,
  ...agentSections,
  ...memorySections,
  ...skillSections,
  ...terminalSections,
  ...approvalSections,
  ...toolSections,
  ...mcpSections,
  ...pluginSections,
  ...displaySections,
  ...voiceSections,
  ...storeSections,
  ...gatewaySections,
  ...platformSections,
  ...cronSections,
  _config_version: z.number().int().min(0).default(currentConfigVersion).meta({
    description: "Version of the file's layout; written by Hermes.",
    category: "File",
  }),
});

/** The file's format for editors and other programs. */
export function configJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" });
  return { ...schema, title: "Hermes configuration" };
}
