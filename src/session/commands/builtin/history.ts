import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callsOf, type Message, textOf } from "#conversation";
import { describe } from "#foundation/errors";
import { plural } from "#foundation/text/figures";
import { toJsonText } from "#foundation/text/json";
import { truncateEnd } from "#foundation/text/text";

import { defineCommand } from "../command.ts";
import { fault, say } from "../views.ts";

const mostPerMessage = 2_000;

export const historyCommand = defineCommand({
  name: "history",
  description: "Show this conversation",
  category: "Session",
  cliOnly: true,
  whileRunning: "now",
  takes: [],
  async run({ session }) {
    if (session.history.length === 0) return say("This conversation is still empty.");
    return { kind: "markdown", text: session.history.map(paragraph).filter(Boolean).join("\n\n") };
  },
});

export const saveCommand = defineCommand({
  name: "save",
  description: "Save this conversation as JSON in the working directory",
  category: "Session",
  cliOnly: true,
  whileRunning: "now",
  takes: ["clock"],
  async run({ session }, { clock }) {
    const { info, history } = session;
    if (history.length === 0) return say("This conversation is still empty; nothing was written.");
    const stamp = new Date(clock.now()).toISOString().replace(/[-:]/g, "").slice(0, 15);
    const path = join(info.cwd, `hermes_${info.id}_${stamp}.json`);
    const body = {
      session_id: info.id,
      title: info.title ?? null,
      model: info.model,
      provider: info.provider,
      saved_at: new Date(clock.now()).toISOString(),
      messages: history.map((message) => ({ ...message, _scaffold: undefined })),
    };
    try {
      // Never over a file that is there already.
      await writeFile(path, `${toJsonText(body, { indent: 2 })}\n`, { flag: "wx", mode: 0o600 });
    } catch (error) {
      return fault(`The conversation was not saved: ${describe(error)}`);
    }
    return say(`${plural(history.length, "message")} saved to ${path}`);
  },
});

function paragraph(message: Message): string {
  const text = truncateEnd(textOf(message.content).trim(), mostPerMessage);
  const calls = callsOf(message).map((call) => call.function.name);
  switch (message.role) {
    case "user":
      return `**You:** ${text}`;
    case "assistant": {
      const made = calls.length === 0 ? "" : `_${plural(calls.length, "tool call")}: ${calls.join(", ")}_`;
      return [text === "" ? "" : `**Hermes:** ${text}`, made].filter(Boolean).join("\n\n");
    }
    case "tool":
      return "";
  }
}
