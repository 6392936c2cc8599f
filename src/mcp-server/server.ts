import type { Readable, Writable } from "node:stream";
import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { describe, UserError } from "#foundation/errors";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { isRecord } from "#foundation/text/json";
import { conversationTools, shownText } from "./conversation-tools.ts";
import { Dispatcher } from "./dispatcher.ts";
import { Events } from "./events.ts";
import { liveTools } from "./live-tools.ts";
import { Permissions } from "./permissions.ts";
import type { ServedHermes } from "./served-hermes.ts";
import type { ServedAnswer, ServedTool } from "./served-tool.ts";

/** What all connections share; disposing it ends the turns that clients started. */
export interface Service extends AsyncDisposable {
  /** A server for one connection. */
  connect(): McpServer;
}

const instructions =
  "Hermes is a personal agent with conversations of its own. Read them with conversations_list and messages_read, talk to it with " +
  "messages_send, follow what happens with events_wait, and decide with permissions_respond about calls that wait.";

export async function openService(hermes: ServedHermes): Promise<Service> {
  const { McpServer, fromJsonSchema } = await import("@modelcontextprotocol/server");
  const { conversations, clock } = hermes;
  const shown = (text: string): string => shownText(text, hermes);
  const events = new Events({ conversations, clock, shown });
  await events.start();
  const permissions = new Permissions(events, { allowsAlways: hermes.allowsAlways, clock, shown });
  const dispatcher = new Dispatcher(hermes, { events, permissions });
  const all = [...conversationTools(hermes), ...liveTools({ hermes, events, permissions, dispatcher })];
  const tools = hermes.isReadOnly ? all.filter((tool) => tool.isReadOnly) : all;
  return {
    connect() {
      const server = new McpServer({ name: "hermes", version: hermes.version }, { instructions });
      for (const tool of tools)
        server.registerTool(
          tool.name,
          {
            description: tool.description,
            inputSchema: fromJsonSchema({ ...tool.parameters }),
            annotations: { readOnlyHint: tool.isReadOnly, destructiveHint: false, openWorldHint: !tool.isReadOnly },
          },
          (args, context) => call(tool, { args, hermes }, context.mcpReq.signal),
        );
      return server;
    },
    [Symbol.asyncDispose]: () => dispatcher[Symbol.asyncDispose](),
  };
}

/**
 * Serves one client over a pair of streams and returns when the client is gone: its end of the input is
 * closed, or the program was told to end. Nothing but the protocol is written to `output`.
 */
export async function serveStdio(
  hermes: ServedHermes,
  streams: { readonly input: Readable; readonly output: Writable },
  signal: AbortSignal,
): Promise<void> {
  await using service = await openService(hermes);
  const library = await import("@modelcontextprotocol/server/stdio");
  const gone = new Deferred<void>();
  const end = (): void => gone.resolve();
  streams.input.once("end", end).once("close", end).once("error", end);
  streams.output.once("error", end);
  using _stop = onAbort(signal, end);
  const connection = library.serveStdio(() => service.connect(), {
    transport: new library.StdioServerTransport(streams.input, streams.output),
    onerror: (error) => hermes.logger.warn("an MCP client sent something unreadable", { error: error.message }),
  });
  try {
    await gone.promise;
  } finally {
    await connection.close();
  }
}

async function call(
  tool: ServedTool,
  { args, hermes }: { readonly args: unknown; readonly hermes: ServedHermes },
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    return resultOf(await tool.run(isRecord(args) ? args : {}, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UserError))
      hermes.logger.error("a tool of the MCP server failed", { tool: tool.name, error });
    const hint = error instanceof UserError && error.hint !== undefined ? ` ${error.hint}` : "";
    return { isError: true, content: [{ type: "text", text: hermes.redact(`${describe(error)}${hint}`) }] };
  }
}

function resultOf({ document, images = [] }: ServedAnswer): CallToolResult {
  return {
    content: [
      { type: "text", text: JSON.stringify(document) },
      ...images.map(({ data, mimeType }) => ({ type: "image" as const, data, mimeType })),
    ],
    structuredContent: { ...document },
  };
}
