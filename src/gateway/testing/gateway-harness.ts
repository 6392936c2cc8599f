import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { systemClock } from "#foundation/time/clock";
import type { ResetPolicy } from "#session";
import { type HarnessOptions, openHarness } from "#session/testing";
import { Pairing } from "../access/pairing.ts";
import type { Users } from "../access/users.ts";
import { takePress } from "../asks/presses.ts";
import { Chats } from "../chats/chats.ts";
import type { Dispatched } from "../chats/triage.ts";
import { Outlet } from "../delivery/outlet.ts";
import { Replies } from "../delivery/replies.ts";
import { Sender } from "../delivery/sender.ts";
import { Intake } from "../intake/intake.ts";
import type { LiveSettings } from "../live/live-settings.ts";
import { enrich } from "../media/incoming.ts";
import { fakePlatform } from "./fake-platform.ts";

export interface GatewayHarnessOptions extends HarnessOptions {
  readonly users?: Pick<Users, "access" | "isAdmin" | "isOwner" | "meetStranger">;
  readonly groupPerUser?: boolean;
  readonly takesAnswers?: false | undefined;
  readonly busyMode?: "interrupt" | "queue" | "steer";
  readonly followupGraceMs?: number;
  readonly reset?: Partial<ResetPolicy>;
  readonly drainMs?: number;
  readonly mostPerUser?: number;
  readonly hasOthers?: boolean;
  readonly unknownSend?: "resend_marked" | "drop";
  readonly live?: Partial<LiveSettings>;
  readonly transcribe?: (file: string) => Promise<string>;
  /** What plugins say to the text of a message. */
  readonly dispatch?: (text: string) => Dispatched | undefined;
}

const quiet: LiveSettings = {
  streams: false,
  editIntervalMs: 1,
  cursor: " ▉",
  bufferBytes: 1_000_000,
  toolProgress: "off",
  previewLength: 40,
  interimTexts: false,
  showReasoning: false,
  reacts: false,
};

const scopes: Scope[] = [];

/** For `afterEach`: ends every gateway of the test. */
export async function closeGateways(): Promise<void> {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
}

const acquaintances: Pick<Users, "access" | "isAdmin" | "isOwner" | "meetStranger"> = {
  access: ({ userId }) =>
    Promise.resolve(userId === "stranger" ? { kind: "denied" } : { kind: "allowed", by: "listed" }),
  isAdmin: ({ userId }) => userId === "7",
  isOwner: () => false,
  meetStranger: () => Promise.resolve(undefined),
};

/** Answers as they are: no prefix, and never as a file. */
const plainTexts = { prefix: () => "", mostTexts: () => 1_000, keepText: () => "" };

/** A whole gateway in this process: intake, chats and sender on one store, a fake platform and a fake model. */
export async function gateway(options: GatewayHarnessOptions = {}) {
  const scope = new Scope();
  scopes.push(scope);
  const harness = await openHarness(options);
  scope.adopt(harness);
  const { store, logger, folder } = harness;
  const fake = fakePlatform({ takesAnswers: options.takesAnswers });
  const keyRules = () => ({ groupPerUser: options.groupPerUser ?? true, threadPerUser: false });
  const users = options.users ?? acquaintances;
  const intake = new Intake({
    store,
    keyRules,
    splitLength: () => 190,
    clock: systemClock,
    mostPending: () => 200,
    refuse: async () => undefined,
  });
  const common = { store, clock: systemClock, logger };
  const platform = (id: string) => (id === "fake" ? fake.platform : undefined);
  const replies = new Replies({
    ...plainTexts,
    platform,
    userHome: folder,
    filePolicy: () => ({ roots: [folder], secretFolder: `${folder}/home` }),
    replyMode: () => "first",
  });
  const outlet = new Outlet(fake.connection, fake.platform, { clock: systemClock });
  const cache = `${folder}/cache`;
  const incoming = {
    connection: () => fake.connection,
    folders: { image: cache, audio: cache, video: cache, document: cache },
    maxBytes: 1_000,
    transcribe: options.transcribe,
    logger,
  };
  const homes: string[] = [];
  const fired: Readonly<Record<string, unknown>>[] = [];
  const start = () => {
    const stop = new AbortController();
    const chats = new Chats({
      ...common,
      sessions: harness.service,
      platform,
      users,
      replies,
      keyRules,
      outlet: () => outlet,
      liveSettings: () => ({ ...quiet, ...options.live }),
      enrich: (message, within) => enrich(message, incoming, within),
      firstContact: () => Promise.resolve(""),
      surroundings: () => Promise.resolve(""),
      hidesIds: () => false,
      skills: () => [],
      busyMode: () => options.busyMode ?? "interrupt",
      followupGraceMs: () => options.followupGraceMs ?? 0,
      resetPolicy: () => ({ mode: "none", idleMinutes: 1, atHour: 4, timeZone: "", tells: true, ...options.reset }),
      commands: {
        store,
        users,
        pairing: new Pairing(`${folder}/pairing`, systemClock),
        platformIds: () => ["fake"],
        setHome: (message) => {
          homes.push(message.source.chatId);
          return Promise.resolve();
        },
        restart: () => Promise.resolve(),
      },
      fire: (event, context) => void fired.push({ event, ...context }),
      decide: (event, context) => Promise.resolve(void fired.push({ event, ...context })),
      dispatch: (_key, message) => Promise.resolve(options.dispatch?.(message.text) ?? { kind: "allow" }),
      inactivity: () => ({ warnMs: 0, endMs: 0, noteMs: 0 }),
      drainMs: () => options.drainMs ?? 0,
      owner: `test/${randomUUID()}`,
      cwd: folder,
      mostAtOnce: () => 8,
      mostPerUser: () => options.mostPerUser ?? 8,
      hasOthers: () => Promise.resolve(options.hasOthers ?? false),
    });
    const sender = new Sender({ ...common, outlet, unknownSend: () => options.unknownSend ?? "resend_marked" });
    const running = Promise.all([chats.run(stop.signal), sender.run(stop.signal)]);
    const end = async (): Promise<void> => {
      stop.abort();
      await running;
    };
    scope.defer(end);
    return end;
  };
  const heard = (count: number) => expect.poll(() => fake.sent.length, { timeout: 15_000 }).toBe(count);
  const source = { platform: "fake", account: "bot", chatId: "1", chatType: "dm" } as const;
  const press = (data: string, userId = "7", dedupKey = `press${Math.random()}`) =>
    takePress({ source: { ...source, userId, userName: userId }, dedupKey, messageId: "m1", data }, { store, users });
  return { ...harness, ...fake, intake, start, heard, press, homes, fired };
}
