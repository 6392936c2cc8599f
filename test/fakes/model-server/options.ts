import type { LocalServer, ModelEntry } from "./models-endpoints.ts";
import type { ChatDialect } from "./render/wire-reply.ts";
import type { StrictOptions } from "./strict/index.ts";

export interface ModelServerOptions {
  /** Refuse what real providers refuse. Off by default. */
  readonly strict?: boolean | StrictOptions;
  /** Whose errors, ids and extra fields the chat wire has. */
  readonly chatDialect?: ChatDialect;
  /** When set, requests without this key get the provider's 401. */
  readonly apiKey?: string;
  /** In tokens of four bytes; larger prompts get the provider's overflow error. */
  readonly contextWindow?: number;
  readonly maxBodyBytes?: number;
  readonly models?: readonly ModelEntry[];
  readonly localServer?: LocalServer;
  /** The smallest prefix that a cache mark stores. */
  readonly cacheMinimumTokens?: number;
  /** Lifetimes of cached prefixes and all times on the wire follow this clock. */
  readonly clock?: { now(): number };
  /** 0, the default, takes any free port. */
  readonly port?: number;
}
