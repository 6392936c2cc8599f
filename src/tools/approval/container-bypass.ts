import type { Config } from "#config";
import type { TerminalKind } from "../contract/terminal.ts";

const containers: ReadonlySet<string> = new Set<TerminalKind>(["docker", "singularity", "modal", "daytona"]);

/**
 * Whether commands in this kind of terminal need no approval because they cannot reach the host. A
 * container that has something of the host inside it, or shares its network, is no such place.
 */
export function isContained(kind: string, { approvals, terminal }: Pick<Config, "approvals" | "terminal">): boolean {
  if (!containers.has(kind) || approvals.container_mode === "check") return false;
  if (approvals.container_mode === "skip") return true;
  // A credential of the person's inside is something of the host, and an instance shares the network of the host.
  if (terminal.credential_files.length > 0 || kind === "singularity") return false;
  if (kind !== "docker") return true;
  const { docker_volumes, docker_mount_cwd_to_workspace, docker_network } = terminal;
  return !docker_volumes.some(isHostPath) && !docker_mount_cwd_to_workspace && docker_network !== "host";
}

/** A mount whose source is a path and not the name of a volume. */
function isHostPath(mount: string): boolean {
  return /^(?:[/.~$]|[A-Za-z]:[\\/])/.test(mount.trim());
}
