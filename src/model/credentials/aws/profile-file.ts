/** Sections of an AWS settings file, each a map of its keys. */
export type AwsSections = ReadonlyMap<string, Readonly<Record<string, string>>>;

/**
 * The AWS dialect of INI: `[name]` or `[profile name]`, `key = value`, comments with `#` or `;`.
 * Indented lines belong to the key above and are left out.
 */
export function readAwsFile(text: string): AwsSections {
  const sections = new Map<string, Record<string, string>>();
  let current: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;]|$)/.test(line) || /^\s/.test(line)) continue;
    const header = /^\[\s*(?:profile\s+)?"?([^\]"]+?)"?\s*\]/.exec(line);
    if (header !== null) {
      const name = header[1] ?? "";
      current = sections.get(name) ?? {};
      sections.set(name, current);
      continue;
    }
    const equals = line.indexOf("=");
    if (current === undefined || equals <= 0) continue;
    const value = line.slice(equals + 1).replace(/\s+[#;].*$/, "");
    current[line.slice(0, equals).trim().toLowerCase()] = value.trim();
  }
  return sections;
}
