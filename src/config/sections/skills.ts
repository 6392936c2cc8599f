import { z } from "zod";
import { flag, freeMap, mapOf, section, texts, whole } from "./setting.ts";

export const skillSections = {
  skills: section(
    { description: "Written procedures the agent can load.", category: "Memory and skills" },
    {
      external_dirs: texts([], "Further folders with skills, read only."),
      template_vars: flag(true, "Replace the skill and session placeholders in a skill's text."),
      inline_shell: flag(false, "Run the commands a skill embeds in its text."),
      inline_shell_timeout: whole(10, "Seconds such a command may take."),
      guard_agent_created: flag(false, "Scan skills the agent writes and undo what is blocked."),
      disabled: texts([], "Skills that are not offered."),
      platform_disabled: mapOf(z.array(z.string()), "The same list for single platforms, replacing the general one."),
      creation_nudge_interval: whole(15, "Steps without a skill change before a skill review is due; 0 makes none."),
      config: freeMap("Values for the settings that skills declare."),
    },
  ),
};
