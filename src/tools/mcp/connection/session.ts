import type { Client, Transport } from "@modelcontextprotocol/client";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { linkSignals, raceAbort, timeLimit } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { isRecord } from "#foundation/text/json";
import type { Wall } from "../../confinement/wall.ts";
import type { Approver } from "../../contract/approval-request.ts";
import type { McpServerSettings } from "../../contract/mcp-settings.ts";
import type { SessionScope } from "../../contract/session-scope.ts";
import type { Caller } from "../callers.ts";
import type { McpCatalogue, McpToolDefinition } from "../definition.ts";
import type { McpDeps, ServerLog } from "../deps.ts";
import type { Sampler } from "../sampling.ts";
import { statusOf } from "./failure.ts";
import { httpTransport } from "./http-transport.ts";
import { isConfined, limitsOf } from "./server-limits.ts";
import { answerServerRequests } from "./server-requests.ts";
import { stdioLocation } from "./stdio-environment.ts";
import { StdioTransport } from "./stdio-transport.ts";
import type { UnheldAnswer } from "./unheld.ts";

const maxTools = 1_000;
const closeTimeoutMs = 10_000;

/** One live connection. It ends once; the server's supervisor opens the next. */
export interface McpSession extends AsyncDisposable {
  readonly client: Client;
  readonly transport: "stdio" | "http" | "sse";
  readonly closed: Promise<void>;
  list(signal: AbortSignal): Promise<McpCatalogue>;
}

export interface SessionDeps {
  readonly deps: McpDeps;
  readonly log: ServerLog;
  readonly sampler: Sampler | undefined;
  /** The conversation whose request the server works on. */
  caller(): Caller | undefined;
  /** The conversation that first wanted the server. */
  starter(): SessionScope | undefined;
  readonly unheld: UnheldAnswer;
  /** The server says that what it offers has changed. */
  onListChanged(): void;
}

/** Connects and initialises. Whatever was started is gone again when this fails. */
export async function openSession(
  settings: McpServerSettings,
  parts: SessionDeps,
  signal: AbortSignal,
): Promise<McpSession> {
  const { endpoint } = settings;
  if (endpoint.kind === "stdio")
    return connectOver(await stdioTransport(settings, parts, signal), "stdio", { settings, parts, signal });
  const auth =
    endpoint.oauth === undefined
      ? undefined
      : parts.deps.oauth?.providerFor(settings.name, endpoint.url, endpoint.oauth);
  if (endpoint.oauth !== undefined && auth === undefined) {
    throw new UserError(`The MCP server ${settings.name} needs a login, which is not available here.`, {
      hint: `Run: hermes mcp login ${settings.name}`,
    });
  }
  const first = await httpTransport(endpoint, endpoint.kind, auth);
  try {
    return await connectOver(first, endpoint.kind, { settings, parts, signal });
  } catch (error) {
    const status = statusOf(error);
    const mayBeOld = endpoint.kind === "http" && !endpoint.isPinned && (status === 404 || status === 405);
    if (!mayBeOld) throw error;
    parts.deps.logger.info("MCP server has no streamable HTTP; trying SSE", { server: settings.name, status });
    return connectOver(await httpTransport(endpoint, "sse", auth), "sse", { settings, parts, signal });
  }
}

interface Connecting {
  readonly settings: McpServerSettings;
  readonly parts: SessionDeps;
  readonly signal: AbortSignal;
}

async function connectOver(
  transport: Transport,
  kind: McpSession["transport"],
  { settings, parts, signal }: Connecting,
): Promise<McpSession> {
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "hermes", version: parts.deps.version },
    {
      capabilities: {
        roots: {},
        ...(parts.sampler === undefined ? {} : { sampling: settings.sampling.maxToolRounds > 0 ? { tools: {} } : {} }),
        elicitation: { form: {} },
      },
    },
  );
  answerServerRequests(client, settings.name, parts);
  const closed = new Deferred<void>();
  client.onclose = () => closed.resolve();
  client.onerror = (error) =>
    parts.deps.logger.debug("MCP connection complained", {
      server: settings.name,
      error: parts.deps.redact(error.message),
    });
  const close = async (): Promise<void> => {
    await raceAbort(client.close(), timeLimit(closeTimeoutMs)).catch(() => transport.close());
    closed.resolve();
  };
  try {
    await raceAbort(client.connect(transport, { signal, timeout: settings.connectTimeoutMs }), signal);
  } catch (error) {
    await close();
    await transport.close();
    throw error;
  }
  return {
    client,
    transport: kind,
    closed: closed.promise,
    list: (listSignal) => listAll(client, settings, listSignal),
    [Symbol.asyncDispose]: close,
  };
}

async function stdioTransport(
  settings: McpServerSettings,
  parts: SessionDeps,
  signal: AbortSignal,
): Promise<Transport> {
  const { deps, log } = parts;
  const { endpoint } = settings;
  if (endpoint.kind !== "stdio") throw new Error("not a stdio server");
  const verdict = await deps.checkPackage?.(endpoint.command, endpoint.args, signal);
  if (verdict?.kind === "refused") {
    throw new UserError(`The MCP server ${settings.name} was not started: ${verdict.reason}`, { code: "mcp_malware" });
  }
  const location = await stdioLocation(endpoint.command, { ...endpoint.env, ...deps.childEnv }, deps);
  const wall = await wallOf(settings, parts, signal);
  const plain = { program: location.command, args: endpoint.args };
  const cwd = endpoint.cwd ?? deps.cwd;
  const call = wall?.confine(plain, { cwd, isBackground: true, writable: [] }) ?? plain;
  return new StdioTransport({
    command: call.program,
    args: call.args,
    // What the person set for the server wins over what the wall offers, but not over the only way out.
    env: { ...wall?.environment, ...location.env, ...wall?.networkEnvironment },
    cwd: wall?.isInForce === true ? "/" : cwd,
    onStderr: (text) => log.write(text),
    wall,
    onEnd: () => void wall?.[Symbol.asyncDispose](),
    ...(deps.adoptProcess === undefined ? {} : { adoptProcess: deps.adoptProcess.bind(deps) }),
  });
}

/** The wall of a server. Its questions go to the conversation it works for, else to whoever started it. */
async function wallOf(
  settings: McpServerSettings,
  { deps, caller, starter, unheld }: SessionDeps,
  signal: AbortSignal,
): Promise<Wall | undefined> {
  const { endpoint, name } = settings;
  if (endpoint.kind !== "stdio" || !isConfined(endpoint) || deps.wall === undefined) return undefined;
  const asked = (): SessionScope | undefined => caller()?.scope ?? starter();
  const approver: Approver = {
    ask: async (request, stop) => {
      const scope = asked();
      return (await scope?.approver.ask({ ...request, tool: `mcp ${name}`, sessionKey: scope.key }, stop)) ?? "deny";
    },
    canAsk: (about) => {
      const scope = asked();
      return scope !== undefined && scope.approver.canAsk?.({ ...about, sessionKey: scope.key }) !== false;
    },
  };
  const owner = { key: `mcp ${name}`, cwd: endpoint.cwd ?? deps.cwd, userId: starter()?.userId, approver };
  const wall = await deps.wall(owner, limitsOf(endpoint, deps.env["HOME"] ?? ""), signal);
  if (wall.isMissing && unheld.mayRun !== true) {
    unheld.isUnheard = unheld.mayRun === undefined;
    throw new UserError(`The MCP server ${name} was not started: no sandbox works here to hold its program.`, {
      code: "mcp_unheld",
      hint: `To run it with your own rights: hermes config set mcp_servers.${name}.sandbox off`,
    });
  }
  return wall;
}

/** Follows the pages of a listing, up to a thousand tools, under the connect timeout as a whole. */
async function listAll(client: Client, settings: McpServerSettings, signal: AbortSignal): Promise<McpCatalogue> {
  const capabilities = client.getServerCapabilities();
  const options = { signal: linkSignals(signal), timeout: settings.connectTimeoutMs };
  const tools: McpToolDefinition[] = [];
  let cursor: string | undefined;
  while (capabilities?.tools !== undefined && tools.length < maxTools) {
    const params = defined({ cursor });
    const page = await client.request({ method: "tools/list", params }, options);
    for (const tool of page.tools) tools.push(definitionOf(tool));
    if (page.nextCursor === undefined || page.nextCursor === cursor) break;
    cursor = page.nextCursor;
  }
  return {
    tools: tools.slice(0, maxTools),
    hasResources: capabilities?.resources !== undefined,
    hasPrompts: capabilities?.prompts !== undefined,
  };
}

function definitionOf(tool: {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
}): McpToolDefinition {
  const hints: Record<string, unknown> = isRecord(tool.annotations) ? tool.annotations : {};
  return {
    name: tool.name,
    ...defined({ description: tool.description }),
    inputSchema: tool.inputSchema,
    isReadOnly: hints["readOnlyHint"] === true,
    isDestructive: hints["destructiveHint"] === true,
    isIdempotent: hints["idempotentHint"] === true,
  };
}
