import type { Message, ToolDefinition } from "#conversation";
import type { ConfigSchema } from "../../config-schema.ts";
import type { Arguments } from "./arguments.ts";
import type { ServiceSettings } from "./settings.ts";

/** Whom a memory service remembers for. */
export interface ServiceUser {
  readonly sessionId: string;
  /** Somebody who is not the owner of the home. */
  readonly userId: string | undefined;
  /** The profile. */
  readonly identity: string;
  readonly hermesHome: string;
}

/** A tool of a service, and what answers it. */
export interface ServiceTool extends ToolDefinition {
  /** It changes nothing at the service. */
  readonly isReadOnly: boolean;
  run(args: Arguments, signal: AbortSignal): Promise<unknown>;
}

export interface SpokenTurn {
  readonly sessionId: string;
  readonly user: string;
  readonly assistant: string;
}

/** A service in use by one session. Whatever it throws is logged by the manager of memories, and breaks no turn. */
export interface ServiceConnection {
  readonly tools: readonly ServiceTool[];
  /** What is known about this; empty when nothing is. */
  recall?(query: string, signal: AbortSignal): Promise<string>;
  remember?(turn: SpokenTurn, signal: AbortSignal): Promise<void>;
  /** A line that was added to the notes. */
  note?(content: string, signal: AbortSignal): Promise<void>;
  end?(messages: readonly Message[], signal: AbortSignal): Promise<void>;
  beforeCompression?(messages: readonly Message[], signal: AbortSignal): Promise<void>;
}

/** A memory that somebody else runs: what it asks for, and how it is spoken with. */
export interface MemoryService {
  readonly name: string;
  readonly schema: ConfigSchema;
  /** Below the home, for settings that are no secrets; without one they stand in `.env`. */
  readonly configFile?: string;
  /** For the system prompt. */
  readonly prompt: string;
  /** Asked without the network; true when the required keys are enough to know. */
  isReady?(settings: ServiceSettings): boolean;
  connect(settings: ServiceSettings, user: ServiceUser): ServiceConnection;
}
