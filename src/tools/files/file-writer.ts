import path from "node:path";
import type { ToolContext } from "../contract/context.ts";
import { ToolFailure } from "../contract/result.ts";
import { unifiedDiff } from "./diff-text.ts";
import { type CurrentFile, currentFile, type FileDeps, type LintResult, type OpenPath } from "./file-access.ts";
import { hashOf, type StaleReason, stampOf } from "./ledger.ts";
import { type DecodedText, decodeText, encodeText, type TextEncoding } from "./text-encoding.ts";

export interface Written {
  readonly bytes: number;
  /** SHA-256 of what is on disk, read back after the write. */
  readonly sha256: string;
  readonly diff: string;
  readonly lint: LintResult | undefined;
}

/** A file as a tool sees it before changing it. */
export interface FileBefore {
  readonly open: OpenPath;
  readonly file: CurrentFile | undefined;
  readonly text: DecodedText | undefined;
}

export async function lookBefore(open: OpenPath, signal: AbortSignal): Promise<FileBefore> {
  const file = await currentFile(open, signal);
  return { open, file, text: file === undefined ? undefined : decodeText(file.bytes) };
}

/** Writes a text and proves that it arrived. Must be called while holding the lock of the path. */
export async function writeFileText(
  deps: FileDeps,
  change: { readonly before: FileBefore; readonly text: string; readonly context: ToolContext },
): Promise<Written> {
  const { before, text, context } = change;
  const encoding: TextEncoding = before.text?.encoding ?? "utf-8";
  const bytes = encodeText(text, encoding);
  if (bytes === undefined) {
    throw new ToolFailure(
      `${before.open.shown} is encoded as Latin-1, and the new text has characters it cannot hold; nothing was written`,
    );
  }
  refuseMasks(deps, before, text);
  const { files } = before.open;
  await files.write(before.open.real, bytes, context.signal);
  const onDisk = await files.read(before.open.real, { maxBytes: bytes.length + 1, signal: context.signal });
  const sha256 = hashOf(onDisk);
  if (sha256 !== hashOf(bytes)) {
    throw new ToolFailure(
      `${before.open.shown} was written, but reading it back gave other bytes; something else is writing to it`,
    );
  }
  const facts = await files.stat(before.open.real, { followLinks: true, signal: context.signal });
  if (facts !== undefined) deps.ledger.noteWrite(context.taskId, before.open.real, stampOf(facts, onDisk));
  const lint = await deps.lint?.({
    terminal: before.open.terminal,
    path: before.open.real,
    before: before.text?.text,
    after: text,
    signal: context.signal,
  });
  const name = path.posix.relative(before.open.terminal.cwd, before.open.shown);
  return { bytes: bytes.length, sha256, diff: await unifiedDiff(name, before.text?.text ?? "", text), lint };
}

/** A masked secret written back would destroy the real one; text that already stood in the file is fine. */
export function refuseMasks(deps: FileDeps, before: FileBefore, text: string): void {
  const mask = deps.findMask(text);
  if (mask === undefined || before.text?.text.includes(mask) === true) return;
  throw new ToolFailure(
    `The text contains ${JSON.stringify(mask)}, a masked secret as it was shown, not the secret itself. Writing it would destroy the real value. Change the lines around it with patch instead.`,
    { masked_secret: true },
  );
}

/** What the writer should know about the state of the file it changes. */
export function staleWarning(reason: StaleReason, shown: string): string {
  switch (reason.kind) {
    case "changed-on-disk":
      return `${shown} has changed on disk since you read it.`;
    case "sibling-wrote":
      return `${shown} was written by agent ${reason.agent} after you read it.`;
    case "partial-view":
      return `You have read only a part of ${shown}; lines you have not seen may be affected.`;
    case "never-read":
      return `${shown} was written by agent ${reason.agent}, and you have not read it.`;
  }
}
