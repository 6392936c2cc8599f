import { stat } from "node:fs/promises";
import { systemErrorCode, UserError } from "#foundation/errors";
import { withFileLock, writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { never } from "#foundation/lifecycle/abort";
import { versionOf } from "../load/migrate.ts";
import { managedBy, managedError } from "../managed.ts";
import { decodeUtf8, readBytes } from "../source.ts";
import type { Tree } from "../tree.ts";
import { currentConfigVersion } from "../version.ts";
import type { SettingChange } from "./yaml-splice.ts";

export interface EditOptions {
  readonly home: HermesHome;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

export interface EditResult {
  readonly file: string;
  /** False when the file already said so. */
  readonly hasChanged: boolean;
}

/**
 * Changes keys in `config.yaml`, all of them or none. Takes the lock, reads the file anew and changes only
 * these keys, so that two programs saving at the same time both get through. Refuses a file that is
 * managed by somebody else, does not parse, or was written by a newer program.
 */
export async function editConfig(changes: readonly SettingChange[], options: EditOptions): Promise<EditResult> {
  const { home, env } = options;
  const manager = managedBy(home, env);
  if (manager !== undefined) throw managedError(manager, home.config);
  const { changedText } = await import("./yaml-edit.ts");
  const work = async () => await save(home, async (text, tree) => changedText(text, tree, changes));
  return await withFileLock(home.configLock, work, { signal: options.signal ?? never });
}

/** Reads, checks, changes and writes the file; the caller holds the lock. */
export async function save(
  home: HermesHome,
  change: (text: string, tree: Tree) => Promise<string>,
): Promise<EditResult> {
  const text = readForWriting(home);
  const tree = await readTree(text ?? "", home);
  const after = await change(text ?? "", tree);
  if (after === (text ?? "")) return { file: home.config, hasChanged: false };
  // The copy is the way back when the next hand edit breaks the file.
  if (text !== undefined) await writeFileAtomic(home.configBackup, text, { mode: 0o600 });
  await writeFileAtomic(home.config, after, { mode: await modeOf(home.config) });
  return { file: home.config, hasChanged: true };
}

function readForWriting(home: HermesHome): string | undefined {
  const bytes = readBytes(home.config);
  if (bytes === undefined) return undefined;
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  throw new UserError(`${home.config} is not UTF-8 text; it was not changed.`, {
    code: "config_parse_error",
    hint: "Save it as UTF-8 in your editor: hermes config edit",
  });
}

async function readTree(text: string, home: HermesHome): Promise<Tree> {
  const { parseSettingsFile } = await import("../load/document.ts");
  const parsed = parseSettingsFile(text);
  if (parsed.kind === "broken") {
    const { line, column } = parsed;
    throw new UserError(`${home.config}:${line}:${column}: ${parsed.message}. The file was not changed.`, {
      code: "config_parse_error",
      hint: `Put line ${line} right first: hermes config edit`,
      data: { file: home.config, line, column },
    });
  }
  const version = versionOf(parsed.tree);
  if (version !== undefined && version > currentConfigVersion) {
    throw new UserError(
      `${home.config} has layout ${version}, newer than this program's ${currentConfigVersion}; it was not changed.`,
      {
        code: "config_newer_version",
        hint: "Update Hermes: hermes update",
        data: { version, supported: currentConfigVersion },
      },
    );
  }
  return parsed.tree;
}

/** The file keeps its permissions; a new one, which may come to hold keys, is the owner's alone. */
async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    return 0o600;
  }
}
