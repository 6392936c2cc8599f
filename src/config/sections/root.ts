import { currentConfigVersion } from "../version.ts";
import { agentSections } from "./agent.ts";
import { approvalSections } from "./approval.ts";
import { auxiliarySections } from "./auxiliary.ts";
import { displaySections } from "./display.ts";
import { gatewaySections } from "./gateway.ts";
import { mcpSections } from "./mcp.ts";
import { memorySections } from "./memory.ts";
import { modelSections } from "./model.ts";
import { platformSections } from "./platforms.ts";
import { pluginSections } from "./plugins.ts";
import { group, whole } from "./setting.ts";
import { storeSections } from "./store.ts";
import { terminalSections } from "./terminal.ts";
import { toolSections } from "./tools.ts";
import { voiceSections } from "./voice.ts";

/**
 * The whole of `config.yaml`. Types, initial values, descriptions, choices, secrecy and reload scope of every
 * key are stated in these sections and nowhere else; `Config`, reference pages, completion and JSON Schema follow from them.
 */
export const configRoot = group({
  ...modelSections,
  ...auxiliarySections,
  ...agentSections,
  ...memorySections,
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
  _config_version: whole(currentConfigVersion, {
    description: "Version of the file format. Written by Hermes.",
    category: "File",
  }),
});
