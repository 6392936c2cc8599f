import { UserError } from "#foundation/errors";

/** Where a value sits in the file: `["agent", "max_turns"]`. List positions are decimal digits. */
export type KeyPath = readonly string[];

const unsafeSegments: ReadonlySet<string> = new Set(["__proto__", "prototype", "constructor"]);

/**
 * Reads a dotted key. A segment that itself holds a dot is quoted: `pricing.overrides.openai."gpt-4.1".input`.
 * `custom_providers[0].name` and `custom_providers.0.name` mean the same.
 */
export function parseKeyPath(key: string): KeyPath {
  const pattern = /(?:^|(?<!^)\.)(?:"((?:[^"\\]|\\.)+)"|([^."[\]]+))|(?<!^)\[(\d+)\]/gy;
  const segments: string[] = [];
  while (pattern.lastIndex < key.length) {
    const match = pattern.exec(key);
    if (match === null) throw malformed(key);
    const [, quoted, plain, position] = match;
    segments.push(quoted?.replace(/\\(.)/g, "$1") ?? plain?.trim() ?? position ?? "");
  }
  if (segments.length === 0 || segments.some((segment) => segment === "" || unsafeSegments.has(segment))) {
    throw malformed(key);
  }
  return segments;
}

/** The written form of a path, with quotes where a segment needs them. */
export function formatKeyPath(path: readonly (string | number)[]): string {
  return path
    .map(String)
    .map((segment) => (/^[^."[\]\s]+$/.test(segment) ? segment : `"${segment.replace(/["\\]/g, "\\$&")}"`))
    .join(".");
}

function malformed(key: string): UserError {
  return new UserError(`"${key}" is not the name of a setting.`, {
    code: "config_key_invalid",
    exitCode: 2,
    hint: 'Join the names from the outside in with dots, and quote a name that holds a dot: providers."my.host".base_url',
  });
}
