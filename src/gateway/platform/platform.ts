import type { Config } from "#config";
import type { Logger } from "#foundation/files/logger";
import type { Fetch } from "#foundation/http/fetch";
import type { ProxySettings } from "#foundation/http/proxy";
import type { Clock } from "#foundation/time/clock";
import type { Attachment, ButtonPress, InboundMessage, MessageSource } from "./inbound.ts";
import type { Destination, Outbound, Reconciled, RenderedText, SendResult } from "./outbound.ts";

/** What a platform can do, as data: the core asks here and never tries a method to see. */
export interface Capabilities {
  /** Longest message, in `lengthUnit`, after rendering. */
  readonly maxLength: number;
  readonly lengthUnit: "codepoints" | "utf16" | "bytes";
  readonly canEdit: boolean;
  /** The last edit of a growing message must be marked as such. */
  readonly needsFinalEdit: boolean;
  readonly canType: boolean;
  readonly canReact: boolean;
  readonly hasButtons: boolean;
  readonly hasThreads: boolean;
  /** False: nobody there can be asked, and what needs a person's word is denied. */
  readonly takesAnswers?: false | undefined;
  /** Which files it takes, and up to how many bytes; what is missing is sent as a line of text. */
  readonly media: Partial<Readonly<Record<Attachment["kind"], number>>>;
  /**
   * How a send that was cut off is settled: `key` (the platform knows our key and delivers once), `look-back` (its
   * history can be read), `none` (sent again once, and marked).
   */
  readonly settlesSends: "key" | "look-back" | "none";
  /** How much of the work chats see by default. */
  readonly tier: "high" | "medium" | "low" | "minimal";
  /** Sends per second: of the account, and in one chat. */
  readonly rate: { readonly account: number; readonly chat: number };
}

/** What a connection is given. */
export interface ConnectionPorts {
  /** With the environment's values in it; a platform reads its own section and `platforms.<id>`. */
  readonly config: Config;
  /**
   * Takes a message in, with the position in the platform's stream. It is on disk when this resolves: acknowledge the
   * platform then and not before. A message that was taken in already is acknowledged again; it is false then.
   */
  admit(message: InboundMessage, cursor?: StreamPosition): Promise<boolean>;
  /** Chats of other platforms, for one whose events are answered elsewhere. */
  readonly elsewhere: {
    /** The chat a delivery target means, or why there is none. */
    find(target: string): Promise<MessageSource | string>;
    /** Owes a text there; false when the key is known already. */
    owe(to: MessageSource, text: string, key: string): Promise<boolean>;
  };
  /** The words for the person who pressed; shown only to them where the platform can. */
  press(press: ButtonPress): Promise<string>;
  /** The position up to which everything was taken in, for one of our accounts. */
  position(account: string, name: string): Promise<string | undefined>;
  /** Moves the position without a message: past what nobody answers, and to where the very first start begins. */
  keepPosition(account: string, position: StreamPosition): Promise<void>;
  /**
   * The platform was heard: a poll came back, a heartbeat was answered. A connection silent for longer than a minute is
   * taken down and made again, so call it for proofs of life only.
   */
  alive(): void;
  /** Only messages are to be sent: nothing is listened to, and nothing taken in. Where the platform `sendsAlone`. */
  readonly isSendOnly?: boolean | undefined;
  /** Goes through the platform's proxy by itself. */
  readonly fetch: Fetch;
  /** The proxies of other connections, such as sockets; undefined: none. */
  readonly proxy: ProxySettings | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The home, the platform's own folder in it, for keys and the like, and the one of packages installed on demand. */
  readonly folders: { readonly home: string; readonly own: string; readonly packages: string };
}

export interface StreamPosition {
  readonly name: string;
  readonly value: string;
}

/** Why a platform cannot be used now. `isRetryable`: trying again later may help. */
export class ConnectionError extends Error {
  readonly code: string;
  readonly isRetryable: boolean;

  constructor(code: string, message: string, options: { readonly isRetryable: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "ConnectionError";
    this.code = code;
    this.isRetryable = options.isRetryable;
  }
}

export interface SendContext {
  /** The same whenever this message is sent again. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** More of it follows in edits; where a message must be ended, it is not ended yet. */
  readonly isGrowing?: boolean | undefined;
}

/** A live connection of one account. Disposing it stops all it started; twice is once. */
export interface Connection extends AsyncDisposable {
  /** Our own account, as the platform knows it. */
  readonly account: { readonly id: string; readonly name: string };
  /** Settles when the connection is lost and does not mend itself. */
  readonly lost: Promise<ConnectionError>;
  send(to: Destination, message: Outbound, context: SendContext): Promise<SendResult>;
  /** Whether a send that was cut off has arrived. Only where `settlesSends` says so. */
  reconcile?(to: Destination, message: Outbound, context: SendContext): Promise<Reconciled>;
  remove?(to: Destination, messageId: string, signal: AbortSignal): Promise<void>;
  typing?(to: Destination, signal: AbortSignal): Promise<void>;
  react?(to: Destination, reaction: Reaction, signal: AbortSignal): Promise<void>;
  /** The bytes of an attachment; the reader counts them and stops at its limit. */
  fetchAttachment?(attachment: Attachment, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Chats it can name, for the directory of channels. */
  channels?(signal: AbortSignal): Promise<readonly Channel[]>;
  /** Offers the commands in the platform's own menu. */
  offerCommands?(commands: readonly MenuCommand[], signal: AbortSignal): Promise<void>;
}

export interface Reaction {
  readonly messageId: string;
  readonly emoji: string;
  readonly isAdded: boolean;
}

export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly guild?: string | undefined;
  readonly threadId?: string | undefined;
}

export interface MenuCommand {
  readonly name: string;
  readonly description: string;
  readonly argument?: string | undefined;
  /** It is a skill: there may be many of them, and they come last. */
  readonly isSkill?: true | undefined;
}

/**
 * A platform: data and pure functions that any process may use without loading its library, and `connect`, which loads
 * it. Adapters know nothing of agents and sessions; the core knows nothing of a platform beyond this.
 */
export interface Platform {
  /** As in configuration, session keys and targets. */
  readonly id: string;
  readonly label: string;
  /** Prefix of its environment variables. */
  readonly envPrefix: string;
  readonly capabilities: Capabilities;
  /** True: it judges `dm_policy`, `group_policy` and their lists itself, with rules of its own. */
  readonly hasOwnRules?: true | undefined;
  /** True: a process can send there without listening, beside one that does or where none does. */
  readonly sendsAlone?: true | undefined;
  /** True: it puts `reply_prefix` before its messages itself, and knows them by it. */
  readonly hasOwnPrefix?: true | undefined;
  /** Whether messages can be edited under these settings, where `canEdit` does not hold for all. */
  canEditWith?(config: Config): boolean;
  /** How long it waits for what belongs to a message, where its settings say so. */
  timing?(config: Config): PlatformTiming;
  /** What must be set before it can connect, in the order a person is asked. */
  readonly credentials: readonly CredentialField[];
  /** Names the credential that only one process may use at a time. */
  lock(config: Config): { readonly scope: string; readonly identity: string } | undefined;
  /** Markdown as the platform's own markup, in pieces it accepts. */
  render(markdown: string): readonly RenderedText[];
  /** The beginning of a target after `platform:` that is an id of this platform, and the thread in it. */
  readTarget(text: string): { readonly chatId: string; readonly threadId?: string | undefined } | undefined;
  connect(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection>;
  /** Asks the platform whose credential it is, where that disturbs nobody; throws a {@link ConnectionError} else. */
  whoami?(ports: Pick<ConnectionPorts, "config" | "fetch">, signal: AbortSignal): Promise<string>;
  /** The platform as these settings want it reached, where there is more than one way. */
  variantFor?(config: Config): Promise<Platform>;
  /** Gets credentials by itself, with a person's help; by the names of `credentials`. */
  login?(ports: LoginPorts, signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Links the account with a person's help, once the credentials are there. */
  pair?(ports: LoginPorts, signal: AbortSignal): Promise<void>;
}

export interface PlatformTiming {
  /** For further pictures of an album. */
  readonly albumMs: number;
  /** Words that come so soon after a turn began do not stop it: they are the next input. */
  readonly followupGraceMs: number;
}

export interface LoginPorts extends Pick<ConnectionPorts, "config" | "fetch" | "clock"> {
  /** Says something to the person who logs in. */
  show(text: string): void;
}

export interface CredentialField {
  /** In the platform's section; `token` and `api_key` stand in `platforms.<id>`. */
  readonly name: string;
  readonly variable: string;
  readonly question: string;
  readonly help: string;
  readonly isSecret: boolean;
  readonly isOptional?: boolean | undefined;
}
