import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { UserError } from "../errors.ts";
import { withFileLock } from "../files/files.ts";
import { runProcess } from "../process/run.ts";

/** A package of npm with everything it needs, each by version and hash, as a lock of npm lists them. */
export interface LockedPackages {
  /** What is asked for, by name and version. */
  readonly wanted: Readonly<Record<string, string>>;
  /** Entries of the lock: folder, and what is in it. */
  readonly packages: Readonly<Record<string, object>>;
}

export interface PackageInstall {
  readonly folder: string;
  /** Where it is for people: "The engine", "The client of Modal". */
  readonly what: string;
  readonly code: string;
}

const installTimeoutMs = 30 * 60_000;

/** Whether all packages that were asked for are in the folder. */
export function hasPackages(folder: string, { wanted }: Pick<LockedPackages, "wanted">): boolean {
  return Object.keys(wanted).every((name) => existsSync(path.join(folder, "node_modules", name, "package.json")));
}

/**
 * Installs packages into a folder of their own: these versions and no others, each checked against its hash, without running
 * any script of a package. The folder gets its name when it is complete.
 */
export async function installPackages(
  packages: LockedPackages,
  { folder, what, code }: PackageInstall,
  signal: AbortSignal,
): Promise<void> {
  if (hasPackages(folder, packages)) return;
  await mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
  await withFileLock(
    `${folder}.lock`,
    async () => {
      if (hasPackages(folder, packages)) return;
      const arriving = `${folder}.arriving`;
      await rm(arriving, { recursive: true, force: true });
      await mkdir(arriving, { recursive: true });
      const { manifest, lock } = npmFiles(packages);
      await writeFile(path.join(arriving, "package.json"), JSON.stringify(manifest));
      await writeFile(path.join(arriving, "package-lock.json"), JSON.stringify(lock));
      await runNpm(arriving, { what, code }, signal);
      await rm(folder, { recursive: true, force: true });
      await rename(arriving, folder);
    },
    { signal, timeoutMs: installTimeoutMs },
  );
}

/** What npm is told to install. The lock names every package with its hash; the registry is the one npm is set to. */
function npmFiles({ wanted, packages }: LockedPackages): { readonly manifest: object; readonly lock: object } {
  const manifest = { name: "hermes-packages", version: "1.0.0", private: true, dependencies: wanted };
  const { name, version } = manifest;
  return {
    manifest,
    lock: { name, version, lockfileVersion: 3, requires: true, packages: { "": manifest, ...packages } },
  };
}

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

/** npm gets its own settings (registry, proxy, certificates), and none of the person's keys. */
function npmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => /^npm_/i.test(name) || !secretName.test(name));
  return Object.fromEntries(kept);
}

async function runNpm(folder: string, about: Omit<PackageInstall, "folder">, signal: AbortSignal): Promise<void> {
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];
  const isWindows = process.platform === "win32";
  const result = await runProcess(isWindows ? "npm.cmd" : "npm", args, {
    cwd: folder,
    env: npmEnvironment(process.env),
    signal,
    timeoutMs: installTimeoutMs,
  });
  signal.throwIfAborted();
  if (result.exitCode === 0) return;
  const errors = result.stderr
    .split("\n")
    .filter((line) => line.startsWith("npm error") && !line.includes("A complete log"))
    .slice(0, 4)
    .map((line) => line.replace(/^npm error ?/, ""))
    .join(" ");
  throw new UserError(`${about.what} could not be installed: ${errors || "npm ended without saying why"}`, {
    code: about.code,
    hint: "Check the connection and try again; nothing was left half done.",
  });
}
