import type { Command, Flag } from "../../command.ts";

const platform: Flag = { name: "platform", kind: "text", value: "<name>", about: "Surface to change (cli)" };

export const toolsCommand: Command = {
  name: "tools",
  about: "Choose which tools the model may use",
  flags: [{ name: "summary", kind: "switch", about: "Show what is enabled for every surface" }, platform],
  examples: ["hermes tools", "hermes tools disable browser", "hermes tools list --platform telegram"],
  run: async (invocation) => (await import("../../commands/tools/choose.ts")).tools(invocation),
  commands: [
    {
      name: "list",
      about: "Show the toolsets and whether they are on",
      flags: [platform],
      run: async (invocation) => (await import("../../commands/tools/list.ts")).toolsList(invocation),
    },
    {
      name: "enable",
      about: "Enable these toolsets",
      args: [{ name: "name", isRest: true }],
      flags: [platform],
      run: async (invocation) => (await import("../../commands/tools/switch.ts")).toolsSwitch(invocation, true),
    },
    {
      name: "disable",
      about: "Disable these toolsets",
      args: [{ name: "name", isRest: true }],
      flags: [platform],
      run: async (invocation) => (await import("../../commands/tools/switch.ts")).toolsSwitch(invocation, false),
    },
  ],
};
