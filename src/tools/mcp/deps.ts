import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Wall, WallOwner } from "../confinement/wall.ts";
import type { ProgramLimits } from "../confinement/walls.ts";
import type { ApprovalGate } from "../contract/approval-request.ts";
import type { McpOAuth } from "./oauth/oauth.ts";
import type { AttachmentFiles } from "./offered/attachments.ts";
import type { PackageCheck } from "./package-check.ts";

/** What the MCP client is given by whoever builds it. */
export interface McpDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The program's environment; a child sees only a few of its variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hermesHome: string;
  /** Announced to servers. */
  readonly version: string;
  /** The one folder named to servers that ask for roots while no session uses them. */
  readonly cwd: string;
  redact(text: string): string;
  /** Sees to it that a child ends even when this program is killed. */
  adoptProcess?(pid: number): Disposable | undefined;
  /** Added to the environment of every child: the mark by which those that left their group are found. */
  readonly childEnv?: Readonly<Record<string, string>>;
  /** Where a server's own messages go. */
  openServerLog(server: string): ServerLog;
  readonly attachments: AttachmentFiles;
  /** Absent: servers that need a login fail with guidance. */
  readonly oauth?: McpOAuth;
  /** Looks a package up before it is downloaded and run. */
  readonly checkPackage?: PackageCheck;
  /** A wall for the program of a server; whoever asked ends it. Absent: nothing of this machine runs servers. */
  wall?(owner: WallOwner, limits: ProgramLimits, signal: AbortSignal): Promise<Wall>;
  /** Destructive tools of untrusted servers pass it. Absent means denied. */
  readonly gate?: ApprovalGate;
}

/** Takes what a server writes to its error stream. */
export interface ServerLog {
  write(text: string): void;
}
