import { existsSync } from "node:fs";
import path from "node:path";
import { readCommandLine } from "../../shell/read-line.ts";
import type { SimpleCommand } from "../../shell/simple-command.ts";
import type { DetectLocation } from "../detector/detect.ts";

/** Clients of the one container engine that works only through its socket. */
const clients: ReadonlySet<string> = new Set(["docker", "docker-compose"]);
/** What they do without the engine. */
const withoutEngine = /^(?:help|context|completion|config)$/;
/** What may stand beside a client: whoever lets that out lets all of the line out. */
const beside: ReadonlySet<string> = new Set(
  "cd echo printf true head tail grep wc sort uniq cut tr cat jq column less awk sed".split(" "),
);

/** Why a line can only work outside of a sandbox: all it does is talk to the container engine. Undefined for others. */
export function needsEngine(command: string, location: DetectLocation): string | undefined {
  const line = readCommandLine(command, location);
  if (line.problems.length > 0 || line.traits.size > 0 || line.unknownScripts.size > 0) return undefined;
  const talks = line.commands.filter(isClient);
  if (talks.length === 0 || !talks.some(usesEngine)) return undefined;
  const isAlone = line.commands.every(
    (one) => isClient(one) || (beside.has(one.name ?? "") && one.writes.length === 0),
  );
  return isAlone ? "the container engine is out of reach inside the sandbox" : undefined;
}

function isClient({ name, path: called, wrappers }: SimpleCommand): boolean {
  return clients.has(name ?? "") && called === name && wrappers.length === 0;
}

function usesEngine({ args }: SimpleCommand): boolean {
  const words = args.map(({ text }) => text);
  if (words.length === 0 || words.some((word) => /^(?:--version|-v|--help|-h)$/.test(word))) return false;
  const [first = "", second = ""] = words.filter((word) => !word.startsWith("-"));
  return !withoutEngine.test(first === "compose" || first === "buildx" ? second : first);
}

/** Whether there is an engine at all: where there is none, a client fails as it would outside. */
export function hasEngine(env: Readonly<Record<string, string | undefined>>, home: string): boolean {
  const address = env["DOCKER_HOST"] ?? "";
  if (address !== "" && !address.startsWith("unix://")) return false;
  const runtime = env["XDG_RUNTIME_DIR"];
  return [
    address.slice("unix://".length),
    "/var/run/docker.sock",
    path.join(home, ".docker/run/docker.sock"),
    path.join(home, ".docker/desktop/docker.sock"),
    ...(runtime === undefined ? [] : [path.join(runtime, "docker.sock")]),
  ].some((file) => file !== "" && existsSync(file));
}
