import { chmod, readFile, writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { describe } from "#foundation/errors";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { type ProcessHandle, spawnProcess } from "#foundation/process/run";
import type { ProgramCall } from "../terminals/local/local-terminal.ts";
import { holderProgram } from "./holder-program.ts";

export interface NamespaceOptions {
  readonly bwrap: string;
  readonly nsenter: string;
  /** Private to this user; sockets and the script for ssh live here. */
  readonly folder: string;
  /** Where the proxy outside listens. */
  readonly proxySocket: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ports besides those of the web and of ssh on which names are reached, also `localhost` outside. */
  readonly ports?: readonly number[] | undefined;
  watch?(pid: number): Disposable;
}

const startTimeoutMs = 10_000;

/** Where programs that know nothing of proxies connect to. */
const namedPorts: readonly number[] = [22, 80, 443];

/**
 * An empty network of one session, kept open by a small program inside it. The program passes connections to a port on its
 * loopback on to the proxy outside, and connections from outside on to servers that commands started inside.
 *
 * All commands of the session join this network, so what one command serves on loopback the next one reaches. Nothing else
 * is there: no interface but loopback. Names are answered by the program itself with an address of loopback for each name, so
 * a program that ignores proxies reaches the same proxy, by the name it asked for; no question for a name leaves the machine.
 */
export class NetworkNamespace implements AsyncDisposable {
  readonly #options: NamespaceOptions;
  readonly #holder: ProcessHandle;
  readonly #watched: Disposable | undefined;
  readonly #pid: number;
  /** The port of the proxy as seen from inside. */
  readonly proxyPort: number;

  private constructor(options: NamespaceOptions, holder: Holder) {
    this.#options = options;
    this.#holder = holder.process;
    this.#watched = holder.watched;
    this.#pid = holder.pid;
    this.proxyPort = holder.proxyPort;
  }

  static async open(options: NamespaceOptions, signal: AbortSignal): Promise<NetworkNamespace> {
    return new NetworkNamespace(options, await startHolder(options, signal));
  }

  /** A call that runs in this network. */
  enter(call: ProgramCall): ProgramCall {
    const join = ["--preserve-credentials", "--user", "--net", `--target=${this.#pid}`, "--"];
    return { program: this.#options.nsenter, args: [...join, call.program, ...call.args] };
  }

  /** Ports on which something inside listens, the proxy's own left out. */
  async listeningPorts(): Promise<readonly number[]> {
    const tables = await Promise.all(["tcp", "tcp6"].map((name) => readTable(`/proc/${this.#pid}/net/${name}`)));
    const own = new Set([this.proxyPort, ...namedPorts, ...(this.#options.ports ?? [])]);
    return [...new Set(tables.flatMap(listenersIn))].filter((port) => !own.has(port)).sort((a, b) => a - b);
  }

  /** A connection from outside to a server inside. */
  connect(port: number): net.Socket {
    const socket = net.connect(inboundSocket(this.#options.folder));
    socket.write(`${port}\n`);
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watched?.[Symbol.dispose]();
    this.#holder.stdin?.end();
    await this.#holder.kill();
  }
}

interface Holder {
  readonly process: ProcessHandle;
  readonly watched: Disposable | undefined;
  readonly pid: number;
  readonly proxyPort: number;
}

async function startHolder(options: NamespaceOptions, signal: AbortSignal): Promise<Holder> {
  using limit = deadline(startTimeoutMs);
  const { folder } = options;
  // --dev would put the program into a second user namespace, which has no power over the network of the first.
  const isolation = [
    "--unshare-user",
    "--unshare-net",
    "--die-with-parent",
    // For the ports of names; it means nothing outside this network.
    "--cap-add",
    "CAP_NET_BIND_SERVICE",
    "--ro-bind",
    "/",
    "/",
    "--dev-bind",
    "/dev",
    "/dev",
  ];
  const program = [
    process.execPath,
    "--max-old-space-size=64",
    "-e",
    holderProgram,
    options.proxySocket,
    inboundSocket(folder),
    [...new Set([...namedPorts, ...(options.ports ?? [])])].join(","),
  ];
  const args = [...isolation, "--bind", folder, folder, "--chdir", folder, "--", ...program];
  const child = await spawnProcess(options.bwrap, args, {
    cwd: "/",
    env: { PATH: options.env["PATH"] ?? "" },
    signal,
    stdin: "pipe",
    graceMs: 500,
  });
  const watched = options.watch?.(child.pid);
  try {
    const facts = await raceAbort(firstLine(child), linkSignals(signal, limit.signal));
    const [pid, port] = facts.split(" ").map(Number);
    if (!Number.isInteger(pid) || !Number.isInteger(port)) throw new Error(`it said "${facts.slice(0, 200)}"`);
    await writeSshHelper(folder, port ?? 0);
    await writeFile(resolverFile(folder), "nameserver 127.0.0.1\noptions timeout:5 attempts:2\n");
    return { process: child, watched, pid: await hostPid(child.pid, pid ?? 0), proxyPort: port ?? 0 };
  } catch (error) {
    watched?.[Symbol.dispose]();
    await child.kill();
    throw new Error(`the network of the sandbox could not be made: ${describe(error)}`, { cause: error });
  }
}

function firstLine(child: ProcessHandle): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => {
      errors = `${errors}${chunk.toString()}`.slice(-400);
    });
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    void child.exited.then(() => reject(new Error(errors.trim() === "" ? "it ended at once" : errors.trim())));
  });
}

/** The program sees its own number; without a process namespace that is also ours. */
async function hostPid(wrapper: number, own: number): Promise<number> {
  const status = await readTable(`/proc/${own}/status`);
  if (status.includes(`PPid:\t${wrapper}`)) return own;
  throw new Error("its process was not found");
}

function inboundSocket(folder: string): string {
  return path.join(folder, "in");
}

async function readTable(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

/** Lines of /proc/net/tcp in state 0A are listening. */
function listenersIn(table: string): readonly number[] {
  return table
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [, local = "", , state] = line.trim().split(/\s+/);
      return state === "0A" ? [Number.parseInt(local.slice(local.lastIndexOf(":") + 1), 16)] : [];
    });
}

/** Tells programs inside who answers for names. */
export function resolverFile(folder: string): string {
  return path.join(folder, "resolv.conf");
}

/** `ProxyCommand` for ssh: asks the proxy for the way to host and port, then passes bytes on. */
export function sshHelper(folder: string): string {
  return path.join(folder, "ssh-connect");
}

async function writeSshHelper(folder: string, port: number): Promise<void> {
  const script = `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/${port} || exit 1
printf 'CONNECT %s:%s HTTP/1.1\\r\\n\\r\\n' "$1" "$2" >&3
IFS= read -r status <&3
case $status in *' 200 '*) ;; *) printf '%s\\n' "$status" >&2; exit 1 ;; esac
while IFS= read -r line <&3; do [ "$line" = $'\\r' ] && break; done
cat <&3 & cat >&3
wait
`;
  await writeFile(sshHelper(folder), script);
  await chmod(sshHelper(folder), 0o700);
}
