import type { Config, LoadedConfig } from "#config";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import type { Scope } from "#foundation/lifecycle/disposal";
import type { Redactor } from "#foundation/secrets/redact";
import type { Secret } from "#foundation/secrets/secret";
import type { Clock } from "#foundation/time/clock";
import type { PluginWiring } from "#plugins";
import type {
  Approver,
  Auxiliary,
  Availability,
  ExecuteCodeDeps,
  GatewayDeps,
  McpDeps,
  McpServersOptions,
  MixtureDeps,
  ProcessEvent,
  ProcessRoute,
  SampleModel,
  ToolContext,
} from "#tools";

/** What needs a model. Without it the tools that would use one say so, or do with less. */
interface ToolboxModels {
  readonly auxiliary?: Auxiliary;
  /** Whether a model that sees images can be reached. */
  canSee?(signal: AbortSignal): Promise<Availability> | Availability;
  /** Asks one named model, for `mixture_of_agents`. */
  readonly moa?: MixtureDeps["completeWith"];
  /** Answers completions that MCP servers ask for. */
  readonly sample?: SampleModel;
  /** The subscription that pays for services instead of own keys. */
  readonly gatewayLogin?: GatewayDeps["login"];
}

/** What needs a person. Nobody to ask means no. */
export interface ToolboxPeople {
  readonly approver?: Approver;
  /** A secret typed where nobody sees it; undefined when the person skipped it. */
  askSecret?(
    question: { readonly prompt: string; readonly sessionKey: string },
    signal: AbortSignal,
  ): Promise<Secret | undefined>;
  /** Something a person should see once. */
  onNotice(text: string): void;
  /** May this command of `hooks` run at this event? */
  confirmHook?(event: string, command: string, signal: AbortSignal): Promise<boolean>;
  readonly elicit?: McpDeps["elicit"];
  readonly confirmSampling?: McpDeps["confirmSampling"];
  readonly confirmMcpChange?: McpServersOptions["confirmChange"];
}

/** What the sessions above give back to the tools. */
export interface ToolboxSessions {
  /** Runs a tool call of a script as one of the model; without it the toolbox does that itself. */
  readonly runToolCall?: ExecuteCodeDeps["callTool"];
  readonly dispatchTool?: PluginWiring["dispatchTool"];
  readonly injectMessage?: PluginWiring["injectMessage"];
  /** Variables that the loaded skills of a session or task may take along. */
  skillVariables?(of: { readonly sessionId?: string; readonly taskId: string }): readonly string[];
  onProcessEvent?(event: ProcessEvent): void;
  /** Where a report about a background process goes back to. */
  routeOf?(context: ToolContext): ProcessRoute;
}

export interface ToolboxOptions extends ToolboxModels, ToolboxPeople, ToolboxSessions {
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  /** The environment of the process, to read the files of settings again; the variables of this run unless given. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where the user works. */
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
  readonly yolo?: boolean;
  /** `--accept-hooks` */
  readonly acceptHooks?: boolean;
  /** What children inherit; `minimal` where strangers may ask. */
  readonly childVariables?: "inherit" | "minimal";
  /** Slash commands that no plugin may take. */
  readonly builtinCommands?: ReadonlySet<string>;
  /** Folder of the plugins that come with the program. */
  readonly bundledPlugins?: string;
}

/** What every part of the toolbox is made from. */
export interface ToolboxBase {
  readonly options: ToolboxOptions;
  readonly config: Config;
  /** The variables of this run, `.env` files included. */
  readonly env: NodeJS.ProcessEnv;
  /** Where sessions start, absolute. */
  readonly cwd: string;
  /** Owns whatever has a lifetime; ended in reverse. */
  readonly scope: Scope;
  readonly redactor: Redactor;
  redact(text: string): string;
}
