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
    readonly autocomplete?: boolean;
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
const mostChoices = 25;
/** All skills are behind one command, whose menu is as long as the first words that are typed leave it. */
export const skillCommand = "skill";

/** The skills of the menu, to be chosen by what somebody types. */
export class OfferedSkills {
  #names: readonly string[] = [];

  set(commands: readonly MenuCommand[]): void {
    this.#names = commands.filter(({ isSkill }) => isSkill === true).map(({ name }) => name);
  }

  /** Those that begin with it before those that hold it. */
  like(typed: string): readonly string[] {
    const words = typed.trim().toLowerCase();
    const begin = this.#names.filter((name) => name.startsWith(words));
    const hold = this.#names.filter((name) => !name.startsWith(words) && name.includes(words));
    return [...begin, ...hold].slice(0, mostChoices);
  }
}

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
    options.map(({ type: kind, name: option, description: about, required, autocomplete }) => [
      ...[kind, option, about],
      ...[required === true, autocomplete === true],
    ]),
  ]);
  return JSON.stringify(facts.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)));
}

function menu(commands: readonly MenuCommand[]): readonly DiscordCommand[] {
  const skills = commands.some(({ isSkill }) => isSkill === true) ? [skillEntry] : [];
  const own = commands.filter(({ isSkill }) => isSkill !== true).slice(0, most - skills.length);
  const entries = own.map(({ name, description, argument }) => ({
    name: name.toLowerCase().slice(0, 32),
    description: description.slice(0, 100) || name,
    type: 1,
    options: argument === undefined ? [] : [argumentOption(argument)],
  }));
  return [...entries, ...skills];
}

const argumentOption = (about: string) => ({
  type: 3,
  name: "arguments",
  description: about.slice(0, 100) || "arguments",
  required: false,
});

const skillEntry: DiscordCommand = {
  name: skillCommand,
  description: "Use a skill",
  type: 1,
  options: [
    { type: 3, name: "name", description: "Its name", required: true, autocomplete: true },
    argumentOption("What to do with it"),
  ],
};
