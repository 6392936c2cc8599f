import type { Config, LoadedConfig } from "#config";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import type { Scope } from "#foundation/lifecycle/disposal";
import type { Redactor } from "#foundation/secrets/redact";
import type { Clock } from "#foundation/time/clock";
import type { GatewayDeps, OpenSessions, ToolExtensions } from "#tools";

export interface ToolboxOptions {
  /** The subscription that pays for services instead of own keys. */
  readonly gatewayLogin?: GatewayDeps["login"];
  /** Something a person should see once. */
  onNotice(text: string): void;
  /** What plugins add; they know the sessions that are open. */
  extensions?(sessions: OpenSessions): ToolExtensions;
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  /** The environment of the process, to read the files of settings again; the variables of this run unless given. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where the program was started. */
  readonly cwd: string;
  /** The user's home directory. */
  readonly userHome: string;
  /** Announced to MCP servers. */
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Shared with whoever else knows secrets; told about those of this configuration. */
  readonly redactor?: Redactor;
  /** `--yolo` */
  readonly yolo?: boolean | undefined;
}

/** What every part of the toolbox is made from. */
export interface ToolboxBase {
  readonly options: ToolboxOptions;
  readonly config: Config;
  /** The variables of this run, `.env` files included. */
  readonly env: NodeJS.ProcessEnv;
  /** Where what belongs to no session works, absolute. */
  readonly cwd: string;
  /** Owns whatever has a lifetime; ended in reverse. */
  readonly scope: Scope;
  readonly redactor: Redactor;
  redact(text: string): string;
  readonly extensions: ToolExtensions;
}
