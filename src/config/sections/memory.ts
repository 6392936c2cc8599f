import { choice, flag, missing, section, text, whole } from "./setting.ts";

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
    { description: "Search in earlier sessions.", category: "Memory and skills", noEffect: missing.gateway },
    { scope: choice(["user", "all"], "user", "In a gateway with several people: only the asker's sessions, or all.") },
  ),
};
