import { connect, createServer, type Socket } from "node:net";

export type SmtpTrouble = "rate-limited" | "refused-markup" | "accept-then-cut" | "cut" | "server-error";

export interface SmtpFront extends AsyncDisposable {
  readonly port: number;
  /** Mails the server behind has accepted, as they went over the wire. */
  readonly accepted: readonly string[];
  nextSend(trouble: SmtpTrouble): void;
  sends(): number;
}

const dataEnd = "\r\n.\r\n";

/** Stands before a real SMTP server, hands everything through, and makes trouble when asked to. */
export async function startSmtpFront(behind: number): Promise<SmtpFront> {
  const accepted: string[] = [];
  const troubles: SmtpTrouble[] = [];
  let sends = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(behind, "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.setEncoding("latin1");
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let trouble: SmtpTrouble | undefined;
    let state: "commands" | "asked" | "data" | "sent" = "commands";
    let mail = "";
    client.on("data", (chunk: string): unknown => {
      if (state === "data") {
        mail += chunk;
        if (!mail.endsWith(dataEnd)) return undefined;
        if (trouble === "cut") return client.destroy();
        if (trouble === "refused-markup") {
          // Said in its place; what was begun behind is given up.
          client.write("554 5.6.0 The content is refused\r\n", "latin1");
          return upstream.destroy();
        }
        state = "sent";
        return upstream.write(mail, "latin1");
      }
      if (/^MAIL FROM/iu.test(chunk)) {
        sends += 1;
        trouble = troubles.shift();
        if (trouble === "server-error") return client.write("451 4.3.0 Local error in processing\r\n", "latin1");
        if (trouble === "rate-limited") return client.write("451 4.7.1 Try again later\r\n", "latin1");
      }
      if (/^DATA\r\n/iu.test(chunk)) state = "asked";
      return upstream.write(chunk, "latin1");
    });
    upstream.on("data", (chunk: string): unknown => {
      if (state === "asked" && chunk.startsWith("354")) {
        state = "data";
        mail = "";
      } else if (state === "sent") {
        state = "commands";
        if (chunk.startsWith("250")) accepted.push(mail.slice(0, -dataEnd.length));
        if (trouble === "accept-then-cut") return client.destroy();
      }
      // One command after the other, and mails in one piece, so that they can be read here.
      return client.write(chunk.replaceAll(/250-(?:PIPELINING|CHUNKING)\r\n/gu, ""), "latin1");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    accepted,
    nextSend: (one) => troubles.push(one),
    sends: () => sends,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface TcpFront extends AsyncDisposable {
  readonly port: number;
  drop(): void;
}

/** Hands bytes through; `drop` ends every connection. */
export async function startTcpFront(behind: number): Promise<TcpFront> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(behind, "127.0.0.1");
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const drop = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    drop,
    async [Symbol.asyncDispose]() {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The value of a line in a mail's head. */
export function headerIn(mail: string, name: string): string {
  const [head = ""] = mail.split("\r\n\r\n");
  const line = new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, "imu").exec(head)?.[1] ?? "";
  return line.replaceAll(/\r\n[ \t]+/gu, " ");
}

/** What a person reads in a mail: its plain words, and the names of its files. */
export function readIn(mail: string): string {
  const file = /filename="?([^";\r\n]+)/u.exec(mail)?.[1];
  const part = /Content-Type: text\/plain[\s\S]*?\r\n\r\n([\s\S]*?)(?=\r\n--|$)/iu.exec(mail);
  const isBase64 = /base64/iu.test(part?.[0].split("\r\n\r\n")[0] ?? "");
  const isQuoted = /quoted-printable/iu.test(part?.[0].split("\r\n\r\n")[0] ?? "");
  const raw = part?.[1] ?? "";
  const words = isBase64
    ? Buffer.from(raw, "base64").toString("utf8")
    : Buffer.from(isQuoted ? unquoted(raw) : raw, "latin1").toString("utf8");
  return file === undefined ? words : `[${file}] ${words}`.trim();
}

function unquoted(text: string): string {
  return text
    .replaceAll(/=\r\n/gu, "")
    .replaceAll(/=([0-9A-F]{2})/gu, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
