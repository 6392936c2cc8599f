import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode, UserError } from "#foundation/errors";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import { isSealed, type Sealer, sealMark } from "./sealer.ts";

export interface SealingSettings {
  /** What is written from now on is sealed; what was sealed before can be read either way. */
  readonly isOn: boolean;
  /** The file with the key, where one is named. */
  readonly keyFile: string | undefined;
  /** Used, and made, when none is named. */
  readonly usualKeyFile: string;
  /** Other machines read the same rows, so a key cannot be made up here. */
  readonly isShared: boolean;
}

const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/** The sealer of the settings; undefined where nothing is and nothing was sealed. */
export async function makeSealer(settings: SealingSettings): Promise<Sealer | undefined> {
  const { isOn, keyFile, usualKeyFile, isShared } = settings;
  if (isOn && isShared && keyFile === undefined)
    throw new UserError("gateway.encrypt_at_rest with a shared store needs gateway.encryption_key_file.", {
      hint: `Make a key once, copy it to every machine, and name it: openssl rand -hex ${keyBytes} > gateway.key`,
    });
  const file = keyFile ?? usualKeyFile;
  const key = (await readKey(file)) ?? (isOn && keyFile === undefined ? await makeKey(file) : undefined);
  if (key === undefined && isOn)
    throw new UserError(`The key file ${file} does not exist.`, {
      hint: `Make one: openssl rand -hex ${keyBytes} > ${file}`,
    });
  return key === undefined ? undefined : sealerOf(key, isOn);
}

function sealerOf(key: Buffer, isOn: boolean): Sealer {
  return {
    seal: (text) => (isOn ? JSON.stringify(`${sealMark}${encrypted(text, key)}`) : text),
    open: (text) => (isSealed(text) ? decrypted(text.slice(sealMark.length + 1, -1), key) : text),
  };
}

function encrypted(text: string, key: Buffer): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const bytes = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString("base64");
}

function decrypted(text: string, key: Buffer): string {
  const bytes = Buffer.from(text, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes));
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  try {
    return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
  } catch (cause) {
    throw new UserError("A stored message was encrypted with another key, or it was changed.", {
      hint: "Name the file of that key: gateway.encryption_key_file",
      cause,
    });
  }
}

async function readKey(file: string): Promise<Buffer | undefined> {
  let text: string;
  try {
    text = (await readFile(file, "utf8")).trim();
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const key = /^[0-9a-f]{64}$/iu.test(text) ? Buffer.from(text, "hex") : Buffer.from(text, "base64");
  if (key.length === keyBytes) return key;
  throw new UserError(`The file ${file} holds no key of ${keyBytes} bytes.`, {
    hint: `Make one: openssl rand -hex ${keyBytes} > ${file}`,
  });
}

async function makeKey(file: string): Promise<Buffer> {
  const key = randomBytes(keyBytes);
  await ensureDir(path.dirname(file), 0o700);
  await writeFileAtomic(file, `${key.toString("hex")}\n`, { mode: 0o600 });
  return key;
}
