import { systemErrorCode, UserError } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { decodeUtf8, readBytes } from "../source.ts";
import type { ConfigWarning } from "../warning.ts";
import type { BrokenDocument, GoodDocument } from "./document.ts";
import type { SettingsDocument } from "./located.ts";
import { readParsedCopy, writeParsedCopy } from "./parsed-copy.ts";

/** What was found on the disk. */
export interface FoundFile {
  readonly document: SettingsDocument | undefined;
  readonly readFrom: "file" | "backup" | "defaults";
  readonly isBroken: boolean;
  readonly warnings: readonly ConfigWarning[];
}

export const noFile: FoundFile = { document: undefined, readFrom: "defaults", isBroken: false, warnings: [] };

/** Reads `config.yaml`; when it does not parse, the last copy that did. The broken file is left as it is. */
export async function findConfigFile(home: HermesHome): Promise<FoundFile> {
  const found = await readAndParse(home.config, (text) => readParsedCopy(home, text));
  if (found === undefined) return noFile;
  if (found.kind === "good") return { ...noFile, document: found.document, readFrom: "file" };
  const backup = await readAndParse(home.configBackup);
  const document = backup?.kind === "good" ? backup.document : undefined;
  const instead =
    document === undefined ? "the defaults are used" : `the last good copy (${home.configBackup}) is used`;
  const location = found.kind === "broken" ? { line: found.line, column: found.column } : {};
  const warning: ConfigWarning = {
    kind: found.kind === "broken" ? "syntax" : "unreadable",
    severity: "error",
    message: `${found.message}; ${instead}.`,
    hint: "Fix it with: hermes config edit",
    file: home.config,
    ...location,
  };
  return { document, readFrom: document === undefined ? "defaults" : "backup", isBroken: true, warnings: [warning] };
}

/**
 * Keeps a file that parsed: its text for the day it does not parse any more, and what was found in it so that the next
 * start need not look again. A home that cannot be written to simply has neither.
 */
export async function rememberGoodFile(home: HermesHome, document: SettingsDocument): Promise<void> {
  try {
    if (isParsed(document)) await writeParsedCopy(home, document);
    if (readBytes(home.configBackup)?.toString("utf8") === document.text) return;
    await writeFileAtomic(home.configBackup, document.text, { mode: 0o600, fsync: false });
  } catch (error) {
    const code = systemErrorCode(error) ?? "";
    const cannotWrite =
      ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "EEXIST", "ENOTDIR", "EISDIR"].includes(code) ||
      error instanceof UserError;
    if (!cannotWrite) throw error;
  }
}

const isParsed = (document: SettingsDocument): document is GoodDocument => "located" in document;

type Read =
  | { readonly kind: "good"; readonly document: SettingsDocument }
  | { readonly kind: "unreadable"; readonly message: string }
  | BrokenDocument;

async function readAndParse(
  path: string,
  known: (text: string) => SettingsDocument | undefined = () => undefined,
): Promise<Read | undefined> {
  try {
    const bytes = readBytes(path);
    if (bytes === undefined) return undefined;
    const text = decodeUtf8(bytes);
    if (text === undefined) return { kind: "unreadable", message: "The file is not UTF-8 text" };
    const copy = known(text);
    if (copy !== undefined) return { kind: "good", document: copy };
    const { parseSettingsFile } = await import("./document.ts");
    const parsed = parseSettingsFile(text);
    return parsed.kind === "good" ? { kind: "good", document: parsed } : parsed;
  } catch (error) {
    if (error instanceof UserError)
      return { kind: "unreadable", message: "The file is too large or not a regular file" };
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return { kind: "unreadable", message: `The file cannot be read (${code})` };
  }
}
