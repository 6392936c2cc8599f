import { defineLayer, type Layer } from "../layer.ts";

/** Layers whose text others have rendered already. */
const skillTools = ["skills_list", "skill_view", "skill_manage"];

export const systemMessageLayer: Layer = defineLayer({
  name: "system-message",
  pick: (all) => all.systemMessage ?? "",
  render: (text) => text,
});

export const memoryLayer: Layer = defineLayer({
  name: "memory",
  pick: (all) => all.memoryBlock ?? "",
  render: (text) => text,
});

export const userProfileLayer: Layer = defineLayer({
  name: "user-profile",
  pick: (all) => all.profileBlock ?? "",
  render: (text) => text,
});

export const externalMemoryLayer: Layer = defineLayer({
  name: "external-memory",
  pick: (all) => all.providerBlock ?? "",
  render: (text) => text,
});

/** An index nobody can open a skill from would only cost tokens. */
export const skillsIndexLayer: Layer = defineLayer({
  name: "skills-index",
  pick: (all) => (skillTools.some((tool) => all.toolNames.includes(tool)) ? (all.skillsIndex ?? "") : ""),
  render: (text) => text,
});

export const contextFilesLayer: Layer = defineLayer({
  name: "context-files",
  pick: (all) => (all.skipContextFiles === true ? "" : (all.contextFiles ?? "")),
  render: (text) => text,
});
