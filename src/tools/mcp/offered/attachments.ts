import { createHash } from "node:crypto";
import { join } from "node:path";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";

/** Keeps what a tool sent that is not text. */
export interface AttachmentFiles {
  save(bytes: Uint8Array, mime: string): Promise<string>;
}

const extensions: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "application/pdf": "pdf",
};

/** Files under a cache folder, named after their content, so that the same picture is kept once. */
export function attachmentFolder(folder: string): AttachmentFiles {
  return {
    async save(bytes, mime) {
      await ensureDir(folder, 0o700);
      const name = createHash("sha256").update(bytes).digest("hex").slice(0, 24);
      const path = join(folder, `${name}.${extensions[mime] ?? "bin"}`);
      await writeFileAtomic(path, bytes, { mode: 0o600 });
      return path;
    },
  };
}
