import type { GatewayInteractionCreateDispatchData } from "discord-api-types/v10";
import { describe } from "#foundation/errors";
import { timeLimit } from "#foundation/lifecycle/abort";
import type { MessageSource } from "../../platform/inbound.ts";
import type { ConnectionPorts } from "../../platform/platform.ts";
import type { DiscordApi } from "./api.ts";
import type { Channels } from "./channels.ts";
import type { DirectRoles } from "./direct-roles.ts";
import { type OfferedSkills, skillCommand } from "./menu.ts";

export interface InteractionDeps {
  readonly ports: Pick<ConnectionPorts, "admit" | "press" | "clock" | "logger">;
  readonly api: DiscordApi;
  readonly self: { readonly id: string };
  readonly channels: Channels;
  readonly directRoles: DirectRoles;
  readonly skills: OfferedSkills;
}

/** Discord's numbers for what somebody did, and for how that is answered. */
const did = { command: 2, press: 3, typing: 4 } as const;
const answers = { message: 4, choices: 8 } as const;
const onlyForThem = 64;
const answerMs = 3_000;

/** A button was pressed, a slash command was sent or is being typed. Discord wants to hear of each within three seconds. */
export async function takeInteraction(
  data: GatewayInteractionCreateDispatchData,
  deps: InteractionDeps,
): Promise<void> {
  const { ports, self, skills } = deps;
  const answer = (type: number, content: Readonly<Record<string, unknown>>) =>
    answerTo(data, { type, data: content }, deps);
  if (data.type === did.typing) {
    const typed = data.data.options.map((option) => ("value" in option ? String(option.value) : ""))[0] ?? "";
    return await answer(answers.choices, { choices: skills.like(typed).map((name) => ({ name, value: name })) });
  }
  const source = await sourceOf(data, deps);
  if (source === undefined) return;
  const dedupKey = `discord:${self.id}:interaction:${data.id}`;
  const say = (content: string) => answer(answers.message, { content, flags: onlyForThem });
  if (data.type === did.press)
    return await say(await ports.press({ source, dedupKey, messageId: data.message.id, data: data.data.custom_id }));
  if (data.type !== did.command || data.data.type !== 1) return;
  const values = (data.data.options ?? []).map((option) => ("value" in option ? String(option.value) : ""));
  const words = data.data.name === skillCommand ? values : [data.data.name, ...values];
  const text = `/${words.join(" ")}`.trim();
  await ports.admit({ source, text, dedupKey, atMs: ports.clock.now(), attachments: [] });
  await say(`\`${text.slice(0, 100)}\``);
}

async function sourceOf(
  data: GatewayInteractionCreateDispatchData,
  { self, channels, directRoles }: InteractionDeps,
): Promise<MessageSource | undefined> {
  const user = data.member?.user ?? data.user;
  const chatId = data.channel?.id;
  if (user === undefined || chatId === undefined) return undefined;
  const isThread = channels.get(chatId)?.isThread === true;
  const isDirect = data.guild_id === undefined;
  return {
    platform: "discord",
    account: self.id,
    chatId,
    chatType: isDirect ? "dm" : isThread ? "thread" : "group",
    threadId: isThread ? chatId : undefined,
    guildId: data.guild_id,
    userId: user.id,
    userName: user.global_name ?? user.username,
    roles: isDirect ? await directRoles.of(user.id) : data.member?.roles,
  };
}

async function answerTo(
  { id, token }: GatewayInteractionCreateDispatchData,
  body: Readonly<Record<string, unknown>>,
  { api, ports }: InteractionDeps,
): Promise<void> {
  try {
    const path = `/interactions/${id}/${token}/callback`;
    await api({ method: "POST", path, body }, timeLimit(answerMs));
  } catch (error) {
    ports.logger.warn("an interaction could not be answered", { platform: "discord", error: describe(error) });
  }
}
