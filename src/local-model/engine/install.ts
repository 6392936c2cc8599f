import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { withFileLock } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { runProcess } from "#foundation/process/run";
import packages from "./packages.json" with { type: "json" };

/** About how much the engine takes on the disk of this machine. */
export const engineBytes = 90_000_000;

/** Where the engine of this version lives; it is shared by the profiles of a root. */
export function engineFolder(home: HermesHome): string {
  return path.join(home.installRoot, "engines", `llama-${packages.version}`);
}

export function hasEngine(home: HermesHome): boolean {
  return existsSync(path.join(engineFolder(home), "node_modules", "node-llama-cpp", "package.json"));
}

export function requireEngine(home: HermesHome): void {
  if (hasEngine(home)) return;
  throw new UserError("The engine that runs models on this machine is not installed.", {
    code: "engine_missing",
    hint: "Install it with: hermes local use <model>",
  });
}

/** The binaries this machine needs; undefined where none are known. */
export function enginePlatform(platform: string = process.platform, arch: string = process.arch): string | undefined {
  const name = `${platform}-${arch}`;
  return name in packages.platforms ? name : undefined;
}

const installTimeoutMs = 30 * 60_000;

/**
 * Installs the engine into the home: these versions and no others, each checked against its hash, without running any
 * script of a package, and with the binaries of this machine only. It gets its name when it is complete.
 */
export async function installEngine(home: HermesHome, signal: AbortSignal): Promise<void> {
  if (hasEngine(home)) return;
  const platform = enginePlatform();
  if (platform === undefined) {
    throw new UserError(`There is no engine for ${process.platform} on ${process.arch}.`, {
      code: "engine_unavailable",
      hint: "Run Ollama or LM Studio instead; Hermes finds them by itself.",
    });
  }
  const target = engineFolder(home);
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  await withFileLock(
    `${target}.lock`,
    async () => {
      if (hasEngine(home)) return;
      const arriving = `${target}.arriving`;
      await rm(arriving, { recursive: true, force: true });
      await mkdir(arriving, { recursive: true });
      const { manifest, lock } = engineManifest(platform);
      await writeFile(path.join(arriving, "package.json"), JSON.stringify(manifest));
      await writeFile(path.join(arriving, "package-lock.json"), JSON.stringify(lock));
      await runNpm(arriving, signal);
      await rm(target, { recursive: true, force: true });
      await rename(arriving, target);
    },
    { signal, timeoutMs: installTimeoutMs },
  );
}

/** What npm is told to install. The lock names every package with its hash; the registry is the one npm is set to. */
export function engineManifest(platform: string): { readonly manifest: object; readonly lock: object } {
  const { version, platforms } = packages;
  const binaries = `@node-llama-cpp/${platform}`;
  const integrity = Object.entries(platforms).find(([name]) => name === platform)?.[1].integrity;
  const manifest = {
    name: "hermes-engine",
    version,
    private: true,
    dependencies: { "node-llama-cpp": version, [binaries]: version },
  };
  const lock = {
    name: manifest.name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { "": manifest, ...packages.packages, [`node_modules/${binaries}`]: { version, integrity } },
  };
  return { manifest, lock };
}

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

/** npm gets its own settings (registry, proxy, certificates), and none of the person's keys. */
function npmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => /^npm_/i.test(name) || !secretName.test(name));
  return Object.fromEntries(kept);
}

async function runNpm(folder: string, signal: AbortSignal): Promise<void> {
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
  throw new UserError(`The engine could not be installed: ${errors || "npm ended without saying why"}`, {
    code: "engine_install_failed",
    hint: "Check the connection and try again; nothing was left half done.",
  });
}
