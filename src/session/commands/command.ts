import type { ApprovalChoice, Message } from "#conversation";
import type { CommandView, OpenSession, SessionInfo } from "../api.ts";
import type { AgentServices } from "../services/services.ts";
import type { SessionDeps } from "../session-deps.ts";
import type { CurrentConversation } from "../turns/current-conversation.ts";
import type { Turns } from "../turns/turns.ts";
import type { CommandCatalog } from "./registry.ts";

export const commandCategories = ["Session", "Configuration", "Tools & Skills", "Info", "Exit"] as const;
export type CommandCategory = (typeof commandCategories)[number];

/** Where a line was typed: at a terminal or editor, or in a chat. */
export type CommandSurface = "cli" | "gateway";

/** During a turn a command runs at once, is refused with a notice, or is done when the turn is over. */
export type WhileRunning = "now" | "busy" | "next";

/** Everything commands can work with; each names what it takes, and gets nothing else. */
export interface CommandServices
  extends AgentServices,
    Pick<SessionDeps, "store" | "clock" | "logger" | "settings" | "home" | "preferences"> {
  readonly turns: Pick<
    Turns,
    "busyMode" | "setBusyMode" | "say" | "continueTurn" | "releaseHeld" | "queued" | "isBusy" | "stop"
  >;
  readonly conversation: Pick<CurrentConversation, "startNew" | "leave" | "dropLastExchange" | "setTitle">;
  /** Prompts that run beside the conversation. */
  readonly background: { start(prompt: string): string; list(): readonly BackgroundRun[] };
  /** Child agents of the running turn: what they do. */
  readonly children: { list(): readonly { readonly id: string; readonly task: string }[] };
  /** Answers the approval that is open; false when none is. */
  readonly asking: { approveOpen(choice: ApprovalChoice): boolean };
  /** Jobs of the person this session works for. */
  readonly cron: { answer(line: string): Promise<string> };
  /** A line as if it had been typed: a command or words. */
  readonly line: Pick<OpenSession, "submit">;
  readonly machine: Pick<SessionDeps, "version" | "redact" | "plugins" | "skillUse" | "settings">;
}

export interface BackgroundRun {
  readonly id: string;
  readonly prompt: string;
  readonly startedAtMs: number;
}

export type ServiceName = keyof CommandServices;

/** Somebody as surfaces know them; the owner has what belongs to nobody else. */
export interface Person {
  readonly id: string;
  readonly isOwner: boolean;
}

/** A line that calls a command. */
export interface CommandCall {
  /** What followed the name, trimmed, in its own case. */
  readonly args: string;
  readonly words: readonly string[];
  readonly surface: CommandSurface;
  /** Who speaks, on surfaces with several people; undefined: whoever sits at this machine. */
  readonly person: Person | undefined;
  /** The session as it is now. */
  readonly session: { readonly info: SessionInfo; readonly history: readonly Message[] };
  readonly catalog: CommandCatalog;
  readonly signal: AbortSignal;
}

/** A slash command as data; help, completion, menus and dispatch are all derived from the one list of these. */
export interface SlashCommand<Taken extends ServiceName = ServiceName> {
  /** Lower case, without the slash. */
  readonly name: string;
  readonly description: string;
  readonly category: CommandCategory;
  readonly aliases?: readonly string[];
  readonly argsHint?: string;
  readonly subcommands?: readonly string[];
  readonly cliOnly?: boolean;
  readonly gatewayOnly?: boolean;
  /** Offered in chats only while this setting is on. */
  readonly gatewayConfigGate?: string;
  readonly whileRunning: WhileRunning;
  /** The services it works with. */
  readonly takes: readonly Taken[];
  /** Where the answer depends on what follows the name, or on where it was typed. */
  whileRunningFor?(words: readonly string[], surface: CommandSurface): WhileRunning;
  /** What may follow, for completion. */
  complete?(call: CommandCall, services: Pick<CommandServices, Taken>): Promise<readonly string[]>;
  run(call: CommandCall, services: Pick<CommandServices, Taken>): Promise<CommandView>;
}

/** Checks that a command uses the services it names, and no others. */
export function defineCommand<const Taken extends ServiceName = never>(command: SlashCommand<Taken>): SlashCommand {
  return command;
}

/** The services a command named. */
export function takenFrom(services: CommandServices, { takes }: SlashCommand): CommandServices {
  return Object.fromEntries(takes.map((name) => [name, services[name]])) as unknown as CommandServices;
}
