import { readFileSync, statSync } from "node:fs";
import { systemErrorCode, UserError } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";
import { isTruthy } from "./switches.ts";

/** Who owns the settings when it is not the person: the name as people know it. */
export type Manager = string;

const names: Readonly<Record<string, Manager>> = {
  nix: "NixOS",
  nixos: "NixOS",
  brew: "Homebrew",
  homebrew: "Homebrew",
};

/** The package manager that owns the settings, from the environment or the marker file; undefined for a person's own. */
export function managedBy(home: HermesHome, env: NodeJS.ProcessEnv): Manager | undefined {
  const word = env["HERMES_MANAGED"]?.trim().toLowerCase();
  if (word !== undefined && word !== "") {
    if (Object.hasOwn(names, word)) return names[word];
    if (isTruthy(word)) return "a package manager";
    if (!["0", "false", "no", "off"].includes(word)) return word;
  }
  const marker = readMarker(home.managedMarker);
  return marker === undefined ? undefined : (names[marker] ?? (marker === "" ? "a package manager" : marker));
}

/** The refusal to write where somebody else owns the file. */
export function managedError(manager: Manager, file: string): UserError {
  return new UserError(`These settings are managed by ${manager}; ${file} was not changed.`, {
    code: "managed_install",
    exitCode: 1,
    hint: `Change them where ${manager} keeps them, and apply them there.`,
    data: { manager, file },
  });
}

function readMarker(path: string): string | undefined {
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    return (readFileSync(path, "utf8").slice(0, 256).split("\n", 1)[0] ?? "").trim().toLowerCase();
  } catch (error) {
    // Whatever keeps the marker from being read, a marker that is there says "managed".
    return systemErrorCode(error) === "ENOENT" || systemErrorCode(error) === "ENOTDIR" ? undefined : "";
  }
}
