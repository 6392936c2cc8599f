// Before `npm pack`: a fresh build, the types of what the package exports, and the exact versions it was tested with.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildProgram } from "./build.mjs";
import { nodeTool, root } from "./lib/run.mjs";

await buildProgram();
for (const project of ["tsconfig.testing.json", "tsconfig.library.json"]) {
  if ((await nodeTool("typescript7/bin/tsc", "-p", path.join(root, project))) !== 0) process.exit(1);
}
// The sources name each other with `.ts`; users have the declarations beside JavaScript names.
const dist = path.join(root, "dist");
for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"))) {
  const full = path.join(dist, file);
  writeFileSync(full, readFileSync(full, "utf8").replace(/((?:from|import\()\s*"\.[^"]*)\.ts"/g, '$1.js"'));
}
copyFileSync(path.join(root, "package-lock.json"), path.join(root, "npm-shrinkwrap.json"));
