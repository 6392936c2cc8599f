import type { ApprovalChoice } from "#conversation";
import type { ApprovalRequest } from "./approval-request.ts";
import type { CallObserver } from "./call-state.ts";
import type { ImageProvider } from "./image-provider.ts";
import type { ToolTask } from "./session-scope.ts";
import type { TerminalKind, TerminalOpener } from "./terminal.ts";

/** Whose calls are watched. */
export interface ObservedTurn extends ToolTask {
  readonly sessionId: string;
  /** The message of the person that the main agent works for; absent for children and for calls inside calls. */
  readonly turn?: string | undefined;
  readonly signal: AbortSignal;
}

/** A command that has ended. */
export interface EndedCommand extends ToolTask {
  readonly command: string;
  readonly exitCode: number;
  readonly terminalKind: TerminalKind;
}

/** What plugins add to the tools. */
export interface ToolExtensions {
  /** Watches the calls of a turn; may refuse a call, or change its arguments and its result. */
  observe(turn: ObservedTurn): CallObserver;
  /** Somebody is about to be asked for permission. */
  onAsk(request: ApprovalRequest, signal: AbortSignal): Promise<void>;
  /** Somebody has answered; the answer stands, also when the time for it has run out meanwhile. */
  onAnswer(request: ApprovalRequest, choice: ApprovalChoice): Promise<void>;
  /** May replace what a command printed, before it is cleaned; undefined leaves it. */
  transformOutput(output: string, about: EndedCommand): Promise<string | undefined>;
  imageProviders(): readonly ImageProvider[];
  /** Further kinds of terminals. */
  terminals(): ReadonlyMap<string, TerminalOpener>;
}

export const noExtensions: ToolExtensions = {
  observe: () => ({}),
  onAsk: () => Promise.resolve(),
  onAnswer: () => Promise.resolve(),
  transformOutput: () => Promise.resolve(undefined),
  imageProviders: () => [],
  terminals: () => new Map(),
};
