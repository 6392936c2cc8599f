import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { root } from "./cage.ts";

export interface Bundle extends Disposable {
  /** One file that Node can run inside the cage, where there is no source. */
  readonly script: string;
  /** The built program as it was at the beginning, whoever builds meanwhile. */
  readonly dist: string;
}

export async function bundleDriver(): Promise<Bundle> {
  const folder = mkdtempSync(path.join(tmpdir(), "hermes-driver-"));
  const script = path.join(folder, "driver.mjs");
  await build({
    entryPoints: [path.join(import.meta.dirname, "..", "driver", "driver.ts")],
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });

  const dist = path.join(folder, "dist");
  cpSync(path.join(root, "dist"), dist, { recursive: true });
  chmodSync(folder, 0o755);
  return { script, dist, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
