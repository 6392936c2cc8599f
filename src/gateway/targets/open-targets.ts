import type { Config } from "#config";
import type { Deliverer } from "#cron";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import type { Tool } from "#tools";
import { Pairing } from "../access/pairing.ts";
import { Users } from "../access/users.ts";
import { openReplies } from "../delivery/replies.ts";
import type { Platform } from "../platform/platform.ts";
import { answerDeliverer } from "./deliverer.ts";
import { ChannelDirectory } from "./directory.ts";
import { sendMessageTool } from "./send-message-tool.ts";

export interface TargetsDeps {
  readonly config: Config;
  /** As it is saved now. */
  configNow(): Promise<Config>;
  readonly store: Store;
  readonly platforms: readonly Platform[];
  readonly home: HermesHome;
  /** The folder of the person, for `~` in paths. */
  readonly userHome: string;
  readonly cwd: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For a process that is no gateway: sends from here where none runs. */
  visit?(platform: Platform, signal: AbortSignal): Promise<AsyncDisposable | undefined>;
}

/** How chats are reached that nobody has just written in: by jobs, and by the model. All of it goes through the outbox. */
export function openTargets(deps: TargetsDeps): { readonly deliverer: Deliverer; readonly tool: Tool } {
  const replies = openReplies(deps);
  const directory = new ChannelDirectory(deps);
  const users = new Users({ config: deps.config, pairing: new Pairing(deps.home.pairing, deps.clock) });
  return {
    deliverer: answerDeliverer({ ...deps, directory, replies }),
    tool: sendMessageTool({ ...deps, directory, replies, users }),
  };
}
