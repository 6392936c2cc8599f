import { systemErrorCode, UserError } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { managedBy } from "../managed.ts";
import { decodeUtf8, readBytes } from "../source.ts";
import type { ConfigWarning } from "../warning.ts";
import { parseEnv, splitConcatenated } from "./env-file.ts";
import { environmentVariables, isSecretVariable } from "./environment/table.ts";

/** Where a variable's value comes from; the home's file beats the shell, the project's only fills gaps. */
export type VariableOrigin = "home-file" | "shell" | "project-file";

/** The variables of this run, put together once. The process environment itself is never changed. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly warnings: readonly ConfigWarning[];
  originOf(name: string): VariableOrigin | undefined;
}

export interface EnvironmentOptions {
  readonly home: HermesHome;
  readonly env: NodeJS.ProcessEnv;
}

/** Only the owner may read a file with credentials. */
export const secretFileMode = 0o600;

/** Joins the home's `.env` and the shell's variables. Repairs run-together lines. */
export async function loadEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { home, env } = options;
  const own = await readEnvFile(home.envFile, { repair: managedBy(home, env) === undefined });
  const layers: readonly (readonly [VariableOrigin, Readonly<Record<string, string | undefined>>])[] = [
    ["shell", env],
    ["home-file", own.variables],
  ];
  const variables: Record<string, string | undefined> = {};
  const origins = new Map<string, VariableOrigin>();
  for (const [origin, layer] of layers) {
    for (const [name, value] of Object.entries(layer)) {
      if (value === undefined) continue;
      variables[name] = value;
      origins.set(name, origin);
    }
  }
  const cleaned = withoutStrayCharacters(variables);
  return {
    variables: cleaned.variables,
    warnings: [...own.warnings, ...cleaned.warnings],
    originOf: (name) => origins.get(name),
  };
}

interface EnvFile {
  readonly variables: Readonly<Record<string, string>>;
  readonly warnings: readonly ConfigWarning[];
}

export async function readEnvFile(path: string, options: { readonly repair: boolean }): Promise<EnvFile> {
  const bytes = readIfAllowed(path);
  if (!Buffer.isBuffer(bytes)) return { variables: {}, warnings: bytes };
  const { text, isLatin1 } = decodeEnvBytes(bytes);
  const split = splitConcatenated(
    text,
    environmentVariables.map((variable) => variable.name),
  );
  const warnings: ConfigWarning[] = isLatin1 ? [note(path, "The file is not UTF-8 and was read as Latin-1.")] : [];
  if (split !== text && options.repair) warnings.push(await rewrite(path, text, split));
  return { variables: toRecord(split), warnings };
}

/** The bytes, or a warning when the file is there but may not be read. */
function readIfAllowed(path: string): Buffer | readonly ConfigWarning[] {
  try {
    return readBytes(path) ?? [];
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== "EACCES" && code !== "EPERM" && !(error instanceof UserError)) throw error;
    return [note(path, `The file cannot be read (${code ?? "not a settings file"}); its variables are not used.`)];
  }
}

/** Writes the split lines back, unless another process changed the file meanwhile. */
async function rewrite(path: string, before: string, after: string): Promise<ConfigWarning> {
  try {
    const isUnchanged = decodeEnvBytes(readBytes(path) ?? Buffer.alloc(0)).text === before;
    if (isUnchanged) await writeFileAtomic(path, after, { mode: secretFileMode });
    return note(path, "Several variables stood on one line; they were put on lines of their own.");
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return note(path, `Several variables stand on one line, and the file cannot be repaired (${code}).`);
  }
}

/** A credential pasted with a typographic dash or an invisible space fails far from here; such characters go. */
export function withoutStrayCharacters(variables: Readonly<Record<string, string | undefined>>): {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly warnings: readonly ConfigWarning[];
} {
  const warnings: ConfigWarning[] = [];
  const cleaned = Object.entries(variables).map(([name, value]) => {
    if (value === undefined || /^[\u0020-\u007e\s]*$/.test(value) || !isSecretVariable(name)) return [name, value];
    const stray = [...new Set(value.match(/[^\u0020-\u007e\s]/gu))].map(codePointName);
    warnings.push({
      kind: "secret-file",
      severity: "warning",
      message: `The value of ${name} held characters no credential has (${stray.join(", ")}); they were left out.`,
      hint: `Copy the credential again and set it with: hermes config set ${name} -`,
      key: name,
    });
    return [name, value.replace(/[^\u0020-\u007e\s]/gu, "")];
  });
  return { variables: Object.fromEntries(cleaned), warnings };
}

const codePointName = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** UTF-8, or Latin-1 where the bytes are no UTF-8; every byte sequence is some Latin-1 text. */
export function decodeEnvBytes(bytes: Buffer): { readonly text: string; readonly isLatin1: boolean } {
  const text = decodeUtf8(bytes);
  return text === undefined ? { text: bytes.toString("latin1"), isLatin1: true } : { text, isLatin1: false };
}

function toRecord(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(parseEnv(text).map((entry) => [entry.name, entry.value]));
}

function note(path: string, what: string): ConfigWarning {
  return { kind: "secret-file", severity: "warning", message: what, file: path };
}
