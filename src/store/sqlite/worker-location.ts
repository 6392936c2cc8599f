import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { isRecord } from "#foundation/json";

/** Where the program of the database thread is: a file, or its text when running from source. */
export type WorkerProgram =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "text"; readonly text: string };

/**
 * Beside this module once built, beside the bundle in the bundled program, and made on the spot
 * from the TypeScript source during development, where a thread could not load it.
 */
export async function findWorkerProgram(moduleUrl: string = import.meta.url): Promise<WorkerProgram | undefined> {
  if (moduleUrl.endsWith(".ts"))
    return { kind: "text", text: await bundleSource(fileURLToPath(new URL("./worker.ts", moduleUrl))) };
  const candidates = ["./store-worker.cjs", "./worker.js", "./store/sqlite/worker.js", "./sqlite/worker.js"];
  const path = candidates
    .map((candidate) => fileURLToPath(new URL(candidate, moduleUrl)))
    .find((file) => existsSync(file));
  return path === undefined ? undefined : { kind: "file", path };
}

/** esbuild is a development tool; the built program never gets here. */
async function bundleSource(entry: string): Promise<string> {
  const esbuild: unknown = createRequire(entry)("esbuild");
  if (!isRecord(esbuild) || typeof esbuild.build !== "function") throw new Error("esbuild is not installed.");
  const result: unknown = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    conditions: ["source"],
    packages: "external",
    write: false,
    logLevel: "silent",
    define: { "import.meta.url": JSON.stringify(`file://${entry}`) },
  });
  const files = isRecord(result) && Array.isArray(result.outputFiles) ? result.outputFiles : [];
  const [file]: unknown[] = files;
  if (!isRecord(file) || typeof file.text !== "string") throw new Error("The database thread could not be built.");
  // Packages are found from the source file, wherever the program was started.
  return `((require) => {${file.text}\n})(require("node:module").createRequire(${JSON.stringify(entry)}));`;
}
