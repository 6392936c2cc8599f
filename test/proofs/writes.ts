import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { newToolCall, textOf } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { scrubSurrogates } from "#foundation/text/json";
import { systemClock } from "#foundation/time/clock";
import { Toolbelt } from "#tools";
import {
  createWriteFileTool,
  defaultFileOptions,
  FileLedger,
  folderTerminal,
  leasesOf,
  listingOf,
  ReadHistory,
  registryOf,
  toolContext,
} from "#tools/testing";

export interface WriteReport {
  readonly payloads: number;
  readonly bytes: number;
  readonly exact: number;
  readonly explicitErrors: number;
  readonly wrong: readonly string[];
}

const pieces = [
  "'",
  '"',
  "\\",
  "\\\\",
  "\\n",
  "\n",
  "\r\n",
  "\r",
  "\t",
  "\u2028",
  "\u2029",
  "\u0000",
  "\u001b[0m",
  "`",
  "$(x)",
  "\ud83d\ude00",
  "é",
  "你",
  "%s",
  "<<EOF",
  "\b",
  "{",
  "}",
  "/*",
  " ",
];

/**
 * Writes random texts the way a model would: as call arguments in JSON, cut into random fragments as
 * a stream delivers them, joined, read, and run through the toolbelt. Every file must hold exactly the
 * bytes that were meant, or the call must have said that it failed.
 */
export async function proveWrites(folder: string, count: number, random: () => number): Promise<WriteReport> {
  const tool = createWriteFileTool({
    leases: leasesOf(folderTerminal(folder)),
    mayRead: () => Promise.resolve(() => true),
    guard: (input) => Promise.resolve({ kind: "allowed", realPath: input }),
    ledger: new FileLedger(),
    history: new ReadHistory(),
    options: defaultFileOptions,
    redact: (text) => text,
    findMask: () => undefined,
  });
  const belt = new Toolbelt({
    listing: await listingOf(registryOf(tool).registry),
    files: { keep: () => Promise.resolve(undefined) },
    clock: systemClock,
    logger: silentLogger,
    redact: (text) => text,
  });
  const wrong: string[] = [];
  let bytes = 0;
  let exact = 0;
  let explicitErrors = 0;
  for (let index = 0; index < count; index += 1) {
    const text = payload(index, count, random);
    const name = path.join(folder, `file-${index % 50}.txt`);
    const args = fragments(JSON.stringify({ path: name, content: text }), random).join("");
    const call = newToolCall({ id: `call_${index}`, name: "write_file", arguments: args });
    const { signal } = new AbortController();
    const [message] = await belt.run(
      [call],
      { context: toolContext({ taskId: `task-${index}` }), observer: {} },
      signal,
    );
    const answer = JSON.parse(textOf(message?.content)) as { error?: string; sha256?: string };
    const meant = Buffer.from(text, "utf8");
    bytes += meant.length;
    if (answer.error !== undefined) explicitErrors += 1;
    else if (fs.readFileSync(name).equals(meant) && answer.sha256 === createHash("sha256").update(meant).digest("hex"))
      exact += 1;
    else wrong.push(`payload ${index}: ${meant.length} bytes meant, ${fs.statSync(name).size} on disk`);
  }
  return { payloads: count, bytes, exact, explicitErrors, wrong };
}

/** From one byte to two megabytes, most of them short, as in life. */
function payload(index: number, count: number, random: () => number): string {
  const isHuge = index % Math.max(1, Math.floor(count / 20)) === 0;
  const wanted = isHuge ? Math.floor(random() * 2_000_000) : Math.floor(2 ** (random() * 14));
  let text = "";
  while (text.length < Math.max(1, wanted)) {
    text += random() < 0.3 ? (pieces[Math.floor(random() * pieces.length)] ?? "") : word(random);
    if (isHuge) text += text.slice(0, Math.min(text.length, wanted - text.length));
  }
  return scrubSurrogates(text.slice(0, Math.max(1, wanted)));
}

function word(random: () => number): string {
  return Array.from({ length: 1 + Math.floor(random() * 8) }, () =>
    String.fromCharCode(32 + Math.floor(random() * 95)),
  ).join("");
}

/** Cut anywhere, also in the middle of an escape or a surrogate pair, as providers do. */
function fragments(text: string, random: () => number): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + Math.floor(random() ** 3 * 4_000);
    parts.push(text.slice(at, at + size));
    at += size;
  }
  return parts;
}

/** A small generator, so that a failing run can be repeated by its seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
