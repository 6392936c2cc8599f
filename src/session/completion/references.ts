import type { Completion } from "../api.ts";
import { bestMatches } from "./fuzzy.ts";
import { pathEntries } from "./paths.ts";
import type { ProjectFiles } from "./project-files.ts";

const mostMatches = 30;

const kinds = [
  ["@diff", "changes not staged"],
  ["@staged", "staged changes"],
  ["@file:", "a file, or lines of it"],
  ["@folder:", "the list of a folder"],
  ["@git:", "the last commits, 1 to 10"],
  ["@url:", "a web page"],
] as const;

/** What a word beginning with `@` may become. */
export async function completeReference(
  word: { readonly text: string; readonly from: number },
  where: { readonly cwd: string; readonly files: ProjectFiles },
  signal: AbortSignal,
): Promise<readonly Completion[]> {
  const { text, from } = word;
  const [, kind, typed = ""] = /^@(file|folder):(.*)$/.exec(text) ?? [];
  if (kind !== undefined) return await completePath({ kind, typed, from }, where, signal);
  const named = kinds
    .filter(([name]) => name.startsWith(text))
    .map(([name, detail]) => ({ from, text: name, label: name, detail }));
  if (text === "@" || text.includes(":")) return named;
  const paths = bestMatches(text.slice(1), await where.files.list(where.cwd, signal), mostMatches);
  return [...named, ...paths.map((path) => ({ from, text: `@file:${quoted(path)}`, label: path, detail: "file" }))];
}

async function completePath(
  word: { readonly kind: string; readonly typed: string; readonly from: number },
  where: { readonly cwd: string; readonly files: ProjectFiles },
  signal: AbortSignal,
): Promise<readonly Completion[]> {
  const { kind, typed, from } = word;
  const only = kind === "folder" ? { only: "folders" as const } : {};
  const entries = await pathEntries(typed.replace(/^["'`]/, ""), { cwd: where.cwd, ...only }, signal);
  const near = entries.map((entry) => ({
    from,
    text: `@${kind}:${quoted(entry.text)}`,
    label: entry.text,
    detail: entry.detail,
  }));
  if (near.length > 0 || kind === "folder" || typed.includes("/")) return near;
  const paths = bestMatches(typed, await where.files.list(where.cwd, signal), mostMatches);
  return paths.map((path) => ({ from, text: `@file:${quoted(path)}`, label: path, detail: "file" }));
}

function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}
