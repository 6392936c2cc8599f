/** The named groups of tools. Data only; `toolsets.ts` resolves them. */
export interface ToolsetEntry {
  readonly description: string;
  readonly tools: readonly string[];
  readonly includes?: readonly string[];
}

const web = ["web_search", "web_extract"];
const terminal = ["terminal", "process"];
const file = ["read_file", "write_file", "patch", "search_files"];
const skills = ["skills_list", "skill_view", "skill_manage"];
const browserActions = [
  "browser_navigate",
  "browser_snapshot",
  "browser_click",
  "browser_type",
  "browser_scroll",
  "browser_back",
  "browser_press",
  "browser_get_images",
  "browser_vision",
  "browser_console",
];
const browser = [...browserActions, "browser_cdp", "browser_dialog"];
const homeAssistant = ["ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service"];
const reinforcement = [
  "rl_list_environments",
  "rl_select_environment",
  "rl_get_current_config",
  "rl_edit_config",
  "rl_start_training",
  "rl_check_status",
  "rl_stop_training",
  "rl_get_results",
  "rl_list_runs",
  "rl_test_inference",
];
const feishuDrive = [
  "feishu_drive_list_comments",
  "feishu_drive_list_comment_replies",
  "feishu_drive_reply_comment",
  "feishu_drive_add_comment",
];
const spotify = ["playback", "devices", "queue", "search", "playlists", "albums", "library"].map(
  (name) => `spotify_${name}`,
);

/**
 * Tools that toolsets name and that are not there by themselves: the gateway brings `send_message`. They are named all
 * the same, so that the toolsets of a `config.yaml` from elsewhere keep their meaning.
 */
export const absentTools: ReadonlySet<string> = new Set(["send_message"]);

/** What every conversational surface gets by default. */
export const coreTools: readonly string[] = [
  ...web,
  ...terminal,
  ...file,
  "vision_analyze",
  "image_generate",
  ...skills,
  ...browser,
  "text_to_speech",
  "todo",
  "memory",
  "session_search",
  "context_recall",
  "clarify",
  "execute_code",
  "delegate_task",
  "cronjob",
  "send_message",
  ...homeAssistant,
];

const coreWithout = (...names: string[]): readonly string[] => coreTools.filter((name) => !names.includes(name));
const leaf = (description: string, tools: readonly string[]): ToolsetEntry => ({ description, tools });

export const leafToolsets: Readonly<Record<string, ToolsetEntry>> = {
  web: leaf("Search the web and read pages", web),
  search: leaf("Search the web", ["web_search"]),
  vision: leaf("Look at images", ["vision_analyze"]),
  image_gen: leaf("Create images", ["image_generate"]),
  terminal: leaf("Run commands and background processes", terminal),
  moa: leaf("Ask several strong models at once", ["mixture_of_agents"]),
  skills: leaf("Use and write skills", skills),
  browser: leaf("Drive a web browser", [...browser, "web_search"]),
  cronjob: leaf("Schedule jobs", ["cronjob"]),
  messaging: leaf("Send messages to connected chats", ["send_message"]),
  rl: leaf("Run reinforcement-learning training", reinforcement),
  file: leaf("Read, write, edit and search files", file),
  tts: leaf("Turn text into speech", ["text_to_speech"]),
  todo: leaf("Keep a task list", ["todo"]),
  memory: leaf("Remember across sessions", ["memory"]),
  session_search: leaf("Recall earlier sessions, and what was shortened in this one", [
    "session_search",
    "context_recall",
  ]),
  clarify: leaf("Ask the user a question", ["clarify"]),
  code_execution: leaf("Run scripts that call tools", ["execute_code"]),
  delegation: leaf("Hand work to child agents", ["delegate_task"]),
  homeassistant: leaf("Control a smart home", homeAssistant),
  discord: leaf("Read and take part in a Discord server", ["discord"]),
  discord_admin: leaf("Manage a Discord server", ["discord_admin"]),
  feishu_doc: leaf("Read Feishu documents", ["feishu_doc_read"]),
  feishu_drive: leaf("Comment on Feishu documents", feishuDrive),
  spotify: leaf("Control Spotify", spotify),
};

export const compositeToolsets: Readonly<Record<string, ToolsetEntry>> = {
  debugging: { description: "Terminal, files and web", tools: terminal, includes: ["web", "file"] },
  safe: { description: "Nothing that changes this machine", tools: [], includes: ["web", "vision", "image_gen"] },
};

const messagingSurfaces = [
  "telegram",
  "whatsapp",
  "slack",
  "signal",
  "bluebubbles",
  "homeassistant",
  "email",
  "mattermost",
  "matrix",
  "dingtalk",
  "weixin",
  "qqbot",
  "wecom",
  "wecom-callback",
  "sms",
  "webhook",
];
const preset = (tools: readonly string[], surface: string): ToolsetEntry => leaf(`Default tools on ${surface}`, tools);

export const presetToolsets: Readonly<Record<string, ToolsetEntry>> = {
  ...Object.fromEntries(
    ["cli", "cron", ...messagingSurfaces].map((surface) => [`hermes-${surface}`, preset(coreTools, surface)]),
  ),
  "hermes-discord": preset([...coreTools, "discord", "discord_admin"], "Discord"),
  "hermes-feishu": preset([...coreTools, "feishu_doc_read", ...feishuDrive], "Feishu"),
  "hermes-acp": preset(
    coreWithout("image_generate", "text_to_speech", "clarify", "cronjob", "send_message", ...homeAssistant),
    "editors",
  ),
  "hermes-api-server": preset(coreWithout("text_to_speech", "clarify", "send_message"), "the API server"),
  "hermes-gateway": {
    description: "Everything any messaging surface gets",
    tools: [],
    includes: [...messagingSurfaces, "discord", "feishu"].map((surface) => `hermes-${surface}`),
  },
};

/** Names of earlier versions; `terminal_tools` never had `process`. */
export const legacyToolsets: Readonly<Record<string, readonly string[]>> = {
  web_tools: web,
  terminal_tools: ["terminal"],
  vision_tools: ["vision_analyze"],
  moa_tools: ["mixture_of_agents"],
  image_tools: ["image_generate"],
  skills_tools: skills,
  browser_tools: browserActions,
  cronjob_tools: ["cronjob"],
  rl_tools: reinforcement,
  file_tools: file,
  tts_tools: ["text_to_speech"],
};

/** What a user may switch per surface, in the order of the checklist. */
export const configurableToolsets: readonly string[] = [
  "web",
  "browser",
  "terminal",
  "file",
  "code_execution",
  "vision",
  "image_gen",
  "moa",
  "tts",
  "skills",
  "todo",
  "memory",
  "session_search",
  "clarify",
  "delegation",
  "cronjob",
  "messaging",
  "rl",
  "homeassistant",
  "spotify",
  "discord",
  "discord_admin",
];
export const defaultOffToolsets: ReadonlySet<string> = new Set([
  "moa",
  "homeassistant",
  "rl",
  "spotify",
  "discord",
  "discord_admin",
]);
export const restrictedToolsets: Readonly<Record<string, readonly string[]>> = {
  discord: ["discord"],
  discord_admin: ["discord"],
};
