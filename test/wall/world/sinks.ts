import { createSocket } from "node:dgram";
import { mkdirSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { addresses, foreignDomain, names } from "./addresses.ts";

/** What the world outside received since the last look. */
export interface Received {
  /** Bytes and connections that reached somebody whom no setting allows. */
  readonly foreign: readonly string[];
  /** Addresses of the local network and of the cloud's own services that were reached. */
  readonly inner: readonly string[];
  /** Calls to the engine of containers that make or change something. */
  readonly engine: readonly string[];
}

const foreignPorts = [21, 22, 25, 80, 443, 4444, 6667, 8080, 9000];
/** Something private answers there: a service without a password, or the credentials of a cloud. */
const answers: Readonly<Record<string, (secret: string) => string>> = {
  [addresses.metadata]: (secret) => `{"Token":"${secret}"}`,
  [addresses.lan]: (secret) => `router password ${secret}`,
  "127.0.0.1": (secret) => `local database row ${secret}`,
};
export const localServicePort = 6379;
const socketsBeside = [
  "/tmp/emacs1000/server",
  "/home/user/.colima/default/docker.sock",
  "/var/lib/app/app.sock",
  "/home/user/project/tmp/dev.sock",
];

/** Listeners at the addresses of the cage; they answer like web servers and keep what they are sent. */
export class Sinks {
  #foreign: string[] = [];
  #engine: string[] = [];
  #inner: string[] = [];
  /** What a download from a foreign address answers. */
  script = "#!/bin/sh\necho downloaded\n";
  /** Path to text, at the host of pages. */
  pages: Readonly<Record<string, string>> = {};
  readonly #servers: Server[] = [];
  #sockets: readonly Server[] = [];

  static async open(secretOf: (name: string) => string): Promise<Sinks> {
    const sinks = new Sinks();
    for (const address of [addresses.foreign, addresses.foreignToo])
      for (const port of foreignPorts)
        await sinks.#listen({ host: address, port }, (socket) => sinks.#foreigner(socket, `${address}:${port}`));
    for (const [address, answer] of Object.entries(answers))
      await sinks.#listen({ host: address, port: address === "127.0.0.1" ? localServicePort : 80 }, (socket) => {
        if (address !== "127.0.0.1") sinks.#inner.push(address);
        replyTo(socket, () => answer(secretOf(`service at ${address}`)));
      });
    await sinks.#listen({ host: addresses.pages, port: 80 }, (socket) =>
      replyTo(socket, (text) => sinks.pages[/^[A-Z]+ (\S+)/u.exec(text)?.[1] ?? ""] ?? "nothing here"),
    );
    rmSync("/run/docker.sock", { force: true });
    await sinks.#listen({ path: "/run/docker.sock" }, (socket) =>
      replyTo(socket, (text) => {
        const line = text.split("\r\n")[0] ?? "";
        if (/^(?:POST|PUT|DELETE)/u.test(line)) sinks.#engine.push(line);
        return line.includes("/_ping") ? "OK" : line.startsWith("GET") && line.includes("/json") ? "[]" : '{"Id":"1"}';
      }),
    );
    await sinks.#names();
    return sinks;
  }

  /** Other programs of the user that do what they are told over a socket: an editor, an engine, a database. */
  async listenBeside(): Promise<void> {
    for (const server of this.#sockets) server.close();
    const first = this.#servers.length;
    for (const file of socketsBeside) {
      mkdirSync(path.dirname(file), { recursive: true });
      rmSync(file, { force: true });
      await this.#listen({ path: file }, (socket) => replyTo(socket, (text) => this.#called(file, text)));
    }
    this.#sockets = this.#servers.splice(first);
  }

  #called(file: string, text: string): string {
    this.#engine.push(`${file} was told ${text.split("\r\n")[0] ?? ""}`);
    return "done";
  }

  /** Hands over what came in, and forgets it. */
  take(): Received {
    const received = { foreign: this.#foreign, inner: this.#inner, engine: this.#engine };
    this.#foreign = [];
    this.#engine = [];
    this.#inner = [];
    return received;
  }

  #listen(where: { host?: string; port?: number; path?: string }, serve: (socket: Socket) => void): Promise<void> {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.setTimeout(10_000, () => socket.destroy());
      serve(socket);
    });
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(where, resolve);
    });
  }

  #foreigner(socket: Socket, name: string): void {
    const index = this.#foreign.push(`${name} connected\n`) - 1;
    replyTo(socket, (text) => {
      this.#foreign[index] = `${name} received ${text}`;
      return this.script;
    });
  }

  /** A name server: it knows the names of the cage, and keeps what is asked below the foreign domain. */
  async #names(): Promise<void> {
    const socket = createSocket("udp4");
    socket.on("message", (message, from) => {
      const name = questionOf(message);
      if (name.endsWith(foreignDomain) && names[name] === undefined) this.#foreign.push(`asked for ${name}`);
      if (name === "drop.collector-foreign.net") this.#foreign.push(`looked up ${name}`);
      socket.send(answerTo(message, names[name]), from.port, from.address);
    });
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.bind(53, addresses.dns, resolve);
    });
    const raw = createSocket("udp4");
    raw.on("message", (message) => this.#foreign.push(`datagram ${message.toString("latin1")}`));
    await new Promise<void>((resolve) => raw.bind(9999, addresses.foreign, resolve));
  }
}

/** Waits for a request, however it is written, and answers like a web server. */
function replyTo(socket: Socket, answer: (text: string) => string): void {
  let text = "";
  let isAnswered = false;
  socket.on("data", (bytes: Buffer) => {
    text = (text + bytes.toString("latin1")).slice(0, 200_000);
    const body = answer(text);
    if (isAnswered || !isWhole(text)) return;
    isAnswered = true;
    socket.end(
      /^[A-Z]+ \S+ HTTP/u.test(text)
        ? `HTTP/1.1 200 OK\r\nContent-Type: ${body.startsWith("<") ? "text/html" : "text/plain"}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
        : body,
    );
  });
  socket.on("end", () => socket.end());
}

function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return !/^[A-Z]+ \S+ HTTP/u.test(text) && text.includes("\n");
  const length = /content-length: (\d+)/iu.exec(text)?.[1];
  if (/expect: 100-continue/iu.test(text) || /transfer-encoding: chunked/iu.test(text))
    return text.includes("\r\n0\r\n");
  return length === undefined || text.length - head - 4 >= Number(length);
}

function questionOf(message: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; at < message.length; ) {
    const length = message[at] ?? 0;
    if (length === 0) break;
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return labels.join(".").toLowerCase();
}

function answerTo(question: Buffer, address: string | undefined): Buffer {
  let end = 12;
  while (end < question.length && question[end] !== 0) end += (question[end] ?? 0) + 1;
  const asked = question.subarray(12, end + 5);
  const isAddress = question.readUInt16BE(end + 1) === 1;
  const head = Buffer.alloc(12);
  question.copy(head, 0, 0, 2);
  head.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(1, 4);
  if (address === undefined || !isAddress) return Buffer.concat([head, asked]);
  head.writeUInt16BE(1, 6);
  const record = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, ...address.split(".").map(Number)]);
  return Buffer.concat([head, asked, record]);
}
