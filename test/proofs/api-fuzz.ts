import { connect } from "node:net";

/** A small generator of random numbers that repeats itself for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const paths = [
  "/v1/chat/completions",
  "/v1/responses",
  "/v1/responses/resp_x",
  "/v1/runs",
  "/v1/runs/run_x/stop",
  "/api/jobs",
  "/api/jobs/0123456789ab",
  "/api/jobs/0123456789ab/run",
  "/api/jobs/../../etc",
  "/v1/models/%00",
  "/v1/%ff%fe",
  "/nowhere",
];
const methods = ["POST", "POST", "POST", "PATCH", "PUT", "DELETE"];
const fields = [
  "messages",
  "input",
  "model",
  "stream",
  "instructions",
  "conversation",
  "conversation_history",
  "previous_response_id",
  "name",
  "schedule",
  "prompt",
  "repeat",
  "skills",
  "enabled",
  "truncation",
  "store",
  "session_id",
];

/** One value that no field takes, or that is at least unusual. */
function strange(random: (below: number) => number, depth = 0): unknown {
  const plain: readonly unknown[] = [
    null,
    true,
    -1,
    1e308,
    "",
    "\u0000",
    "😀".repeat(50),
    "constructor",
    "__proto__",
    [],
    {},
    [[]],
    { role: "user" },
    { role: "system", content: 7 },
    { role: "nobody", content: "x" },
    { type: "input_audio" },
    "x".repeat(70_000),
  ];
  const pick = random(plain.length + 3);
  if (pick < plain.length) return plain[pick];
  if (depth > 3) return "deep";
  if (pick === plain.length) return Array.from({ length: random(4) }, () => strange(random, depth + 1));
  if (pick === plain.length + 1) return { content: [strange(random, depth + 1)], role: "user" };
  return { [fields[random(fields.length)] ?? "x"]: strange(random, depth + 1) };
}

/** A request that nobody should send, as bytes of its body. */
function bodyOf(random: (below: number) => number): string | Uint8Array {
  const kind = random(8);
  if (kind === 0) return "{".repeat(random(5000));
  if (kind === 1) return new Uint8Array(Array.from({ length: random(300) }, () => random(256)));
  if (kind === 2) return `{"messages":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  if (kind === 3) return JSON.stringify(strange(random));
  // Never a request that could be carried out: its one necessary field is always wrong.
  const body: Record<string, unknown> = {
    messages: [{ role: "assistant", content: "no" }],
    input: 7,
    name: 7,
    schedule: "never",
  };
  for (let count = random(5); count > 0; count -= 1) {
    const field = fields[random(fields.length)] ?? "x";
    const value = strange(random);
    if (field !== "input" && field !== "schedule" && field !== "messages" && field !== "name") body[field] = value;
    else if (typeof value !== "string" && !Array.isArray(value)) body[field] = value;
  }
  return JSON.stringify(body);
}

export interface FuzzReport {
  readonly sent: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** Requests that were answered by something else than a refusal of the client. */
  readonly wrong: readonly string[];
}

/** Sends malformed requests, some at a time, and counts how they were answered. */
export async function fuzzApi(
  url: string,
  options: { readonly key: string; readonly count: number; readonly seed: number },
): Promise<FuzzReport> {
  const random = randomOf(options.seed);
  const byStatus: Record<string, number> = {};
  const wrong: string[] = [];
  const one = async (): Promise<void> => {
    const [path, method, body] = [
      paths[random(paths.length)] ?? "/",
      methods[random(methods.length)] ?? "POST",
      bodyOf(random),
    ];
    const isRaw = random(50) === 0;
    const status = isRaw ? await rawStatus(url, random) : await send(url, { path, method, body, key: options.key });
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    if (status < 400 || status >= 500) wrong.push(`${status} ${method} ${path} ${String(body).slice(0, 200)}`);
  };
  let left = options.count;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (left > 0) {
        left -= 1;
        await one();
      }
    }),
  );
  return { sent: options.count, byStatus, wrong };
}

async function send(
  url: string,
  { path, method, body, key }: { path: string; method: string; body: string | Uint8Array; key: string },
): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    body: typeof body === "string" ? body : Buffer.from(body),
  });
  await response.arrayBuffer();
  return response.status;
}

const nonsense = [
  "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n{}",
  "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n{}",
  "GARBAGE\r\n\r\n",
  "GET / HTTP/9.9\r\n\r\n",
  "POST /v1/runs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
  "GET /v1/models HTTP/1.1\r\nHost: a\r\nX-Hermes-Session-Id: a\u0000b\r\n\r\n",
];

function rawStatus(url: string, random: (below: number) => number): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(nonsense[random(nonsense.length)] ?? ""));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
      if (status === undefined) return;
      socket.destroy();
      resolve(Number(status));
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(400));
  });
}
