import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { isAlive } from "#foundation/process/alive";

/** A path for the control socket of a connection: short, because macOS takes about a hundred characters. */
export async function newControlSocket(): Promise<string> {
  const folder = await socketFolder();
  return path.join(folder, `${process.pid}-${randomBytes(8).toString("hex")}`);
}

/** Control sockets whose Hermes is gone. */
export async function leftSockets(): Promise<readonly string[]> {
  const folder = await socketFolder();
  const names = await readdir(folder);
  return names.filter((name) => !isAlive(Number.parseInt(name, 10))).map((name) => path.join(folder, name));
}

export async function removeSocket(socket: string): Promise<void> {
  await rm(socket, { force: true });
}

async function socketFolder(): Promise<string> {
  const folder = path.join(tmpdir().length < 50 ? tmpdir() : "/tmp", `hermes-ssh-${userInfo().uid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const facts = await lstat(folder);
  if (!facts.isDirectory() || facts.uid !== userInfo().uid || (facts.mode & 0o077) !== 0)
    throw new UserError(`${folder} belongs to somebody else; connections cannot be kept there.`);
  return folder;
}
