import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";

/** One file that Node can run inside the cage, where there is no source. */
export async function bundleDriver(): Promise<{ readonly script: string } & Disposable> {
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

  chmodSync(folder, 0o755);
  return { script, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
