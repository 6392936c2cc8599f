import type { Command } from "../../command.ts";

export const slackCommand: Command = {
  name: "slack",
  about: "Make the app that brings Hermes to a Slack workspace",
  examples: ["hermes slack manifest", "hermes slack manifest --write slack.json --name Iris"],
  commands: [
    {
      name: "manifest",
      about: "Print what Slack takes under Create New App, From a manifest",
      flags: [
        { name: "write", kind: "text", value: "<file>", about: "Write it to a file instead", completes: "file" },
        { name: "name", kind: "text", value: "<name>", about: "What the app is called (Hermes)" },
        { name: "description", kind: "text", value: "<text>", about: "What Slack says about it" },
        { name: "slashes-only", kind: "switch", about: "Only the commands, for an app that is there already" },
      ],
      run: async (i) => (await import("../../commands/gateway/slack-manifest.ts")).printSlackManifest(i),
    },
  ],
};
