import { lstatSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";

/** What a confined command may touch. Everything can be read that is not masked; nothing written that is not named. */
export interface SandboxPolicy {
  readonly home: string;
  readonly hermesHome: string;
  /** Folders that may be written: the workspace, and what the user adds. */
  readonly writable: readonly string[];
  /** Further files and folders that hold credentials. */
  readonly masked?: readonly string[];
  readonly network: "on" | "none";
  /** A view of processes of its own. Without it, files of other processes of this user are in reach through /proc. */
  readonly hasOwnPids?: boolean;
}

/** A thing that must look empty inside. */
export interface Mask {
  readonly path: string;
  readonly kind: "folder" | "file";
}

const homeCredentials = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/gcloud",
  ".config/gh",
  ".config/hub",
  ".config/op",
  ".config/rclone",
  ".local/share/keyrings",
  ".password-store",
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".codex",
  ".claude/.credentials.json",
  ".claude.json",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".git-credentials",
  ".config/git/credentials",
  ".cargo/credentials.toml",
  ".modal.toml",
  ".vault-token",
];

const hermesCredentials = [".env", "auth.json", "mcp-tokens", "state.db", "state.db-wal", "state.db-shm", "pairing"];

const systemCredentials = ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private"];

/** Folders that agents and terminals leave in the folder for temporary files; their sockets are keys. */
const socketFolders = /^(?:ssh-|tmux-|gpg-|keyring-|dbus-|\.X11-unix$|\.ICE-unix$)/;

/** What must be hidden, as it is on the disk now; links are followed, so that both names lead to nothing. */
export function masksOf(policy: SandboxPolicy, tempDir: string): readonly Mask[] {
  const named = [
    ...homeCredentials.map((name) => path.join(policy.home, name)),
    ...hermesCredentials.map((name) => path.join(policy.hermesHome, name)),
    ...systemCredentials,
    ...(policy.masked ?? []),
    ...namesIn(tempDir)
      .filter((name) => socketFolders.test(name))
      .map((name) => path.join(tempDir, name)),
  ];
  const real = named.flatMap((file) => realPath(file) ?? []);
  return [...new Set(real)].sort().flatMap((file) => maskOf(file) ?? []);
}

function maskOf(file: string): Mask | undefined {
  const facts = lstatSync(file, { throwIfNoEntry: false });
  if (facts === undefined) return undefined;
  return { path: file, kind: facts.isDirectory() ? "folder" : "file" };
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    // Not there: there is nothing to hide yet, and the next command looks again.
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** True for a folder below another, not for that one itself. */
export function isInside(folder: string, parent: string): boolean {
  return path.resolve(folder).startsWith(`${path.resolve(parent)}${path.sep}`);
}
