import { systemErrorCode, UserError } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import type { BrokenDocument, SettingsDocument } from "./document.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import { decodeUtf8, readBytes } from "./source.ts";
import type { ConfigWarning } from "./warning.ts";

/** What was found on the disk. */
export interface FoundFile {
  readonly document: SettingsDocument | undefined;
  readonly readFrom: "file" | "backup" | "defaults";
  readonly isBroken: boolean;
  readonly warnings: readonly ConfigWarning[];
}

/** Reads `config.yaml`; when it does not parse, the last copy that did. The broken file is left as it is. */
export async function findConfigFile(home: HermesHome): Promise<FoundFile> {
  const parsed = await readAndParse(home.config);
  if (parsed === undefined) return { document: undefined, readFrom: "defaults", isBroken: false, warnings: [] };
  if (parsed.kind === "good") return { document: parsed, readFrom: "file", isBroken: false, warnings: [] };
  const backup = await readAndParse(home.configBackup);
  const document = backup?.kind === "good" ? backup : undefined;
  const instead =
    document === undefined ? "the defaults are used" : `the last good copy (${home.configBackup}) is used`;
  const warning: ConfigWarning = {
    kind: parsed.kind === "broken" ? "syntax" : "unreadable",
    severity: "error",
    message: `${parsed.message}; ${instead}.`,
    hint: "Put it right with: hermes config edit",
    file: home.config,
    ...(parsed.kind === "broken" ? { line: parsed.line, column: parsed.column } : {}),
  };
  const readFrom = document === undefined ? "defaults" : "backup";
  return { document, readFrom, isBroken: true, warnings: [warning] };
}

/** Keeps a copy of a file that parsed. A home that cannot be written to simply has none. */
export async function rememberGoodFile(home: HermesHome, text: string): Promise<void> {
  try {
    const known = readBytes(home.configBackup);
    if (known?.toString("utf8") === text) return;
    await writeFileAtomic(home.configBackup, text, { mode: 0o600, fsync: false });
  } catch (error) {
    const code = systemErrorCode(error) ?? "";
    const cannotWrite = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"].includes(code) || error instanceof UserError;
    if (!cannotWrite) throw error;
  }
}

type Unreadable = { readonly kind: "unreadable"; readonly message: string };

type Good = SettingsDocument & { readonly kind: "good" };

async function readAndParse(path: string): Promise<Good | BrokenDocument | Unreadable | undefined> {
  try {
    const bytes = readBytes(path);
    if (bytes === undefined) return undefined;
    const text = decodeUtf8(bytes);
    if (text === undefined) return { kind: "unreadable", message: "The file is not UTF-8 text" };
    const plain = readPlainYaml(text);
    if (plain !== undefined) return { kind: "good", ...plain };
    const { parseSettingsFile } = await import("./document.ts");
    return parseSettingsFile(text);
  } catch (error) {
    if (error instanceof UserError)
      return { kind: "unreadable", message: "The file is too large or not a regular file" };
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return { kind: "unreadable", message: `The file cannot be read (${code})` };
  }
}
