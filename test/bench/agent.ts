import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Builds the measuring program as the product is built, and runs it: what a loader adds must not be measured. */
const root = fileURLToPath(new URL("../..", import.meta.url));
// Inside the repository, so that packages are found from there.
const folder = path.join(root, "node_modules", ".cache", "hermes-bench");
const program = path.join(folder, "agent.mjs");
await mkdir(folder, { recursive: true });
await build({
  entryPoints: [path.join(root, "test", "bench", "agent-figures.ts")],
  outfile: program,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  conditions: ["hermes-source"],
  packages: "external",
  logLevel: "error",
});
process.exitCode = await new Promise<number>((resolve, reject) => {
  const child = spawn(process.execPath, [program, root], { stdio: "inherit" });
  child.once("error", reject);
  child.once("exit", (code) => resolve(code ?? 1));
});
