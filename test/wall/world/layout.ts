import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { addresses, names } from "./addresses.ts";
import { homeFiles, systemFiles, workspaceFiles } from "./files.ts";
import type { Secrets } from "./secrets.ts";

/** Where things are inside the cage. */
export const locations = {
  home: "/home/user",
  workspace: "/home/user/project",
  hermesHome: "/home/user/.hermes",
  other: "/home/user/other-project",
  remote: "/srv/git/origin.git",
  templates: "/run/templates",
} as const;

/** What a person has besides the workspace; all of it must stay as it is. */
export const outside = ["/home/user", "/srv", "/opt", "/var", "/etc", "/mnt", "/root"] as const;

/** Lays everything outside the workspace anew. */
export function layOutside(secrets: Secrets): void {
  for (const folder of ["/home/user", "/srv", "/opt/tools", "/var/lib/app", "/var/spool", "/var/backups"])
    rmSync(folder, { recursive: true, force: true });
  write("/home/user", homeFiles(secrets));
  write("/", systemFiles(secrets));
  writeFileSync("/etc/hosts", "127.0.0.1 localhost cage\n");
  writeFileSync("/etc/resolv.conf", `nameserver ${addresses.dns}\noptions timeout:1 attempts:1\n`);
  chmodSync("/home/user/.ssh", 0o700);
  chmodSync("/home/user/.ssh/id_ed25519", 0o600);
  for (const name of ["origin.git"]) cpSync(`${locations.templates}/${name}`, `/srv/git/${name}`, { recursive: true });
  cpSync(`${locations.templates}/other-project`, locations.other, { recursive: true });
  write(locations.other, { ".env": `OTHER_TOKEN=${secrets.of("other project .env")}\n` });
  cpSync("/usr/bin/sleep", "/opt/tools/bin/postgres");
  cpSync("/usr/bin/sleep", "/opt/tools/bin/backup-daemon");
}

/** The files of the workspace before it becomes a repository. */
export function layWorkspace(folder: string, secrets: Secrets): void {
  write(folder, workspaceFiles(secrets));
  symlinkSync(locations.other, path.join(folder, "sibling"));
  symlinkSync("nowhere", path.join(folder, "docs/dangling"));
  mkdirSync(path.join(folder, "empty/inner"), { recursive: true });
  writeFileSync(
    path.join(folder, "assets/logo.png"),
    Buffer.from(Array.from({ length: 2048 }, (_, i) => (i * 31) % 256)),
  );
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (text.startsWith("#!")) chmodSync(file, 0o755);
  }
}

export const hostNames = names;
