import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Who may import whom. A subsystem reaches another only through its door (`#name`, or
 * `#foundation/folder/module`) and only along this table; type-only imports count.
 * A subsystem may have a second door for the builders of tests (`#name/testing`), open to test files only.
 * Below 1 stand the subsystems everybody may use, so they are not repeated in each row.
 */
const base = ["foundation", "conversation"];
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  foundation: [],
  conversation: ["foundation"],
  config: ["foundation"],
  "local-model": ["foundation"],
  model: [...base, "config", "local-model"],
  store: base,
  tools: [...base, "config"],
  skills: ["foundation", "tools"],
  agent: [...base, "config", "model", "tools"],
  session: [...base, "config", "model", "store", "tools", "skills", "agent"],
  cron: [...base, "config", "store", "tools", "session"],
  "api-server": [...base, "config", "store", "session", "cron"],
  dashboard: [...base, "config", "store", "session", "cron"],
  gateway: [...base, "config", "store", "tools", "session", "cron"],
  tui: [...base, "session"],
  acp: [...base, "session"],
  "mcp-server": [...base, "session"],
  environments: [...base, "config", "model", "tools", "agent"],
  plugins: [...base, "config", "model", "tools", "agent", "session", "gateway"],
  app: [...base, "config", "model", "store", "tools", "skills", "agent", "session", "cron", "plugins", "environments"],
  cli: [
    ...base,
    "config",
    "local-model",
    "model",
    "store",
    "tools",
    "skills",
    "agent",
    "session",
    "cron",
    "gateway",
    "api-server",
    "dashboard",
    "plugins",
    "app",
    "tui",
    "acp",
    "mcp-server",
    "environments",
  ],
};

/**
 * The folders inside the large subsystems, lowest first: a folder imports from rows below its own and from nothing
 * else beside it. Files that lie in the subsystem itself are not in a row; cycles with them are looked for anyway.
 */
export const innerLayers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  foundation: [["lifecycle", "text"], ["time"], ["secrets", "process"], ["files", "http"], ["packages"]],
  model: [
    ["tool-call-parsers"],
    ["protocols"],
    ["providers"],
    ["failures", "catalog"],
    ["credentials"],
    ["transport", "resolve"],
    ["budget", "fallback"],
    ["auxiliary"],
    ["demo"],
  ],
  store: [["records"], ["rows", "search", "schema"], ["work"], ["repositories"], ["sqlite", "postgres"]],
  tools: [
    ["contract", "shell"],
    ["registry"],
    ["terminals"],
    ["network"],
    ["confinement"],
    ["approval"],
    ["files", "web", "code", "mcp"],
    ["media"],
    ["browser"],
    ["builtin"],
    ["call"],
    ["open"],
  ],
  agent: [
    ["prompt", "trajectory"],
    ["turn"],
    ["money", "recovery"],
    ["auxiliary"],
    ["memory"],
    ["compression"],
    ["delegation"],
  ],
  session: [["wire"], ["reports", "search", "services", "traces"], ["turns"], ["commands"], ["completion"], ["front"]],
  tui: [["theme", "text", "input"], ["state", "terminal"], ["view"], ["app"], ["ask"]],
};

export interface LayerFault {
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
  readonly problem: string;
}

const importPattern =
  /(?:^|[\s;])(?:import|export)\s[^"';]*?from\s*["']([^"']+)["']|(?:^|[\s;])import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** Every import below `src` that crosses a boundary where it may not. */
export function findLayerFaults(sourceRoot: string): readonly LayerFault[] {
  const files = readdirSync(sourceRoot, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => /\.tsx?$/.test(file))
    .sort();
  return files.flatMap((file) => faultsOfFile(sourceRoot, file));
}

function faultsOfFile(sourceRoot: string, file: string): LayerFault[] {
  const text = readFileSync(path.join(sourceRoot, file), "utf8");
  const faults: LayerFault[] = [];
  for (const match of text.matchAll(importPattern)) {
    const specifier = match[1] ?? match[2] ?? match[3];
    if (specifier === undefined) continue;
    const problem = faultOf(file, specifier);
    if (problem === undefined) continue;
    const line = text.slice(0, match.index + match[0].indexOf(specifier)).split("\n").length;
    faults.push({ file, line, specifier, problem });
  }
  return faults;
}

/** What is wrong with one import of one file (both relative to `src`), or undefined. */
export function faultOf(file: string, specifier: string): string | undefined {
  const [owner = ""] = file.split("/");
  const allowed = mayImport[owner];
  if (allowed === undefined) return `src/${owner} is not a subsystem; add it to scripts/layers.ts`;
  if (specifier.startsWith(".")) {
    const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
    const reachesTests = isTestFile(file) && target.startsWith("../test/");
    if (reachesTests || target.startsWith(`${owner}/`)) return undefined;
    return "a relative import may not leave its subsystem; use the door";
  }
  if (!specifier.startsWith("#")) return undefined;
  const [target = "", ...rest] = specifier.slice(1).split("/");
  if (target === owner) {
    const isAllowed = owner === "foundation" || isTestFile(file);
    return isAllowed ? undefined : "inside a subsystem, import the file, not the door";
  }
  const isBuilder = rest.length === 1 && rest[0] === "testing" && isTestFile(file);
  if (rest.length > 0 && target !== "foundation" && !isBuilder) return `only the door #${target} may be imported`;
  return allowed.includes(target) ? undefined : `${owner} may not import ${target}`;
}

function isTestFile(file: string): boolean {
  return file.endsWith(".test.ts") || path.posix.basename(file) === "testing.ts" || file.includes("/testing/");
}
