import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { isRecord } from "../text/json.ts";

/** Where the program of a thread is: a file, or its text when running from source. */
export type WorkerProgram =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "text"; readonly text: string };

export interface WorkerLocation {
  /** `import.meta.url` of the module that starts the thread. */
  readonly moduleUrl: string;
  /** The source beside that module. */
  readonly source: string;
  /** Where the built program may be, seen from the module once it is built or bundled. */
  readonly built: readonly string[];
}

/**
 * Beside the module once built, beside the bundle in the bundled program, and made on the spot from the TypeScript
 * source during development, where a thread could not load it.
 */
export async function locateWorker({ moduleUrl, source, built }: WorkerLocation): Promise<WorkerProgram | undefined> {
  const at = (name: string): string => fileURLToPath(new URL(name, moduleUrl));
  if (moduleUrl.endsWith(".ts")) return { kind: "text", text: await bundleSource(at(source)) };
  const path = built.map(at).find((file) => existsSync(file));
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
    conditions: ["hermes-source"],
    packages: "external",
    // An import() in a thread made from text would look for packages in the current directory.
    supported: { "dynamic-import": false },
    write: false,
    logLevel: "silent",
    define: { "import.meta.url": JSON.stringify(`file://${entry}`) },
  });
  const files = isRecord(result) && Array.isArray(result.outputFiles) ? result.outputFiles : [];
  const [file]: unknown[] = files;
  if (!isRecord(file) || typeof file.text !== "string") throw new Error(`${entry} could not be bundled.`);
  // Packages are found from the source file, wherever the program was started.
  return `((require) => {${file.text}\n})(require("node:module").createRequire(${JSON.stringify(entry)}));`;
}
