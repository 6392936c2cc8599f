// Time per command and speed of files on each kind of terminal, beside the bare client in the same run.
// Kinds whose program is missing are named and left out. Figures are ratios: the machine cancels out.
// Arguments: commands per kind (default 15), and a kind when only one is wanted.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { findApptainer } from "../test/contracts/terminal/peers/apptainer.ts";
import { PodmanEngine, podmanSubject } from "../test/contracts/terminal/peers/podman.ts";
import { SshServer, sshSubject } from "../test/contracts/terminal/peers/sshd.ts";
import type { TerminalSubject } from "../test/contracts/terminal/subject.ts";

const run = promisify(execFile);
const rounds = Number(process.argv[2] ?? 15);
const megabytes = 100;
const fileRounds = 4;
const only = process.argv[3];
const signal = new AbortController().signal;

function leftOut(kind: string): string | undefined {
  return only === undefined || only === kind ? undefined : "not asked for";
}

interface Bare {
  readonly program: string;
  /** What comes before the program to run there. */
  readonly before: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Bytes into a file there, by the bare client. */
async function bareUpload(bare: Bare, line: string, data: Buffer): Promise<void> {
  const child = spawn(bare.program, [...bare.before, "sh", "-c", line], {
    stdio: ["pipe", "ignore", "ignore"],
    env: bare.env,
  });
  child.stdin.end(data);
  await once(child, "exit");
}

/** Its bytes in memory, in one piece: what reading a file means. */
async function bareDownload(bare: Bare, line: string): Promise<void> {
  const child = spawn(bare.program, [...bare.before, "sh", "-c", line], {
    stdio: ["ignore", "pipe", "ignore"],
    env: bare.env,
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(child, "close");
  Buffer.concat(chunks);
}

async function measure(
  name: string,
  subject: TerminalSubject,
  at: { bare(): Promise<Bare>; readonly isQuoted?: boolean },
): Promise<void> {
  const opened: { value?: Awaited<ReturnType<TerminalSubject["open"]>> } = {};
  const openMs = await timed(async () => {
    opened.value = await subject.open();
  });
  const terminal = opened.value;
  if (terminal === undefined) throw new Error("no terminal");
  const bare = await at.bare();
  const line = (text: string): string => (at.isQuoted === true ? `'${text}'` : text);
  const ours: number[] = [];
  const theirs: number[] = [];
  await terminal.exec("true", { timeoutMs: 60_000, signal });
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await timed(() => terminal.exec("true", { timeoutMs: 60_000, signal })));
    theirs.push(await timed(() => run(bare.program, [...bare.before, "bash", "-c", "true"], { env: bare.env })));
  }
  const data = Buffer.alloc(megabytes * 1_000_000, 7);
  const file = "/tmp/bench-file";
  // Now one first, now the other: who writes second finds the disk busy with what the first one wrote.
  const times = { upload: [] as number[], bareUp: [] as number[], download: [] as number[], bareDown: [] as number[] };
  const uploads = [
    async () => times.upload.push(await timed(() => terminal.files.write(file, data, signal))),
    async () => times.bareUp.push(await timed(() => bareUpload(bare, line("cat >/tmp/bench-bare"), data))),
  ];
  const downloads = [
    async () => times.download.push(await timed(() => terminal.files.read(file, { maxBytes: data.length, signal }))),
    async () => times.bareDown.push(await timed(() => bareDownload(bare, line("cat /tmp/bench-bare")))),
  ];
  for (let round = 0; round < fileRounds; round += 1) {
    for (const work of round % 2 === 0 ? uploads : [...uploads].reverse()) await work();
    for (const work of round % 2 === 0 ? downloads : [...downloads].reverse()) await work();
  }
  const [upload, bareUp, download, bareDown] = [times.upload, times.bareUp, times.download, times.bareDown].map(
    median,
  ) as [number, number, number, number];
  await terminal.exec("rm -f /tmp/bench-file /tmp/bench-bare", { timeoutMs: 60_000, signal });
  await terminal[Symbol.asyncDispose]();
  const speed = (ms: number): string => `${Math.round((megabytes * 1000) / ms)} MB/s`;
  const ratio = (value: number): string => `${value.toFixed(2)}x`;
  console.log(
    [
      name.padEnd(12),
      `open ${Math.round(openMs)} ms`,
      `command ${median(ours).toFixed(0)} ms, bare ${median(theirs).toFixed(0)} ms (${ratio(median(ours) / median(theirs))}, target 1.30x)`,
      `write ${speed(upload)}, bare ${speed(bareUp)} (${ratio(bareUp / upload)}, target 0.70x)`,
      `read ${speed(download)}, bare ${speed(bareDown)} (${ratio(bareDown / download)})`,
    ].join(" | "),
  );
}

const podmanMissing = leftOut("docker") ?? PodmanEngine.missing();
if (podmanMissing === undefined) {
  await using engine = await PodmanEngine.start();
  const bare = async (): Promise<Bare> => {
    const [container = ""] = await engine.containers();
    return { program: engine.program, before: ["exec", "-i", container] };
  };
  await measure("docker", await podmanSubject(engine), { bare });
} else console.log(`docker: left out, ${podmanMissing}`);

const sshMissing = leftOut("ssh") ?? SshServer.missing();
if (sshMissing === undefined) {
  await using server = await SshServer.start();
  const folder = await mkdtemp(path.join(tmpdir(), "bench-ssh-"));
  const options = [
    "-o",
    "BatchMode=yes",
    "-o",
    `UserKnownHostsFile=${path.join(server.folder, "known_hosts")}`,
    "-p",
    String(server.port),
    "-i",
    server.key,
  ];
  const shared = ["-o", "ControlMaster=auto", "-o", `ControlPath=${folder}/s`, "-o", "ControlPersist=30"];
  const before = [...options, ...shared, `${userInfo().username}@127.0.0.1`, "--"];
  const bare = async (): Promise<Bare> => {
    await run("ssh", [...before, "true"]);
    return { program: "ssh", before };
  };
  await measure("ssh", await sshSubject(server), { bare, isQuoted: true });
  await run("ssh", ["-S", `${folder}/s`, "-O", "exit", "x"]).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
} else console.log(`ssh: left out, ${sshMissing}`);

const apptainer =
  leftOut("singularity") === undefined ? findApptainer() : { kind: "missing" as const, why: "not asked for" };
if (apptainer.kind === "present") {
  await using subject = await apptainer.start();
  const { program, env } = subject.client ?? { program: "apptainer", env: process.env };
  const bare = async (): Promise<Bare> => {
    const { stdout } = await run(program, ["instance", "list", "--json"], { env });
    const { instances } = JSON.parse(stdout) as { instances: { instance: string }[] };
    return { program, before: ["--silent", "exec", `instance://${instances[0]?.instance}`], env };
  };
  await measure("singularity", subject, { bare });
} else console.log(`singularity: left out, ${apptainer.why}`);
