import { randomBytes, randomInt } from "node:crypto";
import { createServer } from "node:net";
import { readTextFile, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";

/** Where the server of a home listens, and what it wants to hear. Only the owner of the home can read it. */
export interface ServerFile {
  readonly port: number;
  readonly token: string;
}

export async function readServerFile(path: string): Promise<ServerFile | undefined> {
  const text = await readTextFile(path, { maxBytes: 10_000 });
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed?.ok !== true || !isRecord(parsed.value)) return undefined;
  const { port, token } = parsed.value;
  return typeof port === "number" && typeof token === "string" && token.length >= 32 ? { port, token } : undefined;
}

/** A new address; the token stays, where there is one. */
export async function writeServerFile(path: string, before: ServerFile | undefined): Promise<ServerFile> {
  const file = { port: await freePort(), token: before?.token ?? randomBytes(32).toString("base64url") };
  await writeFileAtomic(path, JSON.stringify(file), { mode: 0o600 });
  return file;
}

/** Not one of the range that systems hand out for outgoing connections, so that it is still free next time. */
async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
  throw new Error("no port of 127.0.0.1 is free");
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
