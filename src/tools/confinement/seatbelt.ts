import { type Confinement, isWithin } from "./confinement.ts";
import { type Covered, guardsOf, masksOf, pinnedFolders, writableFolders } from "./masks.ts";

/** Where the proxy for confined programs listens on this machine; undefined: no network at all. */
export interface SeatbeltConditions {
  readonly isBackground: boolean;
  readonly writable: readonly string[];
  readonly tempDir: string;
  readonly network:
    | { readonly kind: "open" }
    | { readonly kind: "proxy"; readonly port: number }
    | { readonly kind: "none" };
  readonly revealed: readonly string[];
}

const devices = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper"];

/** The profile for `sandbox-exec` on macOS; the last rule that matches decides. */
export function seatbeltProfile(wall: Confinement, at: SeatbeltConditions): string {
  const writable = [...new Set([...writableFolders(wall, at.isBackground), ...at.writable])];
  const masks = masksOf(wall, at.tempDir).filter(({ path }) => !at.revealed.includes(path));
  const guards = guardsOf(wall, at.isBackground);
  const lines = [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* ${[...writable.map(subpath), ...devices.map(literal)].join(" ")})`,
    `(deny file-read* file-write* ${subpath(wall.hermesHome)})`,
    ...wall.hermesReadable.map((folder) => `(allow file-read* ${subpath(folder)})`),
    ...wall.hermesWritable.map((folder) => `(allow file-read* file-write* ${subpath(folder)})`),
    ...pinnedFolders(wall, guards).map((folder) => `(deny file-write-unlink ${literal(folder)})`),
    ...guards.map((guard) => `(deny file-write* ${filter(guard)})`),
    ...masks.map((mask) => `(deny file-read* file-write* ${filter(mask)})`),
    ...at.writable
      .filter((folder) => masks.some(({ path }) => path !== folder && isWithin(path, folder)))
      .map((folder) => `(allow file-read* file-write* ${subpath(folder)})`),
    // Keychains, agents and the engine of containers are reached by message or socket, not by file.
    '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd.xpc"))',
    '(deny network-outbound (remote unix-socket (path-literal "/var/run/docker.sock")))',
    '(deny network-outbound (remote unix-socket (path-regex #"^/private/tmp/com.apple.launchd.*/Listeners$")))',
    ...networkRules(at.network),
    "(deny process-info* (target others))",
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
  ];
  return `${lines.join("\n")}\n`;
}

function networkRules(network: SeatbeltConditions["network"]): readonly string[] {
  if (network.kind === "open") return [];
  const way = network.kind === "none" ? [] : [`(allow network-outbound (remote ip "localhost:${network.port}"))`];
  return ["(deny network*)", '(allow network-bind network-inbound (local ip "localhost:*"))', ...way];
}

function filter({ path, kind }: Covered): string {
  return kind === "folder" ? subpath(path) : literal(path);
}

function subpath(file: string): string {
  return `(subpath ${quoted(file)})`;
}

function literal(file: string): string {
  return `(literal ${quoted(file)})`;
}

/** A string of the profile language. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
