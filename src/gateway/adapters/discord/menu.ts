import type { MenuCommand } from "../../platform/platform.ts";
import type { DiscordApi } from "./api.ts";

export type SyncPolicy = "safe" | "bulk" | "off";

interface DiscordCommand {
  readonly name: string;
  readonly description: string;
  readonly type: number;
  readonly options?: readonly {
    readonly type: number;
    readonly name: string;
    readonly description: string;
    readonly required?: boolean;
  }[];
}

/** Whose commands they are, and how they are written. */
export interface MenuOwner {
  readonly api: DiscordApi;
  /** The id of the application. */
  readonly application: string;
  readonly policy: SyncPolicy;
}

const most = 100;

/**
 * Makes Discord's menu the one of these commands. Discord limits how many may be written in a day: `safe` looks first,
 * and writes only when something differs.
 */
export async function offerInDiscord(
  commands: readonly MenuCommand[],
  { api, application, policy }: MenuOwner,
  signal: AbortSignal,
): Promise<void> {
  if (policy === "off") return;
  const path = `/applications/${application}/commands`;
  const wanted = menu(commands);
  if (policy === "safe") {
    const standing = await api<readonly DiscordCommand[]>({ method: "GET", path }, signal);
    if (fingerprint(standing) === fingerprint(wanted)) return;
  }
  await api({ method: "PUT", path, body: wanted }, signal);
}

/** What we say of commands, in any order and without what Discord adds. */
function fingerprint(commands: readonly DiscordCommand[]): string {
  const facts = commands.map(({ name, description, type, options = [] }) => [
    name,
    description,
    type,
    options.map((option) => [option.type, option.name, option.description, option.required === true]),
  ]);
  return JSON.stringify(facts.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)));
}

function menu(commands: readonly MenuCommand[]): readonly DiscordCommand[] {
  return commands.slice(0, most).map(({ name, description, argument }) => ({
    name: name.toLowerCase().slice(0, 32),
    description: description.slice(0, 100) || name,
    type: 1,
    options:
      argument === undefined
        ? []
        : [{ type: 3, name: "arguments", description: argument.slice(0, 100) || "arguments", required: false }],
  }));
}
