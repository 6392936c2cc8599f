import pg from "pg";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { findPostgres, type PostgresServer, startPostgres } from "../contracts/store/postgres-server.ts";
import { Deployment } from "../e2e/support/deployment.ts";
import { startModelServer } from "../fakes/model-server/index.ts";
import { startDiscordServer } from "../fakes/platforms/discord-server.ts";
import { startSlackServer } from "../fakes/platforms/slack-server.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";

const found = findPostgres();
// Said aloud, so that a green run without a server is not mistaken for a proof.
if (found.kind === "missing") process.stderr.write(`\nThe gateway's tests on PostgreSQL are skipped: ${found.why}\n`);

export const hasPostgres = found.kind === "present";

export interface SettingOptions {
  /** Without it everything is kept in a home's own file, by one process. */
  readonly isShared?: boolean;
  readonly config?: readonly string[];
  /** Further lines of `.env`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further settings of Slack. */
  readonly slackRules?: string;
}

/** One PostgreSQL server for the tests of a file; each test has a database, a model and platforms of its own. */
export function useDeployments() {
  let server: PostgresServer | undefined;
  const scopes: Scope[] = [];
  beforeAll(async () => {
    if (found.kind === "present") server = await startPostgres(found.bin);
  });
  afterEach(async () => {
    for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  return async ({ isShared = true, config = [], slackRules = "", env: more = {} }: SettingOptions = {}) => {
    const scope = new Scope();
    scopes.push(scope);
    if (isShared && server === undefined) throw new Error("there is no PostgreSQL");
    const url = isShared ? await server?.fresh() : undefined;
    const model = scope.adopt(await startModelServer());
    const telegram = scope.adopt(await startTelegramServer());
    const discord = scope.adopt(await startDiscordServer());
    const slack = scope.adopt(await startSlackServer());
    const lines = [
      `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
      `telegram: { base_url: "${telegram.url}", allow_all_users: true }`,
      `discord: { base_url: "${discord.url}", allow_all_users: true, require_mention: false, auto_thread: false }`,
      `slack: { base_url: "${slack.url}", allow_all_users: true, require_mention: false${slackRules} }`,
      "auxiliary: { title_generation: { enabled: false } }",
      ...config,
    ];
    const env = {
      telegram: `TELEGRAM_BOT_TOKEN=${telegram.token}\n`,
      discord: `DISCORD_BOT_TOKEN=${discord.token}\n`,
      slack: `SLACK_BOT_TOKEN=${slack.botToken}\nSLACK_APP_TOKEN=${slack.appToken}\n`,
    };
    /** Several processes on one database, connected with these platforms. */
    const deploy = (...platforms: readonly (keyof typeof env)[]): Deployment => {
      const further = Object.entries(more).map(([name, value]) => `${name}=${value}\n`);
      const secrets = [...platforms.map((platform) => env[platform]), ...further].join("");
      return scope.adopt(new Deployment({ config: lines, env: secrets, url }));
    };
    const query = async (sql: string): Promise<readonly Record<string, unknown>[]> => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows;
      } finally {
        await client.end();
      }
    };
    const texts = (chatId = "7"): readonly string[] =>
      telegram
        .shown()
        .filter((one) => one.chatId === chatId)
        .map(({ text }) => text);
    const shows = (expected: readonly string[], chatId?: string) =>
      expect.poll(() => texts(chatId), { timeout: 120_000 }).toEqual(expected);
    return { model, telegram, discord, slack, deploy, query, texts, shows, postgres: server };
  };
}
