import type { Clock } from "#foundation/time/clock";
import type { BrowserDeps } from "../browser/tool-deps.ts";
import type { Tool } from "../contract/tool.ts";
import type { FileDeps } from "../files/file-access.ts";
import type { TerminalDeps } from "../terminals/command/call-options.ts";
import type { ExecuteCodeDeps } from "./execute-code.tool.ts";
import type { ImageGenerateDeps } from "./image-generate.tool.ts";
import type { MixtureDeps } from "./mixture-of-agents.tool.ts";
import type { SearchDeps } from "./search-files.tool.ts";
import type { DiscordDeps } from "./services/discord.tool.ts";
import type { FeishuDeps } from "./services/feishu.tool.ts";
import type { HomeAssistantDeps } from "./services/home-assistant.tool.ts";
import type { SpotifyDeps } from "./services/spotify.tool.ts";
import type { TextToSpeechDeps } from "./text-to-speech.tool.ts";
import type { TrainingDeps } from "./training/rl.tool.ts";
import type { VisionDeps } from "./vision-analyze.tool.ts";
import type { WebExtractDeps } from "./web-extract.tool.ts";

/** What built-in tools are made of. A tool whose part is missing is not made. */
export interface BuiltinDeps {
  readonly clock?: Clock;
  /** `read_file`, `write_file`, `patch`, and with `engine` `search_files`. */
  readonly files?: FileDeps;
  readonly engine?: SearchDeps["engine"];
  /** `terminal`, and with `clock` `process`. */
  readonly terminal?: TerminalDeps;
  /** `execute_code` */
  readonly code?: ExecuteCodeDeps;
  /** `web_search` and `web_extract`. */
  readonly web?: WebExtractDeps;
  /** All `browser_…` tools. */
  readonly browser?: BrowserDeps;
  /** `vision_analyze` */
  readonly vision?: VisionDeps;
  /** `image_generate` */
  readonly images?: ImageGenerateDeps;
  /** `text_to_speech` */
  readonly speech?: TextToSpeechDeps;
  /** `mixture_of_agents` */
  readonly mixture?: MixtureDeps;
  /** The tools of a smart home. */
  readonly home?: HomeAssistantDeps;
  /** A Discord server. */
  readonly discord?: DiscordDeps;
  /** Documents of Feishu. */
  readonly feishu?: FeishuDeps;
  /** The person's music. */
  readonly spotify?: SpotifyDeps;
  /** All `rl_…` tools. */
  readonly training?: TrainingDeps;
}

/** What each `*.tool.ts` file exports under the name `builtin`: its tools, as far as their parts are there. */
export type BuiltinTools = (deps: BuiltinDeps) => readonly Tool[];
