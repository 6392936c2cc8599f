// `npm start`: everything between a fresh clone and an open Hermes.
import path from "node:path";
import { ensureBuilt, ensureInstalled, root, run } from "./lib/run.mjs";

await ensureInstalled();
await ensureBuilt();
process.exitCode = await run(process.execPath, [path.join(root, "dist", "cli", "main.js"), ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? process.cwd(),
});
