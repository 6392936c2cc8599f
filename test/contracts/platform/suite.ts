import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Config, loadConfig } from "#config";
import { HermesHome } from "#foundation/files/paths";
import { HttpClient } from "#foundation/http/client";
import { fetchOver } from "#foundation/http/fetch";
import { never } from "#foundation/lifecycle/abort";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import type { InboundMessage, Platform } from "#gateway";
import type { ButtonPress, Connection, ConnectionPorts, Outbound, StreamPosition } from "#gateway/testing";

/** A running fake of a platform's service, and how a person would use it. */
export interface PlatformKit extends AsyncDisposable {
  /** Environment and settings that connect to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The same with credentials the service refuses. */
  readonly wrongEnv: Readonly<Record<string, string>>;
  /** The chat that `say` writes in. */
  readonly chatId: string;
  /** A person writes. */
  say(text: string): void;
  /** The service delivers the last event again. */
  repeat(): void;
  /** A person sends a file with this content. Absent where only words are read. */
  sendFile?(bytes: Buffer, name: string): void;
  /** What stands in the chat, oldest first, as people read it. */
  shown(): readonly string[];
  /** The next send meets this. */
  nextSend(trouble: "rate-limited" | "refused-markup" | "accept-then-cut" | "cut"): void;
  /** How often the service was asked to send. */
  sends(): number;
  /** The connection of the service breaks; it can be reached again at once. */
  breakConnection(): void;
  /**
   * What cannot be written down comes again, in order: the service delivers again what was not acknowledged, or the
   * adapter asks for it, or holds it.
   */
  readonly deliversAgain?: boolean;
  /** The service delivers each event by itself, and again until it is taken: it knows no order. */
  readonly deliversEach?: boolean;
}

export interface TestPorts extends ConnectionPorts {
  readonly admitted: InboundMessage[];
  readonly presses: ButtonPress[];
  readonly positions: Map<string, string>;
  lives(): number;
}

const twentyMegabytes = 20 * 1024 * 1024;

/** What every adapter does, against a fake that refuses what the service refuses. */
export function describePlatform(loaded: Platform | undefined, startKit: () => Promise<PlatformKit>): void {
  if (loaded === undefined) throw new Error("there is no such platform");
  const platform = loaded;
  describe(`the platform ${platform.id}`, () => {
    let kit: PlatformKit;
    let folder: string;
    const open: AsyncDisposable[] = [];

    beforeEach(async () => {
      kit = await startKit();
      folder = await mkdtemp(path.join(tmpdir(), "hermes-platform-"));
    });
    afterEach(async () => {
      for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
      await kit[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    });

    async function ports(env = kit.env, shared?: TestPorts): Promise<TestPorts> {
      const made = await testPorts({ folder, env, settings: kit.settings, shared });
      open.push(made.client);
      return made.ports;
    }

    async function connect(input?: TestPorts): Promise<{ connection: Connection; at: TestPorts }> {
      const at = input ?? (await ports());
      const connection = await platform.connect(at, never);
      open.push(connection);
      return { connection, at };
    }

    const to = () => ({ platform: platform.id, account: "", chatId: kit.chatId });
    const text = (markdown: string): Outbound => {
      const [body = { text: markdown, plain: markdown }] = platform.render(markdown);
      return { kind: "text", body };
    };
    const context = (key: string) => ({ key, signal: never });
    const heard = (at: TestPorts, count: number) =>
      expect.poll(() => at.admitted.length, { timeout: 15_000 }).toBe(count);

    it("connects and says who it is [40:EVT-5]", async () => {
      const { connection, at } = await connect();
      expect(connection.account.id).not.toBe("");
      expect(at.lives()).toBeGreaterThan(0);
    });

    if (platform.sendsAlone)
      it("sends without listening, where only that is wanted [40:DLV-11]", async () => {
        const at = { ...(await ports()), isSendOnly: true };
        const { connection } = await connect(at);
        expect(await connection.send(to(), text("by the way"), context("alone"))).toMatchObject({ kind: "sent" });
        expect(kit.shown()).toEqual(["by the way"]);
        // Whoever listens hears all of it, this one nothing.
        const { at: listening } = await connect();
        kit.say("hello there");
        await heard(listening, 1);
        expect(at.admitted).toEqual([]);
      });

    it("says that wrong credentials will not get better by waiting [40:PRC-5]", async () => {
      const at = await ports(kit.wrongEnv);
      await expect(platform.connect(at, never)).rejects.toMatchObject({ name: "ConnectionError", isRetryable: false });
    });

    it("takes in what a person writes [40:EVT-1] [40:EVT-2]", async () => {
      const { at } = await connect();
      kit.say("hello there");
      await heard(at, 1);
      const [message] = at.admitted;
      expect(message).toMatchObject({ text: "hello there", source: { platform: platform.id, chatId: kit.chatId } });
      expect(message?.source.userId).toBeTruthy();
      expect(message?.dedupKey).toContain(platform.id);
      expect(JSON.stringify(message)).toBe(JSON.stringify(JSON.parse(JSON.stringify(message))));
    });

    it("gives an event that comes twice the same key [40:ADP-2]", async () => {
      const { at } = await connect();
      kit.say("once");
      await heard(at, 1);
      kit.repeat();
      kit.say("another");
      await expect.poll(() => at.admitted.at(-1)?.text, { timeout: 15_000 }).toBe("another");
      const keys = at.admitted.filter((one) => one.text === "once").map((one) => one.dedupKey);
      expect(new Set(keys).size).toBe(1);
    });

    it("names files, and fetches them when asked [40:EVT-11]", async () => {
      if (kit.sendFile === undefined) return;
      const { connection, at } = await connect();
      const bytes = Buffer.from("%PDF-1.7 some bytes \u0000\u00ff", "latin1");
      kit.sendFile(bytes, "paper.pdf");
      await heard(at, 1);
      const [attachment] = at.admitted[0]?.attachments ?? [];
      if (attachment === undefined || connection.fetchAttachment === undefined) throw new Error("no attachment");
      const chunks: Uint8Array[] = [];
      for await (const chunk of await connection.fetchAttachment(attachment, never)) chunks.push(chunk);
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    });

    it("shows what it sends, markup and all [40:EVT-27]", async () => {
      const { connection } = await connect();
      const result = await connection.send(
        to(),
        text("Hello **world**. 1+1=2! `a_b` [x](https://e.com/a_(b))"),
        context("k1"),
      );
      expect(result).toMatchObject({ kind: "sent" });
      expect(kit.shown().at(-1)).toContain("world");
      expect(kit.shown().at(-1)).toContain("1+1=2!");
    });

    it("sends texts of any length in pieces the service accepts [40:EVT-26] [40:EVT-25]", async () => {
      const { connection } = await connect();
      const long =
        `${"Some words (really), *marked* and_not. ".repeat(120)}\n\`\`\`ts\n${"const a = 1;\n".repeat(400)}\`\`\`\n👨‍👩‍👧‍👦`.repeat(
          2,
        );
      const pieces = platform.render(long);
      for (const [index, body] of pieces.entries()) {
        const result = await connection.send(to(), { kind: "text", body }, context(`long:${index}`));
        expect(result).toMatchObject({ kind: "sent" });
      }
      expect(kit.shown().length).toBe(pieces.length);
    });

    it("sends a file [40:EVT-21]", async () => {
      if (platform.capabilities.media.document === undefined) return;
      const { connection } = await connect();
      const file = path.join(folder, "notes.txt");
      await writeFile(file, "some notes");
      const message: Outbound = { kind: "media", media: "document", file, name: "notes.txt" };
      expect(await connection.send(to(), message, context("f1"))).toMatchObject({ kind: "sent" });
      expect(kit.shown().length).toBe(1);
    });

    it("takes in and sends 20 MB, where the platform has files so large [40:EVT-11] [40:EVT-21]", async () => {
      const { connection, at } = await connect();
      const bytes = Buffer.alloc(twentyMegabytes, "%PDF-1.7 page after page\n");
      if ((platform.capabilities.media.document ?? 0) >= bytes.length) {
        const file = path.join(folder, "book.pdf");
        await writeFile(file, bytes);
        const message: Outbound = { kind: "media", media: "document", file, name: "book.pdf" };
        expect(await connection.send(to(), message, context("big"))).toMatchObject({ kind: "sent" });
        expect(kit.shown().length).toBe(1);
      }
      if (kit.sendFile === undefined) return;
      kit.sendFile(bytes, "book.pdf");
      await heard(at, 1);
      const [attachment] = at.admitted[0]?.attachments ?? [];
      if (attachment === undefined || connection.fetchAttachment === undefined) throw new Error("no attachment");
      const chunks: Uint8Array[] = [];
      for await (const chunk of await connection.fetchAttachment(attachment, never)) chunks.push(chunk);
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    }, 60_000);

    it("says when to try again, and when markup was the trouble [40:EVT-4]", async () => {
      const { connection } = await connect();
      kit.nextSend("rate-limited");
      const limited = await connection.send(to(), text("hello"), context("r1"));
      expect(limited).toMatchObject({ kind: "failed", errorClass: "rate-limited" });
      expect(limited.kind === "failed" && (limited.retryAfterMs ?? 0)).toBeGreaterThan(0);
      kit.nextSend("refused-markup");
      const refused = await connection.send(to(), text("**hello**"), context("r2"));
      if (refused.kind === "failed") expect(refused.errorClass).toBe("format");
    });

    it("does not know what became of a send that was cut off, or settles it by its key [40:EVT-10] [40:SCL-16]", async () => {
      const { connection } = await connect();
      kit.nextSend("accept-then-cut");
      const cut = await connection.send(to(), text("only once"), context("c1"));
      if (cut.kind === "sent") return;
      expect(cut.errorClass).toBe("timeout");
      if (platform.capabilities.settlesSends === "key") await connection.send(to(), text("only once"), context("c1"));
      if (platform.capabilities.settlesSends === "look-back")
        expect(await connection.reconcile?.(to(), text("only once"), context("c1"))).toMatchObject({ kind: "sent" });
      expect(kit.shown().filter((one) => one.includes("only once")).length).toBe(1);
    });

    it("loses nothing and doubles nothing where a send broke off before it counted [40:EVT-10] [40:SCL-16]", async () => {
      const { connection } = await connect();
      kit.nextSend("cut");
      const cut = await connection.send(to(), text("once, after all"), context("c2"));
      if (cut.kind === "failed") {
        // The words had left: whether they arrived is for the platform to say, where it can.
        expect(cut.errorClass).toBe("timeout");
        const { settlesSends } = platform.capabilities;
        if (settlesSends === "look-back")
          expect(await connection.reconcile?.(to(), text("once, after all"), context("c2"))).toEqual({
            kind: "not-sent",
          });
        // A line of its own takes a moment to come back.
        const again = async () => (await connection.send(to(), text("once, after all"), context("c2"))).kind;
        await expect.poll(again, { timeout: 15_000 }).toBe("sent");
      }
      expect(kit.shown().filter((one) => one.includes("once, after all")).length).toBe(1);
    });

    it("edits what it sent [40:EVT-6]", async () => {
      if (!platform.capabilities.canEdit) return;
      const { connection } = await connect();
      const sent = await connection.send(to(), text("first"), context("e1"));
      const messageId = sent.kind === "sent" ? (sent.messageId ?? "") : "";
      const [body = { text: "", plain: "" }] = platform.render("second");
      const edit: Outbound = { kind: "edit", messageId, body, isFinal: true };
      expect(await connection.send(to(), edit, context("e2"))).toMatchObject({ kind: "sent" });
      expect(await connection.send(to(), edit, context("e2"))).toMatchObject({ kind: "sent" });
      expect(kit.shown()).toEqual(["second"]);
    });

    it("goes on by itself, or through a new connection, where it was, when the line breaks [40:PRC-34]", async () => {
      const { connection, at } = await connect();
      kit.say("before");
      await heard(at, 1);
      kit.breakConnection();
      kit.say("during");
      const during = () =>
        expect.poll(() => at.admitted.map((one) => one.text), { timeout: 15_000 }).toContain("during");
      const again = Promise.race([connection.lost.then(() => "lost"), during().then(() => "heard")]);
      if ((await again) === "lost") {
        await connection[Symbol.asyncDispose]();
        await connect(at);
      }
      await during();
    });

    it("starts from the position that was written down, and misses nothing [40:SCL-5] [40:A-SCL-13]", async () => {
      const { connection, at } = await connect();
      kit.say("one");
      await heard(at, 1);
      await connection[Symbol.asyncDispose]();
      kit.say("two");
      await connect(at);
      await expect.poll(() => at.admitted.map((one) => one.text), { timeout: 15_000 }).toContain("two");
    });

    it("takes again what could not be written down, before what came after it where there is an order [40:SCL-18] [40:SCL-20]", async () => {
      const { deliversEach = false, deliversAgain = deliversEach } = kit;
      if (!deliversAgain) return;
      const inOrder = (texts: readonly string[]) => (deliversEach ? [...new Set(texts)].sort() : [...new Set(texts)]);
      const at = await ports();
      let isFull = true;
      const failing: TestPorts = {
        ...at,
        async admit(message, position) {
          if (!isFull || message.text !== "one") return await at.admit(message, position);
          isFull = false;
          throw new Error("the disk is full");
        },
      };
      const { connection } = await connect(failing);
      for (const word of ["one", "two", "three"]) kit.say(word);
      const all = () =>
        expect
          .poll(() => inOrder(at.admitted.map((one) => one.text)), { timeout: 15_000 })
          .toEqual(inOrder(["one", "two", "three"]));
      const next = await Promise.race([connection.lost.then(() => "lost"), all().then(() => "heard")]);
      if (next === "lost") {
        await connection[Symbol.asyncDispose]();
        await connect(failing);
      }
      await all();
    });

    it("can be closed twice, and hears nothing afterwards [40:EVT-6]", async () => {
      const { connection, at } = await connect();
      await connection[Symbol.asyncDispose]();
      await connection[Symbol.asyncDispose]();
      kit.say("nobody listens");
      await new Promise((resolve) => setImmediate(resolve));
      expect(at.admitted).toEqual([]);
    });

    it("keeps its credentials out of the log and out of what it takes in", async () => {
      const { at } = await connect();
      kit.say("hello");
      await heard(at, 1);
      const secrets = Object.entries(kit.env).flatMap(([name, value]) =>
        /TOKEN|SECRET|PASSWORD|KEY/u.test(name) ? [value] : [],
      );
      const lines = JSON.stringify([(at.logger as ReturnType<typeof memoryLogger>).lines, at.admitted]);
      for (const secret of secrets) expect(lines).not.toContain(secret);
    });
  });
}

/** Shared by all tests of this machine, as it is by all profiles: what is installed once is there. */
const packagesFolder = path.join(tmpdir(), "hermes-test-packages");

/** A connection to a fake, for what only one platform does. */
export interface Connected extends AsyncDisposable {
  readonly connection: Connection;
  readonly ports: TestPorts;
}

export async function connectedTo(
  platform: Platform | undefined,
  /** With a folder, what the platform keeps there is there for the next connection. */
  kit: Pick<PlatformKit, "env" | "settings"> & {
    readonly folder?: string;
    readonly packages?: string;
    /** The store fails for so many messages first. */
    readonly failingAdmissions?: number;
  },
  positions: ReadonlyMap<string, string> = new Map(),
): Promise<Connected> {
  if (platform === undefined) throw new Error("there is no such platform");
  const folder = kit.folder ?? (await mkdtemp(path.join(tmpdir(), "hermes-platform-")));
  await mkdir(folder, { recursive: true });
  const made = await testPorts({ folder, env: kit.env, settings: kit.settings });
  const { client } = made;
  let failures = kit.failingAdmissions ?? 0;
  const ports: TestPorts = {
    ...made.ports,
    folders: { ...made.ports.folders, packages: kit.packages ?? packagesFolder },
    async admit(message, position) {
      if (failures === 0) return await made.ports.admit(message, position);
      failures -= 1;
      throw new Error("the disk is full");
    },
  };
  for (const [name, value] of positions) ports.positions.set(name, value);
  const close = async (connection?: Connection): Promise<void> => {
    await connection?.[Symbol.asyncDispose]();
    await client[Symbol.asyncDispose]();
    if (kit.folder === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    const connection = await platform.connect(ports, never);
    return { connection, ports, [Symbol.asyncDispose]: () => close(connection) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function testPorts(options: {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly shared?: TestPorts | undefined;
}): Promise<{ readonly ports: TestPorts; readonly client: HttpClient }> {
  const home = new HermesHome(path.join(options.folder, "home"));
  const flags = Object.entries(options.settings).map(([key, value]) => ({
    key,
    value,
    flag: `--${key}`,
  }));
  const { config } = (await loadConfig({ home, env: options.env, flags })) as { config: Config };
  const client = new HttpClient({ proxy: false });
  const admitted: InboundMessage[] = [];
  const presses: ButtonPress[] = [];
  const positions = new Map<string, string>();
  let lives = 0;
  const ports: TestPorts = {
    config,
    admitted,
    presses,
    positions,
    lives: () => lives,
    async admit(message: InboundMessage, position?: StreamPosition) {
      admitted.push(message);
      if (position !== undefined) positions.set(position.name, position.value);
      return await Promise.resolve(true);
    },
    elsewhere: { find: () => Promise.resolve("Nothing else is set up."), owe: () => Promise.resolve(false) },
    async press(press) {
      presses.push(press);
      return await Promise.resolve("Done.");
    },
    position: (_account, name) => Promise.resolve(positions.get(name)),
    keepPosition: (_account, position) => Promise.resolve(void positions.set(position.name, position.value)),
    alive: () => {
      lives += 1;
    },
    fetch: fetchOver(client),
    proxy: undefined,
    clock: systemClock,
    logger: memoryLogger(),
    folders: { home: options.folder, own: path.join(options.folder, "own"), packages: packagesFolder },
  };
  return { ports, client };
}
