import { rename } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "#foundation/defined";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { isRecord, parseJson, toJsonText } from "#foundation/text/json";
import { readText, readTexts } from "#foundation/text/read-fields";
import type { Clock } from "#foundation/time/clock";
import type { Verdict } from "../guard/finding.ts";
import type { TrustLevel } from "../guard/policy.ts";

/** What is known of an installed hub skill. */
export interface LockEntry {
  readonly name: string;
  readonly source: string;
  readonly identifier: string;
  readonly trust: TrustLevel;
  readonly verdict: Verdict;
  readonly contentHash: string;
  /** Relative to the skills folder. */
  readonly installPath: string;
  readonly files: readonly string[];
  readonly revision?: string;
  readonly installedAt: string;
  readonly updatedAt: string;
}

const maxBytes = 8 * 1_048_576;
const verdicts: readonly Verdict[] = ["safe", "caution", "dangerous"];
const trusts: readonly TrustLevel[] = ["builtin", "trusted", "community", "agent-created"];

/** `.hub/lock.json`: which skills came from where, and what they were when they came. */
export class HubLock {
  readonly #home: HermesHome;
  readonly #clock: Clock;

  constructor(home: HermesHome, clock: Clock) {
    this.#home = home;
    this.#clock = clock;
  }

  get file(): string {
    return this.#home.at("skills", ".hub", "lock.json");
  }

  async all(): Promise<ReadonlyMap<string, LockEntry>> {
    const text = await readTextFile(this.file, { maxBytes });
    if (text === undefined) return new Map();
    const parsed = parseJson(text);
    const installed = parsed.ok && isRecord(parsed.value) ? parsed.value["installed"] : undefined;
    if (!isRecord(installed)) {
      // Kept for whoever wants to look; without it every hub skill counts as the user's own.
      await rename(this.file, `${this.file}.corrupt-${this.#clock.now()}`);
      return new Map();
    }
    return new Map(Object.entries(installed).flatMap(([name, value]) => readEntry(name, value)));
  }

  /** Whether a skill came from a source that is not trusted: its embedded commands never run. */
  async isUntrusted(skillFolder: string): Promise<boolean> {
    const entries = [...(await this.all()).values()];
    const entry = entries.find((one) => join(this.#home.skills, one.installPath) === skillFolder);
    return entry !== undefined && entry.trust !== "builtin" && entry.trust !== "trusted";
  }

  /** Callers hold the lock of the skills folder. */
  async put(entry: LockEntry): Promise<void> {
    await this.#write(new Map([...(await this.all()), [entry.name, entry]]));
  }

  async remove(name: string): Promise<void> {
    const entries = new Map(await this.all());
    entries.delete(name);
    await this.#write(entries);
  }

  async #write(entries: ReadonlyMap<string, LockEntry>): Promise<void> {
    const installed = Object.fromEntries([...entries].map(([name, entry]) => [name, writeEntry(entry)]));
    await ensureDir(this.#home.at("skills", ".hub"));
    await writeFileAtomic(this.file, `${toJsonText({ version: 1, installed }, { indent: 2 })}\n`);
  }
}

function writeEntry(entry: LockEntry): Readonly<Record<string, unknown>> {
  return {
    source: entry.source,
    identifier: entry.identifier,
    trust_level: entry.trust,
    scan_verdict: entry.verdict,
    content_hash: entry.contentHash,
    install_path: entry.installPath,
    files: entry.files,
    ...defined({ revision: entry.revision }),
    installed_at: entry.installedAt,
    updated_at: entry.updatedAt,
  };
}

/** An unknown trust reads as the least: a hand-edited word must not raise it. */
function readEntry(name: string, value: unknown): readonly [string, LockEntry][] {
  if (!isRecord(value)) return [];
  const [source, identifier, installPath] = [value["source"], value["identifier"], value["install_path"]].map(readText);
  if (source === undefined || identifier === undefined || installPath === undefined) return [];
  if (installPath.startsWith("/") || installPath.split("/").includes("..")) return [];
  const revision = readText(value["revision"]);
  const installedAt = readText(value["installed_at"]) ?? "";
  const entry: LockEntry = {
    name,
    source,
    identifier,
    installPath,
    trust: trusts.find((one) => one === value["trust_level"]) ?? "community",
    verdict: verdicts.find((one) => one === value["scan_verdict"]) ?? "caution",
    contentHash: readText(value["content_hash"]) ?? "",
    files: readTexts(value["files"]),
    ...defined({ revision }),
    installedAt,
    updatedAt: readText(value["updated_at"]) ?? installedAt,
  };
  return [[name, entry]];
}
