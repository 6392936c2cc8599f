import type { Cost } from "#conversation";
import type { Completion, PickerItem, SessionInfo } from "#session";
import { emptyBuffer, type TextBuffer } from "../input/buffer.ts";
import { type VimState, vimStart } from "../input/vim.ts";
import type { TuiSettings } from "../settings.ts";
import type { Effect } from "./effect.ts";
import { chatWords } from "./output/chat-words.ts";
import { type AnswerChunk, type MarkdownStream, startStream } from "./output/markdown-stream.ts";
import { startSplit, type ThinkSplit } from "./output/think-split.ts";
import type { ToolLine } from "./output/tool-line.ts";
import type { ListState } from "./picking.ts";
import type { Prompt } from "./prompts/prompt.ts";
import type { AnswerStart, DrawnView, TranscriptItem } from "./transcript-item.ts";

/**
 * Everything the screen shows, as data. Invariants:
 *
 * 1. `pending` are finished items in the order they are to be written; whoever writes them says so with `printed`.
 * 2. `prompts[0]` is the one on the screen; text typed for it lives in the prompt, never in the draft.
 * 3. `effects` are taken out by the application after every step.
 */
export interface ViewState {
  readonly phase: "starting" | "ready" | "closing";
  readonly settings: TuiSettings;
  readonly session: SessionInfo | undefined;
  readonly pending: readonly TranscriptItem[];
  readonly effects: readonly Effect[];
  readonly answer: AnswerState;
  /** Something was answered in this turn. */
  readonly hasAnswered: boolean;
  readonly thoughts: ThoughtState;
  readonly tools: readonly RunningTool[];
  readonly toolFeed: ToolFeed;
  /** The newest first. */
  readonly finishedCalls: readonly FinishedCall[];
  readonly turn: TurnState | undefined;
  /** Length of the last turn, frozen in the status bar. */
  readonly lastTurnMs: number | undefined;
  readonly children: readonly ChildState[];
  readonly usage: UsageState;
  readonly prompts: readonly Prompt[];
  readonly picker: PickerState | undefined;
  /** The keys are shown; the next key closes them. */
  readonly isHelpOpen: boolean;
  readonly queue: readonly string[];
  readonly editor: EditorState;
  readonly echoes: EchoState;
  readonly voice: VoiceState | undefined;
  readonly seenHints: readonly string[];
  /** The last key of any kind: who types must not answer what appears meanwhile. */
  readonly lastKeyAtMs: number | undefined;
  /** The last key was no Enter: a text is perhaps not finished. */
  readonly isMidText: boolean;
  readonly lastCancelAtMs: number | undefined;
  /** Ctrl-C on an empty line: another one leaves. */
  readonly leaveAskedAtMs: number | undefined;
  /** When the last turn or `!command` ended: a Ctrl-C right behind it was meant for that. */
  readonly workEndedAtMs: number | undefined;
  readonly lastEmptyEnterAtMs: number | undefined;
  /** Escape, then Enter, is a new line. */
  readonly lastEscapeAtMs: number | undefined;
  /** Input typed before there was a session. */
  readonly early: readonly { readonly text: string; readonly images: readonly string[] }[];
  /** A command of the person that runs outside of a turn; the input is read-only meanwhile. */
  readonly busyCommand: string | undefined;
  /** It is one of the shell, which can be stopped by itself. */
  readonly isShellRunning: boolean;
  readonly backgroundTasks: number;
  /** Commands of processes that run in the background. */
  readonly processes: readonly string[];
  readonly branch: string | undefined;
  readonly isConfigChanged: boolean;
}

interface AnswerState {
  readonly isOpen: boolean;
  readonly split: ThinkSplit;
  readonly stream: MarkdownStream;
  /** Text of this reply was streamed, so the finished message is not shown again. */
  readonly wasShown: boolean;
  /** Goes above the next piece of the answer. */
  readonly start: AnswerStart | undefined;
  /** What came while the box was open and waits until it closes: it would tear a sentence apart. */
  readonly after: readonly TranscriptItem[];
}

interface ThoughtState {
  readonly isOpen: boolean;
  readonly row: string;
  readonly lineCount: number;
  readonly startedAtMs: number;
  /** Reasoning that came while the answer was open. */
  readonly held: string;
}

export interface RunningTool {
  readonly callId: string;
  readonly name: string;
  readonly args: unknown;
  readonly preview: string;
  readonly startedAtMs: number;
  readonly phase: "preparing" | "running";
  /** What it says it is doing. */
  readonly update: string;
  /** The last lines it printed. */
  readonly tail: readonly string[];
}

/** A call that has ended, to be looked at again. */
export interface FinishedCall {
  readonly callId: string;
  readonly line: ToolLine;
  readonly args: string;
  readonly result: string;
}

interface ToolFeed {
  /** For mode `new`: the tool of the last line. */
  readonly lastName: string | undefined;
  /** Calls not yet shown, when tools are collapsed. */
  readonly folded: readonly string[];
}

interface TurnState {
  readonly startedAtMs: number;
  readonly isInterrupted: boolean;
  readonly activity: string | undefined;
  /** An attempt failed and another one comes. */
  readonly waiting: { readonly reason: string; readonly attempt: string; readonly untilMs: number } | undefined;
  readonly lastEventAtMs: number;
}

export interface ChildState {
  readonly id: string;
  readonly task: string;
  readonly tool: string | undefined;
}

interface UsageState {
  readonly contextTokens: number;
  /** The server did not count: the figures are estimates. */
  readonly isEstimated: boolean;
  readonly contextWindow: number;
  readonly cost: Cost | undefined;
  /** The model really answering; differs from the session's while a fallback is active. */
  readonly model: string | undefined;
  readonly isFallback: boolean;
}

export interface PickerState extends ListState<PickerItem> {
  readonly command: string;
  /** Of the list of skins: the one that was in use when it was opened. */
  readonly skinBefore?: string | undefined;
}

export interface EditorState {
  readonly buffer: TextBuffer;
  readonly history: readonly string[];
  /** Position while walking through the history, and the draft that waits. */
  readonly recall: { readonly index: number; readonly draft: TextBuffer } | undefined;
  readonly killed: string;
  readonly undo: readonly TextBuffer[];
  readonly pastes: readonly PasteFold[];
  readonly images: readonly string[];
  readonly completions: CompletionState | undefined;
  readonly vim: VimState;
}

interface PasteFold {
  readonly number: number;
  readonly placeholder: string;
  readonly text: string;
}

export interface CompletionState {
  /** The text up to the cursor these are for. */
  readonly line: string;
  readonly items: readonly Completion[];
  readonly index: number;
}

interface EchoState {
  readonly shown: readonly string[];
  readonly waiting: readonly string[];
}

export interface VoiceState {
  readonly mode: "idle" | "recording" | "transcribing";
  /** 0 to 1, while recording. */
  readonly level: number;
  readonly isSpeechOn: boolean;
  readonly isContinuous: boolean;
}

export function initialState(settings: TuiSettings, history: readonly string[] = []): ViewState {
  return {
    phase: "starting",
    settings,
    session: undefined,
    pending: [],
    effects: [],
    answer: { isOpen: false, split: startSplit, stream: startStream, wasShown: false, start: undefined, after: [] },
    hasAnswered: false,
    thoughts: { isOpen: false, row: "", lineCount: 0, startedAtMs: 0, held: "" },
    tools: [],
    toolFeed: { lastName: undefined, folded: [] },
    finishedCalls: [],
    turn: undefined,
    lastTurnMs: undefined,
    children: [],
    usage: {
      contextTokens: 0,
      isEstimated: false,
      contextWindow: 0,
      cost: undefined,
      model: undefined,
      isFallback: false,
    },
    prompts: [],
    picker: undefined,
    isHelpOpen: false,
    queue: [],
    editor: {
      buffer: emptyBuffer,
      history,
      recall: undefined,
      killed: "",
      undo: [],
      pastes: [],
      images: [],
      completions: undefined,
      vim: vimStart,
    },
    echoes: { shown: [], waiting: [] },
    voice: undefined,
    seenHints: settings.seenHints,
    lastKeyAtMs: undefined,
    isMidText: false,
    lastCancelAtMs: undefined,
    leaveAskedAtMs: undefined,
    workEndedAtMs: undefined,
    lastEmptyEnterAtMs: undefined,
    lastEscapeAtMs: undefined,
    early: [],
    busyCommand: undefined,
    isShellRunning: false,
    backgroundTasks: 0,
    processes: [],
    branch: undefined,
    isConfigChanged: false,
  };
}

/** Adds finished items. */
/** Something that is finished. In the middle of an answer, what follows of that answer is named again. */
export function print(state: ViewState, ...items: readonly TranscriptItem[]): ViewState {
  if (items.length === 0) return state;
  if (!state.answer.isOpen) return { ...state, pending: [...state.pending, ...items] };
  const ends: readonly TranscriptItem[] = state.answer.start === undefined ? [{ kind: "answer-end" }] : [];
  const answer: AnswerState = { ...state.answer, start: { kind: "answer-start", form: "again" } };
  return { ...state, answer, pending: [...state.pending, ...ends, ...items] };
}

/** Finished pieces of the open answer, below its name. */
export function printAnswer(state: ViewState, chunks: readonly AnswerChunk[]): ViewState {
  if (chunks.length === 0) return state;
  const { start } = state.answer;
  const items: readonly TranscriptItem[] = chunks.map((chunk) => ({ kind: "answer", chunk }));
  const pending = [...state.pending, ...(start === undefined ? [] : [start]), ...items];
  return { ...state, answer: { ...state.answer, start: undefined }, pending };
}

/** Asks for something to be done outside. */
export function effect(state: ViewState, ...effects: readonly Effect[]): ViewState {
  return { ...state, effects: [...state.effects, ...effects] };
}

/** What a command answers; where it says what went wrong, with hints for the chat. */
export function showView(state: ViewState, view: DrawnView): ViewState {
  const isTrouble = view.kind === "text" && view.level !== undefined;
  const shown = isTrouble ? { ...view, text: chatWords(view.text, state.settings.program) } : view;
  return print(state, { kind: "view", view: shown });
}

export function notice(state: ViewState, level: "info" | "warn" | "error", text: string): ViewState {
  return print(state, { kind: "notice", level, text: chatWords(text, state.settings.program) });
}
