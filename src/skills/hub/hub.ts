import { join } from "node:path";
import { describe, UserError } from "#foundation/errors";
import { withFileLock } from "#foundation/files/files";
import type { GuardReport } from "../guard/scan.ts";
import { scanFolder, scanTree } from "../guard/scan.ts";
import { treeOfFiles } from "../guard/skill-tree.ts";
import { stampOf } from "../library/discover.ts";
import { hashFiles } from "../library/folders.ts";
import type { SkillTrash } from "../tools/trash.ts";
import { writeAudit } from "./audit-log.ts";
import { type InstallDeps, type InstallOutcome, installBundle, isChanged } from "./install.ts";
import type { LockEntry } from "./lockfile.ts";
import type { HubEntry, HubSource, SkillBundle } from "./source.ts";
import type { Taps } from "./taps.ts";

export interface SkillHubDeps extends InstallDeps {
  /** In the order in which they are asked; the first that owns an identifier answers. */
  readonly sources: readonly HubSource[];
  readonly trash: SkillTrash;
  readonly taps: Taps;
}

export interface SearchOutcome {
  readonly entries: readonly HubEntry[];
  /** Sources that could not be asked, and why. Nothing is left out silently. */
  readonly failures: readonly { readonly source: string; readonly reason: string }[];
}

type CheckState = "current" | "outdated" | "changed" | "gone" | "unreachable" | "missing";

export interface CheckRow {
  readonly entry: LockEntry;
  readonly state: CheckState;
  readonly reason?: string;
}

/** The operations behind `hermes skills`, as data; printing is for others. */
export class SkillHub {
  readonly #deps: SkillHubDeps;

  constructor(deps: SkillHubDeps) {
    this.#deps = deps;
  }

  get taps(): Taps {
    return this.#deps.taps;
  }

  /** All sources at once, best trusted first; one that fails does not silence the others. */
  async search(
    query: string,
    options: { readonly limit: number; readonly source?: string; readonly signal: AbortSignal },
  ): Promise<SearchOutcome> {
    const asked = this.#deps.sources.filter((one) => options.source === undefined || one.id === options.source);
    if (asked.length === 0) throw unknownSource(options.source ?? "", this.#deps.sources);
    const answers = await Promise.allSettled(asked.map((source) => source.search(query, options)));
    options.signal.throwIfAborted();
    const failures = answers.flatMap((answer, index) =>
      answer.status === "rejected" ? [{ source: asked[index]?.id ?? "", reason: describe(answer.reason) }] : [],
    );
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const unique = [...new Map(found.map((one) => [one.identifier, one])).values()];
    const rank = { builtin: 0, trusted: 1, community: 2, "agent-created": 3 };
    const entries = unique.sort((left, right) => rank[left.trust] - rank[right.trust]).slice(0, options.limit);
    return { entries, failures };
  }

  /** One page of what the sources show without a question. */
  async browse(options: {
    readonly page: number;
    readonly size: number;
    readonly source?: string;
    readonly signal: AbortSignal;
  }): Promise<SearchOutcome & { readonly hasMore: boolean }> {
    const start = (Math.max(1, options.page) - 1) * options.size;
    const all = await this.search("", { ...options, limit: start + options.size + 1 });
    return {
      ...all,
      entries: all.entries.slice(start, start + options.size),
      hasMore: all.entries.length > start + options.size,
    };
  }

  /** A skill as it would be installed, with what the guard says, without installing it. */
  async inspect(
    identifier: string,
    signal: AbortSignal,
  ): Promise<{ readonly bundle: SkillBundle; readonly report: GuardReport }> {
    const bundle = await this.#fetch(identifier, signal);
    return { bundle, report: await scanTree(treeOfFiles(bundle.files)) };
  }

  async install(
    identifier: string,
    options: {
      readonly category?: string;
      readonly isForced?: boolean;
      /** Follows `isForced` when left out. */
      readonly overwritesChanges?: boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<InstallOutcome> {
    const bundle = await this.#fetch(identifier, options.signal);
    const isForced = options.isForced ?? false;
    const overwritesChanges = options.overwritesChanges ?? isForced;
    return await installBundle(this.#deps, { ...options, bundle, isForced, overwritesChanges });
  }

  async installed(): Promise<readonly LockEntry[]> {
    return [...(await this.#deps.lock.all()).values()];
  }

  /** Compares every installed skill, or one, with its source. Touches nothing. */
  async check(name: string | undefined, signal: AbortSignal): Promise<readonly CheckRow[]> {
    const rows: CheckRow[] = [];
    for (const entry of await this.#chosen(name)) rows.push(await this.#checkOne(entry, signal));
    return rows;
  }

  /** Brings outdated skills up to date. What the user changed is left alone unless forced. */
  async update(
    name: string | undefined,
    options: { readonly isForced?: boolean; readonly signal: AbortSignal },
  ): Promise<readonly (CheckRow & { readonly outcome?: InstallOutcome })[]> {
    const rows: (CheckRow & { readonly outcome?: InstallOutcome })[] = [];
    for (const row of await this.check(name, options.signal)) {
      const isDue = row.state === "outdated" || (row.state === "changed" && options.isForced === true);
      // A forced update overwrites the user's changes; the guard's verdict is not forced along with it.
      rows.push(
        isDue
          ? {
              ...row,
              outcome: await this.install(row.entry.identifier, { overwritesChanges: true, signal: options.signal }),
            }
          : row,
      );
    }
    return rows;
  }

  /** Scans what is installed now, as it is now. */
  async audit(
    name: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly { readonly entry: LockEntry; readonly report: GuardReport; readonly isChanged: boolean }[]> {
    const { home, clock } = this.#deps;
    const rows = [];
    for (const entry of await this.#chosen(name)) {
      signal.throwIfAborted();
      const folder = join(home.skills, entry.installPath);
      if (stampOf(join(folder, "SKILL.md")) === undefined) continue;
      const report = await scanFolder(folder);
      await writeAudit(home, clock, {
        action: "audit",
        skill: entry.name,
        source: entry.source,
        identifier: entry.identifier,
        trust: entry.trust,
        verdict: report.verdict,
      });
      rows.push({ entry, report, isChanged: await isChanged(home, entry) });
    }
    return rows;
  }

  /** Removes a hub skill; it stays in the trash for 30 days. */
  async uninstall(name: string, signal: AbortSignal): Promise<LockEntry> {
    const { home, lock, clock, trash, library } = this.#deps;
    const [entry] = await this.#chosen(name);
    if (entry === undefined) throw notInstalled(name);
    await withFileLock(
      home.at("skills", ".edit.lock"),
      async () => {
        const folder = join(home.skills, entry.installPath);
        if (stampOf(join(folder, "SKILL.md")) !== undefined) await trash.put(folder);
        await lock.remove(name);
      },
      { signal },
    );
    await writeAudit(home, clock, {
      action: "uninstall",
      skill: name,
      source: entry.source,
      identifier: entry.identifier,
      trust: entry.trust,
      verdict: entry.verdict,
    });
    await library.invalidate();
    return entry;
  }

  async #fetch(identifier: string, signal: AbortSignal): Promise<SkillBundle> {
    const source = this.#deps.sources.find((one) => one.owns(identifier));
    if (source === undefined)
      throw new UserError(`${JSON.stringify(identifier)} is not an identifier of any source.`, {
        hint: "Find one with: hermes skills search <words>",
        code: "skill_identifier_invalid",
      });
    const bundle = await source.fetch(identifier, signal);
    if (bundle !== undefined) return bundle;
    throw new UserError(`${source.id} has no skill ${identifier}.`, {
      hint: "Find one with: hermes skills search <words>",
      code: "skill_not_found",
    });
  }

  async #chosen(name: string | undefined): Promise<readonly LockEntry[]> {
    const all = await this.installed();
    if (name === undefined) return all;
    const entry = all.find((one) => one.name === name);
    if (entry === undefined) throw notInstalled(name);
    return [entry];
  }

  async #checkOne(entry: LockEntry, signal: AbortSignal): Promise<CheckRow> {
    const { home, sources } = this.#deps;
    if (stampOf(join(home.skills, entry.installPath, "SKILL.md")) === undefined) return { entry, state: "missing" };
    if (await isChanged(home, entry)) return { entry, state: "changed" };
    const source = sources.find((one) => one.owns(entry.identifier));
    try {
      const bundle = await source?.fetch(entry.identifier, signal);
      if (bundle === undefined) return { entry, state: "gone" };
      return { entry, state: hashFiles(bundle.files) === entry.contentHash ? "current" : "outdated" };
    } catch (error) {
      if (signal.aborted) throw error;
      return { entry, state: "unreachable", reason: describe(error) };
    }
  }
}

function notInstalled(name: string): UserError {
  return new UserError(`No skill called ${name} was installed from a hub.`, {
    hint: "See them with: hermes skills list --source hub",
    code: "skill_not_installed",
  });
}

function unknownSource(id: string, sources: readonly HubSource[]): UserError {
  return new UserError(`There is no source ${JSON.stringify(id)}.`, {
    hint: `Choose one of: ${sources.map((one) => one.id).join(", ")}`,
    code: "hub_source_unknown",
  });
}
