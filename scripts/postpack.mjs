// After `npm pack`: the build of the repository again, and no second list of versions beside package-lock.json.
import { rmSync } from "node:fs";
import path from "node:path";
import { buildProgram } from "./build.mjs";
import { root } from "./lib/run.mjs";

rmSync(path.join(root, "npm-shrinkwrap.json"), { force: true });
await buildProgram();
