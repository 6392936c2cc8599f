// Writes docs/reference/ from what the program itself is made of: schema, command tree, slash commands, tools, events.
// A test says when a page is stale.
//   npm run generate:reference
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { commandsPage } from "./reference/commands-page.ts";
import { configPage } from "./reference/config-page.ts";
import { eventsPage } from "./reference/events-page.ts";
import { slashCommandsPage } from "./reference/slash-commands-page.ts";
import { toolsPage } from "./reference/tools-page.ts";
import { wirePage } from "./reference/wire-page.ts";

const folder = path.join(import.meta.dirname, "../docs/reference");

const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  "commands.md": commandsPage,
  "config.md": configPage,
  "events.md": eventsPage,
  "slash-commands.md": slashCommandsPage,
  "tools.md": toolsPage,
  "wire.md": wirePage,
};

export const pageNames: readonly string[] = Object.keys(pages);

/** A page as it is, and as it should be. */
export async function readPage(name: string): Promise<{ readonly found: string; readonly expected: string }> {
  const make = pages[name];
  if (make === undefined) throw new Error(`There is no page ${name}`);
  return { found: readFileSync(path.join(folder, name), "utf8"), expected: await make() };
}

if (process.argv[1]?.endsWith("generate-reference.ts")) {
  mkdirSync(folder, { recursive: true });
  for (const [name, make] of Object.entries(pages)) {
    const text = await make();
    writeFileSync(path.join(folder, name), text);
    console.log(`docs/reference/${name}: ${text.split("\n").length} lines`);
  }
}
