import { builtinCommands } from "#session";
import type { Store } from "#store";
import type { Pairing } from "../access/pairing.ts";
import type { Users } from "../access/users.ts";
import type { InboundMessage } from "../platform/inbound.ts";
import type { CommandLine } from "../routing/command-line.ts";
import { type ResolvedName, resolveName } from "../routing/command-name.ts";
import { voiceCommand } from "../voice/voice-command.ts";

export interface GatewayCommandDeps {
  readonly store: Pick<Store, "meta">;
  readonly users: Pick<Users, "isAdmin">;
  readonly pairing: Pick<Pairing, "invite" | "paired" | "revoke">;
  /** Platforms that are switched on. */
  platformIds(): readonly string[];
  /** Remembers this chat as the one that results without another go to. */
  setHome(message: InboundMessage): Promise<void>;
  /** Ends this process so that it is started again; who asked is told when it is back. */
  restart(message: InboundMessage): Promise<void>;
}

/** Commands that only chats have. */
export const gatewayCommands = [
  { name: "pair", description: "Let someone in with a code" },
  { name: "sethome", aliases: ["set-home"], description: "Send results and notices to this chat" },
  { name: "voice", description: "Hear answers as speech", argument: "[on|tts|off|status]" },
  { name: "restart", description: "Restart Hermes" },
] as const;

const inChats = [...gatewayCommands, ...builtinCommands.filter(({ cliOnly }) => !cliOnly)];

/** The command that somebody means, of all that work in chats without a plugin or a skill. */
export function commandMeant(name: string): ResolvedName {
  return resolveName(name, inChats);
}

/** Commands that change the installation or who may use it. */
const adminOnly: ReadonlySet<string> = new Set(["pair", "restart", "update", "debug", "yolo", "reload-mcp", "sethome"]);

/** What a command of the gateway answers; undefined when it is none, and the session's own commands are asked. */
export async function gatewayCommand(
  { name, args }: CommandLine,
  message: InboundMessage,
  deps: GatewayCommandDeps,
): Promise<string | undefined> {
  const meant = commandMeant(name);
  if (meant.kind === "several" && meant.candidates.some((one) => gatewayCommands.some((own) => own.name === one)))
    return `/${name} may be: ${meant.candidates.map((one) => `/${one}`).join(", ")}`;
  const command = meant.kind === "one" ? meant.name : name;
  const isForAll = /(?:^|\s)--global\b/u.test(args) && (command === "model" || command === "reasoning");
  const isForGood = command === "approve" && /\balways\b/iu.test(args);
  if ((adminOnly.has(command) || isForAll || isForGood) && !deps.users.isAdmin(message.source))
    return isForGood ? "Only admins may allow this permanently." : "Only admins may do this.";
  if (command === "pair") return await pair(args, message, deps);
  if (command === "sethome") {
    await deps.setHome(message);
    return "Results of scheduled work and notices go to this chat from now on.";
  }
  if (command === "voice") return await voiceCommand(args, message.source, deps.store);
  if (command === "restart") {
    await deps.restart(message);
    return "Restarting now. Work in progress continues afterwards.";
  }
  return undefined;
}

async function pair(args: string, { source }: InboundMessage, deps: GatewayCommandDeps): Promise<string> {
  if (source.chatType !== "dm") return "Pairing codes are given out in direct chats only. Write to me there.";
  const [what = "", userId = ""] = args.split(/\s+/u);
  if (what === "list") {
    const users = await deps.pairing.paired(source.platform);
    if (users.length === 0) return "Nobody is paired here.";
    return users.map((person) => `- ${person.userId} ${person.userName}`).join("\n");
  }
  if (what === "revoke")
    return (await deps.pairing.revoke(source.platform, userId))
      ? `${userId} may no longer use Hermes here.`
      : `${userId || "Nobody"} is not paired here. Usage: /pair revoke <user id>`;
  const code = await deps.pairing.invite(what === "any" ? deps.platformIds() : [source.platform]);
  return `Pass this code on: \`${code}\`\n\nWhoever sends it to me in a direct chat first may use Hermes. It is valid for an hour.`;
}
