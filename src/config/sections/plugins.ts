import {
  amount,
  anyList,
  anyText,
  choice,
  flag,
  freeMap,
  group,
  mapOf,
  optionalText,
  required,
  section,
  texts,
  whole,
} from "./setting.ts";

const hook = group({
  matcher: optionalText("Pattern for tool names; absent matches all."),
  command: required(anyText, "Program and arguments, split like a command line and run without a shell."),
  timeout: amount(60, "Seconds it may take.", { max: 300 }),
  fail_closed: flag(false, "Treat a failing hook as a refusal."),
  sandbox: choice(["on", "off"], "on", "Run it behind the wall of its session, or with your own rights."),
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
  hooks: mapOf(anyList(hook), {
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
