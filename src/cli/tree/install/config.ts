import type { Command } from "../../command.ts";

const key = { name: "key", completes: "config-key" } as const;

export const configCommand: Command = {
  name: "config",
  about: "Show and change settings",
  examples: [
    "hermes config set display.streaming off",
    "hermes config set OPENROUTER_API_KEY -      read the key from standard input",
    "hermes config explain model.default",
  ],
  flags: [{ name: "all", kind: "switch", about: "Include settings that have their default value" }],
  run: async (invocation) => (await import("../../commands/config/show.ts")).configShow(invocation),
  commands: [
    {
      name: "show",
      about: "Show the settings, credentials masked",
      flags: [{ name: "all", kind: "switch", about: "Include settings that have their default value" }],
      run: async (invocation) => (await import("../../commands/config/show.ts")).configShow(invocation),
    },
    {
      name: "get",
      about: "Print the effective value of one setting",
      args: [key],
      run: async (invocation) => (await import("../../commands/config/get.ts")).configGet(invocation),
    },
    {
      name: "set",
      about: "Change one setting; credentials go to .env; the value - is read from standard input",
      args: [key, { name: "value", isRest: true }],
      flags: [{ name: "force", kind: "switch", about: "Write a key Hermes does not know" }],
      run: async (invocation) => (await import("../../commands/config/set.ts")).configSet(invocation),
    },
    {
      name: "unset",
      about: "Remove a setting, so that its default applies again",
      args: [key],
      run: async (invocation) => (await import("../../commands/config/set.ts")).configUnset(invocation),
    },
    {
      name: "edit",
      about: "Open the settings in an editor",
      interactiveOnly: "Change single settings with: hermes config set <key> <value>",
      run: async (invocation) => (await import("../../commands/config/edit.ts")).configEdit(invocation),
    },
    {
      name: "path",
      about: "Print where the settings are",
      run: async (invocation) => (await import("../../commands/config/path.ts")).configPath(invocation),
    },
    {
      name: "env-path",
      about: "Print where the credentials are",
      run: async (invocation) => (await import("../../commands/config/path.ts")).configEnvPath(invocation),
    },
    {
      name: "check",
      about: "Check the settings",
      run: async (invocation) => (await import("../../commands/config/check.ts")).configCheck(invocation),
    },
    {
      name: "migrate",
      about: "Update the file to the current layout; a copy is kept",
      run: async (invocation) => (await import("../../commands/config/migrate.ts")).configMigrate(invocation),
    },
    {
      name: "schema",
      about: "Print the format of the settings as JSON Schema",
      run: async (invocation) => (await import("../../commands/config/schema.ts")).configSchema(invocation),
    },
    {
      name: "explain",
      about: "Explain a setting and where its value comes from",
      args: [key],
      run: async (invocation) => (await import("../../commands/config/explain.ts")).configExplain(invocation),
    },
  ],
};
