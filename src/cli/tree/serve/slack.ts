import type { Command } from "../../command.ts";

export const slackCommand: Command = {
  name: "slack",
  about: "Create the Slack app for a workspace",
  examples: ["hermes slack manifest", "hermes slack manifest --write slack.json --name Iris"],
  commands: [
    {
      name: "manifest",
      about: "Print the manifest for Create New App → From a manifest",
      flags: [
        { name: "write", kind: "text", value: "<file>", about: "Write it to a file instead", completes: "file" },
        { name: "name", kind: "text", value: "<name>", about: "Name of the app (Hermes)" },
        { name: "description", kind: "text", value: "<text>", about: "What Slack says about it" },
        {
          name: "url",
          kind: "text",
          value: "<address>",
          about: "Public address that Slack calls, instead of Socket Mode (slack.connection_mode: webhook)",
        },
        { name: "slashes-only", kind: "switch", about: "Only the commands, for an existing app" },
      ],
      run: async (i) => (await import("../../commands/gateway/slack-manifest.ts")).printSlackManifest(i),
    },
  ],
};
