import type { MixtureAnswer, MixtureRequest } from "../builtin/mixture-of-agents.tool.ts";
import type { SampleReply, SampleRequest } from "../mcp/sampling.ts";
import type { Availability } from "../registry/tool.ts";

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
