import { createHash } from "node:crypto";
import { readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import { canonicalJson, isRecord, parseJson } from "#foundation/text/json";
import type { McpToolDefinition } from "../definition.ts";

/** A definition as it was when the person first let it in. */
interface Pin {
  readonly hash: string;
  readonly description: string;
  readonly schema: string;
  /** What the server says its effects are; absent in files of earlier versions. */
  readonly hints?: string | undefined;
}

/** A tool that is not what it was. It stays unusable until somebody has looked at the difference. */
export interface PinChange {
  readonly server: string;
  readonly tool: string;
  /** Set when a pinned tool vanished and this one, under another name, is the same. */
  readonly renamedFrom?: string;
  /** Set when the server did not have it at first. */
  readonly isNew?: boolean;
  /** Lines with `-` and `+`, for people. */
  readonly diff: string;
}

const maxFileBytes = 16 * 1024 * 1024;

/**
 * Remembers the definitions of tools and their list, so that a server cannot have harmless ones accepted and swap them
 * later. The first listing pins; a change of anything in a definition, and a tool that was not there, need {@link confirm}.
 */
export class PinStore {
  readonly #path: string;
  readonly #signal: AbortSignal;

  constructor(path: string, signal: AbortSignal) {
    this.#path = path;
    this.#signal = signal;
  }

  /** Pins what is new and names what differs from its pin. */
  async check(server: string, tools: readonly McpToolDefinition[]): Promise<readonly PinChange[]> {
    return this.#update((all) => {
      const isFirst = all[server] === undefined;
      const pins = pinsOf(all, server);
      const present = new Set(tools.map((tool) => tool.name));
      const vanished = Object.entries(pins).filter(([name]) => !present.has(name));
      const changes: PinChange[] = [];
      for (const tool of tools) {
        const now = pinOf(tool);
        const was = Object.hasOwn(pins, tool.name) ? pins[tool.name] : undefined;
        const [oldName, oldPin] = was === undefined ? (vanished.find(([, pin]) => pin.hash === now.hash) ?? []) : [];
        const isOther = was !== undefined && (was.hash !== now.hash || (was.hints ?? now.hints) !== now.hints);
        if (isOther) {
          changes.push({ server, tool: tool.name, diff: diffOf([tool.name, was], [tool.name, now]) });
        } else if (oldName !== undefined && oldPin !== undefined) {
          const diff = diffOf([oldName, oldPin], [tool.name, now]);
          changes.push({ server, tool: tool.name, renamedFrom: oldName, diff });
        } else if (was === undefined && !isFirst) {
          changes.push({ server, tool: tool.name, isNew: true, diff: diffOf(["", noPin], [tool.name, now]) });
        } else if (was?.hints === undefined) {
          pins[tool.name] = now;
        }
      }
      return changes;
    });
  }

  /** The person has seen the difference and accepts it. */
  async confirm(server: string, tool: McpToolDefinition, renamedFrom?: string): Promise<void> {
    await this.#update((all) => {
      const pins = pinsOf(all, server);
      if (renamedFrom !== undefined) delete pins[renamedFrom];
      pins[tool.name] = pinOf(tool);
    });
  }

  async #update<T>(change: (all: Record<string, Record<string, Pin>>) => T): Promise<T> {
    return withFileLock(
      `${this.#path}.lock`,
      async () => {
        const text = (await readTextFile(this.#path, { maxBytes: maxFileBytes })) ?? "{}";
        const all = readPins(text);
        const outcome = change(all);
        const next = `${JSON.stringify(all, null, 1)}\n`;
        if (next !== text) await writeFileAtomic(this.#path, next, { mode: 0o600 });
        return outcome;
      },
      { signal: this.#signal },
    );
  }
}

/** The names of the tools that are pinned, by their server. */
export async function readPinnedTools(file: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const all = readPins((await readTextFile(file, { maxBytes: maxFileBytes })) ?? "{}");
  return Object.fromEntries(Object.entries(all).map(([server, pins]) => [server, Object.keys(pins)]));
}

function pinsOf(all: Record<string, Record<string, Pin>>, server: string): Record<string, Pin> {
  all[server] ??= Object.create(null);
  return all[server] ?? {};
}

/** The hash leaves the name out: it is the key, and a renamed tool is found by having the same one. */
function pinOf(tool: McpToolDefinition): Pin {
  const description = tool.description ?? "";
  const schema = canonicalJson(tool.inputSchema ?? {});
  const hash = createHash("sha256").update(`${description}\0${schema}`).digest("hex");
  const { isReadOnly, isDestructive, isIdempotent } = tool;
  const flags = Object.entries({ "read-only": isReadOnly, destructive: isDestructive, idempotent: isIdempotent });
  const hints = flags.flatMap(([word, isSo]) => (isSo ? [word] : [])).join(", ");
  return { hash, description, schema, hints };
}

const noPin: Pin = { hash: "", description: "", schema: "", hints: "" };

function diffOf([wasName, was]: readonly [string, Pin], [nowName, now]: readonly [string, Pin]): string {
  const lines: string[] = [];
  const row = (label: string, before: string, after: string): void => {
    if (before !== after) lines.push(`- ${label}: ${before}`, `+ ${label}: ${after}`);
  };
  row("name", wasName, nowName);
  row("description", was.description, now.description);
  row("arguments", was.schema, now.schema);
  row("effects", was.hints ?? "", now.hints ?? "");
  return lines.join("\n");
}

/** A file that cannot be read counts as empty only when it is missing; otherwise the pins would be lost unnoticed. */
function readPins(text: string): Record<string, Record<string, Pin>> {
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) throw new Error("the file of pinned MCP tools is damaged; move it away");
  const all: Record<string, Record<string, Pin>> = Object.create(null);
  for (const [server, pins] of Object.entries(parsed.value)) {
    if (!isRecord(pins)) continue;
    const kept: Record<string, Pin> = Object.create(null);
    for (const [tool, pin] of Object.entries(pins)) if (isPin(pin)) kept[tool] = pin;
    all[server] = kept;
  }
  return all;
}

function isPin(value: unknown): value is Pin {
  return (
    isRecord(value) &&
    typeof value["hash"] === "string" &&
    typeof value["description"] === "string" &&
    typeof value["schema"] === "string" &&
    (value["hints"] === undefined || typeof value["hints"] === "string")
  );
}
