import { type AgentEvents, type Cost, type SessionId, type TurnResult, zeroUsage } from "#conversation";
import { UserError } from "#foundation/errors";
import { plural } from "#foundation/text/figures";
import type { NewSession, SessionRecord } from "#store";
import type { Approver, AskUser } from "#tools";
import type { AgentHandle, AgentSpec } from "./agent-handle.ts";
import type { OpenWish } from "./api.ts";
import { type Admitted, SessionInbox } from "./inbox.ts";
import { headOf } from "./lineage.ts";
import { promptStorage } from "./prompt-storage.ts";
import { recoverHistory } from "./recover-history.ts";
import type { SessionDeps } from "./session-deps.ts";
import { newSessionId } from "./session-id.ts";
import { SessionTitle } from "./session-title.ts";
import { StoredTranscript } from "./transcript.ts";
import { takeTurnLease } from "./turn-lease.ts";

/** One conversation with the agent that holds it. A new conversation on the same surface is another one of these. */
export interface LiveAgent extends AsyncDisposable {
  readonly handle: AgentHandle;
  readonly transcript: StoredTranscript;
  readonly inbox: SessionInbox;
  readonly title: SessionTitle;
  readonly headId: SessionId;
  readonly rootId: SessionId;
  readonly startedAtMs: number;
  /** Words an earlier run took in and did not get to. */
  readonly left: readonly Admitted[];
  readonly systemPrompt: () => string;
}

/** What the session puts between the agent and the surface. */
export interface AgentWiring {
  readonly owner: string;
  readonly approver: Approver;
  readonly askUser: AskUser | undefined;
  readonly askSecret: AgentSpec["askSecret"];
  readonly askPerson: AgentSpec["askPerson"];
  readonly deliver: AgentSpec["deliver"];
  readonly events: AgentEvents;
  onTurnEnd(result: TurnResult): void;
  onChange(): void;
}

export async function openLiveAgent(
  deps: SessionDeps,
  given: { readonly wish: OpenWish; readonly wiring: AgentWiring },
  signal: AbortSignal,
): Promise<LiveAgent> {
  const { store, clock } = deps;
  const { wish, wiring } = given;
  const warn = (text: string): void => wiring.events.emit({ type: "notice", level: "warn", text });
  const record = await resumed(deps, wish);
  const id = record?.id ?? newSessionId(clock.now());
  const headId = record === undefined ? id : await headOf(store, id);
  const rootId = record === undefined ? id : await store.sessions.rootOf(id);
  const startedAtMs = record?.startedAtMs ?? clock.now();
  const inbox = new SessionInbox(store, { headId, source: wish.source });
  const past = record === undefined ? nothingBefore : await takeUp(deps, { id, headId, inbox, wiring });
  const title = new SessionTitle(store, record?.title);
  let promptText = "";
  const transcript: StoredTranscript = new StoredTranscript({
    store,
    clock,
    logger: deps.logger,
    row: newRow(wish, { id, startedAtMs }),
    hasRow: record !== undefined,
    onRow: () => title.settle(transcript.sessionId),
    onSplit: (part) => void followSplit(deps, { part, title, wiring }),
    warn,
  });
  if (wish.title !== undefined) await nameAtStart(title, transcript, { wanted: wish.title, warn });
  const handle = await deps.openAgent(
    {
      sessionId: id,
      rootSessionId: rootId,
      wish,
      history: past.history,
      transcript,
      prompt: promptStorage(store, {
        id: () => transcript.sessionId,
        ensureRow: () => transcript.ensureRow(),
        onText: (text) => {
          promptText = text;
        },
      }),
      approver: wiring.approver,
      askUser: wiring.askUser,
      askSecret: wiring.askSecret,
      askPerson: wiring.askPerson,
      deliver: wiring.deliver,
      startedAtMs,
      events: wiring.events,
      onTurnEnd: (result) => wiring.onTurnEnd(result),
      spentUsd: spentUsd(record),
    },
    signal,
  );
  if (record !== undefined) continueFigures(handle, record);
  return {
    handle,
    transcript,
    inbox,
    title,
    headId,
    rootId,
    startedAtMs,
    left: past.left,
    systemPrompt: () => promptText,
    async [Symbol.asyncDispose]() {
      await transcript.flush();
      await handle[Symbol.asyncDispose]();
    },
  };
}

const nothingBefore = { history: [], left: [] as readonly Admitted[] } as const;

async function resumed({ store }: SessionDeps, wish: OpenWish): Promise<SessionRecord | undefined> {
  if (wish.resume === undefined) return undefined;
  const id = (await store.sessions.resumeTarget(wish.resume)) ?? wish.resume;
  const record = await store.sessions.get(id);
  if (record === undefined)
    throw new UserError(`There is no session ${wish.resume}.`, {
      hint: "List the sessions to see which ones there are.",
      code: "session_not_found",
    });
  if (record.endedAtMs !== undefined) await store.sessions.reopen(id);
  return record;
}

/** What an earlier run left: its history, made whole, and words it did not get to. Another program's run is left alone. */
async function takeUp(
  deps: SessionDeps,
  session: {
    readonly id: SessionId;
    readonly headId: SessionId;
    readonly inbox: SessionInbox;
    readonly wiring: AgentWiring;
  },
) {
  const { wiring, inbox, id } = session;
  const say = (text: string, level: "info" | "warn" = "info"): void =>
    wiring.events.emit({ type: "notice", level, text });
  const lease = await takeTurnLease({ ...deps, owner: wiring.owner }, `turn:${session.headId}`, () => undefined);
  if (lease.kind === "busy") {
    say("Another program is working in this session right now. What it says there is not shown here.", "warn");
    return { history: (await recoverHistory(deps.store, id)).messages, left: [] };
  }
  await using _lease = lease;
  const past = await recoverHistory(deps.store, id);
  const { messages: left, lost } = await inbox.left();
  const { unfinished } = past;
  if (unfinished !== undefined && unfinished.openCalls > 0)
    say(
      `The last turn was cut off in the middle of ${plural(unfinished.openCalls, "tool call")}. /continue goes on with it; what may have taken effect is not repeated, the model is told so.`,
      "warn",
    );
  else if (unfinished !== undefined && unfinished.steps > 0)
    say(`The last turn was cut off after ${plural(unfinished.steps, "step")}. /continue goes on with it.`);
  else if (unfinished !== undefined && left.length === 0)
    say("Your last message has no answer. /continue asks for it again.");
  if (left.length > 0)
    say(
      `${plural(left.length, "message")} from the last run not sent yet. The next message, or /queue alone, sends them.`,
    );
  if (lost > 0) say(`${plural(lost, "message")} ended the program three times and will not be sent again.`, "warn");
  return { history: past.messages, left };
}

function newRow(wish: OpenWish, row: { readonly id: SessionId; readonly startedAtMs: number }): NewSession {
  return { ...row, source: wish.source, ...(wish.userId === undefined ? {} : { userId: wish.userId }) };
}

async function followSplit(
  { store, logger }: SessionDeps,
  split: { readonly part: SessionId; readonly title: SessionTitle; readonly wiring: AgentWiring },
): Promise<void> {
  try {
    split.title.know((await store.sessions.get(split.part))?.title);
  } catch (error) {
    logger.debug("the title of the new part could not be read", { error: String(error) });
  }
  split.wiring.onChange();
}

async function nameAtStart(
  title: SessionTitle,
  transcript: StoredTranscript,
  given: { readonly wanted: string; warn(text: string): void },
): Promise<void> {
  const outcome = await title.set(given.wanted, { id: transcript.sessionId, hasRow: transcript.hasRow });
  if (outcome.kind === "taken") given.warn(`The title is taken by session ${outcome.by}; this one has none.`);
  else if (outcome.kind === "too-long") given.warn(`The title has ${outcome.length} characters; 100 are possible.`);
}

function spentUsd(record: SessionRecord | undefined): number {
  return (record?.estimatedCostUsd ?? 0) + (record?.actualCostUsd ?? 0);
}

/** A session that goes on counts on from where it was. */
function continueFigures(handle: AgentHandle, record: SessionRecord): void {
  const { conversation } = handle.agent;
  if (conversation.usage === zeroUsage) conversation.usage = record.usage;
  if (conversation.lastPromptTokens === 0) conversation.lastPromptTokens = record.lastPromptTokens ?? 0;
  conversation.cost ??= costOf(record);
}

function costOf(record: SessionRecord): Cost | undefined {
  if (record.costStatus === undefined) return undefined;
  const usd = spentUsd(record);
  return { status: record.costStatus, source: record.costSource ?? "none", ...(usd > 0 ? { usd } : {}) };
}
