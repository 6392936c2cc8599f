import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { isRecord } from "#foundation/json";

/** Where the program of the reading thread is: a file, or its text when running from source. */
export type WorkerProgram =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "text"; readonly text: string };

/** Beside the bundle in the built program; made on the spot from the TypeScript source during development. */
export async function findReaderProgram(moduleUrl: string = import.meta.url): Promise<WorkerProgram | undefined> {
  if (moduleUrl.endsWith(".ts"))
    return { kind: "text", text: await bundleSource(fileURLToPath(new URL("./worker.ts", moduleUrl))) };
  const path = fileURLToPath(new URL("./page-worker.cjs", moduleUrl));
  return existsSync(path) ? { kind: "file", path } : undefined;
}

/** esbuild is a development tool; the built program never gets here. */
async function bundleSource(entry: string): Promise<string> {
  const esbuild: unknown = createRequire(entry)("esbuild");
  if (!isRecord(esbuild) || typeof esbuild.build !== "function") throw new Error("esbuild is not installed.");
  const built: unknown = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    conditions: ["source"],
    packages: "external",
    // An import() in a thread made from text would look for packages in the current directory.
    supported: { "dynamic-import": false },
    write: false,
    logLevel: "silent",
  });
  const files = isRecord(built) && Array.isArray(built.outputFiles) ? built.outputFiles : [];
  const [file]: unknown[] = files;
  if (!isRecord(file) || typeof file.text !== "string") throw new Error("The reading thread could not be built.");
  return `((require) => {${file.text}\n})(require("node:module").createRequire(${JSON.stringify(entry)}));`;
}
