import { locate, replaceText } from "./edit/replace.ts";
import type { Hunk, PatchOperation } from "./v4a-parse.ts";

/** What a patch would leave behind, worked out without touching a file. */
export interface PatchPlan {
  /** Final content by path; `undefined` means the file is gone. */
  readonly files: ReadonlyMap<string, string | undefined>;
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  /** Changed paths; moves as `a -> b`. */
  readonly modified: readonly string[];
}

export type Planned =
  | { readonly kind: "plan"; readonly plan: PatchPlan }
  | { readonly kind: "problems"; readonly problems: readonly string[] };

/** Reads files for planning: the text, or undefined when there is none. */
export type ReadForPatch = (path: string) => Promise<string | undefined>;

/** Plays all operations on simulated contents, so that later ones see what earlier ones did, and names every problem. */
export async function planPatch(operations: readonly PatchOperation[], read: ReadForPatch): Promise<Planned> {
  const files = new Map<string, string | undefined>();
  const problems: string[] = [];
  const created: string[] = [];
  const deleted: string[] = [];
  const modified: string[] = [];
  const current = async (path: string): Promise<string | undefined> => {
    if (!files.has(path)) files.set(path, await read(path));
    return files.get(path);
  };
  for (const operation of operations) {
    const before = await current(operation.path);
    const target =
      operation.kind === "move" ? operation.to : operation.kind === "update" ? operation.moveTo : undefined;
    if (operation.kind === "add" ? before !== undefined : before === undefined) {
      problems.push(`${operation.path}: ${operation.kind === "add" ? "it exists already" : "there is no such file"}`);
      continue;
    }
    if (target !== undefined && (await current(target)) !== undefined) {
      problems.push(`${operation.path}: cannot move to ${target}, which exists`);
      continue;
    }
    const after = contentAfter(operation, before ?? "");
    if (after.kind === "problem") {
      problems.push(`${operation.path}: ${after.problem}`);
      continue;
    }
    files.set(operation.path, target === undefined ? after.content : undefined);
    if (target !== undefined) files.set(target, after.content);
    if (operation.kind === "add") created.push(operation.path);
    else if (operation.kind === "delete") deleted.push(operation.path);
    else modified.push(target === undefined ? operation.path : `${operation.path} -> ${target}`);
  }
  if (problems.length > 0) return { kind: "problems", problems };
  return { kind: "plan", plan: { files, created, deleted, modified } };
}

type After =
  | { readonly kind: "content"; readonly content: string | undefined }
  | { readonly kind: "problem"; readonly problem: string };

function contentAfter(operation: PatchOperation, before: string): After {
  switch (operation.kind) {
    case "add":
      return { kind: "content", content: operation.content };
    case "delete":
      return { kind: "content", content: undefined };
    case "move":
      return { kind: "content", content: before };
    case "update": {
      let content = before;
      for (const [index, hunk] of operation.hunks.entries()) {
        const applied = applyHunk(content, hunk);
        if (applied.kind === "problem") return { kind: "problem", problem: `hunk ${index + 1}: ${applied.problem}` };
        content = applied.content ?? content;
      }
      return { kind: "content", content };
    }
  }
}

const windowBefore = 500;
const windowAfter = 2_000;

function applyHunk(content: string, hunk: Hunk): After {
  const oldText = hunk.lines
    .filter((line) => line.kind !== "add")
    .map((line) => line.text)
    .join("\n");
  const newText = hunk.lines
    .filter((line) => line.kind !== "remove")
    .map((line) => line.text)
    .join("\n");
  if (hunk.lines.every((line) => line.kind === "add")) return insertAtHint(content, hunk.hint, newText);
  const whole = replaceText(content, { oldText, newText });
  if (whole.kind === "replaced") return { kind: "content", content: whole.text };
  const near = nearHint(content, hunk.hint);
  if (near !== undefined) {
    const [start, end] = near;
    const inside = replaceText(content.slice(start, end), { oldText, newText });
    if (inside.kind === "replaced") {
      return { kind: "content", content: content.slice(0, start) + inside.text + content.slice(end) };
    }
  }
  const first = oldText.split("\n")[0] ?? "";
  if (whole.kind === "ambiguous")
    return { kind: "problem", problem: `its lines occur ${whole.count} times; add context or a hint` };
  if (whole.kind === "refused") return { kind: "problem", problem: whole.reason };
  return { kind: "problem", problem: `its lines were not found (first line: ${JSON.stringify(first.slice(0, 80))})` };
}

function nearHint(content: string, hint: string): readonly [number, number] | undefined {
  if (hint === "") return undefined;
  const at = locate(content, hint)?.matches[0]?.start;
  if (at === undefined) return undefined;
  return [lineStartBefore(content, Math.max(0, at - windowBefore)), Math.min(content.length, at + windowAfter)];
}

function lineStartBefore(content: string, offset: number): number {
  return offset === 0 ? 0 : content.lastIndexOf("\n", offset) + 1;
}

/** New lines go behind the line with the hint, which must be unique; without a hint, to the end. */
function insertAtHint(content: string, hint: string, added: string): After {
  const lineEnd = content.includes("\r\n") ? "\r\n" : "\n";
  const text = added.replaceAll("\n", lineEnd);
  if (hint === "") {
    const glue = content === "" || content.endsWith("\n") ? "" : lineEnd;
    return { kind: "content", content: `${content}${glue}${text}${lineEnd}` };
  }
  const first = content.indexOf(hint);
  if (first < 0) return { kind: "problem", problem: `its hint was not found: ${JSON.stringify(hint)}` };
  if (content.indexOf(hint, first + 1) >= 0)
    return { kind: "problem", problem: `its hint occurs more than once: ${JSON.stringify(hint)}` };
  const newline = content.indexOf("\n", first);
  const at = newline < 0 ? content.length : newline + 1;
  const glue = newline < 0 ? lineEnd : "";
  return { kind: "content", content: `${content.slice(0, at)}${glue}${text}${lineEnd}${content.slice(at)}` };
}
