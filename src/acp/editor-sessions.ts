import { stat } from "node:fs/promises";
import path from "node:path";
import type {
  AgentContext,
  ClientCapabilities,
  ListSessionsRequest,
  ListSessionsResponse,
  McpServer,
} from "@agentclientprotocol/sdk/unstable";
import type { Message, SessionId } from "#conversation";
import { describe, UserError } from "#foundation/errors";
import type { OpenOptions } from "#session";
import type { AcpHermes, McpServerOfSession } from "./acp-hermes.ts";
import type { SessionChoices } from "./choices.ts";
import { EditorSession } from "./editor-session.ts";
import { editorTexts } from "./editor-texts.ts";

/** The surface of sessions that editors begin. */
const surface = "acp";
const pageSize = 50;

interface Workplace {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
}

type Begun = SessionChoices & { readonly sessionId: string };

/** The sessions of one connection, by what the editor calls them; all end with it. */
export class EditorSessions implements AsyncDisposable {
  readonly #hermes: AcpHermes;
  readonly #open = new Map<string, EditorSession>();
  readonly #closing = new AbortController();
  /** What the editor can do; known once it has introduced itself. */
  capabilities: ClientCapabilities = {};

  constructor(hermes: AcpHermes) {
    this.#hermes = hermes;
  }

  find(id: string): EditorSession | undefined {
    return this.#open.get(id);
  }

  known(id: string): EditorSession {
    const open = this.#open.get(id);
    if (open === undefined) throw notFound(id);
    return open;
  }

  async begin(workplace: Workplace, client: AgentContext): Promise<Begun> {
    return await this.#hold(workplace, client, {});
  }

  /** Tells the whole conversation again before it answers. */
  async load({ sessionId, ...workplace }: Workplace & { readonly sessionId: string }, client: AgentContext) {
    const resume = await this.#hermes.sessions.find(sessionId);
    if (resume === undefined) throw notFound(sessionId);
    await this.close(sessionId);
    const { sessionId: _id, ...choices } = await this.#hold(workplace, client, { resume, name: sessionId });
    this.known(sessionId).replay();
    return choices;
  }

  /** Goes on without telling what was said; what is not there any more begins anew under the same name. */
  async resume({ sessionId, ...workplace }: Workplace & { readonly sessionId: string }, client: AgentContext) {
    const resume = await this.#hermes.sessions.find(sessionId);
    await this.close(sessionId);
    const { sessionId: _id, ...choices } = await this.#hold(workplace, client, { resume, name: sessionId });
    return choices;
  }

  async fork({ sessionId, ...workplace }: Workplace & { readonly sessionId: string }, client: AgentContext) {
    const { history, model } = await this.#source(sessionId);
    return await this.#hold(workplace, client, { history: finished(history), model });
  }

  async list({ cwd, cursor }: ListSessionsRequest, signal: AbortSignal): Promise<ListSessionsResponse> {
    const wanted = { folder: cwd ?? undefined, after: cursor ?? undefined, limit: pageSize };
    const found = await this.#hermes.conversations.list(wanted, signal);
    return {
      sessions: found.map(({ sessionId, folder, title, preview, lastActiveMs }) => ({
        sessionId,
        cwd: folder ?? this.#hermes.cwd,
        title: title ?? preview,
        updatedAt: new Date(lastActiveMs).toISOString(),
      })),
      nextCursor: found.length === pageSize ? (found.at(-1)?.sessionId ?? null) : null,
    };
  }

  async close(id: string): Promise<void> {
    const open = this.#open.get(id);
    this.#open.delete(id);
    await open?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)));
  }

  /** The conversation of a session that is open here, or that is only stored. */
  async #source(id: string): Promise<{ readonly history: readonly Message[]; readonly model: string }> {
    const open = this.#open.get(id)?.session;
    const factsOf = ({ history, info }: NonNullable<typeof open>) => ({
      history: [...history],
      model: `${info.provider}:${info.model}`,
    });
    if (open !== undefined) return factsOf(open);
    const resume: SessionId | undefined = await this.#hermes.sessions.find(id);
    if (resume === undefined) throw notFound(id);
    await using stored = await this.#hermes.sessions.borrow({
      resume,
      source: surface,
      cwd: this.#hermes.cwd,
      isInteractive: false,
    });
    return factsOf(stored);
  }

  async #hold(
    { cwd, mcpServers = [] }: Workplace,
    client: AgentContext,
    { name, ...begin }: Pick<OpenOptions, "resume" | "history" | "model"> & { readonly name?: string },
  ): Promise<Begun> {
    const { sessions, logger } = this.#hermes;
    await checkFolder(cwd);
    let id: string | undefined = name;
    const texts = editorTexts(client, this.capabilities, () => id);
    const session = await sessions.open({
      ...begin,
      source: surface,
      cwd,
      terminal: { texts },
      mcpServers: mcpServers.map((server) => this.#mcpServer(server)),
      isInteractive: true,
      // It may be open in a terminal, too: whoever has it last writes in it.
      isFenced: true,
    });
    id ??= session.info.rootId;
    const takesNotices = this.capabilities.session?.notices != null;
    const open = await EditorSession.open({ id, session, client, takesNotices, logger });
    this.#open.set(id, open);
    void open.introduce(this.#closing.signal).catch((error: unknown) => {
      if (!this.#closing.signal.aborted) logger.warn("an editor was not told the commands", { error: describe(error) });
    });
    return { sessionId: id, ...open.choices };
  }

  #mcpServer(server: McpServer): McpServerOfSession {
    const pairs = (list: readonly { readonly name: string; readonly value: string }[]): Record<string, string> =>
      Object.fromEntries(list.map(({ name, value }) => [name, value]));
    if (!("type" in server)) {
      const { name, command, args, env } = server;
      return this.#hermes.mcpServer(name, { command, args, env: pairs(env) });
    }
    if (server.type === "acp")
      throw new UserError(
        `The MCP server ${server.name} is inside the editor; only programs and addresses can be used.`,
      );
    const { name, url, headers, type } = server;
    return this.#hermes.mcpServer(name, { url, headers: pairs(headers), transport: type });
  }
}

/** A copy begins with what was finished: it ends with an answer. */
function finished(history: readonly Message[]): readonly Message[] {
  const last = history.findLastIndex(
    (message) => message.role === "assistant" && (message.tool_calls ?? []).length === 0,
  );
  return history.slice(0, last + 1);
}

async function checkFolder(cwd: string): Promise<void> {
  const facts = path.isAbsolute(cwd) ? await stat(cwd).catch(() => undefined) : undefined;
  if (facts?.isDirectory() !== true)
    throw new UserError(`${JSON.stringify(cwd)} is not a folder.`, {
      hint: "A session needs the absolute path of a folder that exists.",
      code: "bad_folder",
    });
}

function notFound(id: string): UserError {
  return new UserError(`There is no session ${JSON.stringify(id)}.`, { code: "session_not_found" });
}
