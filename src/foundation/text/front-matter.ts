import { isRecord } from "./json.ts";

/** The head of a Markdown file, or what is wrong with it. */
export type FrontMatter =
  | {
      readonly kind: "parsed";
      readonly fields: Readonly<Record<string, unknown>>;
      readonly body: string;
      /** False when the YAML was broken and only `key: value` lines were read. */
      readonly isYaml: boolean;
    }
  | { readonly kind: "missing" }
  | { readonly kind: "unclosed" };

const fence = /^---[ \t]*$/;

/** Splits a file into its YAML head and its body. The whole head is read, however long it is. */
export async function parseFrontMatter(text: string): Promise<FrontMatter> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (!fence.test(lines[0] ?? "")) return { kind: "missing" };
  const end = lines.findIndex((line, index) => index > 0 && fence.test(line));
  if (end === -1) return { kind: "unclosed" };
  const head = lines.slice(1, end).join("\n");
  const body = lines.slice(end + 1).join("\n");
  const fields = await parseYaml(head);
  if (fields !== undefined) return { kind: "parsed", fields, body, isYaml: true };
  return { kind: "parsed", fields: readLines(head), body, isYaml: false };
}

/** Undefined for broken YAML, for anything but a mapping, and for aliases that multiply themselves. */
async function parseYaml(head: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (head.trim() === "") return {};
  const { parseDocument } = await import("yaml");
  try {
    const document = parseDocument(head, { logLevel: "silent", prettyErrors: false });
    if (document.errors.length > 0) return undefined;
    const value: unknown = document.toJS({ maxAliasCount: 50 });
    return isRecord(value) ? value : undefined;
  } catch {
    // Too many aliases, or nesting too deep to convert: treated like any other broken YAML.
    return undefined;
  }
}

const keyLine = /^([A-Za-z_][\w.-]*)[ \t]*:[ \t]*(.*)$/;

/** What can be saved of a broken head: unindented `key: value` lines. */
function readLines(head: string): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const line of head.split("\n")) {
    const [, key, value] = keyLine.exec(line) ?? [];
    if (key === undefined || value === undefined || value.trim() === "") continue;
    fields[key] = value.trim().replace(/^(["'])(.*)\1$/, "$2");
  }
  return { ...fields };
}
