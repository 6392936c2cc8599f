import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** A test that names a requirement in its title. */
export interface Citation {
  readonly area: string;
  readonly id: string;
  readonly file: string;
  readonly line: number;
  /** The words of the title and of the groups around it, without what they cite. */
  readonly title: string;
}

const citation = /\[(\d\d):([^\]\s]+)\]/g;

/** Every citation in the test files and contract suites below these folders. */
export function readCitations(root: string, folders: readonly string[]): readonly Citation[] {
  return folders
    .flatMap((folder) => testFiles(root, folder))
    .flatMap((file) => citationsIn(file, readFileSync(path.join(root, file), "utf8")));
}

function citationsIn(file: string, text: string): readonly Citation[] {
  const around: { readonly indent: number; readonly title: string }[] = [];
  return text.split("\n").flatMap((line, at) => {
    const indent = line.search(/\S/);
    if (indent >= 0) while (around.length > 0 && (around.at(-1)?.indent ?? 0) >= indent) around.pop();
    const group = [...around];
    if (/^\s*describe\(/.test(line)) around.push({ indent, title: wordsAt(line, line.search(/["'`]/) + 1) });
    return [...line.matchAll(citation)].map(({ 1: area = "", 2: id = "", index }) => {
      const words = [...group.map(({ title }) => title), wordsAt(line, index)];
      return { area, id, file, line: at + 1, title: words.filter((one) => one !== "").join(" › ") };
    });
  });
}

/** The text between the quotes around a place in a line, without citations. */
function wordsAt(line: string, index: number): string {
  const quoted = [...line.matchAll(/(["'`])(?:\\.|(?!\1).)*\1/g)].find(
    (match) => match.index < index && index < match.index + match[0].length,
  );
  const words = quoted === undefined ? "" : quoted[0].slice(1, -1).replaceAll(/\\(["'`])/g, "$1");
  return words.replaceAll(citation, "").replaceAll(/\s+/g, " ").trim();
}

function testFiles(root: string, folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.split(path.sep).join("/")}`)
    .filter((name) => name.endsWith(".test.ts") || /^test\/contracts\/.*\.ts$/.test(name))
    .sort();
}
