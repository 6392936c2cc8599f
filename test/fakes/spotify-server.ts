import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SpotifyCallSeen {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly json: unknown;
}

/** Spotify on loopback: its login page agrees at once, and its API refuses what the service refuses. */
export interface SpotifyServer extends AsyncDisposable {
  readonly url: string;
  readonly clientId: string;
  readonly calls: readonly SpotifyCallSeen[];
  /** How often tokens were given out, by kind of grant. */
  readonly grants: Readonly<Record<string, number>>;
  /** No token of now is taken any more; refresh tokens are. */
  expire(): void;
  /** The person has thrown the app out. */
  withdraw(): void;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly location?: string;
}

const track = {
  name: "Blue in Green",
  uri: "spotify:track:0aWMVrwxPNYkKmFthzmpRi",
  artists: [{ name: "Miles Davis", href: "https://api.example/artists/1" }],
  available_markets: ["DE", "FR"],
  images: [{ url: "https://images.example/cover.jpg" }],
};

export async function startSpotifyServer(): Promise<SpotifyServer> {
  const clientId = "0123456789abcdef0123456789abcdef";
  const calls: SpotifyCallSeen[] = [];
  const grants: Record<string, number> = {};
  const challenges = new Map<string, { readonly challenge: string; readonly redirectUri: string }>();
  let issued = 0;
  let valid = "";
  let isWithdrawn = false;

  const authorize = ({ searchParams }: URL): Answer => {
    const get = (name: string): string => searchParams.get(name) ?? "";
    if (get("client_id") !== clientId || get("response_type") !== "code") return { status: 400 };
    const target = new URL(get("redirect_uri"));
    // Names for this machine are refused; only its address is taken.
    if (target.hostname !== "127.0.0.1" || get("code_challenge_method") !== "S256") return { status: 400 };
    const code = `code-${challenges.size + 1}`;
    challenges.set(code, { challenge: get("code_challenge"), redirectUri: get("redirect_uri") });
    target.search = new URLSearchParams({ code, state: get("state") }).toString();
    return { status: 302, location: target.href };
  };
  const token = (form: URLSearchParams): Answer => {
    const kind = form.get("grant_type") ?? "";
    const refused = { status: 400, body: { error: "invalid_grant", error_description: "Refresh token revoked" } };
    if (form.get("client_id") !== clientId) return { status: 400, body: { error: "invalid_client" } };
    if (kind === "authorization_code") {
      const asked = challenges.get(form.get("code") ?? "");
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (asked?.challenge !== challenge || asked.redirectUri !== form.get("redirect_uri")) return refused;
    } else if (isWithdrawn || form.get("refresh_token") !== `refresh-${issued}`) return refused;
    issued += 1;
    grants[kind] = (grants[kind] ?? 0) + 1;
    valid = `access-${issued}`;
    return { status: 200, body: { access_token: valid, refresh_token: `refresh-${issued}`, expires_in: 3600 } };
  };

  const server = createServer((request, response) => {
    void answerTo(request).then(({ status, body, location }) => {
      const headers = { "content-type": "application/json", connection: "close", ...(location && { location }) };
      response.writeHead(status, headers).end(body === undefined ? "" : JSON.stringify(body));
    }, fail(response));
  });
  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    const url = new URL(request.url ?? "/", "http://spotify");
    const text = await textOf(request);
    if (url.pathname === "/authorize") return authorize(url);
    if (url.pathname === "/api/token") return token(new URLSearchParams(text));
    if (request.headers.authorization !== `Bearer ${valid}`)
      return { status: 401, body: { error: { status: 401, message: "The access token expired" } } };
    const path = `${url.pathname}${url.search}`.replace(/^\/v1/u, "");
    const call = { method: request.method ?? "GET", path, json: text === "" ? undefined : JSON.parse(text) };
    calls.push(call);
    return apiAnswer(call);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clientId,
    calls,
    grants,
    expire: () => {
      valid = "";
    },
    withdraw: () => {
      valid = "";
      isWithdrawn = true;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function apiAnswer({ method, path, json }: SpotifyCallSeen): Answer {
  const name = `${method} ${path.replace(/\?.*/u, "")}`;
  if (name === "GET /me") return { status: 200, body: { id: "ann", display_name: "Ann" } };
  if (name === "GET /search") return { status: 200, body: { tracks: { items: [track, null], total: 1 } } };
  if (name === "GET /me/player") return { status: 204 };
  if (name === "PUT /me/player/play" && path.includes("device_id=none"))
    return { status: 404, body: { error: { status: 404, message: "Player command failed: No active device found" } } };
  if (name === "POST /users/ann/playlists") return { status: 201, body: { id: "p1", ...(json as object) } };
  if (/^(?:PUT|POST|DELETE) /u.test(name)) return { status: 204 };
  return { status: 200, body: { items: [], total: 0 } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function fail(response: ServerResponse): (error: unknown) => void {
  return (error) => void response.writeHead(500).end(String(error));
}
