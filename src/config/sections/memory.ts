import { anyList, anyText, choice, flag, freeMap, mapOf, section, text, texts, whole } from "./setting.ts";

export const memorySections = {
  memory: section(
    { description: "What the agent remembers between sessions.", category: "Memory and skills" },
    {
      memory_enabled: flag(true, "Keep notes about the world and the work."),
      user_profile_enabled: flag(true, "Keep notes about the person."),
      memory_char_limit: whole(2200, "Most characters of notes."),
      user_char_limit: whole(1375, "Most characters of notes about the person."),
      provider: text("", "External memory beside the built-in one; empty has none."),
      nudge_interval: whole(10, "User turns between two memory reviews; 0 makes none."),
      flush_min_turns: whole(6, "User turns before the end of a session is worth a memory turn; 0 makes none."),
    },
  ),
  session_search: section(
    { description: "Search in earlier sessions.", category: "Memory and skills" },
    { scope: choice(["user", "all"], "user", "In a gateway with several people: only the asker's sessions, or all.") },
  ),
  skills: section(
    { description: "Written procedures the agent can load.", category: "Memory and skills" },
    {
      external_dirs: texts([], "Further folders with skills, read only."),
      template_vars: flag(true, "Replace the skill and session placeholders in a skill's text."),
      inline_shell: flag(false, "Run the commands a skill embeds in its text."),
      inline_shell_timeout: whole(10, "Seconds such a command may take."),
      guard_agent_created: flag(false, "Scan skills the agent writes and undo what is blocked."),
      disabled: texts([], "Skills that are not offered."),
      platform_disabled: mapOf(anyList(anyText), "The same list for single platforms, replacing the general one."),
      creation_nudge_interval: whole(15, "Steps without a skill change before a skill review is due; 0 makes none."),
      config: freeMap("Values for the settings that skills declare."),
    },
  ),
};
