import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Conversations, SessionService } from "#session";

/** What the server offers to its clients, built by whoever wires the program together. */
export interface ServedHermes {
  readonly sessions: SessionService;
  readonly conversations: Conversations;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  /** Where commands of the turns run that clients start. */
  readonly cwd: string;
  /** `--read-only`: nothing can be sent or decided. */
  readonly isReadOnly: boolean;
  /** `mcp_server.allow_always` */
  readonly allowsAlways: boolean;
  /** Takes secrets out of what leaves the program. */
  redact(text: string): string;
}
