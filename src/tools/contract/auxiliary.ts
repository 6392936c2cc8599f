import type { Availability } from "./tool.ts";

export type AuxiliaryTask = "vision" | "web_extract" | "approval" | "session_search" | "browser";

export interface AuxiliaryRequest {
  readonly system?: string;
  readonly prompt: string;
  /** Data URLs or addresses. */
  readonly images?: readonly string[];
  readonly maxTokens?: number;
  readonly temperature?: number;
}

export type AuxiliaryAnswer =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unavailable"; readonly reason: string };

/** Small calls to models beside the conversation of a session. */
export interface Auxiliary {
  ask(task: AuxiliaryTask, request: AuxiliaryRequest, signal: AbortSignal): Promise<AuxiliaryAnswer>;
  /** Whether a model that sees images can be asked. */
  canSee(signal: AbortSignal): Promise<Availability>;
  /** Asks one named model, for `mixture_of_agents`. */
  complete(request: MixtureRequest, signal: AbortSignal): Promise<MixtureAnswer>;
  /** Answers a completion that an MCP server asks for. */
  sample(request: SampleRequest, signal: AbortSignal): Promise<SampleReply>;
}

/** One completion of `mixture_of_agents`. */
export interface MixtureRequest {
  readonly model: string;
  readonly system?: string;
  readonly prompt: string;
  readonly temperature: number;
  readonly maxTokens: number;
  /** The highest the model offers. */
  readonly hasDeepReasoning: boolean;
}

export type MixtureAnswer =
  /** `usd`: what the answer cost, where that is known. */
  | { readonly kind: "text"; readonly text: string; readonly usd?: number }
  /** `isFinal`: trying again is no use. */
  | { readonly kind: "failed"; readonly reason: string; readonly isFinal?: boolean };

export type SamplePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "tool_result"; readonly toolUseId: string; readonly text: string; readonly isError: boolean };

export interface SampleMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly SamplePart[];
}

/** A completion a server asks for, within the limits set for it. */
export interface SampleRequest {
  readonly server: string;
  /** Absent: the default model. */
  readonly model?: string;
  readonly system?: string;
  readonly messages: readonly SampleMessage[];
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: unknown }[];
}

export type SampleReply =
  | {
      readonly kind: "reply";
      readonly model: string;
      readonly content: readonly Extract<SamplePart, { readonly type: "text" | "tool_use" }>[];
      readonly finish: "stop" | "length" | "tool_calls";
      readonly tokensUsed: number;
    }
  | { readonly kind: "unavailable"; readonly reason: string };
