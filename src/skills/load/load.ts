import { readTextFile } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { suspiciousPhrases } from "../guard/suspicious.ts";
import type { InstalledSkill, SkillLibrary } from "../library/library.ts";
import { type LinkedFiles, listLinkedFiles, supportFolders } from "../library/linked-files.ts";
import type { Lookup } from "../library/lookup.ts";
import type { SkillPassthrough } from "./passthrough.ts";
import { type InlineShell, preprocess } from "./preprocess.ts";
import { checkSetup, type Setup, type SetupDeps } from "./setup.ts";
import type { SkillUsage } from "./usage.ts";

export interface SkillLoaderDeps {
  readonly library: SkillLibrary;
  readonly setup: SetupDeps;
  readonly passthrough: SkillPassthrough;
  readonly usage: SkillUsage;
  readonly logger: Logger;
  /** Read anew on every call. */
  readonly options: () => SkillLoadOptions;
  /** Runs embedded commands; used only when the user switched that on. */
  readonly inlineShell: InlineShell;
  /** Whether a skill came from a hub source that is not trusted. */
  readonly isUntrusted: (skill: InstalledSkill) => Promise<boolean>;
}

export interface SkillLoadOptions {
  /** `skills.template_vars`. */
  readonly hasTemplateVars: boolean;
  /** `skills.inline_shell`. */
  readonly hasInlineShell: boolean;
  /** `skills.config`: the user's values for what skills declare. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** Who loads a skill. */
export interface LoadPlace {
  readonly surface: string;
  readonly sessionId?: string;
  readonly signal: AbortSignal;
}

/** A skill ready to be read. */
export interface LoadedSkill {
  readonly skill: InstalledSkill;
  readonly content: string;
  readonly linkedFiles: LinkedFiles;
  readonly setup: Setup;
  /** Declared settings with the user's value, or the author's. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

export type LoadOutcome =
  | { readonly kind: "loaded"; readonly loaded: LoadedSkill }
  | Exclude<Lookup, { kind: "found" }>;

const maxFileBytes = 1_048_576;

/** The one way to a skill's text: for the tool, for slash commands and for preloading. */
export class SkillLoader {
  readonly #deps: SkillLoaderDeps;

  constructor(deps: SkillLoaderDeps) {
    this.#deps = deps;
  }

  async load(name: string, place: LoadPlace): Promise<LoadOutcome> {
    const { library, usage, passthrough } = this.#deps;
    const lookup = await library.find(name, place.surface, place.signal);
    if (lookup.kind !== "found") return lookup;
    const { skill } = lookup;
    const raw = (await readTextFile(skill.file, { maxBytes: maxFileBytes })) ?? "";
    const setup = await checkSetup(skill, this.#setupOn(place.surface), place.signal);
    const { content, warnings } = await this.#process(skill, raw, place);
    if (place.sessionId !== undefined)
      passthrough.add(place.sessionId, { variables: setup.presentVariables, files: setup.presentFiles });
    await usage.record(skill.name, "load", place.signal);
    const linkedFiles = isFlat(skill) ? emptyLinks : await listLinkedFiles(skill.folder);
    const loaded = { skill, content, linkedFiles, setup, settings: this.#settingsOf(skill), warnings };
    return { kind: "loaded", loaded };
  }

  /** A secret is asked for only where the person sits at this machine. */
  #setupOn(surface: string): SetupDeps {
    if (surface === "cli" || surface === "tui") return this.#deps.setup;
    const { askSecret: _never, ...silent } = this.#deps.setup;
    return silent;
  }

  async #process(
    skill: InstalledSkill,
    raw: string,
    place: LoadPlace,
  ): Promise<{ readonly content: string; readonly warnings: readonly string[] }> {
    const { options, inlineShell, isUntrusted, logger } = this.#deps;
    const { hasInlineShell, hasTemplateVars } = options();
    const warnings = suspiciousPhrases(raw);
    for (const warning of warnings) logger.warn("a skill contains a suspicious phrase", { skill: skill.name, warning });
    const mayRun = hasInlineShell && !(await isUntrusted(skill));
    const content = await preprocess(raw, {
      skillFolder: skill.folder,
      ...(place.sessionId === undefined ? {} : { sessionId: place.sessionId }),
      hasTemplateVars,
      ...(mayRun ? { inlineShell } : {}),
      signal: place.signal,
    });
    return { content, warnings };
  }

  #settingsOf(skill: InstalledSkill): Readonly<Record<string, unknown>> {
    const { config } = this.#deps.options();
    const entries = skill.facts.settings.map(({ key, fallback }) => [key, valueAt(config, key) ?? fallback] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
}

/** `a.b` is looked up as written and as a path. */
function valueAt(config: Readonly<Record<string, unknown>>, key: string): unknown {
  if (Object.hasOwn(config, key)) return config[key];
  let current: unknown = config;
  for (const part of key.split(".")) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Record<string, unknown>)[part];
  }
  return current;
}

const emptyLinks = Object.fromEntries(supportFolders.map((folder) => [folder, []])) as unknown as LinkedFiles;

/** A single old-style file: the folder around it holds other skills, not its files. */
export function isFlat(skill: InstalledSkill): boolean {
  return !skill.file.endsWith("SKILL.md");
}
