import type { Logger } from "#foundation/files/logger";
import type { Conversations, OpenOptions, SessionService } from "#session";

/** Settings of one MCP server, as a session takes them. */
export type McpServerOfSession = NonNullable<OpenOptions["mcpServers"]>[number];

/** What an editor is connected to, built by whoever wires the program together. */
export interface AcpHermes {
  readonly sessions: SessionService;
  readonly conversations: Pick<Conversations, "list">;
  readonly logger: Logger;
  readonly version: string;
  /** Stands for the folder of conversations whose own was never noted. */
  readonly cwd: string;
  /** Who answers by default; undefined when nobody is set up. */
  provider(signal: AbortSignal): Promise<{ readonly id: string; readonly label: string } | undefined>;
  /** A server that the editor brings, written as in `mcp_servers`; a `UserError` says why it cannot be used. */
  mcpServer(name: string, written: Readonly<Record<string, unknown>>): McpServerOfSession;
}
