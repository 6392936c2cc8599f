import type { Spender } from "#conversation";
import type { Secret } from "#foundation/secrets/secret";
import type { Approver } from "./approval-request.ts";
import type { Auxiliary } from "./auxiliary.ts";
import type { McpServerSettings } from "./mcp-settings.ts";
import type { TerminalKind } from "./terminal.ts";

/**
 * Whom a call works for, and with what: everything that belongs to one session and not to the process. It is made
 * when a session is opened, never changes, and is carried by every call; the children of a session share it.
 */
export interface SessionScope {
  /** One per chat, editor session or task. Owns approvals, grants, yolo, sudo, terminals and background processes. */
  readonly key: string;
  /** Undefined: the owner of this home. */
  readonly userId: string | undefined;
  /** `cli`, `telegram`, `cron`, `acp`, … */
  readonly source: string;
  /** The folder the session works in, absolute; also the one its sandbox may write to. */
  readonly cwd: string;
  readonly terminal: TerminalChoice;
  /** MCP servers that only this session has. */
  readonly mcpServers: readonly McpServerSettings[];
  readonly approver: Approver;
  readonly prompter: Prompter;
  /** Side calls on the model of this session, counted on it. */
  readonly auxiliary: Auxiliary;
  readonly spender: Spender;
  /** Somebody is there when a turn begins by itself; not in a one-shot, a job or a rollout. */
  readonly isAttended?: boolean | undefined;
  /** Places for calls, shared by all sessions that have the same; undefined: each session minds only its own. */
  readonly callSlots?: CallSlots | undefined;
  /** The chat it is held in, on surfaces that have chats. */
  readonly chat?: SessionChat | undefined;
  /** Words that arrive by themselves and begin a turn; false when the session takes none (any more). */
  deliver(words: DeliveredWords): boolean;
}

export interface SessionChat {
  /** What the surface calls the conversation there. */
  readonly key: string;
  readonly id: string;
  readonly type: string;
  readonly name: string | undefined;
  readonly threadId: string | undefined;
  /** Who began it, by the platform's own id. */
  readonly userId?: string | undefined;
  readonly userName: string | undefined;
}

/** So many calls of tools run at once. A call waits for a place, and gives it back when it has ended. */
export interface CallSlots {
  take(signal: AbortSignal): Promise<Disposable>;
}

/** Which kind of terminal a session works in, and what is special about its own. */
export interface TerminalChoice {
  /** Undefined: the configured one. */
  readonly kind?: TerminalKind | undefined;
  /** Container image, for kinds that have one; undefined: the configured one. */
  readonly image?: string | undefined;
  /** Where commands begin, when that is not the folder of the session: inside a container or on another machine. */
  readonly cwd?: string | undefined;
  /** The texts of an editor that lends them; they stand over the files of this machine. */
  readonly texts?: EditorTexts | undefined;
  /** The home folder of its commands on this machine, when that is not the person's: a rollout has its own. */
  readonly home?: string | undefined;
}

/** Files as an editor has them open. Paths are absolute. */
export interface EditorTexts {
  /** Undefined: the editor does not give it; what is on the disk counts. */
  read(path: string, signal: AbortSignal): Promise<string | undefined>;
  /** False: the editor did not take it. */
  write(path: string, text: string, signal: AbortSignal): Promise<boolean>;
}

/** Asks the person of a session. Where nobody is, nobody answers. */
export interface Prompter {
  /** A question that is not the model's: of a server, or about one. */
  question(text: string, choices: readonly string[], signal: AbortSignal): Promise<PersonAnswer>;
  /** A password or a key, typed where nobody sees it. */
  secret(request: SecretRequest, signal: AbortSignal): Promise<SecretAnswer>;
}

export type PersonAnswer =
  | { readonly kind: "answer"; readonly text: string }
  /** Asked, but refused or not answered in time. */
  | { readonly kind: "declined" }
  /** Nobody looks at this session. */
  | { readonly kind: "nobody" };

export interface SecretRequest {
  readonly prompt: string;
  /** `sudo` is used once and forgotten; a `secret` is the value of a variable. */
  readonly kind: "sudo" | "secret";
  readonly variable?: string | undefined;
}

export type SecretAnswer =
  | { readonly kind: "secret"; readonly secret: Secret }
  | { readonly kind: "declined" }
  | { readonly kind: "nobody" };

export interface DeliveredWords {
  readonly text: string;
  /** `queue` waits for the running turn; `typed` does what a message of the person would do. */
  readonly how: "queue" | "typed";
  /** Text of strangers: nothing in it, such as `@file:`, is replaced by what it stands for. */
  readonly isVerbatim: boolean;
  /** Whose words they may hold, where that is a stranger. */
  readonly untrusted?: string | undefined;
}

/** What a terminal, a browser or a history of reads belongs to: an agent of a session, the main one or a child. */
export interface ToolTask {
  /** Each child agent has its own. */
  readonly taskId: string;
  readonly scope: SessionScope;
}
