// Kill matrix: Hermes is killed with SIGKILL at random moments while it works in a terminal elsewhere. After the next start nothing
// of the dead owner is left (container, remote process, folder, control socket) and what was to be kept is intact.
// Arguments: how many kills per kind (default 50), seed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { userInfo } from "node:os";
import { PodmanEngine, podmanSubject } from "../test/contracts/terminal/peers/podman.ts";
import { SshServer, sshSubject } from "../test/contracts/terminal/peers/sshd.ts";
import type { TerminalSubject } from "../test/contracts/terminal/subject.ts";

const kills = Number(process.argv[2] ?? 50);
const seed = Number(process.argv[3] ?? 1);
const signal = new AbortController().signal;

/** A small generator, so that a failure can be repeated. */
function randoms(state: number): () => number {
  let at = state;
  return () => {
    at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;
    return at / 0x1_0000_0000;
  };
}

interface Peer {
  readonly name: string;
  readonly subject: TerminalSubject;
  /** What the worker is told to connect to. */
  readonly facts: Readonly<Record<string, string>>;
  /** What a dead owner left, in words. */
  left(): Promise<readonly string[]>;
}

async function prove(peer: Peer): Promise<number> {
  const random = randoms(seed);
  let failures = 0;
  for (let round = 1; round <= kills; round += 1) {
    const worker = spawn(
      process.execPath,
      ["--import", "tsx", "--conditions=hermes-source", "scripts/lib/terminal-worker.ts"],
      {
        env: { ...process.env, ...peer.facts, HERMES_PROVE_ROUND: String(round) },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    await Promise.race([once(worker.stdout, "data"), once(worker, "exit")]);
    const waitMs = random() * 1_500;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    worker.kill("SIGKILL");
    if (worker.exitCode === null && worker.signalCode === null) await once(worker, "exit");
    // The next start tidies up.
    const terminal = await peer.subject.open({ taskId: "prove" });
    const kept = await terminal.exec("cat ~/kept-file 2>/dev/null || echo missing; pgrep -fc '^sleep 70501' || true", {
      timeoutMs: 30_000,
      signal,
    });
    await terminal[Symbol.asyncDispose]();
    const left = await peer.left();
    const isWhole = /^(?:missing|round \d+ whole)\n0\n$/.test(kept.output);
    if (left.length > 0 || !isWhole) {
      failures += 1;
      console.log(
        `${peer.name} round ${round} after ${Math.round(waitMs)} ms: left ${left.join(", ")}; ${JSON.stringify(kept.output)}`,
      );
    }
  }
  console.log(`${peer.name}: ${kills} kills, ${failures} with something left (seed ${seed})`);
  return failures;
}

let failures = 0;
const podmanMissing = PodmanEngine.missing();
if (podmanMissing === undefined) {
  await using engine = await PodmanEngine.start();
  failures += await prove({
    name: "docker",
    subject: await podmanSubject(engine),
    facts: { PROVE_KIND: "docker", PROVE_FOLDER: engine.folder, PROVE_PROGRAM: engine.program },
    left: () => engine.containers(),
  });
} else console.log(`docker: left out, ${podmanMissing}`);

const sshMissing = SshServer.missing();
if (sshMissing === undefined) {
  await using server = await SshServer.start();
  failures += await prove({
    name: "ssh",
    subject: await sshSubject(server),
    facts: { PROVE_KIND: "ssh", PROVE_FOLDER: server.folder, PROVE_PORT: String(server.port) },
    async left() {
      const sockets = await readdir(`/tmp/hermes-ssh-${userInfo().uid}`);
      const folders = (await readdir("/tmp")).filter((name) => name.startsWith("hermes-remote-"));
      return [...sockets, ...folders];
    },
  });
} else console.log(`ssh: left out, ${sshMissing}`);
process.exitCode = failures === 0 ? 0 : 1;
