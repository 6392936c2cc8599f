import { z } from "zod";
import { choice, flag, freeMap, mapOf, section, texts, whole } from "./setting.ts";

const hook = z.object({
  matcher: z.string().optional().meta({ description: "Pattern for tool names; absent matches all." }),
  command: z
    .string()
    .meta({ description: "Program and arguments, split like a command line and run without a shell." }),
  timeout: z.number().min(0).max(300).default(60).meta({ description: "Seconds it may take." }),
  fail_closed: z.boolean().default(false).meta({ description: "Treat a failing hook as a refusal." }),
});

export const pluginSections = {
  plugins: section(
    { description: "Extensions.", category: "Plugins and hooks", reload: "restart" },
    {
      enabled: texts([], "Plugins that may run; nothing runs that is not listed."),
      disabled: texts([], "Plugins that never run, even when listed as enabled."),
      isolation: choice(["none", "process"], "none", "Run plugins in this process, or each in one of its own."),
      settings: freeMap("Values for the settings that plugins declare, by plugin name."),
    },
  ),
  hooks: mapOf(z.array(hook), {
    description: "Programs to run at events, by event name.",
    category: "Plugins and hooks",
    reload: "next-session",
  }),
  hooks_timeout_ms: whole(5000, {
    description: "Milliseconds one plugin callback may take.",
    category: "Plugins and hooks",
  }),
  hooks_auto_accept: flag(false, {
    description: "Run configured hooks without asking for consent first.",
    category: "Plugins and hooks",
  }),
};
