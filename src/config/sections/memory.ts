import { anyList, anyText, choice, flag, freeMap, mapOf, section, text, texts, whole } from "./setting.ts";

export const memorySections = {
  memory: section(
    { description: "What the agent remembers between sessions.", category: "Memory and skills" },
    {
      memory_enabled: flag(true, "Keep notes about your work (`MEMORY.md`)."),
      user_profile_enabled: flag(true, "Keep notes about you (`USER.md`)."),
      memory_char_limit: whole(2200, "Maximum characters of the work notes."),
      user_char_limit: whole(1375, "Maximum characters of the notes about you."),
      provider: text("", "External memory provider, in addition to the notes. Empty: none."),
      nudge_interval: whole(10, "Turns between memory reviews. 0: none."),
      flush_min_turns: whole(6, "Minimum turns before memories are saved at the end of a session. 0: never."),
    },
  ),
  session_search: section(
    { description: "Search in earlier sessions.", category: "Memory and skills" },
    {
      scope: choice(
        ["user", "all"],
        "user",
        "When several people share a gateway: search only the sessions of whoever asks, or all.",
      ),
    },
  ),
  skills: section(
    { description: "Written procedures the agent can load.", category: "Memory and skills" },
    {
      external_dirs: texts([], "Additional folders with skills, read-only."),
      template_vars: flag(true, "Replace skill and session placeholders in the text of a skill."),
      inline_shell: flag(false, "Run commands embedded in the text of a skill."),
      inline_shell_timeout: whole(10, "Maximum seconds for such a command."),
      guard_agent_created: flag(false, "Scan skills the agent writes, and revert what is blocked."),
      disabled: texts([], "Disabled skills."),
      platform_disabled: mapOf(anyList(anyText), "Disabled skills per platform. Replaces the general list."),
      creation_nudge_interval: whole(15, "Steps without a skill change before a skill review. 0: none."),
      config: freeMap("Values of settings that skills declare."),
    },
  ),
};
