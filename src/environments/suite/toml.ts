import { parseJson } from "#foundation/text/json";

/** As much TOML as task files use: tables, and keys with strings, numbers, booleans and lists on one line. */
export function parseToml(source: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  let table = root;
  for (const line of source.split(/\r?\n/)) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const header = /^\[([^[\]]+)\]/.exec(text)?.[1];
    if (header !== undefined) {
      table = tableAt(
        root,
        header.split(".").map((name) => name.trim().replaceAll('"', "")),
      );
      continue;
    }
    const pair = /^("?)([\w.-]+)\1\s*=\s*(.*)$/.exec(text);
    if (pair?.[2] !== undefined) table[pair[2]] = readValue(pair[3] ?? "");
  }
  return root;
}

function tableAt(root: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  let table = root;
  for (const name of names) {
    const next = (table[name] ?? {}) as Record<string, unknown>;
    table[name] = next;
    table = next;
  }
  return table;
}

function readValue(text: string): unknown {
  const literal = /^'([^']*)'/.exec(text);
  if (literal !== null) return literal[1];
  const string = /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0];
  const bare = string ?? text.replace(/\s+#.*$/, "").replaceAll("_", "");
  const parsed = parseJson(bare.replace(/,\s*\]$/, "]"));
  return parsed.ok ? parsed.value : bare;
}
