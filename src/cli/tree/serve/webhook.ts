import type { Command, Flag } from "../../command.ts";

const commands = () => import("../../commands/webhook/webhook.ts");
const name = { name: "name" } as const;
const text = (flag: string, value: string, about: string): Flag => ({ name: flag, kind: "text", value, about });

const subscribe: Command = {
  name: "subscribe",
  aliases: ["add"],
  about: "Add a route, served at once by a running gateway, and show its secret",
  args: [name],
  flags: [
    { name: "events", kind: "list", value: "<events>", about: "Take only these events; all others are ignored" },
    text("prompt", "<text>", "Prompt for the model; {a.b} is filled from the payload"),
    { name: "skills", kind: "list", value: "<names>", about: "Skills its sessions start with" },
    text("deliver", "<target>", "Where the answer goes (default: the log)"),
    text("deliver-chat-id", "<id>", "The chat on that platform (default: its home channel)"),
    text("secret", "<secret>", "The secret callers sign with (default: a new one)"),
    text("description", "<text>", "What it is for"),
    { name: "deliver-only", kind: "switch", about: "Deliver the filled prompt without asking a model" },
  ],
  run: async (i) => (await commands()).webhookSubscribe(i),
};

export const webhookCommand: Command = {
  name: "webhook",
  about: "Let other programs call Hermes, through routes added while the gateway runs",
  examples: [
    'hermes webhook subscribe ci --events failed --prompt "Build {number} failed. Why?" --deliver telegram',
    "hermes webhook test ci",
  ],
  run: async (i) => (await commands()).webhookList(i),
  commands: [
    subscribe,
    { name: "list", about: "Show the routes that were added", run: async (i) => (await commands()).webhookList(i) },
    { name: "remove", about: "Remove a route", args: [name], run: async (i) => (await commands()).webhookRemove(i) },
    {
      name: "test",
      about: "Call a route of the running gateway, signed as its caller would",
      args: [name],
      flags: [text("payload", "<json>", "The body of the call")],
      run: async (i) => (await commands()).webhookTest(i),
    },
  ],
};
