import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../free-port.ts";

const python = "/opt/hermes-test-peers/synapse/bin/python";
const sharedSecret = "only-for-this-test";
const startMs = 120_000;

/** Why there is no Synapse here; undefined when there is one. */
export function missingSynapse(): string | undefined {
  return existsSync(python) ? undefined : "Synapse is not installed (scripts/setup-test-peers.sh)";
}

/** Somebody with an account on the server, and what they do there. */
export interface MatrixPerson {
  readonly id: string;
  readonly token: string;
  readonly deviceId: string;
  readonly password: string;
  /** A call of the client-server API; rejects when the server says no. */
  call(method: string, at: string, body?: unknown): Promise<Record<string, unknown>>;
}

export interface Synapse extends AsyncDisposable {
  readonly url: string;
  /** An account with a name of its own. */
  person(name: string): Promise<MatrixPerson>;
}

/** A real home server on loopback, with a database of its own that is gone afterwards. It speaks to nobody else. */
export async function startSynapse(): Promise<Synapse> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-synapse-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = path.join(folder, "homeserver.yaml");
  await writeFile(config, JSON.stringify(settings(folder, port)));
  const args = ["-m", "synapse.app.homeserver", "--config-path", config];
  spawnSync(python, [...args, "--generate-keys"], { cwd: folder });
  const server = spawn(python, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const close = async (): Promise<void> => {
    server.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for (const untilMs = Date.now() + startMs; ; ) {
    const answer = await fetch(`${url}/_matrix/client/versions`).catch(() => undefined);
    if (answer?.ok === true) break;
    if (Date.now() > untilMs || server.exitCode !== null) {
      await close();
      throw new Error(`Synapse did not start: ${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  let people = 0;
  return {
    url,
    async person(name) {
      people += 1;
      return await register(url, `${name}${people}`);
    },
    [Symbol.asyncDispose]: close,
  };
}

/** JSON is YAML. */
function settings(folder: string, port: number): object {
  const plenty = { per_second: 10_000, burst_count: 10_000 };
  return {
    server_name: "hermes.test",
    pid_file: path.join(folder, "homeserver.pid"),
    listeners: [{ port, type: "http", bind_addresses: ["127.0.0.1"], resources: [{ names: ["client"] }] }],
    database: { name: "sqlite3", args: { database: path.join(folder, "homeserver.db") } },
    media_store_path: path.join(folder, "media"),
    signing_key_path: path.join(folder, "signing.key"),
    registration_shared_secret: sharedSecret,
    macaroon_secret_key: "macaroon",
    form_secret: "form",
    report_stats: false,
    trusted_key_servers: [],
    suppress_key_server_warning: true,
    federation_domain_whitelist: [],
    rc_message: plenty,
    rc_registration: plenty,
    rc_login: { address: plenty, account: plenty, failed_attempts: plenty },
    rc_joins: { local: plenty, remote: plenty },
    rc_invites: { per_room: plenty, per_user: plenty, per_issuer: plenty },
  };
}

async function register(url: string, username: string): Promise<MatrixPerson> {
  const at = `${url}/_synapse/admin/v1/register`;
  const { nonce } = (await (await fetch(at)).json()) as { nonce: string };
  const password = `password-of-${username}`;
  const mac = createHmac("sha1", sharedSecret).update([nonce, username, password, "notadmin"].join("\0")).digest("hex");
  const answer = await fetch(at, { method: "POST", body: JSON.stringify({ nonce, username, password, mac }) });
  const made = (await answer.json()) as { user_id: string; access_token: string; device_id: string };
  return {
    id: made.user_id,
    token: made.access_token,
    deviceId: made.device_id,
    password,
    async call(method, path, body) {
      const said = await fetch(`${url}/_matrix/client/v3${path}`, {
        method,
        headers: { authorization: `Bearer ${made.access_token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const fields = (await said.json()) as Record<string, unknown>;
      if (!said.ok) throw new Error(`${method} ${path}: ${JSON.stringify(fields)}`);
      return fields;
    },
  };
}

/** A room with these people in it. */
export async function roomOf(owner: MatrixPerson, others: readonly MatrixPerson[], more: object = {}): Promise<string> {
  const invite = others.map(({ id }) => id);
  const made = await owner.call("POST", "/createRoom", { preset: "private_chat", invite, ...more });
  const room = String(made["room_id"]);
  for (const one of others) await one.call("POST", `/rooms/${encodeURIComponent(room)}/join`, {});
  return room;
}

/** What stands in a room, oldest first, with edits done. */
export async function standingIn(room: string, reader: MatrixPerson): Promise<readonly Record<string, unknown>[]> {
  const page = await reader.call("GET", `/rooms/${encodeURIComponent(room)}/messages?dir=b&limit=100`);
  const events = (
    page["chunk"] as { type: string; sender: string; content: Record<string, unknown>; event_id: string }[]
  )
    .filter(({ type }) => type === "m.room.message" || type === "m.room.encrypted")
    .reverse();
  return events.map(({ sender, content, event_id: id, type }) => ({ sender, id, type, ...content }));
}
