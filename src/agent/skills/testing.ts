import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { memoryLogger } from "#foundation/logger";
import { HermesHome } from "#foundation/paths";
import { SkillLibrary, type SkillLibraryDeps, type SkillSettings } from "./library.ts";

/** Builders for tests of skills. */
export interface TemporaryHome extends AsyncDisposable {
  readonly home: HermesHome;
  /** Writes files below the home; keys are paths. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
}

export async function temporaryHome(): Promise<TemporaryHome> {
  const root = await mkdtemp(join(tmpdir(), "hermes-skills-"));
  return {
    home: new HermesHome(root),
    async write(files) {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text);
      }
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** A SKILL.md with these fields in its head; values are written as JSON, which is YAML. */
export function skillMd(
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
  body = "Do the thing.\n",
): string {
  const head = { name, description: `How to ${name}`, ...fields };
  const lines = Object.entries(head).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n\n${body}`;
}

export const noSettings: SkillSettings = { externalDirs: [], disabled: [], platformDisabled: {} };

export function libraryAt(
  home: HermesHome,
  changes: Partial<SkillLibraryDeps> & { settings?: () => SkillSettings } = {},
) {
  const logger = memoryLogger();
  const library = new SkillLibrary({
    home,
    settings: () => noSettings,
    env: {},
    logger,
    platform: "linux",
    ...changes,
  });
  return { library, logger };
}

export const signal = new AbortController().signal;
