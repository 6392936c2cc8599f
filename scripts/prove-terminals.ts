// Kill matrix: the built program is killed with SIGKILL at random moments while its model works in a terminal elsewhere. After the
// next start nothing of the dead owner is left (container, remote process, folder, control socket) and what was to be kept is intact.
// Arguments: how many kills per kind (default 50), seed, and a kind when only one is wanted (docker or ssh).
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { Deferred } from "#foundation/lifecycle/deferred";
import { PodmanEngine } from "../test/contracts/terminal/peers/podman.ts";
import { SshServer } from "../test/contracts/terminal/peers/sshd.ts";
import { modelConfig, Stage } from "../test/e2e/support/stage.ts";
import { calls, says, startModelServer } from "../test/fakes/model-server/index.ts";

const kills = Number(process.argv[2] ?? 50);
const seed = Number(process.argv[3] ?? 1);
const only = process.argv[4];

/**
 * The moment of a kill is so many requests of the model and then so long: before the terminal is opened, while it is, and while files and
 * commands are on their way, on a busy machine as on a quiet one.
 */
const mostRequests = 6;
const longestDelayMs = 1_500;
const lines = 20_000;
/** Processes that left their group, and some that did not. */
const leavesProcesses = "setsid sleep 70501 >/dev/null 2>&1 &\nsleep 70501 &\nsleep 0.2\n";

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
  /** Settings below `terminal:`. */
  readonly settings: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where what was written there is on this machine. */
  kept(stage: Stage): Promise<readonly string[]>;
  /** What a dead owner left, in words. */
  left(): Promise<readonly string[]>;
}

type ModelServer = Awaited<ReturnType<typeof startModelServer>>;

/** A model that writes a file and starts processes that nobody waits for, again and again; told when it was asked so many times. */
function worksIn(server: ModelServer, round: number, wanted: number): Promise<void> {
  const asked = new Deferred<void>();
  const content = `round ${round} whole\n`.repeat(lines);
  let step = 0;
  server.otherwise(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool" && /"status":"(?:error|blocked)"/.test(String(last.content)))
      throw new Error(`the model cannot work: ${String(last.content)}`);
    step += 1;
    if (step === wanted) asked.resolve();
    if (step % 3 === 1) return calls("write_file", { path: "~/work.sh", content: leavesProcesses });
    if (step % 3 === 2) return calls("terminal", { command: "sh ~/work.sh" });
    return calls("write_file", { path: "~/kept-file", content });
  });
  return asked.promise;
}

/** How many processes of the dead one the next start finds. */
async function nextStart(stage: Stage, server: ModelServer, peer: Peer): Promise<string> {
  const looks = calls("terminal", { command: "pgrep -fc '^sleep 70501'" });
  server.otherwise(({ messages }) => (messages.at(-1)?.role === "tool" ? says("Done.") : looks));
  const ran = await stage.run(["chat", "-q", "look", "-Q", "--yolo"], { env: peer.env });
  const result = server.requests.at(-1)?.messages.at(-1);
  if (ran.code !== 0 || result?.role !== "tool") return `the next start ended with ${ran.code}: ${ran.stderr}`;
  const { output } = JSON.parse(String(result.content)) as { output: string };
  return output.trim() === "0" ? "" : `${output.trim()} processes run`;
}

/** Kept files that are not as one write left them. */
async function torn(files: readonly string[]): Promise<readonly string[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return files.filter((_file, at) => {
    const [first, ...others] = new Set(texts[at]?.split("\n").slice(0, -1));
    return first === undefined || others.length > 0 || texts[at] !== `${first}\n`.repeat(lines);
  });
}

async function prove(peer: Peer): Promise<number> {
  await using server = await startModelServer();
  const settings = peer.settings.map((line) => `  ${line}\n`).join("");
  const config = `${modelConfig(server.chatBaseUrl)}terminal:\n  backend: ${peer.name}\n${settings}`;
  await using stage = await Stage.open({ config });
  const random = randoms(seed);
  let failures = 0;
  let written = 0;
  for (let round = 1; round <= kills; round += 1) {
    const wanted = 1 + Math.floor(random() * mostRequests);
    const asked = worksIn(server, round, wanted);
    const program = stage.start(["chat", "-q", "work", "-Q", "--yolo"], { env: peer.env });
    program.stdout?.resume();
    program.stderr?.resume();
    await Promise.race([asked, once(program, "exit")]);
    const waitMs = random() * longestDelayMs;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const endedBefore = program.exitCode;
    program.kill("SIGKILL");
    if (program.exitCode === null && program.signalCode === null) await once(program, "exit");
    const found = await nextStart(stage, server, peer);
    const files = await peer.kept(stage);
    written = Math.max(written, files.length);
    const wrong = [
      ...(endedBefore === null ? [] : [`it had ended by itself with ${endedBefore}`]),
      ...(found === "" ? [] : [found]),
      ...(await peer.left()).map((name) => `left ${name}`),
      ...(await torn(files)).map((file) => `torn ${file}`),
      ...(files.length < written ? ["a kept file is gone"] : []),
    ];
    if (wrong.length === 0) continue;
    failures += 1;
    console.log(`${peer.name} round ${round}, ${Math.round(waitMs)} ms after request ${wanted}: ${wrong.join("; ")}`);
  }
  console.log(
    `${peer.name}: ${kills} kills, ${failures} with something left (seed ${seed}, ${written} kept files whole)`,
  );
  return failures;
}

let failures = 0;
const podmanMissing = only === "ssh" ? "not asked for" : PodmanEngine.missing();
if (podmanMissing === undefined) {
  await using engine = await PodmanEngine.start();
  failures += await prove({
    name: "docker",
    settings: [`docker_image: ${engine.image}`, "docker_network: none", "container_memory: 512"],
    env: { HERMES_DOCKER_BINARY: engine.program },
    async kept({ home }) {
      const folder = path.join(home, "sandboxes", "docker");
      const tasks = await readdir(folder).catch(() => []);
      return tasks.map((task) => path.join(folder, task, "home", "kept-file")).filter((file) => existsSync(file));
    },
    left: () => engine.containers(),
  });
} else console.log(`docker: left out, ${podmanMissing}`);

const sshMissing = only === "docker" ? "not asked for" : SshServer.missing();
if (sshMissing === undefined) {
  await using server = await SshServer.start();
  const before = new Set(await leftOverSsh());
  failures += await prove({
    name: "ssh",
    settings: [
      "ssh_host: 127.0.0.1",
      `ssh_user: ${userInfo().username}`,
      `ssh_port: ${server.port}`,
      `ssh_key: ${server.key}`,
      `ssh_options: ["UserKnownHostsFile=${path.join(server.folder, "known_hosts")}"]`,
    ],
    env: {},
    kept: async () => [path.join(server.home, "kept-file")].filter((file) => existsSync(file)),
    left: async () => (await leftOverSsh()).filter((name) => !before.has(name)),
  });
} else console.log(`ssh: left out, ${sshMissing}`);
process.exitCode = failures === 0 ? 0 : 1;

/** Control sockets here and folders of terminals there; "there" is this machine. */
async function leftOverSsh(): Promise<readonly string[]> {
  const sockets = await readdir(path.join(tmpdir(), `hermes-ssh-${userInfo().uid}`)).catch(() => []);
  const folders = (await readdir("/tmp")).filter((name) => name.startsWith("hermes-remote-"));
  return [...sockets, ...folders];
}
