import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defined } from "#foundation/defined";
import { HermesHome } from "#foundation/files/paths";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { SessionVariables } from "#tools";
import { SkillLibrary, type SkillLibraryDeps, type SkillSettings } from "./library/library.ts";
import { SkillLoader, type TypedSecret } from "./load/load.ts";
import { SkillUsage } from "./load/usage.ts";
import { SkillEditor } from "./tools/edit.ts";
import { createSkillTools } from "./tools/skill-tools.ts";
import { SkillTrash } from "./tools/trash.ts";

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

export interface LoaderChanges {
  readonly isSet?: (name: string) => boolean;
  readonly hasInlineShell?: boolean;
  readonly isUntrusted?: boolean;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly isGuarded?: boolean;
  readonly settings?: () => SkillSettings;
}

/** All parts of skills over one home, with a clock that stands still. */
export function skillParts(home: HermesHome, changes: LoaderChanges = {}) {
  const clock = new FakeClock();
  const { library, logger } = libraryAt(home, defined({ settings: changes.settings }));
  const usage = new SkillUsage(home, { clock, logger });
  const variables = new SessionVariables();
  const kept: TypedSecret[] = [];
  const trash = new SkillTrash(home, clock);
  const loader = new SkillLoader({
    library,
    usage,
    variables,
    keepSecret: async (typed) => void kept.push(typed),
    logger,
    setup: {
      home,
      isSet: changes.isSet ?? (() => false),
      hasCommand: () => false,
    },
    options: () => ({
      hasTemplateVars: true,
      hasInlineShell: changes.hasInlineShell ?? false,
      config: changes.config ?? {},
    }),
    inlineShell:
      () =>
      (command, { cwd }) =>
        Promise.resolve({ kind: "output", text: `ran ${command} in ${cwd}` }),
    isUntrusted: () => Promise.resolve(changes.isUntrusted ?? false),
  });
  const editor = new SkillEditor({ home, library, trash, usage, isGuarded: () => changes.isGuarded ?? false });
  const [list, view, manage] = createSkillTools({ library, loader, editor });
  if (list === undefined || view === undefined || manage === undefined) throw new Error("three tools are expected");
  return { library, loader, editor, usage, variables, kept, trash, clock, logger, list, view, manage };
}
