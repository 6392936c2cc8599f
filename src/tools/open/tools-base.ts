import type { Config, Machine } from "#config";
import type { Scope } from "#foundation/lifecycle/disposal";
import type { SpotifyDeps } from "../builtin/services/spotify.tool.ts";
import type { OpenSessions } from "../call/open-sessions.ts";
import type { ToolExtensions } from "../contract/tool-extensions.ts";
import type { TrainingSteps } from "../contract/training.ts";
import type { GatewayDeps } from "../web/managed-gateway.ts";

export interface ToolsOptions {
  /** `--yolo` */
  readonly yolo?: boolean | undefined;
  /** The subscription that pays for services instead of own keys. */
  readonly gatewayLogin?: GatewayDeps["login"] | undefined;
  /** The person's account at Spotify; absent where nobody can have one. */
  readonly spotify?: SpotifyDeps["login"] | undefined;
  /** Where training runs are started and watched; absent: there are no `rl_…` tools. */
  readonly training?: (() => Promise<TrainingSteps>) | undefined;
  /** What plugins add; they know the sessions that are open. */
  readonly extensions?: ((sessions: OpenSessions) => ToolExtensions) | undefined;
}

/** What every part of the tools is made from. */
export interface ToolsBase {
  readonly machine: Machine;
  readonly options: ToolsOptions;
  readonly config: Config;
  /** The variables of this run, `.env` files included. */
  readonly env: NodeJS.ProcessEnv;
  /** Owns whatever has a lifetime; ended in reverse. */
  readonly scope: Scope;
  /** What the output of tools passes; nothing is changed with `security.redact_secrets: false`. */
  redact(text: string): string;
  /** A mask that was shown and comes back to be written. */
  findMask(text: string): string | undefined;
  readonly extensions: ToolExtensions;
}
