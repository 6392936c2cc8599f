import { type Agent, unfinishedTurn } from "#agent";
import { type AgentEvents, type Cost, type Message, type SessionId, violations, zeroUsage } from "#conversation";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { quietly } from "#foundation/files/quietly";
import { plural } from "#foundation/text/figures";
import { newId } from "#foundation/text/ids";
import type { SessionRecord } from "#store";
import { takeLease } from "#store";
import type { Alongside, OpenOptions } from "../api.ts";
import { headOf } from "../search/lineage.ts";
import type { AgentServices } from "../services/services.ts";
import type { AgentRequest } from "../services/session-agent.ts";
import type { SessionDeps } from "../session-deps.ts";
import { type Admitted, SessionInbox } from "./inbox.ts";
import { announcePresence, type Presence } from "./presence.ts";
import { promptStorage } from "./prompt-storage.ts";
import { newSessionId } from "./session-id.ts";
import { SessionTitle } from "./session-title.ts";
import { StoredTranscript } from "./transcript.ts";

/** One conversation: its agent, its transcript and its inbox. `/new` puts another one in its place. */
export interface Conversation extends AsyncDisposable {
  readonly agent: Agent;
  readonly services: AgentServices;
  readonly transcript: StoredTranscript;
  readonly inbox: SessionInbox;
  readonly title: SessionTitle;
  /** The first part of it; names what belongs to the conversation as a whole. */
  readonly headId: SessionId;
  readonly rootId: SessionId;
  readonly startedAtMs: number;
  /** Words an earlier run took in and did not get to. */
  readonly left: readonly Admitted[];
  /** Absent where several surfaces share it, or nothing of it is kept. */
  readonly presence: Presence | undefined;
  systemPrompt(): string;
}

/** What the session puts between the agent and the surface. */
export interface ConversationDeps {
  readonly session: SessionDeps;
  /** Names this program in leases. */
  readonly owner: string;
  readonly events: AgentEvents;
  readonly surface: Pick<AgentRequest, "approver" | "prompter" | "askUser" | "deliver">;
  /** One window alone has it: another one that opens it is told, and this one too. */
  readonly isAlone: boolean;
  alongside(): Alongside | undefined;
  /** Something a surface shows has changed. */
  onChange(): void;
  /** Another program has taken the conversation over. */
  onLost(): void;
}

/** Begins a conversation, or takes one up where an earlier run left it. */
export async function openConversation(
  deps: ConversationDeps,
  options: OpenOptions,
  signal: AbortSignal,
): Promise<Conversation> {
  const { store, clock, logger, openAgent } = deps.session;
  const record = await storedSession(deps.session, options);
  const id = record?.id ?? newSessionId(clock.now());
  const headId = record === undefined ? id : await headOf(store, id);
  const rootId = record === undefined ? id : await store.sessions.rootOf(id);
  const startedAtMs = record?.startedAtMs ?? clock.now();
  const inbox = new SessionInbox(store, { headId, source: options.source });
  const before = priorHistory(options);
  const past = record === undefined ? { history: before, left: [] } : await takeUp(deps, { id, headId, inbox });
  const title = new SessionTitle(store, record?.title);
  let promptText = "";
  const transcript: StoredTranscript = new StoredTranscript({
    store,
    clock,
    logger,
    row: { id, startedAtMs, ...ownerOf(options) },
    hasRow: record !== undefined,
    before,
    alongside: () => deps.alongside(),
    onLost: () => deps.onLost(),
    onRow: () => title.settle(transcript.sessionId),
    onSplit: (part) => void followSplit(deps, part, title),
    warn: (text) => tell(deps, text, "warn"),
  });
  if (options.title !== undefined) await nameAtStart(deps, { title, transcript, wanted: options.title });
  const prompt = promptStorage(store, {
    id: () => transcript.sessionId,
    ensureRow: () => transcript.ensureRow(),
    onText: (text) => {
      promptText = text;
    },
  });
  const facts = { sessionId: id, rootSessionId: rootId, startedAtMs, options };
  const { events, surface, session } = deps;
  const own = { history: past.history, transcript, prompt, events, records: session.records };
  const opened = await openAgent({ ...facts, ...surface, ...own }, signal);
  if (record !== undefined) continueFigures(opened.agent, record);
  const presence = deps.isAlone ? await announcePresence({ ...session, owner: deps.owner, events }, headId) : undefined;
  return {
    agent: opened.agent,
    services: opened.services,
    transcript,
    inbox,
    title,
    headId,
    rootId,
    startedAtMs,
    left: past.left,
    presence,
    systemPrompt: () => promptText,
    async [Symbol.asyncDispose]() {
      await transcript.flush();
      await presence?.[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

function ownerOf({ source, userId }: OpenOptions) {
  return { source, ...defined({ userId }) };
}

/** The conversation a surface hands over, with a name for every message; refused where a provider would refuse it. */
function priorHistory({ history = [], resume }: OpenOptions): readonly Message[] {
  if (history.length === 0) return [];
  const hint =
    "Pass it as it was: the user begins, the sides alternate, every call has its result, and an answer comes last.";
  const refuse = (why: string) => new UserError(`This history cannot be used: ${why}.`, { hint, code: "bad_history" });
  if (resume !== undefined) throw refuse("the session has one of its own");
  const [first] = violations(history);
  if (first !== undefined) throw refuse(`${first.detail} (message ${first.index + 1})`);
  if (history.at(-1)?.role !== "assistant") throw refuse("the last message is not an answer");
  return history.map((message) => ({ ...message, uid: message.uid ?? newId("msg") }));
}

function tell({ events }: Pick<ConversationDeps, "events">, text: string, level: "info" | "warn" = "info"): void {
  events.emit({ type: "notice", level, text });
}

async function storedSession({ store }: SessionDeps, { resume }: OpenOptions): Promise<SessionRecord | undefined> {
  if (resume === undefined) return undefined;
  const id = (await store.sessions.resumeTarget(resume)) ?? resume;
  const record = await store.sessions.get(id);
  if (record === undefined)
    throw new UserError(`There is no session ${resume}.`, {
      hint: "List your sessions to see them all.",
      code: "session_not_found",
    });
  if (record.endedAtMs !== undefined) await store.sessions.reopen(id);
  return record;
}

interface Past {
  readonly history: readonly Message[];
  readonly left: readonly Admitted[];
}

/**
 * What an earlier run left: everything that was stored, and words it did not get to. A turn that broke off is left as
 * it is: the person says whether it goes on, or says something else. Another program's run is left alone.
 */
async function takeUp(
  deps: ConversationDeps,
  { id, headId, inbox }: { readonly id: SessionId; readonly headId: SessionId; readonly inbox: SessionInbox },
): Promise<Past> {
  const { store } = deps.session;
  const lease = await takeLease({ ...deps.session, owner: deps.owner }, `turn:${headId}`, () => undefined);
  if (lease.kind === "busy") {
    tell(deps, "Another program is working in this session right now. What is said there is not shown here.", "warn");
    return { history: await store.messages.conversation(id), left: [] };
  }
  await using _lease = lease;
  const history = await store.messages.conversation(id);
  const { messages: left, lost } = await inbox.left();
  const cutOff = cutOffText(history, left.length);
  if (cutOff !== undefined) tell(deps, cutOff.text, cutOff.level);
  if (left.length > 0)
    tell(
      deps,
      `${plural(left.length, "message")} from the last run not sent yet. Your next message, or /queue on its own, sends them.`,
    );
  if (lost > 0) tell(deps, `${plural(lost, "message")} crashed Hermes three times and will not be sent again.`, "warn");
  return { history, left };
}

function cutOffText(
  history: readonly Message[],
  waiting: number,
): { readonly text: string; readonly level: "info" | "warn" } | undefined {
  const turn = unfinishedTurn(history);
  if (turn === undefined) return undefined;
  if (turn.openCalls.length > 0) {
    const calls = plural(turn.openCalls.length, "tool call");
    const text = `The last turn was cut off in the middle of ${calls}. /continue resumes it; calls that may have taken effect are not repeated, and the model is told so.`;
    return { text, level: "warn" };
  }
  if (turn.stepsTaken > 0)
    return {
      text: `The last turn was cut off after ${plural(turn.stepsTaken, "step")}. /continue resumes it.`,
      level: "info",
    };
  return waiting > 0
    ? undefined
    : { text: "Your last message has no answer. /continue asks for it again.", level: "info" };
}

async function followSplit(deps: ConversationDeps, part: SessionId, title: SessionTitle): Promise<void> {
  const { store, logger } = deps.session;
  const level = "debug";
  await quietly("reading the title of a new part", async () => title.know((await store.sessions.get(part))?.title), {
    logger,
    level,
  });
  deps.onChange();
}

async function nameAtStart(
  deps: ConversationDeps,
  {
    title,
    transcript,
    wanted,
  }: { readonly title: SessionTitle; readonly transcript: StoredTranscript; readonly wanted: string },
): Promise<void> {
  const outcome = await title.set(wanted, { id: transcript.sessionId, hasRow: transcript.hasRow });
  if (outcome.kind === "taken") tell(deps, `Session ${outcome.by} already has this title; this one has none.`, "warn");
  else if (outcome.kind === "too-long") tell(deps, tooLongText(outcome.length), "warn");
}

export function tooLongText(length: number): string {
  return `Titles can have at most 100 characters (this one has ${length}).`;
}

function spentUsd(record: SessionRecord | undefined): number {
  return (record?.estimatedCostUsd ?? 0) + (record?.actualCostUsd ?? 0);
}

/** A session that goes on counts on from where it was. */
function continueFigures({ conversation }: Agent, record: SessionRecord): void {
  if (conversation.usage === zeroUsage) conversation.usage = record.usage;
  if (conversation.lastPromptTokens === 0) conversation.lastPromptTokens = record.lastPromptTokens ?? 0;
  conversation.cost ??= costOf(record);
}

function costOf(record: SessionRecord): Cost | undefined {
  if (record.costStatus === undefined) return undefined;
  const usd = spentUsd(record);
  return { status: record.costStatus, source: record.costSource ?? "none", ...(usd > 0 ? { usd } : {}) };
}
