/** One change of a file in the V4A patch format. */
import { defined } from "#foundation/defined";
export type PatchOperation =
  | { readonly kind: "update"; readonly path: string; readonly moveTo?: string; readonly hunks: readonly Hunk[] }
  | { readonly kind: "add"; readonly path: string; readonly content: string }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "move"; readonly path: string; readonly to: string };

export interface Hunk {
  /** Text behind `@@`, to find the place by; may be empty. */
  readonly hint: string;
  readonly lines: readonly HunkLine[];
}

interface HunkLine {
  readonly kind: "context" | "remove" | "add";
  readonly text: string;
}

export type ParsedPatch =
  | { readonly kind: "patch"; readonly operations: readonly PatchOperation[] }
  | { readonly kind: "invalid"; readonly message: string };

/** Every path an operation touches. */
export function pathsOf(operation: PatchOperation): readonly string[] {
  if (operation.kind === "move") return [operation.path, operation.to];
  const target = operation.kind === "update" ? operation.moveTo : undefined;
  return target === undefined ? [operation.path] : [operation.path, target];
}

const header = /^\*\*\*\s*(Update|Add|Delete|Move) File:\s*(.+?)\s*$/;
const moveTo = /^\*\*\*\s*Move to:\s*(.+?)\s*$/;
const frame = /^\*\*\*\s*(?:Begin|End) Patch\s*$/;

export function parsePatch(text: string): ParsedPatch {
  const sections: { kind: string; path: string; body: string[] }[] = [];
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    if (frame.test(line)) continue;
    const head = header.exec(line);
    if (head !== null) sections.push({ kind: head[1] ?? "", path: head[2] ?? "", body: [] });
    else if (sections.length > 0) sections.at(-1)?.body.push(line);
    else if (line.trim() !== "")
      return invalid(`the text before the first file header is not part of a patch: ${line.slice(0, 80)}`);
  }
  if (sections.length === 0)
    return invalid('no "*** Update File:", "*** Add File:", "*** Delete File:" or "*** Move File:" header');
  const operations: PatchOperation[] = [];
  for (const section of sections) {
    const operation = readSection(section.kind, section.path, section.body);
    if ("problem" in operation) return invalid(operation.problem);
    operations.push(operation);
  }
  return { kind: "patch", operations };
}

function readSection(
  kind: string,
  path: string,
  body: readonly string[],
): PatchOperation | { readonly problem: string } {
  switch (kind) {
    case "Add":
      return { kind: "add", path, content: addedContent(body) };
    case "Delete":
      return { kind: "delete", path };
    case "Move": {
      const [from, to] = path.split(/\s*->\s*/);
      if (from === undefined || to === undefined || from === "" || to === "") {
        return { problem: `"*** Move File: ${path}" needs the form "old -> new"` };
      }
      return { kind: "move", path: from, to };
    }
    default:
      return readUpdate(path, body);
  }
}

function readUpdate(path: string, body: readonly string[]): PatchOperation | { readonly problem: string } {
  let destination: string | undefined;
  const hunks: { hint: string; lines: HunkLine[] }[] = [];
  for (const line of withoutTrailingBlank(body)) {
    const move = moveTo.exec(line);
    if (move !== null && hunks.length === 0) {
      destination = move[1];
      continue;
    }
    if (line.startsWith("@@")) {
      hunks.push({
        hint: line
          .replace(/^@@\s?/, "")
          .replace(/\s?@@\s*$/, "")
          .trim(),
        lines: [],
      });
      continue;
    }
    if (line.startsWith("\\ No newline")) continue;
    if (hunks.length === 0) hunks.push({ hint: "", lines: [] });
    hunks.at(-1)?.lines.push(readLine(line));
  }
  const filled = hunks.filter((hunk) => hunk.lines.some((line) => line.kind !== "context"));
  if (filled.length === 0 && destination === undefined) return { problem: `the update of ${path} changes nothing` };
  return { kind: "update", path, hunks: filled, ...defined({ moveTo: destination }) };
}

/** An empty line is an empty context line; one without a prefix counts as context. */
function readLine(line: string): HunkLine {
  if (line.startsWith("+")) return { kind: "add", text: line.slice(1) };
  if (line.startsWith("-")) return { kind: "remove", text: line.slice(1) };
  return { kind: "context", text: line.startsWith(" ") ? line.slice(1) : line };
}

function addedContent(body: readonly string[]): string {
  const lines = withoutTrailingBlank(body)
    .filter((line) => !line.startsWith("@@"))
    .map((line) => (line.startsWith("+") ? line.slice(1) : line));
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function withoutTrailingBlank(body: readonly string[]): readonly string[] {
  let end = body.length;
  while (end > 0 && body[end - 1] === "") end -= 1;
  return body.slice(0, end);
}

function invalid(message: string): ParsedPatch {
  return { kind: "invalid", message: `Not a V4A patch: ${message}` };
}
