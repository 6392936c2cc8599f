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
  matcher: optionalText("Pattern for tool names. Not set: all tools."),
  command: required(anyText, "Program and arguments. Split like a command line, run without a shell."),
  timeout: amount(60, "Maximum seconds it may run.", { max: 300 }),
  fail_closed: flag(false, "Block the call when the hook fails."),
  sandbox: choice(["on", "off"], "on", "Run it in the sandbox of its session, or with your full rights."),
});

export const pluginSections = {
  plugins: section(
    { description: "Plugins.", category: "Plugins and hooks", reload: "restart" },
    {
      enabled: texts([], "Enabled plugins. Plugins not listed never run."),
      disabled: texts([], "Disabled plugins. Takes precedence over `enabled`."),
      isolation: choice(["none", "process"], "none", "Run plugins in the Hermes process, or each in its own process."),
      settings: freeMap("Values of settings that plugins declare, by plugin name."),
    },
  ),
  hooks: mapOf(anyList(hook), {
    description: "Programs to run on events, by event name.",
    category: "Plugins and hooks",
    reload: "next-session",
  }),
  hooks_timeout_ms: whole(5000, {
    description: "Maximum milliseconds for a plugin callback.",
    category: "Plugins and hooks",
  }),
  hooks_auto_accept: flag(false, {
    description: "Run configured hooks without asking for consent first.",
    category: "Plugins and hooks",
  }),
};
