import { assertApproved } from "../../approval/assert-approved.ts";
import type { ApprovalGate } from "../../contract/approval-request.ts";
import type { ToolContext } from "../../contract/context.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result, ToolFailure, type ToolResult } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import {
  adminActions,
  callDiscord,
  coreActions,
  type DiscordAccess,
  type DiscordAction,
  type DiscordArguments,
  type DiscordIntents,
  intentsOf,
} from "../../media/discord.ts";
import { fenceUntrusted } from "../../web/untrusted.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

export interface DiscordDeps {
  /** Undefined without a bot: the tools are unavailable then. */
  access(): DiscordAccess | undefined;
  /** Actions that may be used; empty: all that the bot can do. */
  readonly allowed: readonly string[];
  readonly gate: ApprovalGate;
}

const string = (description: string) => ({ type: "string", description }) as const;
const fields = {
  guild_id: string("The server"),
  channel_id: string("The channel or thread"),
  user_id: string("The member"),
  role_id: string("The role"),
  message_id: string("The message"),
  query: string("How the name begins"),
  name: string("Of the new thread"),
  limit: { type: "integer", description: "At most 100; 50 if not given", minimum: 1, maximum: 100 },
  before: string("Messages before this one"),
  after: string("Messages after this one"),
  auto_archive_duration: { type: "integer", description: "Minutes; 1440 if not given", enum: [60, 1440, 4320, 10_080] },
} as const;

/** Reading along and taking part in a Discord server, and managing it. */
export function createDiscordTools(deps: DiscordDeps): readonly Tool[] {
  // What the bot may read is asked for once, so that what the model sees of the tools does not change under it.
  let asked: Promise<DiscordIntents> | undefined;
  let intents: DiscordIntents = { members: true, content: true };
  const check = async (signal: AbortSignal) => {
    const access = deps.access();
    if (access === undefined) return { reason: "Discord is not set up" };
    asked ??= intentsOf(access, signal);
    intents = await asked;
    return true as const;
  };
  const make = (
    name: "discord" | "discord_admin",
    opening: string,
    actions: Readonly<Record<string, DiscordAction>>,
  ) => {
    const usable = (): string[] =>
      Object.keys(actions).filter((action) => {
        if (deps.allowed.length > 0 && !deps.allowed.includes(action)) return false;
        return intents.members || actions[action]?.readsMembers !== true;
      });
    return {
      ...defineTool({
        name,
        toolset: name,
        emoji: "🎮",
        description: opening,
        requiresEnv: ["DISCORD_BOT_TOKEN"],
        check,
        isIdempotent: false,
        effects: "elsewhere",
        parameters: {
          type: "object",
          properties: { action: { ...string("What to do"), enum: Object.keys(actions) }, ...fields },
          required: ["action"],
        },
        run: ({ action, ...args }, context) => act(deps, { name, action, actions, usable: usable(), args }, context),
      }),
      patchDefinition: (definition) => {
        const visible = usable();
        if (visible.length === 0) return undefined;
        const lines = visible.map((action) => `- ${actions[action]?.line}`);
        if (!intents.content && visible.some((action) => actions[action]?.readsMessages === true))
          lines.push("The bot may not read the content of messages that do not mention it: it is empty there.");
        const properties = { action: { ...string("What to do"), enum: visible }, ...fields };
        return {
          ...definition,
          description: `${opening}\n${lines.join("\n")}`,
          parameters: { ...definition.parameters, properties },
        };
      },
    } satisfies Tool;
  };
  return [
    make("discord", "Read and take part in a Discord server. Actions:", coreActions),
    make("discord_admin", "Manage a Discord server. Actions:", adminActions),
  ];
}

interface Chosen {
  readonly name: "discord" | "discord_admin";
  readonly action: string;
  readonly actions: Readonly<Record<string, DiscordAction>>;
  readonly usable: readonly string[];
  readonly args: DiscordArguments;
}

async function act(
  deps: DiscordDeps,
  { name, action, actions, usable, args }: Chosen,
  context: ToolContext,
): Promise<ToolResult> {
  const access = deps.access();
  if (access === undefined) throw new ToolFailure("Discord is not set up: hermes gateway setup discord");
  const chosen = actions[action];
  if (chosen === undefined || !usable.includes(action))
    throw new ToolFailure(`The action ${action} is not allowed here. Allowed: ${usable.join(", ")}`);
  const missing = chosen.needs.filter((field) => (args[field] ?? "") === "");
  if (missing.length > 0) throw new ToolFailure(`${action} needs ${missing.join(", ")}.`);
  if (chosen.asks !== undefined) {
    const summary = `${action}: server ${args.guild_id}, member ${args.user_id}, role ${args.role_id}`;
    const asked = { tool: name, summary, key: `discord ${action}`, description: chosen.asks };
    await assertApproved(deps.gate, asked, context);
  }
  const { signal } = context;
  const answer = await callDiscord(access, chosen.call(args), { signal, permission: chosen.permission });
  const shown = chosen.show(answer);
  if (chosen.readsMessages !== true) return result({ success: true, result: shown });
  context.noteUntrusted?.(name);
  const source = `discord:${args.channel_id ?? ""}`;
  return result({ success: true, result: fenceUntrusted(JSON.stringify(shown, null, 1), source) });
}

export const builtin: BuiltinTools = ({ discord }) => (discord === undefined ? [] : createDiscordTools(discord));
