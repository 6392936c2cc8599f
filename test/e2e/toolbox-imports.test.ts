import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";

const source = path.join(import.meta.dirname, "../../src");
const from = (file: string): string => JSON.stringify(pathToFileURL(path.join(source, file)).href);

/** Writes down which packages are asked for, in order; a `mark:` is put between the parts of the program. */
const hook = (log: string): string => `
import { register } from "node:module";
const code = ${JSON.stringify(`
import { appendFileSync } from "node:fs";
export async function resolve(specifier, context, next) {
  if (specifier.startsWith("mark:")) {
    appendFileSync(${JSON.stringify(log)}, specifier + "\\n");
    return { url: "data:text/javascript,", shortCircuit: true };
  }
  const found = await next(specifier, context);
  const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*node_modules\\/)/.exec(found.url)?.[1];
  if (name !== undefined) appendFileSync(${JSON.stringify(log)}, name + "\\n");
  return found;
}`)};
register("data:text/javascript," + encodeURIComponent(code));
`;

const program = (folder: string): string => `
await import("mark:import");
const { systemClock } = await import(${from("foundation/time/clock.ts")});
const { silentLogger } = await import(${from("foundation/files/logger.ts")});
const { HermesHome } = await import(${from("foundation/files/paths.ts")});
const { Redactor } = await import(${from("foundation/secrets/redact.ts")});
const { openTools } = await import(${from("tools/open/open-tools.ts")});
const { unattendedScope } = await import(${from("tools/contract/unattended-scope.ts")});
await import("mark:config");
const { loadConfig } = await import(${from("config/index.ts")});
const folder = ${JSON.stringify(folder)};
const env = { HOME: folder, PATH: process.env.PATH };
const home = new HermesHome(folder);
const loaded = await loadConfig({ home, env });
await import("mark:open");
const { signal } = new AbortController();
const facts = { loaded, home, env, cwd: folder, userHome: folder, version: "0", clock: systemClock };
const machine = { ...facts, logger: silentLogger, redactor: new Redactor(), notice: () => undefined };
const scope = unattendedScope({ key: "cli", source: "cli", cwd: folder });
const times = [];
for (let round = 0; round < 5; round += 1) {
  const startedAt = performance.now();
  const toolbox = openTools(machine);
  times.push(performance.now() - startedAt);
  if (round === 4) {
    await import("mark:list");
    await toolbox.list({}, scope, signal);
  }
  await toolbox[Symbol.asyncDispose]();
}
await import("mark:control");
await import("yaml");
console.log(JSON.stringify({ times }));
`;

async function run(
  folder: string,
): Promise<{ readonly times: readonly number[]; readonly packages: Map<string, string[]> }> {
  const log = path.join(folder, "log");
  const hooks = path.join(folder, "hook.mjs");
  await writeFile(hooks, hook(log));
  const flags = [
    "--import",
    "tsx",
    "--import",
    pathToFileURL(hooks).href,
    "--conditions=hermes-source",
    "--input-type=module",
  ];
  const child = spawn(process.execPath, [...flags, "-e", program(folder)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  expect(code).toBe(0);
  const packages = new Map<string, string[]>();
  let part = "";
  for (const line of (await readFile(log, "utf8")).trim().split("\n")) {
    if (line.startsWith("mark:")) part = line.slice("mark:".length);
    else packages.set(part, [...new Set([...(packages.get(part) ?? []), line])]);
  }
  return { times: (JSON.parse(text) as { times: number[] }).times, packages };
}

describe("opening the toolbox with the default settings", () => {
  it("loads no library, neither when it is imported, opened nor listed, and takes milliseconds [30:1.2]", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "hermes-imports-"));
    try {
      const { times, packages } = await run(folder);
      expect(packages.get("import")).toBeUndefined();
      expect(packages.get("open")).toBeUndefined();
      expect(packages.get("list")).toBeUndefined();
      // The hook does see what is loaded late.
      expect(packages.get("control")).toEqual(["yaml"]);
      expect(Math.min(...times)).toBeLessThan(50);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
