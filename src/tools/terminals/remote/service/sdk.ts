import path from "node:path";
import { pathToFileURL } from "node:url";
import { hasPackages, installPackages, type LockedPackages } from "#foundation/packages/install";
import { importModule } from "#foundation/process/import-module";
import type { BackendDeps } from "../backend.ts";

/** A client of a service, for those who chose the service: it is no part of the installation. */
export interface Sdk {
  /** The service, for people. */
  readonly service: string;
  readonly name: string;
  readonly version: string;
  /** The module inside the package. */
  readonly entry: string;
  readonly packages: LockedPackages["packages"];
  /** About how much it takes on the disk. */
  readonly megabytes: number;
}

/** Where a client of this version lives; profiles share it. */
function sdkFolder(packagesDir: string, { name, version }: Pick<Sdk, "name" | "version">): string {
  return path.join(packagesDir, `${name.replaceAll("/", "-").replace("@", "")}-${version}`);
}

function sdkLock({ name, version, packages }: Sdk): LockedPackages {
  return { wanted: { [name]: version }, packages };
}

/** The module of a client, installed when it is first used. */
export async function loadSdk(
  sdk: Sdk,
  { packagesDir, notice }: Pick<BackendDeps, "packagesDir" | "notice">,
  signal: AbortSignal,
): Promise<unknown> {
  const folder = sdkFolder(packagesDir, sdk);
  if (!hasPackages(folder, sdkLock(sdk)))
    notice(`Installing the client of ${sdk.service} (${sdk.name} ${sdk.version}, ${sdk.megabytes} MB), once.`);
  const about = { folder, what: `The client of ${sdk.service}`, code: "sdk_install_failed" };
  await installPackages(sdkLock(sdk), about, signal);
  return await importModule(pathToFileURL(path.join(folder, "node_modules", sdk.name, sdk.entry)).href);
}
