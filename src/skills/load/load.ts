import { readTextFile } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import type { Secret } from "#foundation/secrets/secret";
import type { SessionScope, SessionVariables } from "#tools";
import { suspiciousPhrases } from "../guard/suspicious.ts";
import type { InstalledSkill, SkillLibrary } from "../library/library.ts";
import { type LinkedFiles, listLinkedFiles, supportFolders } from "../library/linked-files.ts";
import type { Lookup } from "../library/lookup.ts";
import { type InlineShell, preprocess } from "./preprocess.ts";
import { checkSetup, type Setup, type SetupDeps } from "./setup.ts";
import type { SkillUsage } from "./usage.ts";

export interface SkillLoaderDeps {
  readonly library: SkillLibrary;
  readonly setup: Omit<SetupDeps, "askSecret">;
  /** What commands of a session may see because of its skills. */
  readonly variables: SessionVariables;
  /** Keeps a value the person of a session typed: out of everything that is shown, and for later where it is theirs. */
  keepSecret(typed: TypedSecret, signal: AbortSignal): Promise<void>;
  readonly usage: SkillUsage;
  readonly logger: Logger;
  /** Read anew on every call. */
  readonly options: () => SkillLoadOptions;
  /** Runs embedded commands; used only when the user switched that on. */
  inlineShell(scope: SessionScope): InlineShell;
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

export interface TypedSecret {
  readonly scope: SessionScope;
  readonly variable: string;
  readonly value: Secret;
}

/** Who loads a skill. */
export interface LoadLocation {
  readonly scope: SessionScope;
  readonly sessionId: string;
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

  async load(name: string, location: LoadLocation): Promise<LoadOutcome> {
    const { library, usage, variables } = this.#deps;
    const lookup = await library.find(name, location.scope.source, location.signal);
    if (lookup.kind !== "found") return lookup;
    const { skill } = lookup;
    const raw = (await readTextFile(skill.file, { maxBytes: maxFileBytes })) ?? "";
    const setup = await checkSetup(skill, this.#setupFor(location.scope), location.signal);
    const { content, warnings } = await this.#process(skill, raw, location);
    variables.allow(location.scope.key, setup.presentVariables);
    await usage.record(skill.name, "load", location.signal);
    const linkedFiles = isFlat(skill) ? emptyLinks : await listLinkedFiles(skill.folder);
    const loaded = { skill, content, linkedFiles, setup, settings: this.#settingsOf(skill), warnings };
    return { kind: "loaded", loaded };
  }

  /** A secret is asked for only where the person sits at this machine. */
  #setupFor(scope: SessionScope): SetupDeps {
    const { setup, variables, keepSecret } = this.#deps;
    const own = { ...setup, isSet: (name: string) => setup.isSet(name) || variables.has(scope.key, name) };
    if (scope.source !== "cli" && scope.source !== "tui") return own;
    return {
      ...own,
      async askSecret({ skill, variable: { name, prompt } }, signal) {
        const text = prompt ?? `${name}, which the skill ${skill} needs`;
        const answer = await scope.prompter.secret({ kind: "secret", prompt: text, variable: name }, signal);
        if (answer.kind !== "secret") return answer.kind === "nobody" ? undefined : false;
        variables.set(scope.key, name, answer.secret);
        await keepSecret({ scope, variable: name, value: answer.secret }, signal);
        return true;
      },
    };
  }

  async #process(
    skill: InstalledSkill,
    raw: string,
    location: LoadLocation,
  ): Promise<{ readonly content: string; readonly warnings: readonly string[] }> {
    const { options, inlineShell, isUntrusted, logger } = this.#deps;
    const { hasInlineShell, hasTemplateVars } = options();
    const warnings = suspiciousPhrases(raw);
    for (const warning of warnings) logger.warn("a skill contains a suspicious phrase", { skill: skill.name, warning });
    const mayRun = hasInlineShell && !(await isUntrusted(skill));
    const content = await preprocess(raw, {
      skillFolder: skill.folder,
      sessionId: location.sessionId,
      hasTemplateVars,
      ...(mayRun ? { inlineShell: inlineShell(location.scope) } : {}),
      signal: location.signal,
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
