import type { CredentialHandle } from "./credential-handle.ts";

/**
 * The wire languages. The first three are what a user may name as `api_mode`; the other two hide
 * behind providers that speak nothing else.
 */
export type ProtocolName =
  | "chat_completions"
  | "anthropic_messages"
  | "codex_responses"
  | "gemini_generate"
  | "bedrock_converse";

/** What differs between endpoints that speak the same protocol. Data, so that no code asks for a provider's name. */
export interface TargetQuirks {
  /** The system message is sent with role `developer`. */
  readonly developerRole?: boolean;
  /** Assistant messages must carry `reasoning_content`, empty if need be (DeepSeek, Kimi). */
  readonly requiresReasoningContent?: boolean;
  /** Name of the output limit in chat bodies. */
  readonly outputLimitField?: "max_tokens" | "max_completion_tokens" | "none";
  /** How reasoning effort is asked for. */
  readonly reasoning?:
    | "none"
    | "openrouter"
    | "anthropic-budget"
    | "anthropic-adaptive-max"
    | "anthropic-adaptive-xhigh"
    | "responses"
    | "responses-include-only"
    | "copilot"
    | "kimi"
    | "ollama"
    | "gemini";
  /** Switched-off reasoning is said by leaving the field out, where an endpoint refuses `{enabled: false}`. */
  readonly omitDisabledReasoning?: boolean;
  /** Prompt-cache marks: on blocks, on messages, or none. */
  readonly cacheMarks?: "block" | "message" | "none";
  /** Signed thinking is replayed in every place it was sent in, on the answer being worked on only, unsigned only, or not at all. */
  readonly thinkingReplay?: "signed" | "unsigned" | "none";
  readonly omitTemperature?: boolean;
  /** Dialect of tool schemas. */
  readonly toolSchema?: "standard" | "moonshot" | "gemini";
  /** Contents are always lists of parts (portal.qwen.ai). */
  readonly contentAsParts?: boolean;
  /** Dots in model names become hyphens. */
  readonly hyphenatedModel?: boolean;
  readonly acceptsPromptCacheKey?: boolean;
  /** Efforts the model lists in its catalogue, where a provider accepts only those. */
  readonly listedEfforts?: readonly string[];
  /** Fields merged into every body (routing preferences, tags, `options.num_ctx`). */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  readonly supportsImages?: boolean;
  /** A Hermes that does whole turns: it tells of its work in events of this name beside the answer. */
  readonly workEvent?: string;
}

export interface TargetLimits {
  readonly contextWindow: number;
  /** Where the window is known from, for people. */
  readonly windowSource?: string;
  /** Largest output the model can give; undefined when nobody knows. */
  readonly maxOutputTokens?: number;
  /** What the user or the provider wants as output limit of ordinary calls. */
  readonly defaultOutputTokens?: number;
}

export interface TargetTimeouts {
  readonly connectMs: number;
  readonly totalMs: number;
  /** Longest silence on the socket while streaming. */
  readonly streamReadMs: number;
  /** Longest time without a real data event; keep-alives do not count. Zero turns it off. */
  readonly streamStaleMs: number;
  readonly wholeStaleMs: number;
  /** Time to leave between the starts of two requests, where the endpoint's owner set one. */
  readonly minIntervalMs?: number;
}

/** Where an attempt goes: provider, model, protocol, endpoint and the right to use it. Immutable; a switch replaces it whole. */
export interface Target {
  /** Canonical provider id. */
  readonly provider: string;
  readonly providerLabel: string;
  /** The name as it is sent. */
  readonly model: string;
  readonly protocol: ProtocolName;
  /** Without trailing slash and without query. */
  readonly baseUrl: string;
  readonly query: Readonly<Record<string, string>>;
  /** Headers that are not credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialHandle;
  readonly quirks: TargetQuirks;
  readonly limits: TargetLimits;
  readonly timeouts: TargetTimeouts;
  readonly isLocal: boolean;
  /** Run by Hermes itself, on the processor of this machine: whoever chose it knows that window and speed are small. */
  readonly isServedHere?: boolean;
  /** A server of the person's own, of which only the address is known. */
  readonly isOwnEndpoint?: boolean;
  /** The address as the settings write it, where the wire needs another. */
  readonly writtenUrl?: string;
  /** Other ways to read that address, for when nothing is found under this one. */
  readonly alternatives?: () => readonly Target[];
  /** Started for each request, where the provider is a program and no server (`acp://`). */
  readonly program?: { readonly command: string; readonly args: readonly string[] };
  /** Where this choice came from, for people: `config`, `flag`, `env:OPENROUTER_API_KEY`, `fallback 1`. */
  readonly source: string;
}
