import { writeFile } from "node:fs/promises";
import { callsOf, type Message, textOf } from "#conversation";
import { systemErrorCode } from "#foundation/errors";
import { pathOf } from "../../turns/image-input.ts";
import { defineCommand } from "../command.ts";
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
    const text = /\.html?$/i.test(path) ? asHtml(title, history) : asMarkdown(title, history);
    try {
      await writeFile(path, text, { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (systemErrorCode(error) === "EEXIST") return fault(`${path} exists already. Name another file.`);
      return fault(`${path} cannot be written (${systemErrorCode(error) ?? "unknown reason"}).`);
    }
    return say(`Written to ${path}`);
  },
});

interface Part {
  readonly who: "You" | "Hermes" | "Tool";
  readonly text: string;
}

/** What was said, and which tools were called; their results stay at home. */
function partsOf(history: readonly Message[]): readonly Part[] {
  return history.flatMap((message): readonly Part[] => {
    if (message.role === "tool") return [];
    const who = message.role === "user" ? "You" : "Hermes";
    const text = textOf(message.content).trim();
    const calls = callsOf(message).map(
      ({ function: { name, arguments: args } }): Part => ({ who: "Tool", text: `${name} ${args}` }),
    );
    return [...(text === "" ? [] : [{ who, text } as const]), ...calls];
  });
}

export function asMarkdown(title: string, history: readonly Message[]): string {
  const parts = partsOf(history).map(({ who, text }) =>
    who === "Tool" ? `> \`${text.replaceAll("`", "'")}\`` : `**${who}**\n\n${text}`,
  );
  return `# ${title}\n\n${parts.join("\n\n")}\n`;
}

export function asHtml(title: string, history: readonly Message[]): string {
  const parts = partsOf(history).map(
    ({ who, text }) => `<section class="${who.toLowerCase()}"><h2>${who}</h2><p>${escaped(text)}</p></section>`,
  );
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}
h2{font-size:.8rem;color:#777;margin:1.5rem 0 0}p{white-space:pre-wrap;margin:.2rem 0}.tool p{font:13px monospace;color:#555}</style>
<h1>${escaped(title)}</h1>
${parts.join("\n")}
</html>
`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
}
