import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { describeSettings } from "#config";
import { gatewayCommands } from "#gateway/testing";
import { builtinCommands } from "#session";
import { parseLine } from "../src/cli/parse.ts";
import { commandTree } from "../src/cli/tree.ts";

const root = path.join(import.meta.dirname, "..");
const pagesBelow = (folder: string): readonly string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);
const texts = ["README.md", ...pagesBelow("docs/guide")];
const pages = [
  ...texts,
  ...pagesBelow("docs/decisions"),
  "docs/README.md",
  "docs/requirements.md",
  "ARCHITECTURE.md",
  "AGENTS.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
];
/** The pages beside the code. */
const subsystemPages = pagesBelow("src").filter((page) => path.basename(page) === "README.md");

describe("the documentation", () => {
  it.each(pages)("%s links to pages, headings and pictures that exist", (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = ""]) => target);
    expect(links.filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });

  it.each(texts)("%s shows only command lines that the program understands", (page) => {
    expect(commandLines(read(page)).flatMap(complaint)).toEqual([]);
  });

  it.each(texts)("%s names only settings that exist", async (page) => {
    const known = (await describeSettings()).map(({ key }) => key);
    const sections = new Set(known.map((key) => key.split(/[.[]/)[0] ?? ""));
    const named = [...read(page).matchAll(/`([a-z_]+(?:\.(?:[a-z_]+|<[a-z]+>|\*))+)(?::[^`]*)?`/g)]
      .map(([, key = ""]) => key)
      .filter((key) => !/\.(log|jsonl?)$|^context\.(?!engine)/.test(key) && sections.has(key.split(".")[0] ?? ""));
    expect(named.filter((key) => !known.some((one) => isKey(key, one)))).toEqual([]);
  });

  it.each(texts)("%s names only slash commands that exist", (page) => {
    const skills = readdirSync(path.join(root, "skills"), { recursive: true, encoding: "utf8" })
      .filter((file) => path.basename(file) === "SKILL.md")
      .map((file) => path.basename(path.dirname(file)));
    const own = gatewayCommands.map(({ name }) => name);
    const known = new Set([
      ...builtinCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
      ...own,
      ...skills,
    ]);
    const named = [...read(page).matchAll(/`\/([a-z-]+)(?=[ `])/g)].map(([, name = ""]) => name);
    const isKnown = (name: string): boolean => known.has(name) || [...known].some((one) => one.startsWith(name));
    expect(named.filter((name) => !isKnown(name))).toEqual([]);
  });

  it.each(subsystemPages)("%s names only files that exist", (page) => {
    const named = [...read(page).matchAll(/`([a-z][\w./-]*(?:\.ts|\/))`/g)].map(([, name = ""]) => name);
    const below = readdirSync(path.join(root, path.dirname(page)), { recursive: true, encoding: "utf8" });
    const isThere = (name: string): boolean =>
      ["", "src"].some((base) => existsSync(path.join(root, base, name))) ||
      below.some((file) => `/${file}`.endsWith(`/${name.replace(/\/$/, "")}`));
    expect(named.filter((name) => !name.includes("NN") && !isThere(name))).toEqual([]);
  });

  it("would notice a wrong line, key and link", () => {
    expect(complaint("hermes sessions lst")).not.toEqual([]);
    expect(complaint("hermes chat --colour red")).not.toEqual([]);
    expect(leadsSomewhere("README.md", "docs/guide/nowhere.md")).toBe(false);
    expect(leadsSomewhere("README.md", "docs/guide/sessions.md#nowhere")).toBe(false);
    expect(isKey("display.skn", "display.skin")).toBe(false);
  });
});

const read = (page: string): string => readFileSync(path.join(root, page), "utf8");

function leadsSomewhere(page: string, link: string): boolean {
  const [target = "", heading] = link.split("#");
  const file = target === "" ? page : path.join(path.dirname(page), target);
  if (!existsSync(path.join(root, file))) return false;
  if (heading === undefined) return true;
  const anchors = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => anchorOf(title));
  return anchors.includes(heading);
}

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Lines in blocks that begin with `hermes`, also behind variables or a pipe, without the remark that follows. */
function commandLines(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```(?:sh)?\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  return blocks
    .flatMap((block) => block.split("\n"))
    .flatMap((line) => /(?:^|\| |^\w+=\S+ )(hermes\b.*)$/.exec(line)?.[1] ?? [])
    .map((line) => line.replace(/ {2,}.*$/, ""));
}

/** Why the program would not understand a line; empty when it would. */
function complaint(line: string): readonly string[] {
  const words = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
  try {
    parseLine(commandTree, words.slice(1));
    return [];
  } catch (error) {
    return [`${line}: ${String(error)}`];
  }
}

/** Whether a name in the text means this key; `auxiliary.<task>` stands for each of the tasks. */
function isKey(named: string, key: string): boolean {
  const want = named.replace(/\.\*$/, "").split(".");
  const have = key.replaceAll("[]", "").split(".");
  return want.every((word, at) => word === have[at] || (word.startsWith("<") && have[at] !== undefined));
}
