import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "#foundation/errors";

/** Keeps a long paste, so that a placeholder from the history still stands for it. */
export async function savePaste(
  paste: { readonly file: string; readonly text: string },
  folder: string | undefined,
): Promise<void> {
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, paste.file), paste.text, { mode: 0o600 });
}

const placeholder = /\[Pasted text #\d+: \d+ lines → (paste_\d+_\d{6}\.txt)\]/g;

/** A message brought back from the history: its placeholders are their text again, as far as that is still there. */
export async function withSavedPastes(text: string, folder: string | undefined): Promise<string> {
  if (folder === undefined) return text;
  const kept = new Map<string, string>();
  for (const [whole, file = ""] of text.matchAll(placeholder)) {
    if (kept.has(whole)) continue;
    try {
      kept.set(whole, await readFile(join(folder, file), "utf8"));
    } catch (error) {
      if (systemErrorCode(error) !== "ENOENT") throw error;
    }
  }
  return text.replace(placeholder, (whole) => kept.get(whole) ?? whole);
}
