import { writeFile } from "node:fs/promises";
import { callsOf, type Message, textOf } from "#conversation";
import { systemErrorCode } from "#foundation/errors";
import { pathOf } from "../../turns/image-input.ts";
import { defineCommand } from "../command.ts";
import type { Utterance } from "../conversation-page.ts";
import { fault, say, warn } from "../views.ts";

export const exportCommand = defineCommand({
  name: "export",
  description: "Write this conversation to a file to share, as HTML or Markdown",
  category: "Session",
  argsHint: "[file.html|file.md]",
  cliOnly: true,
  whileRunning: "now",
  takes: [],
  async run({ session, args }) {
    const { info, history } = session;
    if (history.length === 0) return warn("There is nothing to export yet.");
    const path = pathOf(args === "" ? `hermes-${info.id}.md` : args, info.cwd);
    const title = info.title ?? `Hermes, ${info.id}`;
    const text = /\.html?$/i.test(path) ? await asPage(title, history) : asMarkdown(title, history);
    try {
      await writeFile(path, text, { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (systemErrorCode(error) === "EEXIST") return fault(`${path} already exists. Choose another name.`);
      return fault(`${path} cannot be written (${systemErrorCode(error) ?? "unknown reason"}).`);
    }
    return say(`Written to ${path}`);
  },
});

/** What was said, and which tools were called; their results stay at home. */
function utterancesOf(history: readonly Message[]): readonly Utterance[] {
  return history.flatMap((message): readonly Utterance[] => {
    if (message.role === "tool") return [];
    const who = message.role === "user" ? "You" : "Hermes";
    const text = textOf(message.content).trim();
    const calls = callsOf(message).map(
      ({ function: { name, arguments: args } }): Utterance => ({ who: "Tool", text: `${name} ${args}` }),
    );
    return [...(text === "" ? [] : [{ who, text } as const]), ...calls];
  });
}

export function asMarkdown(title: string, history: readonly Message[]): string {
  const parts = utterancesOf(history).map(({ who, text }) =>
    who === "Tool" ? `> \`${text.replaceAll("`", "'")}\`` : `**${who}**\n\n${text}`,
  );
  return `# ${title}\n\n${parts.join("\n\n")}\n`;
}

/** The renderer is loaded when a page is written. */
async function asPage(title: string, history: readonly Message[]): Promise<string> {
  const { conversationPage } = await import("../conversation-page.ts");
  return conversationPage(title, utterancesOf(history));
}
