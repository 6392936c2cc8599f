import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { never } from "#foundation/lifecycle/abort";
import { runProcess } from "#foundation/process/run";
import { freePort } from "../../fakes/free-port.ts";

/** A PostgreSQL server of our own, from the system's packages, on a free loopback port and in a temporary folder. */
export interface PostgresServer extends AsyncDisposable {
  readonly url: string;
  /** An empty database on it; the address of that. */
  fresh(): Promise<string>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export type PostgresAvailability =
  | { readonly kind: "present"; readonly bin: string }
  | { readonly kind: "missing"; readonly why: string };

export function findPostgres(): PostgresAvailability {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((left, right) => Number(right) - Number(left)) : [];
  const bin = versions
    .map((version) => join(root, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")));
  if (bin === undefined) return { kind: "missing", why: `no initdb below ${root}; run: npm run test:postgres` };
  if (process.platform !== "linux") return { kind: "missing", why: "the server is started on Linux only" };
  return { kind: "present", bin };
}

export async function startPostgres(bin: string): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), "hermes-pg-"));
  await chmod(folder, 0o755);
  const user = process.getuid?.() === 0 ? await postgresUser() : undefined;
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const port = await freePort();
  const run = async (program: string, ...args: readonly string[]): Promise<void> => {
    const command = [join(bin, program), ...args];
    // The server refuses to run as root; setpriv steps down without a shell in between.
    const full =
      user === undefined
        ? command
        : ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", ...command];
    const [name = "", ...rest] = full;
    const result = await runProcess(name, rest, { cwd: folder, signal: never, timeoutMs: 60_000 });
    if (result.exitCode !== 0) throw new Error(`${program} failed: ${result.stderr}${result.stdout}`);
  };
  const data = join(folder, "data");
  await run("initdb", "-D", data, "-A", "trust", "-U", "hermes", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8");
  const settings = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off -c max_connections=120`;
  const start = () => run("pg_ctl", "-D", data, "-o", settings, "-l", join(folder, "log"), "-w", "start");
  const stop = () => run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop");
  await start();
  const address = (database: string): string => `postgres://hermes@127.0.0.1:${port}/${database}`;
  let count = 0;
  return {
    url: address("postgres"),
    async fresh() {
      count += 1;
      const client = new pg.Client({ connectionString: address("postgres") });
      await client.connect();
      await client.query(`CREATE DATABASE hermes_${count}`);
      await client.end();
      return address(`hermes_${count}`);
    },
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function postgresUser(): Promise<{ uid: number; gid: number }> {
  const line = (await readFile("/etc/passwd", "utf8")).split("\n").find((entry) => entry.startsWith("postgres:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  if (uid === undefined || gid === undefined) throw new Error("there is no user postgres");
  return { uid: Number(uid), gid: Number(gid) };
}
