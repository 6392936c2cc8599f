// `npm run check`: the gates that every commit passes. Fast ones first; all of them run, so that one look shows everything.
import { ensureInstalled, nodeTool, root, run } from "./lib/run.mjs";

/** @returns the names of the gates that failed. */
export async function runGates() {
  const gates = [
    ["biome", () => nodeTool("@biomejs/biome/bin/biome", "ci", ".", "--max-diagnostics=50", "--error-on-warnings")],
    ["types", () => nodeTool("typescript7/bin/tsc", "--noEmit", "-p", root)],
    ["types of the page", () => nodeTool("typescript7/bin/tsc", "--noEmit", "-p", `${root}/src/dashboard/page`)],
    ["layers", () => run(process.execPath, ["--import", "tsx", "scripts/check-layers.ts"])],
    ["house", () => run(process.execPath, ["--import", "tsx", "scripts/check-house.ts", "--hold"])],
  ];
  const failed = [];
  for (const [name, gate] of gates) {
    const startedAt = Date.now();
    const code = await gate();
    console.log(`${code === 0 ? "ok  " : "FAIL"} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
    if (code !== 0) failed.push(name);
  }
  return failed;
}

if (process.argv[1]?.endsWith("check.mjs")) {
  await ensureInstalled();
  const failed = await runGates();
  if ((await nodeTool("vitest/vitest.mjs", "run", "--project", "unit", "--reporter=default")) !== 0)
    failed.push("unit");
  if (failed.length > 0) console.error(`check failed: ${failed.join(", ")}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}
