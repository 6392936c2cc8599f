import { isUtf8 } from "node:buffer";
import type { EditorTexts } from "../contract/session-scope.ts";
import type { TerminalFiles } from "../contract/terminal.ts";

/**
 * The files of this machine as an editor shows them: unsaved changes are read, and what is written appears in its
 * windows. Whatever is no text, or is not open there, comes from the disk. After a write the disk holds exactly what was
 * written, so that commands see it too.
 */
export function withEditorTexts(files: TerminalFiles, texts: EditorTexts): TerminalFiles {
  return {
    ...files,
    ...(files.resolved === undefined ? {} : { resolved: withEditorTexts(files.resolved, texts) }),
    async read(path, options) {
      const saved = await files.read(path, options);
      if (!isText(saved)) return saved;
      const shown = await texts.read(path, options.signal);
      if (shown === undefined) return saved;
      const unsaved = unsavedChanges(shown, saved);
      return unsaved === undefined || unsaved.byteLength > options.maxBytes ? saved : unsaved;
    },
    async write(path, data, signal) {
      const isTaken = isText(data) && (await texts.write(path, Buffer.from(data).toString(), signal));
      if (isTaken && (await isOnDisk(files, path, { data, signal }))) return;
      await files.write(path, data, signal);
    },
  };
}

/** What an editor has beyond the file; line ends that it shows differently are no change. */
function unsavedChanges(shown: string, saved: Uint8Array): Buffer | undefined {
  const text = Buffer.from(saved).toString();
  const hasCarriageReturns = text.includes("\r\n") && !shown.includes("\r\n");
  const whole = hasCarriageReturns ? shown.replaceAll("\n", "\r\n") : shown;
  const marked = text.startsWith("\ufeff") && !whole.startsWith("\ufeff") ? `\ufeff${whole}` : whole;
  return marked === text ? undefined : Buffer.from(marked);
}

/** An editor may format what it saves, or not save at all. */
async function isOnDisk(
  files: TerminalFiles,
  path: string,
  { data, signal }: { readonly data: Uint8Array; readonly signal: AbortSignal },
): Promise<boolean> {
  const facts = await files.stat(path, { followLinks: true, signal });
  if (facts?.kind !== "file" || facts.size !== data.byteLength) return false;
  return Buffer.from(data).equals(await files.read(path, { maxBytes: data.byteLength, signal }));
}

function isText(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}
