import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { makePrivateFolder, privateRoot } from "#foundation/files/private-folder";
import { runProcess } from "#foundation/process/run";
import { newId } from "#foundation/text/ids";
import { looksLikeCredential } from "../../terminals/environment-variables.ts";
import { judgeWrite } from "../confinement.ts";
import { masksOf } from "../masks.ts";
import type { Wall } from "../wall.ts";

/** One promise of the wall, tried just now. */
export interface WallLine {
  readonly name: string;
  readonly state: "holds" | "broken" | "not tried";
  readonly detail: string;
}

export interface SelfTestOptions {
  /** What commands of the session inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tempDir: string;
}

/** Tries for real, in the folder of a session, what its wall promises: each line is an attempt that was made. */
export async function testWall(
  wall: Wall,
  options: SelfTestOptions,
  signal: AbortSignal,
): Promise<readonly WallLine[]> {
  const { confinement } = wall;
  if (!wall.isInForce)
    return [
      {
        name: "sandbox",
        state: "broken",
        detail:
          confinement.enforcement === "off"
            ? "switched off (terminal.sandbox); only flagged commands are asked about"
            : "none works here; everything it would hold is asked about, and refused where nobody can be asked",
      },
    ];
  const inside = new Inside(wall, options, signal);
  return [
    { name: "sandbox", state: "holds", detail: confinement.enforcement },
    await writesWorkspace(inside),
    await writesNothingElse(inside),
    await seesNoSecrets(inside),
    await seesNothingOfHermes(inside),
    await seesNoOtherSession(inside),
    await seesNoCredentials(inside),
    await touchesNoProcesses(inside),
    ...(await reachesNobody(inside)),
  ];
}

/** Runs small commands behind the wall. */
class Inside {
  readonly wall: Wall;
  readonly #options: SelfTestOptions;
  readonly #signal: AbortSignal;

  constructor(wall: Wall, options: SelfTestOptions, signal: AbortSignal) {
    this.wall = wall;
    this.#options = options;
    this.#signal = signal;
  }

  get tempDir(): string {
    return this.#options.tempDir;
  }

  async run(script: string, ...args: readonly string[]): Promise<{ readonly isOk: boolean; readonly output: string }> {
    const { workspace } = this.wall.confinement;
    const call = { program: "/bin/bash", args: ["-c", script, "hermes", ...args] };
    const { program, args: words } = this.wall.confine(call, { cwd: workspace, isBackground: true, writable: [] });
    const done = await runProcess(program, words, {
      cwd: "/",
      env: { ...this.#options.env, ...this.wall.environment },
      signal: this.#signal,
      timeoutMs: 20_000,
      maxOutputBytes: 100_000,
    });
    return { isOk: done.exitCode === 0, output: done.stdout.trim() };
  }
}

async function writesWorkspace(inside: Inside): Promise<WallLine> {
  const { workspace } = inside.wall.confinement;
  const file = path.join(workspace, `.wall-test-${newId("t")}`);
  const { isOk } = await inside.run('echo x > "$1" && rm "$1"', file);
  const detail = isOk ? workspace : `${workspace} could not be written`;
  return { name: "the workspace can be written", state: isOk ? "holds" : "broken", detail };
}

async function writesNothingElse(inside: Inside): Promise<WallLine> {
  const { home, workspace } = inside.wall.confinement;
  const name = `.wall-test-${newId("t")}`;
  const guarded = existsSync(path.join(workspace, ".git", "hooks"))
    ? [path.join(workspace, ".git", "hooks", name)]
    : [];
  const others = [home, path.dirname(workspace), "/", "/etc", "/usr/local/bin"].map((folder) =>
    path.join(folder, name),
  );
  const files = [...others.filter((file) => judgeWrite(inside.wall.confinement, file).kind !== "allowed"), ...guarded];
  await inside.run('for file; do echo x > "$file"; done; true', ...files);
  const written = files.filter((file) => existsSync(file));
  for (const file of written) rmSync(file, { force: true });
  const isHeld = written.length === 0;
  return {
    name: "nothing else can be written",
    state: isHeld ? "holds" : "broken",
    detail: isHeld ? `${files.length} attempts, among them ${home}` : `written: ${written.join(", ")}`,
  };
}

async function seesNoSecrets(inside: Inside): Promise<WallLine> {
  const name = "secrets cannot be read";
  const { confinement } = inside.wall;
  // What is kept for sessions is tried by itself: a session sees its own of it.
  const kept = await realpath(await privateRoot(inside.tempDir));
  const masks = masksOf(confinement, inside.tempDir).filter(({ path: file }) => file !== kept && existsSync(file));
  if (masks.length === 0) return { name, state: "not tried", detail: "none of the known secret locations exists here" };
  const script = 'for file; do if [ -d "$file" ]; then ls -A "$file"; else head -c 1 "$file"; fi; done 2>/dev/null';
  const { output } = await inside.run(script, ...masks.map(({ path: file }) => file));
  const locations = masks.slice(0, 3).map(({ path: file }) => file);
  return {
    name,
    state: output === "" ? "holds" : "broken",
    detail: `${masks.length} locations tried (${locations.join(", ")}${masks.length > 3 ? ", …" : ""})`,
  };
}

async function seesNothingOfHermes(inside: Inside): Promise<WallLine> {
  const { hermesHome } = inside.wall.confinement;
  const canary = path.join(hermesHome, `.wall-test-${newId("t")}`);
  mkdirSync(hermesHome, { recursive: true });
  writeFileSync(canary, "canary", { mode: 0o600 });
  try {
    const { output } = await inside.run(
      'cat "$1" 2>/dev/null; echo x 2>/dev/null > "$2/config.yaml.test"; true',
      canary,
      hermesHome,
    );
    const isHeld = output === "" && !existsSync(path.join(hermesHome, "config.yaml.test"));
    return { name: "Hermes' own home is out of reach", state: isHeld ? "holds" : "broken", detail: hermesHome };
  } finally {
    rmSync(canary, { force: true });
    rmSync(path.join(hermesHome, "config.yaml.test"), { force: true });
  }
}

async function seesNoOtherSession(inside: Inside): Promise<WallLine> {
  const other = await makePrivateFolder(inside.tempDir, "terminal");
  const canary = path.join(other, "canary");
  writeFileSync(canary, "canary", { mode: 0o600 });
  try {
    const { output } = await inside.run('cat "$1" 2>/dev/null; echo x 2>/dev/null > "$1"; true', canary);
    const isHeld = output === "" && readFileSync(canary, "utf8") === "canary";
    const detail = path.dirname(other);
    return { name: "other sessions' files are out of reach", state: isHeld ? "holds" : "broken", detail };
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
}

async function seesNoCredentials(inside: Inside): Promise<WallLine> {
  const { output } = await inside.run("env");
  const variables = output.split("\n").flatMap((line) => {
    const [, name, value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, value }];
  });
  const named = new Set(inside.wall.confinement.environment);
  const found = variables.filter(({ name, value }) => !named.has(name) && looksLikeCredential(name, value));
  const names = found.map(({ name }) => name).join(", ");
  const detail = names === "" ? `${variables.length} variables, none looks like a credential` : names;
  return { name: "the environment holds no credentials", state: found.length === 0 ? "holds" : "broken", detail };
}

async function touchesNoProcesses(inside: Inside): Promise<WallLine> {
  const { output } = await inside.run(
    'kill -0 "$1" 2>/dev/null && echo reached; cat "/proc/$1/environ" 2>/dev/null',
    String(process.pid),
  );
  // Under Seatbelt the same user's processes may be signalled; what they hold is out of reach.
  const isHeld = output === "" || (inside.wall.confinement.enforcement === "seatbelt" && output === "reached");
  return {
    name: "other processes are out of reach",
    state: isHeld ? "holds" : "broken",
    detail: `process ${process.pid}`,
  };
}

/** Of each kind of inner network: what gives cloud machines their credentials, a home router, an office, IPv6. */
const privateHosts: readonly string[] = ["169.254.169.254:80", "192.168.1.1:80", "10.0.0.1:443", "[fd00::1]:80"];

/** A `502` would be a way out that was tried and led nowhere. */
async function reachesNobody(inside: Inside): Promise<readonly WallLine[]> {
  const { network } = inside.wall.confinement;
  if (network.mode === "open")
    return [{ name: "the network asks", state: "broken", detail: "it is open (terminal.network)" }];
  const server = net.createServer((socket) => socket.end("reached"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const direct = await inside.run('(exec 3<>"/dev/tcp/127.0.0.1/$1" && cat <&3) 2>/dev/null', String(port));
    const ask = `port="\${HTTP_PROXY##*:}"; [ -n "$port" ] || exit 0; exec 3<>"/dev/tcp/127.0.0.1/$port" || exit 0
printf 'CONNECT %s HTTP/1.1\\r\\n\\r\\n' "$1" >&3; read -r _ status _ <&3; echo "$status"`;
    const privates = [`127.0.0.1:${port}`, ...privateHosts];
    const answers: string[] = [];
    for (const host of privates) answers.push((await inside.run(`{ ${ask}\n} 2>/dev/null`, host)).output);
    const unknown = await inside.run(`{ ${ask}\n} 2>/dev/null`, "wall-test.invalid:443");
    const isClosed = direct.output === "" && answers.every((answer) => answer !== "200" && answer !== "502");
    return [
      {
        name: "this machine and private networks are out of reach",
        state: isClosed ? "holds" : "broken",
        detail: `tried ${privates.join(", ")}`,
      },
      {
        name: "a host that nobody allowed is not reached",
        state: unknown.output === "200" ? "broken" : "holds",
        detail: unknown.output === "" ? "there is no network at all" : `the way out answered ${unknown.output}`,
      },
    ];
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
