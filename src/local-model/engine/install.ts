import { existsSync } from "node:fs";
import path from "node:path";
import { UserError } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";
import { installPackages, type LockedPackages } from "#foundation/packages/install";
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

/** Installs the engine into the home, with the binaries of this machine only. */
export async function installEngine(home: HermesHome, signal: AbortSignal): Promise<void> {
  if (hasEngine(home)) return;
  const platform = enginePlatform();
  if (platform === undefined) {
    throw new UserError(`There is no engine for ${process.platform} on ${process.arch}.`, {
      code: "engine_unavailable",
      hint: "Run Ollama or LM Studio instead; Hermes finds them by itself.",
    });
  }
  await installPackages(
    enginePackages(platform),
    { folder: engineFolder(home), what: "The engine", code: "engine_install_failed" },
    signal,
  );
}

/** The engine and the binaries of one kind of machine. */
function enginePackages(platform: string): LockedPackages {
  const { version, platforms } = packages;
  const binaries = `@node-llama-cpp/${platform}`;
  const integrity = Object.entries(platforms).find(([name]) => name === platform)?.[1].integrity;
  return {
    wanted: { "node-llama-cpp": version, [binaries]: version },
    packages: { ...packages.packages, [`node_modules/${binaries}`]: { version, integrity } },
  };
}
