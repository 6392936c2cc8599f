#!/usr/bin/env node
import path from "node:path";
import { openParts } from "./parts.ts";
import { versionLine } from "./version.ts";

/**
 * The launcher. It holds nothing but the answer to `--version` and the way to the program, so that
 * the commonest question costs little more than starting Node.
 */
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V" || args[0] === "version")) {
  process.stdout.write(`${versionLine()}\n`);
} else {
  // Code from the cache has no import() of its own; plugins need one. The name is that of #foundation/process/import-module.
  Reflect.set(globalThis, Symbol.for("hermes.import"), new Function("address", "return import(address)"));
  const program = openParts(path.join(__dirname, ".."), require)("program", 0) as typeof import("./program.ts");
  void program.main(args);
}
