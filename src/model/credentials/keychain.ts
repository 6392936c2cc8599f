import { createHash } from "node:crypto";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { runProcess } from "#foundation/process/run";
import type { AuthBackend } from "./auth-file.ts";

/** The system's own store of secrets, through its command line program. */
export interface Keychain {
  read(item: string, signal: AbortSignal): Promise<string | undefined>;
  write(item: string, text: string, signal: AbortSignal): Promise<void>;
}

export interface KeychainOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const timeoutMs = 10_000;
const maxBytes = 1_000_000;

/** Undefined where the system has none that a program can use without a library. */
export function openKeychain(options: KeychainOptions): Keychain | undefined {
  const account = options.env.USER?.trim() || "hermes";
  if (options.platform === "darwin") return macKeychain(options.env, account);
  if (options.platform === "linux") return secretService(options.env, account);
  return undefined;
}

/** Secrets go in through standard input: arguments of a process can be seen by everybody on the machine. */
function macKeychain(env: KeychainOptions["env"], account: string): Keychain {
  return {
    async read(item, signal) {
      const args = ["find-generic-password", "-s", item, "-w"];
      const result = await run({ program: "security", args, env }, signal);
      return result?.exitCode === 0 ? unhex(result.stdout.trimEnd()) : undefined;
    },
    async write(item, text, signal) {
      const hex = Buffer.from(text, "utf8").toString("hex");
      const input = `add-generic-password -U -a "${quote(account)}" -s "${quote(item)}" -X ${hex}\n`;
      const result = await run({ program: "security", args: ["-i"], env, input }, signal);
      if (result?.exitCode !== 0) throw unwritable();
    },
  };
}

/** The program prints a value with line breaks as hexadecimal digits. */
function unhex(text: string): string {
  if (!/^(?:[0-9a-f]{2}){8,}$/.test(text)) return text;
  const decoded = Buffer.from(text, "hex").toString("utf8");
  return decoded.startsWith("{") ? decoded : text;
}

function secretService(env: KeychainOptions["env"], account: string): Keychain {
  return {
    async read(item, signal) {
      const args = ["lookup", "service", item, "account", account];
      const result = await run({ program: "secret-tool", args, env }, signal);
      return result?.exitCode === 0 && result.stdout !== "" ? result.stdout : undefined;
    },
    async write(item, text, signal) {
      const args = ["store", `--label=${item}`, "service", item, "account", account];
      const result = await run({ program: "secret-tool", args, env, input: text }, signal);
      if (result?.exitCode !== 0) throw unwritable();
    },
  };
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: KeychainOptions["env"];
  readonly input?: string;
}

/** Undefined when the program does not exist. */
async function run(
  command: Command,
  signal: AbortSignal,
): Promise<{ exitCode: number | null; stdout: string } | undefined> {
  try {
    const result = await runProcess(command.program, [...command.args], {
      env: { ...command.env },
      signal,
      timeoutMs,
      maxOutputBytes: maxBytes,
      ...defined({ input: command.input }),
    });
    return { exitCode: result.exitCode, stdout: result.stdout.toString() };
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function quote(text: string): string {
  return text.replace(/[\\"]/g, "\\$&").replace(/[\r\n]/g, " ");
}

function unwritable(): UserError {
  return new UserError("The system keychain did not take the credentials.", {
    code: "keychain_unavailable",
    hint: "Unlock the keychain, or set security.credential_store to file.",
  });
}

/** The whole store as one item of the keychain; each home has its own. */
export function keychainBackend(keychain: Keychain, path: string): AuthBackend {
  const item = `hermes-auth-${createHash("sha256").update(path).digest("hex").slice(0, 16)}`;
  return {
    label: "the system keychain",
    read: (signal) => keychain.read(item, signal),
    write: (text, signal) => keychain.write(item, text, signal),
    async setAside(text, signal) {
      await keychain.write(`${item}-corrupt`, text, signal);
      return `the item ${item}-corrupt`;
    },
  };
}
