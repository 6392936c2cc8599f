import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../../fakes/free-port.ts";
import type { FoundSubject, TerminalSubject } from "../subject.ts";
import { backend } from "./backend.ts";

const run = promisify(execFile);

/** An sshd on loopback with keys of its own; whoever logs in works in a home of the test. */
export class SshServer implements AsyncDisposable {
  readonly folder: string;
  readonly port: number;
  #child: ReturnType<typeof spawn> | undefined;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  static missing(): string | undefined {
    if (!existsSync("/usr/sbin/sshd")) return "openssh-server is not installed (scripts/setup-test-peers.sh)";
    return process.getuid?.() === 0 ? undefined : "sshd needs root to log anybody in";
  }

  static async start(): Promise<SshServer> {
    const server = new SshServer(await mkdtemp(path.join(tmpdir(), "hermes-sshd-")), await freePort());
    await server.#prepare();
    await server.listen();
    return server;
  }

  get home(): string {
    return path.join(this.folder, "home");
  }

  get key(): string {
    return path.join(this.folder, "key");
  }

  async listen(): Promise<void> {
    const child = spawn("/usr/sbin/sshd", ["-D", "-e", "-f", path.join(this.folder, "sshd_config")], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    this.#child = child;
    const end = performance.now() + 20_000;
    while (!(await answers(this.port))) {
      if (performance.now() > end || child.exitCode !== null) throw new Error("sshd did not start");
    }
  }

  /** Ends the server and every connection to it. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    // Each connection is served by a child of its own.
    await run("pkill", ["-KILL", "-P", String(child.pid)]).catch(() => undefined);
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #prepare(): Promise<void> {
    await mkdir("/run/sshd", { recursive: true });
    await mkdir(this.home);
    for (const name of ["key", "host"]) {
      await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path.join(this.folder, name)]);
    }
    await run("cp", [path.join(this.folder, "key.pub"), path.join(this.folder, "authorized")]);
    await chmod(this.folder, 0o755);
    await writeFile(
      path.join(this.folder, "sshd_config"),
      [
        `Port ${this.port}`,
        "ListenAddress 127.0.0.1",
        `HostKey ${path.join(this.folder, "host")}`,
        `AuthorizedKeysFile ${path.join(this.folder, "authorized")}`,
        "UsePAM no",
        "StrictModes no",
        "PasswordAuthentication no",
        "PermitRootLogin yes",
        "MaxSessions 60",
        `SetEnv HOME=${this.home} SSH_TOKEN_OF_HOST=secret`,
        `PidFile ${path.join(this.folder, "pid")}`,
        "",
      ].join("\n"),
    );
  }
}

export function findSshd(): FoundSubject {
  const why = SshServer.missing();
  if (why !== undefined) return { kind: "missing", name: "ssh", why };
  return { kind: "present", name: "ssh", start: async () => sshSubject(await SshServer.start()) };
}

export async function sshSubject(server: SshServer): Promise<TerminalSubject> {
  const open = await backend("ssh", {
    sandboxDir: server.folder,
    settings: {
      ssh_host: "127.0.0.1",
      ssh_user: userInfo().username,
      ssh_port: server.port,
      ssh_key: server.key,
      ssh_options: [`UserKnownHostsFile=${path.join(server.folder, "known_hosts")}`],
    },
    env: {},
  });
  return { open, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => setTimeout(() => resolve(false), 20));
  });
}
