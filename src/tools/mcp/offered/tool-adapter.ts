import type { JsonSchema } from "#conversation";
import type { Finding } from "../../contract/approval-request.ts";
import type { ToolContext } from "../../contract/context.ts";
import { failed, type ToolResult } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import { mcpToolset } from "../../registry/mcp-names.ts";
import { redactServerText } from "../connection/failure.ts";
import type { McpToolDefinition } from "../definition.ts";
import type { McpDeps } from "../deps.ts";
import type { McpAnswer, McpServer } from "../server.ts";
import { type McpCallResult, readCallResult } from "./call-result.ts";

export interface AdaptedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly definition: McpToolDefinition;
}

const farAwayMs = 24 * 3_600_000;

/** A tool of a server as one of ours. */
export function adaptTool(server: McpServer, adapted: AdaptedTool, deps: McpDeps): Tool {
  const { definition } = adapted;
  const { settings } = server;
  return {
    ...mcpToolShape(server, adapted),
    concurrency: settings.parallel && definition.isReadOnly ? "safe" : "serial",
    effects: definition.isReadOnly ? "none" : undefined,
    isIdempotent: definition.isReadOnly || definition.isIdempotent,
    execute: async (args, context) => {
      const blocked = await refusal(server, { adapted, args }, { deps, context });
      if (blocked !== undefined) return blocked;
      const answer = await server.ask(
        (client, signal) =>
          client.request(
            { method: "tools/call", params: { name: definition.name, arguments: { ...args } } },
            {
              signal,
              // The server's own time stands still while the person is asked; the library's cannot.
              timeout: farAwayMs,
              onprogress: ({ message, progress, total }) =>
                context.progress(message ?? `${progress}${total === undefined ? "" : `/${total}`}`),
            },
          ),
        context,
      );
      return finish(answer, server, (value) =>
        readCallResult(value as McpCallResult, {
          attachments: deps.attachments,
          ...(settings.trust === "untrusted" ? { fencedAs: settings.name } : {}),
        }),
      );
    },
  };
}

/** What all tools of a server share: where they belong, and that they are there while it is connected. */
export function mcpToolShape(
  server: McpServer,
  shown: { readonly name: string; readonly description: string; readonly parameters: JsonSchema },
): Omit<Tool, "execute"> {
  return {
    name: shown.name,
    toolset: mcpToolset(server.settings.name),
    description: shown.description,
    parameters: shown.parameters,
    emoji: "🔌",
    origin: "mcp",
    check: () =>
      server.isConnected || { reason: `the MCP server ${server.settings.name} is not connected${because(server)}` },
  };
}

/** The answer in words a model can act on. */
export async function finish<T>(
  answer: McpAnswer<T>,
  server: McpServer,
  read: (value: T) => Promise<ToolResult> | ToolResult,
): Promise<ToolResult> {
  const { name } = server.settings;
  switch (answer.kind) {
    case "answer":
      return read(answer.value);
    case "refused": {
      const seconds = Math.ceil(answer.waitMs / 1000);
      return failed(
        `The MCP server ${name} has failed several times and is left alone for ${seconds} more seconds. Use other means meanwhile.`,
        { retry_after_seconds: seconds },
      );
    }
    case "offline":
      return failed(`The MCP server ${name} is not connected: ${redactServerText(answer.message)}`);
    case "login-needed":
      return failed(`The MCP server ${name} refused the login. The user has to log in again.`, {
        needs_reauth: true,
        server: name,
      });
    case "interrupted":
      return failed("MCP call interrupted by the user", { interrupted: true });
    case "failed":
      return failed(`MCP call failed: ${redactServerText(answer.message)}`);
  }
}

/** A tool the server itself calls destructive needs permission, unless the person trusts the server. */
async function refusal(
  server: McpServer,
  call: { readonly adapted: AdaptedTool; readonly args: Readonly<Record<string, unknown>> },
  { deps, context }: { readonly deps: McpDeps; readonly context: ToolContext },
): Promise<ToolResult | undefined> {
  const { definition } = call.adapted;
  const { name, trust } = server.settings;
  if (!definition.isDestructive || definition.isReadOnly || trust === "trusted") return undefined;
  const finding: Finding = {
    key: `mcp:${name}:${definition.name}`,
    description: `the MCP server ${name} marks ${definition.name} as destructive`,
    severity: "ask",
    source: "policy",
  };
  if (deps.gate === undefined)
    return failed(`${call.adapted.name} was not run: it is destructive and nobody can be asked.`);
  const verdict = await deps.gate.checkFindings(`${call.adapted.name} ${JSON.stringify(call.args)}`, [finding], {
    tool: call.adapted.name,
    scope: context.scope,
    taskId: context.taskId,
    callId: context.callId,
    cwd: context.scope.cwd,
    terminalKind: "local",
    mcp: { server: name },
    signal: context.signal,
    progress: (text) => context.progress(text),
  });
  return verdict.kind === "run" ? undefined : failed(verdict.reason);
}

function because(server: McpServer): string {
  const { lastError } = server.status;
  return lastError === undefined ? "" : ` (${lastError})`;
}
