import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { type AvailableTools, isForPlatform, isWanted, platformOf } from "./conditions.ts";
import { type FoundFile, findSkillFiles, folderNameOf, isUnchanged, type SkillRoot, type Walk } from "./discover.ts";
import { FactsSnapshot } from "./facts-snapshot.ts";
import { renderIndex } from "./index-block.ts";
import { IndexCache } from "./index-cache.ts";
import { findSkill, type Lookup } from "./lookup.ts";
import { readPluginSkills } from "./plugin-skills.ts";
import type { SkillFacts, SkillPlatform } from "./skill.ts";

/** A skill that lies on this machine, whether it may be used or not. */
export interface InstalledSkill {
  readonly facts: SkillFacts;
  /** How it is addressed: the name in its head, with a namespace for plugins. */
  readonly name: string;
  readonly category: string;
  readonly folder: string;
  readonly file: string;
  readonly origin: "local" | "external" | "plugin";
}

/** A skill that a plugin brings, under `namespace:name`. */
export interface PluginSkillLocation {
  readonly name: string;
  /** Its folder, or its Markdown file. */
  readonly path: string;
  readonly description?: string;
}

/** The part of the user's settings that decides which skills there are. Read anew on every call. */
export interface SkillSettings {
  readonly externalDirs: readonly string[];
  readonly disabled: readonly string[];
  readonly platformDisabled: Readonly<Record<string, readonly string[]>>;
}

export interface SkillLibraryDeps {
  readonly home: HermesHome;
  readonly settings: () => SkillSettings;
  readonly env: NodeJS.ProcessEnv;
  readonly logger: Logger;
  readonly platform?: NodeJS.Platform;
  readonly pluginSkills?: () => readonly PluginSkillLocation[];
  /** The time by which folders are old enough to be believed unchanged; that of the machine when absent. */
  readonly now?: () => number;
}

export interface Catalogue {
  /** Each name once, local before external; without plugin skills. */
  readonly skills: readonly InstalledSkill[];
  /** Also those whose name another one took. */
  readonly everything: readonly InstalledSkill[];
  readonly categoryTexts: ReadonlyMap<string, string>;
  /** Changes whenever a file does. */
  readonly fingerprint: string;
}

/** All skills on this machine: where they are, which may be used here, and the index of them for the prompt. */
export class SkillLibrary {
  readonly #deps: SkillLibraryDeps;
  readonly #snapshot: FactsSnapshot;
  readonly #indexes = new IndexCache();
  #last:
    | { readonly roots: string; readonly walk: Walk; readonly walkedAtMs: number; readonly found: Catalogue }
    | undefined;

  constructor(deps: SkillLibraryDeps) {
    this.#deps = deps;
    this.#snapshot = new FactsSnapshot(deps.home.skillsSnapshot, deps.logger);
  }

  get platform(): SkillPlatform | undefined {
    return platformOf(this.#deps.platform ?? process.platform);
  }

  /** The writable folder first, then the user's further folders; one that is named twice counts once. */
  get roots(): readonly SkillRoot[] {
    const { home, settings, env } = this.#deps;
    const local = home.skills;
    const external = settings().externalDirs.map((input) => expandDir(input, env, home.root));
    return [
      { path: local, origin: "local" },
      ...[...new Set(external)]
        .filter((path) => path !== local)
        .map((path): SkillRoot => ({ path, origin: "external" })),
    ];
  }

  /** What lies there now. The folders are read again only when one of them, or a file in them, is another than before. */
  async catalogue(signal: AbortSignal): Promise<Catalogue> {
    const { roots } = this;
    const key = roots.map(({ path }) => path).join("\n");
    if (this.#last?.roots === key && isUnchanged(this.#last.walk, this.#last.walkedAtMs)) return this.#last.found;
    const walkedAtMs = (this.#deps.now ?? Date.now)();
    const walk = await findSkillFiles(roots, signal);
    const found = await this.#read(walk);
    this.#last = { roots: key, walk, walkedAtMs, found };
    return found;
  }

  async #read(walk: Walk): Promise<Catalogue> {
    const facts = await this.#snapshot.read(walk.skills, "skill");
    const texts = await this.#snapshot.read(walk.descriptions, "description");
    await this.#snapshot.keep(new Set([...walk.skills, ...walk.descriptions].map((one) => one.path)));
    const everything = walk.skills.flatMap((found, index) => toSkill(found, facts[index]));
    const categoryTexts = new Map<string, string>();
    walk.descriptions.forEach((found, index) => {
      const text = texts[index];
      if (typeof text === "string" && text !== "" && !categoryTexts.has(found.category))
        categoryTexts.set(found.category, text);
    });
    const skills = [...new Map([...everything].reverse().map((one) => [one.name, one])).values()].sort(byLocation);
    return { skills, everything, categoryTexts, fingerprint: fingerprintOf([...walk.skills, ...walk.descriptions]) };
  }

  /** What lists and slash commands offer: not disabled on this surface and made for this machine. */
  async visible(surface: string, signal: AbortSignal): Promise<readonly InstalledSkill[]> {
    const { skills } = await this.catalogue(signal);
    const disabled = this.disabledOn(surface);
    return skills.filter((one) => this.stateOf(one, surface, disabled) === "usable");
  }

  stateOf(
    skill: InstalledSkill,
    surface: string,
    disabled = this.disabledOn(surface),
  ): "usable" | "disabled" | "unsupported" {
    if (disabled.has(skill.name) || disabled.has(folderNameOf(skill.file))) return "disabled";
    return isForPlatform(skill.facts, this.platform) ? "usable" : "unsupported";
  }

  /** A surface with a list of its own does not look at the general one. */
  disabledOn(surface: string): ReadonlySet<string> {
    const { disabled, platformDisabled } = this.#deps.settings();
    return new Set(Object.hasOwn(platformDisabled, surface) ? platformDisabled[surface] : disabled);
  }

  /** The skill that goes by this name: `name`, `category/name`, or `namespace:name` of a plugin. */
  async find(name: string, surface: string, signal: AbortSignal): Promise<Lookup> {
    const plugins = await readPluginSkills(this.#deps.pluginSkills?.() ?? []);
    const catalogue = await this.catalogue(signal);
    return findSkill(name, {
      catalogue,
      plugins,
      roots: this.roots,
      stateOf: (skill) => this.stateOf(skill, surface),
    });
  }

  /** The index for the prompt of a new session; undefined when no skill is to be shown. */
  async indexBlock(available: AvailableTools, surface: string, signal: AbortSignal): Promise<string | undefined> {
    const catalogue = await this.catalogue(signal);
    const disabled = this.disabledOn(surface);
    const key = JSON.stringify([
      this.roots.map((root) => root.path),
      [...available.tools].sort(),
      [...available.toolsets].sort(),
      surface,
      [...disabled].sort(),
    ]);
    return this.#indexes.take(key, catalogue.fingerprint, () => {
      const shown = catalogue.skills.filter(
        (one) => this.stateOf(one, surface, disabled) === "usable" && isWanted(one.facts.conditions, available),
      );
      const entries = shown.map((one) => ({
        name: one.name,
        description: one.facts.description,
        category: one.category,
      }));
      return renderIndex(entries, catalogue.categoryTexts);
    });
  }

  /** Forgets what was read; the prompts of running sessions stay as they are. */
  async invalidate(): Promise<void> {
    this.#indexes.clear();
    this.#last = undefined;
    await this.#snapshot.clear();
  }
}

function toSkill(found: FoundFile, facts: SkillFacts | string | undefined): readonly InstalledSkill[] {
  if (facts === undefined || typeof facts === "string") return [];
  return [
    {
      facts,
      name: facts.name,
      category: found.category,
      folder: dirname(found.path),
      file: found.path,
      origin: found.root.origin,
    },
  ];
}

function byLocation(left: InstalledSkill, right: InstalledSkill): number {
  if (left.category !== right.category) return left.category < right.category ? -1 : 1;
  return left.name < right.name ? -1 : 1;
}

function fingerprintOf(files: readonly FoundFile[]): string {
  const hash = createHash("sha256");
  for (const { path, stamp } of files) hash.update(`${path}\0${stamp.mtimeMs}\0${stamp.size}\n`);
  return hash.digest("hex");
}

/** `~` and `${NAME}` as a shell would read them; a relative path hangs off the Hermes home. */
function expandDir(input: string, env: NodeJS.ProcessEnv, base: string): string {
  const filled = input.trim().replace(/\$\{(\w+)\}/g, (whole, name: string) => env[name] ?? whole);
  const expanded = filled.replace(/^~(?=\/|$)/, env["HOME"] ?? homedir());
  return isAbsolute(expanded) ? resolve(expanded) : join(base, expanded);
}
