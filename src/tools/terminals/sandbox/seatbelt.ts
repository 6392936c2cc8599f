import { isInside, type Mask, type SandboxPolicy } from "./policy.ts";

/** The profile for `sandbox-exec` on macOS; the last rule that matches decides. */
export function seatbeltProfile(
  policy: SandboxPolicy,
  place: { readonly writable: readonly string[]; readonly masks: readonly Mask[] },
): string {
  const writable = [...new Set([...policy.writable, ...place.writable])];
  const inside = writable.filter((folder) => isInside(folder, policy.hermesHome));
  const lines = [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* ${[...writable.map(subpath), ...devices.map(literal)].join(" ")})`,
    `(deny file-write* ${subpath(policy.hermesHome)})`,
    ...inside.map((folder) => `(allow file-write* ${subpath(folder)})`),
    ...place.masks.map(
      (mask) => `(deny file-read* file-write* ${mask.kind === "folder" ? subpath(mask.path) : literal(mask.path)})`,
    ),
    // Keychains, agents and the engine of containers are reached by message or socket, not by file.
    '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd.xpc"))',
    '(deny network-outbound (remote unix-socket (path-literal "/var/run/docker.sock")))',
    '(deny network-outbound (remote unix-socket (path-regex #"^/private/tmp/com.apple.launchd.*/Listeners$")))',
    ...(policy.network === "none" ? ["(deny network*)"] : []),
    "(deny process-info* (target others))",
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
  ];
  return `${lines.join("\n")}\n`;
}

const devices = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper"];

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
