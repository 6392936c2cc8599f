import { describe } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import type { ConnectionPorts } from "../../platform/platform.ts";
import { Latest } from "../support/latest.ts";
import { isNoSuchChannel, type SlackAnswer, type SlackApi, slackApi } from "./api.ts";
import type { SlackSelf } from "./inbound.ts";

/** A workspace that the app is installed in, spoken to with the token it gave. */
export interface Workspace {
  readonly api: SlackApi;
  readonly token: string;
  readonly self: SlackSelf;
  readonly name: string;
}

const rememberedChats = 2_000;
const maxBytes = 1_000_000;

/** The bot tokens of the settings, and those of `slack_tokens.json` in the home: `{"<team>": {"token": "xoxb-…"}}`. */
export async function slackTokens({
  config,
  folders,
}: Pick<ConnectionPorts, "config"> & { readonly folders?: Pick<ConnectionPorts["folders"], "home"> }) {
  const named = (config.platforms["slack"]?.token.reveal() ?? "").split(",").map((token) => token.trim());
  const text =
    folders === undefined ? undefined : await readTextFile(`${folders.home}/slack_tokens.json`, { maxBytes });
  const parsed = parseJson(text ?? "{}");
  const stored = parsed.ok && isRecord(parsed.value) ? Object.values(parsed.value) : [];
  const more = stored.map((one) => (isRecord(one) ? one["token"] : one));
  return [...new Set([...named, ...more])].filter((one): one is string => typeof one === "string" && one !== "");
}

/** Who we are with this token; rejects when Slack does not take it. */
export async function openWorkspace(
  { fetch, root, token }: { readonly fetch: ConnectionPorts["fetch"]; readonly root: string; readonly token: string },
  signal: AbortSignal,
): Promise<Workspace> {
  const api = slackApi(fetch, root, token);
  const who = await api("auth.test", {}, signal);
  const teamId = String(who["team_id"]);
  const self: SlackSelf = {
    account: teamId,
    userId: String(who["user_id"]),
    teamId,
    botId: typeof who["bot_id"] === "string" ? who["bot_id"] : undefined,
  };
  return { api, token, self, name: String(who["user"] ?? "hermes") };
}

/**
 * The workspaces of one app. All of them are one account, that of the first, because one socket brings the events of all.
 * Which of them a chat is in is known from what was heard of it; a chat nobody wrote in since the start is looked for.
 */
export class Workspaces {
  readonly first: Workspace;
  readonly #all: readonly Workspace[];
  readonly #teamOf = new Latest<string>(rememberedChats);

  constructor(first: Workspace, others: readonly Workspace[]) {
    this.first = first;
    const account = first.self.teamId;
    this.#all = [first, ...others.map((one) => ({ ...one, self: { ...one.self, account } }))];
  }

  get all(): readonly Workspace[] {
    return this.#all;
  }

  /** The one that an event names; the first for one that names none. */
  of(payload: Readonly<Record<string, unknown>>): Workspace {
    const team = isRecord(payload["team"]) ? payload["team"]["id"] : undefined;
    const id = payload["team_id"] ?? team;
    return this.#all.find(({ self }) => self.teamId === id) ?? this.first;
  }

  heard(chatId: string, { self }: Workspace): void {
    this.#teamOf.set(chatId, self.teamId);
  }

  /** The API of the workspace that the chat is in. */
  apiFor(chatId: string): SlackApi {
    return async (method, body, signal) => {
      const known = this.#of(chatId);
      if (known !== undefined) return await known.api(method, body, signal);
      return await this.#look(chatId, (one) => one.api(method, body, signal));
    };
  }

  #of(chatId: string): Workspace | undefined {
    const team = this.#teamOf.get(chatId);
    return this.#all.length === 1 ? this.first : this.#all.find(({ self }) => self.teamId === team);
  }

  async #look(chatId: string, call: (one: Workspace) => Promise<SlackAnswer>): Promise<SlackAnswer> {
    let failure: unknown;
    for (const one of this.#all) {
      try {
        const answer = await call(one);
        this.heard(chatId, one);
        return answer;
      } catch (error) {
        if (!isNoSuchChannel(error)) throw error;
        failure ??= error;
      }
    }
    throw failure;
  }
}

/** All workspaces whose tokens are there. The first has to be reached; of the others one that fails is left out. */
export async function openWorkspaces(
  ports: Pick<ConnectionPorts, "config" | "fetch" | "logger" | "folders">,
  root: string,
  signal: AbortSignal,
): Promise<Workspaces> {
  const [token = "", ...others] = await slackTokens(ports);
  const open = (one: string): Promise<Workspace> => openWorkspace({ fetch: ports.fetch, root, token: one }, signal);
  const first = await open(token);
  const opened = await Promise.all(
    others.map(async (one) => {
      try {
        return [await open(one)];
      } catch (error) {
        ports.logger.error("a workspace of Slack is left out", { error: describe(error) });
        return [];
      }
    }),
  );
  return new Workspaces(first, opened.flat());
}
