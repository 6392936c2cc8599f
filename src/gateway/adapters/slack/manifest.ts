import { defined } from "#foundation/defined";
import type { MenuCommand } from "../../platform/platform.ts";

export interface ManifestOptions {
  readonly name: string;
  readonly description: string;
  /** Where Slack reaches us; undefined: Socket Mode, which needs no address that the world can reach. */
  readonly url?: string | undefined;
}

/** Slack takes so many from one app. */
const mostCommands = 50;

/** Names that Slack keeps for itself; the common ones work behind `/hermes`. */
const taken: ReadonlySet<string> = new Set(
  (
    "active apps archive away call collapse dm dnd expand feed feedback help huddle invite join kick leave me msg mute " +
    "open pref prefs remind remove rename search shortcuts shrug status star topic who"
  ).split(" "),
);

/** What the adapter reads, sends, shows and is told of; nothing more is asked of a workspace. */
const botScopes = [
  ...["app_mentions:read", "assistant:write", "chat:write", "commands"],
  ...["channels:history", "groups:history", "im:history", "mpim:history"],
  ...["channels:read", "groups:read", "im:read", "mpim:read"],
  ...["files:read", "files:write", "reactions:write"],
];
const botEvents = ["app_mention", "message.channels", "message.groups", "message.im", "message.mpim"];

/** An app of a workspace as Slack's page for new apps takes it. */
export function slackManifest(commands: readonly MenuCommand[], { name, description, url }: ManifestOptions) {
  return {
    display_information: { name: name.slice(0, 35), description: description.slice(0, 140) },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: name.slice(0, 80), always_online: true },
      slash_commands: slackCommands(commands, url),
    },
    oauth_config: { scopes: { bot: botScopes } },
    settings: {
      event_subscriptions: { ...defined({ request_url: url }), bot_events: botEvents },
      interactivity: { is_enabled: true, ...defined({ request_url: url }) },
      org_deploy_enabled: false,
      socket_mode_enabled: url === undefined,
      token_rotation_enabled: false,
    },
  };
}

/** `/hermes`, and the commands by themselves whose names are free. */
export function slackCommands(commands: readonly MenuCommand[], url?: string): readonly object[] {
  const free = commands.filter(({ name }) => !taken.has(name) && name !== "hermes");
  const all: readonly MenuCommand[] = [
    { name: "hermes", description: "Ask Hermes, or run one of its commands", argument: "question or command" },
    ...free,
  ];
  return all.slice(0, mostCommands).map(({ name, description, argument }) => ({
    command: `/${name}`,
    description: description.slice(0, 2_000),
    ...(argument === undefined ? {} : { usage_hint: argument.slice(0, 1_000) }),
    should_escape: false,
    ...defined({ url }),
  }));
}
