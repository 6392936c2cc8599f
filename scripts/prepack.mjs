// Before `npm pack`: a fresh build, and the types of what the package exports.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildProgram } from "./build.mjs";
import { nodeTool, root } from "./lib/run.mjs";

await buildProgram();
if ((await nodeTool("typescript7/bin/tsc", "-p", path.join(root, "tsconfig.testing.json"))) !== 0) process.exit(1);
// The sources name each other with `.ts`; users have the declarations beside JavaScript names.
const types = path.join(root, "dist", "testing", "model-server");
for (const file of readdirSync(types, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"))) {
  const full = path.join(types, file);
  writeFileSync(full, readFileSync(full, "utf8").replace(/((?:from|import\()\s*"\.[^"]*)\.ts"/g, '$1.js"'));
}
