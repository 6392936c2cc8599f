import type { Message, ToolDefinition } from "#conversation";
import type { ConfigSchema } from "./config-schema.ts";
import type { MemoryTarget, NoteAction } from "./entries.ts";
import type { WriteMetadata } from "./memory-writes.ts";

/** What a provider that ships with the program is made from. */
export interface ProviderHost {
  /** The environment with the `.env` of the home. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly hermesHome: string;
}

/** Who the provider works for. Only a primary agent's conversations are worth remembering. */
export type AgentContext = "primary" | "subagent" | "cron" | "flush";

export interface ProviderContext {
  /** All storage of the provider lies below this folder. */
  readonly hermesHome: string;
  readonly platform: string;
  readonly agentContext?: AgentContext;
  /** The profile. */
  readonly agentIdentity?: string;
  readonly agentWorkspace?: string;
  readonly userId?: string;
  /** Of a session in a chat: who began it, and where. */
  readonly userName?: string;
  readonly chatId?: string;
  readonly chatName?: string;
  readonly chatType?: string;
  readonly threadId?: string;
  readonly gatewaySessionKey?: string;
}

/** Goes with every call that belongs to a turn. The signal fires when nobody waits for the answer any more. */
export interface ProviderCall {
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/**
 * A memory kept beside the built-in notes. What it throws is logged and forgotten, what it does late is not waited
 * for: it can enrich a turn and never break one.
 */
export interface MemoryProvider {
  readonly name: string;
  /** Asked before anything else; must not use the network. */
  isAvailable(): boolean;
  initialize(sessionId: string, context: ProviderContext): void | Promise<void>;
  /** Read once, after `initialize`. */
  getToolSchemas(): readonly ToolDefinition[];
  /** Gives JSON. Needed when there are tools. */
  handleToolCall?(name: string, args: Readonly<Record<string, unknown>>, call: ProviderCall): string | Promise<string>;
  /** Whether this call changes nothing. What writes is held back in a turn that has read text of strangers. */
  isReadOnlyCall?(name: string, args: Readonly<Record<string, unknown>>): boolean;
  getConfigSchema(): ConfigSchema;
  /** The values that are not secrets; a provider that reads the environment alone needs none. */
  saveConfig?(values: Readonly<Record<string, string>>, hermesHome: string): void | Promise<void>;
  /** Static text for the system prompt; read once. */
  systemPromptBlock?(): string;
  onTurnStart?(turn: number, message: string, call: ProviderCall): void | Promise<void>;
  /** Once per turn, before the first request: what is known about this. */
  prefetch?(query: string, call: ProviderCall): string | Promise<string>;
  /** After an answered turn: a chance to have the next recall ready. */
  queuePrefetch?(query: string, call: ProviderCall): void | Promise<void>;
  /** After an answered turn. */
  syncTurn?(user: string, assistant: string, call: ProviderCall): void | Promise<void>;
  onSessionEnd?(messages: readonly Message[]): void | Promise<void>;
  /** What it returns is shown to the summariser. */
  onPreCompress?(messages: readonly Message[]): string | undefined | Promise<string | undefined>;
  onMemoryWrite?(
    ...write: [action: NoteAction, target: MemoryTarget, content: string, metadata: WriteMetadata]
  ): void | Promise<void>;
  onDelegation?(task: string, result: string, child: { readonly childSessionId: string }): void | Promise<void>;
  /** Takes the place of the questions of the wizard. */
  postSetup?(hermesHome: string, config: Readonly<Record<string, unknown>>): void | Promise<void>;
  shutdown?(): void | Promise<void>;
}

/** The members a plugin must bring; anything less is refused when it registers. */
export function isMemoryProvider(input: unknown): input is MemoryProvider {
  if (typeof input !== "object" || input === null) return false;
  const name: unknown = Reflect.get(input, "name");
  // The name is also the name of its folder.
  if (typeof name !== "string" || !/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) return false;
  return ["isAvailable", "initialize", "getToolSchemas", "getConfigSchema"].every(
    (member) => typeof Reflect.get(input, member) === "function",
  );
}
