import { createServer as createHttpServer, request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface NetworkProxy extends AsyncDisposable {
  readonly port: number;
  /** `CONNECT a.test:443`, `GET http://a.test/x`, `SOCKS a.test:443`, in the order it was asked. */
  readonly asked: readonly string[];
  /** The logins that came with them; empty where none did. */
  readonly logins: readonly string[];
}

/** A proxy on loopback, for HTTP and for SOCKS 5. Names lead to ports of this machine; it refuses every other one. */
export async function startNetworkProxy(ports: Readonly<Record<string, number>>): Promise<NetworkProxy> {
  const asked: string[] = [];
  const logins: string[] = [];
  const sockets = new Set<Duplex>();
  const track = <T extends Duplex>(socket: T): T => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    return socket;
  };
  const http = createHttpServer((request, response) => {
    note(`${request.method} ${request.url}`, request);
    const target = new URL(request.url ?? "");
    const port = ports[target.hostname];
    if (port === undefined) return void response.writeHead(502).end();
    const { "proxy-authorization": _login, ...headers } = request.headers;
    const path = `${target.pathname}${target.search}`;
    const onward = httpRequest({ host: "127.0.0.1", port, method: request.method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  const note = (what: string, request: IncomingMessage): void => {
    asked.push(what);
    logins.push(request.headers["proxy-authorization"] ?? "");
  };
  http.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    note(`CONNECT ${request.url}`, request);
    const port = ports[(request.url ?? "").replace(/:\d+$/u, "")];
    if (port === undefined) return void socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    join(socket, port, "HTTP/1.1 200 Connection established\r\n\r\n", head);
  });
  const join = (socket: Duplex, port: number, greeting: string | Buffer, head: Buffer): void => {
    const upstream = track(connect(port, "127.0.0.1"));
    upstream.once("connect", () => {
      socket.write(greeting);
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    socket.on("close", () => upstream.destroy());
    upstream.on("close", () => socket.destroy());
  };

  /** Without login or with name and password, by name only. */
  const socks = async (socket: Socket): Promise<void> => {
    const bytes = new Bytes(socket);
    const [, methods = 0] = await bytes.take(2);
    const offered = [...(await bytes.take(methods))];
    const hasLogin = offered.includes(2);
    socket.write(Buffer.from([5, hasLogin ? 2 : 0]));
    let login = "";
    if (hasLogin) {
      await bytes.take(1);
      const name = await bytes.take((await bytes.take(1))[0] ?? 0);
      const password = await bytes.take((await bytes.take(1))[0] ?? 0);
      login = `${name.toString()}:${password.toString()}`;
      socket.write(Buffer.from([1, 0]));
    }
    const [, , , kind] = await bytes.take(4);
    const name = kind === 3 ? (await bytes.take((await bytes.take(1))[0] ?? 0)).toString() : "";
    const port = kind === 3 ? (await bytes.take(2)).readUInt16BE() : 0;
    asked.push(`SOCKS ${name}:${port}`);
    logins.push(login);
    const local = ports[name];
    const answer = Buffer.from([5, local === undefined ? 4 : 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    if (local === undefined) return void socket.end(answer);
    join(socket, local, answer, bytes.rest());
  };

  const server = createServer((socket) => {
    track(socket);
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      if (first[0] === 5) void socks(socket);
      else http.emit("connection", socket);
      socket.resume();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    logins,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Bytes of a socket, as many as wanted. */
class Bytes {
  readonly #socket: Socket;
  #held = Buffer.alloc(0);
  #wake: () => void = () => undefined;
  readonly #onData = (chunk: Buffer): void => {
    this.#held = Buffer.concat([this.#held, chunk]);
    this.#wake();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", this.#onData);
  }

  async take(count: number): Promise<Buffer> {
    while (this.#held.length < count)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  /** What came already and nobody took; from here on the socket is somebody else's. */
  rest(): Buffer {
    this.#socket.off("data", this.#onData);
    this.#socket.pause();
    return this.#held;
  }
}
