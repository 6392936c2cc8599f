import type { ContentBlock } from "@modelcontextprotocol/client";
import type { JsonSchema } from "#conversation";
import { defined } from "#foundation/defined";
import { defineTool } from "../../contract/define-tool.ts";
import { result, type ToolResult } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import { mcpToolName } from "../../registry/mcp-names.ts";
import type { McpServer } from "../server.ts";
import { fence } from "./call-result.ts";
import { finish, mcpToolShape } from "./tool-adapter.ts";

const maxTextChars = 1_000_000;
const maxEntries = 1_000;
const nothing = { type: "object", properties: {} } as const;

/** Resources and prompts of a server, as tools, when it declares them and the settings want them. */
export function utilityTools(server: McpServer): readonly Tool[] {
  const { settings, catalogue } = server;
  return [
    ...(catalogue.hasResources && settings.hasResourceTools ? [listResources(server), readResource(server)] : []),
    ...(catalogue.hasPrompts && settings.hasPromptTools ? [listPrompts(server), getPrompt(server)] : []),
  ];
}

function listResources(server: McpServer): Tool {
  const about = "Lists the documents the server offers, with their addresses.";
  return defineTool({
    ...shapeOf(server, "list_resources", [about, nothing]),
    run: async (_args, context) => {
      const answer = await server.ask(async (client, signal) => {
        const found = await client.request(
          { method: "resources/list", params: {} },
          { signal, timeout: server.settings.timeoutMs },
        );
        return found.resources;
      }, context);
      return finish(answer, server, (resources) =>
        result({
          resources: resources.slice(0, maxEntries).map(({ uri, name, description, mimeType }) => ({
            uri,
            name,
            ...defined({ description, mimeType }),
          })),
        }),
      );
    },
  });
}

function readResource(server: McpServer): Tool {
  const parameters = {
    type: "object",
    properties: { uri: { type: "string", description: "Address as listed by the server" } },
    required: ["uri"],
  } as const;
  return defineTool({
    ...shapeOf(server, "read_resource", ["Reads one document of the server.", parameters]),
    run: async ({ uri }, context) => {
      const answer = await server.ask(
        (client, signal) =>
          client.request({ method: "resources/read", params: { uri } }, { signal, timeout: server.settings.timeoutMs }),
        context,
      );
      return finish(answer, server, ({ contents }) => {
        const texts = contents.map((part) =>
          "text" in part
            ? part.text
            : `[${Math.floor((part.blob.length * 3) / 4)} bytes of ${part.mimeType ?? "unknown type"}]`,
        );
        return result({ result: fenced(server, texts.join("\n")) });
      });
    },
  });
}

function listPrompts(server: McpServer): Tool {
  return defineTool({
    ...shapeOf(server, "list_prompts", ["Lists the prompt templates the server offers.", nothing]),
    run: async (_args, context) => {
      const answer = await server.ask(async (client, signal) => {
        const found = await client.request(
          { method: "prompts/list", params: {} },
          { signal, timeout: server.settings.timeoutMs },
        );
        return found.prompts;
      }, context);
      return finish(answer, server, (prompts) =>
        result({
          prompts: prompts.slice(0, maxEntries).map(({ name, description, arguments: parameters }) => ({
            name,
            ...defined({ description, arguments: parameters }),
          })),
        }),
      );
    },
  });
}

function getPrompt(server: McpServer): Tool {
  const parameters = {
    type: "object",
    properties: {
      name: { type: "string", description: "Name as listed by the server" },
      arguments: { type: "object", description: "Values for the template", properties: {} },
    },
    required: ["name"],
  } as const;
  return defineTool({
    ...shapeOf(server, "get_prompt", ["Fills in one prompt template of the server.", parameters]),
    run: async ({ name, arguments: fields = {} }, context) => {
      const values = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)]));
      const answer = await server.ask(
        (client, signal) =>
          client.request(
            { method: "prompts/get", params: { name, arguments: values } },
            { signal, timeout: server.settings.timeoutMs },
          ),
        context,
      );
      return finish(answer, server, ({ messages, description }) => promptResult(server, messages, description));
    },
  });
}

function promptResult(
  server: McpServer,
  messages: readonly { readonly role: string; readonly content: ContentBlock }[],
  description: string | undefined,
): ToolResult {
  return result({
    messages: messages.slice(0, maxEntries).map(({ role, content }) => ({
      role,
      content: content.type === "text" ? fenced(server, content.text) : `[${content.type}]`,
    })),
    ...defined({ description }),
  });
}

function fenced(server: McpServer, text: string): string {
  const { trust, name } = server.settings;
  return fence(text.slice(0, maxTextChars), trust === "untrusted" ? name : undefined);
}

function shapeOf<S extends JsonSchema>(server: McpServer, action: string, [what, parameters]: readonly [string, S]) {
  const { name, parallel } = server.settings;
  return {
    ...mcpToolShape(server, {
      name: mcpToolName(name, action),
      description: `${what} (MCP server ${name})`,
      parameters,
    }),
    parameters,
    concurrency: parallel ? "safe" : "serial",
    effects: "none",
  } as const;
}
