import { existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { ProgramLimits } from "../../confinement/walls.ts";
import type { McpServerSettings } from "../../contract/mcp-settings.ts";

type StdioEndpoint = Extract<McpServerSettings["endpoint"], { kind: "stdio" }>;

/** A container is a wall of its own, and its engine cannot work behind another one. */
const containerEngines: ReadonlySet<string> = new Set(["docker", "podman", "nerdctl", "container"]);

/** Whether a server is held inside a wall: always, unless its entry says otherwise or it lives in a container. */
export function isConfined({ sandbox, command }: StdioEndpoint): boolean {
  return sandbox === "on" || (sandbox === "auto" && !containerEngines.has(path.basename(command)));
}

/**
 * What a server may have besides what every wall gives. The person wrote its entry, so what is named there is allowed:
 * folders and files among its arguments and variables, and the hosts of addresses.
 */
export function limitsOf(endpoint: StdioEndpoint, home: string): ProgramLimits {
  const words = [...endpoint.args, ...Object.values(endpoint.env)].flatMap((word) => [word, ...word.split(/[=,;:]/)]);
  const named = [...new Set(words.flatMap((word) => pathNamed(word, home)))].filter((one) => !isHomeOrAbove(one, home));
  const hosts = [...endpoint.networkAllow, ...words.flatMap(hostsNamed)];
  return {
    writable: [...named.filter(isFolder), ...endpoint.writablePaths.map((one) => expanded(one, home))],
    revealed: named,
    hosts: [...new Set(hosts)],
    ports: [...new Set(hosts.flatMap(portOf))],
  };
}

/** A home or `/` named as a folder is read as always; writing all of it would be no wall. */
function isHomeOrAbove(file: string, home: string): boolean {
  return file === "/" || home === file || home.startsWith(`${file}/`);
}

function pathNamed(word: string, home: string): readonly string[] {
  const file = expanded(word, home);
  if (!path.isAbsolute(file) || !existsSync(file)) return [];
  return [realpathSync(file)];
}

function expanded(word: string, home: string): string {
  return word === "~" || word.startsWith("~/") ? path.join(home, word.slice(1)) : word;
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}

const usualPorts: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "postgres:": "5432",
  "postgresql:": "5432",
  "mysql:": "3306",
  "mongodb:": "27017",
  "redis:": "6379",
  "rediss:": "6379",
};

/** `postgres://db.local:5432/x` names `db.local:5432`. */
function hostsNamed(word: string): readonly string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(word) || !URL.canParse(word)) return [];
  const { hostname, port, protocol } = new URL(word);
  const at = port === "" ? (usualPorts[protocol] ?? "") : port;
  return hostname === "" ? [] : [at === "" ? hostname : `${hostname}:${at}`];
}

function portOf(host: string): readonly number[] {
  const port = Number(/:(\d+)$/.exec(host)?.[1]);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? [port] : [];
}
