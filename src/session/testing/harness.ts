import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TurnResult } from "#conversation";
import { HermesHome } from "#foundation/files/paths";
import { Scope } from "#foundation/lifecycle/disposal";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { type Clock, systemClock } from "#foundation/time/clock";
import { openStore, type StoreLocation } from "#store";
import { startModelServer } from "../../../test/fakes/model-server/index.ts";
import type { OpenOptions, OpenSession, SessionEvent, SessionService } from "../api.ts";
import type { SessionDeps } from "../session-deps.ts";
import { createSessionService } from "../session-service.ts";
import { defaultSessionSettings, type SessionSettings } from "../settings.ts";
import { type TestAgentOptions, testOpenAgent } from "./test-agent.ts";

export interface HarnessOptions extends Partial<Omit<TestAgentOptions, "server" | "logger">> {
  readonly settings?: Partial<SessionSettings>;
  readonly deps?: Partial<SessionDeps>;
  readonly clock?: Clock;
  readonly location?: StoreLocation;
}

/** A session service on a real store and a fake model server. */
export async function openHarness(input: HarnessOptions = {}) {
  const scope = new Scope();
  const clock = input.clock ?? systemClock;
  const logger = memoryLogger();
  const server = scope.adopt(await startModelServer({ strict: true }));
  const store = scope.adopt(await openStore(input.location ?? { memory: true }, { clock, log: logger }));
  const folder = await mkdtemp(join(tmpdir(), "hermes-session-"));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const settings: SessionSettings = {
    ...defaultSessionSettings,
    suggestsTitles: false,
    writesSessionLog: false,
    ...input.settings,
  };
  const service: SessionService = scope.adopt(
    createSessionService({
      store,
      clock,
      logger,
      settings,
      env: () => ({ PATH: process.env["PATH"] }),
      openAgent: testOpenAgent({ server, logger, ...input }),
      home: new HermesHome(join(folder, "home")),
      version: "0.0.0-test",
      preferences: {
        describe: () => Promise.resolve([]),
        settings: () => Promise.resolve([]),
        save: () => Promise.resolve(),
        reload: () => Promise.resolve("No setting has changed."),
      },
      redact: (text) => text,
      redactKnown: (text) => text.replaceAll("known-secret-value", "***"),
      pluginCommands: () => [],
      notifyPlugins: () => Promise.resolve(),
      plugins: () => [],
      skillUse: () => Promise.resolve([]),
      answerCron: (line) => Promise.resolve(`cron ${line}`),
      ...input.deps,
    }),
  );
  const events: SessionEvent[] = [];
  const open = async (wanted: Partial<OpenOptions> = {}): Promise<OpenSession> => {
    const session = await service.open({ source: "cli", cwd: folder, isInteractive: true, ...wanted });
    session.subscribe((event) => void events.push(event));
    return session;
  };
  return {
    service,
    store,
    server,
    logger,
    folder,
    events,
    open,
    /** Resolves with the first event of this kind, also one that is past. */
    async event<T extends SessionEvent["type"]>(type: T, session: OpenSession): Promise<EventOf<T>> {
      const is = (event: SessionEvent): event is EventOf<T> => event.type === type;
      const past = events.find(is);
      if (past !== undefined) return past;
      return await new Promise((resolve) => {
        const subscription = session.subscribe((event) => {
          if (!is(event)) return;
          subscription[Symbol.dispose]();
          resolve(event);
        });
      });
    },
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

export type EventOf<T extends SessionEvent["type"]> = Extract<SessionEvent, { readonly type: T }>;

/** Sends words and waits for the end of their turn. */
export async function say(session: OpenSession, text: string): Promise<TurnResult> {
  return await endOf(session, text);
}

async function endOf(session: OpenSession, text: string): Promise<TurnResult> {
  const submission = await session.submit({ text });
  if (submission.kind === "turn") return await submission.ended;
  if (submission.kind === "command" && submission.view.kind === "turn") return await submission.view.ended;
  throw new Error(`${JSON.stringify(text)} became ${JSON.stringify(submission)}`);
}

/** Runs a command and gives the text it shows. */
export async function command(session: OpenSession, line: string): Promise<string> {
  const submission = await session.submit({ text: line });
  if (submission.kind !== "command") throw new Error(`${line} became ${submission.kind}`);
  const { view } = submission;
  switch (view.kind) {
    case "text":
    case "markdown":
      return view.text;
    case "table":
      return [view.title, view.columns.join(" | "), ...view.rows.map((row) => row.join(" | "))].join("\n");
    case "picker":
      return [view.title, ...view.items.map((item) => `${item.value} ${item.label} ${item.detail}`)].join("\n");
    case "surface":
      return JSON.stringify(view.action);
    case "turn":
      return (await view.ended).text ?? "";
    case "nothing":
      return "";
  }
}
